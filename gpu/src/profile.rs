//! The times of opening a device and of running its kernels.

use std::time::Duration;

use crate::kernels::{Kernel, SIGNATURES};

/// The times of the steps of opening a device.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Opening {
    /// Opening the device in its driver.
    pub device: Duration,
    /// Assembling and checking the kernels' source.
    pub source: Duration,
    /// Compiling all kernels.
    pub kernels: Duration,
    /// Compiling each kernel, by name, if the interface compiles kernels one by one. If this sum does not exceed
    /// `kernels`, the driver compiles one kernel at a time.
    pub compilations: Vec<(&'static str, Duration)>,
    /// The self-test, including the making of buffers.
    pub self_test: Duration,
}

/// The work of one kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelTime {
    /// The kernel's name.
    pub name: &'static str,
    /// The number of launches.
    pub launches: u64,
    /// The number of positions or moves that the kernel worked on.
    pub items: u64,
    /// The running time: by the device's clock if the interface has one, else by the host's clock, including the wait
    /// for each launch.
    pub nanoseconds: u64,
}

/// The sums of all kernels.
pub(crate) struct Profile([KernelTime; SIGNATURES.len()]);

impl Default for Profile {
    fn default() -> Self {
        Self(SIGNATURES.map(|signature| KernelTime { name: signature.name, launches: 0, items: 0, nanoseconds: 0 }))
    }
}

impl Profile {
    pub(crate) fn add(&mut self, kernel: Kernel, items: usize, took: Duration) {
        let time = &mut self.0[kernel as usize];
        time.launches += 1;
        time.items += items as u64;
        time.nanoseconds += took.as_nanos() as u64;
    }

    /// Returns the sums since the last call.
    pub(crate) fn take(&mut self) -> Vec<KernelTime> {
        let times = std::mem::take(self).0;
        times.into_iter().filter(|time| time.launches > 0).collect()
    }
}
