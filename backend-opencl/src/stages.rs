//! The stages of breadth-first counting, on a device.

use std::ops::Range;

use kogge_board::breadth_first::{MOST_MOVES, Part, Sizes, StageError, Stages};
use kogge_board::{BackendError, Quad48, Rules};

use crate::buffers::{self, Buffers};
use crate::judging::Quiescence;
use crate::kernels::{Module, Stage, source};
use crate::merge::Merging;
use crate::options::{Choice, Options, Traversal};
use crate::platform::Device;
use crate::runner::Runner;
use crate::runtime::Argument::{Buffer, Uint};
use crate::runtime::Queue;
use crate::tables::table;

/// Leaves that are counted depth first in one launch, about: 32 moves a position.
const LEAVES: u64 = 1 << 36;

/// For how many moves of a position two plies above the leaves there is room, on average over many: those that do not
/// qualify for the closed form.
const ITEMS_PER_POSITION: usize = 32;

/// A device with its program and its memory.
pub(crate) struct Session {
    pub(crate) runner: Runner,
    pub(crate) choice: Choice,
    pub(crate) buffers: Option<Buffers>,
    /// What the kernels look up, on its way to the buffers.
    pub(crate) table: Vec<[u64; 2]>,
    sizes: Sizes,
    /// How often the sizes asked for were halved because memory ran out.
    halvings: u32,
    pub(crate) max_allocation: u64,
    pub(crate) device_memory: u64,
    /// What merging equal positions takes, while that is done.
    pub(crate) merging: Option<Merging>,
    /// Whether the closed form had left more moves than there is room for. Until this is reset, every reply is counted.
    pub(crate) lost: bool,
    /// What quiescence searches take, once there were any.
    pub(crate) quiescence: Option<Quiescence>,
}

impl Session {
    /// Opens a device and compiles the kernels for it.
    ///
    /// # Errors
    /// If the options do not fit the device, or if it or its compiler fails; then with the compiler's log.
    pub(crate) fn new(device: &Device, options: &Options) -> Result<Self, BackendError> {
        Self::with_source(device, options, |choice| source(choice, Module::Counting))
    }

    /// The same with counting kernels of this source.
    pub(crate) fn with_source(
        device: &Device,
        options: &Options,
        source: impl FnOnce(&Choice) -> String,
    ) -> Result<Self, BackendError> {
        let unavailable =
            |reason| BackendError::Unavailable { backend: "opencl", reason: format!("on {}, {reason}", device.name) };
        if let Some(reason) = device.unusable() {
            let reason = format!("{}: {reason}", device.name);
            return Err(BackendError::Unavailable { backend: "opencl", reason });
        }
        let choice = options.choose(device).map_err(unavailable)?;
        let queue = Queue::new(device, options.profile).map_err(|failure| unavailable(failure.to_string()))?;
        let mut runner = Runner::new(device.name.clone(), queue, options.profile);
        runner.compile(&choice, Module::Counting, &source(&choice)).map_err(unavailable)?;
        let sizes = Sizes { roots: 0, positions: 0, moves: 0, successors: 0, block: choice.group };
        let table = table(choice.sliders);
        Ok(Self {
            runner,
            choice,
            buffers: None,
            table,
            sizes,
            halvings: 0,
            max_allocation: device.max_allocation,
            device_memory: device.memory,
            merging: None,
            lost: false,
            quiescence: None,
        })
    }

    /// The sizes of buffers for so many levels, as large as was asked for and as memory permits.
    pub(crate) fn fitting(&self, levels: usize) -> Result<Sizes, BackendError> {
        let mut halvings = self.halvings;
        let memory = self.merging.as_ref().map_or(self.choice.memory, |merging| merging.stages_memory);
        while let Some(sizes) = buffers::sizes(&self.choice, halvings) {
            let (total, largest) = buffers::bytes(&sizes, levels, self.choice.position_form, &self.table);
            if total <= memory && largest <= self.max_allocation {
                return Ok(sizes);
            }
            halvings += 1;
        }
        let doing = format!("making room for {levels} levels of positions in {memory} bytes");
        Err(BackendError::OutOfMemory { device: self.runner.device.clone(), doing })
    }

    /// The runner and the buffers, if there are so many levels, and positions and moves of one level fit.
    ///
    /// The shared walk asks for no more than that, unless a device returns counts that cannot be.
    pub(crate) fn work(
        &mut self,
        levels: usize,
        positions: usize,
        moves: usize,
    ) -> Result<(&mut Runner, &Buffers), StageError> {
        let Self { runner, buffers, sizes, .. } = self;
        match buffers {
            Some(buffers) if levels <= buffers.levels.len() && positions <= sizes.positions && moves <= sizes.moves => {
                Ok((runner, buffers))
            }
            _ => {
                let reason =
                    format!("it counted {moves} moves of {positions} positions on {levels} levels, which is too many.");
                Err(BackendError::WrongAnswer { device: runner.device.clone(), reason }.into())
            }
        }
    }

    /// Writes the moves of a part.
    fn moves(&mut self, level: usize, part: &Part) -> Result<(), StageError> {
        let (runner, buffers) = self.work(level + 1, part.positions.end, part.moves)?;
        let here = &buffers.levels[level];
        let arguments = [
            Buffer(&here.positions),
            Buffer(&buffers.lines),
            Buffer(&here.counts),
            Buffer(&here.offsets),
            Buffer(&here.bases),
            Uint(part.positions.start as u32),
            Uint(part.positions.end as u32),
            Buffer(&buffers.items),
        ];
        // SAFETY: positions and moves fit, says `work`; a position's moves are no more than were counted.
        unsafe { runner.launch(Stage::Moves, part.positions.len(), &arguments) }
    }
}

impl Session {
    /// Counts the replies to the moves of some positions that qualify for the closed form; the others become items.
    fn replies(&mut self, level: usize, positions: Range<usize>) -> Result<(), StageError> {
        let (runner, buffers) = self.work(level + 1, positions.end, 0)?;
        runner.clear("the number of moves", &buffers.item_count, 1)?;
        let here = &buffers.levels[level];
        let arguments = [
            Buffer(&here.positions),
            Buffer(&here.roots),
            Buffer(&buffers.lines),
            Uint(positions.start as u32),
            Uint(positions.end as u32),
            Buffer(&buffers.items),
            Buffer(&buffers.item_count),
            Uint(buffers.items.len() as u32),
            Buffer(&buffers.totals),
        ];
        // SAFETY: the positions fit, says `work`; the kernel writes no more items than there is room for.
        unsafe { runner.launch(Stage::Replies, positions.len(), &arguments) }
    }

    /// Counts the replies to items, of which there are at most so many.
    fn count_items(&mut self, level: usize, most: usize) -> Result<(), StageError> {
        let (runner, buffers) = self.work(level + 1, 0, 0)?;
        let here = &buffers.levels[level];
        let arguments = [
            Buffer(&here.positions),
            Buffer(&here.roots),
            Buffer(&buffers.lines),
            Buffer(&buffers.items),
            Buffer(&buffers.item_count),
            Uint(buffers.items.len() as u32),
            Buffer(&buffers.lost),
            Buffer(&buffers.totals),
        ];
        // SAFETY: of the items that the device has noted only those are looked at for which there is room; their parents
        // are positions of the level, and each root has its total.
        unsafe { runner.launch(Stage::CountMoves, most, &arguments) }
    }

    /// Counts the leaves two plies below some positions, in closed form where possible.
    fn two_plies(&mut self, level: usize, positions: Range<usize>) -> Result<(), StageError> {
        // However many moves qualify, their number fits in 32 bits.
        let most = (self.sizes.moves / ITEMS_PER_POSITION).clamp(1, (u32::MAX / MOST_MOVES) as usize);
        let parts = positions.len().div_ceil(most).max(1);
        let step = positions.len().div_ceil(parts);
        for start in positions.clone().step_by(step.max(1)) {
            let part = start..positions.end.min(start + step);
            let items = part.len() * ITEMS_PER_POSITION;
            self.replies(level, part)?;
            self.count_items(level, items)?;
        }
        Ok(())
    }

    /// Asks for everything again, in another way, if the closed form left more moves than there is room for.
    pub(crate) fn check_lost(&mut self) -> Result<(), StageError> {
        let (runner, buffers) = self.work(0, 0, 0)?;
        if runner.read("whether moves were lost", &buffers.lost, 1)? != [0] {
            runner.clear("whether moves were lost", &buffers.lost, 1)?;
            self.lost = true;
            return Err(StageError::Again);
        }
        Ok(())
    }

    /// Counts the leaves `depth` plies below some positions, each work-item those of one position.
    fn depth_first(&mut self, level: usize, positions: Range<usize>, depth: u32) -> Result<(), StageError> {
        let group = self.choice.group;
        let (runner, buffers) = self.work(level + 1, positions.end, 0)?;
        let here = &buffers.levels[level];
        // So few at a time that drivers do not take a long kernel for one that hangs.
        let step = ((LEAVES >> (5 * depth)) as usize).max(group);
        for first in positions.clone().step_by(step) {
            let end = positions.end.min(first + step);
            let arguments = [
                Buffer(&here.positions),
                Buffer(&here.roots),
                Buffer(&buffers.lines),
                Uint(first as u32),
                Uint(end as u32),
                Uint(depth),
                Buffer(&buffers.totals),
            ];
            // SAFETY: the positions are on the level, says `work`, and each root has its total; the stacks are made for
            // this depth.
            unsafe { runner.launch(Stage::DepthFirst, end - first, &arguments)? };
        }
        Ok(())
    }
}

impl Stages for Session {
    fn sizes(&self) -> Sizes {
        self.sizes
    }

    fn prepare(&mut self, levels: usize) -> Result<(), StageError> {
        let sizes = self.fitting(levels)?;
        if self.buffers.as_ref().is_some_and(|buffers| buffers.levels.len() >= levels) && sizes == self.sizes {
            return Ok(());
        }
        // What there is must go before there is room for what is to come.
        self.buffers = None;
        match Buffers::new(&self.runner.queue, &sizes, levels, self.choice.position_form, &self.table) {
            Ok(buffers) => {
                self.buffers = Some(buffers);
                self.sizes = sizes;
                Ok(())
            }
            Err(failure) if failure.is_out_of_memory() => Err(StageError::OutOfMemory),
            Err(failure) => Err(self.runner.failed("to make buffers", failure)),
        }
    }

    fn shrink(&mut self) -> Result<(), BackendError> {
        self.buffers = None;
        if buffers::sizes(&self.choice, self.halvings + 1).is_some() {
            self.halvings += 1;
            return Ok(());
        }
        let doing = "even with its smallest buffers".to_owned();
        Err(BackendError::OutOfMemory { device: self.runner.device.clone(), doing })
    }

    fn upload(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<(), StageError> {
        let (runner, buffers) = self.work(1, positions.len(), 0)?;
        runner.write("positions", &buffers.quads, positions)?;
        runner.clear("the totals", &buffers.totals, positions.len())?;
        let arguments = [
            Buffer(&buffers.quads),
            Uint(positions.len() as u32),
            Uint(u32::from_le_bytes(rules.castling_files)),
            Buffer(&buffers.levels[0].positions),
            Buffer(&buffers.levels[0].roots),
        ];
        // SAFETY: `write` has found room for the positions, and a level has at least as much.
        unsafe { runner.launch(Stage::Upload, positions.len(), &arguments) }
    }

    fn count(&mut self, level: usize, len: usize) -> Result<Vec<u32>, StageError> {
        let group = self.choice.group;
        let (runner, buffers) = self.work(level + 1, len, 0)?;
        let here = &buffers.levels[level];
        let count = [Buffer(&here.positions), Buffer(&buffers.lines), Uint(len as u32), Buffer(&here.counts)];
        // SAFETY: the level has room for so many, says `work`.
        unsafe { runner.launch(Stage::Count, len, &count)? };
        let scan = [Buffer(&here.counts), Uint(len as u32), Buffer(&here.offsets), Buffer(&buffers.block_sums)];
        // SAFETY: the same; blocks are of the work-groups' size, and the buffer of sums has one for each.
        unsafe { runner.launch(Stage::Scan, len, &scan)? };
        runner.read("the number of moves", &buffers.block_sums, len.div_ceil(group))
    }

    fn counts(&mut self, len: usize) -> Result<Vec<u32>, StageError> {
        let (runner, buffers) = self.work(1, len, 0)?;
        runner.read("the number of moves", &buffers.levels[0].counts, len)
    }

    fn place(&mut self, level: usize, bases: &[u32]) -> Result<(), StageError> {
        let (runner, buffers) = self.work(level + 1, 0, 0)?;
        runner.write("where moves go", &buffers.levels[level].bases, bases)
    }

    fn expand(&mut self, level: usize, part: &Part) -> Result<(), StageError> {
        self.moves(level, part)?;
        let (runner, buffers) = self.work(level + 2, part.moves, part.moves)?;
        let (here, next) = (&buffers.levels[level], &buffers.levels[level + 1]);
        let arguments = [
            Buffer(&here.positions),
            Buffer(&here.roots),
            Buffer(&buffers.items),
            Uint(part.moves as u32),
            Buffer(&next.positions),
            Buffer(&next.roots),
        ];
        // SAFETY: there are so many moves, whose parents are positions of the part, and the next level has room.
        unsafe { runner.launch(Stage::Make, part.moves, &arguments) }
    }

    fn spread(&mut self, level: usize, positions: Range<usize>) -> Result<Option<usize>, StageError> {
        let (runner, buffers) = self.work(level + 2, positions.end, 0)?;
        runner.clear("the number of moves", &buffers.item_count, 1)?;
        runner.clear("the number of successors", &buffers.successor_count, 1)?;
        let (here, next) = (&buffers.levels[level], &buffers.levels[level + 1]);
        let (capacity, room) = (Uint(buffers.items.len() as u32), Uint(next.roots.len() as u32));
        let spread = [
            Buffer(&here.positions),
            Buffer(&here.roots),
            Buffer(&buffers.lines),
            Uint(positions.start as u32),
            Uint(positions.end as u32),
            Buffer(&buffers.items),
            Buffer(&buffers.item_count),
            capacity,
            Buffer(&next.positions),
            Buffer(&next.roots),
            room,
            Buffer(&buffers.successor_count),
        ];
        // SAFETY: the positions fit, says `work`; the kernel writes no more moves and successors than there is room for.
        unsafe { runner.launch(Stage::Spread, positions.len(), &spread)? };
        let spread_items = [
            Buffer(&here.positions),
            Buffer(&here.roots),
            Buffer(&buffers.lines),
            Buffer(&buffers.items),
            Buffer(&buffers.item_count),
            capacity,
            Buffer(&next.positions),
            Buffer(&next.roots),
            room,
            Buffer(&buffers.successor_count),
        ];
        // SAFETY: of the items only those are looked at for which there is room; their parents are positions of the level.
        unsafe { runner.launch(Stage::SpreadItems, positions.len(), &spread_items)? };
        let count = runner.read("the number of successors", &buffers.successor_count, 1)?;
        Ok(Some(count[0] as usize))
    }

    fn count_moves(&mut self, level: usize, part: &Part) -> Result<(), StageError> {
        self.moves(level, part)?;
        let (runner, buffers) = self.work(level + 1, part.positions.end, part.moves)?;
        runner.write("the number of moves", &buffers.item_count, &[part.moves as u32])?;
        self.count_items(level, part.moves)
    }

    fn last_plies(&self) -> u32 {
        match self.choice.traversal {
            Traversal::DepthFirst(plies) => plies,
            Traversal::BreadthFirst if self.choice.closed_form && !self.lost => 2,
            Traversal::BreadthFirst => 1,
        }
    }

    fn count_leaves(&mut self, level: usize, positions: Range<usize>, depth: u32) -> Result<(), StageError> {
        match self.choice.traversal {
            Traversal::DepthFirst(_) => self.depth_first(level, positions, depth.min(self.last_plies())),
            Traversal::BreadthFirst => self.two_plies(level, positions),
        }
    }

    fn take_totals(&mut self, len: usize) -> Result<Vec<u64>, StageError> {
        let (runner, buffers) = self.work(1, len, 0)?;
        let totals = runner.read("the totals", &buffers.totals, len)?;
        runner.clear("the totals", &buffers.totals, len)?;
        self.check_lost()?;
        Ok(totals.into_iter().map(|[low, high]| u64::from(high) << 32 | u64::from(low)).collect())
    }

    fn successors(&mut self, rules: &Rules, part: &Part, out: &mut Vec<Quad48>) -> Result<(), StageError> {
        self.moves(0, part)?;
        let (runner, buffers) = self.work(1, part.positions.end, part.moves)?;
        let arguments = [
            Buffer(&buffers.quads),
            Buffer(&buffers.items),
            Uint(part.moves as u32),
            Uint(u32::from_le_bytes(rules.castling_files)),
            Uint(rules.halfmove_clock.into()),
            Buffer(&buffers.successors),
        ];
        // SAFETY: there are so many moves of positions that were uploaded, and the walk asks for no more successors than
        // there is room for.
        unsafe { runner.launch(Stage::MakeQuads, part.moves, &arguments)? };
        out.extend(runner.read("successors", &buffers.successors, part.moves)?);
        Ok(())
    }
}
