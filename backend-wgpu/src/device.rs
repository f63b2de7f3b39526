//! A wgpu adapter as a device of the GPU host.

use kogge_board::{BackendError, DeviceInfo};
use kogge_gpu::tuning::Value;
use kogge_gpu::{Failure, Gpu};

use crate::adapters::{Device, devices};
use crate::interface::WgpuInterface;
use crate::kernels::fingerprint;
use crate::options::{Options, Settings};

/// A device that counts, expands, merges and searches through Vulkan, Metal or DX12.
pub type Wgpu = Gpu<Device>;

impl kogge_gpu::Device for Device {
    const BACKEND: &'static str = "wgpu";

    type Interface = WgpuInterface;
    type Options = Options;
    type Settings = Settings;

    fn list() -> Result<Vec<Self>, BackendError> {
        devices()
    }

    fn info(&self) -> DeviceInfo {
        Self::info(self)
    }

    fn unusable(&self) -> Option<String> {
        Self::unusable(self).map(str::to_owned)
    }

    fn settings(&self, options: &Options) -> Result<Settings, String> {
        options.complete(&self.properties())
    }

    fn describe(&self, settings: &Settings) -> String {
        settings.describe()
    }

    async fn connect(&self, settings: &Settings) -> Result<WgpuInterface, Failure> {
        WgpuInterface::open(self, settings)
    }

    fn kernels() -> String {
        fingerprint()
    }

    fn values(&self) -> Vec<Value<Options>> {
        Options::values(&self.properties())
    }
}
