//! An open device: its interface, its buffers, and its experience with earlier trees.
//!
//! Every walk consists of the stages in this file. A stage queues kernels on the levels of the tree, and waits for the device
//! only if it returns a number.

use std::ops::Range;

use kogge_board::merge::Filter;
use kogge_board::{BackendError, Quad48, Rules};

use crate::MOST_MOVES;
use crate::arguments::{
    ClosedForm, Count, CountReplies, ExpandItems, ExpandUnordered, Make, MakeQuads, Scan, Upload, WriteMoves,
    with_filter,
};
use crate::interface::Interface;
use crate::kernels::Module;
use crate::levels::{Buffers, Sizes};
use crate::parameters::Parameter::{self, GroupSize};
use crate::parts::{Cut, Part, bases};
use crate::runner::{Retry, Runner};
use crate::settings::{GpuSettings, Unordered};
use crate::variants::depth_first;

/// The average capacity for the moves that the closed form does not count, per position two plies above the leaves.
const ITEMS_PER_POSITION: usize = 32;

/// The initial average number of moves of a position. Few trees exceed it.
const MOVES: usize = 64;

/// A device with its kernels and its memory.
pub(crate) struct Session<I: Interface> {
    pub(crate) runner: Runner<I>,
    buffers: Option<Buffers<I>>,
    sizes: Sizes,
    /// The number of times that the sizes were halved because memory ran out.
    halvings: u32,
    /// During a merge, the number of bytes left for the buffers of the levels.
    merge_memory: Option<u64>,
    /// Whether the queue of the closed form has overflowed in this call. Then every reply is counted until the call ends.
    overflowed: bool,
    /// The average number of moves of the positions expanded most recently, rounded up.
    moves: usize,
}

impl<I: Interface> Session<I> {
    pub(crate) fn new(device: String, interface: I, settings: GpuSettings) -> Self {
        let sizes = Sizes { roots: 0, positions: 0, moves: 0, successors: 0, block: settings[GroupSize] };
        Self {
            runner: Runner::new(device, interface, settings),
            buffers: None,
            sizes,
            halvings: 0,
            merge_memory: None,
            overflowed: false,
            moves: MOVES,
        }
    }

    pub(crate) fn counting_modules(settings: &GpuSettings) -> Vec<Module> {
        let unordered = settings.unordered == Unordered::Always;
        let depth_first = settings.variants.depth_first.is_some();
        let modules = [(Module::Counting, true), (Module::Unordered, unordered), (Module::DepthFirst, depth_first)];
        modules.into_iter().filter(|&(_, wanted)| wanted).map(|(module, _)| module).collect()
    }

    pub(crate) fn merging_modules(settings: &GpuSettings) -> &'static [Module] {
        match settings.unordered {
            Unordered::InMerges => &[Module::Merging, Module::Unordered],
            Unordered::Never | Unordered::Always => &[Module::Merging],
        }
    }

    /// The number of plies that [`Session::count_leaves`] counts. If it is one, [`Session::count_part`] counts the last
    /// two plies.
    pub(crate) fn last_plies(&self) -> u32 {
        let settings = &self.runner.settings;
        let closed_form = settings.uses(Parameter::ClosedForm) && !self.overflowed;
        settings.variants.depth_first.unwrap_or(if closed_form { 2 } else { 1 })
    }

    /// The number of levels whose positions are made, in a tree of this depth.
    pub(crate) fn levels(&self, depth: u32) -> usize {
        depth.saturating_sub(self.last_plies().max(2)) as usize + 1
    }

    /// The sizes of the buffers.
    pub(crate) const fn sizes(&self) -> Sizes {
        self.sizes
    }

    /// The average number of moves of the positions expanded most recently, rounded up.
    pub(crate) const fn moves(&self) -> usize {
        self.moves
    }

    /// Begins a call, which counts in closed form until a queue overflows.
    pub(crate) const fn begin(&mut self) {
        self.overflowed = false;
    }

    pub(crate) const fn has_overflowed(&self) -> bool {
        self.overflowed
    }

    /// Begins a merge, which leaves `memory` bytes for the buffers of the levels. Larger buffers of earlier counts are freed.
    pub(crate) fn begin_merge(&mut self, memory: u64) {
        let bytes = |buffers: &Buffers<I>| self.sizes.bytes(buffers.levels.len(), &self.runner.settings).0;
        self.buffers = self.buffers.take().filter(|buffers| bytes(buffers) <= memory);
        self.merge_memory = Some(memory);
    }

    pub(crate) const fn end_merge(&mut self) {
        self.merge_memory = None;
    }

    /// Returns the sizes of buffers for `levels` levels, as large as the settings ask for and memory permits.
    ///
    /// # Errors
    /// If not even the smallest buffers fit in memory.
    pub(crate) fn fitting(&self, levels: usize) -> Result<Sizes, BackendError> {
        let settings = &self.runner.settings;
        let memory = self.merge_memory.unwrap_or(settings.memory);
        let mut halvings = self.halvings;
        while let Some(sizes) = Sizes::halved(settings, halvings) {
            let (total, largest) = sizes.bytes(levels, settings);
            if total <= memory && largest <= settings.max_buffer {
                return Ok(sizes);
            }
            halvings += 1;
        }
        let doing = format!("making room for {levels} levels of positions in {memory} bytes");
        Err(BackendError::OutOfMemory { device: self.runner.device.clone(), doing })
    }

    /// Makes buffers for `levels` levels. Keeps buffers that have the right size.
    pub(crate) async fn prepare(&mut self, levels: usize) -> Result<(), Retry> {
        let sizes = self.fitting(levels)?;
        if self.merge_memory.is_none() {
            self.runner.spare.free();
        }
        // Free the old buffers first, to make room for the new ones.
        let kept = self.buffers.take().filter(|_| sizes == self.sizes);
        self.sizes = sizes;
        let runner = &mut self.runner;
        let made = async {
            let mut buffers = match kept {
                Some(buffers) => buffers,
                None => Buffers::new(runner, &sizes).await?,
            };
            buffers.deepen(runner, &sizes, levels).await?;
            Ok(buffers)
        };
        self.buffers = Some(made.await.map_err(|failure| self.runner.failed("to make buffers", failure))?);
        Ok(())
    }

    /// Frees the buffers and halves the sizes of the next buffers.
    ///
    /// # Errors
    /// If the sizes are the smallest already.
    pub(crate) fn shrink(&mut self) -> Result<(), BackendError> {
        self.buffers = None;
        if Sizes::halved(&self.runner.settings, self.halvings + 1).is_some() {
            self.halvings += 1;
            return Ok(());
        }
        let doing = "even with its smallest buffers".to_owned();
        Err(BackendError::OutOfMemory { device: self.runner.device.clone(), doing })
    }

    /// Returns the runner and the buffers, if the buffers have this level and can hold this number of positions and moves.
    ///
    /// The walk never requests more, unless the device returns impossible counts.
    pub(crate) fn work(
        &mut self,
        levels: usize,
        positions: usize,
        moves: usize,
    ) -> Result<(&mut Runner<I>, &Buffers<I>), Retry> {
        let Self { runner, buffers, sizes, .. } = self;
        let most = if levels == 1 { sizes.roots } else { sizes.positions };
        match buffers {
            Some(buffers) if levels <= buffers.levels.len() && positions <= most && moves <= sizes.moves => {
                Ok((runner, buffers))
            }
            _ => Err(runner.wrong(format!(
                "it counted {moves} moves of {positions} positions on {levels} levels, which is too many."
            ))),
        }
    }

    /// Calls `work` for batches of positions, each as large as level 0. After a [`Retry`], the
    /// batch starts again.
    pub(crate) async fn in_batches(
        &mut self,
        levels: impl Fn(&Self) -> usize,
        mut positions: &[Quad48],
        mut work: impl AsyncFnMut(&mut Self, &[Quad48]) -> Result<(), Retry>,
    ) -> Result<(), BackendError> {
        while !positions.is_empty() {
            let levels = levels(self);
            let mut batch = positions;
            let done = match self.prepare(levels).await {
                Ok(()) => {
                    batch = &positions[..positions.len().min(self.sizes.roots)];
                    work(self, batch).await
                }
                Err(error) => Err(error),
            };
            match done {
                Ok(()) => positions = &positions[batch.len()..],
                Err(Retry::OutOfMemory) => self.shrink()?,
                Err(Retry::Overflow) => {}
                Err(Retry::Error(error)) => return Err(error),
            }
        }
        Ok(())
    }

    /// Uploads positions to level 0, each as its own root, and clears all totals.
    pub(crate) async fn upload(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<(), Retry> {
        let (runner, buffers) = self.work(1, positions.len(), 0)?;
        runner.write("positions", &buffers.quads, positions)?;
        runner.clear("the totals", &buffers.totals, positions.len() + 1)?;
        let arguments = Upload {
            quads: &buffers.quads,
            successors: &buffers.levels[0].positions,
            successor_roots: &buffers.levels[0].roots,
            end: positions.len() as u32,
            castling_files: u32::from_le_bytes(rules.castling_files),
        };
        // SAFETY: `write` has checked the capacity for the positions, and a level has at least as much capacity.
        unsafe { runner.launch(positions.len(), arguments) }.await
    }

    pub(crate) async fn count_moves(&mut self, level: usize, len: usize) -> Result<(), Retry> {
        let (runner, buffers) = self.work(level + 1, len, 0)?;
        let here = &buffers.levels[level];
        let count =
            Count { positions: &here.positions, lines: &buffers.lines, new_counts: &here.counts, end: len as u32 };
        // SAFETY: `work` has checked that the level has room for the positions.
        unsafe { runner.launch(len, count) }.await
    }

    /// Counts the moves of a level's first `len` positions and scans the counts. Returns the sum of each block.
    pub(crate) async fn count_level(&mut self, level: usize, len: usize) -> Result<Vec<u32>, Retry> {
        self.count_moves(level, len).await?;
        let block = self.sizes.block;
        let (runner, buffers) = self.work(level + 1, len, 0)?;
        let here = &buffers.levels[level];
        let scan =
            Scan { counts: &here.counts, new_offsets: &here.offsets, block_sums: &buffers.block_sums, end: len as u32 };
        // SAFETY: `work` has checked that the level has room for the positions; a block is a work-group, and each has its sum.
        unsafe { runner.launch(len, scan) }.await?;
        runner.read("the number of moves", &buffers.block_sums, 0, len.div_ceil(block)).await
    }

    /// Returns the counts of level 0 that [`Session::count_level`] wrote.
    pub(crate) async fn counts(&mut self, len: usize) -> Result<Vec<u32>, Retry> {
        let (runner, buffers) = self.work(1, len, 0)?;
        runner.read("the number of moves", &buffers.levels[0].counts, 0, len).await
    }

    /// Counts the moves of a level's first `len` positions, and cuts the positions from this block on.
    pub(crate) async fn cut(&mut self, level: usize, len: usize, block: usize) -> Result<Cut, Retry> {
        let sums = self.count_level(level, len).await?;
        let (runner, buffers) = self.work(level + 1, 0, 0)?;
        // The moves of a part are written relative to the index of its first block.
        runner.write("the places of moves", &buffers.levels[level].bases, &bases(&sums))?;
        Ok(Cut::new(sums, len, self.sizes.block, block))
    }

    async fn write_moves(&mut self, level: usize, part: &Part) -> Result<(), Retry> {
        let (runner, buffers) = self.work(level + 1, part.positions.end, part.moves)?;
        let here = &buffers.levels[level];
        let arguments = WriteMoves {
            positions: &here.positions,
            lines: &buffers.lines,
            counts: &here.counts,
            offsets: &here.offsets,
            bases: &here.bases,
            new_items: &buffers.items,
            first: part.positions.start as u32,
            end: part.positions.end as u32,
        };
        // SAFETY: `work` has checked that positions and moves fit; a position has no more moves than were counted.
        unsafe { runner.launch(part.positions.len(), arguments) }.await
    }

    /// Makes the successors of a part, in generation order, in the next level.
    pub(crate) async fn expand_part(&mut self, level: usize, part: &Part) -> Result<(), Retry> {
        self.write_moves(level, part).await?;
        let (runner, buffers) = self.work(level + 2, part.moves, part.moves)?;
        let (here, next) = (&buffers.levels[level], &buffers.levels[level + 1]);
        let arguments = Make {
            positions: &here.positions,
            roots: &here.roots,
            items: &buffers.items,
            successors: &next.positions,
            successor_roots: &next.roots,
            end: part.moves as u32,
        };
        // SAFETY: the part has these moves, their parents are positions of the part, and the next level has room for
        // the successors.
        unsafe { runner.launch(part.moves, arguments) }.await
    }

    /// Makes the successors of some positions, in any order, in the next level, counts each position's moves, and returns the
    /// number of successors. If the number exceeds `capacity`, some successors are missing. Successors that do not pass the
    /// filter may be left out; then moves are not counted.
    pub(crate) async fn expand_unordered(
        &mut self,
        level: usize,
        positions: Range<usize>,
        filter: Filter,
        capacity: usize,
    ) -> Result<usize, Retry> {
        let (runner, buffers) = self.work(level + 2, positions.end, 0)?;
        runner.clear("the number of successors", &buffers.item_count, 2)?;
        let (here, next) = (&buffers.levels[level], &buffers.levels[level + 1]);
        let (capacity, item_capacity) = (next.roots.len().min(capacity) as u32, buffers.items.len() as u32);
        let arguments = with_filter!(filter => ExpandUnordered {
            positions: &here.positions,
            roots: &here.roots,
            lines: &buffers.lines,
            new_counts: &here.counts,
            new_items: &buffers.items,
            new_item_count: &buffers.item_count,
            successors: &next.positions,
            successor_roots: &next.roots,
            first: positions.start as u32,
            end: positions.end as u32,
            capacity,
            item_capacity,
        });
        // SAFETY: `work` has checked that the positions fit; the kernel writes no more moves and successors than fit.
        unsafe { runner.launch(positions.len(), arguments) }.await?;
        let arguments = ExpandItems {
            positions: &here.positions,
            roots: &here.roots,
            lines: &buffers.lines,
            items: &buffers.items,
            new_item_count: &buffers.item_count,
            successors: &next.positions,
            successor_roots: &next.roots,
            capacity,
            item_capacity,
        };
        // SAFETY: the kernel reads no item beyond the buffer; the items' parents are positions of the level.
        unsafe { runner.launch(positions.len(), arguments) }.await?;
        let counts = runner.read("the number of successors", &buffers.item_count, 0, 2).await?;
        let successors = counts[1] as usize;
        // A sixteenth is added, because parts differ.
        let average = (successors + successors / 16).div_ceil(positions.len().max(1));
        self.moves = average.clamp(1, MOST_MOVES as usize);
        Ok(successors)
    }

    /// Adds the number of replies to every move of a part to the totals of the roots.
    pub(crate) async fn count_part(&mut self, level: usize, part: &Part) -> Result<(), Retry> {
        self.write_moves(level, part).await?;
        let (runner, buffers) = self.work(level + 1, part.positions.end, part.moves)?;
        runner.write("the number of moves", &buffers.item_count, &[part.moves as u32])?;
        self.count_replies(level, part.moves).await
    }

    /// Adds the leaves `depth` plies below some positions to the totals of the roots. The depth is at least two and at most
    /// [`Session::last_plies`].
    pub(crate) async fn count_leaves(
        &mut self,
        level: usize,
        positions: Range<usize>,
        depth: u32,
    ) -> Result<(), Retry> {
        if self.runner.settings.variants.depth_first.is_some() {
            let (runner, buffers) = self.work(level + 1, positions.end, 0)?;
            return depth_first::count_leaves(runner, buffers, level, positions, depth).await;
        }
        // The number of moves in closed form always fits in 32 bits.
        let most = (self.sizes.moves / ITEMS_PER_POSITION).clamp(1, (u32::MAX / MOST_MOVES) as usize);
        let parts = positions.len().div_ceil(most).max(1);
        let step = positions.len().div_ceil(parts).max(1);
        for start in positions.clone().step_by(step) {
            let part = start..positions.end.min(start + step);
            let items = part.len() * ITEMS_PER_POSITION;
            let (runner, buffers) = self.work(level + 1, part.end, 0)?;
            runner.clear("the number of moves", &buffers.item_count, 1)?;
            let here = &buffers.levels[level];
            let arguments = ClosedForm {
                positions: &here.positions,
                roots: &here.roots,
                lines: &buffers.lines,
                new_items: &buffers.items,
                new_item_count: &buffers.item_count,
                totals: &buffers.totals,
                first: part.start as u32,
                end: part.end as u32,
                item_capacity: buffers.items.len() as u32,
            };
            // SAFETY: `work` has checked that the positions fit; the kernel writes no more items than fit.
            unsafe { runner.launch(part.len(), arguments) }.await?;
            // The other moves have become items.
            self.count_replies(level, items).await?;
        }
        Ok(())
    }

    /// Counts the replies to the items. `most` is an estimate of the number of items.
    async fn count_replies(&mut self, level: usize, most: usize) -> Result<(), Retry> {
        let (runner, buffers) = self.work(level + 1, 0, 0)?;
        let here = &buffers.levels[level];
        let arguments = CountReplies {
            positions: &here.positions,
            roots: &here.roots,
            lines: &buffers.lines,
            items: &buffers.items,
            item_count: &buffers.item_count,
            totals: &buffers.totals,
            item_capacity: buffers.items.len() as u32,
        };
        // SAFETY: the kernel reads no item beyond the buffer; the items' parents are positions of the level, and each
        // root has its total.
        unsafe { runner.launch(most, arguments) }.await
    }

    /// Returns the totals of the first `len` roots, and clears them.
    pub(crate) async fn take_totals(&mut self, len: usize) -> Result<Vec<u64>, Retry> {
        let (runner, buffers) = self.work(1, len, 0)?;
        let totals = runner.read("the totals", &buffers.totals, 0, len + 1).await?;
        runner.clear("the totals", &buffers.totals, len + 1)?;
        self.check_overflow(totals.first().map_or(0, |header| header[0]))?;
        Ok(totals.into_iter().skip(1).map(|[low, high]| u64::from(high) << 32 | u64::from(low)).collect())
    }

    pub(crate) fn clear_totals(&mut self, len: usize) -> Result<(), Retry> {
        let (runner, buffers) = self.work(1, len, 0)?;
        runner.clear("the totals", &buffers.totals, len + 1)
    }

    /// Asks for a retry if the first word of a header is set, because a queue overflowed. From then on, every reply is counted.
    pub(crate) fn check_overflow(&mut self, header: u32) -> Result<(), Retry> {
        if header == 0 {
            return Ok(());
        }
        if self.overflowed {
            return Err(self.runner.wrong("it found more moves than positions can have.".to_owned()));
        }
        self.overflowed = true;
        Err(Retry::Overflow)
    }

    /// Appends the successors of a part of level 0, in generation order.
    pub(crate) async fn read_successors(
        &mut self,
        rules: &Rules,
        part: &Part,
        out: &mut Vec<Quad48>,
    ) -> Result<(), Retry> {
        self.write_moves(0, part).await?;
        let (runner, buffers) = self.work(1, part.positions.end, part.moves)?;
        let arguments = MakeQuads {
            quads: &buffers.quads,
            items: &buffers.items,
            successor_quads: &buffers.successors,
            end: part.moves as u32,
            castling_files: u32::from_le_bytes(rules.castling_files),
            halfmove_clock: rules.halfmove_clock.into(),
        };
        // SAFETY: the uploaded positions have these moves, and the walk requests no more successors than fit.
        unsafe { runner.launch(part.moves, arguments) }.await?;
        out.extend(runner.read("successors", &buffers.successors, 0, part.moves).await?);
        Ok(())
    }
}
