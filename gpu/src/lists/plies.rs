//! The plies of a merge in device memory.

use std::ops::Range;

use kogge_board::merge::{Filter, MergeError, MergeOptions};
use kogge_board::{BackendError, Categories};

use super::candidates::{CANDIDATE, Candidates, SORTING};
use super::hashed::{HashedList, ListPlan};
use super::insert::Inserter;
use super::list::{Layout, List};
use super::numbers::words;
use super::order::NUMBER;
use super::runs::{RUN_ENTRY, Runs, candidates_of, table_bytes};
use super::selection::{ParentBatch, SELECTION, Selection};
use super::shard::{POSITION, slots_of};
use super::sums::{Sums, Weights};
use crate::buffer::Buffer;
use crate::expansion::{Expansion, ExpansionPart};
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

/// Candidates of each parent that an insertion has room for, if the parents are few. More candidates are inserted in parts.
const MOVES: u64 = 20;

/// The maximum number of a shard's entries. Their numbers have 31 bits; the first and the last number have other meanings.
const MOST_ENTRIES: u64 = (1 << 31) - 2;

/// The least capacity of a run.
const LEAST_CAPACITY: u64 = 1 << 9;

/// The capacity that every run may have. The runs of a longer list may have as much capacity as the list has entries.
const USUAL_CAPACITY: u64 = 1 << 23;

/// A run has room for at least this part of the candidates of an insertion: as a rule, a third of them differ.
const LEAST_SHARE: u64 = 8;

/// The average number of moves that is assumed at first.
const MOVES_OF_RUN: f64 = 40.0;

/// The lists of both plies, and all memory of a merge.
pub(crate) struct Plies<I: Interface> {
    /// Bytes that the merge may use.
    memory: u64,
    /// Bytes of the levels' buffers.
    levels_memory: u64,
    parents: List<I>,
    successors: HashedList<I>,
    /// The saved plies before the parents, in order.
    ancestors: Vec<List<I>>,
    /// The successors that expansions keep.
    filter: Filter,
    selection: Option<Selection<I>>,
    candidates: Option<Candidates<I>>,
    /// Multiplicities of positions from the host.
    given: Option<Buffer<I, [u32; 4]>>,
    sums: Sums<I>,
    /// The tables use only these bits of the hash to find a slot.
    hash_mask: u32,
    /// The memory of runs, if there were any.
    run: Option<HashedList<I>>,
    /// The capacity of a run. It is halved if memory runs out.
    run_capacity: u64,
    /// The average number of moves of the positions in the most recent run.
    run_moves: f64,
}

impl<I: Interface> Plies<I> {
    /// Begins a merge without entries.
    pub(crate) async fn new(session: &mut Session<I>, options: &MergeOptions) -> Result<Self, BackendError> {
        let kinds = if options.categories { Categories::COUNT } else { 1 };
        let settings = &session.runner.settings;
        let device_memory = settings.device_memory;
        let memory = if settings.keeps_levels { device_memory } else { options.memory.min(device_memory) };
        let levels = levels_of(settings);
        let levels_memory = if settings.keeps_levels { levels } else { levels.min(memory / 4) };
        let (spare, run_capacity) = (memory / SPARE_SHARE, settings.runs.entries);
        session.runner.spare.limit(spare);
        session.begin_merge(levels_memory);
        Ok(Self {
            memory: memory.saturating_sub(spare + Sums::<I>::bytes(kinds)),
            levels_memory,
            parents: List::empty(),
            successors: HashedList::empty(false),
            ancestors: Vec::new(),
            filter: Filter::All,
            selection: None,
            candidates: None,
            given: None,
            sums: Sums::new(&mut session.runner, kinds).await?,
            hash_mask: ((1_u64 << options.hash_bits.min(32)) - 1) as u32,
            run: None,
            run_capacity,
            run_moves: MOVES_OF_RUN,
        })
    }

    pub(crate) const fn successors(&self) -> &List<I> {
        &self.successors.list
    }

    pub(crate) const fn sums(&self) -> &Sums<I> {
        &self.sums
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
        self.successors.most_candidates(self.candidates.as_ref())
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
        let new = Layout::of(entries, most_of_shard);
        let has_memory = self.has_memory_to_spare(session, entries);
        // Ranges of the last ply never become the parents, whose unused room would be lost.
        let is_last = matches!(filter, Filter::Reaching { plies: 0, .. });
        let may_be_larger = has_memory && is_last && self.successors.list.shards.len() as u64 == new.shards;
        let fits = self.successors.list.fits(entries, may_be_larger);
        if !fits {
            self.successors.list = List::empty();
        }
        let Layout { shards, capacity } = if fits { self.successors.list.layout(entries) } else { new };
        // The next range may have a few more positions.
        let largest = Layout::of(self.most_entries(session), most_of_shard).capacity;
        let new_capacity =
            if filter == Filter::All { capacity } else { (capacity + capacity / 8).min(largest).max(capacity) };
        if self.memory < self.used(session, entries) {
            // Runs can be made again.
            self.run = None;
        }
        // Some interfaces take long to make large buffers, and the first plies are small.
        let moves = self.parents.len().saturating_mul(MOVES);
        let least = sizes.least_positions().min(most) as u64;
        let needed = moves.max(entries).max(least).next_power_of_two();
        let needed = usize::try_from(needed).unwrap_or(most).min(most);
        self.candidates = self.candidates.take().filter(|spare| (needed..=most).contains(&spare.taken.len()));
        // At least one slot is free even if all candidates are fresh.
        let [slots, new_slots] = [capacity, new_capacity].map(|capacity| 2 * capacity as usize + needed + 1);
        // A much larger table would take memory that the new list or runs may need.
        let most_slots = if has_memory { usize::MAX } else { 2 * slots };
        self.successors.tables.retain(|table| (slots..=most_slots).contains(&table.slots.len()));
        self.successors.tables.truncate(shards as usize);
        let roots = if filter == Filter::All { 1 } else { sizes.roots };
        let plan = ListPlan { shards: shards as usize, capacity, new_capacity, slots, new_slots, candidates: needed };
        let made = self.make_list(&mut session.runner, &plan, roots).await;
        if made.is_err() {
            self.successors.list = List::empty();
        }
        if made == Err(Retry::OutOfMemory) {
            self.shrink(session, entries);
        }
        made
    }

    /// Makes an empty list of successors, and what else is missing for it.
    async fn make_list(&mut self, runner: &mut Runner<I>, plan: &ListPlan, roots: usize) -> Result<(), Retry> {
        // Earlier buffers are freed only when the work that uses them is done.
        runner.wait().await?;
        Candidates::provide(&mut self.candidates, runner, plan.candidates, plan.shards).await?;
        let made = async {
            Selection::provide(&mut self.selection, runner, roots).await?;
            self.successors.make(runner, plan).await
        };
        made.await.map_err(|failure| runner.failed("to make room for positions", failure))?;
        self.successors.clear(runner)
    }

    /// Makes room for candidates again, if there is none because memory ran out in runs.
    pub(crate) async fn restore_candidates(&mut self, session: &mut Session<I>) -> Result<(), Retry> {
        let HashedList { list, tables, .. } = &self.successors;
        let Some(len) = tables.first().map(|table| table.candidates) else { return Ok(()) };
        Candidates::provide(&mut self.candidates, &mut session.runner, len, list.shards.len()).await
    }

    /// The bytes in use with a list of `entries` successors and the memory of runs.
    fn used(&self, session: &Session<I>, entries: u64) -> u64 {
        let each = POSITION + MULTIPLICITY_AND_SLOTS;
        let sizes = session.fitting(2).ok();
        let (roots, candidates) = sizes.map_or((0, 0), |sizes| (sizes.roots as u64, sizes.positions as u64));
        let plies = self.ancestors.iter().chain([&self.parents]).map(List::bytes).sum::<u64>();
        let run = self.run.as_ref().map_or(0, HashedList::bytes);
        let others = candidates * (CANDIDATE + CANDIDATE_SLOT + SORTING) + roots * SELECTION;
        self.levels_memory + plies + run + entries * each + others
    }

    /// Whether the buffers of the list and of its tables may stay larger than `entries` successors need: there is memory for them, for an
    /// order of these successors and for runs.
    fn has_memory_to_spare(&self, session: &Session<I>, entries: u64) -> bool {
        let runs = if self.run.is_some() { 0 } else { session.fitting(2).map_or(0, |sizes| self.run_bytes(&sizes)) };
        self.used(session, entries.max(self.successors.room())) + NUMBER * entries + runs <= self.memory
    }

    /// The bytes of the largest run.
    fn run_bytes(&self, sizes: &Sizes) -> u64 {
        self.run_capacity * RUN_ENTRY + table_bytes(sizes, self.run_capacity)
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

    /// Makes the successors the parents. Keeps the former parents for [`Plies::ascend`] if `keep` is set, else frees them.
    pub(crate) fn descend(&mut self, keep: bool) {
        let successors = std::mem::replace(&mut self.successors.list, List::empty());
        // An order is needed only while leaves are counted.
        let parents = std::mem::replace(&mut self.parents, List { in_runs: None, order: None, ..successors });
        if keep {
            self.ancestors.push(parents);
        }
    }

    /// Frees parents and successors, and restores the parents that were kept last.
    pub(crate) fn ascend(&mut self) {
        if let Some(parents) = self.ancestors.pop() {
            (self.parents, self.successors.list) = (parents, List::empty());
        }
    }

    /// Returns the maximum number of successors that fit beside the parents and runs.
    pub(crate) fn most_entries(&self, session: &Session<I>) -> u64 {
        let each = POSITION + MULTIPLICITY_AND_SLOTS + NUMBER;
        let sizes = session.fitting(2).ok();
        let (roots, candidates) = sizes.map_or((0, 0), |sizes| (sizes.roots as u64, sizes.positions as u64));
        let most = Self::most_of_shard(&session.runner.settings, candidates);
        let plies = self.ancestors.iter().chain([&self.parents]).map(List::bytes).sum::<u64>();
        let fixed = self.levels_memory + plies + candidates * CANDIDATE + roots * SELECTION;
        let runs = sizes.map_or(0, |sizes| self.run_bytes(&sizes));
        let memory = self.memory.saturating_sub(fixed + runs.min(self.memory / RUNS_SHARE));
        let shards = (memory / each).div_ceil(most).max(1);
        let sorting = if shards > 1 { candidates * SORTING } else { 0 };
        Layout::entries(memory.saturating_sub(shards * candidates * CANDIDATE_SLOT + sorting) / each, most)
    }

    /// Loads every `stride`-th of these parents into level 0, as many as fit. If the filter is a range, parents without a possible
    /// successor in it are left out.
    pub(crate) async fn load_parents(
        &mut self,
        session: &mut Session<I>,
        parents: &Range<u64>,
        stride: u64,
    ) -> Result<ParentBatch, Retry> {
        session.prepare(2).await?;
        if self.filter == Filter::All && stride == 1 {
            let batch = self.parents.batch(&session.runner, parents, session.sizes().roots)?;
            batch.load(session).await?;
            return Ok(ParentBatch { end: batch.end, len: batch.weights().len, first: Some(parents.start) });
        }
        let roots = session.sizes().roots;
        let provided = Selection::provide(&mut self.selection, &mut session.runner, roots).await;
        let selection = provided.map_err(|failure| session.runner.failed("to make room for parents", failure))?;
        selection.select(session, &self.parents, parents, stride, self.filter).await
    }

    /// Adds the successors of these parents in level 0 that pass the filter, and adds their number, weighted by multiplicity, to the
    /// sums.
    pub(crate) async fn expand(&mut self, session: &mut Session<I>, loaded: &ParentBatch) -> Result<(), Retry> {
        let most = self.candidates();
        let Self { parents, successors, selection, candidates, sums, filter, hash_mask, .. } = self;
        let (filter, hash_mask) = (*filter, *hash_mask);
        let &ParentBatch { len, first, .. } = loaded;
        let Some(selection) = selection else { return Err(session.runner.unasked()) };
        let weights = match first {
            Some(first) => parents.batch(&session.runner, &(first..first + len as u64), len)?.weights(),
            None => selection.weights(len),
        };
        let kept_counts = &selection.kept_counts;
        if filter != Filter::All {
            session.runner.clear("the number of successors", kept_counts, len)?;
        }
        let mut inserter = Inserter { candidates, kept_counts, filter, hash_mask };
        let mut expansion = Expansion::to_merge(filter, len, most);
        while let Some(ExpansionPart { successors: found, .. }) = expansion.next(session, 0, usize::MAX).await? {
            inserter.insert(session, successors, 1, found, &weights).await?;
        }
        match filter {
            Filter::All => sums.add(session, &weights, 1).await,
            Filter::Reaching { .. } => sums.add_kept(session, &weights, kept_counts).await,
        }
    }

    /// Adds the positions of level 0 with these multiplicities.
    pub(crate) async fn add(&mut self, session: &mut Session<I>, multiplicities: &[u128]) -> Result<(), Retry> {
        let Self { successors, selection, candidates, hash_mask, .. } = self;
        let runner = &mut session.runner;
        let Some(Selection { kept_counts, .. }) = selection else { return Err(runner.unasked()) };
        let words: Vec<[u32; 4]> = multiplicities.iter().map(words).collect();
        let given = match self.given.take().filter(|given| given.len() >= words.len()) {
            Some(given) => given,
            None => runner
                .list_buffer("root_multiplicities", words.len())
                .await
                .map_err(|failure| runner.failed("to make room for multiplicities", failure))?,
        };
        runner.write("multiplicities", &given, &words)?;
        let weights = Weights { multiplicities: self.given.insert(given), first: 0, len: words.len() };
        let mut inserter = Inserter { candidates, kept_counts, filter: Filter::All, hash_mask: *hash_mask };
        inserter.insert(session, successors, 0, words.len(), &weights).await
    }

    /// Waits for all insertions and sums. Returns the number of successors and the first sums.
    pub(crate) async fn inserted<const SUMS: usize>(
        &mut self,
        session: &mut Session<I>,
    ) -> Result<(u64, [u128; SUMS]), MergeError> {
        self.successors.inserted(session, &self.sums).await
    }

    /// See [`HashedList::diagrams`].
    pub(crate) async fn diagrams(&self, session: &mut Session<I>, part: u32, parts: u32) -> Result<u64, Retry> {
        self.successors.diagrams(&mut session.runner, part, parts, self.hash_mask).await
    }

    /// The capacity of a run's list for counting `depth` plies below the successors, or `None` if runs would not pay: with few
    /// successors, or too little memory for a run. Frees the memory of an earlier run that does not fit beside this list.
    ///
    /// The answer for a list at these depths stays the same. If memory runs out later, smaller buffers are needed.
    pub(crate) fn run_entries(&mut self, session: &Session<I>, depth: u32) -> Result<Option<u64>, Retry> {
        let settings = &session.runner.settings;
        let list = &self.successors.list;
        if depth < settings.runs.depth || list.len() < settings.runs.from || list.in_runs == Some(false) {
            return Ok(None);
        }
        let sizes = session.fitting(2)?;
        let order = if list.order.is_some() { 0 } else { NUMBER * list.len() };
        let used =
            self.used(session, 0) + self.successors.bytes() + order - self.run.as_ref().map_or(0, HashedList::bytes);
        // Lists of nearly the same length get the same capacity.
        let wanted = list.len().next_power_of_two().max(USUAL_CAPACITY).min(self.run_capacity);
        let most = wanted.min(Self::most_of_shard(settings, sizes.positions as u64));
        let free = self.memory.saturating_sub(used + table_bytes(&sizes, most));
        let entries = most.min(free / RUN_ENTRY);
        // Much smaller runs would hold few candidates.
        let least = most.min(candidates_of(&sizes, most) as u64 / LEAST_SHARE);
        let entries = Some(entries).filter(|&entries| entries >= least);
        if entries.is_none() && list.in_runs == Some(true) {
            return Err(Retry::OutOfMemory);
        }
        // An earlier run may have had more memory.
        if self.run.as_ref().is_some_and(|run| run.list.bytes() > free) {
            self.run = None;
        }
        self.successors.list.in_runs = Some(entries.is_some());
        Ok(entries)
    }

    /// Frees the memory of runs and halves the capacity of the next, because memory ran out with this capacity. A list that has no order yet will
    /// not be counted in runs.
    ///
    /// # Errors
    /// If the capacity is small already.
    pub(crate) fn shrink_runs(&mut self, entries: u64) -> Result<(), Retry> {
        (self.run, self.run_capacity) = (None, entries / 2);
        if self.successors.list.order.is_none() {
            self.successors.list.in_runs = Some(false);
        } else if self.run_capacity < LEAST_CAPACITY {
            return Err(Retry::OutOfMemory);
        }
        Ok(())
    }

    /// Puts the successors in order, and makes room for runs with this capacity.
    pub(crate) async fn runs<'a>(
        &'a mut self,
        session: &'a mut Session<I>,
        entries: u64,
    ) -> Result<Runs<'a, I>, Retry> {
        let sizes = session.sizes();
        let (runner, parents) = (&mut session.runner, &mut self.successors.list);
        parents.put_in_order(runner).await?;
        let needed = candidates_of(&sizes, entries);
        let slots = slots_of(needed);
        // Further candidates of this list are sorted, if it has several shards.
        Candidates::provide(&mut self.candidates, runner, needed, parents.shards.len()).await?;
        let fits = |run: &HashedList<I>| {
            run.list.shards.iter().any(|shard| shard.capacity >= entries)
                && run.tables.iter().any(|table| table.len >= slots)
        };
        let spare = self.run.take().filter(fits);
        let made = async {
            Selection::provide(&mut self.selection, runner, sizes.roots).await?;
            if let Some(run) = spare {
                return Ok(run);
            }
            let plan = ListPlan {
                shards: 1,
                capacity: entries,
                new_capacity: entries,
                slots,
                new_slots: slots,
                candidates: needed,
            };
            let mut run = HashedList::empty(true);
            run.make(runner, &plan).await?;
            Ok(run)
        };
        let made = made.await;
        let run = made.map_err(|failure| runner.failed("to make room for positions", failure))?;
        let Some(selection) = &self.selection else { return Err(runner.unasked()) };
        Ok(Runs {
            session,
            parents,
            selection,
            run: self.run.insert(run),
            capacity: entries,
            inserter: Inserter {
                candidates: &mut self.candidates,
                kept_counts: &selection.kept_counts,
                filter: Filter::All,
                hash_mask: self.hash_mask,
            },
            sums: &self.sums,
            moves: &mut self.run_moves,
        })
    }
}

/// Returns the bytes of the levels' buffers in a merge that has much memory.
fn levels_of(settings: &GpuSettings) -> u64 {
    let asked = Sizes::halved(settings, 0).map_or(0, |sizes| sizes.bytes(LEVELS, settings).0);
    asked.min(settings.memory)
}
