//! Settings of a count by merged plies.

use kogge_board::merge::MergeOptions;
use kogge_board::{Backend, BackendError, Rules};

/// What merging costs on a device, as measured on large plies. Plans of later counts on the same device use it for small plies,
/// whose time says little.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MergeCosts {
    /// Seconds that a ply takes besides its successors.
    pub ply: f64,
    /// Seconds to make and merge a successor.
    pub successor: f64,
    /// Seconds to make room for a distinct successor.
    pub room: f64,
}

/// What is counted below the last merged ply.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Quantity {
    /// Leaves.
    #[default]
    Leaves,
    /// Leaves by the moves that lead to them. There is at least one ply below the last merged one.
    Categories,
}

impl Quantity {
    /// The number of plies that must lie below the last merged ply: merging forgets the moves that lead to it.
    pub(crate) const fn least_below(self) -> u32 {
        match self {
            Self::Leaves => 0,
            Self::Categories => 1,
        }
    }
}

/// How plies are merged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MergeSettings {
    /// Bytes that positions and tables may take.
    pub memory: u64,
    /// The last ply to merge; `None` leaves it to the plan. It is never more than seven plies above the leaves, because one
    /// call of a backend counts at most seven.
    pub plies: Option<u32>,
    /// The least number of ranges for the last merged ply; `None` takes as many as the memory requires.
    pub ranges: Option<u32>,
    /// The number of hash bits, as in [`MergeOptions::hash_bits`].
    pub hash_bits: u32,
    /// What is counted.
    pub counted: Quantity,
    /// What merging has cost on the device before, if known: [`MergedCount::costs`](crate::MergedCount::costs) of an earlier count.
    pub costs: Option<MergeCosts>,
}

impl MergeSettings {
    /// The fastest settings within `memory` bytes, to count leaves.
    pub const fn with_memory(memory: u64) -> Self {
        Self { memory, plies: None, ranges: None, hash_bits: 32, counted: Quantity::Leaves, costs: None }
    }

    /// Returns these settings for this quantity.
    #[must_use]
    pub const fn counting(self, counted: Quantity) -> Self {
        Self { counted, ..self }
    }

    /// Has a device compile and test its kernels for a count with these settings, which belongs to opening the device.
    ///
    /// # Errors
    /// If the device fails.
    pub fn prepare(&self, backend: &mut dyn Backend, rules: &Rules) -> Result<(), BackendError> {
        backend.merge(rules, &self.options()).map(drop)
    }

    /// The options that a backend's [`Merge`](kogge_board::merge::Merge) gets.
    pub(crate) const fn options(&self) -> MergeOptions {
        let categories = matches!(self.counted, Quantity::Categories);
        MergeOptions { hash_bits: self.hash_bits, categories, ..MergeOptions::with_memory(self.memory) }
    }
}
