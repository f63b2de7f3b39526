//! Estimates of a tree and a device, and the fastest way to count by them.

use kogge_board::DeviceKind;

use crate::pace::MAX_CALL_DEPTH;

/// The most partitions that a plan gives a ply. With more, nearly all the work would go into successors that are not
/// kept.
const MOST_PARTITIONS: f64 = 4096.0;

/// The factor by which a ply may exceed its estimate and still fit.
pub(crate) const MARGIN: f64 = 1.15;

/// The factor by which a side's second move makes fewer new positions than its first: 0.55 to 0.67 in the six standard
/// positions. It is near one half, because most pairs of moves can change places.
const FIRST_FALL: f64 = 0.65;

/// The factor by which merging a position takes longer than in the ply before: a larger table misses a CPU's caches more often.
/// On two cores the factor was 1.5 from 1.4 to 27 million positions, and 2.1 from 9 to 96 million.
const LARGER_TABLE: f64 = 1.3;

/// The same factor on a GPU: at most 1.06 on one H200, where tables of all sizes are in memory.
const LARGER_TABLE_ON_GPU: f64 = 1.05;

/// Estimates of a tree and a device, from the measurements so far.
#[derive(Clone, Debug)]
pub(crate) struct Estimates {
    /// Plies below the last ply of `sizes`.
    pub(crate) remaining: u32,
    /// The number of distinct positions of each merged ply.
    pub(crate) sizes: Vec<u64>,
    /// Average moves of a position of the last ply: by multiplicity, or in a sample.
    pub(crate) moves: f64,
    /// A number of positions that the next ply is known to exceed.
    pub(crate) next_exceeds: f64,
    /// Seconds to make and merge a successor.
    pub(crate) merge_successor: f64,
    /// The share of `merge_successor` that goes into making the successor.
    pub(crate) making: f64,
    /// Seconds to make room for a position.
    pub(crate) room_each: f64,
    /// Seconds that a ply takes besides its successors.
    pub(crate) ply_seconds: f64,
    /// The factor by which a successor takes longer than in the ply before.
    pub(crate) growth: f64,
    /// Seconds to count below a position, by depth.
    pub(crate) count_each: [f64; MAX_CALL_DEPTH as usize + 1],
    /// The number of positions that fit in memory without parents.
    pub(crate) capacity: f64,
    /// The memory of a parent, as a share of the memory of a position.
    pub(crate) parent_share: f64,
}

/// The rest of a count.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Route {
    /// The plies still to merge; all but the last in one partition.
    pub(crate) plies: Vec<NextPly>,
    /// Estimated seconds for counting below the last of them.
    pub(crate) below_seconds: f64,
}

/// A ply still to merge, estimated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct NextPly {
    pub(crate) positions: f64,
    pub(crate) partitions: u32,
    pub(crate) seconds: f64,
}

impl Route {
    pub(crate) fn seconds(&self) -> f64 {
        self.plies.iter().map(|ply| ply.seconds).sum::<f64>() + self.below_seconds
    }
}

impl Estimates {
    /// The estimates before anything is measured.
    pub(crate) fn new(depth: u32, capacity: f64, kind: DeviceKind) -> Self {
        Self {
            remaining: depth,
            sizes: Vec::new(),
            // The number of moves of a typical position.
            moves: 35.0,
            next_exceeds: 0.0,
            merge_successor: 0.0,
            making: 0.5,
            room_each: 0.0,
            ply_seconds: 0.0,
            growth: match kind {
                DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu => LARGER_TABLE_ON_GPU,
                _ => LARGER_TABLE,
            },
            count_each: [0.0; MAX_CALL_DEPTH as usize + 1],
            capacity,
            parent_share: 1.0,
        }
    }

    /// Estimates the seconds to make and merge the successors of a parent.
    pub(crate) fn merge_each(&self) -> f64 {
        self.merge_successor * self.moves
    }

    /// Estimates the seconds to make room for a ply.
    pub(crate) fn room_seconds(&self, positions: f64) -> f64 {
        self.room_each * positions * MARGIN
    }

    /// Estimates the distinct positions of the next plies, the nearest first.
    ///
    /// A ply grows by about the same factor as the ply two before it, in which the same side moved. The factor falls
    /// with depth, because a side's moves lead to equal positions in any order: in logarithms, half as fast as it fell over the
    /// two plies before, and at first by [`FIRST_FALL`]. If the plies have not shrunk so far, they are assumed not to
    /// shrink.
    pub(crate) fn next_sizes(&self, plies: u32) -> Vec<f64> {
        let mut sizes: Vec<f64> = self.sizes.iter().map(|&size| size as f64).collect();
        for _ in 0..plies {
            let ply = sizes.len();
            let growth = |ply: usize| if ply == 0 { None } else { Some(sizes[ply] / sizes[ply - 1].max(1.0)) };
            let before = |plies: usize| ply.checked_sub(plies).and_then(growth);
            let next = match (before(1), before(2), before(4)) {
                (_, Some(two), Some(four)) => (two * (two / four.max(1e-9)).min(1.0).sqrt()).max(two.min(1.0)),
                (_, Some(two), None) if self.sizes.first() == Some(&1) => two * FIRST_FALL,
                (_, Some(two), None) => two,
                (Some(one), ..) => one,
                _ => self.moves,
            };
            let mut size = sizes[ply - 1] * next;
            if ply == self.sizes.len() {
                size = size.max(self.next_exceeds);
            }
            sizes.push(size);
        }
        sizes.split_off(self.sizes.len())
    }

    /// Finds the fastest way to finish a count: the number of plies to merge, from `least` to `most`, and the number of
    /// partitions of the last one, at least `partitions`. Returns `None` if every way leaves more plies than one call
    /// can count.
    pub(crate) fn choose(&self, least: u32, most: u32, partitions: Option<u32>) -> Option<Route> {
        let most = most.min(self.remaining);
        let mut best: Option<Route> = None;
        let mut plies: Vec<NextPly> = Vec::new();
        let mut parents = self.sizes.last().map_or(0.0, |&size| size as f64);
        let mut grandparents = 0.0;
        let sizes = self.next_sizes(most);
        let next_ply = |merged: u32, parents: f64, positions: f64, partitions: f64| NextPly {
            positions,
            partitions: partitions as u32,
            seconds: self.ply_seconds * partitions
                + self.room_seconds(positions)
                + parents
                    * self.merge_each()
                    * self.growth.powi(merged as i32)
                    * (1.0 + (partitions - 1.0) * self.making),
        };
        for merged in 0..=most {
            let mut whole = true;
            if merged > 0 {
                let positions = sizes[merged as usize - 1];
                let room = self.capacity - self.parent_share * parents;
                let needed = (positions * MARGIN / room).ceil().max(1.0);
                // A handful of positions is tried, even if the estimate exceeds the memory.
                if room < 1.0 || needed > MOST_PARTITIONS {
                    break;
                }
                whole = needed <= 1.0;
                plies.push(next_ply(merged, parents, positions, needed));
                (grandparents, parents) = (parents, positions);
            }
            let below = self.remaining - merged;
            if merged >= least && below <= MAX_CALL_DEPTH {
                let each = self.count_each[below as usize];
                // Merging successors takes longer than counting them, even if a busy machine measured otherwise.
                let merging = self.merge_each();
                let each = if below == 1 && merging > 0.0 { each.min(merging) } else { each };
                let below_seconds = parents * each;
                let mut route = Route { plies: plies.clone(), below_seconds };
                if let (Some(last), Some(partitions)) = (route.plies.last_mut(), partitions) {
                    *last = next_ply(merged, grandparents, parents, f64::from(partitions.max(last.partitions)));
                }
                if best.as_ref().is_none_or(|best| route.seconds() < best.seconds()) {
                    best = Some(route);
                }
            }
            if !whole {
                break;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns estimates for the start position after some plies, on a device that merges 1 G and counts 1 T per
    /// second.
    fn start(plies: usize, depth: u32, capacity: f64) -> Estimates {
        const SIZES: [u64; 9] = [1, 20, 400, 5362, 72_078, 822_518, 9_417_681, 96_400_068, 988_187_354];
        let mut count_each = [1e-12; MAX_CALL_DEPTH as usize + 1];
        for below in 1..count_each.len() {
            count_each[below] = count_each[below - 1] * 25.0;
        }
        Estimates {
            remaining: depth - plies as u32,
            sizes: SIZES[..=plies].to_vec(),
            moves: 35.0,
            next_exceeds: 0.0,
            merge_successor: 25e-9 / 35.0,
            making: 0.3,
            room_each: 0.0,
            ply_seconds: 1e-4,
            growth: LARGER_TABLE,
            count_each,
            capacity,
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
        // Kiwipete and position 5.
        for (sizes, next) in [([1, 48, 2038, 57_548], 1_374_152.0), ([1, 44, 1483, 35_838], 713_253.0)] {
            let estimate = Estimates { sizes: sizes.to_vec(), ..start(3, 7, 1e9) }.next_sizes(1)[0];
            assert!((0.9..1.2).contains(&(estimate / next)), "{estimate} for {next}");
        }
        let known = Estimates { next_exceeds: 2e9, ..start(6, 11, 1e9) };
        assert_eq!(known.next_sizes(1), [2e9]);
        let saturated = Estimates { sizes: vec![10, 100, 100, 100, 100], ..start(4, 11, 1e9) };
        assert_eq!(saturated.next_sizes(3), [100.0; 3]);
        let ended = Estimates { sizes: vec![10, 0], ..start(1, 11, 1e9) };
        assert_eq!(ended.next_sizes(3), [0.0; 3]);
        let root = Estimates { sizes: vec![1], ..start(0, 11, 1e9) };
        assert_eq!(root.next_sizes(1), [35.0]);
    }

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
        // If one call cannot count that deep, plies are merged in any case.
        let deep = Estimates { merge_successor: 1.0, ..start(5, 14, 1e12) };
        assert_eq!(deep.choose(0, 99, None).unwrap().plies.len(), 2);
    }

    #[test]
    fn what_does_not_fit_is_the_last_and_in_partitions() {
        let whole = start(5, 12, 1e12).choose(0, 99, None).unwrap();
        assert!(whole.plies.len() >= 3 && whole.plies.iter().all(|ply| ply.partitions == 1), "{whole:?}");
        let parts = start(5, 12, 3e7).choose(0, 99, None).unwrap();
        assert_eq!(parts.plies.len(), 2);
        assert_eq!(parts.plies[0].partitions, 1);
        assert!((4..=7).contains(&parts.plies[1].partitions), "{parts:?}");
        assert!(parts.seconds() > whole.seconds());
        // No further ply fits: the last one is counted, if it is not too deep.
        assert_eq!(start(5, 12, 6e5).choose(0, 99, None).unwrap().plies, []);
        assert_eq!(start(5, 13, 6e5).choose(0, 99, None), None);
        assert_eq!(start(5, 12, 6e5).choose(1, 99, None), None);
    }

    #[test]
    fn what_is_asked_for_is_done() {
        for plies in 1..4 {
            for partitions in [1, 2, 7] {
                let route = start(5, 11, 1e12).choose(plies, plies, Some(partitions)).unwrap();
                let parts: Vec<_> = route.plies.iter().map(|ply| ply.partitions).collect();
                assert_eq!(parts.len() as u32, plies);
                assert_eq!(parts.last(), Some(&partitions));
                assert!(parts[..parts.len() - 1].iter().all(|&parts| parts == 1));
            }
        }
    }
}
