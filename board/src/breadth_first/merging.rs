//! Merging equal positions on a device: what is the same for every GPU interface.
//!
//! Two plies lie in the device's memory, each as a list of positions and a list of multiplicities of 128
//! bits. Parents are expanded in parts, as when leaves are counted. The successors of a part are
//! candidates: each looks for its place in a table of indices, by a hash, from there on place by place.
//! A place that is free is taken by an exchange of one word; one that is taken leads to another
//! position, which was written by an earlier kernel and can be compared in full. If it is the same, the
//! multiplicity is added to the other's; if not, the next place is looked at. Candidates that have taken
//! a place are then moved to the end of the list, and their places say so.
//!
//! So nothing ever waits for another work-item, atomic operations on 32 bits are enough, no position is
//! read while it is written, and the list has no gaps.

use std::ops::Range;

use super::{Average, Families, Run, StageError, Stages};
use crate::merge::{Entry, Merge, MergeError, Partition, common_turn, entry_of};
use crate::{BackendError, Color, Planes32, Quad48, Rules};

/// Which of the two plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ply {
    /// The one that is expanded.
    Parents,
    /// The one that is collected.
    Successors,
}

/// Where candidates come from.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'a> {
    /// They are successors of the parents that were loaded last, the first of which is this one.
    Parents(u64),
    /// They are the roots themselves, with these multiplicities.
    Given(&'a [u128]),
}

/// What a device does to merge positions, besides [`Stages`].
///
/// Stages may be queued, as there. Out of memory means that smaller buffers of [`Stages`] may do.
pub trait MergeStages: Stages {
    /// How many successors there is room for beside the parents, at most.
    fn most_entries(&self) -> u64;

    /// Forgets the successors and makes room for so many. There is no error if it is too much, only no room.
    ///
    /// # Errors
    /// If memory runs out or the device fails; so in all methods.
    fn make_room(&mut self, entries: u64) -> Result<(), StageError>;

    /// The successors become the parents. Their table and the former parents are forgotten.
    fn descend(&mut self);

    /// Frees all that merging has taken.
    fn forget(&mut self);

    /// Puts some entries into level 0, each a root of its own, and sets all totals to zero.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn load(&mut self, ply: Ply, entries: Range<u64>) -> Result<(), StageError>;

    /// Adds the first `len` positions of a level, as far as they belong to a partition, to the successors. Each has the
    /// multiplicity of its root. Of the hash that says where the table keeps a position only these bits are used.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn insert(
        &mut self,
        level: usize,
        len: usize,
        origin: Origin<'_>,
        partition: Partition,
        hash_mask: u32,
    ) -> Result<(), StageError>;

    /// How many successors there are, after all that was queued.
    ///
    /// # Errors
    /// [`MergeError::Full`] if there was no room for some, [`MergeError::Overflow`] if a multiplicity did not fit.
    fn inserted(&mut self) -> Result<u64, MergeError>;

    /// The sum, over the first `len` roots, of leaves times the multiplicity of the successors from `first` on: eight
    /// words, the lowest first. Leaves are 1 at depth 0, the counts of level 0 at depth 1, and else the totals, which are
    /// zero afterwards.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn weigh(&mut self, first: u64, len: usize, depth: u32) -> Result<[u32; 8], StageError>;

    /// Some successors.
    ///
    /// # Errors
    /// If the device fails.
    fn entries(&mut self, entries: Range<u64>) -> Result<Vec<(Planes32, u128)>, BackendError>;
}

/// Two plies in a device's memory.
pub struct DeviceMerge<'a, S: MergeStages> {
    stages: &'a mut S,
    rules: Rules,
    hash_mask: u32,
    parents: u64,
    successors: u64,
    /// Who is to move in the parents and in the successors, if there are any.
    parents_turn: Option<Color>,
    turn: Option<Color>,
    /// Whether successors are of no use: there is no room for any, or a step has failed.
    failed: bool,
    /// Moves of a position, as last seen.
    moves: Average,
}

impl<'a, S: MergeStages> DeviceMerge<'a, S> {
    /// Nothing yet, on a device that is ready to merge. Of hashes so many bits are used.
    pub fn new(stages: &'a mut S, rules: &Rules, hash_bits: u32) -> Self {
        Self {
            stages,
            rules: rules.with_halfmove_clock(false),
            hash_mask: ((1_u64 << hash_bits.min(32)) - 1) as u32,
            parents: 0,
            successors: 0,
            parents_turn: None,
            turn: None,
            failed: true,
            moves: Average::default(),
        }
    }

    /// As many items as level 0 holds, the next of these.
    fn batch(&self, entries: &Range<u64>) -> Range<u64> {
        entries.start..entries.end.min(entries.start + self.stages.sizes().roots as u64)
    }

    /// Does a part of the work that can be done again if it failed for want of memory.
    fn attempt<T>(&mut self, mut work: impl FnMut(&mut Self) -> Result<T, StageError>) -> Result<T, MergeError> {
        loop {
            match work(self) {
                Ok(done) => return Ok(done),
                Err(StageError::OutOfMemory) => self.stages.shrink()?,
                Err(StageError::Again) => {}
                Err(StageError::Backend(error)) => return Err(error.into()),
            }
        }
    }

    /// Takes note of a step's failure.
    fn note<T>(&mut self, result: Result<T, MergeError>) -> Result<T, MergeError> {
        self.failed |= result.is_err();
        result
    }

    /// Takes in what was inserted.
    fn settle(&mut self, inserted: Result<(), StageError>) -> Result<(), MergeError> {
        match inserted {
            Ok(()) => {}
            // Part of it may have been added, and must not be added again.
            Err(StageError::OutOfMemory | StageError::Again) => return Err(MergeError::Full),
            Err(StageError::Backend(error)) => return Err(error.into()),
        }
        self.successors = self.stages.inserted()?;
        Ok(())
    }

    /// Adds as many of these as level 0 holds, and returns how many that are.
    fn add_batch(&mut self, entries: &[Entry]) -> Result<usize, MergeError> {
        self.attempt(|merge| merge.stages.prepare(2))?;
        let len = entries.len().min(self.stages.sizes().roots);
        let (positions, multiplicities): (Vec<Quad48>, Vec<_>) =
            entries[..len].iter().map(|entry| (entry.position.with_halfmove_clock(0), entry.multiplicity)).unzip();
        let origin = Origin::Given(&multiplicities);
        let inserted = self
            .stages
            .upload(&self.rules, &positions)
            .and_then(|()| self.stages.insert(0, len, origin, Partition::WHOLE, self.hash_mask));
        self.settle(inserted)?;
        Ok(len)
    }

    fn expand_batch(&mut self, parents: &Range<u64>, partition: Partition) -> Result<u64, MergeError> {
        let batch = self.attempt(|merge| {
            merge.stages.prepare(2)?;
            let batch = merge.batch(parents);
            merge.stages.load(Ply::Parents, batch.clone())?;
            Ok(batch)
        })?;
        let origin = Origin::Parents(batch.start);
        let mut families = Families::of((batch.end - batch.start) as usize);
        let inserted = loop {
            let inserted = match families.next(self.stages, 0, &mut self.moves) {
                Ok(Some(candidates)) => self.stages.insert(1, candidates, origin, partition, self.hash_mask),
                Ok(None) => break Ok(()),
                Err(error) => Err(error),
            };
            if inserted.is_err() {
                break inserted;
            }
        };
        self.settle(inserted)?;
        Ok(batch.end)
    }

    fn perft_batch(&mut self, successors: &Range<u64>, depth: u32) -> Result<(u64, u128), MergeError> {
        self.attempt(|merge| {
            let levels = depth.saturating_sub(merge.stages.last_plies().max(2)) as usize + 1;
            merge.stages.prepare(levels)?;
            let batch = merge.batch(successors);
            let (first, len) = (batch.start, (batch.end - batch.start) as usize);
            merge.stages.load(Ply::Successors, batch.clone())?;
            let mut sum = Some(0_u128);
            let mut collect = |stages: &mut S| {
                let weighed = low_half(stages.weigh(first, len, depth)?);
                sum = sum.zip(weighed).and_then(|(sum, more)| sum.checked_add(more));
                Ok(())
            };
            match depth {
                0 => collect(merge.stages)?,
                1 => {
                    merge.stages.count(0, len)?;
                    collect(merge.stages)?;
                }
                _ => Run { stages: merge.stages, collect, limit: u64::MAX, pending: 0, moves: merge.moves }
                    .count(len, depth)?,
            }
            Ok((batch.end, sum))
        })
        .and_then(|(end, sum)| sum.map(|sum| (end, sum)).ok_or(MergeError::Overflow))
    }
}

/// Eight words as a number, if it fits in 128 bits.
fn low_half(words: [u32; 8]) -> Option<u128> {
    let number = words[..4].iter().rev().fold(0, |number, &word| number << 32 | u128::from(word));
    (words[4..] == [0; 4]).then_some(number)
}

impl<S: MergeStages> Drop for DeviceMerge<'_, S> {
    fn drop(&mut self) {
        self.stages.forget();
    }
}

impl<S: MergeStages> Merge for DeviceMerge<'_, S> {
    fn parents(&self) -> u64 {
        self.parents
    }

    fn successors(&self) -> u64 {
        self.successors
    }

    fn most_successors(&self) -> u64 {
        self.stages.most_entries()
    }

    fn reserve(&mut self, successors: u64) -> Result<(), MergeError> {
        (self.successors, self.turn, self.failed) = (0, self.parents_turn.map(Color::opposite), true);
        if successors > self.stages.most_entries() {
            return Err(MergeError::Full);
        }
        match self.stages.make_room(successors) {
            Ok(()) => {
                self.failed = false;
                Ok(())
            }
            // Memory is shared with others.
            Err(StageError::OutOfMemory | StageError::Again) => Err(MergeError::Full),
            Err(StageError::Backend(error)) => Err(error.into()),
        }
    }

    fn add(&mut self, entries: &[Entry]) -> Result<(), MergeError> {
        let expected = if self.successors == 0 { None } else { self.turn };
        let turn =
            common_turn(entries, expected).and_then(|turn| if self.failed { Err(MergeError::Full) } else { Ok(turn) });
        self.turn = self.note(turn)?;
        let mut rest = entries;
        while !rest.is_empty() {
            let added = self.add_batch(rest);
            rest = &rest[self.note(added)?..];
        }
        Ok(())
    }

    fn expand(&mut self, parents: Range<u64>, partition: Partition) -> Result<(), MergeError> {
        if self.failed {
            return Err(MergeError::Full);
        }
        self.turn = self.parents_turn.map(Color::opposite);
        let mut rest = parents.start..parents.end.min(self.parents);
        while !rest.is_empty() {
            let expanded = self.expand_batch(&rest, partition);
            rest.start = self.note(expanded)?;
        }
        Ok(())
    }

    fn descend(&mut self) -> Result<(), MergeError> {
        if self.failed {
            return Err(MergeError::Full);
        }
        self.stages.descend();
        (self.parents, self.parents_turn) = (self.successors, self.turn);
        (self.successors, self.failed) = (0, true);
        Ok(())
    }

    fn perft(&mut self, successors: Range<u64>, depth: u32) -> Result<u128, MergeError> {
        let mut rest = successors.start..successors.end.min(self.successors);
        let mut total = 0_u128;
        while !rest.is_empty() {
            let (end, sum) = self.perft_batch(&rest, depth)?;
            total = total.checked_add(sum).ok_or(MergeError::Overflow)?;
            rest.start = end;
        }
        Ok(total)
    }

    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<Entry>, MergeError> {
        let range = successors.start..successors.end.min(self.successors);
        let Some(turn) = self.turn.filter(|_| !range.is_empty()) else { return Ok(Vec::new()) };
        let entries = self.stages.entries(range)?;
        Ok(entries.iter().map(|(planes, multiplicity)| entry_of(planes, turn, *multiplicity)).collect())
    }
}
