//! The plies of a tree on a device, and work on them in steps of bounded time.

use std::ops::Range;
use std::time::{Duration, Instant};

#[cfg(doc)]
use kogge_board::merge::Key;
use kogge_board::merge::{Filter, Merge, MergeError, MergeOptions, Summand, WeightedPosition};
use kogge_board::{Categories, Fen, Pace, Planes32, Quad48, Rules};

use super::estimates::{Estimates, MARGIN};
use super::route::NextPly;
use super::settings::{MergeCosts, MergeSettings, Quantity};
use crate::calls::MAX_CALL_DEPTH;
use crate::error::wrong_answer;
use crate::frontier::counting;
use crate::plan::PlannedPly;
use crate::{Driver, Error, Observer, Progress};

/// The time that a step should take: short enough to be stopped, long enough to make its start-up time negligible.
const STEP: Duration = Duration::from_millis(200);

/// Returns the pace of steps of which the first has this number of items.
pub(super) fn pace(first: u64) -> Pace {
    Pace::new(first.max(1), STEP, 16)
}

/// Returns the number of items that a step has time for.
pub(super) fn in_a_step(seconds_each: f64) -> u64 {
    (STEP.as_secs_f64() / seconds_each.max(1e-12)) as u64
}

/// The share of its room that a ply may take whole if the ply after it is made in ranges.
const BEFORE_RANGES_SHARE: f64 = 0.75;

/// The same share if there are at least two plies between.
const BEFORE_BETWEEN_SHARE: f64 = 0.5;

/// Returns a root as the only entry of its ply.
pub(crate) fn root_entry(root: &Fen) -> WeightedPosition {
    WeightedPosition { position: Quad48::from(&root.position).with_halfmove_clock(0), multiplicity: 1 }
}

/// The plies of a tree on a device, and everything known about them.
pub(crate) struct Work<'d> {
    pub(crate) merge: Box<dyn Merge + 'd>,
    rules: Rules,
    device: String,
    observer: &'d dyn Observer,
    pub(crate) progress: &'d mut Progress,
    /// The number of positions that keeps the device busy.
    pub(super) batch: u64,
    pub(super) memory: u64,
    pub(super) depth: u32,
    pub(super) counted: Quantity,
    pub(crate) estimates: Estimates,
    /// The positions that one line of moves reaches, as far as they were counted.
    pub(crate) once: u64,
    /// The bytes in which the host counts a part of the diagrams, if diagrams are wanted.
    pub(crate) diagram_bytes: Option<u64>,
    /// The plies merged so far.
    pub(super) plies: Vec<PlannedPly>,
    /// Paths to the last ply: the sum of its multiplicities.
    pub(super) paths: u128,
    /// The seconds that the quickest ply took.
    pub(super) quickest: f64,
    /// The positions that room was made for last, and the seconds that this took.
    pub(super) room: (u64, f64),
    /// What merging has cost on this device before.
    pub(super) known: Option<MergeCosts>,
    /// What merging costs, from the largest ply so far.
    pub(super) costs: Option<MergeCosts>,
    /// The paces of expanding parents, of counting leaves below positions, and of summing multiplicities.
    pub(super) expanding: Pace,
    pub(super) counting: Pace,
    pub(super) summing: Pace,
    /// Seconds spent on checks of multiplicities so far.
    pub(super) check_seconds: f64,
    /// When the work began.
    pub(super) start: Instant,
    /// Estimated seconds from the end of the current task to the end of the work; infinite while nothing is known.
    pub(crate) rest: f64,
}

impl<'d> Work<'d> {
    pub(crate) fn start(
        driver: &'d mut Driver<'_>,
        rules: &Rules,
        options: &MergeOptions,
        depth: u32,
    ) -> Result<Self, Error> {
        let Driver { backend, observer, progress, .. } = driver;
        let (batch, device, kind) =
            (backend.info().batch.max(1) as u64, backend.info().name.clone(), backend.info().kind);
        let merge = backend.merge(rules, options)?;
        let mut estimates = Estimates::new(depth, merge.sizes().capacity as f64, kind);
        let in_runs = (0..=MAX_CALL_DEPTH).find(|&below| merge.advice(below, 0).in_runs);
        estimates.least_in_runs = in_runs.unwrap_or(u32::MAX);
        estimates.in_one_table = merge.advice(0, 0).in_one_table as f64;
        Ok(Self {
            merge,
            rules: *rules,
            device,
            observer: *observer,
            progress,
            batch,
            memory: options.memory,
            depth,
            counted: if options.categories { Quantity::Categories } else { Quantity::Leaves },
            estimates,
            once: 0,
            diagram_bytes: None,
            plies: Vec::new(),
            paths: 0,
            quickest: f64::INFINITY,
            room: (0, 0.0),
            known: None,
            costs: None,
            expanding: pace(batch),
            counting: pace(batch),
            summing: pace(batch),
            check_seconds: 0.0,
            start: Instant::now(),
            rest: f64::INFINITY,
        })
    }

    /// Starts with a root.
    pub(crate) fn at_root(
        driver: &'d mut Driver<'_>,
        root: &Fen,
        depth: u32,
        settings: &MergeSettings,
    ) -> Result<Self, Error> {
        driver.begin(1);
        let mut work = Self::start(driver, &counting(root), &settings.options(), depth)?;
        work.recall(settings.costs);
        work.add(&[root_entry(root)])?;
        Ok(work)
    }

    /// The last ply so far.
    pub(crate) fn ply(&self) -> u32 {
        self.plies.len().saturating_sub(1) as u32
    }

    /// The ply that is made next.
    pub(crate) fn next_ply(&self) -> u32 {
        self.plies.len() as u32
    }

    /// The number of positions of the last ply, for estimates.
    pub(super) fn last_size(&self) -> f64 {
        self.estimates.sizes.last().copied().unwrap_or(0) as f64
    }

    /// Estimates the next ply, merged whole.
    pub(crate) fn next_whole(&self) -> NextPly {
        let positions = self.estimates.next_sizes(1)[0];
        let seconds = self.estimates.ply_seconds
            + self.estimates.room_seconds(positions)
            + self.last_size() * self.estimates.merge_each(positions);
        NextPly { positions, ranges: 1, at_once: positions, seconds }
    }

    /// Estimates the share of the room beside the last ply that the whole next ply takes, with some to spare.
    pub(crate) fn share_of_room(&self, positions: f64) -> f64 {
        let room = self.estimates.capacity - self.estimates.parent_share * self.last_size();
        if room >= 1.0 && !self.estimates.is_too_large(self.plies.len()) {
            positions * MARGIN / room
        } else {
            f64::INFINITY
        }
    }

    /// Returns whether the next ply may be whole, this number of plies before the last, which may be made in ranges. Ranges need room
    /// beside it, and several plies between need more.
    pub(crate) fn leaves_room(&self, plies: u32) -> bool {
        let share = match plies {
            0 => 1.0,
            1 | 2 => BEFORE_RANGES_SHARE,
            _ => BEFORE_BETWEEN_SHARE,
        };
        self.share_of_room(self.next_whole().positions) <= share
    }

    /// The number of distinct positions of the last ply.
    pub(crate) fn successors(&self) -> u64 {
        self.merge.successors()
    }

    /// Tells the observer the progress.
    pub(crate) fn report_progress(&self) {
        self.observer.progress(self.progress);
    }

    /// Returns the error for too little memory for the next ply.
    pub(crate) fn no_room(&self) -> Error {
        self.no_room_for(self.next_ply())
    }

    pub(crate) fn no_room_for(&self, ply: u32) -> Error {
        Error::Memory { memory: self.memory, ply }
    }

    pub(crate) fn check_cancelled(&self) -> Result<(), Error> {
        if self.observer.is_cancelled() { Err(Error::Cancelled(*self.progress)) } else { Ok(()) }
    }

    /// Reports the finished share of a task that takes `seconds` in all.
    fn advance(&mut self, share: f64, seconds: f64) {
        let done = self.start.elapsed().as_secs_f64();
        // The seconds may be infinite.
        let left = if share < 1.0 { seconds * (1.0 - share) } else { 0.0 } + self.rest;
        let fraction = done / (done + left).max(1e-9);
        self.progress.fraction = self.progress.fraction.max(fraction.min(0.999));
        self.observer.progress(self.progress);
    }

    /// Works on `len` items in steps of a few tenths of a second each.
    pub(super) fn in_steps(
        &mut self,
        len: u64,
        pace: fn(&mut Self) -> &mut Pace,
        seconds: f64,
        mut work: impl FnMut(&mut Self, Range<u64>) -> Result<(), MergeError>,
    ) -> Result<(), StepError> {
        let mut done = 0;
        while done < len {
            self.check_cancelled().map_err(StepError::Other)?;
            let end = done + pace(self).next(len - done);
            let begin = Instant::now();
            work(self, done..end)?;
            pace(self).saw(end - done, begin.elapsed());
            done = end;
            self.advance(done as f64 / len as f64, seconds);
        }
        Ok(())
    }

    /// Converts a full device to the error for too little memory.
    pub(super) fn unless_full<T>(&self, result: Result<T, StepError>) -> Result<T, Error> {
        result.map_err(|error| match error {
            StepError::Full => self.no_room(),
            StepError::Other(error) => error,
        })
    }

    /// What the count sums this number of plies above the leaves.
    fn summand(&self, depth: u32) -> Summand {
        match self.counted {
            Quantity::Leaves => Summand::Leaves(depth),
            Quantity::Categories => Summand::Kinds(depth),
        }
    }

    /// Counts the leaves `depth` plies below some successors, in the way in which the count does.
    pub(super) fn leaves(&mut self, successors: Range<u64>, depth: u32) -> Result<u128, Error> {
        let sum = self.merge.sum(successors, self.summand(depth));
        Ok(self.unless_full(sum.map_err(StepError::from))?.nodes)
    }

    /// Adds up a number over all successors. `found` gets the sum so far.
    fn sum(
        &mut self,
        summand: Summand,
        pace: fn(&mut Self) -> &mut Pace,
        seconds: f64,
        mut found: impl FnMut(&mut Self, u128),
    ) -> Result<Categories, Error> {
        let mut sum = Categories::default();
        let summed = self.in_steps(self.merge.successors(), pace, seconds, |work, range| {
            sum = sum.plus(&work.merge.sum(range, summand)?).ok_or(MergeError::Overflow)?;
            found(work, sum.nodes);
            Ok(())
        });
        self.unless_full(summed)?;
        Ok(sum)
    }

    /// Returns the number of paths to the ply that lies `plies` plies below the last one.
    pub(crate) fn paths_below(&mut self, plies: u32) -> Result<u128, Error> {
        if plies > MAX_CALL_DEPTH {
            return Err(self.no_room());
        }
        Ok(self.sum(Summand::Leaves(plies), |work| &mut work.counting, 0.0, |_, _| ())?.nodes)
    }

    /// Checks that the paths to all successors, which belong to this ply, are as many as the moves of their parents, weighted by
    /// multiplicity.
    ///
    /// This check finds a device that drops a position, keeps one twice or adds a multiplicity wrongly.
    pub(super) fn conserve(&mut self, ply: u32, expected: u128) -> Result<(), Error> {
        let begin = Instant::now();
        let found = self.sum(Summand::Leaves(0), |work| &mut work.summing, 0.0, |_, _| ())?.nodes;
        self.check_seconds += begin.elapsed().as_secs_f64();
        self.check_paths(ply, found, expected)
    }

    /// Checks the number of paths to a ply.
    pub(crate) fn check_paths(&self, ply: u32, found: u128, expected: u128) -> Result<(), Error> {
        if found != expected {
            let reason =
                format!("it merged ply {ply} into positions with {found} paths to them, but there are {expected}.");
            return Err(wrong_answer(&self.device, reason));
        }
        Ok(())
    }

    /// Returns the position of an entry in planes.
    pub(super) fn planes(&self, entry: &WeightedPosition) -> Planes32 {
        Planes32::pack(&self.rules, &entry.position.unpack_unchecked())
    }

    /// Replaces the successors with these entries.
    pub(crate) fn put(&mut self, entries: &[WeightedPosition]) -> Result<(), Error> {
        let paths = entries.iter().try_fold(0_u128, |sum, entry| sum.checked_add(entry.multiplicity));
        let paths = paths.ok_or(Error::Overflow)?;
        let added = self.merge.reserve(entries.len() as u64, Filter::All).and_then(|()| self.merge.add(entries));
        self.unless_full(added.map_err(StepError::from))?;
        self.conserve(self.next_ply(), paths)?;
        self.paths = paths;
        Ok(())
    }

    /// Starts with these entries.
    pub(crate) fn add(&mut self, entries: &[WeightedPosition]) -> Result<(), Error> {
        let begin = Instant::now();
        let pawns = entries.iter().map(|entry| self.planes(entry).pawns().count_ones()).max();
        self.estimates.pawns = pawns.unwrap_or(0);
        self.put(entries)?;
        self.note(begin.elapsed().as_secs_f64());
        Ok(())
    }

    /// Starts again with these entries. What was measured stays known.
    pub(crate) fn start_again(&mut self, entries: &[WeightedPosition]) -> Result<(), Error> {
        // The former parents make room, and so do those that were kept above plies between.
        for _ in 0..self.depth {
            self.merge.ascend()?;
        }
        self.merge.reserve(0, Filter::All)?;
        self.merge.descend(false)?;
        self.plies.clear();
        self.once = 0;
        self.estimates.sizes.clear();
        self.add(entries)
    }

    /// Adds the successors that one line of moves reaches.
    pub(crate) fn note_once(&mut self) -> Result<(), Error> {
        self.once += self.sum(Summand::Once, |work| &mut work.summing, 0.0, |_, _| ())?.nodes as u64;
        Ok(())
    }

    /// Sets all multiplicities of the last ply to one or two: it only matters whether there is more than one path.
    pub(crate) fn forget_multiplicities(&mut self) -> Result<(), Error> {
        let len = self.merge.successors();
        let mut entries = self.merge.entries(0..len)?;
        entries.iter_mut().for_each(|entry| entry.multiplicity = entry.multiplicity.min(2));
        self.put(&entries)
    }

    /// Notes that the last ply was merged.
    pub(super) fn note(&mut self, seconds: f64) {
        let (ply, positions) = (self.next_ply(), self.merge.successors());
        let bytes = self.bytes(positions as f64, self.last_size());
        self.plies.push(PlannedPly { ply, positions, measured: true, bytes, ranges: 1, seconds });
        self.estimates.sizes.push(positions);
        self.estimates.remaining = self.depth - self.ply();
    }

    /// Estimates the bytes of positions that are made and of all parents in memory.
    pub(super) fn bytes(&self, positions: f64, parents: f64) -> u64 {
        let each = self.memory as f64 / self.estimates.capacity.max(1.0);
        ((each * (positions + self.estimates.parent_share * parents)) as u64).min(self.memory)
    }

    /// Turns the last ply into the parents of the next.
    pub(crate) fn descend(&mut self) -> Result<(), Error> {
        Ok(self.merge.descend(false)?)
    }

    /// Counts the leaves below all successors, and by kind if that is asked for.
    pub(super) fn count_below(&mut self, depth: u32, seconds: f64) -> Result<(u128, Option<Categories>), Error> {
        // Deep trees below few positions take long, so the size of the first step is estimated, too.
        let each = self.estimates.count_each[depth.min(MAX_CALL_DEPTH) as usize];
        if each > 0.0 {
            self.counting = pace(in_a_step(each).min(64 * self.batch));
        }
        let counted = self.progress.counted;
        let found = |work: &mut Self, leaves| work.progress.counted = counted.saturating_add(leaves);
        let sum = self.sum(self.summand(depth), |work| &mut work.counting, seconds, found)?;
        Ok((sum.nodes, (self.counted == Quantity::Categories).then_some(sum)))
    }
}

/// The reason why a step was not done.
pub(super) enum StepError {
    /// The memory is too small.
    Full,
    Other(Error),
}

impl From<MergeError> for StepError {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Full => Self::Full,
            error => Self::Other(error.into()),
        }
    }
}
