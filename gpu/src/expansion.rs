//! Expanding a level in parts whose successors fit in the next level.

use std::ops::Range;

use kogge_board::merge::Filter;

use crate::MOST_MOVES;
use crate::interface::Interface;
use crate::parts::Cut;
use crate::runner::Retry;
use crate::session::Session;

/// Expands the positions of a level, in parts whose successors fit in the next level. Afterwards, the counts of the
/// level are the numbers of moves of the positions.
pub(crate) struct Expansion {
    /// The positions that are not expanded yet.
    rest: Range<usize>,
    /// The counted moves of these positions, if the device expands in generation order only.
    counted: Option<Cut>,
    /// The maximum number of positions in a part.
    most: usize,
    /// The maximum number of successors of a part, unless the part is a single block.
    capacity: usize,
    /// The filter for the successors.
    filter: Filter,
    /// Whether the successors will be merged.
    are_merged: bool,
}

/// A part of the positions, whose successors are in the next level.
pub(crate) struct ExpansionPart {
    /// The number of successors.
    pub(crate) successors: usize,
    /// The end of the level's positions that have been expanded.
    pub(crate) end: usize,
}

impl Expansion {
    /// Expands the first `len` positions.
    pub(crate) fn of(len: usize) -> Self {
        Self {
            rest: 0..len,
            counted: None,
            most: usize::MAX,
            capacity: usize::MAX,
            filter: Filter::All,
            are_merged: false,
        }
    }

    /// Expands the first `len` positions to merge their successors, in parts of one block or of at most `capacity`
    /// successors. Successors that do not pass the filter may be left out; then the counts of the level are not set.
    pub(crate) fn to_merge(filter: Filter, len: usize, capacity: usize) -> Self {
        Self { capacity, filter, are_merged: true, ..Self::of(len) }
    }

    /// Expands the next positions: so many that they have about `aim` successors, or as many as fit. Returns `None` if all
    /// positions are expanded.
    pub(crate) async fn next<I: Interface>(
        &mut self,
        session: &mut Session<I>,
        level: usize,
        aim: usize,
    ) -> Result<Option<ExpansionPart>, Retry> {
        let sizes = session.sizes();
        let capacity = sizes.positions.min(self.capacity.max(sizes.least_positions()));
        let aim = aim.min(capacity);
        while self.counted.is_none() && !self.rest.is_empty() {
            // Parts of equal size keep the device equally busy from start to end. Each part consists of whole blocks,
            // so that the rest can be expanded in generation order.
            let pieces = (self.rest.len() * session.moves()).div_ceil(aim.max(1));
            // The device counts successors with 32 bits.
            let most = self.most.min(u32::MAX as usize / MOST_MOVES as usize - sizes.block);
            let len = self.rest.len().div_ceil(pieces).min(most).next_multiple_of(sizes.block);
            let part = self.rest.start..self.rest.end.min(self.rest.start + len);
            let successors = if session.runner.settings.unordered.applies(self.are_merged) {
                Some(session.expand_unordered(level, part.clone(), self.filter, capacity).await?)
            } else {
                None
            };
            // The successors of one block always fit. A device that reports more must expand in generation order.
            match successors.filter(|&count| count <= capacity || part.len() > sizes.block) {
                None => {
                    self.counted = Some(session.cut(level, self.rest.end, self.rest.start / sizes.block).await?);
                }
                Some(successors) => {
                    if successors <= capacity {
                        self.rest.start = part.end;
                        return Ok(Some(ExpansionPart { successors, end: part.end }));
                    }
                    self.most = part.len() / 2;
                }
            }
        }
        let Some(cut) = &mut self.counted else { return Ok(None) };
        // A block always fits.
        let Some(part) = cut.next(aim.min(sizes.moves)) else { return Ok(None) };
        session.expand_part(level, &part).await?;
        Ok(Some(ExpansionPart { successors: part.moves, end: part.positions.end }))
    }
}
