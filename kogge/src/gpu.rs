//! A device of a GPU interface.

use kogge_board::{Backend, BackendError, DeviceInfo};
use kogge_gpu::{AnyDevice, GpuOptions, Profile};

/// A device of a GPU interface.
pub struct GpuDevice(pub(crate) Box<dyn AnyDevice>);

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
        self.0.info()
    }

    /// Returns the reason why the device cannot be used, as far as this is known before opening it.
    pub(crate) fn unusable(&self) -> Option<String> {
        self.0.unusable()
    }

    /// Describes the device with the options that it would be opened with.
    pub(crate) fn info(&self) -> Result<DeviceInfo, BackendError> {
        match self.unusable() {
            None => Ok(self.0.planned()),
            Some(reason) => {
                let DeviceInfo { backend, name, .. } = self.bare_info();
                Err(BackendError::Unavailable { backend, reason: format!("{name}: {reason}") })
            }
        }
    }

    /// Opens the device with options as in [`Request::variant`](crate::Request::variant).
    pub(crate) fn open(&self, options: &str) -> Result<Box<dyn Backend>, BackendError> {
        Ok(self.open_with(options)?)
    }

    /// Opens the device with options as in [`Request::variant`](crate::Request::variant), to measure the time of each kernel.
    ///
    /// # Errors
    /// If the device cannot be used with these options, with the reason.
    pub fn profile(&self, options: &str) -> Result<Box<dyn Profile>, BackendError> {
        self.open_with(&format!("profile=true,{options}"))
    }

    fn open_with(&self, options: &str) -> Result<Box<dyn Profile>, BackendError> {
        let unavailable = |reason| BackendError::Unavailable { backend: self.bare_info().backend, reason };
        self.0.open(&options.parse::<GpuOptions>().map_err(unavailable)?)
    }
}
