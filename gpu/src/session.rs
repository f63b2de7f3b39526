//! An open device: its interface, its buffers, and its experience with trees.

use kogge_board::{BackendError, Pace, Quad48};

use crate::interface::Interface;
use crate::kernels::Module;
use crate::levels::{Buffers, Quiescence, Sizes};
use crate::parameters::Parameter::{ClosedForm, GroupSize};
use crate::runner::{Retry, Runner};
use crate::settings::{GpuSettings, Unordered};

/// The average number of moves of the positions expanded last, rounded up.
#[derive(Clone, Copy)]
pub(crate) struct Average(pub(crate) usize);

impl Default for Average {
    /// Returns a number that few trees exceed.
    fn default() -> Self {
        Self(64)
    }
}

/// A device with its kernels and its memory.
pub(crate) struct Session<I: Interface> {
    pub(crate) runner: Runner<I>,
    pub(crate) buffers: Option<Buffers<I>>,
    pub(crate) sizes: Sizes,
    /// The number of times that the sizes were halved because memory ran out.
    halvings: u32,
    /// During a merge, the bytes left for the buffers of the levels.
    pub(crate) merge_memory: Option<u64>,
    /// The memory of quiescence searches, after the first such search.
    pub(crate) quiescence: Option<Quiescence<I>>,
    /// Whether the queue of the closed form overflowed in this call. Then every reply is counted until the call ends.
    pub(crate) overflowed: bool,
    /// The average number of moves of a position.
    pub(crate) moves: Average,
    /// The positions of a part of a watched count, of minimax without quiescence, and of a count by kind.
    pub(crate) pace: Pace,
    pub(crate) minimax_pace: Pace,
    pub(crate) kinds_pace: Pace,
}

impl<I: Interface> Session<I> {
    /// A session with compiled kernels and no buffers.
    pub(crate) fn new(device: String, interface: I, settings: GpuSettings) -> Self {
        let sizes = Sizes { roots: 0, positions: 0, moves: 0, successors: 0, block: settings[GroupSize] };
        Self {
            pace: settings.pace,
            minimax_pace: settings.pace,
            kinds_pace: settings.pace,
            runner: Runner::new(device, interface, settings),
            buffers: None,
            sizes,
            halvings: 0,
            merge_memory: None,
            quiescence: None,
            overflowed: false,
            moves: Average::default(),
        }
    }

    /// Returns the modules that counting needs with these settings.
    pub(crate) fn counting_modules(settings: &GpuSettings) -> Vec<Module> {
        let unordered = settings.unordered == Unordered::Always;
        let depth_first = settings.variants.depth_first.is_some();
        let modules = [(Module::Counting, true), (Module::Unordered, unordered), (Module::DepthFirst, depth_first)];
        modules.into_iter().filter(|&(_, wanted)| wanted).map(|(module, _)| module).collect()
    }

    /// Returns the modules that merging needs besides.
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
        let closed_form = settings.uses(ClosedForm) && !self.overflowed;
        settings.variants.depth_first.unwrap_or(if closed_form { 2 } else { 1 })
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

    /// Makes buffers for `levels` levels. Buffers of the right size are kept.
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

    /// Returns the runner and the buffers, if they have this level and hold this number of positions and moves.
    ///
    /// The walk never asks for more, unless the device returns impossible counts.
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
}
