//! Counting by merged plies.
//!
//! A tree's plies are made one after the other, equal positions of a ply made one entry whose multiplicity says how many
//! paths lead to it. Below the last of these plies, leaves are counted once for each entry. After every ply, what was
//! measured says how to go on ([`crate::plan`]).

use std::ops::Range;
use std::time::Instant;

use kogge_board::merge::{Entry, Merge, MergeError, MergeOptions, Partition};
use kogge_board::{BackendError, Fen, Quad48, Rules};

use crate::frontier::counting;
use crate::pace::MAX_CALL_DEPTH;
use crate::plan::{Choice, Estimates, MARGIN, Plan, PlannedPly, Stage};
use crate::{Driver, Error, Observer, Progress};

/// How plies are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MergeSettings {
    /// Bytes that positions and tables may take.
    pub memory: u64,
    /// Which ply is the last one that is merged; `None` leaves it to the plan. At least seven plies above the leaves,
    /// where calls of a backend may begin.
    pub plies: Option<u32>,
    /// In how many partitions at least the last merged ply is done; `None` takes as many as memory demands.
    pub partitions: Option<u32>,
    /// As in [`MergeOptions::hash_bits`].
    pub hash_bits: u32,
}

impl MergeSettings {
    /// So many bytes, and all else as it is fastest.
    pub const fn with_memory(memory: u64) -> Self {
        Self { memory, plies: None, partitions: None, hash_bits: 32 }
    }
}

/// A count by merged plies, and how it was done.
#[derive(Clone, PartialEq, Debug)]
pub struct Merged {
    /// The leaves.
    pub leaves: u128,
    /// What was done; of a count in several parts, the plies above the parts.
    pub plan: Plan,
}

/// How long a step should last, in seconds: short enough to be stopped, long enough that starting it does not matter.
const STEP_SECONDS: f64 = 0.2;

/// A ply that takes less than this is merged without asking whether it pays.
const CHEAP_SECONDS: f64 = 0.01;
/// So is one below so few positions.
const FEW: f64 = 1_000.0;

/// Samples are enlarged by this factor while they then take no longer than this; deeper ones that would take more than
/// ten times as long are not taken.
const SAMPLE_SECONDS: f64 = 0.003;
const ENLARGED: u64 = 16;

/// How often a short sample is taken; the quickest counts. On a busy machine, a thread may wait a thousand times as long as
/// it then works, and what looked so dear to count would be merged, for minutes and in gigabytes.
const SAMPLES: usize = 3;

/// Plies that a plan may take to make, each.
const PLAN_SECONDS: f64 = 1.0;

/// Multiplicities of one cannot exceed 128 bits after so many plies more: no position has more than 218 moves.
const SAFE_PLIES: u32 = 12;

/// Parts that entries are split into whose successors do not fit together.
const PARTS: usize = 8;

/// Bytes that an entry takes outside of the tables.
const ENTRY_BYTES: u64 = size_of::<Entry>() as u64;

impl Driver<'_> {
    /// The number of leaves `depth` plies below the root, by merged plies.
    ///
    /// If a ply does not fit in memory, it is done in partitions; if there are more than seven plies below it, the
    /// positions above it are counted in several parts, one after the other, each by merged plies of its own.
    ///
    /// # Errors
    /// [`Error::Memory`] if even that does not fit; else as [`Driver::perft`].
    pub fn perft_merged(&mut self, root: &Fen, depth: u32, settings: &MergeSettings) -> Result<Merged, Error> {
        self.begin(1);
        let merged = self.count_entries(&counting(root), &[root_entry(root)], depth, settings)?;
        self.progress.done = 1;
        self.progress.fraction = 1.0;
        self.observer.progress(&self.progress);
        Ok(merged)
    }

    /// How [`Driver::perft_merged`] would count: the first plies are merged, the others estimated.
    ///
    /// # Errors
    /// As [`Driver::perft_merged`].
    pub fn plan_merged(&mut self, root: &Fen, depth: u32, settings: &MergeSettings) -> Result<Plan, Error> {
        self.begin(1);
        let mut work = Work::start(self, &counting(root), settings, depth)?;
        work.add(&[root_entry(root)])?;
        loop {
            let choice = match work.next(settings)? {
                Next::Merge(choice) if choice.stages[0].partitions == 1 && choice.stages[0].seconds < PLAN_SECONDS => {
                    if work.merge_whole(choice.stages[0])? {
                        continue;
                    }
                    work.estimates.choose(1, 1, settings.partitions).ok_or_else(|| work.no_room())?
                }
                Next::Count(choice) | Next::Merge(choice) => choice,
                Next::Split => Choice { stages: Vec::new(), below_seconds: f64::INFINITY },
            };
            return Ok(work.plan(&choice));
        }
    }

    /// Leaves below entries of one ply, by multiplicity.
    fn count_entries(
        &mut self,
        rules: &Rules,
        entries: &[Entry],
        depth: u32,
        settings: &MergeSettings,
    ) -> Result<Merged, Error> {
        let mut last = u32::MAX;
        loop {
            let outcome = Work::start(self, rules, settings, depth)?.count(entries, settings, last)?;
            match outcome {
                Outcome::Counted(merged) => return Ok(merged),
                // Its positions have become parents, so it begins anew.
                Outcome::TooLarge(ply) => last = ply,
                Outcome::Split(plan, ply, entries) => {
                    return self.count_parts(rules, entries, depth - ply, settings, plan);
                }
            }
        }
    }

    /// The same, part by part.
    fn count_parts(
        &mut self,
        rules: &Rules,
        entries: Vec<Entry>,
        depth: u32,
        settings: &MergeSettings,
        plan: Plan,
    ) -> Result<Merged, Error> {
        let memory = settings.memory.saturating_sub(entries.len() as u64 * ENTRY_BYTES);
        // The plies asked for were those of the whole.
        let settings = MergeSettings { memory, plies: None, ..*settings };
        let mut leaves = 0_u128;
        let start = Instant::now();
        for part in entries.chunks(entries.len().div_ceil(PARTS).max(1)) {
            let merged = self.count_entries(rules, part, depth, &settings)?;
            leaves = leaves.checked_add(merged.leaves).ok_or(Error::Overflow)?;
        }
        Ok(Merged { leaves, plan: Plan { below: depth, below_seconds: start.elapsed().as_secs_f64(), ..plan } })
    }
}

/// A root as the only entry of its ply.
pub(crate) fn root_entry(root: &Fen) -> Entry {
    Entry { position: Quad48::from(&root.position).with_halfmove_clock(0), multiplicity: 1 }
}

/// What is done next.
enum Next {
    /// The leaves are counted.
    Count(Choice),
    /// A ply is merged.
    Merge(Choice),
    /// The ply's positions are shared out to parts.
    Split,
}

/// What became of a count.
enum Outcome {
    Counted(Merged),
    /// It has to begin anew, and this ply is to be counted in parts: a deeper one is too large.
    TooLarge(u32),
    /// This ply's entries are to be counted in parts.
    Split(Plan, u32, Vec<Entry>),
}

/// Two plies of a tree on a device, and what is known of them.
pub(crate) struct Work<'d> {
    merge: Box<dyn Merge + 'd>,
    observer: &'d dyn Observer,
    progress: &'d mut Progress,
    /// Positions that keep the device busy.
    batch: u64,
    memory: u64,
    depth: u32,
    estimates: Estimates,
    /// What was merged so far.
    plies: Vec<PlannedPly>,
    /// Paths to the last ply.
    paths: f64,
    /// Seconds that the quickest ply took: what starting one costs.
    quickest: f64,
    /// Parents to expand and positions to count in a step.
    expand_step: f64,
    count_step: f64,
    /// When it began, and how long it will still take after what is being done.
    start: Instant,
    rest: f64,
}

impl<'d> Work<'d> {
    pub(crate) fn start(
        driver: &'d mut Driver<'_>,
        rules: &Rules,
        settings: &MergeSettings,
        depth: u32,
    ) -> Result<Self, Error> {
        let Driver { backend, observer, progress, .. } = driver;
        let batch = backend.info().batch.max(1) as u64;
        let options = MergeOptions { memory: settings.memory, hash_bits: settings.hash_bits };
        let merge = backend.merge(rules, &options)?;
        let capacity = merge.most_successors() as f64;
        let estimates = Estimates {
            remaining: depth,
            sizes: Vec::new(),
            // What a usual position has.
            moves: 35.0,
            next_exceeds: 0.0,
            merge_each: 0.0,
            making: 0.5,
            count_each: [0.0; MAX_CALL_DEPTH as usize + 1],
            capacity,
            parent_share: 1.0,
        };
        Ok(Self {
            merge,
            observer: *observer,
            progress,
            batch,
            memory: settings.memory,
            depth,
            estimates,
            plies: Vec::new(),
            paths: 1.0,
            quickest: f64::INFINITY,
            expand_step: batch as f64,
            count_step: batch as f64,
            start: Instant::now(),
            rest: 0.0,
        })
    }

    /// The ply that is the last so far.
    fn ply(&self) -> u32 {
        self.plies.len().saturating_sub(1) as u32
    }

    /// Says how many distinct positions the plies done so far have.
    pub(crate) fn done(&mut self, counts: &[u64]) {
        self.progress.done = counts.len() as u64;
        self.progress.counted = counts.iter().copied().map(u128::from).sum();
        self.progress.fraction = if self.progress.done == self.progress.total { 1.0 } else { self.progress.fraction };
        self.observer.progress(self.progress);
    }

    /// The error that there is too little memory.
    pub(crate) fn no_room(&self) -> Error {
        Error::Memory { memory: self.memory, ply: self.plies.len() as u32 }
    }

    fn check_cancelled(&self) -> Result<(), Error> {
        if self.observer.is_cancelled() { Err(Error::Cancelled(*self.progress)) } else { Ok(()) }
    }

    /// Says that a share of what is being done, which takes so many seconds in all, is done.
    fn advance(&mut self, share: f64, seconds: f64) {
        let done = self.start.elapsed().as_secs_f64();
        let left = seconds * (1.0 - share) + self.rest;
        let fraction = done / (done + left).max(1e-9);
        self.progress.fraction = self.progress.fraction.max(fraction.min(0.999));
        self.observer.progress(self.progress);
    }

    /// Begins with these entries.
    pub(crate) fn add(&mut self, entries: &[Entry]) -> Result<(), Error> {
        let begin = Instant::now();
        match self.merge.reserve(entries.len() as u64).and_then(|()| self.merge.add(entries)) {
            Err(MergeError::Full) => Err(self.no_room()),
            result => {
                result?;
                self.merged(begin.elapsed().as_secs_f64(), 1);
                Ok(())
            }
        }
    }

    /// Notes that a ply was merged.
    fn merged(&mut self, seconds: f64, partitions: u32) {
        let positions = self.merge.successors();
        let parents = self.estimates.sizes.last().copied().unwrap_or(0);
        self.note(positions, parents, seconds, partitions);
        self.estimates.sizes.push(positions);
        self.estimates.next_exceeds = 0.0;
        self.estimates.remaining = self.depth - self.ply();
    }

    fn note(&mut self, positions: u64, parents: u64, seconds: f64, partitions: u32) {
        let bytes = self.bytes(positions as f64, parents as f64, partitions);
        let ply = self.plies.len() as u32;
        self.plies.push(PlannedPly { ply, positions, measured: true, bytes, partitions, seconds });
    }

    /// Bytes of a ply of which this many partitions are made, with its parents.
    fn bytes(&self, positions: f64, parents: f64, partitions: u32) -> u64 {
        let each = self.memory as f64 / self.estimates.capacity.max(1.0);
        (each * (positions / f64::from(partitions) + self.estimates.parent_share * parents)) as u64
    }

    /// What is done and what is planned, as one plan.
    fn plan(&self, choice: &Choice) -> Plan {
        let mut plies = self.plies.clone();
        let mut parents = self.estimates.sizes.last().copied().unwrap_or(0) as f64;
        for &Stage { positions, partitions, seconds } in &choice.stages {
            let bytes = self.bytes(positions, parents, partitions);
            let ply = plies.len() as u32;
            let planned = PlannedPly { ply, positions: positions as u64, measured: false, bytes, partitions, seconds };
            plies.push(planned);
            parents = positions;
        }
        let below = self.depth + 1 - plies.len() as u32;
        let remaining = self.estimates.remaining;
        let called = remaining.min(MAX_CALL_DEPTH);
        let raw = self.paths
            * self.estimates.count_each[called as usize]
            * self.estimates.moves.powi((remaining - called) as i32);
        let raw_seconds = Some(raw).filter(|&seconds| seconds > 0.0);
        let (depth, memory, below_seconds) = (self.depth, self.memory, choice.below_seconds);
        Plan { depth, memory, plies, below, below_seconds, raw_seconds }
    }

    /// The next ply as a whole, if it should fit.
    fn next_whole(&self) -> Option<Next> {
        let parents = self.estimates.sizes.last().copied().unwrap_or(0) as f64;
        let positions = self.estimates.next_sizes(1)[0];
        let fits = positions * MARGIN + self.estimates.parent_share * parents <= self.estimates.capacity;
        let stage = Stage { positions, partitions: 1, seconds: parents * self.estimates.merge_each };
        fits.then(|| Next::Merge(Choice { stages: vec![stage], below_seconds: 0.0 }))
    }

    /// Decides how to go on from the last ply.
    fn next(&mut self, settings: &MergeSettings) -> Result<Next, Error> {
        let remaining = self.estimates.remaining;
        let positions = self.estimates.sizes.last().copied().unwrap_or(0) as f64;
        let (mut least, mut most) = (0, remaining);
        if let Some(plies) = settings.plies {
            let plies = plies.max(self.depth.saturating_sub(MAX_CALL_DEPTH)).min(self.depth);
            most = plies.saturating_sub(self.ply());
            least = most;
        } else if remaining > 2 && settings.partitions.is_none() {
            // What it would cost to find out whether this pays, it takes to do. Of a few positions this is known beforehand:
            // what they took says more about what else the machine had to do.
            let cheap = positions <= FEW || positions * self.estimates.merge_each < CHEAP_SECONDS;
            if let Some(next) = self.next_whole().filter(|_| cheap) {
                return Ok(next);
            }
        }
        self.measure()?;
        let choose = |least| self.estimates.choose(least, most, settings.partitions);
        let of = |choice: Choice| if choice.stages.is_empty() { Next::Count(choice) } else { Next::Merge(choice) };
        // Plies far away look larger than they are: the next one is made if that is what it takes to come nearer.
        let next = choose(least).map(of).or_else(|| self.next_whole().filter(|_| most > 0));
        Ok(next.or_else(|| choose(0).map(of)).unwrap_or(Next::Split))
    }

    /// Finds out on some of the positions what it takes to count below them, and how many moves there are.
    fn measure(&mut self) -> Result<(), Error> {
        let len = self.merge.successors();
        let deepest = self.estimates.remaining.min(MAX_CALL_DEPTH);
        let mut sample = self.batch.max(64).min(len);
        let mut below = 1;
        while below <= deepest && len > 0 {
            self.check_cancelled()?;
            let middle = (len - sample) / 2;
            let range = middle..middle + sample;
            let (mut leaves, mut seconds) = (0.0, f64::INFINITY);
            for _ in 0..SAMPLES {
                let begin = Instant::now();
                leaves = self.merge.perft(range.clone(), below)? as f64;
                seconds = begin.elapsed().as_secs_f64().min(seconds);
                if seconds > 10.0 * SAMPLE_SECONDS {
                    break;
                }
            }
            if sample < len && seconds * ENLARGED as f64 <= SAMPLE_SECONDS {
                // A device is as fast as it can be only if it has enough to do.
                sample = sample.saturating_mul(ENLARGED).min(len);
                continue;
            }
            if below == 1 {
                let paths = self.merge.perft(range, 0)? as f64;
                self.paths = paths * len as f64 / sample as f64;
                self.estimates.moves = (leaves / paths.max(1.0)).max(1.01);
            }
            self.estimates.count_each[below as usize] = seconds / sample as f64;
            below += 1;
            if seconds * self.estimates.moves > 10.0 * SAMPLE_SECONDS {
                break;
            }
        }
        for below in below as usize..=MAX_CALL_DEPTH as usize {
            self.estimates.count_each[below] = self.estimates.count_each[below - 1] * self.estimates.moves;
        }
        Ok(())
    }

    /// Does something to all of `len` items in steps, each some tenths of a second long.
    fn in_steps(
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
            // A step that ended early for want of items says nothing about larger ones.
            if end - done == size || factor < 1.0 {
                *step(self) = ((end - done) as f64 * factor.clamp(0.1, 4.0)).max(1.0);
            }
            done = end;
            self.advance(done as f64 / len as f64, seconds);
        }
        Ok(())
    }

    /// Makes the successors of all parents, as far as they belong to a partition.
    fn expand(&mut self, room: u64, partition: Partition, seconds: f64) -> Result<(), StepError> {
        self.merge.reserve(room)?;
        let parents = self.merge.parents();
        self.in_steps(parents, |work| &mut work.expand_step, seconds, |work, range| work.merge.expand(range, partition))
    }

    /// Merges the next ply as a whole; false if it does not fit.
    pub(crate) fn merge_whole(&mut self, stage: Stage) -> Result<bool, Error> {
        let begin = Instant::now();
        let before = self.merge.successors();
        self.merge.descend()?;
        let most = self.merge.most_successors();
        if before > 1 << 14 {
            let share = (self.estimates.capacity - most as f64) / before as f64;
            self.estimates.parent_share = share.clamp(0.0, 1.0);
        }
        let mut room = ((stage.positions * MARGIN) as u64 + (1 << 12)).min(most);
        loop {
            match self.expand(room, Partition::WHOLE, stage.seconds) {
                Ok(()) => break,
                Err(StepError::Full) if room < most => room = room.saturating_mul(2).min(most),
                Err(StepError::Full) => {
                    self.estimates.next_exceeds = most as f64 * 1.3;
                    return Ok(false);
                }
                Err(StepError::Other(error)) => return Err(error),
            }
        }
        let seconds = begin.elapsed().as_secs_f64();
        self.quickest = self.quickest.min(seconds);
        self.estimates.merge_each = (seconds - 0.9 * self.quickest) / before.max(1) as f64;
        self.merged(seconds, 1);
        Ok(true)
    }

    /// The leaves below all successors.
    fn count_below(&mut self, depth: u32, seconds: f64) -> Result<u128, Error> {
        let mut leaves = 0_u128;
        let counted = self.progress.counted;
        // Deep trees below few positions take long: the first step, too, is as long as the others.
        let each = self.estimates.count_each[depth.min(MAX_CALL_DEPTH) as usize];
        if each > 0.0 {
            self.count_step = (STEP_SECONDS / each).clamp(1.0, 16.0 * self.batch as f64);
        }
        let successors = self.merge.successors();
        let result = self.in_steps(
            successors,
            |work| &mut work.count_step,
            seconds,
            |work, range| {
                let below = work.merge.perft(range, depth)?;
                leaves = leaves.checked_add(below).ok_or(MergeError::Overflow)?;
                work.progress.counted = counted.saturating_add(leaves);
                Ok(())
            },
        );
        match result {
            Ok(()) => Ok(leaves),
            Err(StepError::Full) => Err(self.no_room()),
            Err(StepError::Other(error)) => Err(error),
        }
    }

    /// Makes the next ply in partitions and does something with each. If one does not fit, there are twice as many
    /// and all begins anew.
    ///
    /// The positions of the last ply must have become parents. Says how many partitions it took.
    pub(crate) fn in_partitions<T: Default>(
        &mut self,
        stage: Stage,
        mut work: impl FnMut(&mut Self, &mut T) -> Result<(), Error>,
    ) -> Result<(T, u32), Error> {
        let most = self.merge.most_successors();
        let counted = self.progress.counted;
        let mut partitions = stage.partitions.max(1);
        'all: loop {
            let mut found = T::default();
            self.progress.counted = counted;
            let part = stage.positions / f64::from(partitions);
            let mut room = ((part * MARGIN) as u64 + (1 << 12)).min(most);
            let seconds = stage.seconds / f64::from(partitions);
            for partition in Partition::all(partitions) {
                let left = self.rest;
                self.rest += seconds * f64::from(partitions - 1 - partition.index);
                loop {
                    match self.expand(room, partition, seconds) {
                        Ok(()) => break,
                        Err(StepError::Full) if room < most => room = room.saturating_mul(2).min(most),
                        Err(StepError::Full) => {
                            self.rest = left;
                            partitions = partitions.checked_mul(2).ok_or_else(|| self.no_room())?;
                            if u64::from(partitions) > 1 << 20 {
                                return Err(self.no_room());
                            }
                            continue 'all;
                        }
                        Err(StepError::Other(error)) => return Err(error),
                    }
                }
                self.rest = left;
                work(self, &mut found)?;
            }
            return Ok((found, partitions));
        }
    }

    /// Counts the leaves below some entries; the ply `last` is split into parts, whatever else there is to do.
    fn count(&mut self, entries: &[Entry], settings: &MergeSettings, last: u32) -> Result<Outcome, Error> {
        self.add(entries)?;
        loop {
            self.check_cancelled()?;
            let next = if self.ply() == last { Next::Split } else { self.next(settings)? };
            match next {
                Next::Count(choice) => {
                    let mut plan = self.plan(&choice);
                    let begin = Instant::now();
                    let leaves = self.count_below(self.estimates.remaining, choice.below_seconds)?;
                    plan.below_seconds = begin.elapsed().as_secs_f64();
                    return Ok(Outcome::Counted(Merged { leaves, plan }));
                }
                Next::Merge(choice) => {
                    let stage = choice.stages[0];
                    self.rest = choice.seconds() - stage.seconds;
                    if stage.partitions > 1 {
                        self.merge.descend()?;
                        return self.count_in_partitions(stage, choice.below_seconds);
                    }
                    if self.merge_whole(stage)? {
                        continue;
                    }
                    // It does not fit as a whole: it is the last one, in partitions.
                    return match self.estimates.choose(1, 1, settings.partitions) {
                        Some(choice) => self.count_in_partitions(choice.stages[0], choice.below_seconds),
                        None if self.estimates.remaining > MAX_CALL_DEPTH + 1 => Ok(Outcome::TooLarge(self.ply())),
                        None => Err(self.no_room()),
                    };
                }
                Next::Split => {
                    if entries.len() == 1 && self.ply() == 0 {
                        return Err(self.no_room());
                    }
                    // Half of the memory is for the list of them, the other for what is below.
                    let most = self.memory / 2 / ENTRY_BYTES;
                    match self.estimates.sizes.iter().rposition(|&size| size <= most) {
                        None => return Err(self.no_room()),
                        Some(ply) if ply < self.ply() as usize => return Ok(Outcome::TooLarge(ply as u32)),
                        Some(_) => {}
                    }
                    let plan = self.plan(&Choice { stages: Vec::new(), below_seconds: 0.0 });
                    let len = self.merge.successors();
                    return Ok(Outcome::Split(plan, self.ply(), self.merge.entries(0..len)?));
                }
            }
        }
    }

    /// Counts the leaves below the next ply, which is made in partitions.
    fn count_in_partitions(&mut self, stage: Stage, below_seconds: f64) -> Result<Outcome, Error> {
        let depth = self.estimates.remaining - 1;
        let mut plan = self.plan(&Choice { stages: vec![stage], below_seconds });
        let begin = Instant::now();
        let each = below_seconds / f64::from(stage.partitions.max(1));
        let count = |work: &mut Self, (leaves, positions, seconds): &mut (u128, u64, f64)| {
            let begin = Instant::now();
            *leaves = leaves.checked_add(work.count_below(depth, each)?).ok_or(Error::Overflow)?;
            *positions += work.merge.successors();
            *seconds += begin.elapsed().as_secs_f64();
            Ok(())
        };
        let ((leaves, positions, counting), partitions) = self.in_partitions(stage, count)?;
        plan.below_seconds = counting;
        if let Some(ply) = plan.plies.last_mut() {
            let seconds = begin.elapsed().as_secs_f64() - counting;
            let parents = self.estimates.sizes.last().copied().unwrap_or(0);
            let bytes = self.bytes(positions as f64, parents as f64, partitions);
            *ply = PlannedPly { positions, measured: true, bytes, partitions, seconds, ..*ply };
        }
        Ok(Outcome::Counted(Merged { leaves, plan }))
    }

    /// The next ply's number of distinct positions; if it is not the `last`, its positions stay.
    pub(crate) fn distinct_successors(&mut self, last: bool) -> Result<u64, Error> {
        let ply = self.plies.len() as u32;
        // Multiplicities are not asked for, and they must not become too large.
        if ply.is_multiple_of(SAFE_PLIES) {
            let len = self.merge.successors();
            let mut entries = self.merge.entries(0..len)?;
            entries.iter_mut().for_each(|entry| entry.multiplicity = 1);
            self.merge.reserve(len).and_then(|()| self.merge.add(&entries)).or(Err(self.no_room()))?;
        }
        let positions = self.estimates.next_sizes(1)[0];
        let seconds = self.merge.successors() as f64 * self.estimates.merge_each;
        let stage = Stage { positions, partitions: 1, seconds };
        let room = self.estimates.capacity - self.estimates.parent_share * self.merge.successors() as f64;
        if last && positions * MARGIN > room {
            self.merge.descend()?;
        } else if self.merge_whole(stage)? {
            return Ok(self.merge.successors());
        } else if !last {
            return Err(self.no_room());
        }
        let positions = positions.max(self.estimates.next_exceeds);
        let room = self.merge.most_successors() as f64;
        let partitions = (positions * MARGIN / room.max(1.0)).ceil().clamp(2.0, 1e6) as u32;
        let stage = Stage { positions, partitions, seconds: seconds * f64::from(partitions) };
        let count = |work: &mut Self, found: &mut u64| {
            *found += work.merge.successors();
            Ok(())
        };
        Ok(self.in_partitions(stage, count)?.0)
    }
}

/// Why a step was not done.
enum StepError {
    /// There is too little room.
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

impl From<MergeError> for Error {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Overflow => Self::Overflow,
            MergeError::Backend(error) => error.into(),
            // Where plies are made, this is met by partitions; elsewhere it cannot be.
            MergeError::Full | MergeError::MixedTurns => BackendError::WrongAnswer {
                device: "The device".into(),
                reason: format!("it merged positions in a way that cannot be. {error}"),
            }
            .into(),
        }
    }
}
