//! The control that tests have over a twin or a faulty device: failures, errors in kernels, limits of memory, and a record of
//! calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kogge_gpu::Failure;
use kogge_gpu::kernels::{Binding, Kernel};

use super::arguments::Arguments;

/// A handle on all twins of a [`TwinDevice`](super::TwinDevice), or on a [`Faulty`](crate::device_suite::Faulty) device. Clones share
/// their state.
#[derive(Clone, Default)]
pub struct Control(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    calls: u64,
    /// The number of the call that fails, and its failure.
    failing: Option<(u64, Failure)>,
    lost: Option<String>,
    /// The kernel with an error, the word that it changes, and whether only the next launch has the error.
    corrupt: Option<(Kernel, Binding, usize, bool)>,
    launches: Vec<Kernel>,
    /// The number of buffers made.
    made: u64,
    bytes: u64,
    occupied: u64,
    most_bytes: u64,
}

impl Control {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes one call of the interface fail: the next call if `after` is 0. A device that is [`Failure::Lost`] stays
    /// lost until [`Control::recover`].
    pub fn fail(&self, after: u64, failure: Failure) {
        let mut state = self.state();
        state.failing = Some((state.calls + after, failure));
    }

    /// Cancels all failures. Returns whether the ordered failure was still to come.
    pub fn recover(&self) -> bool {
        let mut state = self.state();
        state.lost = None;
        state.failing.take().is_some()
    }

    /// Puts an error into a kernel: after every launch, 1 is added to this word of the buffer, if the buffer has this
    /// word and it was written.
    pub fn corrupt(&self, kernel: Kernel, buffer: Binding, word: usize) {
        self.state().corrupt = Some((kernel, buffer, word, false));
    }

    /// Puts an error into a kernel, for its next launch only.
    pub fn corrupt_once(&self, kernel: Kernel, buffer: Binding, word: usize) {
        self.state().corrupt = Some((kernel, buffer, word, true));
    }

    /// Returns the number of calls of the interface so far.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Assigns this number of bytes of the device's memory to other programs.
    pub fn occupy(&self, bytes: u64) {
        self.state().occupied = bytes;
    }

    /// Returns the kernels that were launched since the last call, in order.
    pub fn launches(&self) -> Vec<Kernel> {
        std::mem::take(&mut self.state().launches)
    }

    /// Returns the number of buffers that were made since the last call.
    pub fn made(&self) -> u64 {
        std::mem::take(&mut self.state().made)
    }

    /// Returns the maximum number of bytes in all buffers together since the last call of this function.
    pub fn most_bytes(&self) -> u64 {
        let mut state = self.state();
        let now = state.bytes;
        std::mem::replace(&mut state.most_bytes, now)
    }

    /// Counts a call, and fails if a failure was ordered for it.
    pub(crate) fn call(&self) -> Result<(), Failure> {
        let mut state = self.state();
        let number = state.calls;
        state.calls += 1;
        if let Some((_, failure)) = state.failing.take_if(|(failing, _)| *failing <= number) {
            if let Failure::Lost(reason) = &failure {
                state.lost = Some(reason.clone());
            }
            return Err(failure);
        }
        state.lost.clone().map_or(Ok(()), |reason| Err(Failure::Lost(reason)))
    }

    pub(super) fn note(&self, kernel: Kernel) {
        self.state().launches.push(kernel);
    }

    /// Reserves memory.
    pub(crate) fn take(&self, bytes: u64, memory: u64) -> Result<(), Failure> {
        let mut state = self.state();
        if state.bytes + state.occupied + bytes > memory {
            return Err(Failure::OutOfMemory);
        }
        state.made += 1;
        state.bytes += bytes;
        state.most_bytes = state.most_bytes.max(state.bytes);
        Ok(())
    }

    pub(super) fn free(&self, bytes: u64) {
        self.state().bytes -= bytes;
    }

    /// Applies the error that a test has put into a kernel.
    pub(super) fn corrupt_after(&self, arguments: &Arguments<'_>) {
        let corrupt = self.state().corrupt;
        if let Some((_, buffer, word, once)) = corrupt.filter(|&(kernel, ..)| kernel == arguments.kernel) {
            arguments.increment(buffer, word);
            self.state().corrupt = corrupt.filter(|_| !once);
        }
    }
}
