//! What a backend is: something that counts and expands batches of positions.

use std::fmt;

use thiserror::Error;

use crate::merge::{HostMerge, Merge, MergeOptions};
use crate::minimax::{self, Leaves};
use crate::{Quad48, Rules, Score};

/// A device that computes on batches of positions.
///
/// Every method takes a batch and answers for each position, in order. The positions must be legal
/// ([`Position::check`](crate::Position::check)); for others the answer means nothing, but a backend
/// neither panics nor loops. An answer is right or it is an error, never partial.
///
/// The same position in the same rules gives the same successors in the same order on every backend,
/// byte for byte; the order is that of the reference, documented in `kogge-movegen-cpu`.
pub trait Backend: Send {
    /// What this backend runs on.
    fn info(&self) -> &DeviceInfo;

    /// The number of legal moves of each position.
    ///
    /// # Errors
    /// If the device fails.
    fn count(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError>;

    /// The positions after every legal move of each position, in generation order.
    ///
    /// # Errors
    /// If the device fails or the successors do not fit in memory.
    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError>;

    /// The number of leaves `depth` plies below each position; 1 at depth 0.
    ///
    /// # Errors
    /// If the device fails, or if one of the counts does not fit in 64 bits.
    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError>;

    /// Two plies of a tree, none of whose positions is kept twice, at first without any. The halfmove clock is left out.
    ///
    /// A backend that has no way of its own does it in the host's memory, through its other methods.
    ///
    /// # Errors
    /// If the device fails.
    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>, BackendError> {
        Ok(Box::new(HostMerge::new(self, rules, *options)))
    }

    /// What each position is worth to the side to move if both sides look `depth` plies ahead, at
    /// every move, and judge what they then see by the evaluation. [`crate::minimax`] defines it
    /// exactly: every backend gives the same scores.
    ///
    /// A backend without code of its own expands level by level; then its device finds the moves, but
    /// the host judges the leaves and backs the values up.
    ///
    /// # Errors
    /// If the device fails, if a level does not fit in memory, or if the depth exceeds
    /// [`minimax::MAX_DEPTH`].
    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
    ) -> Result<Vec<Score>, BackendError> {
        minimax::check_depth(depth)?;
        minimax::by_expansion(self, rules, positions, depth, leaves)
    }
}

/// The successors of a batch of positions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Successors {
    /// All successors, those of the first position first.
    pub positions: Vec<Quad48>,
    /// Where each position's successors end in `positions`; they begin where the previous end.
    pub ends: Vec<usize>,
}

impl Successors {
    /// The successors of position number `index`; empty if there is no such position.
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

    /// The successors of each position, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[Quad48]> {
        (0..self.ends.len()).map(|index| self.of(index))
    }
}

/// What kind of device a backend runs on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DeviceKind {
    /// A CPU, by kogge's own code.
    Cpu,
    /// A GPU with memory of its own.
    DiscreteGpu,
    /// A GPU that shares the CPU's memory.
    IntegratedGpu,
    /// A CPU or other emulator behind a GPU interface: right, but slow.
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

/// What a backend runs on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// The backend's name, as `--backend` takes it.
    pub backend: &'static str,
    /// The device's name as its driver gives it.
    pub name: String,
    /// Driver, interface and versions, for people.
    pub driver: String,
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// Memory that the backend may use, in bytes, if known.
    pub memory: Option<u64>,
    /// How many positions one call should bring so that the device is busy.
    pub batch: usize,
    /// Which variant of its code the backend uses.
    pub variant: String,
}

/// Why a backend could not answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BackendError {
    /// There is no such device, or what it needs is not installed.
    #[error("The {backend} backend cannot be used: {reason}")]
    Unavailable {
        /// The backend's name.
        backend: &'static str,
        /// A sentence.
        reason: String,
    },
    /// Memory ran out even for the smallest piece of work.
    #[error("{device} ran out of memory {doing}; give it less at once or choose another device.")]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// What it was doing.
        doing: String,
    },
    /// The device failed or was lost.
    #[error("{device} failed {doing}: {reason}")]
    Device {
        /// The device's name.
        device: String,
        /// What it was doing.
        doing: String,
        /// What the driver said, as a sentence.
        reason: String,
    },
    /// The device gives wrong answers.
    #[error("{device} cannot be trusted: {reason}")]
    WrongAnswer {
        /// The device's name.
        device: String,
        /// What it got wrong, as a sentence.
        reason: String,
    },
    /// A count below one position does not fit in 64 bits.
    #[error("A count below one position exceeds 2^64; expand the position first and sum the parts.")]
    Overflow,
    /// A minimax looks further ahead than mates can be told apart.
    #[error("A minimax of {0} plies is too deep; it can be {max} at most.", max = minimax::MAX_DEPTH)]
    Depth(u32),
}
