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

use crate::interface::Interface;
use crate::lists::{Plies, add_leaves};
use crate::runner::Retry;
use crate::session::Session;
use crate::settings::REACHED_ONCE;

/// Two plies in a device's memory.
pub(crate) struct DeviceMerge<'a, I: Interface> {
    session: &'a mut Session<I>,
    plies: Plies<I>,
    rules: Rules,
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
}

impl<'a, I: Interface> DeviceMerge<'a, I> {
    /// Begins a merge without positions.
    pub(crate) async fn begin(
        session: &'a mut Session<I>,
        rules: &Rules,
        options: &MergeOptions,
    ) -> Result<Self, BackendError> {
        let plies = Plies::new(session, options).await?;
        let merge = Self {
            session,
            plies,
            rules: rules.with_halfmove_clock(false),
            parents: 0,
            successors: 0,
            ancestors: Vec::new(),
            parents_turn: None,
            turn: None,
            failed: true,
            holds_diagrams: false,
            classifies: options.categories,
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
        self.plies.restore_candidates(self.session).await.map_err(or_full)?;
        let len = entries.len().min(self.session.sizes().roots).min(self.plies.candidates());
        let (positions, multiplicities): (Vec<Quad48>, Vec<_>) =
            entries[..len].iter().map(|entry| (entry.position.with_halfmove_clock(0), entry.multiplicity)).unzip();
        let inserted = match self.session.upload(&self.rules, &positions).await {
            Ok(()) => self.plies.add(self.session, &multiplicities).await,
            error => error,
        };
        // Some candidates may have been added already; they must not be added twice.
        inserted.map_err(or_full)?;
        (self.successors, []) = self.plies.inserted(self.session).await?;
        Ok(len)
    }

    /// Counts the weighted leaves below these successors: in all if `KINDS` is one, else by kind. The result is `None` if a sum
    /// does not fit in 128 bits.
    async fn sums_below<const KINDS: usize>(
        &mut self,
        successors: &Range<u64>,
        depth: u32,
    ) -> Result<Option<[u128; KINDS]>, Retry> {
        let sums = self.plies.sums();
        sums.clear(&mut self.session.runner)?;
        add_leaves(self.session, self.plies.successors(), sums, successors.clone(), depth, KINDS).await?;
        sums.read(self.session).await
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
            let Some(entries) = self.plies.run_entries(self.session, depth)? else {
                return self.sums_below(successors, depth).await;
            };
            let counted = match self.plies.runs(self.session, entries).await {
                Ok(mut runs) => runs.count(successors, depth).await,
                Err(error) => Err(error),
            };
            match counted {
                // Other programs use the device's memory, too.
                Err(Retry::OutOfMemory) => self.plies.shrink_runs(entries)?,
                counted => return counted,
            }
        }
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
        let successors = successors.start..successors.end.min(self.successors);
        self.prepare(2).await?;
        self.sums_below(&successors, REACHED_ONCE).await.map_err(or_full)?.ok_or(MergeError::Overflow)
    }
}

impl<I: Interface> Merge for DeviceMerge<'_, I> {
    fn sizes(&self) -> MergeSizes {
        let capacity = self.plies.most_entries(self.session);
        MergeSizes { parents: self.parents, successors: self.successors, capacity }
    }

    fn advice(&self, depth: u32, _successors: u64) -> MergeAdvice {
        let runs = self.session.runner.settings.runs;
        MergeAdvice {
            in_runs: depth >= runs.depth && self.sizes().capacity >= runs.from,
            in_one_table: self.plies.most_in_one_shard(self.session),
            ..MergeAdvice::default()
        }
    }

    fn reserve(&mut self, successors: u64, filter: Filter) -> Result<(), MergeError> {
        (self.successors, self.turn, self.failed) = (0, self.parents_turn.map(Color::opposite), true);
        if successors > self.sizes().capacity {
            return Err(MergeError::Full);
        }
        // Other programs use the device's memory, too.
        block_on(self.plies.reserve(self.session, successors, filter)).map_err(or_full)?;
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

    fn expand_every(&mut self, stride: u64, parents: Range<u64>) -> Result<u128, MergeError> {
        if self.failed || self.holds_diagrams {
            return self.note(Err(MergeError::Full));
        }
        self.turn = self.parents_turn.map(Color::opposite);
        let stride = stride.clamp(1, self.parents.max(1));
        let mut rest = parents.start..parents.end.min(self.parents);
        let paths = block_on(async {
            self.plies.sums().clear(&mut self.session.runner).map_err(or_full)?;
            self.plies.restore_candidates(self.session).await.map_err(or_full)?;
            let mut paths = 0;
            while !rest.is_empty() {
                let batch = match self.plies.load_parents(self.session, &rest, stride).await {
                    Ok(batch) => batch,
                    Err(Retry::OutOfMemory) => {
                        self.session.shrink()?;
                        continue;
                    }
                    Err(Retry::Overflow) => continue,
                    Err(Retry::Error(error)) => return Err(error.into()),
                };
                // Some candidates may have been added already; they must not be added twice.
                self.plies.expand(self.session, &batch).await.map_err(or_full)?;
                (self.successors, [paths]) = self.plies.inserted(self.session).await?;
                rest.start = batch.end;
            }
            Ok(paths)
        });
        self.note(paths)
    }

    fn descend(&mut self, keep: bool) -> Result<(), MergeError> {
        if self.failed {
            return Err(MergeError::Full);
        }
        if keep {
            self.ancestors.push((self.parents, self.parents_turn));
        }
        self.plies.descend(keep);
        (self.parents, self.parents_turn) = (self.successors, self.turn);
        (self.successors, self.failed) = (0, true);
        Ok(())
    }

    fn ascend(&mut self) -> Result<(), MergeError> {
        if let Some(parents) = self.ancestors.pop() {
            self.plies.ascend();
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
        block_on(self.plies.diagrams(self.session, part, parts)).map_err(or_full)
    }

    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<WeightedPosition>, MergeError> {
        let mut rest = successors.start..successors.end.min(self.successors);
        let mut entries = Vec::new();
        let Some(turn) = self.turn else { return Ok(entries) };
        while !rest.is_empty() {
            let runner = &mut self.session.runner;
            let batch = self.plies.successors().batch(runner, &rest, usize::MAX).map_err(or_full)?;
            rest.start = batch.end;
            let read = block_on(batch.read(runner))?;
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
