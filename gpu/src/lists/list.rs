//! The list of a ply's entries, in shards that fit in the device's largest buffer.

use std::ops::Range;

use kogge_board::{BackendError, Planes32};

use super::numbers::number;
use super::order::Order;
use super::shard::{PARTS, Shard, planes_of};
use super::sums::Weights;
use crate::arguments::LoadEntries;
use crate::interface::{Failure, Interface};
use crate::runner::{Retry, Runner};
use crate::session::Session;

/// The entries of a ply. Entries are numbered through all shards.
pub(crate) struct List<I: Interface> {
    pub(super) shards: Vec<Shard<I>>,
    /// Whether leaves below the entries are counted in runs, if that was asked before. All parts of a list must be counted in the same
    /// way, since a part of the order has other entries than a part of the list.
    pub(super) in_runs: Option<bool>,
    /// The order of the entries by the other side's pieces, if it was needed.
    pub(super) order: Option<Order<I>>,
}

/// Some entries of a list, which lie in one shard.
pub(crate) struct Batch<'a, I: Interface> {
    shard: &'a Shard<I>,
    /// Where they lie in the shard.
    within: Range<u64>,
    /// The index after them in the list.
    pub(crate) end: u64,
}

impl<I: Interface> List<I> {
    pub(super) const fn empty() -> Self {
        Self { shards: Vec::new(), in_runs: None, order: None }
    }

    pub(super) fn bytes(&self) -> u64 {
        let shards = self.shards.iter().map(|shard| shard.positions.bytes() + shard.multiplicities.bytes());
        shards.sum::<u64>() + self.order.as_ref().map_or(0, Order::bytes)
    }

    pub(super) fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.len).sum()
    }

    pub(super) fn layout(&self, entries: u64) -> Layout {
        Layout::in_shards(entries, self.shards.len() as u64)
    }

    /// The number of entries for which the list has buffers.
    pub(super) fn room(&self) -> u64 {
        self.shards.iter().map(Shard::room).sum()
    }

    /// Whether the entries fit in the list, which may be much larger or not. Ranges of a ply follow each other, and some drivers take seconds to
    /// allocate large buffers.
    pub(super) fn fits(&self, entries: u64, may_be_larger: bool) -> bool {
        let capacity = self.layout(entries).capacity;
        let largest = if may_be_larger { u64::MAX } else { capacity + capacity / 2 };
        !self.shards.is_empty() && self.shards.iter().all(|shard| (capacity..=largest).contains(&shard.room()))
    }

    /// Returns the shard of the first of these entries, and the first entries within it, at most `most`.
    pub(super) fn first_of(&self, entries: &Range<u64>, most: u64) -> Option<(&Shard<I>, Range<u64>)> {
        let mut start = entries.start;
        for shard in &self.shards {
            if start < shard.len {
                let len = entries.end.saturating_sub(entries.start).min(most).min(shard.len - start);
                return Some((shard, start..start + len));
            }
            start -= shard.len;
        }
        None
    }

    /// Returns the first of these entries, at most `most`, that lie in one shard.
    pub(crate) fn batch(&self, runner: &Runner<I>, entries: &Range<u64>, most: usize) -> Result<Batch<'_, I>, Retry> {
        let (shard, within) = self.first_of(entries, most as u64).ok_or_else(|| runner.unasked())?;
        let end = entries.start + within.end - within.start;
        Ok(Batch { shard, within, end })
    }

    /// Puts the entries in order, unless they are.
    pub(super) async fn put_in_order(&mut self, runner: &mut Runner<I>) -> Result<(), Retry> {
        if self.order.as_ref().is_none_or(|order| order.len != self.len()) {
            self.order = None;
            self.order = Some(Order::of(runner, &self.shards).await?);
        }
        Ok(())
    }
}

impl<'a, I: Interface> Batch<'a, I> {
    pub(crate) fn weights(&self) -> Weights<'a, I> {
        let Range { start: first, end } = self.within;
        Weights { multiplicities: &self.shard.multiplicities, first, len: (end - first) as usize }
    }

    /// Loads the entries into level 0, each a root of its own, and clears all totals.
    pub(crate) async fn load(&self, session: &mut Session<I>) -> Result<(), Retry> {
        let Weights { first, len, .. } = self.weights();
        let (runner, buffers) = session.work(1, len, 0)?;
        runner.clear("the totals", &buffers.totals, len + 1)?;
        let arguments = LoadEntries {
            entries: &self.shard.positions,
            successors: &buffers.levels[0].positions,
            successor_roots: &buffers.levels[0].roots,
            first: first as u32,
            end: len as u32,
        };
        // SAFETY: the shard has these entries, and the level has room for as many.
        unsafe { runner.launch(len, arguments) }.await
    }

    /// Reads the entries.
    pub(crate) async fn read(&self, runner: &mut Runner<I>) -> Result<Vec<(Planes32, u128)>, BackendError> {
        let Weights { multiplicities, first, len } = self.weights();
        let first = first as usize;
        let read = async {
            let positions = runner.read("positions", &self.shard.positions, first * PARTS, len * PARTS).await?;
            Ok((positions, runner.read("multiplicities", multiplicities, first, len).await?))
        };
        match read.await {
            Ok((positions, multiplicities)) => {
                let planes = positions.chunks(PARTS).map(planes_of);
                Ok(planes.zip(multiplicities.iter().map(number)).collect())
            }
            Err(Retry::Error(error)) => Err(error),
            Err(Retry::OutOfMemory | Retry::Overflow) => {
                Err(runner.error("giving back positions", Failure::OutOfMemory))
            }
        }
    }
}

/// How many entries a list holds, and in how many shards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    pub(super) shards: u64,
    /// The capacity of each shard.
    pub(super) capacity: u64,
}

impl Layout {
    /// Returns the layout of a list of `entries` entries, if a shard has room for `most`.
    pub(super) fn of(entries: u64, most: u64) -> Self {
        let shards = if entries <= most { 1 } else { entries.div_ceil(filled(most)) };
        let Self { capacity, .. } = Self::in_shards(entries, shards);
        Self { shards, capacity: capacity.min(most) }
    }

    fn in_shards(entries: u64, shards: u64) -> Self {
        let each = entries.div_ceil(shards.max(1));
        Self { shards, capacity: if shards > 1 { each + spare(each) } else { entries } }
    }

    /// Returns the number of entries that fit in shards of `total` entries together, if a shard has room for `most`.
    pub(super) fn entries(total: u64, most: u64) -> u64 {
        if total <= most {
            return total;
        }
        let shards = total.div_ceil(most.max(1));
        shards * filled(total / shards)
    }
}

/// The capacity of a shard beyond its average number of entries, since hashes spread entries at random: six standard deviations and
/// more.
const fn spare(entries: u64) -> u64 {
    entries / 64 + 6 * entries.isqrt()
}

/// Returns the number of entries for which a shard with this capacity is made.
fn filled(capacity: u64) -> u64 {
    capacity.saturating_sub(spare(capacity)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_in_memory_has_a_layout_that_fits() {
        for most in [100, 4096, 67_108_863] {
            for total in [0, 1, 99, 100, 101, 4096, 1 << 20, 67_108_863, 67_108_864, 1 << 31] {
                let entries = Layout::entries(total, most);
                let layout = Layout::of(entries, most);
                assert!(layout.capacity <= most, "{total} {most} {layout:?}");
                assert!(layout.shards * layout.capacity >= entries, "{total} {most} {layout:?}");
                assert!(layout.shards * layout.capacity <= total.max(1), "{total} {most} {layout:?}");
            }
        }
        assert_eq!(Layout::of(67_108_863, 67_108_863), Layout { shards: 1, capacity: 67_108_863 });
        assert_eq!(Layout::of(96_400_068, 67_108_863).shards, 2);
    }
}
