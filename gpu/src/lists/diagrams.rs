//! Counts the diagrams of a ply: its positions without castling rights and en passant.
//!
//! Each entry looks for the slot of its diagram in the table, which is cleared before, and takes the slot if it is the first entry with
//! this diagram. The entries do not change meanwhile. Equal diagrams lie in one shard, since a hash of the diagram assigns an entry to its
//! shard.

use super::Lists;
use super::shard::{FRESH, FULL, STATE};
use crate::arguments::CountDiagrams;
use crate::interface::Interface;
use crate::runner::Retry;
use crate::session::Session;

impl<I: Interface> Lists<I> {
    /// Counts the diagrams of all successors in one of `parts` equal parts. Afterwards the tables do not find entries any more, so nothing
    /// may be inserted until there is [new room](Lists::reserve). The tables use only these bits of the hash to find a slot.
    pub(crate) async fn diagrams(
        &self,
        session: &mut Session<I>,
        part: u32,
        parts: u32,
        hash_mask: u32,
    ) -> Result<u64, Retry> {
        let runner = &mut session.runner;
        let shards = || self.successors.iter().flat_map(|list| &list.shards).zip(&self.tables);
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
