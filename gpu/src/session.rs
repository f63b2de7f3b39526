//! An open device: its interface, its buffers, and its experience with trees.

use kogge_board::{BackendError, Quad48};

use crate::MOST_LAST_PLIES;
use crate::interface::Interface;
use crate::kernels::Module;
use crate::levels::{Buffers, Quiescence, Sizes};
use crate::runner::{Halt, Runner};
use crate::settings::{HostSettings, LastPlies};
use crate::watching::PartSize;

/// The average number of moves of the positions expanded last, rounded up.
#[derive(Clone, Copy)]
pub(crate) struct Average(pub(crate) usize);

impl Default for Average {
    /// Returns a number that few trees exceed.
    fn default() -> Self {
        Self(64)
    }
}

/// A number of moves that few positions exceed.
const MANY_MOVES: u64 = 64;

/// A device with its kernels and its memory.
pub(crate) struct Session<I: Interface> {
    pub(crate) runner: Runner<I>,
    pub(crate) buffers: Option<Buffers<I>>,
    pub(crate) sizes: Sizes,
    /// The number of times that the sizes were halved because memory ran out.
    halvings: u32,
    /// The number of times that the sizes of the current buffers were halved.
    halved: u32,
    /// The number of positions of a level that the next work needs at most. Some interfaces take long to make large buffers.
    wanted: usize,
    /// During a merge, the bytes left for the buffers of the levels.
    pub(crate) merge_memory: Option<u64>,
    /// The memory of quiescence searches, after the first such search.
    pub(crate) quiescence: Option<Quiescence<I>>,
    /// Whether the queue of the closed form overflowed in this call. Then every reply is counted until the call ends.
    pub(crate) overflowed: bool,
    /// The average number of moves of a position.
    pub(crate) moves: Average,
    /// The size of the parts of a watched count.
    pub(crate) part_size: PartSize,
    /// The size of the parts of minimax without quiescence.
    pub(crate) minimax_part_size: PartSize,
}

impl<I: Interface> Session<I> {
    /// A session with compiled kernels and no buffers.
    pub(crate) fn new(device: String, interface: I, settings: HostSettings) -> Self {
        let sizes = Sizes { roots: 0, positions: 0, moves: 0, successors: 0, block: settings.group_size };
        Self {
            runner: Runner::new(device, interface, settings),
            buffers: None,
            sizes,
            halvings: 0,
            halved: 0,
            wanted: usize::MAX,
            merge_memory: None,
            quiescence: None,
            overflowed: false,
            moves: Average::default(),
            part_size: PartSize::default(),
            minimax_part_size: PartSize::default(),
        }
    }

    /// Returns the modules that counting needs with these settings.
    pub(crate) fn counting_modules(settings: &HostSettings) -> Vec<Module> {
        let depth_first = matches!(settings.last_plies, LastPlies::DepthFirst(_));
        let modules =
            [(Module::Counting, true), (Module::Unordered, settings.unordered), (Module::DepthFirst, depth_first)];
        modules.into_iter().filter(|&(_, wanted)| wanted).map(|(module, _)| module).collect()
    }

    /// The number of plies that [`Session::count_leaves`] counts. If it is one, [`Session::count_part`] counts the last
    /// two plies.
    pub(crate) fn last_plies(&self) -> u32 {
        match self.runner.settings.last_plies {
            LastPlies::DepthFirst(plies) => plies.min(MOST_LAST_PLIES),
            LastPlies::ClosedForm if !self.overflowed => 2,
            LastPlies::ClosedForm | LastPlies::Counted => 1,
        }
    }

    /// Returns the sizes of buffers for `levels` levels, as large as the settings ask for and memory permits.
    ///
    /// # Errors
    /// If not even the smallest buffers fit in memory.
    pub(crate) fn fitting(&self, levels: usize) -> Result<Sizes, BackendError> {
        self.fitting_halvings(levels).map(|(_, sizes)| sizes)
    }

    /// Returns the sizes of [`Session::fitting`], and the number of times that they are halved.
    fn fitting_halvings(&self, levels: usize) -> Result<(u32, Sizes), BackendError> {
        let settings = &self.runner.settings;
        let memory = self.merge_memory.unwrap_or(settings.memory);
        let mut halvings = self.halvings;
        while let Some(sizes) = Sizes::halved(settings, halvings) {
            let (total, largest) = sizes.bytes(levels, settings);
            if total <= memory && largest <= settings.max_buffer {
                return Ok((halvings, sizes));
            }
            halvings += 1;
        }
        let doing = format!("making room for {levels} levels of positions in {memory} bytes");
        Err(BackendError::OutOfMemory { device: self.runner.device.clone(), doing })
    }

    /// Says how many positions the next work begins with, and down to which depth it goes. Buffers need not be larger.
    pub(crate) fn want(&mut self, positions: u64, depth: u32) {
        // The last two plies are counted without a level for them, in parts of a quarter of a level; level 0 may be as small.
        let each = MANY_MOVES.saturating_pow(depth.saturating_sub(2)).saturating_mul(4);
        self.wanted = usize::try_from(positions.saturating_mul(each)).unwrap_or(usize::MAX);
    }

    /// Says that the successors of this many positions are needed next.
    pub(crate) fn want_successors(&mut self, positions: u64) {
        self.want(positions.saturating_mul(MANY_MOVES), 1);
    }

    /// Makes buffers for `levels` levels, no larger than the work needs. Larger buffers are kept.
    pub(crate) async fn prepare(&mut self, levels: usize) -> Result<(), Halt> {
        let (fitting, mut sizes) = self.fitting_halvings(levels)?;
        let mut halved = fitting;
        while let Some(smaller) =
            Sizes::halved(&self.runner.settings, halved + 1).filter(|sizes| sizes.positions >= self.wanted)
        {
            (halved, sizes) = (halved + 1, smaller);
        }
        // Free the old buffers first, to make room for the new ones.
        let kept = self.buffers.take().filter(|_| (fitting..=halved).contains(&self.halved));
        if kept.is_none() {
            (self.halved, self.sizes) = (halved, sizes);
        }
        let (runner, sizes) = (&mut self.runner, self.sizes);
        let made = async {
            let mut buffers = match kept {
                Some(buffers) => buffers,
                None => Buffers::new(runner, &sizes).await?,
            };
            buffers.deepen(runner, &sizes, levels).await?;
            Ok(buffers)
        };
        self.buffers = Some(made.await.map_err(|failure| self.runner.halt("to make buffers", failure))?);
        Ok(())
    }

    /// Frees the buffers and halves the sizes of the next buffers.
    ///
    /// # Errors
    /// If the sizes are the smallest already.
    pub(crate) fn shrink(&mut self) -> Result<(), BackendError> {
        self.buffers = None;
        let more = self.halvings.max(self.halved) + 1;
        if Sizes::halved(&self.runner.settings, more).is_some() {
            self.halvings = more;
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
    ) -> Result<(&mut Runner<I>, &Buffers<I>), Halt> {
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

    /// Calls `work` for batches of positions, each as large as level 0. A batch that halts starts again from its
    /// beginning.
    pub(crate) async fn in_batches(
        &mut self,
        levels: impl Fn(&Self) -> usize,
        mut positions: &[Quad48],
        mut work: impl AsyncFnMut(&mut Self, &[Quad48]) -> Result<(), Halt>,
    ) -> Result<(), BackendError> {
        while !positions.is_empty() {
            let levels = levels(self);
            let mut batch = positions;
            let done = match self.prepare(levels).await {
                Ok(()) => {
                    batch = &positions[..positions.len().min(self.sizes.roots)];
                    work(self, batch).await
                }
                Err(halt) => Err(halt),
            };
            match done {
                Ok(()) => positions = &positions[batch.len()..],
                Err(Halt::OutOfMemory) => self.shrink()?,
                Err(Halt::Overflow) => {}
                Err(Halt::Error(error)) => return Err(error),
            }
        }
        Ok(())
    }
}
