//! Selects the parents that may have successors that are kept.

use std::ops::Range;

use kogge_board::merge::Filter;

use super::Lists;
use crate::arguments::SelectEntries;
use crate::interface::Interface;
use crate::range_scalars::with_filter;
use crate::runner::Retry;
use crate::session::Session;

/// The share of level 0 that selected parents should fill.
const FILLED: f64 = 0.9;

/// Parents in level 0.
pub(crate) struct ParentBatch {
    /// The end of the parents that were looked at.
    pub(crate) end: u64,
    /// The number of parents that were selected.
    pub(crate) len: usize,
}

impl<I: Interface> Lists<I> {
    /// Loads the parents that may have successors that are kept into level 0, each a root of its own, until the level is nearly full
    /// or all parents were looked at.
    pub(crate) async fn select(
        &mut self,
        session: &mut Session<I>,
        parents: &Range<u64>,
    ) -> Result<ParentBatch, Retry> {
        let (runner, buffers) = session.work(1, 0, 0)?;
        let Self { parents: Some(list), selection: Some(selection), filter, .. } = self else {
            return Err(runner.unasked());
        };
        let capacity = buffers.levels[0].roots.len().min(selection.kept_counts.len());
        let mut selected = ParentBatch { end: parents.start, len: 0 };
        runner.clear("the number of parents", &selection.count, 1)?;
        // If too many parents are selected, the same parents are looked at again, fewer at a time.
        let mut most = f64::INFINITY;
        while selected.end < parents.end && (selected.len as f64) < FILLED * capacity as f64 {
            let rest = capacity - selected.len;
            let looked_at = (FILLED * rest as f64 / selection.density).min(most).max(rest as f64);
            let found = list.first_of(&(selected.end..parents.end), looked_at as u64);
            let (shard, within) = found.ok_or_else(|| runner.unasked())?;
            let len = (within.end - within.start) as usize;
            let arguments = with_filter!(*filter => SelectEntries {
                entries: &shard.positions,
                root_multiplicities: &shard.multiplicities,
                successors: &buffers.levels[0].positions,
                successor_roots: &buffers.levels[0].roots,
                selected_multiplicities: &selection.multiplicities,
                selected_count: &selection.count,
                first: within.start as u32,
                end: len as u32,
                capacity: capacity as u32,
            });
            // SAFETY: the shard has these entries, and the kernel selects no more than there is room for.
            unsafe { runner.launch(len, arguments) }.await?;
            let count = runner.read("the number of parents", &selection.count, 0, 1).await?;
            let count = count.first().map_or(0, |&count| count as usize);
            if count > capacity && len <= rest {
                return Err(runner.wrong(format!("it selected {count} of {len} parents.")));
            }
            if count > capacity {
                runner.write("the number of parents", &selection.count, &[selected.len as u32])?;
                most = len as f64 / 2.0;
                continue;
            }
            let more = count.checked_sub(selected.len).ok_or_else(|| runner.unasked())?;
            // Some more may be selected next time.
            selection.density = (1.2 * more as f64 / len as f64).clamp(1e-6, 1.0);
            selected = ParentBatch { end: selected.end + len as u64, len: count };
            most = f64::INFINITY;
        }
        Ok(selected)
    }

    /// Sets the number of kept successors of each root to zero.
    pub(crate) fn clear_kept(&self, session: &mut Session<I>, roots: usize) -> Result<(), Retry> {
        match &self.selection {
            Some(selection) => session.runner.clear("the number of successors", &selection.kept_counts, roots),
            None => Ok(()),
        }
    }

    /// The successors that expansions keep.
    pub(crate) fn filter(&self) -> Filter {
        self.filter
    }
}
