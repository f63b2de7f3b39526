//! The standard measurement: how fast backends count the six standard positions, with every answer checked.
//!
//! Each position is counted in two ways: every leaf, by one call of the backend ([`Backend::perft`]), and by merged plies
//! ([`Driver::perft_merged`]). First, each subject climbs in each of these down the tree, depth by depth, until a count
//! takes as long as a measurement may. Then the depths so found are timed again and again, in turn, so that whatever
//! disturbs the machine for a while disturbs all subjects alike. Before a count is timed it is done once untimed, unless
//! the subject has just done it: a GPU's buffers are made for one count, and made again for another.
//!
//! Only depths are counted whose leaves unrelated programs have published.

pub mod packing;

use std::time::Instant;

use kogge_board::known::Known;
use kogge_board::{Backend, BackendError, Quad48};

use crate::error::wrong_answer;
use crate::frontier::counting;
use crate::{Driver, Error, LEAST_MERGED_DEPTH, MergeSettings, Observer, Progress};

/// The share of all the time that a single count may take.
const LONGEST: f64 = 0.008;
/// A depth of the climb that takes less than this, in seconds, is counted [`AGAIN`] times.
const SHORT: f64 = 0.003;
const AGAIN: usize = 3;
/// Counts by merged plies grow less than their leaves, by an unknown factor: a ply more may take so many times as much
/// longer as the ply before did, but this at least.
const STEEPER: f64 = 1.5;
const LEAST_GROWTH: f64 = 3.0;
/// What every count takes, however shallow, is the least time of a climb; this share of a time may be noise.
const NOISE: f64 = 0.1;
/// The share of the progress that is for the climb.
const CLIMB: f64 = 0.2;

/// A backend that is measured.
pub struct Subject<'a> {
    /// The backend.
    pub backend: &'a mut dyn Backend,
    /// Bytes for merged plies.
    pub memory: u64,
}

/// What a row of the measurement is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// Index of the subject.
    pub subject: usize,
    /// Index of the position.
    pub position: usize,
    /// Whether plies are merged, or every leaf is counted.
    pub deduplicated: bool,
}

/// How it is measured.
pub struct Settings<'a> {
    /// Seconds for everything, about. It may be more if the shallowest counts take longer, or if depths are given.
    pub seconds: f64,
    /// How often each row is timed, at least once.
    pub repetitions: usize,
    /// The depth of a row if it shall not be chosen, such as that of an earlier measurement.
    pub depth: &'a dyn Fn(Task) -> Option<u32>,
}

/// A row of the measurement. All counts that were timed were right.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// What it is about.
    pub task: Task,
    /// The depth that was timed.
    pub depth: u32,
    /// The leaves at this depth.
    pub leaves: u128,
    /// How long they took.
    pub times: Times,
    /// Seconds for each depth from 1 on, as measured on the way to this one, or to the next.
    pub climb: Vec<f64>,
}

/// What was measured.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Measured {
    /// By position, then way of counting, then subject.
    pub rows: Vec<Row>,
    /// Subjects that failed or miscounted, with the reason; they have no rows.
    pub failed: Vec<(usize, Error)>,
}

/// Repeated measurements of one thing, all in the same unit.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Times {
    /// In the order in which they were taken.
    pub all: Vec<f64>,
}

impl Times {
    /// The median; of an even number, the mean of the two in the middle. 0 if there are none.
    pub fn median(&self) -> f64 {
        let mut sorted = self.all.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        match (sorted.get(sorted.len().saturating_sub(1) / 2), sorted.get(sorted.len() / 2)) {
            (Some(low), Some(high)) => (low + high) / 2.0,
            _ => 0.0,
        }
    }

    /// The distance from the least to the greatest, as a share of the median.
    pub fn spread(&self) -> f64 {
        let least = self.all.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = self.all.iter().copied().fold(0.0, f64::max);
        if greatest > least { (greatest - least) / self.median() } else { 0.0 }
    }
}

/// Measures how fast the subjects count these positions.
///
/// # Errors
/// [`Error::Cancelled`] with the share of the measurement that was done. The observer is asked before each count; one that
/// is under way leaf by leaf, in one call of the backend, is waited for. A subject that fails is no error but is in
/// [`Measured::failed`].
pub fn measure(
    subjects: &mut [Subject<'_>],
    positions: &[Known],
    settings: &Settings<'_>,
    observer: &dyn Observer,
) -> Result<Measured, Error> {
    let start = Instant::now();
    let warm = vec![None; subjects.len()];
    let mut bench = Bench { subjects, positions, settings, observer, progress: Progress::default(), warm };
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

    fit(&mut measured.rows, positions, settings, settings.seconds - start.elapsed().as_secs_f64());
    let cost = |row: &Row| 2.0 * row.climb[row.depth as usize - 1];
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
    Ok(measured)
}

impl Measured {
    fn has_failed(&self, subject: usize) -> bool {
        self.failed.iter().any(|(failed, _)| *failed == subject)
    }

    /// Keeps a row, or takes the rows of a subject that has failed away.
    fn keep(&mut self, subject: usize, row: Result<Option<Row>, Error>) -> Result<(), Error> {
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

/// Makes the rows that take longest shallower until all can be timed in this many seconds, but no row that takes no more
/// than its equal share of the time: it shall not suffer for others that cannot be shallower.
fn fit(rows: &mut [Row], positions: &[Known], settings: &Settings<'_>, seconds: f64) {
    let cost = |row: &Row| 2.0 * row.climb[row.depth as usize - 1] * settings.repetitions.max(1) as f64;
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

/// A measurement under way.
struct Bench<'a, 'b> {
    subjects: &'a mut [Subject<'b>],
    positions: &'a [Known],
    settings: &'a Settings<'a>,
    observer: &'a dyn Observer,
    progress: Progress,
    /// What each subject has counted last.
    warm: Vec<Option<(Task, u32)>>,
}

impl Bench<'_, '_> {
    fn tasks(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for position in 0..self.positions.len() {
            for deduplicated in [false, true] {
                tasks.extend((0..self.subjects.len()).map(|subject| Task { subject, position, deduplicated }));
            }
        }
        tasks
    }

    /// Counts deeper and deeper trees. `None` if there is none that can be counted.
    fn climb(&mut self, task: Task) -> Result<Option<Row>, Error> {
        use BackendError::{OutOfMemory, Overflow};
        let limit = self.settings.seconds * LONGEST;
        let known = &self.positions[task.position];
        let given = (self.settings.depth)(task).map(|depth| depth.clamp(1, known.confirmed()));
        let mut climb: Vec<f64> = Vec::new();
        for depth in 1..=given.unwrap_or(known.confirmed()) {
            if given.is_none() && expected(&climb, known, task.deduplicated) > limit {
                break;
            }
            match self.settle(task, depth) {
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
        Ok(Some(Row { task, depth, leaves, times: Times::default(), climb }))
    }

    /// Seconds for a count, more than one if it is short.
    fn settle(&mut self, task: Task, depth: u32) -> Result<f64, Error> {
        let mut times = Times::default();
        while times.all.len() < AGAIN && times.all.iter().sum::<f64>() < SHORT {
            times.all.push(self.time(task, depth)?);
        }
        Ok(times.median())
    }

    /// Counts once, after having counted the same, and gives the seconds that it took.
    fn time(&mut self, task: Task, depth: u32) -> Result<f64, Error> {
        if self.warm[task.subject] != Some((task, depth)) {
            self.warm[task.subject] = None;
            self.count(task, depth)?;
            self.warm[task.subject] = Some((task, depth));
        }
        self.count(task, depth)
    }

    /// Counts once, compares, and gives the seconds that it took.
    fn count(&mut self, Task { subject, position, deduplicated }: Task, depth: u32) -> Result<f64, Error> {
        self.check_cancelled()?;
        let Subject { backend, memory } = &mut self.subjects[subject];
        let known = &self.positions[position];
        let start = Instant::now();
        let found = if deduplicated {
            let settings = MergeSettings::with_memory(*memory);
            let merged =
                Driver::new(&mut **backend, &OnlyStop(self.observer)).perft_merged(&known.root, depth, &settings);
            match merged {
                Ok(merged) => merged.leaves,
                // How far this count was says nothing about the measurement.
                Err(Error::Cancelled(_)) => return Err(Error::Cancelled(self.progress)),
                Err(error) => return Err(error),
            }
        } else {
            let root = Quad48::from(&known.root.position).with_halfmove_clock(0);
            backend.perft(&counting(&known.root), &[root], depth)?.into_iter().map(u128::from).sum()
        };
        let seconds = start.elapsed().as_secs_f64();
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

    /// Tells how far it is, and stops if the observer says so.
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

/// How long the next depth of a climb may take, in seconds.
fn expected(climb: &[f64], known: &Known, deduplicated: bool) -> f64 {
    let Some(&last) = climb.last() else { return 0.0 };
    let depth = climb.len() as u32;
    let leaves = |depth| known.leaves(depth).unwrap_or(1) as f64;
    let growth = leaves(depth + 1) / leaves(depth);
    let always = climb.iter().copied().fold(last, f64::min);
    let expected = always + (last - always + NOISE * last) * growth;
    match climb {
        [.., before, last] if deduplicated => {
            // Where merging begins, a count takes longer for what it begins with, such as a GPU's buffers, and that does
            // not grow.
            let before = if depth == LEAST_MERGED_DEPTH { last } else { before };
            expected.min(last * (STEEPER * last / before).max(LEAST_GROWTH))
        }
        _ => expected,
    }
}

/// An observer that stops what another stops, and whose progress nobody hears of.
struct OnlyStop<'a>(&'a dyn Observer);

impl Observer for OnlyStop<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use kogge_board::known;

    use super::{Row, Settings, Task, Times};

    #[test]
    fn a_row_that_is_made_shallower_has_the_leaves_of_its_new_depth() {
        let positions = known::standard();
        let row = |position, climb: &[f64]| Row {
            task: Task { subject: 0, position, deduplicated: false },
            depth: climb.len() as u32,
            leaves: positions[position].leaves(climb.len() as u32).unwrap(),
            times: Times::default(),
            climb: climb.to_vec(),
        };
        let fitted = |seconds: f64, depth: &dyn Fn(Task) -> Option<u32>| -> Vec<(u32, u128)> {
            let mut rows = [row(0, &[0.1, 0.2, 0.4]), row(1, &[0.1, 0.3])];
            super::fit(&mut rows, &positions, &Settings { seconds, repetitions: 5, depth }, seconds);
            rows.iter().map(|row| (row.depth, row.leaves)).collect()
        };
        assert_eq!(fitted(7.0, &|_| None), [(3, 8902), (2, 2039)]);
        assert_eq!(fitted(6.9, &|_| None), [(2, 400), (2, 2039)]);
        assert_eq!(fitted(3.0, &|_| None), [(2, 400), (1, 48)]);
        assert_eq!(fitted(0.0, &|_| None), [(1, 20), (1, 48)]);
        // Given depths stay, and so does what takes no more than 0.8 / 2 of all.
        assert_eq!(fitted(7.8, &|task| (task.position == 0).then_some(3)), [(3, 8902), (2, 2039)]);
        assert_eq!(fitted(3.9, &|task| (task.position == 0).then_some(3)), [(3, 8902), (1, 48)]);
        assert_eq!(fitted(2.4, &|task| (task.position == 1).then_some(2)), [(1, 20), (2, 2039)]);
        assert_eq!(fitted(0.0, &|task| (task.position == 0).then_some(3)), [(3, 8902), (1, 48)]);
    }

    #[test]
    fn what_every_count_takes_does_not_grow() {
        let start = &known::standard()[0];
        let expected = |climb: &[f64], deduplicated| super::expected(climb, start, deduplicated);
        assert_eq!(expected(&[], false), 0.0);
        // A tenth of a second always, and as much of work, which grows.
        let seconds = expected(&[0.1, 0.1, 0.1, 0.1, 0.2], false);
        assert!((2.0..4.0).contains(&seconds), "{seconds}");
        // A device that is slow to begin is given time to begin.
        assert!((0.1..0.4).contains(&expected(&[0.1], true)));
        assert!((0.1..0.4).contains(&expected(&[0.1, 0.1, 0.1], false)));
        // Merged plies grow as they grew.
        assert!((0.5..1.0).contains(&expected(&[0.001, 0.01, 0.02, 0.1], true)));
        // Where merging begins, as a GPU did with slow buffers: they are made once.
        let climb = [0.024, 0.026, 0.025, 0.026, 0.196];
        let seconds = expected(&climb, true);
        assert!((climb[4]..1.0).contains(&seconds), "{seconds}");
        assert!(expected(&climb, false) > 1.0, "leaf by leaf there is no such beginning");
        // A ply later, it is growth.
        assert!(expected(&[0.024, 0.026, 0.025, 0.026, 0.03, 0.2], true) > 1.0);
    }
}
