//! How long things took, by the host's clock: opening a device, and running its kernels.

use std::time::Duration;

use crate::kernels::{SIGNATURES, Stage};

/// How long the parts of opening a device took.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Opening {
    /// Until the driver gave the device.
    pub device: Duration,
    /// Until the source of the kernels was put together, parsed and found valid.
    pub source: Duration,
    /// Until all kernels were translated for the driver and compiled by it, each on a thread of its own.
    pub kernels: Duration,
    /// How long each kernel took of that, by name. If the sum is not more than the whole, the driver compiles in turn.
    pub compilations: Vec<(&'static str, Duration)>,
    /// Until the device had counted what is known, in buffers that were made for that.
    pub self_test: Duration,
}

/// What one kernel has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelTime {
    /// The kernel's name.
    pub name: &'static str,
    /// How often it was launched.
    pub launches: u64,
    /// How many positions or moves it worked on.
    pub items: u64,
    /// How long it ran, each launch with the waiting for it.
    pub nanoseconds: u64,
}

/// The sums of all kernels.
pub(crate) struct Profile([KernelTime; SIGNATURES.len()]);

impl Profile {
    pub(crate) fn new() -> Self {
        Self(SIGNATURES.map(|signature| KernelTime { name: signature.name, launches: 0, items: 0, nanoseconds: 0 }))
    }

    /// Takes note of a launch.
    pub(crate) fn add(&mut self, stage: Stage, items: usize, took: Duration) {
        let time = &mut self.0[stage as usize];
        time.launches += 1;
        time.items += items as u64;
        time.nanoseconds += took.as_nanos() as u64;
    }

    /// The sums since the last time.
    pub(crate) fn take(&mut self) -> Vec<KernelTime> {
        let times = std::mem::replace(self, Self::new()).0;
        times.into_iter().filter(|time| time.launches > 0).collect()
    }
}
