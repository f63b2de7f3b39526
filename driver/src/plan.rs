//! How a deep count is done: which plies are merged, in how many partitions, and what that takes.

use std::fmt;

use crate::pace::MAX_CALL_DEPTH;

/// Partitions of a ply at most: with more, nearly all the work would be making successors that are not kept.
const MOST_PARTITIONS: f64 = 4096.0;

/// How much larger than estimated a ply may be and still fit.
pub(crate) const MARGIN: f64 = 1.15;

/// How a count by merged plies is done, or would be.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// Plies of the tree.
    pub depth: u32,
    /// Bytes that may be used.
    pub memory: u64,
    /// The plies whose equal positions are merged, from the root's on.
    pub plies: Vec<PlannedPly>,
    /// How many plies are counted below each position of the last of them.
    pub below: u32,
    /// Seconds that this counting takes; an estimate unless it was done, and infinite if it cannot be estimated.
    pub below_seconds: f64,
    /// Seconds that counting every leaf would take: an estimate; `None` if nothing could be measured.
    pub raw_seconds: Option<f64>,
}

/// One merged ply of a [`Plan`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlannedPly {
    /// Which ply, 0 for the root.
    pub ply: u32,
    /// Distinct positions.
    pub positions: u64,
    /// Whether they were counted, rather than estimated.
    pub measured: bool,
    /// Bytes of memory that the positions kept at once take together with those of the ply before: an estimate.
    pub bytes: u64,
    /// In how many parts the ply is done.
    pub partitions: u32,
    /// Seconds that merging takes or took.
    pub seconds: f64,
}

impl Plan {
    /// Seconds for all of it.
    pub fn seconds(&self) -> f64 {
        self.plies.iter().map(|ply| ply.seconds).sum::<f64>() + self.below_seconds
    }

    /// Partitions of the last merged ply.
    pub fn partitions(&self) -> u32 {
        self.plies.last().map_or(1, |ply| ply.partitions)
    }

    /// The last merged ply.
    pub fn last_ply(&self) -> u32 {
        self.plies.last().map_or(0, |ply| ply.ply)
    }
}

impl Plan {
    /// Few words on what was merged: `merged to ply 4 (72078 positions), 3 plies below`.
    pub fn summary(&self) -> String {
        let positions = self.plies.last().map_or(1, |ply| ply.positions);
        let parts = match self.partitions() {
            1 => String::new(),
            partitions => format!(" in {partitions} partitions"),
        };
        format!("merged to ply {} ({positions} positions{parts}), {} plies below", self.last_ply(), self.below)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "ply  distinct positions             memory  partitions    seconds")?;
        for PlannedPly { ply, positions, measured, bytes, partitions, seconds } in &self.plies {
            let about = if *measured { ' ' } else { '~' };
            let memory = bytes.div_ceil(1 << 20);
            writeln!(f, "{ply:>3}  {about}{positions:>17}  {memory:>13} MiB  {partitions:>10}  {seconds:>9.3}")?;
        }
        let Self { below, below_seconds, .. } = self;
        write!(f, "{below} plies below: {below_seconds:.3} s; in all {:.3} s", self.seconds())?;
        match self.raw_seconds {
            Some(seconds) => write!(f, "; every leaf without merging: about {seconds:.3} s"),
            None => Ok(()),
        }
    }
}

/// What is known of a tree and a device, so far.
#[derive(Clone, Debug)]
pub(crate) struct Estimates {
    /// Plies below the last ply of `sizes`.
    pub(crate) remaining: u32,
    /// Distinct positions of each ply that was merged.
    pub(crate) sizes: Vec<u64>,
    /// Moves of the last ply's positions.
    pub(crate) moves: f64,
    /// The next ply is known to have more positions than this.
    pub(crate) next_exceeds: f64,
    /// Seconds for each parent whose successors are made and merged.
    pub(crate) merge_each: f64,
    /// The share of that which making the successors takes.
    pub(crate) making: f64,
    /// Seconds to count below a position, by plies.
    pub(crate) count_each: [f64; MAX_CALL_DEPTH as usize + 1],
    /// Positions that there is room for, without parents.
    pub(crate) capacity: f64,
    /// What a parent takes of that room.
    pub(crate) parent_share: f64,
}

/// What is to be done from here on.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Choice {
    /// Plies to be merged still, with their estimates; all but the last in one partition.
    pub(crate) stages: Vec<Stage>,
    /// Seconds for counting below the last.
    pub(crate) below_seconds: f64,
}

/// A ply to be merged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Stage {
    pub(crate) positions: f64,
    pub(crate) partitions: u32,
    pub(crate) seconds: f64,
}

impl Choice {
    pub(crate) fn seconds(&self) -> f64 {
        self.stages.iter().map(|stage| stage.seconds).sum::<f64>() + self.below_seconds
    }
}

impl Estimates {
    /// The distinct positions of plies yet to come, the next one first.
    ///
    /// A ply grows as the last but one did, in which the same side moved, by a factor that falls the more the deeper it
    /// is: half as fast, in logarithms, as from the one two plies before. It is not taken to shrink that has not.
    pub(crate) fn next_sizes(&self, plies: u32) -> Vec<f64> {
        let mut sizes: Vec<f64> = self.sizes.iter().map(|&size| size as f64).collect();
        for _ in 0..plies {
            let ply = sizes.len();
            let growth = |ply: usize| if ply == 0 { None } else { Some(sizes[ply] / sizes[ply - 1].max(1.0)) };
            let before = |plies: usize| ply.checked_sub(plies).and_then(growth);
            let next = match (before(1), before(2), before(4)) {
                (_, Some(two), Some(four)) => (two * (two / four.max(1e-9)).min(1.0).sqrt()).max(two.min(1.0)),
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

    /// The fastest way from here on: how many plies more are merged, at least and at most as many as given, and in how many
    /// partitions the last one is, if that is not given. `None` if no way leaves few enough plies to be counted in
    /// one call.
    pub(crate) fn choose(&self, least: u32, most: u32, partitions: Option<u32>) -> Option<Choice> {
        let most = most.min(self.remaining);
        let mut best: Option<Choice> = None;
        let mut stages: Vec<Stage> = Vec::new();
        let mut parents = self.sizes.last().map_or(0.0, |&size| size as f64);
        let mut grandparents = 0.0;
        let sizes = self.next_sizes(most);
        let stage = |parents: f64, positions, partitions: f64| Stage {
            positions,
            partitions: partitions as u32,
            seconds: parents * self.merge_each * (1.0 + (partitions - 1.0) * self.making),
        };
        for merged in 0..=most {
            let mut whole = true;
            if merged > 0 {
                let positions = sizes[merged as usize - 1];
                let room = self.capacity - self.parent_share * parents;
                let needed = (positions * MARGIN / room).ceil().max(1.0);
                // Whatever the estimate says, a handful of positions is tried.
                if room < 1.0 || needed > MOST_PARTITIONS {
                    break;
                }
                whole = needed <= 1.0;
                stages.push(stage(parents, positions, needed));
                (grandparents, parents) = (parents, positions);
            }
            let below = self.remaining - merged;
            if merged >= least && below <= MAX_CALL_DEPTH {
                let each = self.count_each[below as usize];
                // To make successors and merge them takes longer than to count them, whatever was measured on a busy machine.
                let each = if below == 1 && self.merge_each > 0.0 { each.min(self.merge_each) } else { each };
                let below_seconds = parents * each;
                let mut choice = Choice { stages: stages.clone(), below_seconds };
                if let (Some(last), Some(partitions)) = (choice.stages.last_mut(), partitions) {
                    *last = stage(grandparents, parents, f64::from(partitions.max(last.partitions)));
                }
                if best.as_ref().is_none_or(|best| choice.seconds() < best.seconds()) {
                    best = Some(choice);
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

    /// The start position after some plies, on a device that merges 1 G and counts 1 T a second.
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
            merge_each: 25e-9,
            making: 0.3,
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
        // The more there is below, the more plies are merged.
        let merged = |depth| start(5, depth, 1e12).choose(0, 99, None).unwrap().stages.len();
        let depths: Vec<_> = [8, 9, 10, 11, 12, 13].map(merged).to_vec();
        assert!(depths.is_sorted() && depths[0] < depths[5], "{depths:?}");
        // Merging that takes no time pays to the end, and merging that takes forever never.
        let free = Estimates { merge_each: 0.0, ..start(5, 9, 1e12) };
        assert_eq!(free.choose(0, 99, None).unwrap().stages.len(), 4);
        let dear = Estimates { merge_each: 1.0, ..start(5, 9, 1e12) };
        assert_eq!(dear.choose(0, 99, None).unwrap().stages, []);
        // A ply above the leaves there is nothing to be gained, even if counting was timed while the machine was busy.
        let busy = Estimates { count_each: [1.0; MAX_CALL_DEPTH as usize + 1], ..start(7, 8, 1e12) };
        assert_eq!(busy.choose(0, 99, None).unwrap().stages, []);
        // Unless there is too much below for one call.
        let deep = Estimates { merge_each: 1.0, ..start(5, 14, 1e12) };
        assert_eq!(deep.choose(0, 99, None).unwrap().stages.len(), 2);
    }

    #[test]
    fn what_does_not_fit_is_the_last_and_in_partitions() {
        let whole = start(5, 12, 1e12).choose(0, 99, None).unwrap();
        assert!(whole.stages.len() >= 3 && whole.stages.iter().all(|stage| stage.partitions == 1), "{whole:?}");
        let parts = start(5, 12, 3e7).choose(0, 99, None).unwrap();
        assert_eq!(parts.stages.len(), 2);
        assert_eq!(parts.stages[0].partitions, 1);
        assert!((4..=7).contains(&parts.stages[1].partitions), "{parts:?}");
        assert!(parts.seconds() > whole.seconds());
        // Nothing at all fits: what is there is counted, or nothing can be done.
        assert_eq!(start(5, 12, 6e5).choose(0, 99, None).unwrap().stages, []);
        assert_eq!(start(5, 13, 6e5).choose(0, 99, None), None);
        assert_eq!(start(5, 12, 6e5).choose(1, 99, None), None);
    }

    #[test]
    fn what_is_asked_for_is_done() {
        for plies in 1..4 {
            for partitions in [1, 2, 7] {
                let choice = start(5, 11, 1e12).choose(plies, plies, Some(partitions)).unwrap();
                let parts: Vec<_> = choice.stages.iter().map(|stage| stage.partitions).collect();
                assert_eq!(parts.len() as u32, plies);
                assert_eq!(parts.last(), Some(&partitions));
                assert!(parts[..parts.len() - 1].iter().all(|&parts| parts == 1));
            }
        }
    }
}
