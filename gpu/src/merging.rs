//! Merging equal positions on a device.
//!
//! Two plies lie in the device's memory, each as a list of positions and a list of multiplicities of 128 bits. Parents are expanded
//! in parts, as in counting. The successors of a part are called candidates. Each candidate looks for its slot in a hash table of
//! entry numbers, one slot after another, beginning with the slot of its hash. It takes a free slot by exchanging one word. A taken
//! slot refers to a position that an earlier kernel wrote, and the two positions are compared in full: if they are equal, the
//! multiplicities are added; if not, the candidate tries the next slot. Then the candidates that have taken a slot are appended to
//! the list, and their slots get the numbers of the new entries.
//!
//! If only the successors in a range are kept, a kernel first selects the parents that may have such successors. A merge can save
//! earlier plies, so that the ply after them can be made several times.
//!
//! The leaves below the last ply of many positions are counted in runs (`lists/runs.rs`): a run takes positions in the order of
//! the other side's pieces, merges their successors in a small list, and counts below the entries of this list. Most equal
//! successors fall into one run, so runs save nearly as much as another merged ply, and they need no memory for it.
//!
//! A hash of the position's diagram assigns it to a shard of the list. If there are several shards, the candidates are first
//! sorted by shard (`lists/insert.rs`), and each shard has its own table and launches.
//!
//! Therefore no work-item waits for another, atomic operations on 32 bits are enough, no position is read while it is
//! written, and the list has no gaps. The table has more free slots than a launch has candidates, so every search ends.
//! Candidates that do not fit in the list free their slots again.

use std::ops::Range;

use kogge_board::merge::{
    Filter, Merge, MergeAdvice, MergeError, MergeOptions, MergeSizes, Summand, WeightedPosition, common_turn, entry_of,
};
use kogge_board::{BackendError, Categories, Color, Quad48, Rules};
use pollster::block_on;

use crate::categories::KindsWalk;
use crate::counting::Walk;
use crate::expansion::{Expansion, ExpansionPart};
use crate::interface::Interface;
use crate::lists::{Leaves, Lists, Origin, ParentBatch, Ply, Weights};
use crate::runner::Retry;
use crate::session::Session;

/// The share of its capacity that a run should fill.
const FILLED: f64 = 0.85;

/// The average number of moves that is assumed at first.
const MOVES: f64 = 40.0;

/// The outcome of merging the successors of a run.
enum RunOutcome {
    /// All successors are in the list: the number of distinct ones.
    All(u64),
    /// The successors do not fit in the list.
    Full,
    /// A multiplicity exceeds 128 bits, and therefore the sum of the leaves does, too.
    Overflow,
}

/// Two plies in a device's memory.
pub(crate) struct DeviceMerge<'a, I: Interface> {
    session: &'a mut Session<I>,
    lists: Lists<I>,
    rules: Rules,
    hash_mask: u32,
    parents: u64,
    successors: u64,
    /// The number of positions in each saved ply, and their side to move.
    ancestors: Vec<(u64, Option<Color>)>,
    /// The side to move in the parents and in the successors, if there are any.
    parents_turn: Option<Color>,
    turn: Option<Color>,
    /// Whether the successors are unusable: there is no memory for them, or a call has failed.
    failed: bool,
    /// Whether the tables hold diagrams, so that no successors can be added.
    holds_diagrams: bool,
    /// Whether the kernels that distinguish the kinds of moves are ready.
    classifies: bool,
    /// The average number of moves of the positions in the most recent run.
    moves: f64,
}

impl<'a, I: Interface> DeviceMerge<'a, I> {
    /// Begins a merge without positions.
    pub(crate) async fn begin(
        session: &'a mut Session<I>,
        rules: &Rules,
        options: &MergeOptions,
    ) -> Result<Self, BackendError> {
        let lists = Lists::new(session, options.memory, if options.categories { Categories::COUNT } else { 1 }).await?;
        let merge = Self {
            session,
            lists,
            rules: rules.with_halfmove_clock(false),
            hash_mask: ((1_u64 << options.hash_bits.min(32)) - 1) as u32,
            parents: 0,
            successors: 0,
            ancestors: Vec::new(),
            parents_turn: None,
            turn: None,
            failed: true,
            holds_diagrams: false,
            classifies: options.categories,
            moves: MOVES,
        };
        // Counting needs buffers, too, which are made now. If there is no memory for buffers of this size, smaller ones
        // are made later.
        match merge.session.prepare(2).await {
            Err(Retry::Error(error @ (BackendError::Device { .. } | BackendError::WrongAnswer { .. }))) => Err(error),
            _ => Ok(merge),
        }
    }

    /// Records whether a call failed.
    fn note<T>(&mut self, result: Result<T, MergeError>) -> Result<T, MergeError> {
        self.failed |= result.is_err();
        result
    }

    /// Makes buffers for `levels` levels, smaller buffers if memory runs out.
    async fn prepare(&mut self, levels: usize) -> Result<(), MergeError> {
        loop {
            match self.session.prepare(levels).await {
                Ok(()) => return Ok(()),
                Err(Retry::OutOfMemory) => self.session.shrink()?,
                Err(Retry::Overflow) => {}
                Err(error) => return Err(or_full(error)),
            }
        }
    }

    /// Adds the first of these entries, as many as fit in level 0, and returns how many were added.
    async fn add_batch(&mut self, entries: &[WeightedPosition]) -> Result<usize, MergeError> {
        self.prepare(2).await?;
        self.lists.restore_candidates(self.session).await.map_err(or_full)?;
        let len = entries.len().min(self.session.sizes().roots).min(self.lists.candidates());
        let (positions, multiplicities): (Vec<Quad48>, Vec<_>) =
            entries[..len].iter().map(|entry| (entry.position.with_halfmove_clock(0), entry.multiplicity)).unzip();
        let inserted = match self.session.upload(&self.rules, &positions).await {
            Ok(()) => {
                let origin = Origin::Given(&multiplicities);
                self.lists.insert(self.session, 0, len, origin, self.hash_mask).await
            }
            error => error,
        };
        // Some candidates may have been added already; they must not be added twice.
        inserted.map_err(or_full)?;
        self.successors = self.lists.inserted(self.session).await?;
        Ok(len)
    }

    /// Loads the first of these parents into level 0, as many as fit. If the filter is a range, parents without a possible
    /// successor in it are left out. Also returns the buffer of the parents' multiplicities.
    async fn load_parents(&mut self, parents: &Range<u64>) -> Result<(ParentBatch, Weights), Retry> {
        self.session.prepare(2).await?;
        if self.lists.filter() != Filter::All {
            let selected = self.lists.select(self.session, parents).await?;
            return Ok((selected, Weights::Selected));
        }
        let batch = self.lists.batch(self.session, Ply::Parents, parents, self.session.sizes().roots)?;
        self.lists.load(self.session, Ply::Parents, batch.clone()).await?;
        let len = (batch.end - batch.start) as usize;
        Ok((ParentBatch { end: batch.end, len }, Weights::Entries(Ply::Parents, batch.start)))
    }

    /// Expands the first of these parents, as many as fit in level 0, and adds the number of their successors that pass the
    /// filter, weighted by multiplicity, to the sums. Returns the index after these parents, and the sum.
    async fn expand_batch(&mut self, parents: &Range<u64>) -> Result<(u64, u128), MergeError> {
        let (ParentBatch { end, len }, weights) = loop {
            match self.load_parents(parents).await {
                Ok(loaded) => break loaded,
                Err(Retry::OutOfMemory) => self.session.shrink()?,
                Err(Retry::Overflow) => {}
                Err(Retry::Error(error)) => return Err(error.into()),
            }
        };
        // Some candidates may have been added already; they must not be added twice.
        self.insert_successors(len, weights).await.map_err(or_full)?;
        let (successors, paths) = self.lists.inserted_and_paths(self.session).await?;
        self.successors = successors;
        Ok((end, paths))
    }

    /// Adds the successors of the first `len` positions of level 0 that pass the filter, and adds their number, weighted by
    /// multiplicity, to the sums.
    async fn insert_successors(&mut self, len: usize, weights: Weights) -> Result<(), Retry> {
        let (origin, leaves) = match (weights, self.lists.filter()) {
            (Weights::Entries(_, first), Filter::All) => (Origin::Parents(first), Leaves::Below(1)),
            (Weights::Entries(_, first), _) => (Origin::Parents(first), Leaves::Kept),
            (Weights::Selected, _) => (Origin::Selected, Leaves::Kept),
        };
        if leaves == Leaves::Kept {
            self.lists.clear_kept(self.session, len)?;
        }
        let mut expansion = Expansion::to_merge(self.lists.filter(), len, self.lists.candidates());
        while let Some(ExpansionPart { successors, .. }) = expansion.next(self.session, 0, usize::MAX).await? {
            self.lists.insert(self.session, 1, successors, origin, self.hash_mask).await?;
        }
        self.lists.add_weighted(self.session, weights, len, leaves).await
    }

    /// Adds the weighted leaves below the first of these successors, as many as fit in level 0, to the sums. Returns the index
    /// after these successors. At depths up to two, no step waits for the device.
    async fn add_leaves(&mut self, successors: &Range<u64>, depth: u32) -> Result<u64, Retry> {
        // At depth 0 only multiplicities are needed, so a batch is a whole shard.
        let most = if depth == 0 { usize::MAX } else { self.session.sizes().roots };
        let batch = self.lists.batch(self.session, Ply::Successors, successors, most)?;
        let (weights, len) = (Weights::Entries(Ply::Successors, batch.start), (batch.end - batch.start) as usize);
        if depth > 0 {
            self.lists.load(self.session, Ply::Successors, batch.clone()).await?;
        }
        if depth == 1 {
            self.session.count_moves(0, len).await?;
        }
        let lists = &self.lists;
        let add =
            async |session: &mut Session<I>| lists.add_weighted(session, weights, len, Leaves::Below(depth)).await;
        if depth < 2 {
            add(self.session).await?;
            return Ok(batch.end);
        }
        let collect = async |session: &mut Session<I>| {
            add(session).await?;
            session.clear_totals(len)?;
            Ok(0)
        };
        Walk::new(self.session, collect, None).count(len, depth).await?;
        Ok(batch.end)
    }

    /// Adds the weighted leaves below the first of these successors to the sums, by kind: as many successors as have a total for
    /// each kind. Returns the index after these successors.
    async fn add_categories(&mut self, successors: &Range<u64>, depth: u32) -> Result<u64, Retry> {
        let most = self.session.sizes().roots_by_kind();
        let batch = self.lists.batch(self.session, Ply::Successors, successors, most)?;
        let (weights, len) = (Weights::Entries(Ply::Successors, batch.start), (batch.end - batch.start) as usize);
        self.lists.load(self.session, Ply::Successors, batch.clone()).await?;
        KindsWalk { session: &mut *self.session, watching: None }.count(len, depth).await?;
        self.lists.add_by_kind(self.session, weights, len).await?;
        Ok(batch.end)
    }

    /// Adds the weighted leaves below these successors to the sums, in all or by kind.
    async fn add_below(&mut self, successors: Range<u64>, depth: u32, kinds: usize) -> Result<(), Retry> {
        let mut rest = successors;
        while !rest.is_empty() {
            rest.start = match kinds {
                1 => self.add_leaves(&rest, depth).await?,
                _ => self.add_categories(&rest, depth).await?,
            };
        }
        Ok(())
    }

    /// Counts the weighted leaves below these successors: in all if `KINDS` is one, else by kind. The result is `None` if a sum
    /// does not fit in 128 bits.
    async fn sums_below<const KINDS: usize>(
        &mut self,
        successors: &Range<u64>,
        depth: u32,
    ) -> Result<Option<[u128; KINDS]>, Retry> {
        self.lists.clear_sums(self.session)?;
        self.add_below(successors.clone(), depth, KINDS).await?;
        self.lists.sums(self.session).await
    }

    /// Counts the weighted leaves below these successors, in runs if that is faster. See [`DeviceMerge::sums_below`].
    async fn leaves_below<const KINDS: usize>(
        &mut self,
        successors: &Range<u64>,
        depth: u32,
    ) -> Result<Option<[u128; KINDS]>, Retry> {
        // Expansion uses two levels, whose buffers are kept.
        let levels = if KINDS == 1 { self.session.levels(depth) } else { depth as usize };
        self.session.prepare(levels.max(2)).await?;
        loop {
            let Some(entries) = self.lists.run_entries(self.session, depth)? else {
                return self.sums_below(successors, depth).await;
            };
            let counted = match self.lists.enter_runs(self.session, entries).await {
                Ok(()) => self.sums_in_runs(successors, depth, entries).await,
                Err(error) => Err(error),
            };
            self.lists.leave_runs();
            match counted {
                // Other programs use the device's memory, too.
                Err(Retry::OutOfMemory) => self.lists.shrink_runs(entries)?,
                counted => return counted,
            }
        }
    }

    /// Counts the weighted leaves below these parents in runs of about as many successors. See [`DeviceMerge::sums_below`].
    async fn sums_in_runs<const KINDS: usize>(
        &mut self,
        parents: &Range<u64>,
        depth: u32,
        entries: u64,
    ) -> Result<Option<[u128; KINDS]>, Retry> {
        let mut all = [0_u128; KINDS];
        let mut rest = parents.clone();
        // The number of distinct successors per parent, at first as if all successors were different.
        let mut each = self.moves;
        while !rest.is_empty() {
            let len = (FILLED * entries as f64 / each) as u64;
            let run = rest.start..rest.end.min(rest.start + len.max(1));
            let merged = match self.merge_run(&run).await? {
                RunOutcome::All(len) => len,
                RunOutcome::Overflow => return Ok(None),
                RunOutcome::Full if run.end - run.start > 1 => {
                    // A larger share of the successors is distinct than in the earlier runs.
                    each = (2.0 * each).max(entries as f64 / (run.end - run.start) as f64);
                    continue;
                }
                RunOutcome::Full => return Err(Retry::OutOfMemory),
            };
            self.lists.add_paths(self.session, merged as usize).await?;
            self.add_below(0..merged, depth - 1, KINDS).await?;
            let Some((more, [paths, to_merged])) = self.lists.sums_and_paths::<KINDS>(self.session).await? else {
                return Ok(None);
            };
            if paths != to_merged {
                return Err(self
                    .session
                    .runner
                    .wrong(format!("{paths} paths became {to_merged} when it merged a run.")));
            }
            for (sum, more) in all.iter_mut().zip(more) {
                let Some(added) = sum.checked_add(more) else { return Ok(None) };
                *sum = added;
            }
            each = merged as f64 / (run.end - run.start) as f64;
            rest.start = run.end;
        }
        Ok(Some(all))
    }

    /// Merges the successors of these parents, and begins new sums with the number of paths to these successors.
    async fn merge_run(&mut self, parents: &Range<u64>) -> Result<RunOutcome, Retry> {
        self.lists.clear_run(self.session)?;
        self.lists.clear_sums(self.session)?;
        let mut rest = parents.clone();
        while !rest.is_empty() {
            let batch = rest.start..rest.end.min(rest.start + self.session.sizes().roots as u64);
            self.lists.load_ordered(self.session, batch.clone()).await?;
            let len = (batch.end - batch.start) as usize;
            let mut expansion = Expansion::to_merge(Filter::All, len, self.lists.candidates());
            let mut moves = 0;
            while let Some(ExpansionPart { successors, .. }) = expansion.next(self.session, 0, usize::MAX).await? {
                self.lists.insert(self.session, 1, successors, Origin::Selected, self.hash_mask).await?;
                moves += successors;
            }
            self.moves = (moves as f64 / len as f64).max(1.0);
            self.lists.add_paths_from(self.session, len).await?;
            rest.start = batch.end;
        }
        match self.lists.inserted(self.session).await {
            Ok(len) => Ok(RunOutcome::All(len)),
            Err(MergeError::Overflow) => Ok(RunOutcome::Overflow),
            Err(MergeError::Backend(error)) => Err(error.into()),
            Err(MergeError::Full | MergeError::MixedTurns) => Ok(RunOutcome::Full),
        }
    }

    /// Expands these parents and returns the number of their successors that pass the filter, weighted by multiplicity.
    async fn expand_batches(&mut self, mut rest: Range<u64>) -> Result<u128, MergeError> {
        self.lists.clear_sums(self.session).map_err(or_full)?;
        self.lists.restore_candidates(self.session).await.map_err(or_full)?;
        let mut paths = 0;
        while !rest.is_empty() {
            (rest.start, paths) = self.expand_batch(&rest).await?;
        }
        Ok(paths)
    }

    /// Counts the weighted leaves below these successors, with smaller buffers if memory runs out. See [`DeviceMerge::sums_below`].
    async fn leaves<const KINDS: usize>(
        &mut self,
        successors: Range<u64>,
        depth: u32,
    ) -> Result<[u128; KINDS], MergeError> {
        self.session.begin();
        let successors = successors.start..successors.end.min(self.successors);
        loop {
            match self.leaves_below(&successors, depth).await {
                Ok(sums) => return sums.ok_or(MergeError::Overflow),
                Err(Retry::OutOfMemory) => self.session.shrink()?,
                Err(Retry::Overflow) => {}
                // The levels do not fit in the memory of the merge.
                Err(Retry::Error(BackendError::OutOfMemory { .. })) => return Err(MergeError::Full),
                Err(Retry::Error(error)) => return Err(error.into()),
            }
        }
    }

    async fn count_reached_once(&mut self, successors: Range<u64>) -> Result<[u128; 1], MergeError> {
        let mut rest = successors.start..successors.end.min(self.successors);
        self.prepare(2).await?;
        self.lists.clear_sums(self.session).map_err(or_full)?;
        while !rest.is_empty() {
            let batch = self.lists.batch(self.session, Ply::Successors, &rest, usize::MAX).map_err(or_full)?;
            let (weights, len) = (Weights::Entries(Ply::Successors, batch.start), (batch.end - batch.start) as usize);
            self.lists.add_weighted(self.session, weights, len, Leaves::ReachedOnce).await.map_err(or_full)?;
            rest.start = batch.end;
        }
        self.lists.sums(self.session).await.map_err(or_full)?.ok_or(MergeError::Overflow)
    }
}

impl<I: Interface> Merge for DeviceMerge<'_, I> {
    fn sizes(&self) -> MergeSizes {
        let capacity = self.lists.most_entries(self.session);
        MergeSizes { parents: self.parents, successors: self.successors, capacity }
    }

    fn advice(&self, depth: u32, _successors: u64) -> MergeAdvice {
        let runs = self.session.runner.settings.runs;
        MergeAdvice {
            in_runs: depth >= runs.depth && self.sizes().capacity >= runs.from,
            in_one_table: self.lists.most_in_one_shard(self.session),
            ..MergeAdvice::default()
        }
    }

    fn reserve(&mut self, successors: u64, filter: Filter) -> Result<(), MergeError> {
        (self.successors, self.turn, self.failed) = (0, self.parents_turn.map(Color::opposite), true);
        if successors > self.sizes().capacity {
            return Err(MergeError::Full);
        }
        // Other programs use the device's memory, too.
        block_on(self.lists.reserve(self.session, successors, filter)).map_err(or_full)?;
        (self.failed, self.holds_diagrams) = (false, false);
        Ok(())
    }

    fn add(&mut self, entries: &[WeightedPosition]) -> Result<(), MergeError> {
        let expected = if self.successors == 0 { None } else { self.turn };
        let has_room = !self.failed && !self.holds_diagrams;
        let turn =
            common_turn(entries, expected).and_then(|turn| if has_room { Ok(turn) } else { Err(MergeError::Full) });
        self.turn = self.note(turn)?;
        let mut rest = entries;
        while !rest.is_empty() {
            let added = block_on(self.add_batch(rest));
            rest = &rest[self.note(added)?..];
        }
        Ok(())
    }

    fn expand(&mut self, parents: Range<u64>) -> Result<u128, MergeError> {
        if self.failed || self.holds_diagrams {
            return self.note(Err(MergeError::Full));
        }
        self.turn = self.parents_turn.map(Color::opposite);
        let paths = block_on(self.expand_batches(parents.start..parents.end.min(self.parents)));
        self.note(paths)
    }

    fn descend(&mut self, keep: bool) -> Result<(), MergeError> {
        if self.failed {
            return Err(MergeError::Full);
        }
        if keep {
            self.ancestors.push((self.parents, self.parents_turn));
        }
        self.lists.descend(keep);
        (self.parents, self.parents_turn) = (self.successors, self.turn);
        (self.successors, self.failed) = (0, true);
        Ok(())
    }

    fn ascend(&mut self) -> Result<(), MergeError> {
        if let Some(parents) = self.ancestors.pop() {
            self.lists.ascend();
            (self.parents, self.parents_turn) = parents;
            (self.successors, self.turn, self.failed) = (0, None, true);
        }
        Ok(())
    }

    fn sum(&mut self, successors: Range<u64>, summand: Summand) -> Result<Categories, MergeError> {
        if matches!(summand, Summand::Kinds(_)) && !self.classifies {
            let reason = "its merge began without categories; set them in the options of the merge.".to_owned();
            return Err(BackendError::Unavailable { backend: "gpu", reason }.into());
        }
        let [nodes] = match summand {
            // The positions are the leaves themselves, and such leaves have no kind.
            Summand::Kinds(0) => block_on(self.leaves(successors, 0))?,
            Summand::Leaves(depth) => block_on(self.leaves(successors, depth))?,
            Summand::Kinds(depth) => return block_on(self.leaves(successors, depth)).map(Categories::from_array),
            Summand::Once => block_on(self.count_reached_once(successors))?,
        };
        Ok(Categories { nodes, ..Categories::default() })
    }

    fn diagrams(&mut self, part: u32, parts: u32) -> Result<u64, MergeError> {
        if self.successors == 0 {
            return Ok(0);
        }
        self.holds_diagrams = true;
        block_on(self.lists.diagrams(self.session, part, parts, self.hash_mask)).map_err(or_full)
    }

    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<WeightedPosition>, MergeError> {
        let mut rest = successors.start..successors.end.min(self.successors);
        let mut entries = Vec::new();
        let Some(turn) = self.turn else { return Ok(entries) };
        while !rest.is_empty() {
            let batch = self.lists.batch(self.session, Ply::Successors, &rest, usize::MAX).map_err(or_full)?;
            rest.start = batch.end;
            let read = block_on(self.lists.read(self.session, batch))?;
            entries.extend(read.iter().map(|(planes, multiplicity)| entry_of(planes, turn, *multiplicity)));
        }
        Ok(entries)
    }
}

/// Maps an error to a merge error. The successors are invalid afterwards.
fn or_full(error: Retry) -> MergeError {
    match error {
        // Reports that not even the smallest buffers fit in the memory of the merge.
        Retry::OutOfMemory | Retry::Overflow | Retry::Error(BackendError::OutOfMemory { .. }) => MergeError::Full,
        Retry::Error(error) => error.into(),
    }
}

impl<I: Interface> Drop for DeviceMerge<'_, I> {
    fn drop(&mut self) {
        self.session.end_merge();
    }
}
