//! The context of a command: its output, the requested device, progress and Ctrl-C.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kogge::{Driver, Error, Estimate, Estimator, Opened, Request, open};

use crate::monitor::{Monitor, catch_interrupts, saying};
use crate::outcome::{Answer, Failure};
use crate::output::Output;
use crate::selection::Selection;

/// A command with checked arguments, ready to run.
pub(crate) trait Job {
    /// Does the work and prints the answer.
    fn run(&self, context: &mut Context) -> Result<Answer, Failure>;
}

/// The context of a command.
pub(crate) struct Context {
    pub(crate) output: Output,
    /// The requested devices.
    pub(crate) selection: Selection,
    /// The requested device. Commands that work with several devices hold them, and use this request to open others.
    pub(crate) request: Request,
}

impl Context {
    /// Opens a device without an estimate of the work, and notes the devices that `auto` could not use.
    pub(crate) fn open(&self, request: &Request) -> Result<Opened, Failure> {
        Ok(self.noting(self.opening(|| open(request, None))?))
    }

    /// Opens the requested device for a tree of this depth. To estimate the work, `count` counts the tree to smaller
    /// depths; `auto` gives small work to the CPU.
    pub(crate) fn open_for(
        &self,
        depth: u32,
        hash: Option<NonZeroUsize>,
        mut count: impl FnMut(&mut Driver<'_>, u32) -> Result<u128, Error>,
    ) -> Result<Opened, Failure> {
        self.open_estimating(hash, &mut |cpu| {
            let mut driver = Driver::new(cpu, &());
            Estimate::tree(depth, |depth| count(&mut driver, depth))
        })
    }

    /// Opens the requested device for work that `estimator` estimates.
    pub(crate) fn open_estimating(
        &self,
        hash: Option<NonZeroUsize>,
        estimator: Estimator<'_>,
    ) -> Result<Opened, Failure> {
        self.start_threads()?;
        let request = Request { hash, ..self.request };
        Ok(self.noting(self.opening(|| open(&request, Some(estimator)))?))
    }

    /// Opens devices, and says so if it takes long.
    pub(crate) fn opening<T>(&self, open: impl FnOnce() -> T) -> T {
        saying("Opening the device (the first time, its kernels are compiled)", self.output.quiet, open)
    }

    /// Prints the notes about the choice of the device.
    fn noting(&self, opened: Opened) -> Opened {
        opened.notes.iter().for_each(|sentence| self.output.note(sentence));
        opened
    }

    /// Limits the driver's own threads.
    fn start_threads(&self) -> Result<(), Failure> {
        static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
        let Some(threads) = self.request.threads else { return Ok(()) };
        let start = || rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
        let started = STARTED.get_or_init(|| start().map_err(|error| error.to_string()));
        started.clone().map_err(|error| Failure::Device(format!("The threads could not be started: {error}.")))
    }

    /// Returns a monitor of work that counts these units; from then on, Ctrl-C stops the work.
    pub(crate) fn monitor(&self, unit: &'static str) -> Result<Monitor, Failure> {
        catch_interrupts();
        self.start_threads()?;
        Ok(Monitor::new(unit, self.output.quiet))
    }

    /// Does work with a backend, monitored and timed.
    pub(crate) fn work<T>(
        &self,
        opened: &mut Opened,
        unit: &'static str,
        work: impl FnOnce(&mut Driver<'_>) -> Result<T, Error>,
    ) -> Result<(T, Duration), Failure> {
        let monitor = self.monitor(unit)?;
        let start = Instant::now();
        let result = work(&mut Driver::new(&mut *opened.backend, &monitor));
        monitor.next();
        Ok((result?, start.elapsed()))
    }
}
