//! Suites: published counts, recomputed.

use std::collections::BTreeMap;

use kogge_board::{Fen, Quad48, Rules};

use crate::epd::Case;
use crate::frontier::counting;
use crate::{Driver, Error};

/// Limits on the counts to recompute, so that one suite serves for quick and for long checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caps {
    /// The maximum number of leaves of a count.
    pub nodes: u128,
    /// The greatest depth.
    pub depth: u32,
}

impl Caps {
    /// Caps that exclude no count.
    pub const NONE: Self = Self { nodes: u128::MAX, depth: u32::MAX };

    /// Returns whether a count is to be recomputed, from its depth and leaves.
    pub fn allow(&self, (depth, leaves): (u32, u128)) -> bool {
        depth <= self.depth && leaves <= self.nodes
    }

    /// Returns the counts of a line that are to be recomputed.
    pub fn allowed(&self, case: &Case) -> impl Iterator<Item = (u32, u128)> {
        case.counts.iter().copied().filter(|&count| self.allow(count))
    }
}

/// The result of one line of a suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineVerdict {
    /// All counts within the caps are right.
    Pass {
        /// The number of recomputed counts.
        checked: usize,
        /// The number of counts beyond the caps.
        capped: usize,
        /// The number of leaves counted.
        leaves: u128,
    },
    /// A count differs from the count in the line. The counts after it were not recomputed.
    Fail {
        /// The depth of the count.
        depth: u32,
        /// The count in the line.
        expected: u128,
        /// The count found.
        found: u128,
    },
}

/// The counts of a line to recompute, and the state of the line.
struct Line<'c> {
    root: &'c Fen,
    counts: Vec<(u32, u128)>,
    verdict: LineVerdict,
}

impl Driver<'_> {
    /// Recomputes the counts that the caps allow, each line's counts in order, and returns one verdict for each line. All
    /// counts of one depth under one set of rules go to the backend in one batch.
    ///
    /// # Errors
    /// As [`Driver::perft`].
    pub fn check(&mut self, cases: &[Case], caps: Caps) -> Result<Vec<LineVerdict>, Error> {
        let mut lines: Vec<Line<'_>> = cases
            .iter()
            .map(|case| {
                let counts: Vec<_> = caps.allowed(case).collect();
                let verdict = LineVerdict::Pass { checked: 0, capped: case.counts.len() - counts.len(), leaves: 0 };
                Line { root: &case.root, counts, verdict }
            })
            .collect();
        let rounds = lines.iter().map(|line| line.counts.len()).max().unwrap_or(0);
        self.begin(lines.iter().map(|line| line.counts.len()).sum());
        let all: f64 = lines.iter().flat_map(|line| &line.counts).map(|&(_, leaves)| work(leaves)).sum();
        let mut start = 0.0;
        for round in 0..rounds {
            let mut groups: BTreeMap<(u32, Rules), Vec<usize>> = BTreeMap::new();
            for (index, line) in lines.iter().enumerate() {
                if let (LineVerdict::Pass { .. }, Some(&(depth, _))) = (&line.verdict, line.counts.get(round)) {
                    groups.entry((depth, counting(line.root))).or_default().push(index);
                }
            }
            for ((depth, rules), group) in groups {
                let position = |line: &Line<'_>| Quad48::from(&line.root.position).with_halfmove_clock(0);
                let positions: Vec<_> = group.iter().map(|&index| position(&lines[index])).collect();
                let width = group.iter().map(|&index| work(lines[index].counts[round].1)).sum::<f64>() / all;
                let found = self.count(&rules, &positions, depth, Some([start, start + width]))?;
                for (&index, found) in group.iter().zip(found) {
                    lines[index].saw(round, found);
                }
                start += width;
                self.progress.done += group.len() as u64;
            }
        }
        Ok(lines.into_iter().map(|line| line.verdict).collect())
    }
}

/// Returns the estimated work of a count, which is not zero even without leaves.
fn work(leaves: u128) -> f64 {
    1.0 + leaves as f64
}

impl Line<'_> {
    /// Compares a count of the current round.
    fn saw(&mut self, round: usize, found: u128) {
        let (depth, expected) = self.counts[round];
        match &mut self.verdict {
            LineVerdict::Pass { checked, leaves, .. } if found == expected => {
                *checked += 1;
                *leaves = leaves.saturating_add(found);
            }
            verdict => *verdict = LineVerdict::Fail { depth, expected, found },
        }
    }
}
