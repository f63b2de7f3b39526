//! An open device: its queue, its memory, and everything that can go wrong with them.
//!
//! wgpu reports errors not where they happen but to a handler, and panics if there is none; losing the device is reported
//! to another. Here both only note what went wrong, and whoever needs an answer asks [`Gpu::check`].

use std::cell::Cell;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::{self, AssertUnwindSafe};
use std::pin::pin;
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::task::{Context, Poll, Waker};

use bytemuck::Pod;
use wgpu::{BufferUsages, DeviceDescriptor, Features, MapMode, PollType};

use crate::adapters::Device;

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// There was no memory for a buffer; with smaller ones the device can still be used.
    OutOfMemory,
    /// The device was lost, and is lost for good.
    Lost(String),
    /// A call was rejected, or failed; a sentence.
    Other(String),
}

/// The first failure that nobody has asked about yet.
#[derive(Clone, Default)]
struct Failures(Arc<Mutex<Option<Failure>>>);

impl Failures {
    /// Takes note. Nothing is worse than a lost device.
    fn note(&self, failure: Failure) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let worse = matches!(failure, Failure::Lost(_)) && !matches!(*first, Some(Failure::Lost(_)));
        if first.is_none() || worse {
            *first = Some(failure);
        }
    }

    /// What was noted, once; but a lost device stays lost.
    fn take(&self) -> Result<(), Failure> {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*first {
            None => Ok(()),
            Some(Failure::Lost(reason)) => Err(Failure::Lost(reason.clone())),
            Some(_) => first.take().map_or(Ok(()), Err),
        }
    }
}

/// A sentence from what wgpu says over several lines, innermost cause last.
fn sentence(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.ends_with(':'));
    let lines = lines.filter(|line| *line != "Validation Error").map(|line| line.trim_end_matches('.'));
    format!("wgpu says: {}.", lines.collect::<Vec<_>>().join("; "))
}

/// A device that was opened.
pub(crate) struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    failures: Failures,
    /// Where bytes go before the host reads them.
    staging: wgpu::Buffer,
    /// A failure that is to be noted after so many more questions about failures.
    #[cfg(test)]
    pub(crate) planned: Mutex<Option<(usize, Failure)>>,
}

/// Device memory for a number of elements.
pub(crate) struct Buffer<T> {
    pub(crate) raw: wgpu::Buffer,
    len: usize,
    element: PhantomData<T>,
}

impl<T> Buffer<T> {
    /// How many elements there is room for, at least one.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }
}

/// Bytes that the host reads at once.
const STAGING: u64 = 16 << 20;

impl Gpu {
    /// Opens a device with these features and as large as it can be.
    pub(crate) fn open(device: &Device, features: Features) -> Result<Self, Failure> {
        let descriptor = DeviceDescriptor {
            label: Some("kogge"),
            required_features: features,
            required_limits: device.adapter.limits(),
            ..DeviceDescriptor::default()
        };
        let opened = ready(device.adapter.request_device(&descriptor));
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
        let staging = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("staging"),
            size: STAGING.min(device.limits().max_buffer_size),
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let gpu = Self {
            device,
            queue,
            failures,
            staging,
            #[cfg(test)]
            planned: Mutex::default(),
        };
        gpu.check()?;
        Ok(gpu)
    }

    /// What went wrong since this was last asked.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        #[cfg(test)]
        self.go_by_plan();
        self.failures.take()
    }

    /// Takes note of what was planned, as if it had been reported, when its time has come.
    #[cfg(test)]
    fn go_by_plan(&self) {
        let mut planned = self.planned.lock().unwrap();
        match planned.take() {
            Some((0, failure)) => self.failures.note(failure),
            Some((left, failure)) => *planned = Some((left - 1, failure)),
            None => {}
        }
    }

    /// Forgets a lost device, so that one that was lost by plan can go on.
    #[cfg(test)]
    pub(crate) fn find_again(&self) {
        *self.failures.0.lock().unwrap() = None;
    }

    /// Device memory for `len` elements, filled with zeros when it is first used.
    pub(crate) fn buffer<T: Pod>(&self, label: &str, len: usize) -> Result<Buffer<T>, Failure> {
        let raw = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: (len.max(1) * size_of::<T>()) as u64,
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.check()?;
        Ok(Buffer { raw, len: len.max(1), element: PhantomData })
    }

    /// Writes the first elements, in turn after what was submitted.
    pub(crate) fn write<T: Pod>(&self, buffer: &Buffer<T>, data: &[T]) -> Result<(), Failure> {
        self.queue.write_buffer(&buffer.raw, 0, bytemuck::cast_slice(data));
        self.check()
    }

    /// Waits for all that was submitted, and reads `len` elements from number `first` on.
    pub(crate) fn read<T: Pod>(&self, buffer: &Buffer<T>, first: usize, len: usize) -> Result<Vec<T>, Failure> {
        if first.saturating_add(len) > buffer.len {
            return Err(Failure::Other(format!(
                "{first} and {len} elements were asked of a buffer of {}.",
                buffer.len
            )));
        }
        let mut data = vec![T::zeroed(); len];
        let at_once = self.staging.size() as usize / size_of::<T>();
        let mut offset = (first * size_of::<T>()) as u64;
        for piece in data.chunks_mut(at_once.max(1)) {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(piece);
            let size = bytes.len() as u64;
            let mut encoder = self.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&buffer.raw, offset, &self.staging, 0, size);
            self.queue.submit([encoder.finish()]);
            self.take_staged(bytes)?;
            offset += size;
        }
        Ok(data)
    }

    /// Waits for all that was submitted, and takes what was copied to the staging buffer.
    fn take_staged(&self, bytes: &mut [u8]) -> Result<(), Failure> {
        let mapped = Arc::new(Mutex::new(None));
        let note = mapped.clone();
        let staged = self.staging.slice(..bytes.len() as u64);
        staged.map_async(MapMode::Read, move |result| {
            *note.lock().unwrap_or_else(PoisonError::into_inner) = Some(result.is_ok());
        });
        let waited = self.wait();
        let mapped = *mapped.lock().unwrap_or_else(PoisonError::into_inner);
        let copied = waited.and_then(|()| match mapped {
            Some(true) => {
                let view = staged.get_mapped_range();
                let view = view.map_err(|error| Failure::Other(sentence(&error.to_string())))?;
                bytes.copy_from_slice(&view);
                Ok(())
            }
            _ => Err(Failure::Other("memory could not be read.".into())),
        });
        // Whatever went wrong, the next one needs the buffer.
        if mapped != Some(false) {
            self.staging.unmap();
        }
        copied?;
        self.check()
    }

    /// Waits for all that was submitted.
    pub(crate) fn wait(&self) -> Result<(), Failure> {
        // wgpu panics when it finds out, while it waits, that the device was lost.
        let waited = without_panic(|| self.device.poll(PollType::wait_indefinitely()));
        self.check()?;
        match waited {
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(Failure::Other(sentence(&error.to_string()))),
            None => Err(Failure::Lost("wgpu gave up waiting for it".into())),
        }
    }
}

/// The result of a future that does not need to wait, as all of wgpu's are but in browsers.
pub(crate) fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

thread_local! {
    /// Whether a panic on this thread is expected, and not to be spoken of.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function that panics where it should return an error; `None` if it did.
fn without_panic<T>(function: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        // A thread that panics must not change the hook; then the worst is a message too many.
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
        failures.note(Failure::OutOfMemory);
        failures.note(Failure::Other("later".into()));
        assert_eq!(failures.take(), Err(Failure::OutOfMemory));
        assert_eq!(failures.take(), Ok(()));
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
