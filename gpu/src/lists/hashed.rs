//! A list that is being made, with the hash tables that find its entries.

use kogge_board::merge::MergeError;

use super::candidates::Candidates;
use super::list::List;
use super::numbers::{low_halves, sums_of};
use super::shard::{FRESH, FULL, LEN, OVERFLOW, STATE, Shard, Table};
use super::sums::{Sums, add_up};
use crate::arguments::CountDiagrams;
use crate::interface::{Failure, Interface};
use crate::runner::{Retry, Runner};
use crate::session::Session;

/// The shards and tables to make.
pub(super) struct ListPlan {
    pub(super) shards: usize,
    /// The capacity of each shard, and the entries of a new shard's buffers.
    pub(super) capacity: u64,
    pub(super) new_capacity: u64,
    /// The slots of each table, and the slots of a new table's buffer.
    pub(super) slots: usize,
    pub(super) new_slots: usize,
    /// The maximum number of candidates of an insertion.
    pub(super) candidates: usize,
}

/// A list with a table for each shard.
pub(super) struct HashedList<I: Interface> {
    pub(super) list: List<I>,
    /// Kept for reuse when the list becomes the parents, because some drivers take milliseconds to allocate a buffer.
    pub(super) tables: Vec<Table<I>>,
    /// Whether the list is that of a run. Then the tables are cleared before each insertion.
    pub(super) is_run: bool,
}

impl<I: Interface> HashedList<I> {
    pub(super) const fn empty(is_run: bool) -> Self {
        Self { list: List::empty(), tables: Vec::new(), is_run }
    }

    /// Makes the shards and tables that are missing. The contents are undefined until [`HashedList::clear`].
    pub(super) async fn make(&mut self, runner: &mut Runner<I>, plan: &ListPlan) -> Result<(), Failure> {
        let &ListPlan { shards, capacity, new_capacity, slots, new_slots, candidates } = plan;
        for index in 0..shards {
            match self.tables.get_mut(index) {
                Some(table) => (table.len, table.candidates) = (slots, candidates),
                None => self.tables.push(Table {
                    slots: runner.list_buffer("slots", new_slots).await?,
                    len: slots,
                    candidates,
                    state: runner.list_buffer("merge_state", STATE).await?,
                }),
            }
            if self.list.shards.len() == index {
                self.list.shards.push(Shard::new(runner, new_capacity).await?);
            }
        }
        self.list.shards.iter_mut().for_each(|shard| shard.capacity = capacity);
        Ok(())
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self, runner: &mut Runner<I>) -> Result<(), Retry> {
        (self.list.order, self.list.in_runs) = (None, None);
        self.list.shards.iter_mut().for_each(|shard| shard.len = 0);
        for table in &self.tables {
            if !self.is_run {
                runner.clear("the hash table", &table.slots, table.len)?;
            }
            runner.clear("the state of the list", &table.state, STATE)?;
        }
        Ok(())
    }

    /// The number of entries for which the list or its tables have buffers.
    pub(super) fn room(&self) -> u64 {
        let slots = self.tables.iter().map(|table| table.slots.len() as u64).sum::<u64>();
        self.list.room().max(slots / 2)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.list.bytes() + self.tables.iter().map(|table| table.slots.bytes()).sum::<u64>()
    }

    /// Returns the maximum number of candidates of an insertion.
    pub(super) fn most_candidates(&self, candidates: Option<&Candidates<I>>) -> usize {
        let tables = self.tables.iter().map(|table| table.candidates);
        tables.chain([candidates.map_or(0, |candidates| candidates.taken.len())]).min().unwrap_or(0)
    }

    /// Waits for all insertions and sums. Returns the number of entries, and the sums of the first kinds if they fit in 128 bits.
    pub(super) async fn inserted<const KINDS: usize>(
        &mut self,
        session: &mut Session<I>,
        sums: &Sums<I>,
    ) -> Result<(u64, [u128; KINDS]), MergeError> {
        let mut states = vec![[0; STATE]; self.list.shards.len().min(self.tables.len())];
        let mut found = vec![[0; 8]; if KINDS == 0 { 0 } else { sums_of(KINDS) }];
        let readings = states.iter_mut().zip(&self.tables).map(|(state, table)| table.state.reading(0, state));
        let readings = readings.chain([sums.buffer.reading(0, &mut found)]);
        let read = session.runner.read_all("the number of positions", readings).await;
        let sums = match read.and_then(|()| add_up(session, &found)) {
            Err(Retry::Error(error)) => return Err(error.into()),
            Err(Retry::OutOfMemory | Retry::Overflow) => return Err(MergeError::Full),
            Ok(sums) => sums,
        };
        for (shard, state) in self.list.shards.iter_mut().zip(states) {
            shard.len = match (state[OVERFLOW], state[FULL]) {
                (0, 0) => state[LEN].into(),
                (0, _) => return Err(MergeError::Full),
                _ => return Err(MergeError::Overflow),
            };
        }
        Ok((self.list.len(), low_halves(&sums).ok_or(MergeError::Overflow)?))
    }

    /// Counts the diagrams, which are the entries without castling rights and en passant, in one of `parts` equal parts. Afterwards the
    /// tables do not find entries any more, so nothing may be inserted until the list is made again. The tables use only these bits of
    /// the hash to find a slot.
    ///
    /// Each entry looks for the slot of its diagram in the table, which is cleared before, and takes the slot if it is the first entry
    /// with this diagram. The entries do not change meanwhile. Equal diagrams lie in one shard, since a hash of the diagram assigns an
    /// entry to its shard.
    pub(super) async fn diagrams(
        &self,
        runner: &mut Runner<I>,
        part: u32,
        parts: u32,
        hash_mask: u32,
    ) -> Result<u64, Retry> {
        let shards = || self.list.shards.iter().zip(&self.tables);
        for (shard, table) in shards() {
            runner.clear("the hash table", &table.slots, table.len)?;
            runner.clear("the state of the list", &table.state, STATE)?;
            let arguments = CountDiagrams {
                slots: &table.slots,
                entries: &shard.positions,
                merge_state: &table.state,
                end: shard.len as u32,
                hash_mask,
                slot_count: table.len as u32,
                part,
                parts,
            };
            // SAFETY: the shard has these entries and the table these slots, which hold numbers of the entries.
            unsafe { runner.launch(shard.len as usize, arguments) }.await?;
        }
        let mut diagrams = 0;
        for (shard, table) in shards() {
            let state = runner.read("the number of diagrams", &table.state, 0, STATE).await?;
            let found = u64::from(state[FRESH]);
            // The table has more slots than there are entries.
            if state[FULL] != 0 || found > shard.len {
                return Err(runner.wrong(format!("it found {found} diagrams or more in {} positions.", shard.len)));
            }
            diagrams += found;
        }
        Ok(diagrams)
    }
}
