//! Inserts candidates into the successors' shards.
//!
//! If there are several shards, the candidates are first sorted by shard, so that each shard's kernels get only its own
//! candidates. The host does not know how many these are, so it launches as many work-items as there are on average, which
//! take turns.

use kogge_board::merge::Filter;

use super::candidates::{Candidates, Sorting};
use super::numbers::words;
use super::run::slots_of;
use super::shard::{Shard, Table};
use super::{Lists, Origin};
use crate::arguments::{Append, DropOthers, Insert, InsertSorted, NoteAppended, with_filter};
use crate::interface::Interface;
use crate::levels::Level;
use crate::runner::{Retry, Runner};
use crate::session::Session;

impl<I: Interface> Lists<I> {
    async fn give(&mut self, runner: &mut Runner<I>, multiplicities: &[u128]) -> Result<(), Retry> {
        let words: Vec<[u32; 4]> = multiplicities.iter().map(words).collect();
        let given = match self.given.take().filter(|given| given.len() >= words.len()) {
            Some(given) => given,
            None => runner
                .list_buffer("root_multiplicities", words.len())
                .await
                .map_err(|failure| runner.failed("to make room for multiplicities", failure))?,
        };
        runner.write("multiplicities", &given, &words)?;
        self.given = Some(given);
        Ok(())
    }

    /// Adds the first `len` positions of a level to the successors, those from the host all, successors of parents if they are
    /// kept. Each has the multiplicity of its root. The table uses only these bits of the hash to find a slot.
    pub(crate) async fn insert(
        &mut self,
        session: &mut Session<I>,
        level: usize,
        len: usize,
        origin: Origin<'_>,
        hash_mask: u32,
    ) -> Result<(), Retry> {
        if let Origin::Given(multiplicities) = origin {
            self.give(&mut session.runner, multiplicities).await?;
        }
        // After a failure, candidates may keep multiplicities, and are not used again.
        let data = self.candidates.take();
        self.insert_candidates(session, level, len, origin, hash_mask, data.as_ref()).await?;
        self.candidates = data;
        Ok(())
    }

    /// See [`Lists::insert`].
    async fn insert_candidates(
        &self,
        session: &mut Session<I>,
        level: usize,
        len: usize,
        origin: Origin<'_>,
        hash_mask: u32,
        data: Option<&Candidates<I>>,
    ) -> Result<(), Retry> {
        let (runner, buffers) = session.work(level + 1, len, 0)?;
        let Self { successors: Some(list), selection: Some(selection), tables, .. } = self else {
            return Err(runner.unasked());
        };
        let shards = list.shards.len();
        let has_room = |data: &&Candidates<I>| {
            let is_sorted = shards == 1 || data.sorting.is_some();
            is_sorted && len <= data.taken.len() && tables.iter().all(|table| len <= table.candidates)
        };
        let Some(data) = data.filter(has_room) else { return Err(runner.unasked()) };
        let (first, root_multiplicities) = match origin {
            Origin::Parents(first) => {
                let found = self.parents.as_ref().and_then(|parents| parents.first_of(&(first..first + 1), 1));
                found.map_or((0, None), |(shard, within)| (within.start as u32, Some(&shard.multiplicities)))
            }
            Origin::Selected => (0, Some(&selection.multiplicities)),
            Origin::Given(_) => (0, self.given.as_ref()),
        };
        let filter = if let Origin::Given(_) = origin { Filter::All } else { self.filter };
        let Some(root_multiplicities) = root_multiplicities else { return Err(runner.unasked()) };
        let Level { positions, roots, .. } = &buffers.levels[level];
        let Candidates { multiplicities: candidate_multiplicities, taken, sorting, unsorted } = data;
        if let Filter::Reaching { plies: 1.., .. } = filter {
            let drop = with_filter!(filter => DropOthers { positions, successor_roots: roots, end: len as u32, });
            // SAFETY: there are as many candidates, and the kernel accesses only them.
            unsafe { runner.launch(len, drop) }.await?;
        }
        let (kept_counts, sorting) = (&selection.kept_counts, sorting.as_ref().filter(|_| shards > 1));
        if let Some(sorting) = sorting {
            sorting.sort(runner, &buffers.levels[level], len, shards, filter, kept_counts).await?;
        }
        let average = len.div_ceil(shards.max(1));
        for (index, (Table { slots, len: len_of_table, state, .. }, shard)) in
            tables.iter().zip(&list.shards).enumerate()
        {
            let Shard { positions: entries, multiplicities, capacity, .. } = shard;
            let (capacity, mut slot_count, merge_state) = (*capacity as u32, *len_of_table, state);
            if self.in_runs {
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
                keeps_slots: (!self.in_runs).into(),
                capacity,
            };
            // SAFETY: each candidate has taken one slot or none, and the kernel writes no more entries than the shard has room for.
            unsafe { runner.launch(average, append) }.await?;
            // SAFETY: the kernel accesses only the words of the state.
            unsafe { runner.launch(1, NoteAppended { merge_state, capacity }) }.await?;
        }
        Ok(())
    }
}
