//! The memory of runs: consecutive parents, in the order of the other side's pieces, whose successors are merged with each other alone.

use kogge_board::merge::Filter;

use super::list::List;
use super::shard::{POSITION, Table};
use crate::interface::Interface;
use crate::levels::Sizes;

/// The list of a run's successors and its table. Candidates and selected parents have the same buffers in runs and outside of them.
pub(super) struct Run<I: Interface> {
    pub(super) list: Option<List<I>>,
    pub(super) tables: Vec<Table<I>>,
    /// The successors that expansions keep outside of runs. In runs all are kept.
    pub(super) filter: Filter,
}

impl<I: Interface> Run<I> {
    pub(super) fn bytes(&self) -> u64 {
        let tables = self.tables.iter().map(|table| table.slots.bytes());
        self.list.as_ref().map_or(0, List::bytes) + tables.sum::<u64>()
    }

    /// Returns the bytes of a successor in the list of a run, which is not in the table any more.
    pub(super) fn entry_bytes() -> u64 {
        POSITION + 16
    }

    /// Returns the bytes of all buffers of runs with this capacity.
    pub(super) fn bytes_with(sizes: &Sizes, entries: u64) -> u64 {
        entries * Self::entry_bytes() + table_bytes(sizes, entries)
    }
}

pub(super) fn table_bytes(sizes: &Sizes, entries: u64) -> u64 {
    4 * slots_of(candidates_of(sizes, entries)) as u64
}

/// Returns the maximum number of candidates of an insertion into a run: its capacity, or what fits in a level.
pub(super) fn candidates_of(sizes: &Sizes, entries: u64) -> usize {
    let wanted = usize::try_from(entries).unwrap_or(usize::MAX);
    wanted.clamp(sizes.least_positions().min(sizes.positions), sizes.positions)
}

/// The slots of the table of a run for an insertion of `candidates` candidates. The table holds only these candidates, and at least
/// one slot is free even if they all differ; mostly less than half of them differ. A small table stays in a large GPU's cache.
pub(super) const fn slots_of(candidates: usize) -> usize {
    candidates / 4 * 5 + candidates % 4 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_stays_free() {
        assert!((0..100).all(|candidates| slots_of(candidates) > candidates));
        assert!((0..100).is_sorted_by_key(slots_of));
    }
}
