//! Leaves below a root by merged plies, in one go or in parts.

use std::time::Instant;

use kogge_board::merge::Entry;
use kogge_board::{Fen, Rules};

use super::estimates::{NextPly, Route};
use super::next::Next;
use super::settings::{MergeCosts, MergeSettings};
use super::work::{Work, root_entry};
use crate::frontier::counting;
use crate::pace::MAX_CALL_DEPTH;
use crate::plan::{Plan, PlannedPly};
use crate::{Driver, Error};

/// The result of a count by merged plies.
#[derive(Clone, PartialEq, Debug)]
pub struct Merged {
    /// The leaves.
    pub leaves: u128,
    /// The plan as it was carried out. For a count in several parts, it covers the plies above the parts.
    pub plan: Plan,
    /// What merging cost, if a ply was large enough to tell.
    pub costs: Option<MergeCosts>,
}

/// The longest time that planning may spend on merging one ply, in seconds.
const PLAN_SECONDS: f64 = 1.0;

/// The number of parts of a list of entries whose successors do not fit in memory together.
const PARTS: usize = 8;

/// Bytes of an entry outside of the tables.
const ENTRY_BYTES: u64 = size_of::<Entry>() as u64;

impl Driver<'_> {
    /// Counts the leaves `depth` plies below the root, by merged plies.
    ///
    /// A ply that does not fit in memory is made in partitions. If there are more than seven plies below it, the
    /// positions of the ply above are counted in several parts, one after the other, each by its own merged plies.
    ///
    /// # Errors
    /// [`Error::Memory`] if not even the parts fit; otherwise as [`Driver::perft`].
    pub fn perft_merged(&mut self, root: &Fen, depth: u32, settings: &MergeSettings) -> Result<Merged, Error> {
        self.begin(1);
        let merged = self.count_entries(&counting(root), &[root_entry(root)], depth, settings)?;
        self.progress.done = 1;
        self.progress.fraction = 1.0;
        self.observer.progress(&self.progress);
        Ok(merged)
    }

    /// Plans how [`Driver::perft_merged`] would count. The first plies are merged, the others estimated.
    ///
    /// # Errors
    /// As [`Driver::perft_merged`].
    pub fn plan_merged(&mut self, root: &Fen, depth: u32, settings: &MergeSettings) -> Result<Plan, Error> {
        self.begin(1);
        let mut work = Work::start(self, &counting(root), &settings.options(), depth)?;
        work.recall(settings.costs);
        work.add(&[root_entry(root)])?;
        loop {
            let route = match work.next(settings)? {
                Next::Merge(route) if route.plies[0].partitions == 1 && route.plies[0].seconds < PLAN_SECONDS => {
                    if work.merge_whole(route.plies[0])? {
                        continue;
                    }
                    work.estimates.choose(1, 1, settings.partitions).ok_or_else(|| work.no_room())?
                }
                // Without measurements, the route has no more plies than the next.
                Next::Merge(route) if route.below_seconds.is_infinite() => match work.measured_next(settings)? {
                    Next::Count(route) | Next::Merge(route) => route,
                    Next::Split => Route { plies: Vec::new(), below_seconds: f64::INFINITY },
                },
                Next::Count(route) | Next::Merge(route) => route,
                Next::Split => Route { plies: Vec::new(), below_seconds: f64::INFINITY },
            };
            return Ok(work.plan(&route));
        }
    }

    /// Counts the leaves below entries of one ply, weighted by multiplicity.
    fn count_entries(
        &mut self,
        rules: &Rules,
        entries: &[Entry],
        depth: u32,
        settings: &MergeSettings,
    ) -> Result<Merged, Error> {
        let mut last = u32::MAX;
        loop {
            let outcome = {
                let mut work = Work::start(self, rules, &settings.options(), depth)?;
                work.recall(settings.costs);
                work.count(entries, settings, last)?
            };
            match outcome {
                Outcome::Counted(merged) => return Ok(merged),
                // The positions of that ply are gone: their successors have replaced them.
                Outcome::TooLarge(ply) => last = ply,
                Outcome::Split(plan, ply, entries) => {
                    return self.count_parts(rules, entries, depth - ply, settings, plan);
                }
            }
        }
    }

    /// Counts the leaves below entries of one ply part by part.
    fn count_parts(
        &mut self,
        rules: &Rules,
        entries: Vec<Entry>,
        depth: u32,
        settings: &MergeSettings,
        plan: Plan,
    ) -> Result<Merged, Error> {
        let memory = settings.memory.saturating_sub(entries.len() as u64 * ENTRY_BYTES);
        // The number of plies was meant for the whole tree.
        let settings = MergeSettings { memory, plies: None, ..*settings };
        let (mut leaves, mut costs) = (0_u128, settings.costs);
        let start = Instant::now();
        for part in entries.chunks(entries.len().div_ceil(PARTS).max(1)) {
            let merged = self.count_entries(rules, part, depth, &settings)?;
            leaves = leaves.checked_add(merged.leaves).ok_or(Error::Overflow)?;
            costs = merged.costs.or(costs);
        }
        let plan = Plan { below: depth, below_seconds: start.elapsed().as_secs_f64(), ..plan };
        Ok(Merged { leaves, plan, costs })
    }
}

/// The outcome of a count.
enum Outcome {
    Counted(Merged),
    /// A deeper ply is too large. The count has to start again and to split this ply into parts.
    TooLarge(u32),
    /// The entries of this ply have to be counted in parts.
    Split(Plan, u32, Vec<Entry>),
}

impl Work<'_> {
    /// Counts the leaves below some entries; the ply `last` is split into parts in any case.
    fn count(&mut self, entries: &[Entry], settings: &MergeSettings, last: u32) -> Result<Outcome, Error> {
        self.add(entries)?;
        loop {
            self.check_cancelled()?;
            let next = if self.ply() == last { Next::Split } else { self.next(settings)? };
            match next {
                Next::Count(route) => {
                    let mut plan = self.plan(&route);
                    let begin = Instant::now();
                    self.rest = 0.0;
                    let leaves = self.count_below(self.estimates.remaining, route.below_seconds)?;
                    plan.below_seconds = begin.elapsed().as_secs_f64();
                    return Ok(Outcome::Counted(Merged { leaves, plan, costs: self.costs }));
                }
                Next::Merge(route) => {
                    let ply = route.plies[0];
                    self.rest = route.seconds() - ply.seconds;
                    if ply.partitions > 1 {
                        self.descend()?;
                        return self.count_in_partitions(ply, route.below_seconds);
                    }
                    if self.merge_whole(ply)? {
                        continue;
                    }
                    // The ply does not fit in one partition. It becomes the last merged ply, in several partitions.
                    return match self.estimates.choose(1, 1, settings.partitions) {
                        Some(route) => {
                            self.rest = route.below_seconds;
                            self.count_in_partitions(route.plies[0], route.below_seconds)
                        }
                        None if self.estimates.remaining > MAX_CALL_DEPTH + 1 => Ok(Outcome::TooLarge(self.ply())),
                        None => Err(self.no_room()),
                    };
                }
                Next::Split => {
                    if entries.len() == 1 && self.ply() == 0 {
                        return Err(self.no_room());
                    }
                    // One half of the memory is for the list of entries, the other for the plies below.
                    let most = self.memory / 2 / ENTRY_BYTES;
                    match self.estimates.sizes.iter().rposition(|&size| size <= most) {
                        None => return Err(self.no_room()),
                        Some(ply) if ply < self.ply() as usize => return Ok(Outcome::TooLarge(ply as u32)),
                        Some(_) => {}
                    }
                    let plan = self.plan(&Route { plies: Vec::new(), below_seconds: 0.0 });
                    let len = self.merge.successors();
                    return Ok(Outcome::Split(plan, self.ply(), self.merge.entries(0..len)?));
                }
            }
        }
    }

    /// Counts the leaves below the next ply, which is made in partitions.
    fn count_in_partitions(&mut self, ply: NextPly, below_seconds: f64) -> Result<Outcome, Error> {
        let depth = self.estimates.remaining - 1;
        let mut plan = self.plan(&Route { plies: vec![ply], below_seconds });
        let begin = Instant::now();
        let each = below_seconds / f64::from(ply.partitions.max(1));
        let count = |work: &mut Self, (leaves, positions, seconds): &mut (u128, u64, f64)| {
            let begin = Instant::now();
            *leaves = leaves.checked_add(work.count_below(depth, each)?).ok_or(Error::Overflow)?;
            *positions += work.merge.successors();
            *seconds += begin.elapsed().as_secs_f64();
            Ok(())
        };
        let ((leaves, positions, counting), partitions) = self.in_partitions(ply, count)?;
        plan.below_seconds = counting;
        if let Some(ply) = plan.plies.last_mut() {
            let seconds = begin.elapsed().as_secs_f64() - counting;
            let bytes = self.bytes(positions as f64, self.last_size(), partitions);
            *ply = PlannedPly { positions, measured: true, bytes, partitions, seconds, ..*ply };
        }
        Ok(Outcome::Counted(Merged { leaves, plan, costs: self.costs }))
    }
}
