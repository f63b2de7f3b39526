//! The device of the twin, with the settings that only tests change.

use kogge_board::{BackendError, DeviceInfo, DeviceKind};
use kogge_gpu::tuning::{Value, fingerprint};
use kogge_gpu::{Defaults, Device, Failure, HostOptions, HostSettings, LastPlies, Limits, PositionForm, Unordered};

use super::Twin;
use super::control::Control;

/// The moves that the kernels leave to the next kernel as items.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Queues {
    /// Every second move.
    #[default]
    Half,
    /// No move.
    None,
    /// All moves, so that few positions overflow the queue.
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
    /// The way of counting the last plies, if `HostOptions::closed_form` is unset.
    pub last_plies: LastPlies,
    /// The form of positions in device memory.
    pub form: PositionForm,
    /// The largest total.
    pub most_total: u64,
    /// The device's memory, in bytes.
    pub memory: u64,
    /// The bytes of the largest buffer, if not a quarter of the memory.
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
            last_plies: LastPlies::ClosedForm,
            form: PositionForm::Planes32,
            most_total: u64::MAX,
            memory: 1 << 30,
            max_buffer: None,
            shard_entries: u64::MAX,
            quiescence_lanes: 3,
            quiescence_steps: 7,
        }
    }
}

/// The settings of a twin.
#[derive(Clone)]
pub struct TwinSettings {
    pub(super) host: HostSettings,
    pub(super) queues: Queues,
}

impl AsRef<HostSettings> for TwinSettings {
    fn as_ref(&self) -> &HostSettings {
        &self.host
    }
}

impl Device for TwinDevice {
    const BACKEND: &'static str = "twin";
    type Interface = Twin;
    type Options = HostOptions;
    type Settings = TwinSettings;

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

    fn settings(&self, options: &HostOptions) -> Result<TwinSettings, String> {
        let (max_buffer, device_memory) = (self.max_buffer.unwrap_or(self.memory / 4), self.memory);
        let limits = Limits { max_group_size: 1024, local_memory: 1 << 15, max_buffer, device_memory };
        let defaults = Defaults {
            group_size: 4,
            closed_form_group_size: 4,
            closed_form_turns: 1,
            count_group_size: 4,
            count_groups: 3,
            queued_per_lane: 4,
            positions: 1,
            moves: 1,
            memory: self.memory / 2,
            quiescence_lanes: self.quiescence_lanes,
            quiescence_steps: self.quiescence_steps,
        };
        let mut host = options.complete(&limits, &defaults)?;
        if options.closed_form.is_none() {
            host.last_plies = self.last_plies;
        }
        (host.unordered, host.form) = (self.unordered, self.form);
        (host.most_total, host.shard_entries) = (self.most_total, self.shard_entries);
        Ok(TwinSettings { host, queues: self.queues })
    }

    fn describe(&self, settings: &TwinSettings) -> String {
        settings.host.describe()
    }

    fn kernels() -> String {
        fingerprint(["twin"])
    }

    fn values(&self) -> Vec<Value<HostOptions>> {
        Vec::new()
    }

    async fn connect(&self, settings: &TwinSettings) -> Result<Twin, Failure> {
        Ok(Twin::new(settings.clone(), self.control.clone()))
    }
}
