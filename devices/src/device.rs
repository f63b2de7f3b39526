//! A device of any backend, and a request to open one.

use std::io;
use std::num::NonZeroUsize;
use std::time::Duration;

use kogge_board::{Backend, BackendError, DeviceInfo, DeviceKind};
use kogge_gpu::tuning::{Cache, Trial};
use kogge_gpu::{KernelTime, Opening};

use crate::name::BackendName;

/// A request for one device.
#[derive(Clone, Copy, Default, Debug)]
pub struct Request {
    /// The backend.
    pub backend: BackendName,
    /// The number of the device within the backend.
    pub device: Option<usize>,
    /// The maximum number of CPU threads.
    pub threads: Option<NonZeroUsize>,
    /// The size of the hash table in bytes.
    pub hash: Option<NonZeroUsize>,
    /// The variant of the CPU backend's code, or the options of a GPU, such as `group_size=64,sliders=fill`.
    pub variant: Option<&'static str>,
}

impl Request {
    /// Returns a request for another backend with the same number of threads.
    pub fn of(self, backend: BackendName, device: Option<usize>) -> Self {
        Self { backend, device, threads: self.threads, ..Self::default() }
    }
}

/// A device of a backend, not opened yet.
pub trait BackendDevice {
    /// Returns the kind of processor.
    fn kind(&self) -> DeviceKind;

    /// Returns whether the device can be used, as far as this is known before opening it.
    fn is_usable(&self) -> bool;

    /// Describes the device with the options that it would be opened with.
    ///
    /// # Errors
    /// If it cannot be used, with the reason.
    fn info(&self) -> Result<DeviceInfo, BackendError>;

    /// Opens the device.
    ///
    /// # Errors
    /// If it cannot be used, with the reason.
    fn open(&self, request: &Request) -> Result<Box<dyn Backend>, BackendError>;

    /// Returns the device as one that can be tuned, if it has options.
    fn into_tunable(self: Box<Self>) -> Option<Box<dyn Tunable>> {
        None
    }
}

/// The devices of a backend, in the order of their numbers, or the reason why there are none.
pub type Listed = Result<Vec<Box<dyn BackendDevice>>, BackendError>;

/// A device whose options can be tuned.
pub trait Tunable {
    /// Describes the device, regardless of its options.
    fn bare_info(&self) -> DeviceInfo;

    /// Removes the device's tuned options, and returns whether there were any.
    fn forget(&self, cache: &Cache) -> io::Result<bool>;

    /// Tries options for this time, and saves the fastest ones.
    ///
    /// # Errors
    /// If the device fails with its default options.
    fn tune(&self, cache: &Cache, time: Duration, progress: &mut dyn FnMut(&Trial)) -> Result<Tuned, BackendError>;

    /// Opens the device with options as in [`Request::variant`], to measure the time of each kernel.
    ///
    /// # Errors
    /// If the device cannot be used with these options, with the reason.
    fn profile(&self, options: &str) -> Result<Box<dyn Profile>, BackendError>;
}

/// An open device that measures the time of each kernel.
pub trait Profile: Backend {
    /// Returns the work of each kernel since the last call.
    fn kernel_times(&mut self) -> Vec<KernelTime>;

    /// The times of the steps of opening the device.
    fn opening(&self) -> &Opening;

    /// The log of the kernels' compiler, often empty.
    fn compiler_log(&self) -> &str;
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
