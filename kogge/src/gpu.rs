//! A device of a GPU interface.

// Without OpenCL and wgpu, a `GpuDevice` has no values, and no code reaches one.
#![cfg_attr(not(any(feature = "opencl", feature = "wgpu")), allow(unreachable_code, unused))]

use kogge_board::{Backend, BackendError, DeviceInfo};

/// A device of a GPU interface. A build without the features `opencl` and `wgpu` has none.
pub enum GpuDevice {
    /// A device with an OpenCL driver.
    #[cfg(feature = "opencl")]
    Opencl(kogge_backend_opencl::OpenClDevice),
    /// A device of Vulkan, Metal or DX12.
    #[cfg(feature = "wgpu")]
    Wgpu(kogge_backend_wgpu::WgpuDevice),
}

/// Does the same with the device of any interface.
macro_rules! with_device {
    ($gpu:expr, $device:ident => $work:expr) => {
        match *$gpu {
            #[cfg(feature = "opencl")]
            $crate::gpu::GpuDevice::Opencl(ref $device) => $work,
            #[cfg(feature = "wgpu")]
            $crate::gpu::GpuDevice::Wgpu(ref $device) => $work,
        }
    };
}
pub(crate) use with_device;

impl GpuDevice {
    /// Describes the device, regardless of its options.
    ///
    /// ```no_run
    /// use kogge::{BACKENDS, BackendDevice};
    /// for device in BACKENDS.iter().flat_map(|backend| backend.devices().unwrap_or_default()) {
    ///     if let BackendDevice::Gpu(gpu) = device {
    ///         println!("{}, even if it cannot be used", gpu.bare_info().name);
    ///     }
    /// }
    /// ```
    pub fn bare_info(&self) -> DeviceInfo {
        with_device!(self, device => kogge_gpu::Device::info(device))
    }

    /// Returns the reason why the device cannot be used, as far as this is known before opening it.
    pub(crate) fn unusable(&self) -> Option<String> {
        with_device!(self, device => kogge_gpu::Device::unusable(device))
    }

    /// Describes the device with the options that it would be opened with.
    pub(crate) fn info(&self) -> Result<DeviceInfo, BackendError> {
        match self.unusable() {
            None => Ok(with_device!(self, device => kogge_gpu::tuning::planned(device))),
            Some(reason) => {
                let DeviceInfo { backend, name, .. } = self.bare_info();
                Err(BackendError::Unavailable { backend, reason: format!("{name}: {reason}") })
            }
        }
    }

    /// Opens the device with options as in [`Request::variant`](crate::Request::variant).
    pub(crate) fn open(&self, options: &str) -> Result<Box<dyn Backend>, BackendError> {
        Ok(with_device!(self, device => Box::new(open(device, options)?)))
    }
}

/// Opens a device of a known interface.
#[cfg(feature = "tuning")]
pub(crate) fn open<D: kogge_gpu::Device>(device: &D, options: &str) -> Result<kogge_gpu::Gpu<D>, BackendError>
where
    kogge_gpu::Gpu<D>: Backend,
{
    let unavailable = |reason| BackendError::Unavailable { backend: device.info().backend, reason };
    kogge_gpu::Gpu::on(device, &options.parse::<kogge_gpu::GpuOptions>().map_err(unavailable)?)
}
