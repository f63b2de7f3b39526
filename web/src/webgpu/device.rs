//! The browser's adapter as a device of the GPU host.

use std::time::Duration;

use kogge_backend_wgpu::{Properties, fingerprint};
use kogge_board::{BackendError, DeviceInfo, DeviceKind, Pace};
use kogge_gpu::Parameter::{Moves, Positions};
use kogge_gpu::{Device, Failure, GpuOptions, GpuSettings};
use serde::Deserialize;

use super::interface::{Adapter, WebGpu, failure};

/// The maximum number of buffers of a kernel.
const BUFFERS: u32 = 10;

/// The device memory to use. Browsers do not report the size of the memory.
const MEMORY: u64 = 512 << 20;

/// The number of positions in a level, chosen so that no kernel runs for long.
const POSITIONS: usize = 1 << 20;

/// The number of moves that are written together.
const MOVES: usize = 1 << 23;

/// The target time for a part of a count. A browser shares the device with the screen, and stops kernels that run for seconds.
const PACE: Pace = Pace::new(1 << 11, Duration::from_millis(60), 2);

/// The description of an adapter by `browser.js`.
#[derive(Deserialize)]
struct Description {
    name: String,
    vendor: String,
    subgroups: bool,
    max_binding: u64,
    local_memory: usize,
    max_group: usize,
    max_buffers: u32,
}

/// The browser's adapter.
pub struct BrowserGpu {
    adapter: Adapter,
    description: Description,
    kind: DeviceKind,
}

impl BrowserGpu {
    /// Finds the fastest adapter. The page knows whether the adapter is an emulator.
    ///
    /// # Errors
    /// If the browser offers no adapter.
    pub async fn find(is_software: bool) -> Result<Self, BackendError> {
        let unavailable = |reason| BackendError::Unavailable { backend: Self::BACKEND, reason };
        let adapter = Adapter::find().await.map_err(|error| unavailable(failure(error).sentence()))?;
        let description =
            serde_json::from_str(&adapter.describe()).map_err(|error| unavailable(format!("{error}.")))?;
        let kind = if is_software { DeviceKind::Software } else { DeviceKind::Other };
        Ok(Self { adapter, description, kind })
    }
}

impl Device for BrowserGpu {
    const BACKEND: &'static str = "WebGPU";

    type Interface = WebGpu;

    /// Returns an error: browsers list devices only to callers that can wait. [`BrowserGpu::find`] does.
    fn list() -> Result<Vec<Self>, BackendError> {
        let reason = "a browser does not list its devices at once.".into();
        Err(BackendError::Unavailable { backend: Self::BACKEND, reason })
    }

    fn info(&self) -> DeviceInfo {
        DeviceInfo {
            backend: Self::BACKEND,
            name: self.description.name.clone(),
            driver: "WebGPU".into(),
            kind: self.kind,
            memory: None,
            batch: POSITIONS,
            variant: String::new(),
            counts_diagrams: true,
        }
    }

    fn unusable(&self) -> Option<String> {
        (self.description.max_buffers < BUFFERS).then(|| "its kernels can use too few buffers at once.".into())
    }

    fn settings(&self, options: &GpuOptions) -> Result<GpuSettings, String> {
        let Description { ref vendor, subgroups, max_binding, local_memory, max_group, .. } = self.description;
        let mut options = options.clone();
        options.memory.get_or_insert(MEMORY);
        if self.kind != DeviceKind::Software {
            options.values.entry(Positions).or_insert(POSITIONS);
            options.values.entry(Moves).or_insert(MOVES);
        }
        let properties = Properties {
            kind: self.kind,
            is_nvidia: vendor == "nvidia",
            memory: None,
            max_binding,
            local_memory,
            max_work_group_size: max_group,
            has_int64: false,
            has_subgroups: subgroups,
            has_immediates: false,
        };
        let mut settings = properties.settings(&options)?;
        settings.pace = PACE;
        Ok(settings)
    }

    fn kernels() -> String {
        fingerprint()
    }

    async fn connect(&self, settings: &GpuSettings) -> Result<WebGpu, Failure> {
        WebGpu::open(&self.adapter, settings).await
    }
}
