//! The memory of runs: consecutive parents, in the order of the other side's pieces, whose successors are merged with each other
//! alone.

use kogge_board::merge::Kept;

use super::candidates::{CANDIDATE, Candidates};
use super::list::List;
use super::selection::{SELECTION, Selection};
use super::table::Table;
use crate::interface::Interface;
use crate::levels::Sizes;
use crate::settings::HostSettings;

/// The list of a run's successors, its table, and the data of its parents and candidates.
pub(super) struct Run<I: Interface> {
    pub(super) list: Option<List<I>>,
    pub(super) tables: Vec<Table<I>>,
    pub(super) selection: Option<Selection<I>>,
    pub(super) candidates: Option<Candidates<I>>,
    /// The successors that expansions keep outside of runs. In runs all are kept.
    pub(super) kept: Kept,
}

impl<I: Interface> Run<I> {
    /// Returns the bytes of all buffers.
    pub(super) fn bytes(&self) -> u64 {
        let tables = self.tables.iter().map(|table| table.slots.bytes());
        let candidates = self.candidates.as_ref().map_or(0, |candidates| candidates.taken.len() as u64 * CANDIDATE);
        let selection = self.selection.as_ref().map_or(0, |selection| selection.kept_counts.len() as u64 * SELECTION);
        self.list.as_ref().map_or(0, List::bytes) + tables.sum::<u64>() + candidates + selection
    }

    /// Returns the bytes of a successor in the list of a run, which is not in the table any more.
    pub(super) fn entry_bytes(settings: &HostSettings) -> u64 {
        settings.form.bytes() as u64 + 16
    }

    /// Returns the bytes of all buffers of runs with this room.
    pub(super) fn bytes_with(settings: &HostSettings, sizes: &Sizes, entries: u64) -> u64 {
        let candidates = sizes.positions as u64 * CANDIDATE + 4 * slots_of(sizes.positions) as u64;
        entries * Self::entry_bytes(settings) + candidates + sizes.roots as u64 * SELECTION
    }
}

/// Returns the slots of the table of a run for an insertion of this many candidates. The table holds only these candidates, and at least
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
