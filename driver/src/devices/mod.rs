//! Devices that share the work of one count.

mod count;
mod division;
mod team;

use kogge_board::Backend;

use crate::MergeSettings;

pub use count::{Part, Shared, SharedPly, perft_merged_shared, perft_shared};
pub use division::{Division, DivisionRequest};

/// A device, and how it merges.
pub struct MergeDevice {
    /// The backend of the device.
    pub backend: Box<dyn Backend>,
    /// The memory for merged positions, the hash bits, and what merging has cost before. The other settings do not matter.
    pub settings: MergeSettings,
}

impl MergeDevice {
    /// Returns a device that merges within this many bytes.
    pub fn with_memory(backend: Box<dyn Backend>, memory: u64) -> Self {
        Self { backend, settings: MergeSettings::with_memory(memory) }
    }
}
