//! The device of the twin, with the settings that only tests change.

use kogge_board::{BackendError, DeviceInfo, DeviceKind};
use kogge_gpu::Parameter::{
    ClosedFormGroupSize, CountGroupSize, CountGroups, GroupSize, Moves, Positions, QueuedPerLane,
};
use kogge_gpu::tuning::fingerprint;
use kogge_gpu::{Capabilities, Device, Failure, GpuOptions, GpuSettings, Parameter, Unordered};

use super::Twin;
use super::control::Control;

/// The moves that the kernels pass to the next kernel as items.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Queues {
    /// Every second move.
    #[default]
    Half,
    /// No move.
    None,
    /// All moves become items, so that few positions overflow the queue.
    All,
}

/// A device whose kernels are functions on the CPU.
#[derive(Clone)]
pub struct TwinDevice {
    /// The control of failures, and the record of calls.
    pub control: Control,
    /// When successors are made in any order.
    pub unordered: Unordered,
    /// The moves that become items.
    pub queues: Queues,
    /// The largest total.
    pub most_total: u64,
    /// The device's memory, in bytes.
    pub memory: u64,
    /// The size of the largest buffer in bytes; `None` means a quarter of the memory.
    pub max_buffer: Option<u64>,
    /// The maximum number of entries of a shard.
    pub shard_entries: u64,
    /// The number of work-items that do quiescence searches.
    pub quiescence_lanes: usize,
    /// The number of positions that each of these work-items visits in one launch.
    pub quiescence_steps: u32,
}

impl Default for TwinDevice {
    fn default() -> Self {
        Self {
            control: Control::default(),
            unordered: Unordered::Always,
            queues: Queues::default(),
            most_total: u64::MAX,
            memory: 1 << 30,
            max_buffer: None,
            shard_entries: u64::MAX,
            quiescence_lanes: 3,
            quiescence_steps: 7,
        }
    }
}

impl Device for TwinDevice {
    const BACKEND: &'static str = "twin";
    type Interface = Twin;

    fn list() -> Result<Vec<Self>, BackendError> {
        Ok(vec![Self::default()])
    }

    fn info(&self) -> DeviceInfo {
        DeviceInfo {
            backend: Self::BACKEND,
            name: "Twin".to_owned(),
            driver: "none".to_owned(),
            kind: DeviceKind::Cpu,
            memory: Some(self.memory),
            batch: 1 << 10,
            variant: String::new(),
            counts_diagrams: true,
        }
    }

    fn unusable(&self) -> Option<String> {
        None
    }

    fn settings(&self, options: &GpuOptions) -> Result<GpuSettings, String> {
        let mut defaults = Parameter::usual(false);
        defaults.extend([GroupSize, ClosedFormGroupSize, CountGroupSize, QueuedPerLane].map(|size| (size, 4)));
        defaults.extend([(CountGroups, 3), (Positions, 1), (Moves, 1)]);
        let mut settings = options.complete(&Capabilities {
            defaults,
            maxima: [].into(),
            max_group_size: 1024,
            local_memory: 1 << 15,
            unordered_memory: 1 << 15,
            max_buffer: self.max_buffer.unwrap_or(self.memory / 4),
            device_memory: self.memory,
            memory: self.memory / 2,
            unordered: self.unordered,
        })?;
        (settings.most_total, settings.shard_entries) = (self.most_total, self.shard_entries);
        (settings.quiescence_lanes, settings.quiescence_steps) = (self.quiescence_lanes, self.quiescence_steps);
        Ok(settings)
    }

    fn kernels() -> String {
        fingerprint(["twin"])
    }

    async fn connect(&self, settings: &GpuSettings) -> Result<Twin, Failure> {
        Ok(Twin::new(settings.clone(), self.queues, self.control.clone()))
    }
}
