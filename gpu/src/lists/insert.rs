//! Inserts candidates into the shards of a list.
//!
//! If there are several shards, the candidates are first sorted by shard, so that each shard's kernels get only its own
//! candidates. The host does not know how many these are, so it launches as many work-items as there are on average, which
//! take turns.

use kogge_board::merge::Filter;

use super::candidates::{Candidates, Sorting};
use super::hashed::HashedList;
use super::shard::{Shard, Table, slots_of};
use super::sums::Weights;
use crate::arguments::{Append, DropOthers, Insert, InsertSorted, NoteAppended, with_filter};
use crate::buffer::Buffer;
use crate::interface::Interface;
use crate::levels::Level;
use crate::runner::Retry;
use crate::session::Session;

/// What an insertion needs besides the list.
pub(super) struct Inserter<'a, I: Interface> {
    pub(super) candidates: &'a mut Option<Candidates<I>>,
    /// The number of each root's kept successors.
    pub(super) kept_counts: &'a Buffer<I, u32>,
    /// The candidates that are kept.
    pub(super) filter: Filter,
    /// The tables use only these bits of the hash to find a slot.
    pub(super) hash_mask: u32,
}

impl<I: Interface> Inserter<'_, I> {
    /// Adds the first `len` positions of a level to a list, if they are kept. Each has the multiplicity of its root.
    pub(super) async fn insert(
        &mut self,
        session: &mut Session<I>,
        into: &HashedList<I>,
        level: usize,
        len: usize,
        weights: &Weights<'_, I>,
    ) -> Result<(), Retry> {
        let (runner, buffers) = session.work(level + 1, len, 0)?;
        let (&HashedList { ref list, ref tables, is_run }, &mut Self { kept_counts, filter, hash_mask, .. }) =
            (into, &mut *self);
        let shards = list.shards.len();
        let has_room = |data: &Candidates<I>| {
            let is_sorted = shards == 1 || shards > 1 && data.sorting.is_some();
            is_sorted && len <= data.taken.len() && tables.iter().all(|table| len <= table.candidates)
        };
        // After a failure, candidates may keep multiplicities, and are not used again.
        let Some(data) = self.candidates.take().filter(has_room) else { return Err(runner.unasked()) };
        let (first, root_multiplicities) = (weights.first as u32, weights.multiplicities);
        let Level { positions, roots, .. } = &buffers.levels[level];
        let Candidates { multiplicities: candidate_multiplicities, taken, sorting, unsorted } = &data;
        if let Filter::Reaching { plies: 1.., .. } = filter {
            let drop = with_filter!(filter => DropOthers { positions, successor_roots: roots, end: len as u32, });
            // SAFETY: there are as many candidates, and the kernel accesses only them.
            unsafe { runner.launch(len, drop) }.await?;
        }
        let sorting = sorting.as_ref().filter(|_| shards > 1);
        if let Some(sorting) = sorting {
            sorting.sort(runner, &buffers.levels[level], len, shards, filter, kept_counts).await?;
        }
        let average = len.div_ceil(shards.max(1));
        for (index, (Table { slots, len: len_of_table, state, .. }, shard)) in
            tables.iter().zip(&list.shards).enumerate()
        {
            let Shard { positions: entries, multiplicities, capacity, .. } = shard;
            let (capacity, mut slot_count, merge_state) = (*capacity as u32, *len_of_table, state);
            if is_run {
                slot_count = slot_count.min(slots_of(len));
                runner.clear("the hash table", slots, slot_count)?;
            }
            let slot_count = slot_count as u32;
            match sorting {
                None => {
                    let insert = with_filter!(filter => Insert {
                        positions,
                        roots,
                        root_multiplicities,
                        slots,
                        entries,
                        multiplicities,
                        candidate_multiplicities,
                        taken,
                        merge_state,
                        kept_counts,
                        first,
                        end: len as u32,
                        hash_mask,
                        slot_count,
                    });
                    // SAFETY: there are as many candidates, whose roots have multiplicities and, if not all are kept, a number. A slot
                    // holds a candidate of this launch or an entry of the shard, since `append` frees the slots of candidates that
                    // did not fit.
                    unsafe { runner.launch(len, insert) }.await?;
                }
                Some(Sorting { sorted, .. }) => {
                    let insert = InsertSorted {
                        positions,
                        roots,
                        root_multiplicities,
                        slots,
                        entries,
                        multiplicities,
                        candidate_multiplicities,
                        taken,
                        merge_state,
                        sorted,
                        first,
                        shard_index: index as u32,
                        shard_count: shards as u32,
                        hash_mask,
                        slot_count,
                    };
                    // SAFETY: as above, and the sorted numbers are those of candidates.
                    unsafe { runner.launch(average, insert) }.await?;
                }
            }
            let append = Append {
                positions,
                taken_multiplicities: candidate_multiplicities,
                taken,
                sorted: sorting.map_or(unsorted, |sorting| &sorting.sorted),
                slots,
                successors: entries,
                new_multiplicities: multiplicities,
                merge_state,
                end: len as u32,
                shard_index: index as u32,
                shard_count: shards as u32,
                keeps_slots: (!is_run).into(),
                capacity,
            };
            // SAFETY: each candidate has taken one slot or none, and the kernel writes no more entries than the shard has room for.
            unsafe { runner.launch(average, append) }.await?;
            // SAFETY: the kernel accesses only the words of the state.
            unsafe { runner.launch(1, NoteAppended { merge_state, capacity }) }.await?;
        }
        *self.candidates = Some(data);
        Ok(())
    }
}
