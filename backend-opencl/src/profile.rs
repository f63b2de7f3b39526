//! How long the kernels ran, by the device's own clock.

use crate::kernels::{SIGNATURES, Stage};
use crate::runtime::{Event, Failure};

/// What one kernel has done so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelTime {
    /// The kernel's name.
    pub name: &'static str,
    /// How often it was launched.
    pub launches: u64,
    /// How many positions or moves it worked on.
    pub items: u64,
    /// How long it ran.
    pub nanoseconds: u64,
}

/// The sums of all kernels.
pub(crate) struct Profile {
    times: [KernelTime; SIGNATURES.len()],
    /// Launches whose time has not been asked for yet.
    pending: Vec<(Stage, Event)>,
}

/// How many events are kept before they are asked, so that they do not pile up.
const MOST_PENDING: usize = 256;

impl Profile {
    pub(crate) fn new() -> Self {
        let times =
            SIGNATURES.map(|signature| KernelTime { name: signature.name, launches: 0, items: 0, nanoseconds: 0 });
        Self { times, pending: Vec::new() }
    }

    /// Takes note of a launch.
    pub(crate) fn add(&mut self, stage: Stage, items: usize, event: Event) -> Result<(), Failure> {
        let time = &mut self.times[stage as usize];
        time.launches += 1;
        time.items += items as u64;
        self.pending.push((stage, event));
        if self.pending.len() >= MOST_PENDING { self.settle() } else { Ok(()) }
    }

    /// Waits for the launches noted, and returns the sums since the last time.
    pub(crate) fn take(&mut self) -> Result<Vec<KernelTime>, Failure> {
        self.settle()?;
        let times = std::mem::replace(self, Self::new()).times;
        Ok(times.into_iter().filter(|time| time.launches > 0).collect())
    }

    fn settle(&mut self) -> Result<(), Failure> {
        for (stage, event) in self.pending.drain(..) {
            self.times[stage as usize].nanoseconds += event.nanoseconds()?;
        }
        Ok(())
    }
}
