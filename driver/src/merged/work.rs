//! Two plies of a tree on a device, made in steps of bounded time.

use std::ops::Range;
use std::time::Instant;

use kogge_board::merge::{Entry, Merge, MergeError, MergeOptions, Partition};
use kogge_board::{Fen, Quad48, Rules};

use super::estimates::{Estimates, MARGIN, NextPly};
use super::settings::MergeCosts;
use crate::error::wrong_answer;
use crate::pace::MAX_CALL_DEPTH;
use crate::plan::PlannedPly;
use crate::{Driver, Error, Observer, Progress};

/// The time that a step should take, in seconds: short enough to be stopped, long enough to make its start-up time
/// negligible.
const STEP_SECONDS: f64 = 0.2;

/// A ply is large if it takes at least this many times as long as the quickest ply, and has at least [`LARGE_SUCCESSORS`].
const LARGE_PLY: f64 = 8.0;
const LARGE_SUCCESSORS: f64 = 1e6;

/// Room for successors beyond the estimate.
const SPARE_ROOM: u64 = 1 << 12;

/// The most partitions of a ply.
const MOST_PARTITIONS: u32 = 1 << 20;

/// Returns a root as the only entry of its ply.
pub(crate) fn root_entry(root: &Fen) -> Entry {
    Entry { position: Quad48::from(&root.position).with_halfmove_clock(0), multiplicity: 1 }
}

/// Two plies of a tree on a device, and everything known about them.
pub(crate) struct Work<'d> {
    pub(super) merge: Box<dyn Merge + 'd>,
    device: String,
    observer: &'d dyn Observer,
    pub(super) progress: &'d mut Progress,
    /// The number of positions that keeps the device busy.
    pub(super) batch: u64,
    pub(super) memory: u64,
    pub(super) depth: u32,
    pub(super) estimates: Estimates,
    /// The plies merged so far.
    pub(super) plies: Vec<PlannedPly>,
    /// Paths to the last ply: the sum of its multiplicities.
    pub(super) paths: u128,
    /// The seconds that the quickest ply took.
    quickest: f64,
    /// The positions that room was made for last, and the seconds that this took.
    room: (u64, f64),
    /// What merging has cost on this device before.
    known: Option<MergeCosts>,
    /// What merging costs, from the largest ply so far.
    pub(super) costs: Option<MergeCosts>,
    /// The number of items of the next step: parents to expand, positions to count leaves below, or positions to sum
    /// multiplicities of.
    expand_step: f64,
    pub(super) count_step: f64,
    sum_step: f64,
    /// Seconds spent on checks of multiplicities so far.
    check_seconds: f64,
    /// When the work began.
    start: Instant,
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
        let estimates = Estimates::new(depth, merge.most_successors() as f64, kind);
        Ok(Self {
            merge,
            device,
            observer: *observer,
            progress,
            batch,
            memory: options.memory,
            depth,
            estimates,
            plies: Vec::new(),
            paths: 0,
            quickest: f64::INFINITY,
            room: (0, 0.0),
            known: None,
            costs: None,
            expand_step: batch as f64,
            count_step: batch as f64,
            sum_step: batch as f64,
            check_seconds: 0.0,
            start: Instant::now(),
            rest: f64::INFINITY,
        })
    }

    /// The last ply so far.
    pub(super) fn ply(&self) -> u32 {
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

    /// Estimates the next ply, merged in one partition.
    pub(crate) fn next_whole(&self) -> NextPly {
        let (positions, parents) = (self.estimates.next_sizes(1)[0], self.last_size());
        NextPly {
            positions,
            partitions: 1,
            seconds: self.estimates.ply_seconds
                + self.estimates.room_seconds(positions)
                + parents * self.estimates.merge_each(),
        }
    }

    /// Returns whether that many positions, with some to spare, should fit beside the last ply.
    pub(crate) fn should_fit(&self, positions: f64) -> bool {
        positions * MARGIN + self.estimates.parent_share * self.last_size() <= self.estimates.capacity
    }

    /// The number of partitions that a ply of this many positions needs beside its parents, at least two.
    pub(crate) fn partitions_for(&self, positions: f64) -> u32 {
        (positions * MARGIN / (self.merge.most_successors() as f64).max(1.0)).ceil().clamp(2.0, 1e6) as u32
    }

    /// The number of distinct positions of the last ply, or of the current partition of the next.
    pub(crate) fn successors(&self) -> u64 {
        self.merge.successors()
    }

    /// Reports the distinct positions of the plies done so far.
    pub(crate) fn report(&mut self, counts: &[u64]) {
        self.progress.done = counts.len() as u64;
        self.progress.counted = counts.iter().copied().map(u128::from).sum();
        self.progress.fraction = if self.progress.done == self.progress.total { 1.0 } else { self.progress.fraction };
        self.observer.progress(self.progress);
    }

    /// Returns the error for too little memory.
    pub(crate) fn no_room(&self) -> Error {
        Error::Memory { memory: self.memory, ply: self.next_ply() }
    }

    pub(super) fn check_cancelled(&self) -> Result<(), Error> {
        if self.observer.is_cancelled() { Err(Error::Cancelled(*self.progress)) } else { Ok(()) }
    }

    /// Reports the finished share of a task that takes `seconds` in all.
    fn advance(&mut self, share: f64, seconds: f64) {
        let done = self.start.elapsed().as_secs_f64();
        let left = seconds * (1.0 - share) + self.rest;
        let fraction = done / (done + left).max(1e-9);
        self.progress.fraction = self.progress.fraction.max(fraction.min(0.999));
        self.observer.progress(self.progress);
    }

    /// Works on `len` items in steps of a few tenths of a second each.
    pub(super) fn in_steps(
        &mut self,
        len: u64,
        step: fn(&mut Self) -> &mut f64,
        seconds: f64,
        mut work: impl FnMut(&mut Self, Range<u64>) -> Result<(), MergeError>,
    ) -> Result<(), StepError> {
        let mut done = 0;
        while done < len {
            self.check_cancelled().map_err(StepError::Other)?;
            let size = step(self).max(1.0) as u64;
            let end = len.min(done.saturating_add(size));
            let begin = Instant::now();
            work(self, done..end)?;
            let factor = STEP_SECONDS / begin.elapsed().as_secs_f64().max(1e-6);
            // A quick step that had too few items says nothing about larger ones.
            if end - done == size || factor < 1.0 {
                *step(self) = ((end - done) as f64 * factor.clamp(0.1, 4.0)).max(1.0);
            }
            done = end;
            self.advance(done as f64 / len as f64, seconds);
        }
        Ok(())
    }

    /// Converts a full device to the error for too little memory.
    fn unless_full(&self, result: Result<(), StepError>) -> Result<(), Error> {
        result.map_err(|error| match error {
            StepError::Full => self.no_room(),
            StepError::Other(error) => error,
        })
    }

    /// Returns the sum over all successors of multiplicity times leaves `depth` plies below. `found` gets the sum so
    /// far.
    pub(super) fn sum_below(
        &mut self,
        depth: u32,
        step: fn(&mut Self) -> &mut f64,
        seconds: f64,
        mut found: impl FnMut(&mut Self, u128),
    ) -> Result<u128, Error> {
        let mut sum = 0_u128;
        let summed = self.in_steps(self.merge.successors(), step, seconds, |work, range| {
            sum = sum.checked_add(work.merge.perft(range, depth)?).ok_or(MergeError::Overflow)?;
            found(work, sum);
            Ok(())
        });
        self.unless_full(summed)?;
        Ok(sum)
    }

    /// Returns the paths to all successors: the sum of their multiplicities.
    fn sum_paths(&mut self) -> Result<u128, Error> {
        let begin = Instant::now();
        let sum = self.sum_below(0, |work| &mut work.sum_step, 0.0, |_, _| ());
        self.check_seconds += begin.elapsed().as_secs_f64();
        sum
    }

    /// Checks that the number of paths to a new ply is the number of moves of its parents, weighted by multiplicity,
    /// and makes it the last ply.
    ///
    /// This check finds a device that drops a position, keeps one twice or adds a multiplicity wrongly.
    fn conserve(&mut self, found: u128, expected: u128) -> Result<(), Error> {
        if found != expected {
            let ply = self.next_ply();
            let reason =
                format!("it merged ply {ply} into positions with {found} paths to them, but there are {expected}.");
            return Err(wrong_answer(&self.device, reason));
        }
        self.paths = found;
        Ok(())
    }

    /// Replaces the successors with these entries.
    pub(crate) fn put(&mut self, entries: &[Entry]) -> Result<(), Error> {
        let paths = entries.iter().try_fold(0_u128, |sum, entry| sum.checked_add(entry.multiplicity));
        let paths = paths.ok_or(Error::Overflow)?;
        let added = self.merge.reserve(entries.len() as u64).and_then(|()| self.merge.add(entries));
        self.unless_full(added.map_err(StepError::from))?;
        let found = self.sum_paths()?;
        self.conserve(found, paths)
    }

    /// Starts with these entries.
    pub(crate) fn add(&mut self, entries: &[Entry]) -> Result<(), Error> {
        let begin = Instant::now();
        self.put(entries)?;
        self.note(begin.elapsed().as_secs_f64());
        Ok(())
    }

    /// Sets all multiplicities of the last ply to one: only the number of distinct positions matters.
    pub(crate) fn forget_multiplicities(&mut self) -> Result<(), Error> {
        let len = self.merge.successors();
        let mut entries = self.merge.entries(0..len)?;
        entries.iter_mut().for_each(|entry| entry.multiplicity = 1);
        self.put(&entries)
    }

    /// Notes that the last ply was merged.
    fn note(&mut self, seconds: f64) {
        let (ply, positions) = (self.next_ply(), self.merge.successors());
        let bytes = self.bytes(positions as f64, self.last_size(), 1);
        self.plies.push(PlannedPly { ply, positions, measured: true, bytes, partitions: 1, seconds });
        self.estimates.sizes.push(positions);
        self.estimates.next_exceeds = 0.0;
        self.estimates.remaining = self.depth - self.ply();
    }

    /// Estimates the bytes of one of a ply's partitions with the ply's parents.
    pub(super) fn bytes(&self, positions: f64, parents: f64, partitions: u32) -> u64 {
        let each = self.memory as f64 / self.estimates.capacity.max(1.0);
        (each * (positions / f64::from(partitions) + self.estimates.parent_share * parents)) as u64
    }

    /// Turns the last ply into the parents of the next.
    pub(crate) fn descend(&mut self) -> Result<(), Error> {
        Ok(self.merge.descend()?)
    }

    /// Makes all successors that belong to a partition, about `positions`. Returns the number of paths to the successors in
    /// all partitions, or `None` if the partition does not fit. `room` grows as needed.
    fn expand(
        &mut self,
        room: &mut u64,
        positions: f64,
        partition: Partition,
        seconds: f64,
    ) -> Result<Option<u128>, Error> {
        loop {
            let most = self.merge.most_successors();
            *room = (*room).min(most);
            let mut paths = 0_u128;
            let begin = Instant::now();
            let reserved = self.merge.reserve(*room);
            self.room = (*room, begin.elapsed().as_secs_f64());
            let expanded = reserved.map_err(StepError::from).and_then(|()| {
                let step: fn(&mut Self) -> &mut f64 = |work| &mut work.expand_step;
                let parents = self.merge.parents();
                self.in_steps(parents, step, seconds, |work, range| {
                    let more = work.merge.expand(range, partition)?;
                    paths = paths.checked_add(more).ok_or(MergeError::Overflow)?;
                    Ok(())
                })
            });
            let now = self.merge.most_successors();
            match expanded {
                Ok(()) => return Ok(Some(paths)),
                // Other programs use the device's memory, too.
                Err(StepError::Full) if now < most && now as f64 >= positions => {}
                Err(StepError::Full) if *room < now => *room = room.saturating_mul(2),
                Err(StepError::Full) => return Ok(None),
                Err(StepError::Other(error)) => return Err(error),
            }
        }
    }

    /// Merges the next ply in one partition. Returns false if it does not fit.
    pub(crate) fn merge_whole(&mut self, ply: NextPly) -> Result<bool, Error> {
        let (begin, checked) = (Instant::now(), self.check_seconds);
        let parents = self.merge.successors();
        self.descend()?;
        let most = self.merge.most_successors() as f64;
        if parents > 1 << 14 {
            self.estimates.parent_share = ((self.estimates.capacity - most) / parents as f64).clamp(0.0, 1.0);
        }
        let mut room = (ply.positions * MARGIN) as u64 + SPARE_ROOM;
        let Some(expected) = self.expand(&mut room, ply.positions, Partition::WHOLE, ply.seconds)? else {
            let most = self.merge.most_successors() as f64;
            self.estimates.next_exceeds = most * 1.3;
            let beside_parents = most + self.estimates.parent_share * parents as f64;
            self.estimates.capacity = self.estimates.capacity.min(beside_parents);
            return Ok(false);
        };
        let (found, before) = (self.sum_paths()?, self.paths);
        self.conserve(found, expected)?;
        // Estimates of merging leave the checks out: their time hardly grows with the ply.
        let seconds = begin.elapsed().as_secs_f64() - (self.check_seconds - checked);
        self.estimates.moves = (found as f64 / (before as f64).max(1.0)).max(1.01);
        self.note_costs(seconds, parents as f64 * self.estimates.moves);
        self.note(seconds);
        Ok(true)
    }

    /// Updates the costs of merging after a ply with this many successors.
    fn note_costs(&mut self, seconds: f64, successors: f64) {
        self.quickest = self.quickest.min(seconds);
        let (ply, (room, room_seconds)) = (self.quickest, self.room);
        // A quick ply, too, needs some time for its room.
        let room_seconds = (room_seconds - 0.5 * ply).max(0.0);
        let each = |seconds: f64, count: f64| (seconds - 0.9 * ply).max(0.1 * seconds) / count.max(1.0);
        let mut costs = MergeCosts {
            ply,
            successor: each(seconds - room_seconds, successors),
            room: room_seconds / (room as f64).max(1.0),
        };
        if seconds >= LARGE_PLY * ply && successors >= LARGE_SUCCESSORS {
            self.costs = Some(costs);
        } else if let Some(known) = self.known {
            // The time of a small ply says little about its successors. Larger plies have said more.
            (costs.successor, costs.room) = (known.successor, known.room);
        }
        let estimates = &mut self.estimates;
        (estimates.ply_seconds, estimates.merge_successor, estimates.room_each) = (ply, costs.successor, costs.room);
    }

    /// Uses what merging has cost on this device before.
    pub(super) fn recall(&mut self, costs: Option<MergeCosts>) {
        self.known = costs;
        self.quickest = costs.map_or(self.quickest, |costs| costs.ply);
    }

    /// Makes the next ply in partitions and calls `work` for each. If one does not fit, starts again with twice as many.
    ///
    /// The positions of the last ply must have [become parents](Self::descend). Also returns the number of partitions.
    pub(crate) fn in_partitions<T: Default>(
        &mut self,
        ply: NextPly,
        mut work: impl FnMut(&mut Self, &mut T) -> Result<(), Error>,
    ) -> Result<(T, u32), Error> {
        let counted = self.progress.counted;
        let mut partitions = ply.partitions.max(1);
        'all: loop {
            let (mut found, mut paths, mut expected) = (T::default(), 0_u128, 0);
            self.progress.counted = counted;
            let positions = ply.positions / f64::from(partitions);
            let mut room = (positions * MARGIN) as u64 + SPARE_ROOM;
            let seconds = ply.seconds / f64::from(partitions);
            for partition in Partition::all(partitions) {
                let rest = self.rest;
                self.rest += seconds * f64::from(partitions - 1 - partition.index);
                let expanded = self.expand(&mut room, positions, partition, seconds)?;
                if let Some(all) = expanded {
                    paths = paths.checked_add(self.sum_paths()?).ok_or(Error::Overflow)?;
                    expected = all;
                }
                self.rest = rest;
                if expanded.is_none() {
                    partitions = partitions.saturating_mul(2);
                    if partitions > MOST_PARTITIONS {
                        return Err(self.no_room());
                    }
                    continue 'all;
                }
                work(self, &mut found)?;
            }
            self.conserve(paths, expected)?;
            return Ok((found, partitions));
        }
    }

    /// Counts the leaves below all successors.
    pub(super) fn count_below(&mut self, depth: u32, seconds: f64) -> Result<u128, Error> {
        // Deep trees below few positions take long, so the size of the first step is estimated, too.
        let each = self.estimates.count_each[depth.min(MAX_CALL_DEPTH) as usize];
        if each > 0.0 {
            self.count_step = (STEP_SECONDS / each).clamp(1.0, 16.0 * self.batch as f64);
        }
        let counted = self.progress.counted;
        let found = |work: &mut Self, leaves| work.progress.counted = counted.saturating_add(leaves);
        self.sum_below(depth, |work| &mut work.count_step, seconds, found)
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
