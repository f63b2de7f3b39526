//! A variant in which each work-item counts the last plies depth first, with a stack of undo moves in local memory.

use std::ops::Range;

use crate::arguments::DepthFirst;
use crate::interface::Interface;
use crate::levels::Buffers;
use crate::parameters::Parameter::GroupSize;
use crate::runner::{Retry, Runner};

/// The approximate number of leaves of one launch, at 32 moves per position. Drivers regard a kernel that runs for
/// seconds as hanging.
const LEAVES: u64 = 1 << 36;

/// Adds the leaves `depth` plies below some positions of a level to the totals of the roots. The level has these positions.
pub(crate) async fn count_leaves<I: Interface>(
    runner: &mut Runner<I>,
    buffers: &Buffers<I>,
    level: usize,
    positions: Range<usize>,
    depth: u32,
) -> Result<(), Retry> {
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
        // SAFETY: the level has these positions. Each root has its total, and the kernel's stacks are large enough for this
        // depth.
        unsafe { runner.launch(end - first, arguments) }.await?;
    }
    Ok(())
}
