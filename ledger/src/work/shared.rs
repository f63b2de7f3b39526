//! State that the threads share while they work on a ledger, and reports of it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::batch::share;
use crate::{Answer, Count, Lease, Ledger, LedgerEntry, LedgerError, LedgerProgress, Place, Source, lease};
use kogge_driver::{Observer, Progress};

/// Settings of work on a ledger.
#[derive(Clone, Debug)]
pub struct WorkOptions {
    /// The name of this process in the ledger, different from the names of all processes that use the ledger at the same time.
    pub worker: String,
    /// The length of a lease. Leases are extended after a third of this time.
    pub lease: Duration,
    /// Whether the ledger ends with this process, because it is in memory. Then batches of positions are short, devices query often
    /// for entries, and a wrong answer of a device ends the work, because the device's earlier answers cannot be verified later.
    pub alone: bool,
}

/// An observer of work on a ledger, which also receives the events of single devices and entries.
pub trait Watcher: Observer {
    /// Receives an event. By default, an observer receives only the progress.
    fn event(&self, event: &Event<'_>) {
        if let Event::Progress(snapshot) = event {
            self.progress(&snapshot.progress());
        }
    }
}

impl Watcher for () {}

/// An event of work on a ledger.
#[derive(Debug)]
pub enum Event<'a> {
    /// The progress, about ten times a second.
    Progress(&'a Snapshot),
    /// All devices wait for entries that other processes lease: after two seconds, and then less and less often.
    Waiting {
        /// The leases of other processes.
        leases: &'a [Lease],
    },
    /// The work was asked to stop, but a call of a device goes on. All leases were given back, and recorded answers
    /// stay in the ledger, so the process may end now.
    StillCounting {
        /// Counted entries.
        done: u64,
        /// All entries.
        entries: u64,
    },
    /// A device failed and is no longer used.
    DeviceFailed {
        /// The device.
        source: &'a Source,
        /// The reason, as a sentence.
        reason: &'a str,
    },
    /// An entry received an answer that differs from its earlier one.
    Disputed {
        /// The position or range of the entry.
        place: &'a Place,
        /// The new answer.
        answer: &'a Answer,
        /// The earlier count.
        had: &'a Count,
        /// The source of the new answer.
        source: &'a Source,
    },
}

/// The progress of work on a ledger.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// All entries.
    pub entries: u64,
    /// The number of entries that any process has counted.
    pub done: u64,
    /// The number of entries that all processes have counted per second since the work began, including the finished
    /// share of unfinished entries.
    pub rate: f64,
    /// The time since the work began.
    pub elapsed: Duration,
    /// The progress of each device.
    pub devices: Vec<DeviceProgress>,
}

impl Snapshot {
    /// Estimates the seconds left, if any entry was counted.
    pub fn seconds_left(&self) -> Option<f64> {
        (self.rate > 0.0).then(|| self.entries.saturating_sub(self.done) as f64 / self.rate)
    }

    /// Returns the progress of the whole work. Leaves are counted without multiplicities below positions, and with multiplicities
    /// below ranges.
    pub fn progress(&self) -> Progress {
        let parts: f64 = self.devices.iter().map(|device| device.at_work as f64 * device.fraction).sum();
        Progress {
            done: self.done,
            total: self.entries,
            fraction: (self.done as f64 + parts) / self.entries.max(1) as f64,
            counted: self.devices.iter().fold(0, |sum, device| sum.saturating_add(device.leaves)),
        }
    }
}

/// The progress of a device since the work began.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceProgress {
    /// The device.
    pub source: Source,
    /// The number of entries counted.
    pub entries: u64,
    /// The number of leaves counted, unfinished entries included: without multiplicities below positions, and with multiplicities
    /// below ranges.
    pub leaves: u128,
    /// The number of entries that the device is counting; 0 if it prepares its work, waits for entries or has ended.
    pub at_work: usize,
    /// The finished share of these entries, 0 to 1.
    pub fraction: f64,
    /// The reason for a failure.
    pub failed: Option<String>,
}

/// The state that all threads share.
pub(super) struct Shared<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) options: &'a WorkOptions,
    pub(super) watcher: &'a dyn Watcher,
    pub(super) stop: AtomicBool,
    /// The approximate number of open entries of the ledger that no worker of another process has leased.
    pub(super) open: AtomicU64,
    /// The approximate number of workers of other processes.
    pub(super) others: AtomicUsize,
    pub(super) desks: Mutex<Vec<Desk>>,
}

/// A device and its current batch.
pub(super) struct Desk {
    pub(super) progress: DeviceProgress,
    /// The entries that the device leases.
    pub(super) held: Vec<u64>,
    /// The number of entries that are counted together now, and the number of those that are finished.
    piece: usize,
    finished: usize,
    /// The leaves of finished pieces.
    leaves: u128,
}

impl Shared<'_> {
    pub(super) fn desks(&self) -> MutexGuard<'_, Vec<Desk>> {
        self.desks.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Changes the state of a device.
    pub(super) fn at<T>(&self, index: usize, change: impl FnOnce(&mut Desk) -> T) -> T {
        change(&mut self.desks()[index])
    }

    pub(super) fn worker(&self, index: usize) -> String {
        lease::worker(&self.options.worker, index, self.options.lease)
    }

    /// Notes how many entries are left for the devices of this process, and how many workers of other processes share them.
    pub(super) fn note(&self, tally: &LedgerProgress) {
        let desks = self.desks();
        let held: u64 = desks.iter().map(|desk| desk.held.len() as u64).sum();
        let holders = desks.iter().filter(|desk| !desk.held.is_empty()).count() as u64;
        let taken = tally.leased.saturating_sub(held);
        self.open.store((tally.entries - tally.done).saturating_sub(taken), Ordering::Relaxed);
        self.others.store(tally.workers.saturating_sub(holders) as usize, Ordering::Relaxed);
    }

    /// Returns the maximum number of entries for the next batch of a device.
    pub(super) fn largest_batch(&self) -> u64 {
        let desks = self.desks();
        let held = desks.iter().map(|desk| desk.held.len() as u64).sum();
        let devices = desks.iter().filter(|desk| desk.progress.failed.is_none()).count();
        share(self.open.load(Ordering::Relaxed).saturating_sub(held), devices + self.others.load(Ordering::Relaxed))
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.watcher.is_cancelled()
    }

    pub(super) fn snapshot(&self, start: Instant, at_first: u64, done: u64) -> Snapshot {
        let elapsed = start.elapsed();
        let devices: Vec<_> = self.desks().iter().map(|desk| desk.progress.clone()).collect();
        let parts: f64 = devices.iter().map(|device| device.at_work as f64 * device.fraction).sum();
        let rate = ((done - at_first.min(done)) as f64 + parts) / elapsed.as_secs_f64().max(1e-9);
        let entries = self.ledger.header().entries;
        Snapshot { entries, done, rate, elapsed, devices }
    }
}

impl Desk {
    pub(super) fn new(source: Source) -> Self {
        let progress = DeviceProgress { source, entries: 0, leaves: 0, at_work: 0, fraction: 0.0, failed: None };
        Self { progress, held: Vec::new(), piece: 0, finished: 0, leaves: 0 }
    }

    /// Takes these entries.
    pub(super) fn hold(&mut self, leased: &[LedgerEntry]) {
        self.held = leased.iter().map(|entry| entry.id).collect();
    }

    /// Begins to count `piece` entries together.
    pub(super) fn begin(&mut self, piece: usize) {
        (self.piece, self.finished, self.leaves) = (piece, 0, self.progress.leaves);
        self.note_rest(0.0);
    }

    /// Notes the progress that the driver reports.
    pub(super) fn note(&mut self, progress: &Progress) {
        self.note_rest(progress.fraction);
        self.progress.leaves = self.leaves.saturating_add(progress.counted);
    }

    /// Notes answers, of which `new` are new.
    pub(super) fn finish(&mut self, answers: &[Answer], new: u64) {
        self.held.retain(|id| answers.iter().all(|answer| answer.id != *id));
        self.finished += answers.len();
        self.progress.entries += new;
        self.note_rest(0.0);
    }

    /// Ends the work on all entries.
    pub(super) fn end(&mut self) {
        self.held.clear();
        (self.piece, self.finished) = (0, 0);
        self.note_rest(0.0);
    }

    /// Notes the unfinished entries. The driver reports a share of the whole piece.
    fn note_rest(&mut self, fraction: f64) {
        self.progress.at_work = self.piece.saturating_sub(self.finished);
        let done = fraction * self.piece as f64 - self.finished as f64;
        self.progress.fraction = (done / self.progress.at_work.max(1) as f64).clamp(0.0, 1.0);
    }
}

/// The end of a device's work.
pub(super) enum End {
    /// No entries are left.
    Done,
    /// The device was asked to stop.
    Stopped,
    /// The device failed.
    Failed(String),
    /// The ledger failed, or the count is too large, so no device could continue.
    Fatal(LedgerError),
}
