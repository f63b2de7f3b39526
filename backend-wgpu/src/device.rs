//! A wgpu adapter as a device of the GPU host.

use std::sync::OnceLock;

use kogge_board::{BackendError, DeviceInfo};
use kogge_gpu::{AnyDevice, Device, Failure, Gpu, GpuOptions, GpuSettings};

use crate::adapters::{WgpuDevice, devices};
use crate::interface::WgpuInterface;
use crate::kernels::fingerprint;

/// A device that counts, expands, merges and searches through Vulkan, Metal or DX12.
pub type Wgpu = Gpu<WgpuDevice>;

/// Lists the devices of [`devices`] as devices of any interface. The list is made only once, because listing devices loads drivers.
///
/// # Errors
/// As for [`devices`].
pub fn any_devices() -> Result<Vec<Box<dyn AnyDevice>>, BackendError> {
    static DEVICES: OnceLock<Result<Vec<WgpuDevice>, BackendError>> = OnceLock::new();
    let devices = DEVICES.get_or_init(devices).clone()?;
    Ok(devices.into_iter().map(|device| Box::new(device) as _).collect())
}

impl Device for WgpuDevice {
    const BACKEND: &'static str = "wgpu";

    type Interface = WgpuInterface;

    fn list() -> Result<Vec<Self>, BackendError> {
        devices()
    }

    fn info(&self) -> DeviceInfo {
        Self::info(self)
    }

    fn unusable(&self) -> Option<String> {
        Self::unusable(self).map(str::to_owned)
    }

    fn settings(&self, options: &GpuOptions) -> Result<GpuSettings, String> {
        self.properties().settings(options)
    }

    fn kernels() -> String {
        fingerprint()
    }

    async fn connect(&self, settings: &GpuSettings) -> Result<WgpuInterface, Failure> {
        WgpuInterface::open(self, settings)
    }
}
