//! The memory of runs: consecutive parents, in the order of the other side's pieces, whose successors are merged with each other
//! alone.

use kogge_board::merge::Kept;

use super::candidates::Candidates;
use super::list::{List, Shard};
use super::selection::{SELECTION, Selection};
use super::{CANDIDATE, Lists, ORDER, STATE, Table};
use crate::buffer::Buffer;
use crate::interface::Interface;
use crate::levels::Sizes;
use crate::runner::Halt;
use crate::session::Session;
use crate::settings::HostSettings;

/// The least room of a run.
const LEAST_ROOM: u64 = 1 << 9;

/// A run has room for at least this part of the candidates of an insertion: as a rule, a third of them differ.
const LEAST_SHARE: u64 = 8;

/// The list of a run's successors, its table, and the data of its parents and candidates.
pub(super) struct Run<I: Interface> {
    list: Option<List<I>>,
    tables: Vec<Table<I>>,
    selection: Option<Selection<I>>,
    candidates: Option<Candidates<I>>,
    /// The successors that expansions keep outside of runs. In runs all are kept.
    kept: Kept,
}

impl<I: Interface> Run<I> {
    /// Returns the bytes of all buffers.
    pub(super) fn bytes(&self) -> u64 {
        let tables = self.tables.iter().map(|table| table.slots.bytes());
        let candidates = self.candidates.as_ref().map_or(0, |candidates| candidates.taken.len() as u64 * CANDIDATE);
        let selection = self.selection.as_ref().map_or(0, |selection| selection.kept_counts.len() as u64 * SELECTION);
        self.list.as_ref().map_or(0, List::bytes) + tables.sum::<u64>() + candidates + selection
    }
}

impl<I: Interface> Lists<I> {
    /// Returns the room of a run's list, if leaves this many plies below the successors are counted in runs: if there are many
    /// successors, and memory for a run.
    ///
    /// The answer for a list at these depths stays the same. If memory runs out later, smaller buffers are needed.
    pub(crate) fn run_entries(&mut self, session: &Session<I>, depth: u32) -> Result<Option<u64>, Halt> {
        let settings = &session.runner.settings;
        let Some(list) = &self.successors else { return Ok(None) };
        if depth < settings.runs.depth || list.len() < settings.runs.from || list.in_runs == Some(false) {
            return Ok(None);
        }
        let sizes = session.fitting(2)?;
        let order = if list.order.is_some() { 0 } else { ORDER * list.len() };
        let used = self.used(session, 0) + list.bytes() - self.run.as_ref().map_or(0, Run::bytes);
        let used = used + self.tables.iter().map(|table| table.slots.bytes()).sum::<u64>() + order;
        let free = self.memory.saturating_sub(used + Self::run_bytes(settings, &sizes, 0));
        let most = self.run_room.min(Self::most_of_shard(settings, sizes.positions as u64));
        let entries = most.min(free / Self::entry_bytes(settings));
        // Much smaller runs would hold few candidates.
        let least = most.min(sizes.positions as u64 / LEAST_SHARE);
        let entries = Some(entries).filter(|&entries| entries >= least);
        if entries.is_none() && list.in_runs == Some(true) {
            return Err(Halt::OutOfMemory);
        }
        if let Some(list) = &mut self.successors {
            list.in_runs = Some(entries.is_some());
        }
        Ok(entries)
    }

    /// Frees the memory of runs and halves the room of the next, because memory ran out with this room. A list that has no order yet will
    /// not be counted in runs.
    ///
    /// # Errors
    /// If the room is small already.
    pub(crate) fn shrink_runs(&mut self, entries: u64) -> Result<(), Halt> {
        (self.run, self.run_room) = (None, entries / 2);
        match &mut self.successors {
            Some(list) if list.order.is_none() => list.in_runs = Some(false),
            _ if self.run_room < LEAST_ROOM => return Err(Halt::OutOfMemory),
            _ => {}
        }
        Ok(())
    }

    /// Makes the successors the parents, puts them in order, and makes the list of a run, with this room, the successors.
    /// [`Lists::leave_runs`] must be called afterwards, even after an error.
    pub(crate) async fn enter_runs(&mut self, session: &mut Session<I>, entries: u64) -> Result<(), Halt> {
        let run = self.run.take();
        self.ancestors.push(self.parents.take());
        self.parents = self.successors.take();
        let outer = Run {
            list: None,
            tables: std::mem::take(&mut self.tables),
            selection: self.selection.take(),
            candidates: self.candidates.take(),
            kept: std::mem::replace(&mut self.kept, Kept::All),
        };
        (self.run, self.in_runs) = (Some(outer), true);
        if let Some(Run { list, tables, selection, candidates, .. }) = run {
            (self.successors, self.tables, self.selection, self.candidates) = (list, tables, selection, candidates);
        }
        self.order_parents(&mut session.runner).await?;
        self.make_run(session, entries).await
    }

    /// Returns the bytes of a successor in the list of a run, which is not in the table any more.
    fn entry_bytes(settings: &HostSettings) -> u64 {
        settings.form.bytes() as u64 + 16
    }

    /// Returns the bytes of all buffers of runs with this room.
    pub(super) fn run_bytes(settings: &HostSettings, sizes: &Sizes, entries: u64) -> u64 {
        let candidates = sizes.positions as u64 * CANDIDATE + 4 * Self::run_slots(sizes) as u64;
        entries * Self::entry_bytes(settings) + candidates + sizes.roots as u64 * SELECTION
    }

    /// Returns the slots of the table of a run. It has only the candidates of one insertion, and at least one slot is free even if they
    /// all differ; mostly less than half of them differ. A small table stays in a large GPU's cache.
    const fn run_slots(sizes: &Sizes) -> usize {
        sizes.positions / 4 * 5 + 1
    }

    /// Makes the list of a run, unless there is one with this room.
    async fn make_run(&mut self, session: &mut Session<I>, entries: u64) -> Result<(), Halt> {
        let sizes = session.sizes;
        let (room, slots) = (entries as usize, Self::run_slots(&sizes));
        let parts = session.runner.settings.form.parts();
        let runner = &mut session.runner;
        let interface = &mut runner.interface;
        let made = async {
            if self.candidates.as_ref().is_none_or(|candidates| candidates.taken.len() < sizes.positions) {
                self.candidates = None;
                let candidates = Candidates::new(interface, sizes.positions).await?;
                interface.clear(&candidates.multiplicities.raw, candidates.multiplicities.bytes())?;
                self.candidates = Some(candidates);
            }
            if self.selection.as_ref().is_none_or(|selection| selection.multiplicities.len() < sizes.roots) {
                self.selection = Some(Selection::new(interface, sizes.roots).await?);
            }
            let fits = |list: &List<I>| list.shards.first().is_some_and(|shard| shard.room == entries);
            if self.successors.as_ref().is_none_or(|list| !fits(list))
                || self.tables.iter().all(|table| table.len < slots)
            {
                (self.successors, self.tables) = (None, Vec::new());
                let (slots, len) = (Buffer::new(interface, "slots", slots).await?, slots);
                self.tables.push(Table { slots, len, state: Buffer::new(interface, "merge_state", STATE).await? });
                self.successors = Some(List {
                    shards: vec![Shard::new(interface, room as u64, parts).await?],
                    in_runs: None,
                    order: None,
                });
            }
            Ok(())
        };
        made.await.map_err(|failure| runner.halt("to make room for positions", failure))
    }

    /// Empties the list of a run.
    pub(crate) fn clear_run(&mut self, session: &mut Session<I>) -> Result<(), Halt> {
        for table in &self.tables {
            session.runner.clear("the state of the list", &table.state, STATE)?;
        }
        self.successors.iter_mut().flat_map(|list| &mut list.shards).for_each(|shard| shard.len = 0);
        Ok(())
    }

    /// Makes the plies the parents and the successors again that were so before [`Lists::enter_runs`].
    pub(crate) fn leave_runs(&mut self) {
        let Some(outer) = self.run.take() else { return };
        let run = Run {
            list: self.successors.take(),
            tables: std::mem::replace(&mut self.tables, outer.tables),
            selection: std::mem::replace(&mut self.selection, outer.selection),
            candidates: std::mem::replace(&mut self.candidates, outer.candidates),
            kept: std::mem::replace(&mut self.kept, outer.kept),
        };
        self.successors = self.parents.take();
        self.parents = self.ancestors.pop().flatten();
        (self.run, self.in_runs) = (Some(run), false);
    }
}
