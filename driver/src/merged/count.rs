//! Leaves below a root by merged plies, in one go or in parts.

use std::time::Instant;

use kogge_board::merge::{KeyRange, WeightedPosition};
use kogge_board::{Categories, Fen, Rules};

use super::next::Next;
use super::ranges::{RangeCount, Ranges};
use super::route::Route;
use super::settings::{MergeCosts, MergeSettings};
use super::work::{Work, root_entry};
use crate::frontier::counting;
use crate::plan::{Plan, PlannedPly};
use crate::{Driver, Error};

/// The result of a count by merged plies.
#[derive(Clone, PartialEq, Debug)]
pub struct MergedCount {
    /// The leaves.
    pub leaves: u128,
    /// The leaves by the moves that lead to them, if the settings ask for them.
    pub categories: Option<Categories>,
    /// The plan as it was carried out. For a count in several parts, it covers the plies above the parts.
    pub plan: Plan,
    /// What merging cost, if a ply was large enough to tell.
    pub costs: Option<MergeCosts>,
}

/// The number of parts of a list of entries whose successors do not fit in memory together.
const PARTS: usize = 8;

/// Bytes of an entry outside of the tables.
const ENTRY_BYTES: u64 = size_of::<WeightedPosition>() as u64;

impl Driver<'_> {
    /// Counts the leaves `depth` plies below the root by merged plies, or what [`MergeSettings::counted`] says.
    ///
    /// A last ply that does not fit in memory is made in ranges of positions with similar pawns. The ply before it may be made in
    /// ranges, too. If there are still more than seven plies below, the positions of an earlier ply are counted in several parts,
    /// one after the other, each by its own merged plies.
    ///
    /// # Errors
    /// [`Error::Memory`] if not even the parts fit; otherwise as [`Driver::perft`], or as [`Driver::stats`].
    pub fn perft_merged(&mut self, root: &Fen, depth: u32, settings: &MergeSettings) -> Result<MergedCount, Error> {
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
        Work::at_root(self, root, depth, settings)?.plan_below(root, settings, false)
    }

    /// Counts the leaves below entries of one ply, weighted by multiplicity.
    fn count_entries(
        &mut self,
        rules: &Rules,
        entries: &[WeightedPosition],
        depth: u32,
        settings: &MergeSettings,
    ) -> Result<MergedCount, Error> {
        let outcome = {
            let mut work = Work::start(self, rules, &settings.options(), depth)?;
            work.recall(settings.costs);
            work.count(entries, settings)?
        };
        match outcome {
            Outcome::Done(merged) => Ok(merged),
            Outcome::Split(plan, ply, entries) => self.count_parts(rules, entries, depth - ply, settings, plan),
        }
    }

    /// Counts the leaves below entries of one ply part by part.
    fn count_parts(
        &mut self,
        rules: &Rules,
        entries: Vec<WeightedPosition>,
        depth: u32,
        settings: &MergeSettings,
        plan: Plan,
    ) -> Result<MergedCount, Error> {
        let memory = settings.memory.saturating_sub(entries.len() as u64 * ENTRY_BYTES);
        // The number of plies was meant for the whole tree.
        let settings = MergeSettings { memory, plies: None, ..*settings };
        let (mut leaves, mut categories, mut costs) = (0_u128, None, settings.costs);
        let start = Instant::now();
        for part in entries.chunks(entries.len().div_ceil(PARTS).max(1)) {
            let merged = self.count_entries(rules, part, depth, &settings)?;
            leaves = leaves.checked_add(merged.leaves).ok_or(Error::Overflow)?;
            if let Some(more) = merged.categories {
                let sum: Categories = categories.unwrap_or_default();
                categories = Some(sum.plus(&more).ok_or(Error::Overflow)?);
            }
            costs = merged.costs.or(costs);
        }
        let plan = Plan { below: depth, below_seconds: start.elapsed().as_secs_f64(), ..plan };
        Ok(MergedCount { leaves, categories, plan, costs })
    }
}

/// The outcome of a count.
enum Outcome {
    Done(MergedCount),
    /// The entries of this ply have to be counted in parts.
    Split(Plan, u32, Vec<WeightedPosition>),
}

impl Work<'_> {
    /// Plans how to count below a root. Merges the next plies as long as they take little time. Other devices may wait for the plan.
    pub(crate) fn plan_below(
        &mut self,
        root: &Fen,
        settings: &MergeSettings,
        others_wait: bool,
    ) -> Result<Plan, Error> {
        loop {
            let next = self.next(settings)?;
            let share = self.estimates.plan_share(others_wait);
            let route = match next {
                Next::Merge(route) if route.next_is_cheap(share) => {
                    if !self.merge_whole(route.plies[0])? {
                        self.start_again(&[root_entry(root)])?;
                    }
                    continue;
                }
                // Without measurements, the route has no more plies than the next.
                Next::Merge(route) if route.below_seconds.is_infinite() => self.measured_next(settings)?.route(),
                next => next.route(),
            };
            return Ok(self.plan(&route));
        }
    }

    /// Counts the leaves below some entries.
    fn count(&mut self, entries: &[WeightedPosition], settings: &MergeSettings) -> Result<Outcome, Error> {
        self.add(entries)?;
        // The ply whose positions are counted in parts in any case.
        let mut split = None;
        loop {
            self.check_cancelled()?;
            let next = if split == Some(self.ply()) { Next::Split } else { self.next(settings)? };
            match next {
                Next::Count(route) => {
                    let mut plan = self.plan(&route);
                    let begin = Instant::now();
                    self.rest = 0.0;
                    let (leaves, categories) = self.count_below(self.estimates.remaining, route.below_seconds)?;
                    plan.below_seconds = begin.elapsed().as_secs_f64();
                    return Ok(Outcome::Done(MergedCount { leaves, categories, plan, costs: self.costs }));
                }
                Next::Merge(route) if route.plies[0].ranges > 1 => match self.count_in_ranges(&route) {
                    // Even one range needs too many positions of a ply between.
                    Err(Error::Memory { .. }) if route.plies.len() > 1 => {
                        if route.is_reversed {
                            self.estimates.may_reverse_between = false;
                        } else {
                            self.estimates.most_between = Some(route.plies.len() - 2);
                        }
                        self.start_again(entries)?;
                    }
                    result => return result.map(Outcome::Done),
                },
                Next::Merge(route) => {
                    let ply = route.plies[0];
                    self.rest = route.seconds() - ply.seconds;
                    if !self.merge_whole(ply)? {
                        self.start_again(entries)?;
                    }
                }
                Next::Split => {
                    if entries.len() == 1 && self.ply() == 0 {
                        return Err(self.no_room());
                    }
                    // One half of the memory is for the list of entries, the other for the plies below.
                    let most = self.memory / 2 / ENTRY_BYTES;
                    match self.estimates.sizes.iter().rposition(|&size| size <= most) {
                        None => return Err(self.no_room()),
                        // The positions of that ply are gone: their successors have replaced them.
                        Some(ply) if ply < self.ply() as usize => {
                            split = Some(ply as u32);
                            self.start_again(entries)?;
                            continue;
                        }
                        Some(_) => {}
                    }
                    let plan = self.plan(&Route { below_seconds: 0.0, ..Route::unknown() });
                    let len = self.merge.successors();
                    return Ok(Outcome::Split(plan, self.ply(), self.merge.entries(0..len)?));
                }
            }
        }
    }

    /// Counts the leaves below the last ply of a route. It is made in ranges, beside the last whole ply or below plies between.
    fn count_in_ranges(&mut self, route: &Route) -> Result<MergedCount, Error> {
        let mut plan = self.plan(route);
        let plies = route.plies.len() as u32;
        let begin = Instant::now();
        self.rest = route.seconds();
        let expected = self.paths_below(plies)?;
        self.descend()?;
        let count = plan.ranges();
        let below = self.estimates.remaining - plies;
        let mut ranges = Ranges::of(self, plies - 1, route.is_reversed, count)?;
        let wanted = ranges.divide(&vec![1; count as usize]);
        let mut sum = RangeCount::none(KeyRange::WHOLE);
        ranges.count(self, &wanted, Some(below), route.seconds(), &mut |_, found| sum.add(found))?;
        self.check_paths(ranges.ply(), sum.paths, expected)?;

        let done = &ranges.done;
        plan.below_seconds = done.below_seconds;
        let mut merging = begin.elapsed().as_secs_f64() - done.below_seconds;
        let mut parents = self.last_size();
        let mut made = plan.plies.iter_mut().filter(|ply| !ply.measured);
        for (done, ply) in done.between.iter().zip(made.by_ref()) {
            let group = done.largest_group as f64;
            let bytes = self.bytes(group, parents);
            *ply = PlannedPly { bytes, ranges: done.groups, seconds: done.seconds, ..*ply };
            parents += group;
            merging -= done.seconds;
        }
        if let Some(ply) = made.next() {
            let bytes = self.bytes(done.largest_range as f64, parents);
            let (positions, ranges) = (sum.positions, done.ranges);
            *ply = PlannedPly { positions, measured: true, bytes, ranges, seconds: merging, ..*ply };
        }
        Ok(MergedCount { leaves: sum.leaves, categories: sum.categories, plan, costs: self.costs })
    }
}
