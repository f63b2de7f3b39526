//! A device of any interface behind one type. Thus the code of the host is compiled once for each interface, in the crate of the interface,
//! and callers need not be generic.

use std::time::Duration;

use kogge_board::{Backend, BackendError, DeviceInfo};

use crate::device::{Device, Gpu};
use crate::profile::{KernelTime, Opening};
use crate::settings::GpuOptions;
use crate::tuning::{Trial, TunedKey, Tuning, planned, tune};

/// A [`Device`] of any interface.
pub trait AnyDevice {
    /// As [`Device::info`].
    fn info(&self) -> DeviceInfo;

    /// As [`Device::unusable`].
    fn unusable(&self) -> Option<String>;

    /// As [`planned`].
    fn planned(&self) -> DeviceInfo;

    /// Returns the properties of the device that its tuned options depend on.
    fn tuned_key(&self) -> TunedKey;

    /// As [`Gpu::on`].
    ///
    /// # Errors
    /// As for [`Gpu::on`].
    fn open(&self, options: &GpuOptions) -> Result<Box<dyn Profile>, BackendError>;

    /// As [`tune`].
    ///
    /// # Errors
    /// As for [`tune`].
    fn tune(&self, time: Duration, progress: &mut dyn FnMut(&Trial)) -> Result<Tuning, BackendError>;
}

impl<D: Device> AnyDevice for D
where
    Gpu<D>: Backend + 'static,
{
    fn info(&self) -> DeviceInfo {
        Device::info(self)
    }

    fn unusable(&self) -> Option<String> {
        Device::unusable(self)
    }

    fn planned(&self) -> DeviceInfo {
        planned(self)
    }

    fn tuned_key(&self) -> TunedKey {
        TunedKey::of(self)
    }

    fn open(&self, options: &GpuOptions) -> Result<Box<dyn Profile>, BackendError> {
        Ok(Box::new(Gpu::on(self, options)?))
    }

    fn tune(&self, time: Duration, progress: &mut dyn FnMut(&Trial)) -> Result<Tuning, BackendError> {
        tune(self, time, progress)
    }
}

/// An open device that measures the time of each kernel, if [`GpuOptions::profile`] is set.
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
