//! Counts leaves in runs: the successors become the parents, in order, and runs of them are expanded into a list of their own. A run is
//! some consecutive parents, whose successors are merged with each other alone.

use std::ops::Range;

use kogge_board::merge::Filter;

use super::list::List;
use super::order::{NUMBER, Order};
use super::run::{Run, candidates_of, slots_of, table_bytes};
use super::selection::Selection;
use super::shard::{STATE, Shard, Table};
use super::{Lists, Ply};
use crate::arguments::LoadOrdered;
use crate::interface::Interface;
use crate::runner::{Retry, Runner};
use crate::session::Session;

/// The least capacity of a run.
const LEAST_CAPACITY: u64 = 1 << 9;

/// The capacity that every run may have. The runs of a longer list may have as much capacity as the list has entries.
const USUAL_CAPACITY: u64 = 1 << 23;

/// A run has room for at least this part of the candidates of an insertion: as a rule, a third of them differ.
const LEAST_SHARE: u64 = 8;

impl<I: Interface> Lists<I> {
    /// The capacity of a run's list for counting `depth` plies below the successors, or `None` if runs would not pay: with few
    /// successors, or too little memory for a run. Frees the memory of an earlier run that does not fit beside this list.
    ///
    /// The answer for a list at these depths stays the same. If memory runs out later, smaller buffers are needed.
    pub(crate) fn run_entries(&mut self, session: &Session<I>, depth: u32) -> Result<Option<u64>, Retry> {
        let settings = &session.runner.settings;
        let Some(list) = &self.successors else { return Ok(None) };
        if depth < settings.runs.depth || list.len() < settings.runs.from || list.in_runs == Some(false) {
            return Ok(None);
        }
        let sizes = session.fitting(2)?;
        let order = if list.order.is_some() { 0 } else { NUMBER * list.len() };
        let used = self.used(session, 0) + list.bytes() - self.run.as_ref().map_or(0, Run::bytes);
        let used = used + self.tables.iter().map(|table| table.slots.bytes()).sum::<u64>() + order;
        // Lists of nearly the same length get the same capacity.
        let wanted = list.len().next_power_of_two().max(USUAL_CAPACITY).min(self.run_capacity);
        let most = wanted.min(Self::most_of_shard(settings, sizes.positions as u64));
        let free = self.memory.saturating_sub(used + table_bytes(&sizes, most));
        let entries = most.min(free / Run::<I>::entry_bytes());
        // Much smaller runs would hold few candidates.
        let least = most.min(candidates_of(&sizes, most) as u64 / LEAST_SHARE);
        let entries = Some(entries).filter(|&entries| entries >= least);
        if entries.is_none() && list.in_runs == Some(true) {
            return Err(Retry::OutOfMemory);
        }
        // An earlier run may have had more memory.
        if self.run.as_ref().is_some_and(|run| run.list.as_ref().map_or(0, List::bytes) > free) {
            self.run = None;
        }
        if let Some(list) = &mut self.successors {
            list.in_runs = Some(entries.is_some());
        }
        Ok(entries)
    }

    /// Frees the memory of runs and halves the capacity of the next, because memory ran out with this capacity. A list that has no order yet will
    /// not be counted in runs.
    ///
    /// # Errors
    /// If the capacity is small already.
    pub(crate) fn shrink_runs(&mut self, entries: u64) -> Result<(), Retry> {
        (self.run, self.run_capacity) = (None, entries / 2);
        match &mut self.successors {
            Some(list) if list.order.is_none() => list.in_runs = Some(false),
            _ if self.run_capacity < LEAST_CAPACITY => return Err(Retry::OutOfMemory),
            _ => {}
        }
        Ok(())
    }

    /// Makes the successors the parents, puts them in order, and makes the list of a run, with this capacity, the successors.
    /// [`Lists::leave_runs`] must be called afterwards, even after an error.
    pub(crate) async fn enter_runs(&mut self, session: &mut Session<I>, entries: u64) -> Result<(), Retry> {
        let run = self.run.take();
        self.ancestors.push(self.parents.take());
        self.parents = self.successors.take();
        let (tables, filter) = (std::mem::take(&mut self.tables), std::mem::replace(&mut self.filter, Filter::All));
        (self.run, self.in_runs) = (Some(Run { list: None, tables, filter }), true);
        if let Some(Run { list, tables, .. }) = run {
            (self.successors, self.tables) = (list, tables);
        }
        self.order_parents(&mut session.runner).await?;
        self.make_run(session, entries).await
    }

    /// Makes the list of a run, unless there is one with at least this capacity.
    async fn make_run(&mut self, session: &mut Session<I>, entries: u64) -> Result<(), Retry> {
        let sizes = session.sizes();
        let needed = candidates_of(&sizes, entries);
        let slots = slots_of(needed);
        // Further candidates of the parents' list are sorted, if it has several shards.
        let shards = self.parents.as_ref().map_or(1, |list| list.shards.len());
        let runner = &mut session.runner;
        self.provide_candidates(runner, needed, shards).await?;
        let made = async {
            if self.selection.as_ref().is_none_or(|selection| selection.multiplicities.len() < sizes.roots) {
                self.selection = Some(Selection::new(runner, sizes.roots).await?);
            }
            let fits = |list: &List<I>| list.shards.first().is_some_and(|shard| shard.capacity >= entries);
            if self.successors.as_ref().is_none_or(|list| !fits(list))
                || self.tables.iter().all(|table| table.len < slots)
            {
                (self.successors, self.tables) = (None, Vec::new());
                self.tables.push(Table {
                    slots: runner.list_buffer("slots", slots).await?,
                    len: slots,
                    candidates: needed,
                    state: runner.list_buffer("merge_state", STATE).await?,
                });
                self.successors =
                    Some(List { shards: vec![Shard::new(runner, entries).await?], in_runs: None, order: None });
            }
            Ok(())
        };
        made.await.map_err(|failure| runner.failed("to make room for positions", failure))
    }

    pub(crate) fn clear_run(&mut self, session: &mut Session<I>) -> Result<(), Retry> {
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
            filter: std::mem::replace(&mut self.filter, outer.filter),
        };
        self.successors = self.parents.take();
        self.parents = self.ancestors.pop().flatten();
        (self.run, self.in_runs) = (Some(run), false);
    }

    /// Puts the parents in order, unless they are.
    async fn order_parents(&mut self, runner: &mut Runner<I>) -> Result<(), Retry> {
        let Some(list) = &mut self.parents else { return Ok(()) };
        if list.order.as_ref().is_none_or(|order| order.len != list.len()) {
            list.order = None;
            list.order = Some(Order::of(runner, &list.shards).await?);
        }
        Ok(())
    }

    /// Loads the parents at these places of their order into level 0, each a root of its own, with their multiplicities.
    pub(crate) async fn load_ordered(&self, session: &mut Session<I>, places: Range<u64>) -> Result<(), Retry> {
        let len = (places.end - places.start) as usize;
        let (runner, buffers) = session.work(1, len, 0)?;
        let list = self.list(Ply::Parents).and_then(|list| list.order.as_ref().map(|order| (list, order)));
        let found = list.zip(self.selection.as_ref()).filter(|((list, order), selection)| {
            order.len == list.len() && places.end <= order.len && len <= selection.multiplicities.len()
        });
        let ((list, order), selection) = found.ok_or_else(|| runner.unasked())?;
        let [starts, ends] = [places.start, places.end].map(|place| order.cut(place));
        let parts: Vec<_> = starts.into_iter().zip(ends).collect();
        // Shards take turns, so that entries with the same pieces of the other side stay together. The entries that a shard has
        // left come last.
        let common = parts.iter().map(|(start, end)| end - start).min().unwrap_or(0);
        let mut last = common * parts.len() as u64;
        for (index, ((shard, numbers), (start, end))) in list.shards.iter().zip(&order.numbers).zip(&parts).enumerate()
        {
            let len = end - start;
            let arguments = LoadOrdered {
                entries: &shard.positions,
                root_multiplicities: &shard.multiplicities,
                order: numbers,
                successors: &buffers.levels[0].positions,
                successor_roots: &buffers.levels[0].roots,
                selected_multiplicities: &selection.multiplicities,
                first: *start as u32,
                end: len as u32,
                shard_index: index as u32,
                shard_count: parts.len() as u32,
                turns: common as u32,
                at: last as u32,
            };
            // SAFETY: the order has these places and holds numbers of the shard's entries. No two entries get the same place
            // in level 0, which like the multiplicities has room for as many as all shards have.
            unsafe { runner.launch(len as usize, arguments) }.await?;
            last += len - common;
        }
        Ok(())
    }
}
