//! The buffers of an expansion that does not keep all successors, and the parents that it selects.

use std::ops::Range;

use kogge_board::merge::Filter;

use super::list::List;
use super::sums::Weights;
use crate::arguments::{SelectEntries, with_filter};
use crate::buffer::Buffer;
use crate::interface::{Failure, Interface};
use crate::runner::{Retry, Runner};
use crate::session::Session;

/// The share of level 0 that selected parents should fill.
const FILLED: f64 = 0.9;

/// Parents in level 0.
pub(crate) struct ParentBatch {
    /// The end of the parents that were looked at.
    pub(crate) end: u64,
    /// The number of parents in level 0.
    pub(super) len: usize,
    /// The first of these parents, unless they were selected.
    pub(super) first: Option<u64>,
}

/// Bytes for each root: its multiplicity and the number of its kept successors.
pub(super) const SELECTION: u64 = 16 + 4;

/// The buffers of an expansion that does not keep all successors.
pub(super) struct Selection<I: Interface> {
    /// The multiplicities of the selected parents.
    pub(super) multiplicities: Buffer<I, [u32; 4]>,
    /// The number of selected parents.
    count: Buffer<I, u32>,
    /// The number of each parent's kept successors.
    pub(super) kept_counts: Buffer<I, u32>,
    /// The share of the last parents that were selected.
    density: f64,
}

impl<I: Interface> Selection<I> {
    /// Returns buffers for this number of parents, and makes them unless there are some.
    pub(super) async fn provide<'a>(
        known: &'a mut Option<Self>,
        runner: &mut Runner<I>,
        roots: usize,
    ) -> Result<&'a mut Self, Failure> {
        // Smaller buffers are freed first.
        Ok(match known.take().filter(|known| known.kept_counts.len() >= roots) {
            Some(known_buffers) => known.insert(known_buffers),
            None => known.insert(Self {
                multiplicities: runner.list_buffer("selected_multiplicities", roots).await?,
                count: runner.list_buffer("selected_count", 1).await?,
                kept_counts: runner.list_buffer("kept_counts", roots).await?,
                density: 1.0,
            }),
        })
    }

    /// The multiplicities of the first `len` selected parents.
    pub(super) const fn weights(&self, len: usize) -> Weights<'_, I> {
        Weights { multiplicities: &self.multiplicities, first: 0, len }
    }

    /// Looks at every `stride`-th of these parents, and loads those that may have successors that are kept into level 0, each a root of its own,
    /// until the level is nearly full or the parents end.
    pub(super) async fn select(
        &mut self,
        session: &mut Session<I>,
        list: &List<I>,
        parents: &Range<u64>,
        stride: u64,
        filter: Filter,
    ) -> Result<ParentBatch, Retry> {
        let (runner, buffers) = session.work(1, 0, 0)?;
        let capacity = buffers.levels[0].roots.len().min(self.kept_counts.len());
        let mut selected = ParentBatch { end: parents.start, len: 0, first: None };
        runner.clear("the number of parents", &self.count, 1)?;
        // If too many parents are selected, a smaller part of the same parents is tried again.
        let mut most = f64::INFINITY;
        while selected.end < parents.end && (selected.len as f64) < FILLED * capacity as f64 {
            let rest = capacity - selected.len;
            let looked_at = (FILLED * rest as f64 / self.density).min(most).max(rest as f64);
            let found = list.first_of(&(selected.end..parents.end), (looked_at as u64).saturating_mul(stride));
            let (shard, within) = found.ok_or_else(|| runner.unasked())?;
            let len = (within.end - within.start).div_ceil(stride) as usize;
            let arguments = with_filter!(filter => SelectEntries {
                entries: &shard.positions,
                root_multiplicities: &shard.multiplicities,
                successors: &buffers.levels[0].positions,
                successor_roots: &buffers.levels[0].roots,
                selected_multiplicities: &self.multiplicities,
                selected_count: &self.count,
                first: within.start as u32,
                end: len as u32,
                stride: stride as u32,
                capacity: capacity as u32,
            });
            // SAFETY: the shard has these entries, and the kernel selects no more than there is room for.
            unsafe { runner.launch(len, arguments) }.await?;
            let count = runner.read("the number of parents", &self.count, 0, 1).await?;
            let count = count.first().map_or(0, |&count| count as usize);
            if count > capacity && len <= rest {
                return Err(runner.wrong(format!("it selected {count} of {len} parents.")));
            }
            if count > capacity {
                runner.write("the number of parents", &self.count, &[selected.len as u32])?;
                most = len as f64 / 2.0;
                continue;
            }
            let more = count.checked_sub(selected.len).ok_or_else(|| runner.unasked())?;
            // Some more may be selected next time.
            self.density = (1.2 * more as f64 / len as f64).clamp(1e-6, 1.0);
            selected = ParentBatch { end: selected.end + len as u64 * stride, len: count, first: None };
            most = f64::INFINITY;
        }
        Ok(selected)
    }
}
