//! The standard measurement: the speed of backends on the six standard positions, with every answer checked.
//!
//! Each position is counted in two ways: every leaf, by one call of [`Backend::perft`], and by merged plies
//! ([`Driver::perft_merged`]). First, in the climb, each subject counts deeper and deeper trees in both ways, until a count
//! takes the maximum time of a measurement. Then these depths are timed repeatedly, in turn, so that a disturbance of the
//! machine affects all subjects alike. Each timed count follows an untimed one of the same kind, because a GPU makes new
//! buffers for each kind of count. A row is timed again if its least times do not agree.
//!
//! No depth exceeds the deepest count that unrelated programs have published.

pub mod packing;

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kogge_board::known::KnownCounts;
use kogge_board::{Backend, BackendError, Quad48};

use crate::error::wrong_answer;
use crate::frontier::counting;
use crate::observer::OnlyStop;
use crate::{Driver, Error, LEAST_MERGED_DEPTH, MergeCosts, MergeSettings, Observer, Progress};

/// The maximum time of a single count, as a share of the whole time.
const LONGEST: f64 = 0.008;
/// In the climb, a count that takes less than this number of seconds is repeated up to [`AGAIN`] times.
const SHORT: f64 = 0.003;
const AGAIN: usize = 3;
/// The time of a count by merged plies grows more slowly than the number of leaves, by an unknown factor. At the next depth, the
/// time is assumed to grow by at most [`STEEPER`] times its last growth, but at least [`LEAST_GROWTH`] is allowed.
const STEEPER: f64 = 1.5;
const LEAST_GROWTH: f64 = 3.0;
/// The shortest time of a climb is taken as a fixed part of every count, which does not grow. This share of a time may be noise.
const NOISE: f64 = 0.1;
/// The number of least times that are used, and the maximum difference between them, as a share of the middle one, before a row is timed
/// again. Other work on the machine only adds time, so the least times are the most reliable: this is the K-best scheme of Bryant and
/// O'Hallaron, *Computer Systems: A Programmer's Perspective* (2003), chapter 9.
const BEST: usize = 3;
const AGREEING: f64 = 0.05;
/// Timing rows again takes at most this share of the whole time. A row is timed at most [`OFTEN`] times as often as the other rows.
const LONGER: f64 = 0.5;
const OFTEN: usize = 10;
/// The climb's share of the progress.
const CLIMB: f64 = 0.2;

/// A backend to measure.
pub struct Subject<'a> {
    /// The backend.
    pub backend: &'a mut dyn Backend,
    /// Bytes for merged plies.
    pub memory: u64,
}

/// A row to measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchTask {
    /// The index of the subject.
    pub subject: usize,
    /// The index of the position.
    pub position: usize,
    /// Whether plies are merged; otherwise every leaf is counted.
    pub deduplicated: bool,
}

/// Settings of a measurement.
pub struct BenchSettings<'a> {
    /// Approximate seconds for the whole measurement. The measurement takes longer if the shallowest counts or the
    /// given depths do, and up to half as long again if times differ.
    pub seconds: f64,
    /// The number of times that each row is timed, at least one. Rows whose least times differ are timed more often, if this is at least
    /// three.
    pub repetitions: usize,
    /// The depth of a row, for example from an earlier measurement; `None` chooses one.
    pub depth: &'a dyn Fn(BenchTask) -> Option<u32>,
    /// The clock: the time since any fixed moment, usually [`monotonic`].
    pub clock: &'a dyn Fn() -> Duration,
}

/// Returns the time since the first call.
pub fn monotonic() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// A row of the measurement. All timed counts were right.
#[derive(Clone, PartialEq, Debug)]
pub struct BenchRow {
    /// The task.
    pub task: BenchTask,
    /// The depth that was timed.
    pub depth: u32,
    /// The leaves at this depth.
    pub leaves: u128,
    /// The times of the counts.
    pub times: Times,
    /// Seconds for each depth from 1 on, as the climb to this depth or the next one measured them.
    pub climb: Vec<f64>,
}

/// The result of a measurement.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Measured {
    /// The rows by position, then way of counting, then subject.
    pub rows: Vec<BenchRow>,
    /// Subjects that failed or miscounted, with their errors; they have no rows.
    pub failed: Vec<(usize, Error)>,
}

/// Repeated measurements of one quantity, in the same unit.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Times {
    /// The values in the order of measurement.
    pub all: Vec<f64>,
}

impl Times {
    /// Returns the three least values, in order, or all if there are fewer.
    fn least(&self) -> Vec<f64> {
        let mut sorted = self.all.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.truncate(BEST);
        sorted
    }

    /// Returns the median of the three least values, the mean of two values, or 0 if there are none.
    pub fn typical(&self) -> f64 {
        let least = self.least();
        match (least.get(least.len().saturating_sub(1) / 2), least.get(least.len() / 2)) {
            (Some(low), Some(high)) => (low + high) / 2.0,
            _ => 0.0,
        }
    }

    /// Returns the difference between the first and the last of the three least values, as a share of the [typical](Self::typical)
    /// value.
    pub fn spread(&self) -> f64 {
        match &self.least()[..] {
            [first, .., last] if last > first => (last - first) / self.typical(),
            _ => 0.0,
        }
    }
}

/// Measures how fast subjects count positions.
///
/// # Errors
/// [`Error::Cancelled`] with the progress of the measurement. The observer is called before each count, and during counts
/// that can be stopped. A subject that fails is not an error; [`Measured::failed`] lists it.
pub fn measure(
    subjects: &mut [Subject<'_>],
    positions: &[KnownCounts],
    settings: &BenchSettings<'_>,
    observer: &dyn Observer,
) -> Result<Measured, Error> {
    let start = (settings.clock)();
    let (warm, costs) = (vec![None; subjects.len()], vec![None; subjects.len()]);
    let mut bench = Bench { subjects, positions, settings, observer, progress: Progress::default(), warm, costs };
    let mut measured = Measured::default();
    let tasks = bench.tasks();
    bench.progress.total = tasks.len() as u64;
    for (done, &task) in tasks.iter().enumerate() {
        bench.advance(CLIMB * done as f64 / tasks.len() as f64)?;
        if !measured.has_failed(task.subject) {
            let climbed = bench.climb(task);
            measured.keep(task.subject, climbed)?;
        }
    }

    fit(&mut measured.rows, positions, settings, settings.seconds - ((settings.clock)() - start).as_secs_f64());
    let cost = |row: &BenchRow| 2.0 * row.climb[row.depth as usize - 1];
    let whole = measured.rows.iter().map(cost).sum::<f64>() * settings.repetitions.max(1) as f64;
    let mut spent = 0.0;
    for _ in 0..settings.repetitions.max(1) {
        let rows: Vec<_> = measured.rows.iter().map(|row| (row.task, row.depth, cost(row))).collect();
        for (task, depth, cost) in rows {
            bench.advance(CLIMB + (1.0 - CLIMB) * spent / whole.max(1e-9))?;
            spent += cost;
            if let Some(index) = measured.rows.iter().position(|row| row.task == task) {
                match bench.time(task, depth) {
                    Ok(seconds) => measured.rows[index].times.all.push(seconds),
                    failed => measured.keep(task.subject, failed.map(|_| None))?,
                }
            }
        }
    }
    if settings.repetitions >= BEST {
        bench.time_again(&mut measured, (settings.clock)().as_secs_f64() + LONGER * settings.seconds)?;
    }
    Ok(measured)
}

impl Measured {
    fn has_failed(&self, subject: usize) -> bool {
        self.failed.iter().any(|(failed, _)| *failed == subject)
    }

    /// Adds a row, or removes the rows of a subject that failed.
    fn keep(&mut self, subject: usize, row: Result<Option<BenchRow>, Error>) -> Result<(), Error> {
        match row {
            Ok(row) => self.rows.extend(row),
            Err(error @ Error::Cancelled(_)) => return Err(error),
            Err(error) => {
                self.rows.retain(|row| row.task.subject != subject);
                self.failed.push((subject, error));
            }
        }
        Ok(())
    }
}

/// Reduces the depths of the longest rows until all rows can be timed in this number of seconds. A row that takes no more than its
/// equal share of the time keeps its depth, even if other rows take too long and cannot be made shallower.
fn fit(rows: &mut [BenchRow], positions: &[KnownCounts], settings: &BenchSettings<'_>, seconds: f64) {
    let cost = |row: &BenchRow| 2.0 * row.climb[row.depth as usize - 1] * settings.repetitions.max(1) as f64;
    let share = (1.0 - CLIMB) * settings.seconds / rows.len() as f64;
    while rows.iter().map(cost).sum::<f64>() > seconds {
        let free = rows.iter_mut().filter(|row| row.depth > 1 && (settings.depth)(row.task).is_none());
        let Some(longest) = free.max_by(|a, b| cost(a).total_cmp(&cost(b))) else { return };
        if cost(longest) <= share {
            return;
        }
        longest.depth -= 1;
        longest.leaves = positions[longest.task.position].leaves(longest.depth).unwrap_or(0);
    }
}

/// A measurement in progress.
struct Bench<'a, 'b> {
    subjects: &'a mut [Subject<'b>],
    positions: &'a [KnownCounts],
    settings: &'a BenchSettings<'a>,
    observer: &'a dyn Observer,
    progress: Progress,
    /// The most recent count of each subject.
    warm: Vec<Option<(BenchTask, u32)>>,
    /// The costs of merging on each subject, as far as they are known.
    costs: Vec<Option<MergeCosts>>,
}

impl Bench<'_, '_> {
    fn tasks(&self) -> Vec<BenchTask> {
        let mut tasks = Vec::new();
        for position in 0..self.positions.len() {
            for deduplicated in [false, true] {
                tasks.extend((0..self.subjects.len()).map(|subject| BenchTask { subject, position, deduplicated }));
            }
        }
        tasks
    }

    /// Counts deeper and deeper trees. Returns `None` if not even the shallowest can be counted.
    fn climb(&mut self, task: BenchTask) -> Result<Option<BenchRow>, Error> {
        use BackendError::{OutOfMemory, Overflow};
        let limit = self.settings.seconds * LONGEST;
        let known = &self.positions[task.position];
        let given = (self.settings.depth)(task).map(|depth| depth.clamp(1, known.confirmed()));
        let mut climb: Vec<f64> = Vec::new();
        for depth in 1..=given.unwrap_or(known.confirmed()) {
            if given.is_none() && expected(&climb, known, task.deduplicated) > limit {
                break;
            }
            match self.typical_time(task, depth) {
                Ok(seconds) => climb.push(seconds),
                Err(Error::Memory { .. } | Error::Backend(OutOfMemory { .. } | Overflow)) if depth > 1 => break,
                Err(error) => return Err(error),
            }
            if given.is_none() && climb.last() > Some(&limit) {
                break;
            }
        }
        let fits = |&depth: &usize| given.is_some() || climb[depth - 1] <= limit;
        let depth = (1..=climb.len()).rev().find(fits).unwrap_or(1) as u32;
        let Some(leaves) = known.leaves(depth).filter(|_| !climb.is_empty()) else { return Ok(None) };
        Ok(Some(BenchRow { task, depth, leaves, times: Times::default(), climb }))
    }

    /// Returns the time of a count in seconds; of a short count, the typical time of several.
    fn typical_time(&mut self, task: BenchTask, depth: u32) -> Result<f64, Error> {
        let mut times = Times::default();
        while times.all.len() < AGAIN && times.all.iter().sum::<f64>() < SHORT {
            times.all.push(self.time(task, depth)?);
        }
        Ok(times.typical())
    }

    /// Returns the time of a count in seconds, after the same count untimed.
    fn time(&mut self, task: BenchTask, depth: u32) -> Result<f64, Error> {
        if self.warm[task.subject] != Some((task, depth)) {
            self.warm[task.subject] = None;
            self.count(task, depth)?;
            self.warm[task.subject] = Some((task, depth));
        }
        self.count(task, depth)
    }

    /// Repeats the timing of rows whose least times do not agree, in turn, until the clock shows `end` seconds.
    fn time_again(&mut self, measured: &mut Measured, end: f64) -> Result<(), Error> {
        for _ in self.settings.repetitions..OFTEN * self.settings.repetitions {
            let differ = |row: &&BenchRow| row.times.spread() > AGREEING;
            let rows: Vec<_> = measured.rows.iter().filter(differ).map(|row| (row.task, row.depth)).collect();
            for (task, depth) in rows {
                if (self.settings.clock)().as_secs_f64() >= end {
                    return Ok(());
                }
                if measured.has_failed(task.subject) {
                    continue;
                }
                match self.time(task, depth) {
                    Ok(seconds) => {
                        let row = measured.rows.iter_mut().find(|row| row.task == task);
                        row.into_iter().for_each(|row| row.times.all.push(seconds));
                    }
                    failed => measured.keep(task.subject, failed.map(|_| None))?,
                }
            }
        }
        Ok(())
    }

    /// Counts once, checks the count, and returns its seconds.
    fn count(&mut self, BenchTask { subject, position, deduplicated }: BenchTask, depth: u32) -> Result<f64, Error> {
        self.check_cancelled()?;
        let Subject { backend, memory } = &mut self.subjects[subject];
        let known = &self.positions[position];
        let start = (self.settings.clock)();
        let found = if deduplicated {
            let settings = MergeSettings { costs: self.costs[subject], ..MergeSettings::with_memory(*memory) };
            let merged =
                Driver::new(&mut **backend, &OnlyStop(self.observer)).perft_merged(&known.root, depth, &settings);
            match merged {
                Ok(merged) => {
                    self.costs[subject] = merged.costs.or(self.costs[subject]);
                    merged.leaves
                }
                // The observer must not take the progress of this count for the progress of the measurement.
                Err(Error::Cancelled(_)) => return Err(Error::Cancelled(self.progress)),
                Err(error) => return Err(error),
            }
        } else {
            let (rules, root) = (counting(&known.root), [Quad48::from(&known.root.position).with_halfmove_clock(0)]);
            let observer = self.observer;
            let mut watch =
                |_, _| if observer.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
            match backend.perft(&rules, &root, depth, &mut watch) {
                Ok(counts) => counts.into_iter().sum(),
                Err(BackendError::Stopped) => return Err(Error::Cancelled(self.progress)),
                Err(error) => return Err(error.into()),
            }
        };
        let seconds = ((self.settings.clock)() - start).as_secs_f64();
        self.progress.counted = self.progress.counted.saturating_add(found);
        match known.leaves(depth) {
            Some(leaves) if leaves == found => Ok(seconds),
            leaves => {
                let how = if deduplicated { "by merged plies" } else { "leaf by leaf" };
                let (leaves, root) = (leaves.unwrap_or(0), &known.root);
                let reason =
                    format!("it counted {found} instead of {leaves} leaves {depth} plies below {root}, {how}.");
                Err(wrong_answer(&backend.info().name, reason))
            }
        }
    }

    /// Reports progress, and stops if the observer asks for it.
    fn advance(&mut self, fraction: f64) -> Result<(), Error> {
        self.progress.fraction = fraction;
        self.progress.done = (fraction * self.progress.total as f64) as u64;
        self.observer.progress(&self.progress);
        self.check_cancelled()
    }

    fn check_cancelled(&self) -> Result<(), Error> {
        if self.observer.is_cancelled() { Err(Error::Cancelled(self.progress)) } else { Ok(()) }
    }
}

/// Estimates the time of the next depth of a climb, in seconds.
fn expected(climb: &[f64], known: &KnownCounts, deduplicated: bool) -> f64 {
    let Some(&last) = climb.last() else { return 0.0 };
    let depth = climb.len() as u32;
    let leaves = |depth| known.leaves(depth).unwrap_or(1) as f64;
    let growth = leaves(depth + 1) / leaves(depth);
    let always = climb.iter().copied().fold(last, f64::min);
    let expected = always + (last - always + NOISE * last) * growth;
    match climb {
        [.., before, last] if deduplicated => {
            // The first merged depth includes preparations, such as making a GPU's buffers, whose time does not grow.
            let before = if depth == LEAST_MERGED_DEPTH { last } else { before };
            expected.min(last * (STEEPER * last / before).max(LEAST_GROWTH))
        }
        _ => expected,
    }
}

#[cfg(test)]
mod tests {
    use kogge_board::known;

    use super::{BenchRow, BenchSettings, BenchTask, Times, monotonic};

    #[test]
    fn a_row_that_is_made_shallower_has_the_leaves_of_its_new_depth() {
        let positions = known::standard();
        let row = |position, climb: &[f64]| BenchRow {
            task: BenchTask { subject: 0, position, deduplicated: false },
            depth: climb.len() as u32,
            leaves: positions[position].leaves(climb.len() as u32).unwrap(),
            times: Times::default(),
            climb: climb.to_vec(),
        };
        let fitted = |seconds: f64, depth: &dyn Fn(BenchTask) -> Option<u32>| -> Vec<(u32, u128)> {
            let mut rows = [row(0, &[0.1, 0.2, 0.4]), row(1, &[0.1, 0.3])];
            super::fit(
                &mut rows,
                &positions,
                &BenchSettings { seconds, repetitions: 5, depth, clock: &monotonic },
                seconds,
            );
            rows.iter().map(|row| (row.depth, row.leaves)).collect()
        };
        assert_eq!(fitted(7.0, &|_| None), [(3, 8902), (2, 2039)]);
        assert_eq!(fitted(6.9, &|_| None), [(2, 400), (2, 2039)]);
        assert_eq!(fitted(3.0, &|_| None), [(2, 400), (1, 48)]);
        assert_eq!(fitted(0.0, &|_| None), [(1, 20), (1, 48)]);
        // The given depths stay, and so do rows that take at most 0.8 / 2 of the time.
        assert_eq!(fitted(7.8, &|task| (task.position == 0).then_some(3)), [(3, 8902), (2, 2039)]);
        assert_eq!(fitted(3.9, &|task| (task.position == 0).then_some(3)), [(3, 8902), (1, 48)]);
        assert_eq!(fitted(2.4, &|task| (task.position == 1).then_some(2)), [(1, 20), (2, 2039)]);
        assert_eq!(fitted(0.0, &|task| (task.position == 0).then_some(3)), [(3, 8902), (1, 48)]);
    }

    #[test]
    fn the_fixed_time_of_a_count_does_not_grow() {
        let start = &known::standard()[0];
        let expected = |climb: &[f64], deduplicated| super::expected(climb, start, deduplicated);
        assert_eq!(expected(&[], false), 0.0);
        // One tenth of a second is fixed; the other tenth is work, which grows.
        let seconds = expected(&[0.1, 0.1, 0.1, 0.1, 0.2], false);
        assert!((2.0..4.0).contains(&seconds), "{seconds}");
        // A device that starts slowly gets enough time to start.
        assert!((0.1..0.4).contains(&expected(&[0.1], true)));
        assert!((0.1..0.4).contains(&expected(&[0.1, 0.1, 0.1], false)));
        // Merged plies keep growing as before.
        assert!((0.5..1.0).contains(&expected(&[0.001, 0.01, 0.02, 0.1], true)));
        // The first merged count makes a GPU's buffers, which is slow but happens only once.
        let climb = [0.024, 0.026, 0.025, 0.026, 0.196];
        let seconds = expected(&climb, true);
        assert!((climb[4]..1.0).contains(&seconds), "{seconds}");
        assert!(expected(&climb, false) > 1.0, "leaf by leaf there is no such beginning");
        // One ply later, the extra time counts as growth.
        assert!(expected(&[0.024, 0.026, 0.025, 0.026, 0.03, 0.2], true) > 1.0);
    }
}
