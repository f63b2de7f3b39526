//! Suites: published counts, recomputed.

use crate::epd::Case;
use crate::{Driver, Error};

/// Which counts of a suite are recomputed, so that the same suite serves quick checks and long ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caps {
    /// The most leaves that a count may have.
    pub nodes: u128,
    /// The greatest depth.
    pub depth: u32,
}

impl Caps {
    /// No caps at all.
    pub const NONE: Self = Self { nodes: u128::MAX, depth: u32::MAX };

    /// Whether a count, a depth and its leaves, is to be recomputed.
    pub fn allow(&self, (depth, leaves): (u32, u128)) -> bool {
        depth <= self.depth && leaves <= self.nodes
    }
}

/// What became of one line of a suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// All counts within the caps are right.
    Pass {
        /// How many were recomputed.
        checked: usize,
        /// How many exceed the caps.
        capped: usize,
        /// Leaves counted.
        leaves: u128,
    },
    /// A count is not what the line says. The ones after it were not recomputed.
    Fail {
        /// At which depth.
        depth: u32,
        /// What the line says.
        expected: u128,
        /// What was counted.
        found: u128,
    },
}

impl Driver<'_> {
    /// Recomputes the counts of a line that the caps allow, in the line's order.
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
