//! Merging equal positions on a device.
//!
//! Two plies lie in the device's memory, each as a list of positions and a list of multiplicities of 128 bits. Parents
//! are expanded in parts, as in counting. The successors of a part are candidates. Each candidate looks for its slot in
//! a hash table of entry numbers, one slot after another, beginning with the slot of its hash. It takes a free slot by
//! exchanging one word. A taken slot refers to a position that an earlier kernel wrote, and the two positions are
//! compared in full: if they are equal, the multiplicities are added; if not, the candidate tries the next slot. Then
//! the candidates that have taken a slot are appended to the list, and their slots get the numbers of the new entries.
//!
//! Therefore no work-item waits for another, atomic operations on 32 bits are enough, no position is read while it is
//! written, and the list has no gaps. The table has more free slots than a launch has candidates, so every search ends.
//! Candidates that do not fit in the list free their slots again.

use std::ops::Range;

use kogge_board::merge::{Entry, MergeError, MergeOptions, Partition, common_turn, entry_of};
use kogge_board::{BackendError, Color, Quad48, Rules};

use crate::counting::Walk;
use crate::families::{Families, Family};
use crate::interface::Interface;
use crate::lists::{Lists, Origin, Ply};
use crate::runner::Halt;
use crate::session::Session;

/// Two plies in a device's memory.
pub(crate) struct DeviceMerge<'a, I: Interface> {
    session: &'a mut Session<I>,
    lists: Lists<I>,
    rules: Rules,
    hash_mask: u32,
    pub(crate) parents: u64,
    pub(crate) successors: u64,
    /// The side to move in the parents and in the successors, if there are any.
    parents_turn: Option<Color>,
    turn: Option<Color>,
    /// Whether the successors are unusable: they have no room, or a call has failed.
    failed: bool,
}

impl<'a, I: Interface> DeviceMerge<'a, I> {
    /// Begins a merge without positions.
    pub(crate) async fn begin(
        session: &'a mut Session<I>,
        rules: &Rules,
        options: &MergeOptions,
    ) -> Result<Self, BackendError> {
        let lists = Lists::new(session, options.memory).await?;
        let merge = Self {
            session,
            lists,
            rules: rules.with_halfmove_clock(false),
            hash_mask: ((1_u64 << options.hash_bits.min(32)) - 1) as u32,
            parents: 0,
            successors: 0,
            parents_turn: None,
            turn: None,
            failed: true,
        };
        // Counting has buffers, too, which are kept for it. Where there is no room for them, smaller ones are made later.
        match merge.session.prepare(2).await {
            Err(Halt::Error(error @ (BackendError::Device { .. } | BackendError::WrongAnswer { .. }))) => Err(error),
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
                Err(Halt::OutOfMemory) => self.session.shrink()?,
                Err(Halt::Overflow) => {}
                Err(Halt::Error(error)) => return Err(error.into()),
            }
        }
    }

    /// Waits for an insertion and updates the number of successors.
    async fn take_inserted(&mut self, inserted: Result<(), Halt>) -> Result<(), MergeError> {
        // Some candidates may have been added; they must not be added again.
        inserted.map_err(or_full)?;
        self.successors = self.lists.inserted(self.session).await?;
        Ok(())
    }

    /// Adds the first of these entries, as many as fit in level 0, and returns their number.
    async fn add_batch(&mut self, entries: &[Entry]) -> Result<usize, MergeError> {
        self.prepare(2).await?;
        let len = entries.len().min(self.session.sizes.roots).min(self.lists.candidates());
        let (positions, multiplicities): (Vec<Quad48>, Vec<_>) =
            entries[..len].iter().map(|entry| (entry.position.with_halfmove_clock(0), entry.multiplicity)).unzip();
        let inserted = match self.session.upload(&self.rules, &positions).await {
            Ok(()) => {
                let origin = Origin::Given(&multiplicities);
                self.lists.insert(self.session, 0, len, origin, Partition::WHOLE, self.hash_mask).await
            }
            halted => halted,
        };
        self.take_inserted(inserted).await?;
        Ok(len)
    }

    /// Expands the first of these parents, as many as fit in level 0, adds their moves, weighted by multiplicity, to the sums,
    /// and returns the end of these parents.
    async fn expand_batch(&mut self, parents: &Range<u64>, partition: Partition) -> Result<u64, MergeError> {
        let batch = loop {
            self.prepare(2).await?;
            let roots = self.session.sizes.roots;
            let batch = self.lists.batch(self.session, Ply::Parents, parents, roots).map_err(or_full)?;
            match self.lists.load(self.session, Ply::Parents, batch.clone()).await {
                Ok(()) => break batch,
                Err(Halt::OutOfMemory) => self.session.shrink()?,
                Err(Halt::Overflow) => {}
                Err(Halt::Error(error)) => return Err(error.into()),
            }
        };
        let mut families = Families::of((batch.end - batch.start) as usize);
        let inserted = loop {
            let inserted = match families.next(self.session, 0, usize::MAX).await {
                Ok(Some(Family { successors: candidates, .. })) => {
                    let origin = Origin::Parents(batch.start);
                    self.lists.insert(self.session, 1, candidates, origin, partition, self.hash_mask).await
                }
                Ok(None) => break Ok(()),
                Err(halt) => Err(halt),
            };
            if inserted.is_err() {
                break inserted;
            }
        };
        let inserted = match inserted {
            Ok(()) => {
                let len = (batch.end - batch.start) as usize;
                self.lists.add_weighted(self.session, Ply::Parents, batch.start, len, 1).await
            }
            halted => halted,
        };
        self.take_inserted(inserted).await?;
        Ok(batch.end)
    }

    /// Counts the weighted leaves below the first of these successors, as many as fit in level 0. Returns the end of
    /// these successors and the sum, which is `None` if it does not fit in 128 bits.
    async fn perft_batch(&mut self, successors: &Range<u64>, depth: u32) -> Result<(u64, Option<u128>), Halt> {
        // Expansion has two levels, whose buffers are kept.
        let levels = self.session.levels(depth).max(2);
        self.session.prepare(levels).await?;
        if depth == 0 {
            // At depth 0 only multiplicities are needed, so a batch is a shard.
            let batch = self.lists.batch(self.session, Ply::Successors, successors, usize::MAX)?;
            let len = (batch.end - batch.start) as usize;
            return Ok((batch.end, self.lists.weighted_sum(self.session, batch.start, len, 0).await?));
        }
        let roots = self.session.sizes.roots;
        let batch = self.lists.batch(self.session, Ply::Successors, successors, roots)?;
        let (first, len) = (batch.start, (batch.end - batch.start) as usize);
        self.lists.load(self.session, Ply::Successors, batch.clone()).await?;
        let lists = &self.lists;
        let mut sum = Some(0_u128);
        let mut collect = async |session: &mut Session<I>| {
            let more = lists.weighted_sum(session, first, len, depth).await?;
            sum = sum.zip(more).and_then(|(sum, more)| sum.checked_add(more));
            Ok(more.unwrap_or_default())
        };
        if depth == 1 {
            self.session.count_moves(0, len).await?;
            collect(self.session).await?;
        } else {
            Walk::new(self.session, collect, None).count(len, depth).await?;
        }
        Ok((batch.end, sum))
    }

    pub(crate) fn most_successors(&self) -> u64 {
        self.lists.most_entries(self.session)
    }

    pub(crate) async fn reserve(&mut self, successors: u64) -> Result<(), MergeError> {
        (self.successors, self.turn, self.failed) = (0, self.parents_turn.map(Color::opposite), true);
        if successors > self.lists.most_entries(self.session) {
            return Err(MergeError::Full);
        }
        match self.lists.make_room(self.session, successors).await {
            Ok(()) => {
                self.failed = false;
                Ok(())
            }
            // Other programs use the memory too.
            Err(halt) => Err(or_full(halt)),
        }
    }

    pub(crate) async fn add(&mut self, entries: &[Entry]) -> Result<(), MergeError> {
        let expected = if self.successors == 0 { None } else { self.turn };
        let turn =
            common_turn(entries, expected).and_then(|turn| if self.failed { Err(MergeError::Full) } else { Ok(turn) });
        self.turn = self.note(turn)?;
        let mut rest = entries;
        while !rest.is_empty() {
            let added = self.add_batch(rest).await;
            rest = &rest[self.note(added)?..];
        }
        Ok(())
    }

    pub(crate) async fn expand(&mut self, parents: Range<u64>, partition: Partition) -> Result<u128, MergeError> {
        if self.failed {
            return Err(MergeError::Full);
        }
        self.turn = self.parents_turn.map(Color::opposite);
        let paths = self.expand_batches(parents.start..parents.end.min(self.parents), partition).await;
        self.note(paths)
    }

    /// Expands these parents and returns the sum of their moves, weighted by multiplicity.
    async fn expand_batches(&mut self, mut rest: Range<u64>, partition: Partition) -> Result<u128, MergeError> {
        self.lists.clear_sums(self.session).map_err(or_full)?;
        while !rest.is_empty() {
            rest.start = self.expand_batch(&rest, partition).await?;
        }
        self.lists.sum_of_sums(self.session).await.map_err(or_full)?.ok_or(MergeError::Overflow)
    }

    pub(crate) fn descend(&mut self) -> Result<(), MergeError> {
        if self.failed {
            return Err(MergeError::Full);
        }
        self.lists.descend();
        (self.parents, self.parents_turn) = (self.successors, self.turn);
        (self.successors, self.failed) = (0, true);
        Ok(())
    }

    pub(crate) async fn perft(&mut self, successors: Range<u64>, depth: u32) -> Result<u128, MergeError> {
        self.session.overflowed = false;
        let mut rest = successors.start..successors.end.min(self.successors);
        let mut total = 0_u128;
        while !rest.is_empty() {
            match self.perft_batch(&rest, depth).await {
                Ok((end, sum)) => {
                    total = sum.and_then(|sum| total.checked_add(sum)).ok_or(MergeError::Overflow)?;
                    rest.start = end;
                }
                Err(Halt::OutOfMemory) => self.session.shrink()?,
                Err(Halt::Overflow) => {}
                Err(Halt::Error(error)) => return Err(error.into()),
            }
        }
        Ok(total)
    }

    pub(crate) async fn entries(&mut self, successors: Range<u64>) -> Result<Vec<Entry>, MergeError> {
        let mut rest = successors.start..successors.end.min(self.successors);
        let mut entries = Vec::new();
        let Some(turn) = self.turn else { return Ok(entries) };
        while !rest.is_empty() {
            let batch = self.lists.batch(self.session, Ply::Successors, &rest, usize::MAX).map_err(or_full)?;
            rest.start = batch.end;
            let read = self.lists.read(self.session, batch).await?;
            entries.extend(read.iter().map(|(planes, multiplicity)| entry_of(planes, turn, *multiplicity)));
        }
        Ok(entries)
    }
}

/// Converts the reason to halt, after which the successors are useless.
fn or_full(halt: Halt) -> MergeError {
    match halt {
        Halt::OutOfMemory | Halt::Overflow => MergeError::Full,
        Halt::Error(error) => error.into(),
    }
}

impl<I: Interface> Drop for DeviceMerge<'_, I> {
    fn drop(&mut self) {
        self.session.merge_memory = None;
    }
}
