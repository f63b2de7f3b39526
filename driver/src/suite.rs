//! Suites: published counts, recomputed.

use crate::epd::Case;
use crate::{Driver, Error};

/// Limits of the counts to recompute, so that one suite serves quick checks and long ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caps {
    /// The most leaves of a count.
    pub nodes: u128,
    /// The greatest depth.
    pub depth: u32,
}

impl Caps {
    /// No caps at all.
    pub const NONE: Self = Self { nodes: u128::MAX, depth: u32::MAX };

    /// Returns whether to recompute a count, given as its depth and leaves.
    pub fn allow(&self, (depth, leaves): (u32, u128)) -> bool {
        depth <= self.depth && leaves <= self.nodes
    }
}

/// The result of one line of a suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All counts within the caps are right.
    Pass {
        /// The number of recomputed counts.
        checked: usize,
        /// The number of counts beyond the caps.
        capped: usize,
        /// The number of leaves counted.
        leaves: u128,
    },
    /// A count differs from the line. The counts after it were not recomputed.
    Fail {
        /// The depth of the count.
        depth: u32,
        /// The count in the line.
        expected: u128,
        /// The count found.
        found: u128,
    },
}

impl Driver<'_> {
    /// Recomputes the counts of a line that the caps allow, in their order.
    ///
    /// # Errors
    /// As [`Driver::perft`].
    pub fn check(&mut self, case: &Case, caps: Caps) -> Result<Verdict, Error> {
        let (mut checked, mut counted) = (0, 0u128);
        for &(depth, expected) in case.counts.iter().filter(|&&count| caps.allow(count)) {
            let found = self.perft(&case.root, depth)?;
            if found != expected {
                return Ok(Verdict::Fail { depth, expected, found });
            }
            checked += 1;
            counted = counted.saturating_add(found);
        }
        Ok(Verdict::Pass { checked, capped: case.counts.len() - checked, leaves: counted })
    }
}
