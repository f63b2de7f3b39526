//! The stages of breadth-first counting, on a device.

use std::ops::Range;
use std::time::Instant;

use kogge_board::breadth_first::{MOST_MOVES, Part, Sizes, StageError, Stages};
use kogge_board::{BackendError, Quad48, Rules};

use crate::adapters::Device;
use crate::buffers::{self, Buffers};
use crate::judging::Quiescence;
use crate::kernels::{Module, Stage};
use crate::merge::Merging;
use crate::options::{Choice, Options};
use crate::profile::Opening;
use crate::runner::{Runner, Scalars};
use crate::runtime::{Failure, Gpu};

/// For how many moves of a position two plies above the leaves there is room, on average over many: those that do not
/// qualify for the closed form.
const ITEMS_PER_POSITION: usize = 32;

/// A device with its kernels and its memory.
pub(crate) struct Session {
    pub(crate) runner: Runner,
    pub(crate) choice: Choice,
    pub(crate) buffers: Option<Buffers>,
    sizes: Sizes,
    /// How often the sizes asked for were halved because memory ran out.
    halvings: u32,
    pub(crate) max_binding: u64,
    pub(crate) device_memory: u64,
    /// What merging equal positions takes, while that is done.
    pub(crate) merging: Option<Merging>,
    /// Whether there was no room for some move; from then on moves are counted before they are written.
    lost: bool,
    /// What quiescence searches take, once there were any.
    pub(crate) quiescence: Option<Quiescence>,
    pub(crate) opening: Opening,
}

impl Session {
    /// Opens a device and compiles the kernels for it.
    ///
    /// # Errors
    /// If the options do not fit the device, or if it or its compiler fails.
    pub(crate) fn new(device: &Device, options: &Options) -> Result<Self, BackendError> {
        let unavailable =
            |reason| BackendError::Unavailable { backend: "wgpu", reason: format!("on {}, {reason}", device.name) };
        let failed = |doing: &str, failure| match failure {
            Failure::OutOfMemory => unavailable(format!("memory ran out {doing}.")),
            Failure::Lost(reason) => unavailable(format!("the device was lost {doing} ({reason}).")),
            Failure::Other(reason) => unavailable(reason),
        };
        if let Some(reason) = device.unusable() {
            let reason = format!("{}: {reason}", device.name);
            return Err(BackendError::Unavailable { backend: "wgpu", reason });
        }
        let choice = options.choose(device).map_err(unavailable)?;
        let mut opening = Opening::default();
        let start = Instant::now();
        let gpu = Gpu::open(device, choice.features()).map_err(|failure| failed("when it was opened", failure))?;
        opening.device = start.elapsed();
        let runner = Runner::new(device.name.clone(), gpu, device.max_groups, options.profile);
        let mut runner = runner.map_err(|failure| failed("when it was opened", failure))?;
        let compiled = runner.compile(&choice, Module::Counting);
        let compiled = compiled.map_err(|failure| failed("when kernels were compiled", failure))?;
        opening = Opening { device: opening.device, ..compiled };
        let sizes = Sizes { roots: 0, positions: 0, moves: 0, successors: 0, block: choice.group };
        Ok(Self {
            runner,
            buffers: None,
            sizes,
            halvings: 0,
            max_binding: device.max_binding,
            device_memory: device.memory.unwrap_or(choice.memory),
            choice,
            merging: None,
            lost: false,
            quiescence: None,
            opening,
        })
    }

    /// The sizes of buffers for so many levels, as large as was asked for and as memory permits.
    pub(crate) fn fitting(&self, levels: usize) -> Result<Sizes, BackendError> {
        let mut halvings = self.halvings;
        let memory = self.merging.as_ref().map_or(self.choice.memory, |merging| merging.stages_memory);
        while let Some(sizes) = buffers::sizes(&self.choice, halvings) {
            let (total, largest) = buffers::bytes(&sizes, levels);
            if total <= memory && largest <= self.max_binding {
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
        let group = self.choice.group;
        let (runner, buffers) = self.work(level + 1, part.positions.end, part.moves)?;
        let here = &buffers.levels[level];
        let bound = [
            &here.positions.raw,
            &buffers.lines.raw,
            &here.counts.raw,
            &here.offsets.raw,
            &here.bases.raw,
            &buffers.items.raw,
        ];
        runner.launch(Stage::Moves, part.positions.len(), group, scalars_of(&part.positions), &bound)
    }

    /// Counts the replies to the moves of some positions that qualify for the closed form; the others become items.
    fn replies(&mut self, level: usize, positions: Range<usize>) -> Result<(), StageError> {
        let group = self.choice.replies_group;
        let (runner, buffers) = self.work(level + 1, positions.end, 0)?;
        runner.clear(&buffers.item_count, 1);
        let here = &buffers.levels[level];
        let bound = [
            &here.positions.raw,
            &here.roots.raw,
            &buffers.lines.raw,
            &buffers.items.raw,
            &buffers.item_count.raw,
            &buffers.totals.raw,
        ];
        runner.launch(Stage::Replies, positions.len(), group, scalars_of(&positions), &bound)
    }

    /// Sets the totals of the first `len` roots to zero, and asks for everything again, in another way, if there was no
    /// room for some move.
    pub(crate) fn check_lost(&mut self, len: usize) -> Result<(), StageError> {
        let (runner, buffers) = self.work(1, len, 0)?;
        let lost = runner.read("whether moves were lost", &buffers.totals, 1)?;
        runner.clear(&buffers.totals, len + 1);
        if lost.first() != Some(&[0, 0]) {
            self.lost = true;
            return Err(StageError::Again);
        }
        Ok(())
    }

    /// Counts the replies to items, of which there are so many or not many more.
    fn count_items(&mut self, level: usize, items: usize) -> Result<(), StageError> {
        let per_group = self.choice.count_group.max(items.div_ceil(self.choice.count_groups));
        let (runner, buffers) = self.work(level + 1, 0, 0)?;
        let here = &buffers.levels[level];
        let bound = [
            &here.positions.raw,
            &here.roots.raw,
            &buffers.lines.raw,
            &buffers.items.raw,
            &buffers.item_count.raw,
            &buffers.totals.raw,
        ];
        runner.launch(Stage::CountMoves, items, per_group, Scalars::default(), &bound)
    }
}

/// The numbers of a kernel that works on these positions.
pub(crate) fn scalars_of(positions: &Range<usize>) -> Scalars {
    Scalars { first: positions.start as u32, end: positions.end as u32, ..Scalars::default() }
}

/// The numbers of a kernel that works on all of so many elements.
pub(crate) fn all(len: usize) -> Scalars {
    Scalars { end: len as u32, ..Scalars::default() }
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
        let buffers = self.runner.gpu.wait().and_then(|()| Buffers::new(&self.runner.gpu, &sizes, levels));
        self.buffers = Some(buffers.map_err(|failure| self.runner.failed("to make buffers", failure))?);
        self.sizes = sizes;
        Ok(())
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
        let group = self.choice.group;
        let (runner, buffers) = self.work(1, positions.len(), 0)?;
        runner.write("positions", &buffers.quads, positions)?;
        runner.clear(&buffers.totals, positions.len() + 1);
        let scalars = Scalars { castling_files: u32::from_le_bytes(rules.castling_files), ..all(positions.len()) };
        let roots = &buffers.levels[0];
        let bound = [&buffers.quads.raw, &roots.positions.raw, &roots.roots.raw];
        runner.launch(Stage::Upload, positions.len(), group, scalars, &bound)
    }

    fn count(&mut self, level: usize, len: usize) -> Result<Vec<u32>, StageError> {
        let group = self.choice.group;
        let (runner, buffers) = self.work(level + 1, len, 0)?;
        let here = &buffers.levels[level];
        let count = [&here.positions.raw, &buffers.lines.raw, &here.counts.raw];
        runner.launch(Stage::Count, len, group, all(len), &count)?;
        let scan = [&here.counts.raw, &here.offsets.raw, &buffers.block_sums.raw];
        runner.launch(Stage::Scan, len, group, all(len), &scan)?;
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
        let group = self.choice.group;
        let (runner, buffers) = self.work(level + 2, part.moves, part.moves)?;
        let (here, next) = (&buffers.levels[level], &buffers.levels[level + 1]);
        let bound = [&here.positions.raw, &here.roots.raw, &buffers.items.raw, &next.positions.raw, &next.roots.raw];
        runner.launch(Stage::Make, part.moves, group, all(part.moves), &bound)
    }

    fn count_moves(&mut self, level: usize, part: &Part) -> Result<(), StageError> {
        self.moves(level, part)?;
        let (runner, buffers) = self.work(level + 1, part.positions.end, part.moves)?;
        runner.write("the number of moves", &buffers.item_count, &[part.moves as u32])?;
        self.count_items(level, part.moves)
    }

    fn last_plies(&self) -> u32 {
        if self.choice.closed_form && !self.lost { 2 } else { 1 }
    }

    fn count_leaves(&mut self, level: usize, positions: Range<usize>, _: u32) -> Result<(), StageError> {
        // However many moves qualify, their number fits in 32 bits.
        let most = (self.sizes.moves / ITEMS_PER_POSITION).clamp(1, (u32::MAX / MOST_MOVES) as usize);
        let parts = positions.len().div_ceil(most).max(1);
        let step = positions.len().div_ceil(parts).max(1);
        for start in positions.clone().step_by(step) {
            let part = start..positions.end.min(start + step);
            let items = part.len() * ITEMS_PER_POSITION;
            self.replies(level, part)?;
            self.count_items(level, items)?;
        }
        Ok(())
    }

    fn take_totals(&mut self, len: usize) -> Result<Vec<u64>, StageError> {
        let (runner, buffers) = self.work(1, len, 0)?;
        let totals = runner.read("the totals", &buffers.totals, len + 1)?;
        runner.clear(&buffers.totals, len + 1);
        if totals.first() != Some(&[0, 0]) {
            self.lost = true;
            return Err(StageError::Again);
        }
        Ok(totals.into_iter().skip(1).map(|[low, high]| u64::from(high) << 32 | u64::from(low)).collect())
    }

    fn successors(&mut self, rules: &Rules, part: &Part, out: &mut Vec<Quad48>) -> Result<(), StageError> {
        self.moves(0, part)?;
        let group = self.choice.group;
        let (runner, buffers) = self.work(1, part.positions.end, part.moves)?;
        let scalars = Scalars {
            castling_files: u32::from_le_bytes(rules.castling_files),
            halfmove_clock: rules.halfmove_clock.into(),
            ..all(part.moves)
        };
        let bound = [&buffers.quads.raw, &buffers.items.raw, &buffers.successors.raw];
        runner.launch(Stage::MakeQuads, part.moves, group, scalars, &bound)?;
        out.extend(runner.read("successors", &buffers.successors, part.moves)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
