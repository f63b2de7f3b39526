//! The fastest way to finish a count, by estimates.

use super::estimates::{Estimates, MARGIN};
use crate::calls::MAX_CALL_DEPTH;

/// The most ranges of a ply. With more, a range would have too few positions of a sample to find its borders by.
pub(crate) const MOST_RANGES: u32 = 1 << 16;

/// The share of its room that a range is meant to fill. The sizes of ranges vary.
pub(crate) const FILL: f64 = 0.75;

/// The share of its capacity that a group of positions of a ply between is meant to fill. A sample of its own tells its size well.
pub(crate) const GROUP_FILL: f64 = 0.9;

/// Returns the share of the capacity beside its parents that a ply between is given, this number of plies before the last. The plies after
/// it get the rest.
///
/// Ranges of reversed keys share few parents, so most are made below a group of their own, and a larger group would only leave less room for
/// the range.
pub(crate) fn between_share(plies: u32, is_reversed: bool) -> f64 {
    match plies {
        1 if is_reversed => 0.4,
        1 => 0.7,
        2 => 0.55,
        _ => 0.2,
    }
}

/// The share of its room that a whole ply may take before a ply between is considered instead.
const WHOLE_SHARE: f64 = 0.5;

/// The number of different pawn structures that each pawn of the root multiplies, for estimates.
const PLACES_OF_A_PAWN: f64 = 4.0;

/// The factor by which counting leaves in runs takes longer with each natural logarithm of the number of ranges, if equal successors lie
/// in different ranges. With ranges of reversed keys, nearly all lie in the same. On one H200, 22 ranges took 1.4 times as long.
const DIVIDED_RUNS: f64 = 0.13;

/// A route with more merged plies is taken only if it should take less than this share of the time. Estimates are off by about a tenth,
/// and merged plies need memory.
const PAYS: f64 = 0.9;

/// The longest time that planning may spend on merging one ply, in seconds.
const PLAN_SECONDS: f64 = 1.0;

/// The largest share of a count that planning may spend on merging one ply.
const PLAN_SHARE: f64 = 0.02;

/// The same share if other devices wait for the plan, and if the cost of counting in runs is measured. With the larger share, four H200s waited
/// a tenth of a second longer at depth 11, because the first one merged ply 7. Without the measurement, two H200s counted 2.0 s in place of
/// 1.7: after ply 5 of another position, counting in runs seemed so slow that they merged one ply more.
const HURRIED_SHARE: f64 = 0.004;

/// The rest of a count.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Route {
    /// The plies still to merge: whole plies, plies between, and the last ply. The plies between and the last are made in ranges.
    pub(crate) plies: Vec<NextPly>,
    /// Whether ranges of the last ply are best those of [reversed](kogge_board::merge::Key::reversed) keys.
    pub(crate) is_reversed: bool,
    /// Estimated seconds for counting below the last of them.
    pub(crate) below_seconds: f64,
}

/// A ply still to merge, estimated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct NextPly {
    /// The distinct positions.
    pub(crate) positions: f64,
    /// The number of ranges; 1 if the ply is merged whole.
    pub(crate) ranges: u32,
    /// The positions in memory at once.
    pub(crate) at_once: f64,
    /// The seconds to merge all ranges.
    pub(crate) seconds: f64,
}

impl Route {
    /// A route whose time nobody knows.
    pub(crate) fn unknown() -> Self {
        Self { plies: Vec::new(), is_reversed: false, below_seconds: f64::INFINITY }
    }

    /// The estimated seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.plies.iter().map(|ply| ply.seconds).sum::<f64>() + self.below_seconds
    }

    /// Whether planning merges the next ply, instead of estimating it, because it takes less than this share of the count.
    pub(crate) fn next_is_cheap(&self, share: f64) -> bool {
        let most = PLAN_SECONDS.min(share * self.seconds());
        self.plies.first().is_some_and(|next| next.ranges == 1 && next.seconds < most)
    }
}

impl Estimates {
    /// Returns the largest share of a count that planning may spend on merging one ply. Other devices may wait for the plan.
    pub(crate) fn plan_share(&self, others_wait: bool) -> f64 {
        if others_wait && self.deepest_sample >= self.least_in_runs { HURRIED_SHARE } else { PLAN_SHARE }
    }

    /// Estimates the number of positions that may lead into a range after some plies, summed over the ranges, as a multiple of all
    /// positions of their ply.
    ///
    /// With 8, 40, 400 and 4,000 ranges of the start position's ply 7, they were 1.4, 1.7, 3.1 and 7.7 times the positions one ply before, 7.2,
    /// 23, 57 and 175 times the positions two plies before, and 7.7, 26, 73 and 262 times the positions three plies before. Ranges that
    /// differ only by hash need all positions.
    ///
    /// With 8, 23, 64 and 150 ranges of reversed keys, they were 4.4, 6.2, 8.8 and 11.2 times the positions one ply before.
    fn positions_needed(&self, ranges: f64, plies: u32, is_reversed: bool) -> f64 {
        if plies == 1 {
            let growth = if is_reversed { 1.7 } else { 0.28 };
            return self.by_pawns(ranges, growth).min(ranges.max(1.0));
        }
        let by_pawns = ranges.min(self.pawn_structures());
        (f64::from(plies) * by_pawns.sqrt()).clamp(1.0, by_pawns.max(1.0)) * ranges / by_pawns.max(1.0)
    }

    /// Estimates the number of different pawn structures.
    fn pawn_structures(&self) -> f64 {
        PLACES_OF_A_PAWN.powi(self.pawns.min(32) as i32)
    }

    /// Estimates the work of expanding parents whose successors are made in a number of ranges, as a multiple of the work for one range.
    ///
    /// Most parents that may have successors in a range have only pawns to take. They take half the time or less.
    fn expansions(&self, ranges: f64) -> f64 {
        self.by_pawns(ranges, 0.25)
    }

    /// Returns a multiple that grows by this much with each natural logarithm of the number of ranges, as long as there are enough
    /// different pawn structures, and then with the number.
    fn by_pawns(&self, ranges: f64, growth: f64) -> f64 {
        let by_pawns = ranges.min(self.pawn_structures()).max(1.0);
        (1.0 + growth * by_pawns.ln()) * (ranges / by_pawns)
    }

    /// Estimates a ply of `positions` positions, made in ranges of at most `at_once` positions below `parents`. `merged` counts the
    /// plies merged before it, and itself. `scanned` is the number of parents that each range looks at.
    fn ply(&self, merged: u32, positions: f64, [parents, scanned]: [f64; 2], ranges: f64, at_once: f64) -> NextPly {
        let merging = parents * self.merge_each(at_once) * self.growth.powi(merged as i32);
        let again = (self.expansions(ranges) - 1.0) * self.making;
        let scanning = if ranges > 1.0 { ranges * scanned * self.scanning * self.merge_successor } else { 0.0 };
        let seconds = self.ply_seconds * ranges + self.room_seconds(positions) + merging * (1.0 + again) + scanning;
        NextPly { positions, ranges: ranges as u32, at_once, seconds }
    }

    /// Estimates a ply in ranges below whole parents. Returns `None` if there is not enough room.
    fn in_ranges(&self, merged: u32, positions: f64, parents: f64, least: u32) -> Option<NextPly> {
        let room = FILL * (self.capacity - self.parent_share * parents);
        let ranges = (positions / room).ceil().max(f64::from(least)).max(1.0);
        let fits = room >= 1.0 && ranges <= f64::from(MOST_RANGES);
        fits.then(|| self.ply(merged, positions, [parents; 2], ranges, positions / ranges))
    }

    /// Estimates plies in ranges below a whole ply of `parents` positions: plies between, made again for each group of ranges, and the last
    /// ply, with at least `least` ranges. Returns `None` if there is not enough room.
    fn with_plies_between(
        &self,
        merged: u32,
        sizes: &[f64],
        parents: f64,
        least: u32,
        is_reversed: bool,
    ) -> Option<Vec<NextPly>> {
        let (&last, between) = sizes.split_last()?;
        if self.pawns == 0 || self.most_between.is_some_and(|most| between.len() > most) {
            return None;
        }
        let mut plies = Vec::with_capacity(sizes.len());
        let mut room = self.capacity - self.parent_share * parents;
        let (mut groups, mut parents) = (2.0_f64, [parents; 2]);
        for (index, &size) in between.iter().enumerate() {
            let before_last = (between.len() - index) as u32;
            let group_room = GROUP_FILL * between_share(before_last, is_reversed) * room;
            let group = |groups: f64| size * self.positions_needed(groups, before_last, is_reversed) / groups;
            // More groups need more positions in all, so the number is found by repetition.
            while group_room < 1.0 || group(groups) > group_room {
                groups = (groups * 1.1).ceil();
                if groups > f64::from(MOST_RANGES) {
                    return None;
                }
            }
            let mut ply = self.ply(merged + index as u32, size, parents, groups, group(groups));
            if before_last > 1 || is_reversed {
                // These positions are not only made, but also merged again.
                ply.seconds *= self.positions_needed(groups, before_last, is_reversed) / self.expansions(groups);
            }
            plies.push(ply);
            room -= self.parent_share * ply.at_once;
            parents = [size, ply.at_once];
        }
        let range_room = FILL * room;
        let ranges = (last / range_room).ceil().max(groups).max(f64::from(least));
        if range_room < 1.0 || ranges > f64::from(MOST_RANGES) {
            return None;
        }
        plies.push(self.ply(merged + between.len() as u32, last, parents, ranges, last / ranges));
        Some(plies)
    }

    /// Returns the number of ranges for the ply that lies this number of plies below the last.
    pub(crate) fn ranges(&self, plies: u32) -> u32 {
        let sizes = self.next_sizes(plies);
        let parents = self.sizes.last().map_or(0.0, |&size| size as f64);
        let last = match sizes[..] {
            [size] => self.in_ranges(1, size, parents, 1),
            _ => self.with_plies_between(1, &sizes, parents, 1, false).and_then(|mut plies| plies.pop()),
        };
        last.map_or(MOST_RANGES, |ply| ply.ranges)
    }

    /// Finds the fastest way to finish a count: the number of plies to merge, from `least` to `most`, and the ranges of the last of them, at
    /// least `ranges`. A way with more merged plies must save a tenth of the time. Returns `None` if every way leaves more plies than one
    /// call can count.
    pub(crate) fn choose(&self, least: u32, most: u32, ranges: Option<u32>) -> Option<Route> {
        let most = most.min(self.remaining);
        let sizes = self.next_sizes(most);
        let mut best: Option<Route> = None;
        let mut consider = |plies: &[NextPly], positions: f64, is_reversed: bool| {
            let merged = plies.len() as u32;
            let below = self.remaining - merged;
            if merged < least || below > MAX_CALL_DEPTH {
                return;
            }
            let each = self.count_each[below as usize];
            // Merging successors takes longer than counting them, even if a busy machine measured otherwise.
            let merging = self.merge_each(0.0);
            let each = if below == 1 && merging > 0.0 { each.min(merging) } else { each };
            let has_ranges = plies.last().is_some_and(|last| last.ranges > 1);
            let divided = if has_ranges && !is_reversed && below >= self.least_in_runs {
                1.0 + DIVIDED_RUNS * plies.last().map_or(1.0, |last| f64::from(last.ranges)).ln()
            } else {
                1.0
            };
            let route = Route { plies: plies.to_vec(), is_reversed, below_seconds: positions * each * divided };
            let is_better = |best: &Route| {
                let share = if plies.len() > best.plies.len() { PAYS } else { 1.0 };
                route.seconds() < share * best.seconds()
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some(route);
            }
        };
        let mut parents = self.sizes.last().map_or(0.0, |&size| size as f64);
        let in_runs = |merged: usize| self.remaining >= self.least_in_runs.saturating_add(merged as u32);
        consider(&[], parents, in_runs(0));
        let mut whole: Vec<NextPly> = Vec::new();
        for (index, &positions) in sizes.iter().enumerate() {
            let merged = index as u32 + 1;
            let room = self.capacity - self.parent_share * parents;
            let fits = room >= 1.0 && positions * MARGIN <= room && !self.is_too_large(self.sizes.len() + index);
            if !fits || ranges.is_some() {
                let least = ranges.unwrap_or(1).max(if fits { 1 } else { 2 });
                if let Some(ply) = self.in_ranges(merged, positions, parents, least) {
                    consider(&[whole.as_slice(), &[ply]].concat(), positions, in_runs(merged as usize));
                }
            }
            // A ply that leaves too little room for the next need not be whole.
            if positions * MARGIN > WHOLE_SHARE * room {
                for last in index + 1..sizes.len() {
                    // Several plies below each other would be made too often for ranges of reversed keys.
                    let may_be_reversed = self.may_reverse_between && last == index + 1 && in_runs(last + 1);
                    let orders: &[bool] = if may_be_reversed { &[false, true] } else { &[false] };
                    for &is_reversed in orders {
                        let (sizes, least) = (&sizes[index..=last], ranges.unwrap_or(1));
                        let plies = self.with_plies_between(merged, sizes, parents, least, is_reversed);
                        if let (Some(plies), Some(&positions)) = (plies, sizes.last()) {
                            consider(&[whole.as_slice(), &plies].concat(), positions, is_reversed);
                        }
                    }
                }
            }
            if !fits {
                break;
            }
            whole.push(self.ply(merged, positions, [parents; 2], 1.0, positions));
            if ranges.is_none() {
                consider(&whole, positions, in_runs(merged as usize));
            }
            parents = positions;
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::super::estimates::tests::start;
    use super::*;

    #[test]
    fn merging_goes_on_while_it_pays() {
        // Deeper trees have more merged plies.
        let merged = |depth| start(5, depth, 1e12).choose(0, 99, None).unwrap().plies.len();
        let depths: Vec<_> = [8, 9, 10, 11, 12, 13].map(merged).to_vec();
        assert!(depths.is_sorted() && depths[0] < depths[5], "{depths:?}");
        // Merging that takes no time always pays off; endless merging never does.
        let free = Estimates { merge_successor: 0.0, ply_seconds: 0.0, ..start(5, 9, 1e12) };
        assert_eq!(free.choose(0, 99, None).unwrap().plies.len(), 4);
        let dear = Estimates { merge_successor: 1.0, ..start(5, 9, 1e12) };
        assert_eq!(dear.choose(0, 99, None).unwrap().plies, []);
        // One ply above the leaves, merging never pays off, even if counting was timed on a busy machine.
        let busy = Estimates { count_each: [1.0; MAX_CALL_DEPTH as usize + 1], ..start(7, 8, 1e12) };
        assert_eq!(busy.choose(0, 99, None).unwrap().plies, []);
        // A ply that saves little time is not worth its memory.
        let tie = |below: f64, in_one_table: f64| {
            let mut estimates = start(5, 8, 1e12);
            let ply = estimates.ply(1, estimates.next_sizes(1)[0], [822_518.0; 2], 1.0, 1.0).seconds;
            (estimates.count_each[2], estimates.count_each[3]) = (0.0, below * ply / 822_518.0);
            Estimates { in_one_table, ..estimates }.choose(0, 1, None).unwrap().plies.len()
        };
        assert_eq!([0.9, 1.1, 1.2].map(|below| tie(below, f64::INFINITY)), [0, 0, 1]);
        // Several tables make a ply dearer.
        assert_eq!([1.2, 1.6, 1.8].map(|below| tie(below, 1e6)), [0, 0, 1]);
        assert_eq!(tie(1.2, 1e7 * MARGIN), 1);
        // If one call cannot count that deep, plies are merged in any case.
        let deep = Estimates { merge_successor: 1.0, ..start(5, 14, 1e12) };
        assert_eq!(deep.choose(0, 99, None).unwrap().plies.len(), 2);
    }

    #[test]
    fn planning_merges_only_cheap_plies() {
        let next_is_cheap = |seconds, ranges, below_seconds| {
            let plies = vec![NextPly { positions: 1e6, ranges, at_once: 1e6, seconds }];
            Route { plies, below_seconds, ..Route::unknown() }.next_is_cheap(0.02)
        };
        assert!(next_is_cheap(0.1, 1, 10.0) && !next_is_cheap(0.3, 1, 10.0), "the share of the count");
        assert!(next_is_cheap(0.9, 1, f64::INFINITY) && !next_is_cheap(1.1, 1, f64::INFINITY), "the seconds");
        assert!(!next_is_cheap(0.1, 2, 10.0), "a ply in ranges");
        assert!(!Route::unknown().next_is_cheap(0.02), "no further ply");
    }

    #[test]
    fn planning_hurries_only_if_the_cost_of_runs_is_measured() {
        let share = |deepest_sample, least_in_runs, others_wait| {
            Estimates { deepest_sample, least_in_runs, ..start(5, 12, 1e12) }.plan_share(others_wait)
        };
        assert_eq!(share(3, 3, true), HURRIED_SHARE);
        for (deepest, least, others_wait) in [(2, 3, true), (3, 3, false), (7, u32::MAX, true)] {
            assert_eq!(share(deepest, least, others_wait), PLAN_SHARE, "{deepest} {least} {others_wait}");
        }
    }

    fn ranges(route: &Route) -> Vec<u32> {
        route.plies.iter().map(|ply| ply.ranges).collect()
    }

    #[test]
    fn what_does_not_fit_is_made_in_ranges() {
        let whole = start(5, 12, 1e12).choose(0, 99, None).unwrap();
        assert!(whole.plies.len() >= 3 && ranges(&whole).iter().all(|&ranges| ranges == 1), "{whole:?}");
        let parts = start(5, 12, 3e7).choose(2, 2, None).unwrap();
        assert!(ranges(&parts)[0] == 1 && (5..=9).contains(&ranges(&parts)[1]), "{parts:?}");
        assert!(parts.seconds() > whole.seconds());
        // The next ply does not fit either. If even a share of it does not, the last one is counted, unless it is too deep.
        let between = start(5, 13, 4e6).choose(2, 2, None).unwrap();
        assert!(ranges(&between)[0] > 5 && ranges(&between)[1] > 40, "{between:?}");
        assert_eq!(start(5, 12, 6e5).choose(0, 99, None).unwrap().plies, []);
        assert_eq!(start(5, 13, 6e5).choose(0, 99, None), None);
        assert_eq!(start(5, 12, 6e5).choose(1, 99, None), None);
        // Without pawns, each range of the next ply needs the whole ply.
        let endgame = Estimates { pawns: 0, ..start(5, 13, 4e6) };
        assert_eq!(endgame.choose(2, 2, None), None);
    }

    #[test]
    fn leaves_in_runs_lie_below_ranges_of_reversed_keys() {
        // A ply between needs fewer ranges, but then equal successors lie in different ranges.
        let mut count_each = [1e-12; MAX_CALL_DEPTH as usize + 1];
        count_each[3] = 1e-8;
        let estimates = Estimates { count_each, making: 0.9, ..start(7, 12, 2e9) };
        let route = estimates.choose(2, 2, None).unwrap();
        assert!(ranges(&route)[0] > 1 && !route.is_reversed, "{route:?}");
        let in_runs = Estimates { least_in_runs: 3, ..estimates };
        let route = in_runs.choose(2, 2, None).unwrap();
        assert!(ranges(&route)[0] == 1 && ranges(&route)[1] > 1 && route.is_reversed, "{route:?}");
        // Each range looks at all positions of a whole ply. If this takes long, a ply between is better: a range looks only at its group.
        let slow = Estimates { scanning: 3.0, capacity: 1.2e9, ..in_runs };
        let route = slow.choose(2, 2, None).unwrap();
        assert!(ranges(&route)[0] > 1 && route.is_reversed, "{route:?}");
        // After a group has turned out too large, only the usual order is left below a ply between.
        let route = Estimates { may_reverse_between: false, ..slow }.choose(2, 2, None).unwrap();
        assert_eq!(ranges(&route)[0] > 1, !route.is_reversed, "{route:?}");
    }

    #[test]
    fn ranges_cost_less_than_plies() {
        let estimates = start(5, 12, 1e12);
        // Measured for the start position.
        for (ranges, measured) in [(1.0, 1.0), (8.0, 1.36), (40.0, 1.68), (400.0, 3.07)] {
            let needed = estimates.positions_needed(ranges, 1, false);
            assert!((0.75..1.25).contains(&(needed / measured)), "{ranges} ranges: {needed}");
            assert!(estimates.expansions(ranges) <= needed);
        }
        for (ranges, measured) in [(8.0, 4.4), (23.0, 6.2), (64.0, 8.8), (150.0, 11.2)] {
            let needed = estimates.positions_needed(ranges, 1, true);
            assert!((0.8..1.25).contains(&(needed / measured)), "{ranges} reversed ranges: {needed}");
        }
        assert_eq!(Estimates { pawns: 0, ..estimates }.expansions(10.0), 10.0);
    }

    #[test]
    fn what_is_asked_for_is_done() {
        for plies in 1..4 {
            for count in [1, 2, 7] {
                let route = start(5, 11, 1e12).choose(plies, plies, Some(count)).unwrap();
                let ranges = ranges(&route);
                assert_eq!(ranges.len() as u32, plies);
                assert_eq!(ranges.last(), Some(&count));
                assert!(ranges[..ranges.len() - 1].iter().all(|&ranges| ranges == 1));
            }
        }
    }
}
