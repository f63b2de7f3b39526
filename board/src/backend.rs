//! The trait of the devices that count and expand batches of positions.

use std::fmt;
use std::ops::ControlFlow;

use crate::merge::{Merge, MergeOptions};
use crate::{BackendError, Categories, Leaves, Quad48, Rules, Score};

/// A device that computes on batches of positions.
///
/// Every method takes a batch and answers for each position, in order. The positions must be legal
/// ([`Position::check`](crate::Position::check)); for an illegal position the answer is meaningless, but a backend neither
/// panics nor loops forever. A method returns a complete and right answer, or an error. Methods that may take long report to a
/// [`Watch`] several times a second, and stop within half a second after the watch breaks; [`unwatched`] never breaks.
///
/// Equal positions under equal rules have the same successors in the same order on every backend, byte for byte.
/// `kogge-movegen-cpu` documents this generation order.
pub trait Backend: Send {
    /// Describes the device.
    fn info(&self) -> &DeviceInfo;

    /// Makes every legal move of each position and returns the successors in generation order.
    ///
    /// # Errors
    /// If the device fails or the successors do not fit in memory.
    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError>;

    /// Counts the leaves `depth` plies below each position: at depth 0 one leaf, at depth 1 the legal moves.
    ///
    /// # Errors
    /// [`BackendError::Stopped`] if `watch` breaks; if the device fails, or if a count exceeds the backend's integers.
    fn perft(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u128>, BackendError>;

    /// Counts the leaves `depth` plies below each position by the kinds of moves that lead to them; at depth 0,
    /// [`Categories::ROOT`]. [`Categories`] defines the kinds exactly: every backend gives the same numbers.
    ///
    /// # Errors
    /// As [`Backend::perft`]; [`BackendError::Unavailable`] if the backend does not count kinds of moves.
    fn categories(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Categories>, BackendError>;

    /// Returns the exhaustive minimax value of each position, `depth` plies deep, for the side to move. [`crate::minimax`]
    /// defines it exactly: every backend gives the same scores. The watch receives the share that is done, and the number of
    /// positions evaluated so far, or 0. A backend without its own minimax calls [`host::minimax`](crate::host::minimax()).
    ///
    /// # Errors
    /// [`BackendError::Stopped`] if `watch` breaks; if the device fails, if a level does not fit in memory, or if the depth
    /// exceeds [`MAX_DEPTH`](crate::minimax::MAX_DEPTH).
    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Score>, BackendError>;

    /// Returns two empty plies of a tree in which equal positions are merged. The halfmove clock is left out. A backend
    /// without its own merging returns a [`HostMerge`](crate::host::HostMerge).
    ///
    /// # Errors
    /// If the device fails.
    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>, BackendError>;
}

/// Receives the leaves that a call has counted so far and the estimated share of the call that is done, 0 to 1. Neither
/// number is a result, and both may fall when a part of the work is repeated. Breaks to stop the call.
pub type Watch<'w> = dyn FnMut(u128, f64) -> ControlFlow<()> + 'w;

/// The [`Watch`] that ignores reports and never stops a call.
pub fn unwatched(_: u128, _: f64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Reports to a watch.
///
/// # Errors
/// [`BackendError::Stopped`] if the watch breaks.
pub fn report(watch: &mut Watch<'_>, counted: u128, share: f64) -> Result<(), BackendError> {
    match watch(counted, share) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(BackendError::Stopped),
    }
}

/// A number of leaves that backends count: all leaves, or leaves by the kinds of moves that lead to them.
pub trait Tally: Copy + Default + Send + Sync {
    /// Whether leaves are counted by kind.
    const BY_KIND: bool;

    /// Counts the leaves `depth` plies below each position.
    ///
    /// # Errors
    /// As [`Backend::perft`] and [`Backend::categories`].
    fn count(
        backend: &mut dyn Backend,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Self>, BackendError>;

    /// Returns the number of all leaves.
    fn leaves(&self) -> u128;

    /// Returns the sum, or `None` if it exceeds 128 bits.
    fn plus(&self, other: &Self) -> Option<Self>;

    /// Returns the product with a multiplicity, or `None` if it exceeds 128 bits.
    fn times(&self, multiplicity: u128) -> Option<Self>;
}

impl Tally for u128 {
    const BY_KIND: bool = false;

    fn count(
        backend: &mut dyn Backend,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Self>, BackendError> {
        backend.perft(rules, positions, depth, watch)
    }

    fn leaves(&self) -> u128 {
        *self
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        self.checked_add(*other)
    }

    fn times(&self, multiplicity: u128) -> Option<Self> {
        self.checked_mul(multiplicity)
    }
}

impl Tally for Categories {
    const BY_KIND: bool = true;

    fn count(
        backend: &mut dyn Backend,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Self>, BackendError> {
        backend.categories(rules, positions, depth, watch)
    }

    fn leaves(&self) -> u128 {
        self.nodes
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        self.plus(other)
    }

    fn times(&self, multiplicity: u128) -> Option<Self> {
        self.times(multiplicity)
    }
}

/// The successors of a batch of positions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Successors {
    /// All successors, beginning with the successors of the first position.
    pub positions: Vec<Quad48>,
    /// The end of each position's successors in `positions`; they begin at the previous end.
    pub ends: Vec<usize>,
}

impl Successors {
    /// Returns the successors of position number `index`; empty if there is no such position.
    pub fn of(&self, index: usize) -> &[Quad48] {
        let start = match index.checked_sub(1) {
            Some(previous) => self.ends.get(previous).copied(),
            None => Some(0),
        };
        match (start, self.ends.get(index)) {
            (Some(start), Some(&end)) => self.positions.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Returns the successors of each position, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[Quad48]> {
        (0..self.ends.len()).map(|index| self.of(index))
    }
}

/// The kind of device that a backend runs on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeviceKind {
    /// A CPU that runs kogge's own code.
    Cpu,
    /// A GPU with its own memory.
    DiscreteGpu,
    /// A GPU that shares the CPU's memory.
    IntegratedGpu,
    /// An emulator behind a GPU interface: correct, but slow.
    Software,
    /// Anything else.
    Other,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "CPU",
            Self::DiscreteGpu => "GPU",
            Self::IntegratedGpu => "integrated GPU",
            Self::Software => "software device",
            Self::Other => "other device",
        })
    }
}

/// A description of the device that a backend runs on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// The backend's name, as given to `--backend`.
    pub backend: &'static str,
    /// The device's name as its driver gives it.
    pub name: String,
    /// The driver, the interface and their versions, for display.
    pub driver: String,
    /// The kind of device.
    pub kind: DeviceKind,
    /// The number of bytes of the device's memory, or of memory that the backend may use; `None` if unknown.
    pub memory: Option<u64>,
    /// The number of positions per call that keeps the device busy.
    pub batch: usize,
    /// The variant of its code that the backend uses.
    pub variant: String,
    /// Whether [`Merge::diagrams`] needs no host memory, because the device counts diagrams in the memory of its merge.
    pub counts_diagrams: bool,
}
