//! An OpenCL device as a device of the GPU host.

use kogge_board::{BackendError, DeviceInfo};
use kogge_gpu::tuning::Value;
use kogge_gpu::{Failure, Gpu};

use crate::interface::OpenClInterface;
use crate::kernels::fingerprint;
use crate::options::{Options, Settings};
use crate::platform::{Device, PlatformError, platforms};

/// An OpenCL device that counts, expands, merges and searches.
pub type OpenCl = Gpu<Device>;

/// Lists all devices of all platforms, in OpenCL's order.
///
/// # Errors
/// If there is no platform. A platform that fails to list its devices counts as one without devices.
pub fn devices() -> Result<Vec<Device>, PlatformError> {
    Ok(platforms()?.into_iter().filter_map(|platform| platform.devices.ok()).flatten().collect())
}

impl kogge_gpu::Device for Device {
    const BACKEND: &'static str = "opencl";

    type Interface = OpenClInterface;
    type Options = Options;
    type Settings = Settings;

    fn list() -> Result<Vec<Self>, BackendError> {
        devices().map_err(|error| BackendError::Unavailable { backend: Self::BACKEND, reason: error.to_string() })
    }

    fn info(&self) -> DeviceInfo {
        Self::info(self)
    }

    fn unusable(&self) -> Option<String> {
        Self::unusable(self)
    }

    fn settings(&self, options: &Options) -> Result<Settings, String> {
        options.complete(self)
    }

    fn describe(&self, settings: &Settings) -> String {
        settings.describe()
    }

    fn kernels() -> String {
        fingerprint()
    }

    fn values(&self) -> Vec<Value<Options>> {
        Options::values(self)
    }

    async fn connect(&self, settings: &Settings) -> Result<OpenClInterface, Failure> {
        OpenClInterface::open(self, settings)
    }
}
