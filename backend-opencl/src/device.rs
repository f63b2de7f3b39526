//! An OpenCL device as a device of the GPU host.

use kogge_board::{BackendError, DeviceInfo, DeviceKind};
use kogge_gpu::Parameter::{
    ClosedFormGroupSize, CountGroups, GroupSize, Positions, Registers, Sliders, VendorInstructions,
};
use kogge_gpu::{AnyDevice, Capabilities, Device, Failure, Gpu, GpuOptions, GpuSettings, Parameter, Unordered};

use crate::interface::OpenClInterface;
use crate::kernels::fingerprint;
use crate::platform::{OpenClDevice, PlatformError, platforms};
use crate::variants::magic;

/// The approximate number of work-items for quiescence searches that a compute unit gets at once.
const RESIDENT: usize = 512;

/// The memory of a GPU from which on levels have 2^24 positions, 0.7 GB each. Merging is then faster by a tenth.
const LARGE_MEMORY: u64 = 32 << 30;

/// An OpenCL device that counts, expands, merges and searches.
pub type OpenCl = Gpu<OpenClDevice>;

/// Lists all devices of all platforms, in OpenCL's order.
///
/// # Errors
/// If there is no platform. A platform that fails to list its devices counts as one without devices.
pub fn devices() -> Result<Vec<OpenClDevice>, PlatformError> {
    Ok(platforms()?.into_iter().filter_map(|platform| platform.devices.ok()).flatten().collect())
}

/// Lists the devices of [`devices`] as devices of any interface.
///
/// # Errors
/// As for [`devices`].
pub fn any_devices() -> Result<Vec<Box<dyn AnyDevice>>, BackendError> {
    Ok(OpenClDevice::list()?.into_iter().map(|device| Box::new(device) as _).collect())
}

impl Device for OpenClDevice {
    const BACKEND: &'static str = "opencl";

    type Interface = OpenClInterface;

    fn list() -> Result<Vec<Self>, BackendError> {
        devices().map_err(|error| BackendError::Unavailable { backend: Self::BACKEND, reason: error.to_string() })
    }

    fn info(&self) -> DeviceInfo {
        Self::info(self)
    }

    fn unusable(&self) -> Option<String> {
        Self::unusable(self)
    }

    fn settings(&self, options: &GpuOptions) -> Result<GpuSettings, String> {
        let is_gpu = matches!(self.kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu);
        let is_nvidia = self.vendor.contains("NVIDIA");
        let nvidia = is_nvidia && options.values.get(&VendorInstructions) != Some(&0);
        let units = self.compute_units.max(1) as usize;
        let mut defaults = Parameter::usual(is_gpu);
        defaults.extend([
            (Sliders, usize::from(nvidia)),
            (CountGroups, if is_gpu { 64 } else { 4 } * units),
            (VendorInstructions, usize::from(nvidia)),
        ]);
        if options.variants.depth_first.is_some() {
            defaults.insert(GroupSize, 64);
        }
        if is_gpu && self.memory < LARGE_MEMORY {
            defaults.insert(Positions, 1 << 22);
        }
        if nvidia {
            // With few registers, twice as many work-groups of the closed form are resident, which outweighs the spills.
            defaults.extend([(ClosedFormGroupSize, 256), (Registers, 128)]);
        }
        let mut settings = options.complete(&Capabilities {
            defaults,
            maxima: [(VendorInstructions, usize::from(is_nvidia))].into(),
            max_group_size: self.max_work_group_size,
            local_memory: self.local_memory,
            unordered_memory: self.local_memory,
            max_buffer: self.max_allocation,
            device_memory: self.memory,
            memory: self.memory / 2,
            unordered: Unordered::Always,
        })?;
        // As many searches as are resident, so that each takes as many positions as possible, which evens out their lengths.
        let group_size = settings[GroupSize];
        settings.quiescence_lanes = (RESIDENT / group_size).max(1) * units * group_size;
        if settings.variants.magic {
            settings.lines = magic::table();
        }
        Ok(settings)
    }

    fn kernels() -> String {
        fingerprint()
    }

    async fn connect(&self, settings: &GpuSettings) -> Result<OpenClInterface, Failure> {
        OpenClInterface::open(self, settings)
    }
}
