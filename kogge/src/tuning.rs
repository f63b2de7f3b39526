//! The fastest options of GPUs, and the time of each of their kernels.

// Without OpenCL and wgpu, a `GpuDevice` has no values, and no code reaches one.
#![cfg_attr(not(any(feature = "opencl", feature = "wgpu")), allow(unreachable_code, unused))]

use std::io;
use std::time::Duration;

use kogge_board::{Backend, BackendError, DeviceInfo};
use kogge_gpu::tuning::{TunedKey, planned, tune};
use kogge_gpu::{Device, Gpu};

pub use kogge_gpu::tuning::{Cache, Trial, TrialOutcome};
pub use kogge_gpu::{KernelTime, Opening};

use crate::device::{BackendDevice, Request};
use crate::error::OpenError;
use crate::gpu::{GpuDevice, open, with_device};
use crate::name::BackendName;
use crate::table::{BACKENDS, BackendKind, number_without_backend, pick};

/// An open device that measures the time of each kernel.
pub trait Profile: Backend {
    /// Returns the work of each kernel since the last call.
    fn kernel_times(&mut self) -> Vec<KernelTime>;

    /// The times of the steps of opening the device.
    fn opening(&self) -> &Opening;

    /// The log of the kernels' compiler, often empty.
    fn compiler_log(&self) -> &str;
}

impl<D: Device> Profile for Gpu<D>
where
    Self: Backend,
{
    fn kernel_times(&mut self) -> Vec<KernelTime> {
        self.profile()
    }

    fn opening(&self) -> &Opening {
        self.opening()
    }

    fn compiler_log(&self) -> &str {
        self.compiler_log()
    }
}

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
        with_device!(self, device => cache.forget(&TunedKey::of(device)))
    }

    /// Tries options for this time, and saves the fastest ones.
    ///
    /// # Errors
    /// If the device fails with its default options.
    pub fn tune(&self, cache: &Cache, time: Duration, progress: &mut dyn FnMut(&Trial)) -> Result<Tuned, BackendError> {
        with_device!(self, device => {
            let tuning = tune(device, time, progress)?;
            let saved = cache.save(TunedKey::of(device), &tuning.values);
            Ok(Tuned { info: planned(device), trials: tuning.trials, complete: tuning.complete, saved })
        })
    }

    /// Opens the device with options as in [`Request::variant`], to measure the time of each kernel.
    ///
    /// # Errors
    /// If the device cannot be used with these options, with the reason.
    pub fn profile(&self, options: &str) -> Result<Box<dyn Profile>, BackendError> {
        Ok(with_device!(self, device => Box::new(open(device, &format!("profile=true,{options}"))?)))
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
