//! Breadth-first counting on a device with memory of its own: what is the same for every GPU interface.
//!
//! A device holds one buffer of positions per level of the tree. A level's positions are counted and
//! the counts scanned; then moves are written part by part, and each part either becomes the next
//! level, below which the same happens, or, one ply before the leaves, its replies are counted. A
//! device that can count its last plies by itself does so, and is not asked for their moves first. So
//! the tree is walked depth first in parts as large as the buffers allow, and memory does not grow with
//! the tree. What does not fit is split at the borders of the scan's blocks.
//!
//! A device implements [`Stages`]; [`perft`], [`count`] and [`expand`] are then what a
//! [`Backend`](crate::Backend) needs, [`minimax()`] too if it implements [`JudgeStages`], and [`DeviceMerge`] if it
//! implements [`MergeStages`]. If memory runs out, the buffers are made smaller and the batch
//! that was under way starts again; a total is used only once everything below its roots is in it.

mod judging;
mod merging;

use std::ops::Range;

pub use judging::{
    JudgeStages, MOST_QUIESCENCE_ROOM, PLIES_WITH_QUIESCENCE, QUIESCENCE_NODES, QUIESCENCE_ROOM, minimax,
};
pub use merging::{DeviceMerge, MergeStages, Origin, Ply};

use crate::{BackendError, Quad48, Rules, Successors};

/// The most legal moves that a position can have: fifteen queens of 27 moves and a king's ten are 415.
pub const MOST_MOVES: u32 = 512;

/// The most plies that a device counts by itself: the leaves below a position fit in a total all the same.
pub const MOST_LAST_PLIES: u32 = 6;

/// How much a device's buffers hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Positions of one batch, the roots of level 0; no more than `positions`.
    pub roots: usize,
    /// Positions of one level, at least a block's worth of successors: `block` times [`MOST_MOVES`].
    pub positions: usize,
    /// Moves that are written at once, at least as many.
    pub moves: usize,
    /// Successors that leave the device at once, at least as many.
    pub successors: usize,
    /// Positions of one block of the scan; parts begin at multiples of it.
    pub block: usize,
}

/// Some consecutive positions of a level whose moves fit in the buffers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The positions; the first is the first of a block.
    pub positions: Range<usize>,
    /// How many moves they have.
    pub moves: usize,
}

/// Why a stage was not done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StageError {
    /// Memory ran out; smaller buffers may do.
    OutOfMemory,
    /// The device has left something out and taken note of that; all that was asked of it since the positions were
    /// uploaded has to be asked again, and it will do it in another way.
    Again,
    /// Anything else.
    Backend(BackendError),
}

impl From<BackendError> for StageError {
    fn from(error: BackendError) -> Self {
        Self::Backend(error)
    }
}

/// What a device does. Levels count from 0, where the roots are.
///
/// A stage may be queued and not yet done when its method returns, as long as stages are done in
/// order and those that return something wait.
pub trait Stages {
    /// How much the buffers hold now.
    fn sizes(&self) -> Sizes;

    /// Makes buffers for this many levels, and perhaps smaller ones if there are more than before.
    ///
    /// # Errors
    /// If memory runs out or the device fails; so in all methods.
    fn prepare(&mut self, levels: usize) -> Result<(), StageError>;

    /// Makes the buffers smaller.
    ///
    /// # Errors
    /// If they are as small as they can be.
    fn shrink(&mut self) -> Result<(), BackendError>;

    /// Puts positions into level 0, each a root of its own, and sets all totals to zero.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn upload(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<(), StageError>;

    /// Counts the moves of a level's first `len` positions and scans the counts; returns the sum of
    /// each block.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn count(&mut self, level: usize, len: usize) -> Result<Vec<u32>, StageError>;

    /// The counts of level 0 that [`Stages::count`] left there.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn counts(&mut self, len: usize) -> Result<Vec<u32>, StageError>;

    /// Takes the exclusive sums, modulo 2^32, of a level's block sums. Moves of a part are written
    /// from the base of its first block on.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn place(&mut self, level: usize, bases: &[u32]) -> Result<(), StageError>;

    /// Makes the successors of a part and puts them, in generation order, into the next level.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn expand(&mut self, level: usize, part: &Part) -> Result<(), StageError>;

    /// Makes the successors of some positions in any order, if the device has a way to do that which is faster than
    /// counting, placing and [expanding](Stages::expand), and puts them into the next level. Returns how many there are;
    /// if they are more than the level holds, some are missing there.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn spread(&mut self, level: usize, positions: Range<usize>) -> Result<Option<usize>, StageError> {
        let _ = (level, positions);
        Ok(None)
    }

    /// Adds the number of replies to every move of a part to the totals of the roots.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn count_moves(&mut self, level: usize, part: &Part) -> Result<(), StageError>;

    /// How many plies [`Stages::count_leaves`] counts, at most [`MOST_LAST_PLIES`]; with less than two,
    /// the last two plies are left to [`Stages::count_moves`].
    fn last_plies(&self) -> u32;

    /// Adds the leaves `depth` plies below some positions of a level to the totals of the roots. The
    /// depth is at least two and at most [`Stages::last_plies`].
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn count_leaves(&mut self, level: usize, positions: Range<usize>, depth: u32) -> Result<(), StageError>;

    /// The totals of the first `len` roots; they are zero afterwards.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn take_totals(&mut self, len: usize) -> Result<Vec<u64>, StageError>;

    /// Appends the successors of a part of level 0, in generation order.
    ///
    /// # Errors
    /// If memory runs out or the device fails.
    fn successors(&mut self, rules: &Rules, part: &Part, out: &mut Vec<Quad48>) -> Result<(), StageError>;
}

/// Leaves `depth` plies below each position.
///
/// # Errors
/// If the device fails, or if a count does not fit in 64 bits.
pub fn perft<S: Stages>(
    stages: &mut S,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
) -> Result<Vec<u64>, BackendError> {
    match depth {
        0 => Ok(vec![1; positions.len()]),
        1 => Ok(count(stages, rules, positions)?.into_iter().map(u64::from).collect()),
        _ => perft_within(stages, rules, positions, depth, u64::MAX),
    }
}

/// The same for two plies and more, with totals on the device that hold no more than `limit`.
fn perft_within<S: Stages>(
    stages: &mut S,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
    limit: u64,
) -> Result<Vec<u64>, BackendError> {
    let mut totals = Vec::with_capacity(positions.len());
    let levels = |stages: &S| depth.saturating_sub(stages.last_plies().max(2)) as usize + 1;
    in_batches(stages, levels, positions, |stages, batch| {
        stages.upload(rules, batch)?;
        let mut sums = vec![0_u64; batch.len()];
        let collect = |stages: &mut S| Ok(add(&mut sums, &stages.take_totals(batch.len())?)?);
        Run { stages, collect, limit, pending: 0, moves: Average::default() }.count(batch.len(), depth)?;
        totals.append(&mut sums);
        Ok(())
    })?;
    Ok(totals)
}

/// Adds totals to sums, one to each.
fn add(sums: &mut [u64], totals: &[u64]) -> Result<(), BackendError> {
    sums.iter_mut().zip(totals).try_for_each(|(sum, &more)| {
        *sum = sum.checked_add(more).ok_or(BackendError::Overflow)?;
        Ok(())
    })
}

/// The number of legal moves of each position.
///
/// # Errors
/// If the device fails.
pub fn count<S: Stages>(stages: &mut S, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
    let mut counts = Vec::with_capacity(positions.len());
    in_batches(
        stages,
        |_| 1,
        positions,
        |stages, batch| {
            stages.upload(rules, batch)?;
            stages.count(0, batch.len())?;
            counts.append(&mut stages.counts(batch.len())?);
            Ok(())
        },
    )?;
    Ok(counts)
}

/// The successors of each position, in generation order.
///
/// # Errors
/// If the device fails.
pub fn expand<S: Stages>(stages: &mut S, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
    let mut all = Successors { positions: Vec::new(), ends: Vec::with_capacity(positions.len()) };
    in_batches(
        stages,
        |_| 1,
        positions,
        |stages, batch| {
            let mut successors = Vec::new();
            stages.upload(rules, batch)?;
            let sums = stages.count(0, batch.len())?;
            let counts = stages.counts(batch.len())?;
            let sizes = stages.sizes();
            stages.place(0, &bases(&sums))?;
            for part in parts(&sums, batch.len(), sizes.block, sizes.moves.min(sizes.successors)) {
                stages.successors(rules, &part, &mut successors)?;
            }
            let mut end = all.positions.len();
            all.positions.append(&mut successors);
            all.ends.extend(counts.into_iter().map(|count| {
                end += count as usize;
                end
            }));
            Ok(())
        },
    )?;
    Ok(all)
}

/// Does something with as many positions at a time as level 0 holds. What ran out of memory is done
/// again from its start, with smaller buffers.
fn in_batches<S: Stages>(
    stages: &mut S,
    levels: impl Fn(&S) -> usize,
    mut positions: &[Quad48],
    mut work: impl FnMut(&mut S, &[Quad48]) -> Result<(), StageError>,
) -> Result<(), BackendError> {
    while !positions.is_empty() {
        let mut batch = positions;
        let done = stages.prepare(levels(stages)).and_then(|()| {
            batch = &positions[..positions.len().min(stages.sizes().roots)];
            work(stages, batch)
        });
        match done {
            Ok(()) => positions = &positions[batch.len()..],
            Err(StageError::OutOfMemory) => stages.shrink()?,
            Err(StageError::Again) => {}
            Err(StageError::Backend(error)) => return Err(error),
        }
    }
    Ok(())
}

/// A batch on its way down.
struct Run<'a, S, C> {
    stages: &'a mut S,
    /// Takes the device's totals, and sets them to zero.
    collect: C,
    /// What a total on the device can hold.
    limit: u64,
    /// No total on the device is larger than this.
    pending: u64,
    /// Moves of a position, as last seen.
    moves: Average,
}

impl<S: Stages, C: FnMut(&mut S) -> Result<(), StageError>> Run<'_, S, C> {
    /// Counts the leaves `depth` (at least two) plies below `len` roots, and collects all totals.
    fn count(&mut self, len: usize, depth: u32) -> Result<(), StageError> {
        self.descend(0, len, depth)?;
        self.collect()
    }

    /// Counts the leaves `depth` (at least two) plies below a level's first `len` positions.
    fn descend(&mut self, level: usize, len: usize, depth: u32) -> Result<(), StageError> {
        if depth <= self.stages.last_plies().min(MOST_LAST_PLIES) {
            return self.count_leaves(level, len, depth);
        }
        if depth > 2 {
            let mut families = Families::of(len);
            while let Some(successors) = families.next(self.stages, level, &mut self.moves)? {
                self.descend(level + 1, successors, depth - 1)?;
            }
            return Ok(());
        }
        let sums = self.stages.count(level, len)?;
        let sizes = self.stages.sizes();
        self.stages.place(level, &bases(&sums))?;
        for part in parts(&sums, len, sizes.block, sizes.moves) {
            self.make_room(part.moves as u64 * u64::from(MOST_MOVES))?;
            self.stages.count_moves(level, &part)?;
        }
        Ok(())
    }

    /// Counts the leaves below a level's first `len` positions where the device needs no help, as many at a time as
    /// totals hold.
    fn count_leaves(&mut self, level: usize, len: usize, depth: u32) -> Result<(), StageError> {
        let most = u64::from(MOST_MOVES).pow(depth);
        let step = usize::try_from(self.limit / most).unwrap_or(usize::MAX).max(1);
        let mut start = 0;
        while start < len {
            let end = len.min(start.saturating_add(step));
            self.make_room(most.saturating_mul((end - start) as u64))?;
            self.stages.count_leaves(level, start..end, depth)?;
            start = end;
        }
        Ok(())
    }

    /// Sees to it that totals on the device can take so many more leaves.
    fn make_room(&mut self, leaves: u64) -> Result<(), StageError> {
        if leaves > self.limit.saturating_sub(self.pending) {
            self.collect()?;
        }
        self.pending = self.pending.saturating_add(leaves);
        Ok(())
    }

    /// Takes the device's totals.
    fn collect(&mut self) -> Result<(), StageError> {
        self.pending = 0;
        (self.collect)(self.stages)
    }
}

/// Moves of a position, on average over those last seen; too many rather than too few.
#[derive(Clone, Copy)]
struct Average(usize);

impl Default for Average {
    /// What few trees exceed.
    fn default() -> Self {
        Self(64)
    }
}

/// The successors of a level's positions, as many at a time as the next level holds.
struct Families {
    /// Positions whose successors are to be made.
    rest: Range<usize>,
    /// The same in parts whose moves are counted, once it is known that the device can do it in order alone.
    parts: Option<std::vec::IntoIter<Part>>,
    /// How many positions the device is given at once, at most.
    most: usize,
}

impl Families {
    /// Those of the first `len` positions.
    fn of(len: usize) -> Self {
        Self { rest: 0..len, parts: None, most: usize::MAX }
    }

    /// Puts the next ones into the next level, and returns how many these are; `None` if there are no more.
    fn next<S: Stages>(
        &mut self,
        stages: &mut S,
        level: usize,
        moves: &mut Average,
    ) -> Result<Option<usize>, StageError> {
        let sizes = stages.sizes();
        while self.parts.is_none() && !self.rest.is_empty() {
            // Parts of equal size keep the device as busy at the end as at the start. They are whole blocks, so that the
            // rest can be done in order.
            let pieces = (self.rest.len() * moves.0).div_ceil(sizes.positions);
            let len = self.rest.len().div_ceil(pieces).min(self.most).next_multiple_of(sizes.block);
            let part = self.rest.start..self.rest.end.min(self.rest.start + len);
            // The successors of a block always fit. Whatever a device says of one, it is not asked again and again.
            let spread = stages.spread(level, part.clone())?;
            match spread.filter(|&count| count <= sizes.positions || part.len() > sizes.block) {
                None => {
                    let sums = stages.count(level, self.rest.end)?;
                    stages.place(level, &bases(&sums))?;
                    let most = sizes.moves.min(sizes.positions);
                    let mut parts = parts(&sums[self.rest.start / sizes.block..], self.rest.len(), sizes.block, most);
                    for part in &mut parts {
                        part.positions = part.positions.start + self.rest.start..part.positions.end + self.rest.start;
                    }
                    self.parts = Some(parts.into_iter());
                }
                Some(successors) => {
                    // A sixteenth more, since parts differ.
                    moves.0 = (successors + successors / 16).div_ceil(part.len()).clamp(1, MOST_MOVES as usize);
                    if successors <= sizes.positions {
                        self.rest.start = part.end;
                        return Ok(Some(successors));
                    }
                    self.most = part.len() / 2;
                }
            }
        }
        let Some(part) = self.parts.as_mut().and_then(Iterator::next) else { return Ok(None) };
        stages.expand(level, &part)?;
        Ok(Some(part.moves))
    }
}

/// The exclusive sums, modulo 2^32, of block sums.
fn bases(sums: &[u32]) -> Vec<u32> {
    let exclusive = sums.iter().scan(0_u32, |base, &sum| {
        let before = *base;
        *base = base.wrapping_add(sum);
        Some(before)
    });
    exclusive.collect()
}

/// Cuts a level of `len` positions at borders of blocks into parts of at most `most` moves, of about
/// the same size. Parts without moves are left out. A block never has more than `most`.
fn parts(sums: &[u32], len: usize, block: usize, most: usize) -> Vec<Part> {
    let mut parts = cut(sums, len, block, most);
    parts.retain(|part| part.moves > 0);
    parts
}

/// The same with every position in some part.
fn cut(sums: &[u32], len: usize, block: usize, most: usize) -> Vec<Part> {
    let total: usize = sums.iter().map(|&sum| sum as usize).sum();
    // Parts of equal size keep the device as busy at the end as at the start.
    let fair = total.div_ceil(total.div_ceil(most.max(1)).max(1));
    let mut parts = Vec::new();
    let mut part = Part { positions: 0..0, moves: 0 };
    for (index, &sum) in sums.iter().enumerate() {
        let sum = sum as usize;
        if part.moves >= fair.max(1) || part.moves + sum > most {
            parts.push(part);
            part = Part { positions: index * block..index * block, moves: 0 };
        }
        part.positions.end = len.min((index + 1) * block);
        part.moves += sum;
    }
    parts.push(part);
    parts
}

#[cfg(test)]
mod tests;
