//! Estimates of a tree and a device.

use kogge_board::DeviceKind;

use crate::calls::MAX_CALL_DEPTH;

/// The factor by which a ply may exceed its estimate and still fit.
pub(crate) const MARGIN: f64 = 1.15;

/// The factor by which a side's second move makes fewer new positions than its first: 0.55 to 0.67 in the six standard
/// positions. It is near one half, because most pairs of moves can change places.
const FIRST_FALL: f64 = 0.65;

/// The factor by which the growth of a ply exceeds the growth two plies before, if the side was hindered then.
const RISE: f64 = 2.0;

/// The factor by which merging a position takes longer than in the ply before: a larger table misses a CPU's caches more often.
/// On two cores the factor was 1.5 from 0.7 to 13 and from 1.4 to 27 million positions, and 2.1 from 9 to 96 million.
const LARGER_TABLE: f64 = 1.5;

/// The same factor on a GPU: at most 1.06 on one H200, where tables of all sizes are in memory.
const LARGER_TABLE_ON_GPU: f64 = 1.05;

/// The factor by which a successor takes longer if a ply needs several tables. On one H200, the device's own work for a successor took
/// 1.9 times as long by wgpu.
const SEVERAL_TABLES: f64 = 1.5;

/// The share of the time for a successor that goes into making it; the rest goes into merging it.
const MAKING: f64 = 0.5;

/// The same share on a GPU: 0.15 on one H200.
const MAKING_ON_GPU: f64 = 0.2;

/// The time to find out that a parent has no successor in a range, as a multiple of the time for a successor.
const SCANNING: f64 = 0.1;

/// The same multiple on a GPU, by the difference of two plans: on one H100, start position 12 took 142 s with 45 ranges beside 988 million
/// parents, and 109 s with 22 ranges, each beside a group of about a third of them. A wrong value costs time: a worse plan.
const SCANNING_ON_GPU: f64 = 3.0;

/// Estimates of a tree and a device, from the measurements so far.
#[derive(Clone, Debug)]
pub(crate) struct Estimates {
    /// Plies below the last ply of `sizes`.
    pub(crate) remaining: u32,
    /// The number of distinct positions of each merged ply.
    pub(crate) sizes: Vec<u64>,
    /// Average moves of a position of the last ply: by multiplicity, or in a sample.
    pub(crate) moves: f64,
    /// A ply that did not fit, and a number of positions that it is assumed to exceed.
    pub(crate) too_large: Option<(usize, f64)>,
    /// The most plies between that may fit, if more have turned out not to.
    pub(crate) most_between: Option<usize>,
    /// Whether ranges below a ply between may be those of reversed keys: until its positions turn out to be too many for one range.
    pub(crate) may_reverse_between: bool,
    /// The greatest number of pawns of a position.
    pub(crate) pawns: u32,
    /// Seconds to make and merge a successor with one table.
    pub(crate) merge_successor: f64,
    /// The share of `merge_successor` that goes into making the successor.
    pub(crate) making: f64,
    /// The time to find out that a parent has no successor in a range, as a multiple of `merge_successor`.
    pub(crate) scanning: f64,
    /// Seconds to make room for a position.
    pub(crate) room_each: f64,
    /// Seconds that a ply takes besides its successors.
    pub(crate) ply_seconds: f64,
    /// The factor by which a successor takes longer than in the ply before.
    pub(crate) growth: f64,
    /// The least number of plies between a ply and the leaves at which leaves are counted in runs.
    pub(crate) least_in_runs: u32,
    /// Seconds to count below a position, by depth.
    pub(crate) count_each: [f64; MAX_CALL_DEPTH as usize + 1],
    /// The largest of these depths that was measured.
    pub(crate) deepest_sample: u32,
    /// The number of positions that fit in memory without parents.
    pub(crate) capacity: f64,
    /// The number of positions that one table holds.
    pub(crate) in_one_table: f64,
    /// The memory of a parent, as a share of the memory of a position.
    pub(crate) parent_share: f64,
}

impl Estimates {
    /// The estimates before anything is measured.
    pub(crate) fn new(depth: u32, capacity: f64, kind: DeviceKind) -> Self {
        let (making, scanning, growth) = match kind {
            DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu => {
                (MAKING_ON_GPU, SCANNING_ON_GPU, LARGER_TABLE_ON_GPU)
            }
            _ => (MAKING, SCANNING, LARGER_TABLE),
        };
        Self {
            remaining: depth,
            sizes: Vec::new(),
            // The number of moves of a typical position.
            moves: 35.0,
            too_large: None,
            most_between: None,
            may_reverse_between: true,
            pawns: 16,
            merge_successor: 0.0,
            making,
            scanning,
            room_each: 0.0,
            ply_seconds: 0.0,
            least_in_runs: u32::MAX,
            growth,
            count_each: [0.0; MAX_CALL_DEPTH as usize + 1],
            deepest_sample: 0,
            capacity,
            in_one_table: f64::INFINITY,
            parent_share: 1.0,
        }
    }

    /// Estimates the seconds to make and merge the successors of a parent, if about `positions` distinct positions are made together.
    pub(crate) fn merge_each(&self, positions: f64) -> f64 {
        self.merge_successor * self.moves * self.several_tables(positions)
    }

    /// Returns whether one table holds about `positions` positions, with some to spare.
    pub(crate) fn fit_in_one_table(&self, positions: f64) -> bool {
        positions * MARGIN <= self.in_one_table
    }

    /// Returns the factor by which a successor takes longer if about `positions` positions are made together, because of their tables.
    pub(crate) fn several_tables(&self, positions: f64) -> f64 {
        if self.fit_in_one_table(positions) { 1.0 } else { SEVERAL_TABLES }
    }

    /// Estimates the seconds to make room for a ply.
    pub(crate) fn room_seconds(&self, positions: f64) -> f64 {
        self.room_each * positions * MARGIN
    }

    /// Returns whether this ply did not fit.
    pub(crate) fn is_too_large(&self, ply: usize) -> bool {
        self.too_large.is_some_and(|(number, _)| number == ply)
    }

    /// Estimates the distinct positions of the next plies, the nearest first.
    ///
    /// A ply grows by about the same factor as the ply two before it, in which the same side moved. The factor falls
    /// with depth, because a side's moves lead to equal positions in any order: in logarithms, half as fast as it fell over the
    /// two plies before, and at first by [`FIRST_FALL`]. A rise by more than [`RISE`] is a beginning, too: the side was in check, for
    /// instance. If the plies have not shrunk so far, they are assumed not to shrink.
    pub(crate) fn next_sizes(&self, plies: u32) -> Vec<f64> {
        let mut sizes: Vec<f64> = self.sizes.iter().map(|&size| size as f64).collect();
        for _ in 0..plies {
            let ply = sizes.len();
            let growth = |ply: usize| if ply == 0 { None } else { Some(sizes[ply] / sizes[ply - 1].max(1.0)) };
            let before = |plies: usize| ply.checked_sub(plies).and_then(growth);
            let next = match (before(1), before(2), before(4)) {
                (_, Some(two), Some(four)) if two > RISE * four => two * FIRST_FALL,
                (_, Some(two), Some(four)) => (two * (two / four.max(1e-9)).min(1.0).sqrt()).max(two.min(1.0)),
                (_, Some(two), None) if self.sizes.first() == Some(&1) => two * FIRST_FALL,
                (_, Some(two), None) => two,
                (Some(one), ..) => one,
                _ => self.moves,
            };
            let mut size = sizes[ply - 1] * next;
            if let Some((_, least)) = self.too_large.filter(|&(number, _)| number == ply) {
                size = size.max(least);
            }
            sizes.push(size);
        }
        sizes.split_off(self.sizes.len())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns estimates for the start position after some plies, on a device that merges 1 G and counts 1 T per
    /// second.
    pub(in crate::merged) fn start(plies: usize, depth: u32, capacity: f64) -> Estimates {
        const SIZES: [u64; 9] = [1, 20, 400, 5362, 72_078, 822_518, 9_417_681, 96_400_068, 988_187_354];
        let mut count_each = [1e-12; MAX_CALL_DEPTH as usize + 1];
        for below in 1..count_each.len() {
            count_each[below] = count_each[below - 1] * 25.0;
        }
        Estimates {
            remaining: depth - plies as u32,
            sizes: SIZES[..=plies].to_vec(),
            moves: 35.0,
            too_large: None,
            most_between: None,
            may_reverse_between: true,
            pawns: 16,
            merge_successor: 25e-9 / 35.0,
            making: 0.3,
            scanning: SCANNING,
            room_each: 0.0,
            ply_seconds: 1e-4,
            growth: LARGER_TABLE,
            least_in_runs: u32::MAX,
            count_each,
            deepest_sample: 0,
            capacity,
            in_one_table: f64::INFINITY,
            parent_share: 0.8,
        }
    }

    #[test]
    fn sizes_are_foreseen() {
        for (plies, next) in [(4, [822_518.0, 9_417_681.0]), (5, [9_417_681.0, 96_400_068.0])] {
            for (estimate, size) in start(plies, 11, 1e9).next_sizes(2).into_iter().zip(next) {
                let factor: f64 = estimate / size;
                assert!((0.8..1.3).contains(&factor), "{plies}: {estimate} for {size}");
            }
        }
        // Position 4, where White begins in check.
        let check = Estimates { sizes: vec![1, 6, 264, 8895, 248_212], ..start(4, 8, 1e9) }.next_sizes(1)[0];
        assert!((0.9..1.2).contains(&(check / 4_911_970.0)), "{check}");
        // Kiwipete and position 5.
        for (sizes, next) in [([1, 48, 2038, 57_548], 1_374_152.0), ([1, 44, 1483, 35_838], 713_253.0)] {
            let estimate = Estimates { sizes: sizes.to_vec(), ..start(3, 7, 1e9) }.next_sizes(1)[0];
            assert!((0.9..1.2).contains(&(estimate / next)), "{estimate} for {next}");
        }
        let known = Estimates { too_large: Some((7, 2e9)), ..start(6, 11, 1e9) };
        assert_eq!(known.next_sizes(1), [2e9]);
        let saturated = Estimates { sizes: vec![10, 100, 100, 100, 100], ..start(4, 11, 1e9) };
        assert_eq!(saturated.next_sizes(3), [100.0; 3]);
        let ended = Estimates { sizes: vec![10, 0], ..start(1, 11, 1e9) };
        assert_eq!(ended.next_sizes(3), [0.0; 3]);
        let root = Estimates { sizes: vec![1], ..start(0, 11, 1e9) };
        assert_eq!(root.next_sizes(1), [35.0]);
    }
}
