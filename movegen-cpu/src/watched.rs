//! Calls that report and stop: the calling thread watches while the pool works.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use kogge_board::{BackendError, Watch, report};
use rayon::ThreadPool;

/// The time between two reports.
const INTERVAL: Duration = Duration::from_millis(50);

/// The whole work, in the units of [`Report::share`].
const WHOLE: f64 = (1_u64 << 60) as f64;

/// The work done by the threads of a call, and whether they should stop.
#[derive(Debug, Default)]
pub(crate) struct Report {
    counted: AtomicU64,
    share: AtomicU64,
    stop: AtomicBool,
}

impl Report {
    /// Returns `None` if the call should stop.
    #[inline]
    pub(crate) fn go_on(&self) -> Option<()> {
        (!self.stop.load(Relaxed)).then_some(())
    }

    #[inline]
    pub(crate) fn counted(&self, leaves: u64) {
        self.counted.fetch_add(leaves, Relaxed);
    }

    /// Notes that a further share of the work, from 0 to 1, is done.
    pub(crate) fn done(&self, share: f64) {
        self.share.fetch_add((share * WHOLE) as u64, Relaxed);
    }

    /// Does work in a pool, and calls `watch` several times a second from this thread until the work ends. The work ends soon
    /// after [`Report::go_on`] returns `None`.
    ///
    /// # Errors
    /// [`BackendError::Stopped`] if `watch` breaks.
    pub(crate) fn watch<T: Send>(
        pool: &ThreadPool,
        watch: &mut Watch<'_>,
        work: impl FnOnce(&Self) -> T + Send,
    ) -> Result<T, BackendError> {
        let shared = Self::default();
        // WebAssembly has one thread, which cannot watch itself.
        if cfg!(target_family = "wasm") {
            return Ok(pool.install(|| work(&shared)));
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        let mut stopped = Ok(());
        let mut answer = None;
        pool.in_place_scope(|scope| {
            // The sender is moved into the task, so it is dropped when the task ends, even by a panic.
            scope.spawn({
                let shared = &shared;
                move |_| drop(sender.send(work(shared)))
            });
            loop {
                match receiver.recv_timeout(INTERVAL) {
                    Ok(found) => return answer = Some(found),
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) if stopped.is_ok() => {
                        let (counted, share) = (shared.counted.load(Relaxed), shared.share.load(Relaxed));
                        stopped = report(watch, counted.into(), (share as f64 / WHOLE).min(1.0));
                        shared.stop.store(stopped.is_err(), Relaxed);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        });
        stopped?;
        // The scope has already passed on a panic of the task.
        answer.ok_or(BackendError::Stopped)
    }
}
