//! An open device: its queue, its memory, and its failures.
//!
//! wgpu reports errors to a handler, and panics if there is no handler. It reports a lost device to another handler.
//! Here both handlers only record the failure, and every call then asks [`Runtime::check`].

use std::cell::Cell;
use std::future::Future;
use std::panic::{self, AssertUnwindSafe};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use kogge_gpu::Failure;
use wgpu::{
    Adapter, BufferDescriptor, BufferUsages, DeviceDescriptor, DeviceType, Features, MapMode, MemoryHints, PollType,
};

#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
use crate::memory::large_buffer;

/// The part of the device's memory that buffers may take, in percent.
pub(crate) const FILLED: u8 = 95;

/// Returns `None`: only Vulkan needs to know that a buffer has its own memory.
#[cfg(not(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd")))]
fn large_buffer(_: &wgpu::Device, _: &BufferDescriptor<'_>, _: u8) -> Option<Result<wgpu::Buffer, Failure>> {
    None
}

/// The first failure that no call has returned yet.
#[derive(Clone, Default)]
struct Failures {
    first: Arc<Mutex<Option<Failure>>>,
    /// Whether any call has ever failed.
    any: Arc<AtomicBool>,
}

impl Failures {
    /// Records a failure. A lost device overrides other failures.
    fn note(&self, failure: Failure) {
        self.any.store(true, Ordering::Relaxed);
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let worse = matches!(failure, Failure::Lost(_)) && !matches!(*first, Some(Failure::Lost(_)));
        if first.is_none() || worse {
            *first = Some(failure);
        }
    }

    /// Returns the recorded failure once. A lost device remains lost.
    fn take(&self) -> Result<(), Failure> {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        match &*first {
            None => Ok(()),
            Some(Failure::Lost(reason)) => Err(Failure::Lost(reason.clone())),
            Some(_) => first.take().map_or(Ok(()), Err),
        }
    }
}

/// Makes a sentence from wgpu's error text, which has several lines with the innermost cause at the end.
fn sentence(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.ends_with(':'));
    let lines = lines.filter(|line| *line != "Validation Error").map(|line| line.trim_end_matches('.'));
    format!("wgpu says: {}.", lines.collect::<Vec<_>>().join("; "))
}

/// An open device.
pub(crate) struct Runtime {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    failures: Failures,
    /// The buffer from which the host reads bytes.
    pub(crate) staging: wgpu::Buffer,
    /// The time for which a wait polls the device before it sleeps.
    awake: Duration,
}

/// The time for which a wait polls a GPU before it sleeps. A sleeping thread wakes up late.
const AWAKE: Duration = Duration::from_millis(20);

/// The same for a GPU that shares its power with the host's cores: only as long as small work takes.
const AWAKE_BESIDE_CORES: Duration = Duration::from_micros(200);

/// The maximum number of bytes in one read by the host.
const STAGING: u64 = 16 << 20;

impl Runtime {
    /// Opens a device with these features and its largest limits.
    pub(crate) fn open(adapter: &Adapter, features: Features) -> Result<Self, Failure> {
        let descriptor = DeviceDescriptor {
            label: Some("kogge"),
            required_features: features,
            required_limits: adapter.limits(),
            // Large buffers have their own memory, and small buffers share small blocks.
            memory_hints: MemoryHints::MemoryUsage,
            ..DeviceDescriptor::default()
        };
        let opened = ready(adapter.request_device(&descriptor));
        let (device, queue) = opened
            .ok_or_else(|| Failure::Other("it does not answer.".into()))?
            .map_err(|error| Failure::Other(sentence(&error.to_string())))?;
        let failures = Failures::default();
        let noted = failures.clone();
        device.on_uncaptured_error(Arc::new(move |error| {
            noted.note(match error {
                wgpu::Error::OutOfMemory { .. } => Failure::OutOfMemory,
                error => Failure::Other(sentence(&error.to_string())),
            });
        }));
        let noted = failures.clone();
        device.set_device_lost_callback(move |_, reason| noted.note(Failure::Lost(reason)));
        let staging = device.create_buffer(&BufferDescriptor {
            label: Some("staging"),
            size: STAGING.min(device.limits().max_buffer_size),
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let awake = match adapter.get_info().device_type {
            DeviceType::DiscreteGpu => AWAKE,
            // A software device needs the host's cores for its own work.
            DeviceType::Cpu => Duration::ZERO,
            _ => AWAKE_BESIDE_CORES,
        };
        let runtime = Self { device, queue, failures, staging, awake };
        runtime.check()?;
        Ok(runtime)
    }

    /// Returns an error if anything failed since the last call.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.failures.take()
    }

    /// Returns whether anything has ever failed, so that recorded work may be lost.
    pub(crate) fn has_failed(&self) -> bool {
        self.failures.any.load(Ordering::Relaxed)
    }

    /// Makes a buffer. Also returns whether the buffer must be cleared before it is used. If not, wgpu fills the buffer with
    /// zeros at its first use.
    pub(crate) fn buffer(&self, label: &str, bytes: u64) -> Result<(wgpu::Buffer, bool), Failure> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let descriptor = BufferDescriptor { label: Some(label), size: bytes, usage, mapped_at_creation: false };
        if let Some(buffer) = large_buffer(&self.device, &descriptor, FILLED) {
            return Ok((buffer?, true));
        }
        let buffer = self.device.create_buffer(&descriptor);
        self.check()?;
        Ok((buffer, false))
    }

    /// Writes to the start of a buffer, after the submitted work.
    pub(crate) fn write(&self, buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<(), Failure> {
        self.queue.write_buffer(buffer, 0, bytes);
        self.check()
    }

    /// Waits for the submitted work, and reads `size` bytes of the staging buffer into these parts, one after the other.
    pub(crate) fn take_staged<'a>(&self, parts: impl Iterator<Item = &'a mut [u8]>, size: u64) -> Result<(), Failure> {
        let mapped = Arc::new(Mutex::new(None));
        let note = mapped.clone();
        let staged = self.staging.slice(..size);
        staged.map_async(MapMode::Read, move |result| {
            *note.lock().unwrap_or_else(PoisonError::into_inner) = Some(result.is_ok());
        });
        let waited = self.wait();
        let mapped = *mapped.lock().unwrap_or_else(PoisonError::into_inner);
        let copied = waited.and_then(|()| match mapped {
            Some(true) => {
                let view = staged.get_mapped_range();
                let view = view.map_err(|error| Failure::Other(sentence(&error.to_string())))?;
                let mut rest = &view[..];
                for bytes in parts {
                    let (staged, others) = rest.split_at(bytes.len());
                    bytes.copy_from_slice(staged);
                    rest = others;
                }
                Ok(())
            }
            _ => Err(Failure::Other("memory could not be read.".into())),
        });
        // The next read needs the buffer unmapped, even after a failure.
        if mapped != Some(false) {
            self.staging.unmap();
        }
        copied?;
        self.check()
    }

    pub(crate) fn wait(&self) -> Result<(), Failure> {
        // wgpu panics if the device is lost while it waits.
        let begun = Instant::now();
        let waited = without_panic(|| {
            while begun.elapsed() < self.awake {
                let polled = self.device.poll(PollType::Poll)?;
                if polled.is_queue_empty() {
                    return Ok(polled);
                }
            }
            self.device.poll(PollType::wait_indefinitely())
        });
        self.check()?;
        match waited {
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(Failure::Other(sentence(&error.to_string()))),
            None => Err(Failure::Lost("wgpu gave up waiting for it".into())),
        }
    }
}

/// Returns the result of a future that is ready at once, as all futures of wgpu are, except in browsers.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

thread_local! {
    /// Whether a panic on this thread is expected and must not be printed.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function that panics instead of returning an error; `None` if it panicked.
fn without_panic<T>(function: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        // A panicking thread must not change the hook; at worst, a superfluous message is printed.
        if !std::thread::panicking() {
            let usual = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                if !EXPECTED.get() {
                    usual(info);
                }
            }));
        }
    });
    EXPECTED.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(function));
    EXPECTED.set(false);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_counts_and_a_lost_device_stays_lost() {
        let failures = Failures::default();
        assert_eq!(failures.take(), Ok(()));
        assert!(!failures.any.load(Ordering::Relaxed));
        failures.note(Failure::OutOfMemory);
        failures.note(Failure::Other("later".into()));
        assert_eq!(failures.take(), Err(Failure::OutOfMemory));
        assert_eq!(failures.take(), Ok(()));
        assert!(failures.any.load(Ordering::Relaxed));
        failures.note(Failure::OutOfMemory);
        for reason in ["unplugged", "again"] {
            failures.note(Failure::Lost(reason.into()));
            assert_eq!(failures.take(), Err(Failure::Lost("unplugged".into())));
        }
    }

    #[test]
    fn what_wgpu_says_becomes_a_sentence() {
        let text = "Validation Error\n\nCaused by:\n  In Device::create_buffer\n    Not enough room.\n";
        assert_eq!(sentence(text), "wgpu says: In Device::create_buffer; Not enough room.");
    }

    #[test]
    fn expected_panics_are_caught() {
        assert_eq!(without_panic(|| 3), Some(3));
        assert_eq!(without_panic(|| panic!("expected")), None::<()>);
        assert!(!EXPECTED.get());
    }

    #[test]
    fn only_futures_that_are_ready_are_answered() {
        assert_eq!(ready(async { 3 }), Some(3));
        assert_eq!(ready(std::future::pending::<()>()), None);
    }
}
