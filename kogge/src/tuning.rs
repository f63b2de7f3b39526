//! The fastest options of GPUs, and the time of each of their kernels.

use std::io;
use std::time::Duration;

use kogge_board::{BackendError, DeviceInfo};

pub use kogge_gpu::tuning::{Cache, Trial, TrialOutcome};
pub use kogge_gpu::{KernelTime, Opening, Profile};

use crate::device::{BackendDevice, Request};
use crate::error::OpenError;
use crate::gpu::GpuDevice;
use crate::name::BackendName;
use crate::table::{BACKENDS, BackendKind, number_without_backend, pick};

/// The result of tuning a device.
pub struct Tuned {
    /// The device's description, as it is opened from now on.
    pub info: DeviceInfo,
    /// All trials, in order.
    pub trials: Vec<Trial>,
    /// Whether there was enough time for all values.
    pub complete: bool,
    /// Whether the options were saved.
    pub saved: io::Result<()>,
}

impl GpuDevice {
    /// Removes the device's tuned options, and returns whether there were any.
    pub fn forget(&self, cache: &Cache) -> io::Result<bool> {
        cache.forget(&self.0.tuned_key())
    }

    /// Tries options for this time, and saves the fastest ones.
    ///
    /// # Errors
    /// If the device fails with its default options.
    pub fn tune(&self, cache: &Cache, time: Duration, progress: &mut dyn FnMut(&Trial)) -> Result<Tuned, BackendError> {
        let tuning = self.0.tune(time, progress)?;
        let saved = cache.save(self.0.tuned_key(), &tuning.values);
        Ok(Tuned { info: self.0.planned(), trials: tuning.trials, complete: tuning.complete, saved })
    }
}

/// Returns the device to tune: the requested one, or the best one of all GPU interfaces.
pub fn tunable(request: &Request) -> Result<GpuDevice, OpenError> {
    let name = request.backend;
    if name == BackendName::Auto && request.device.is_some() {
        return Err(number_without_backend());
    }
    let is_asked_for = |entry: &&BackendKind| entry.name == name || (name == BackendName::Auto && entry.is_gpu());
    let (mut devices, mut refused) = (Vec::new(), Vec::new());
    for entry in BACKENDS.iter().filter(is_asked_for) {
        match entry.devices() {
            Ok(listed) => devices.extend(listed),
            Err(error) => refused.push(error.to_string()),
        }
    }
    if devices.is_empty() && !refused.is_empty() {
        return Err(OpenError::NoDevice(refused.join(" ")));
    }
    let index = pick(&devices, name, request.device)?;
    match devices.swap_remove(index) {
        BackendDevice::Gpu(device) => Ok(device),
        BackendDevice::Host { .. } => Err(OpenError::Request(format!(
            "The {} backend has nothing to tune; only opencl and wgpu have.",
            name.name()
        ))),
    }
}
