//! The trait of everything that counts and expands batches of positions.

use std::fmt;
use std::ops::ControlFlow;

use crate::merge::{Merge, MergeOptions};
use crate::{BackendError, Categories, Leaves, Quad48, Rules, Score};

/// A device that computes on batches of positions.
///
/// Every method takes a batch and answers for each position, in order. The positions must be legal
/// ([`Position::check`](crate::Position::check)); for an illegal position the answer means nothing, but a backend
/// neither panics nor loops forever. A method returns a complete and right answer, or an error.
///
/// Equal positions under equal rules have the same successors in the same order on every backend, byte for byte.
/// `kogge-movegen-cpu` documents this generation order.
pub trait Backend: Send {
    /// Describes the device.
    fn info(&self) -> &DeviceInfo;

    /// Counts the legal moves of each position.
    ///
    /// # Errors
    /// If the device fails.
    fn count(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError>;

    /// Makes every legal move of each position and returns the successors in generation order.
    ///
    /// # Errors
    /// If the device fails or the successors do not fit in memory.
    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError>;

    /// Counts the leaves `depth` plies below each position; 1 at depth 0.
    ///
    /// # Errors
    /// If the device fails, or if one of the counts does not fit in 64 bits.
    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError>;

    /// Counts the leaves `depth` plies below each position by the kinds of moves that lead to them; at depth 0,
    /// [`Categories::ROOT`]. [`Categories`] defines the kinds exactly: every backend gives the same numbers.
    ///
    /// A backend without code of its own leaves this method out, and every call is an error.
    ///
    /// # Errors
    /// If the device fails, if the backend cannot tell the kinds of moves, or if one of the numbers does not fit in 64 bits.
    fn categories(
        &mut self,
        _rules: &Rules,
        _positions: &[Quad48],
        _depth: u32,
    ) -> Result<Vec<Categories>, BackendError> {
        let reason = "it cannot tell the kinds of moves; use another backend.".to_owned();
        Err(BackendError::Unavailable { backend: self.info().backend, reason })
    }

    /// Returns the backend as one whose counts can be watched, if they can.
    fn watched(&mut self) -> Option<&mut dyn Watched> {
        None
    }

    /// Returns two empty plies of a tree in which equal positions are merged. The halfmove clock is left out.
    ///
    /// A backend without code of its own writes [`host_merge!`](crate::host_merge!).
    ///
    /// # Errors
    /// If the device fails.
    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>, BackendError>;

    /// Returns whether [`Merge::diagrams`] needs no memory of the host, because the device counts diagrams in the memory of its merge.
    fn counts_diagrams(&self) -> bool {
        false
    }

    /// Returns the exhaustive minimax value of each position, `depth` plies deep, for the side to move.
    /// [`crate::minimax`] defines it exactly: every backend gives the same scores.
    ///
    /// A backend without code of its own writes [`host_minimax!`](crate::host_minimax!).
    ///
    /// # Errors
    /// If the device fails, if a level does not fit in memory, or if the depth exceeds
    /// [`MAX_DEPTH`](crate::minimax::MAX_DEPTH).
    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
    ) -> Result<Vec<Score>, BackendError>;
}

/// Gets the leaves that a call has counted so far and the estimated share of the call that is done, 0 to 1. Neither is a
/// result, and both may fall when a part of the work starts again. Breaks to stop the call.
pub type Watch<'w> = dyn FnMut(u128, f64) -> ControlFlow<()> + 'w;

/// A backend whose counts report their progress and can be stopped, so that a call may take any time.
pub trait Watched {
    /// Counts like [`Backend::perft`], and calls `watch` several times a second.
    ///
    /// # Errors
    /// [`BackendError::Stopped`] if `watch` breaks; otherwise as [`Backend::perft`].
    fn perft_watched(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u64>, BackendError>;

    /// Counts like [`Backend::categories`], and calls `watch` several times a second.
    ///
    /// # Errors
    /// [`BackendError::Stopped`] if `watch` breaks; otherwise as [`Backend::categories`].
    fn categories_watched(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Categories>, BackendError>;

    /// Finds values like [`Backend::minimax`], and calls `watch` several times a second. Its first number counts positions that
    /// were evaluated or searched.
    ///
    /// # Errors
    /// [`BackendError::Stopped`] if `watch` breaks; otherwise as [`Backend::minimax`].
    fn minimax_watched(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Score>, BackendError>;
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
    /// A GPU with memory of its own.
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
    /// The backend's name, as in `--backend`.
    pub backend: &'static str,
    /// The device's name as its driver gives it.
    pub name: String,
    /// The driver, the interface and their versions, for display.
    pub driver: String,
    /// The kind of device.
    pub kind: DeviceKind,
    /// The number of bytes of the device's memory, or of memory that the backend may use; `None` if unknown.
    pub memory: Option<u64>,
    /// The number of positions in one call that keeps the device busy.
    pub batch: usize,
    /// The variant of its code that the backend uses.
    pub variant: String,
}
