//! Launches of kernels and transfers of data, with errors that name the device.

use std::time::Duration;

use bytemuck::Pod;
use kogge_board::BackendError;
use web_time::Instant;

use crate::arguments::Arguments;
use crate::buffer::Buffer;
use crate::interface::{Failure, Interface, Launch, Reading};
use crate::kernels::Kernel;
use crate::profile::Profile;
use crate::settings::GpuSettings;
use crate::spare::Spare;

/// The reason why a batch was not finished. For the first two reasons, the batch is tried again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Retry {
    /// Memory ran out; smaller buffers may fit.
    OutOfMemory,
    /// A queue overflowed. The session now counts in a different way, and the batch must start again.
    Overflow,
    /// Any other error.
    Error(BackendError),
}

impl From<BackendError> for Retry {
    fn from(error: BackendError) -> Self {
        Self::Error(error)
    }
}

/// An interface with the name of its device, its settings and its profile.
pub(crate) struct Runner<I: Interface> {
    pub(crate) device: String,
    pub(crate) interface: I,
    /// Spare buffers of lists.
    pub(crate) spare: Spare<I::Buffer>,
    pub(crate) settings: GpuSettings,
    pub(crate) profile: Option<Profile>,
}

impl<I: Interface> Runner<I> {
    pub(crate) fn new(device: String, interface: I, settings: GpuSettings) -> Self {
        let profile = settings.profile.then(Profile::default);
        Self { device, interface, spare: Spare::default(), settings, profile }
    }

    /// Takes a spare buffer or makes a new one, for `len` elements of a list, at least one, with undefined contents.
    pub(crate) async fn list_buffer<T: Pod>(
        &mut self,
        name: &'static str,
        len: usize,
    ) -> Result<Buffer<I, T>, Failure> {
        Buffer::from_spare(&mut self.interface, &self.spare, name, len).await
    }

    /// Converts a failure; for some failures, a retry can succeed.
    pub(crate) fn failed(&self, doing: &str, failure: Failure) -> Retry {
        match failure {
            Failure::OutOfMemory => Retry::OutOfMemory,
            failure => self.error(doing, failure).into(),
        }
    }

    /// Makes the error for a failure that the session cannot recover from.
    pub(crate) fn error(&self, doing: &str, failure: Failure) -> BackendError {
        let (device, doing) = (self.device.clone(), doing.to_owned());
        match failure {
            Failure::OutOfMemory => BackendError::OutOfMemory { device, doing },
            failure => BackendError::Device { device, doing, reason: failure.sentence() },
        }
    }

    pub(crate) fn wrong(&self, reason: String) -> Retry {
        BackendError::WrongAnswer { device: self.device.clone(), reason }.into()
    }

    /// Makes the error for a request that only a mistake in this crate can cause.
    pub(crate) fn unasked(&self) -> Retry {
        self.wrong("it was asked for positions that it does not have.".to_owned())
    }

    /// Queues a kernel for `items` items. Does nothing if there are no items.
    ///
    /// # Safety
    /// The buffers must hold all elements that the kernel reads and writes for these items and scalars.
    pub(crate) async unsafe fn launch<A: Arguments<I>>(&mut self, items: usize, arguments: A) -> Result<(), Retry> {
        if items == 0 {
            return Ok(());
        }
        let (group_size, groups) = self.settings.groups_of(A::KERNEL, items);
        let launched = self.start().await.and_then(|start| {
            let (buffers, scalars) = (arguments.buffers(), arguments.scalars());
            let (buffers, scalars) = (buffers.as_ref(), scalars.as_ref());
            // SAFETY: the types of the arguments ensure that buffers and scalars match the signature. The caller promises the
            // sizes.
            unsafe { self.interface.launch(&Launch { kernel: A::KERNEL, groups, group_size, buffers, scalars }) }?;
            Ok(start)
        });
        self.end(A::KERNEL, items, launched).await
    }

    /// Begins to measure a launch. This function and [`Self::end`] do not depend on the arguments, so they are compiled
    /// once.
    async fn start(&mut self) -> Result<Instant, Failure> {
        if self.profile.is_some() {
            self.interface.finish().await?;
        }
        Ok(Instant::now())
    }

    /// Ends the measurement of a launch that began at `launched`, or reports why there was no launch.
    async fn end(&mut self, kernel: Kernel, items: usize, launched: Result<Instant, Failure>) -> Result<(), Retry> {
        let done = match (launched, &mut self.profile) {
            (Ok(start), Some(profile)) => self.interface.finish().await.map(|time: Option<Duration>| {
                profile.add(kernel, items, time.unwrap_or_else(|| start.elapsed()));
            }),
            (launched, _) => launched.map(drop),
        };
        done.map_err(|failure| self.failed(&format!("to run the kernel {}", kernel.signature().name), failure))
    }

    /// Waits for all queued work.
    pub(crate) async fn wait(&mut self) -> Result<(), Retry> {
        let finished = self.interface.finish().await;
        finished.map(drop).map_err(|failure| self.failed("to finish its work", failure))
    }

    /// Waits for all queued work and reads `len` elements, beginning at index `first`. `what` names the elements in
    /// errors.
    pub(crate) async fn read<T: Pod>(
        &mut self,
        what: &str,
        buffer: &Buffer<I, T>,
        first: usize,
        len: usize,
    ) -> Result<Vec<T>, Retry> {
        let mut data = vec![T::zeroed(); len];
        self.read_all(what, [buffer.reading(first, &mut data)]).await?;
        Ok(data)
    }

    /// Waits for all queued work and does these [readings](Buffer::reading). `what` names the elements in errors.
    pub(crate) async fn read_all<'a>(
        &mut self,
        what: &str,
        readings: impl IntoIterator<Item = Result<Reading<'a, I::Buffer>, Failure>>,
    ) -> Result<(), Retry>
    where
        I: 'a,
    {
        let read = async {
            let mut readings = readings.into_iter().collect::<Result<Vec<_>, _>>()?;
            readings.retain(|reading| !reading.bytes.is_empty());
            if readings.is_empty() { Ok(()) } else { self.interface.read_all(&mut readings).await }
        };
        let read = read.await;
        read.map_err(|failure| self.failed(&format!("to give back {what}"), failure))
    }

    /// Writes the first elements. `what` names the elements in errors.
    pub(crate) fn write<T: Pod>(&mut self, what: &str, buffer: &Buffer<I, T>, data: &[T]) -> Result<(), Retry> {
        let written = match data.len() {
            0 => Ok(()),
            len if len > buffer.len() => {
                Err(Failure::Other(format!("{len} elements do not fit in a buffer of {}.", buffer.len())))
            }
            _ => self.interface.write(buffer.raw(), bytemuck::cast_slice(data)),
        };
        written.map_err(|failure| self.failed(&format!("to take {what}"), failure))
    }

    /// Sets the first `len` elements to zero. `what` names the elements in errors.
    pub(crate) fn clear<T: Pod>(&mut self, what: &str, buffer: &Buffer<I, T>, len: usize) -> Result<(), Retry> {
        let bytes = (len.min(buffer.len()) * size_of::<T>()) as u64;
        let cleared = if bytes == 0 { Ok(()) } else { self.interface.clear(buffer.raw(), bytes) };
        cleared.map_err(|failure| self.failed(&format!("to clear {what}"), failure))
    }
}
