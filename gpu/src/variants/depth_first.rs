//! A variant in which each work-item counts the last plies depth first, with a stack of undo moves in local memory.

use std::ops::Range;

use crate::arguments::DepthFirst;
use crate::interface::Interface;
use crate::parameters::Parameter::GroupSize;
use crate::runner::Retry;
use crate::session::Session;

/// The approximate number of leaves of one launch, at 32 moves per position. Drivers regard a kernel that runs for
/// seconds as hanging.
const LEAVES: u64 = 1 << 36;

impl<I: Interface> Session<I> {
    /// Adds the leaves `depth` plies below some positions to the totals of the roots.
    pub(crate) async fn depth_first(&mut self, level: usize, positions: Range<usize>, depth: u32) -> Result<(), Retry> {
        let (runner, buffers) = self.work(level + 1, positions.end, 0)?;
        let here = &buffers.levels[level];
        let step = ((LEAVES >> (5 * depth)) as usize).max(runner.settings[GroupSize]);
        for first in positions.clone().step_by(step) {
            let end = positions.end.min(first + step);
            let arguments = DepthFirst {
                positions: &here.positions,
                roots: &here.roots,
                lines: &buffers.lines,
                totals: &buffers.totals,
                first: first as u32,
                end: end as u32,
                depth,
            };
            // SAFETY: `work` has checked that the level has these positions. Each root has its total, and the kernel's
            // stacks are large enough for this depth.
            unsafe { runner.launch(end - first, arguments) }.await?;
        }
        Ok(())
    }
}
