//! The lists of merged positions in device memory, and the kernels that fill and read them.

mod candidates;
mod diagrams;
mod insert;
mod list;
mod numbers;
mod order;
mod run;
mod runs;
mod selection;
mod shard;
mod sums;

use std::ops::Range;

use kogge_board::merge::{Filter, MergeError};
use kogge_board::{BackendError, Planes32};

use self::candidates::{CANDIDATE, Candidates, SORTING};
use self::list::{Layout, List};
use self::numbers::{low_halves, number, sums_of};
use self::order::NUMBER;
use self::run::Run;
pub(crate) use self::selection::ParentBatch;
use self::selection::{SELECTION, Selection};
use self::shard::{FULL, LEN, OVERFLOW, PARTS, POSITION, STATE, Shard, Table, planes_of};
use crate::arguments::LoadEntries;
use crate::buffer::Buffer;
use crate::interface::Interface;
use crate::levels::Sizes;
use crate::runner::{Retry, Runner};
use crate::session::Session;
use crate::settings::GpuSettings;

/// The number of levels that always fit. Leaves are mostly counted two or three plies below a merged ply.
const LEVELS: usize = 4;

/// Bytes of a multiplicity and of two slots. With two slots for each entry, a search looks at fewer than two slots on
/// average.
const MULTIPLICITY_AND_SLOTS: u64 = 16 + 2 * 4;

/// Bytes of another slot for each candidate, in the table of every shard.
const CANDIDATE_SLOT: u64 = 4;

/// Spare buffers get at most this part of the memory.
const SPARE_SHARE: u64 = 32;

/// Runs get at least this part of the memory, unless they need less.
const RUNS_SHARE: u64 = 16;

/// The sums of paths, which follow the sums of all kinds.
const PATHS: usize = 2;

/// Candidates of each parent that an insertion has room for, if the parents are few. More candidates are inserted in parts.
const MOVES: u64 = 20;

/// The maximum number of a shard's entries. Their numbers have 31 bits; the first and the last number have other meanings.
const MOST_ENTRIES: u64 = (1 << 31) - 2;

/// One of the two plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ply {
    Parents,
    Successors,
}

/// Where the multiplicities of candidates come from.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'a> {
    /// The candidates are successors of the parents that were loaded last, beginning with this parent.
    Parents(u64),
    /// The candidates are successors of the parents that were selected last.
    Selected,
    /// The candidates are the roots themselves, with these multiplicities.
    Given(&'a [u128]),
}

/// The multiplicities that the leaves of roots are weighted by.
#[derive(Clone, Copy)]
pub(crate) enum Weights {
    /// The multiplicities of a ply's entries, from this one on.
    Entries(Ply, u64),
    /// The multiplicities of the selected parents.
    Selected,
}

/// The leaves of a root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaves {
    /// The leaves at a depth below the root: one at depth 0, the root's count of level 0 at depth 1, and its total at other depths.
    Below(u32),
    /// One if the root's multiplicity is one, else none.
    ReachedOnce,
    /// The successors that are kept.
    Kept,
}

/// A list of successors to make.
struct ListPlan {
    shards: usize,
    /// The capacity of each shard, and the entries of a new shard's buffers.
    capacity: u64,
    new_capacity: u64,
    /// The slots of each table, and the slots of a new table's buffer.
    slots: usize,
    new_slots: usize,
    /// The maximum number of candidates of an insertion.
    candidates: usize,
    /// The maximum number of selected parents.
    roots: usize,
}

/// The lists of both plies, and all memory of a merge.
pub(crate) struct Lists<I: Interface> {
    /// Bytes that the merge may use.
    memory: u64,
    /// Bytes of the levels' buffers.
    levels_memory: u64,
    parents: Option<List<I>>,
    successors: Option<List<I>>,
    /// The saved plies before the parents, in order.
    ancestors: Vec<Option<List<I>>>,
    /// The successors that expansions keep.
    filter: Filter,
    selection: Option<Selection<I>>,
    /// The tables of the successors' shards. Kept for reuse after [`Lists::descend`], because some drivers take milliseconds to
    /// allocate a buffer.
    tables: Vec<Table<I>>,
    candidates: Option<Candidates<I>>,
    /// Multiplicities of positions from the host.
    given: Option<Buffer<I, [u32; 4]>>,
    sums: Buffer<I, [u32; 8]>,
    /// The number of sums that are needed: one, or one for each kind of moves.
    kinds: usize,
    /// The memory of runs, if there were any; during runs, the memory of the successors that are now the parents.
    run: Option<Run<I>>,
    /// Whether the successors are those of runs. Then the table is cleared before each insertion.
    in_runs: bool,
    /// The capacity of a run. It is halved if memory runs out.
    run_capacity: u64,
}

impl<I: Interface> Lists<I> {
    fn list(&self, ply: Ply) -> Option<&List<I>> {
        match ply {
            Ply::Parents => self.parents.as_ref(),
            Ply::Successors => self.successors.as_ref(),
        }
    }

    /// Returns the first of these entries, at most `most`, that lie in one shard.
    pub(crate) fn batch(
        &self,
        session: &Session<I>,
        ply: Ply,
        entries: &Range<u64>,
        most: usize,
    ) -> Result<Range<u64>, Retry> {
        let found = self.list(ply).and_then(|list| list.first_of(entries, most as u64));
        let (_, within) = found.ok_or_else(|| session.runner.unasked())?;
        Ok(entries.start..entries.start + within.end - within.start)
    }

    /// Returns the shard of these entries, and where they lie within it. They lie in one shard.
    fn shard(&self, ply: Ply, entries: &Range<u64>) -> Option<(&Shard<I>, Range<u64>)> {
        let found = self.list(ply)?.first_of(entries, u64::MAX);
        found.filter(|(_, within)| within.end - within.start == entries.end.saturating_sub(entries.start))
    }

    fn most_of_shard(settings: &GpuSettings, candidates: u64) -> u64 {
        // Slots are numbered with 32 bits.
        let slots = (settings.max_buffer / 4).min(u64::from(u32::MAX)).saturating_sub(candidates + 1);
        (settings.max_buffer / POSITION).min(slots / 2).clamp(1, MOST_ENTRIES)
    }

    pub(crate) fn most_in_one_shard(&self, session: &Session<I>) -> u64 {
        let settings = &session.runner.settings;
        let candidates = session.fitting(2).map_or(0, |sizes| sizes.positions as u64);
        Self::most_of_shard(settings, candidates).min(settings.shard_entries)
    }

    /// Returns the maximum number of candidates of an insertion.
    pub(crate) fn candidates(&self) -> usize {
        let tables = self.tables.iter().map(|table| table.candidates);
        tables.chain([self.candidates.as_ref().map_or(0, |candidates| candidates.taken.len())]).min().unwrap_or(0)
    }

    /// Discards the successors and makes room for `entries` new ones that are kept.
    pub(crate) async fn reserve(
        &mut self,
        session: &mut Session<I>,
        entries: u64,
        filter: Filter,
    ) -> Result<(), Retry> {
        let sizes = session.fitting(2)?;
        let most = sizes.positions;
        self.filter = filter;
        let most_of_shard = self.most_in_one_shard(session);
        let (layout, old) = match self.successors.take() {
            Some(old) if old.fits(entries) => (old.layout(entries), Some(old)),
            _ => (Layout::of(entries, most_of_shard), None),
        };
        let Layout { shards, capacity } = layout;
        // The next range may have a few more positions.
        let largest = Layout::of(self.most_entries(session), most_of_shard).capacity;
        let new_capacity =
            if filter == Filter::All { capacity } else { (capacity + capacity / 8).min(largest).max(capacity) };
        if self.memory < self.used(session, entries) {
            // Runs can be made again.
            self.run = None;
        }
        // Some interfaces take long to make large buffers, and the first plies are small.
        let moves = self.parents.as_ref().map_or(0, List::len).saturating_mul(MOVES);
        let least = sizes.least_positions().min(most) as u64;
        let needed = moves.max(entries).max(least).next_power_of_two();
        let needed = usize::try_from(needed).unwrap_or(most).min(most);
        self.candidates = self.candidates.take().filter(|spare| (needed..=most).contains(&spare.taken.len()));
        // At least one slot is free even if all candidates are fresh.
        let [slots, new_slots] = [capacity, new_capacity].map(|capacity| 2 * capacity as usize + needed + 1);
        // A much larger table would take memory that the new list may need.
        self.tables.retain(|table| (slots..=2 * slots).contains(&table.slots.len()));
        self.tables.truncate(shards as usize);
        let roots = if filter == Filter::All { 1 } else { sizes.roots };
        self.selection = self.selection.take().filter(|selection| selection.kept_counts.len() >= roots);
        let wanted =
            ListPlan { shards: shards as usize, capacity, new_capacity, slots, new_slots, candidates: needed, roots };
        match self.make_list(&mut session.runner, old, &wanted).await {
            Err(Retry::OutOfMemory) => {
                self.shrink(session, entries);
                Err(Retry::OutOfMemory)
            }
            made => made,
        }
    }

    /// Makes an empty list of successors, and what is missing for it, where buffers are kept from an earlier list.
    async fn make_list(
        &mut self,
        runner: &mut Runner<I>,
        old: Option<List<I>>,
        wanted: &ListPlan,
    ) -> Result<(), Retry> {
        let &ListPlan { shards, capacity, new_capacity, slots, new_slots, candidates, roots } = wanted;
        // Earlier buffers are freed only when the work that uses them is done.
        runner.wait().await?;
        self.provide_candidates(runner, candidates, shards).await?;
        let made = async {
            if self.selection.is_none() {
                self.selection = Some(Selection::new(runner, roots).await?);
            }
            let mut list = old.unwrap_or(List { shards: Vec::new(), in_runs: None, order: None });
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
                if list.shards.len() == index {
                    list.shards.push(Shard::new(runner, new_capacity).await?);
                }
            }
            Ok(list)
        };
        let made = made.await.map_err(|failure| runner.failed("to make room for positions", failure));
        let mut list = made?;
        (list.order, list.in_runs) = (None, None);
        list.shards.iter_mut().for_each(|shard| (shard.capacity, shard.len) = (capacity, 0));
        for table in &self.tables {
            runner.clear("the hash table", &table.slots, table.len)?;
            runner.clear("the state of the list", &table.state, STATE)?;
        }
        self.successors = Some(list);
        Ok(())
    }

    /// Makes room for `len` candidates of `shards` shards, unless there is enough.
    async fn provide_candidates(&mut self, runner: &mut Runner<I>, len: usize, shards: usize) -> Result<(), Retry> {
        let spare = self.candidates.take().filter(|spare| spare.taken.len() >= len);
        let made = async {
            let mut candidates = match spare {
                Some(spare) => spare,
                None => Candidates::new(runner, len).await?,
            };
            candidates.sort_by(runner, shards).await?;
            Ok(candidates)
        };
        let made = made.await;
        self.candidates = Some(made.map_err(|failure| runner.failed("to make room for positions", failure))?);
        Ok(())
    }

    /// Makes room for candidates again, if there is none because memory ran out in runs.
    pub(crate) async fn restore_candidates(&mut self, session: &mut Session<I>) -> Result<(), Retry> {
        let Some((list, table)) = self.successors.as_ref().zip(self.tables.first()) else { return Ok(()) };
        let (len, shards) = (table.candidates, list.shards.len());
        self.provide_candidates(&mut session.runner, len, shards).await
    }

    /// The bytes in use with a list of `entries` successors and the memory of runs.
    fn used(&self, session: &Session<I>, entries: u64) -> u64 {
        let each = POSITION + MULTIPLICITY_AND_SLOTS;
        let sizes = session.fitting(2).ok();
        let (roots, candidates) = sizes.map_or((0, 0), |sizes| (sizes.roots as u64, sizes.positions as u64));
        let plies = self.ancestors.iter().chain([&self.parents]).flatten().map(List::bytes).sum::<u64>();
        let run = self.run.as_ref().map_or(0, Run::bytes);
        let others = candidates * (CANDIDATE + CANDIDATE_SLOT + SORTING) + roots * SELECTION;
        self.levels_memory + plies + run + entries * each + others
    }

    /// Lowers the memory, so that fewer than `entries` successors fit: other programs use the device's memory, too.
    fn shrink(&mut self, session: &Session<I>, entries: u64) {
        let each = POSITION + MULTIPLICITY_AND_SLOTS + NUMBER;
        let fewer = entries - entries.div_ceil(8);
        loop {
            let excess = self.most_entries(session).saturating_sub(fewer);
            if excess == 0 {
                return;
            }
            self.memory = self.memory.saturating_sub(excess * each);
        }
    }

    /// Makes the successors the parents. Keeps the former parents for [`Lists::ascend`] if `keep` is set, else frees them.
    pub(crate) fn descend(&mut self, keep: bool) {
        let parents = std::mem::replace(&mut self.parents, self.successors.take());
        if keep {
            self.ancestors.push(parents);
        }
        // An order is needed only while leaves are counted.
        self.parents.iter_mut().for_each(|list| (list.order, list.in_runs) = (None, None));
    }

    /// Frees parents and successors, and restores the parents that were kept last.
    pub(crate) fn ascend(&mut self) {
        if let Some(parents) = self.ancestors.pop() {
            (self.parents, self.successors) = (parents, None);
        }
    }

    /// Begins a merge in `memory` bytes, without entries, which needs these sums.
    pub(crate) async fn new(session: &mut Session<I>, memory: u64, kinds: usize) -> Result<Self, BackendError> {
        let runner = &mut session.runner;
        let device_memory = runner.settings.device_memory;
        let memory = if runner.settings.keeps_levels { device_memory } else { memory.min(device_memory) };
        let levels = levels_of(&runner.settings);
        let levels_memory = if runner.settings.keeps_levels { levels } else { levels.min(memory / 4) };
        let spare = memory / SPARE_SHARE;
        runner.spare.limit(spare);
        let sums = sums_of(kinds + PATHS);
        let memory = memory.saturating_sub(spare + (sums * size_of::<[u32; 8]>()) as u64);
        session.begin_merge(levels_memory);
        let runner = &mut session.runner;
        let made = runner.list_buffer("sums", sums).await;
        let sums = made.map_err(|failure| runner.error("to make room for positions", failure))?;
        let run_capacity = runner.settings.runs.entries;
        Ok(Self {
            memory,
            levels_memory,
            parents: None,
            successors: None,
            ancestors: Vec::new(),
            filter: Filter::All,
            selection: None,
            tables: Vec::new(),
            candidates: None,
            given: None,
            sums,
            kinds,
            run: None,
            in_runs: false,
            run_capacity,
        })
    }

    /// Returns the maximum number of successors that fit beside the parents and runs.
    pub(crate) fn most_entries(&self, session: &Session<I>) -> u64 {
        let each = POSITION + MULTIPLICITY_AND_SLOTS + NUMBER;
        let sizes = session.fitting(2).ok();
        let (roots, candidates) = sizes.map_or((0, 0), |sizes| (sizes.roots as u64, sizes.positions as u64));
        let most = Self::most_of_shard(&session.runner.settings, candidates);
        let plies = self.ancestors.iter().chain([&self.parents]).flatten().map(List::bytes).sum::<u64>();
        let fixed = self.levels_memory + plies + candidates * CANDIDATE + roots * SELECTION;
        let runs = sizes.map_or(0, |sizes| Run::<I>::bytes_with(&sizes, self.run_capacity));
        let memory = self.memory.saturating_sub(fixed + runs.min(self.memory / RUNS_SHARE));
        let shards = (memory / each).div_ceil(most).max(1);
        let sorting = if shards > 1 { candidates * SORTING } else { 0 };
        Layout::entries(memory.saturating_sub(shards * candidates * CANDIDATE_SLOT + sorting) / each, most)
    }

    /// Loads the parents that may have successors in the filter into level 0. See [`Selection::select`].
    pub(crate) async fn select(
        &mut self,
        session: &mut Session<I>,
        parents: &Range<u64>,
    ) -> Result<ParentBatch, Retry> {
        match (&mut self.selection, &self.parents) {
            (Some(selection), Some(list)) => selection.select(session, list, parents, self.filter).await,
            _ => Err(session.runner.unasked()),
        }
    }

    /// Sets the number of kept successors of each root to zero.
    pub(crate) fn clear_kept(&self, session: &mut Session<I>, roots: usize) -> Result<(), Retry> {
        match &self.selection {
            Some(selection) => session.runner.clear("the number of successors", &selection.kept_counts, roots),
            None => Ok(()),
        }
    }

    pub(crate) fn filter(&self) -> Filter {
        self.filter
    }

    /// Loads entries into level 0, each a root of its own, and clears all totals.
    pub(crate) async fn load(&self, session: &mut Session<I>, ply: Ply, entries: Range<u64>) -> Result<(), Retry> {
        let len = (entries.end - entries.start) as usize;
        let (runner, buffers) = session.work(1, len, 0)?;
        let (shard, within) = self.shard(ply, &entries).ok_or_else(|| runner.unasked())?;
        runner.clear("the totals", &buffers.totals, len + 1)?;
        let arguments = LoadEntries {
            entries: &shard.positions,
            successors: &buffers.levels[0].positions,
            successor_roots: &buffers.levels[0].roots,
            first: within.start as u32,
            end: len as u32,
        };
        // SAFETY: the shard has these entries, and the level has room for as many.
        unsafe { runner.launch(len, arguments) }.await
    }

    pub(crate) async fn inserted(&mut self, session: &mut Session<I>) -> Result<u64, MergeError> {
        let (len, _) = self.inserted_and_sums(session, 0).await?;
        Ok(len)
    }

    /// Waits for all insertions and sums. Returns the number of successors and the sum of paths so far.
    pub(crate) async fn inserted_and_paths(&mut self, session: &mut Session<I>) -> Result<(u64, u128), MergeError> {
        let (len, sums) = self.inserted_and_sums(session, 1).await?;
        let [paths] = low_halves(&sums).ok_or(MergeError::Overflow)?;
        Ok((len, paths))
    }

    /// Waits for all insertions and sums. Returns the number of successors and the sums of the first kinds.
    async fn inserted_and_sums(
        &mut self,
        session: &mut Session<I>,
        kinds: usize,
    ) -> Result<(u64, Vec<[u32; 8]>), MergeError> {
        let Some(list) = &mut self.successors else { return Err(MergeError::Full) };
        let mut states = vec![[0; STATE]; list.shards.len().min(self.tables.len())];
        let mut sums = vec![[0; 8]; if kinds == 0 { 0 } else { sums_of(kinds) }];
        let readings = states.iter_mut().zip(&self.tables).map(|(state, table)| table.state.reading(0, state));
        let readings = readings.chain([self.sums.reading(0, &mut sums)]);
        let read = session.runner.read_all("the number of positions", readings).await;
        match read.and_then(|()| Self::add_up(session, &sums)) {
            Err(Retry::Error(error)) => Err(error.into()),
            Err(Retry::OutOfMemory | Retry::Overflow) => Err(MergeError::Full),
            Ok(sums) => {
                for (shard, state) in list.shards.iter_mut().zip(states) {
                    shard.len = match (state[OVERFLOW], state[FULL]) {
                        (0, 0) => state[LEN].into(),
                        (0, _) => return Err(MergeError::Full),
                        _ => return Err(MergeError::Overflow),
                    };
                }
                Ok((list.len(), sums))
            }
        }
    }

    /// Reads some successors, which lie in one shard.
    pub(crate) async fn read(
        &self,
        session: &mut Session<I>,
        entries: Range<u64>,
    ) -> Result<Vec<(Planes32, u128)>, BackendError> {
        let runner = &mut session.runner;
        let read = async {
            let (shard, within) = self.shard(Ply::Successors, &entries).ok_or_else(|| runner.unasked())?;
            let (first, len) = (within.start as usize, (within.end - within.start) as usize);
            let positions = runner.read("positions", &shard.positions, first * PARTS, len * PARTS).await?;
            Ok((positions, runner.read("multiplicities", &shard.multiplicities, first, len).await?))
        };
        match read.await {
            Ok((positions, multiplicities)) => {
                let planes = positions.chunks(PARTS).map(planes_of);
                Ok(planes.zip(multiplicities.iter().map(number)).collect())
            }
            Err(Retry::Error(error)) => Err(error),
            Err(Retry::OutOfMemory | Retry::Overflow) => {
                let device = runner.device.clone();
                Err(BackendError::OutOfMemory { device, doing: "giving back positions".to_owned() })
            }
        }
    }
}

/// Returns the bytes of the levels' buffers in a merge that has much memory.
fn levels_of(settings: &GpuSettings) -> u64 {
    let asked = Sizes::halved(settings, 0).map_or(0, |sizes| sizes.bytes(LEVELS, settings).0);
    asked.min(settings.memory)
}
