//! Counting what a ledger still lacks, on any number of devices at once.
//!
//! Each device has a thread, which leases a batch of entries, counts them, writes the answers, and so on until
//! there are none. How many it takes follows from how fast it was: fast devices take more. The thread that
//! called watches: it extends the leases, reports, and ends everything if it is asked to. A device that fails
//! drops out, and gives its entries back for the others.

mod batch;
mod device;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use kogge_board::{Backend, Fen};

pub(super) use batch::Batch;

use super::{Answer, Ledger, LedgerError, Source, Tally};

/// How long until the watching thread looks again.
const LOOK: Duration = Duration::from_millis(100);
/// How long until it asks the database what others have done.
const ASK: Duration = Duration::from_secs(5);

/// How a ledger is worked on.
#[derive(Clone, Debug)]
pub struct Options {
    /// What this process is called in the ledger; it must be unlike all others that use the ledger at the
    /// same time.
    pub worker: String,
    /// How long a lease lasts unless it is extended, which happens three times within it.
    pub lease: Duration,
}

/// Watches work on a ledger, and may end it.
pub trait Watcher: Sync {
    /// Something happened.
    fn event(&self, event: &Event<'_>) {
        let _ = event;
    }

    /// Whether the work should stop; asked several times a second.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Watches nothing and never stops anything.
impl Watcher for () {}

/// What happens while a ledger is worked on.
#[derive(Debug)]
pub enum Event<'a> {
    /// The work is this far; told about ten times a second.
    Progress(&'a Snapshot),
    /// A device failed and is used no more.
    DeviceFailed {
        /// Who it was.
        source: &'a Source,
        /// Why, as a sentence.
        reason: &'a str,
    },
    /// An entry got an answer that is not the one it had.
    Disputed {
        /// The entry's position.
        fen: &'a Fen,
        /// The new answer.
        answer: Answer,
        /// The count that it had.
        had: u128,
        /// Who gave the new answer.
        source: &'a Source,
    },
}

/// How far work on a ledger is.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// Entries in all.
    pub entries: u64,
    /// Entries that are counted, by whomever.
    pub done: u64,
    /// Entries counted per second since the work began, by whomever, unfinished ones in parts.
    pub rate: f64,
    /// Time since the work began.
    pub elapsed: Duration,
    /// The devices.
    pub devices: Vec<DeviceProgress>,
}

impl Snapshot {
    /// Seconds left at the rate so far, if there was any.
    pub fn seconds_left(&self) -> Option<f64> {
        (self.rate > 0.0).then(|| self.entries.saturating_sub(self.done) as f64 / self.rate)
    }

    /// Leaves that all devices counted, entries not multiplied.
    pub fn leaves(&self) -> u128 {
        self.devices.iter().fold(0, |sum, device| sum.saturating_add(device.leaves))
    }
}

/// What a device has done since the work began.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceProgress {
    /// Which device.
    pub source: Source,
    /// Entries that it counted.
    pub entries: u64,
    /// Leaves that it counted, entries not multiplied, those of unfinished entries included.
    pub leaves: u128,
    /// Entries that it counts now; none if it waits for entries or is at its end.
    pub at_work: usize,
    /// The share of these that is done, 0 to 1.
    pub fraction: f64,
    /// Why it failed, if it did.
    pub failed: Option<String>,
}

/// What all threads know.
struct Shared<'a> {
    ledger: &'a Ledger,
    options: &'a Options,
    watcher: &'a dyn Watcher,
    stop: AtomicBool,
    /// Entries of the ledger that are not counted yet, as far as is known.
    open: AtomicU64,
    desks: Mutex<Vec<Desk>>,
}

/// A device's place: what it does now.
struct Desk {
    progress: DeviceProgress,
    /// The entries that it counts now.
    held: Vec<u64>,
    /// Leaves of finished batches.
    leaves: u128,
}

impl Shared<'_> {
    fn desks(&self) -> MutexGuard<'_, Vec<Desk>> {
        self.desks.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Changes a device's place.
    fn at<T>(&self, index: usize, change: impl FnOnce(&mut Desk) -> T) -> T {
        change(&mut self.desks()[index])
    }

    fn worker(&self, index: usize) -> String {
        format!("{}/{index}", self.options.worker)
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.watcher.is_cancelled()
    }
}

/// How a device's work ended.
enum End {
    /// There are no more entries.
    Done,
    /// It was asked to stop.
    Stopped,
    /// The device failed.
    Failed(String),
    /// The ledger failed, or the count is too large: no device could go on.
    Fatal(LedgerError),
}

impl Ledger {
    /// Counts, with these devices, all entries that are not counted yet, and says the total and what the
    /// devices did. Other processes may work on the same ledger; if they count the last entries, it waits for
    /// them, or takes over when their leases end.
    ///
    /// # Errors
    /// [`LedgerError::Stopped`] if the watcher asked for it, [`LedgerError::NoDevice`] if all devices failed,
    /// [`LedgerError::Disputed`] if entries have different answers, and what the database says. Whatever was
    /// counted until then is in the ledger.
    pub fn work(
        &self,
        devices: &mut [Box<dyn Backend>],
        options: &Options,
        watcher: &dyn Watcher,
    ) -> Result<(u128, Snapshot), LedgerError> {
        let begun = self.tally()?;
        let start = Instant::now();
        let desks = devices.iter().map(|backend| Desk::new(backend.info().into())).collect();
        let shared = Shared {
            ledger: self,
            options,
            watcher,
            stop: AtomicBool::new(false),
            open: AtomicU64::new(begun.entries - begun.done),
            desks: Mutex::new(desks),
        };
        let fatal = thread::scope(|scope| {
            let (ended, ends) = channel();
            for (index, backend) in devices.iter_mut().enumerate() {
                let (shared, ended) = (&shared, ended.clone());
                scope.spawn(move || {
                    let work = AssertUnwindSafe(|| device::work(shared, index, &mut **backend));
                    let end = catch_unwind(work)
                        .unwrap_or_else(|_| End::Failed("It stopped because of a bug in kogge.".to_owned()));
                    // The receiver lives as long as this scope.
                    let _ = ended.send((index, end));
                });
            }
            drop(ended);
            let mut watch = Watch { shared: &shared, begun, start, asked: start, known: begun.done, extended: start };
            let mut fatal = None;
            loop {
                match ends.recv_timeout(LOOK) {
                    Ok((index, end)) => shared.ended(index, end, &mut fatal),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return fatal,
                }
                if let Err(error) = watch.look() {
                    shared.stop.store(true, Ordering::Relaxed);
                    fatal.get_or_insert(error);
                }
            }
        });
        if let Some(error) = fatal {
            return Err(error);
        }
        let tally = self.tally()?;
        if tally.done < tally.entries {
            if watcher.is_cancelled() {
                return Err(LedgerError::Stopped { done: tally.done, entries: tally.entries });
            }
            let reasons = shared.desks().iter().filter_map(|desk| desk.progress.failed.clone()).collect::<Vec<_>>();
            return Err(LedgerError::NoDevice(reasons.join(" ")));
        }
        let snapshot = shared.snapshot(start, begun.done, tally.done);
        watcher.event(&Event::Progress(&snapshot));
        match self.total()? {
            Some(total) => Ok((total, snapshot)),
            None => Err(self.damaged("an entry lost its count".to_owned())),
        }
    }
}

impl Shared<'_> {
    /// A device's thread has ended.
    fn ended(&self, index: usize, end: End, fatal: &mut Option<LedgerError>) {
        // Its leases would end by themselves; this only saves the wait. It cannot be told to the ledger if that
        // is what failed.
        let released = match end {
            End::Done => Ok(()),
            _ => self.ledger.store().release(&self.worker(index)),
        };
        self.at(index, |desk| {
            desk.held.clear();
            desk.progress.at_work = 0;
        });
        let error = match end {
            End::Done | End::Stopped => released.err(),
            End::Failed(reason) => {
                let source = self.at(index, |desk| {
                    desk.progress.failed = Some(reason.clone());
                    desk.progress.source.clone()
                });
                self.watcher.event(&Event::DeviceFailed { source: &source, reason: &reason });
                released.err()
            }
            End::Fatal(error) => Some(error),
        };
        if let Some(error) = error {
            self.stop.store(true, Ordering::Relaxed);
            fatal.get_or_insert(error);
        }
    }

    fn snapshot(&self, start: Instant, at_first: u64, done: u64) -> Snapshot {
        let elapsed = start.elapsed();
        let devices: Vec<_> = self.desks().iter().map(|desk| desk.progress.clone()).collect();
        let parts: f64 = devices.iter().map(|device| device.at_work as f64 * device.fraction).sum();
        let rate = ((done - at_first.min(done)) as f64 + parts) / elapsed.as_secs_f64().max(1e-9);
        let entries = self.ledger.header().entries;
        Snapshot { entries, done, rate, elapsed, devices }
    }
}

impl Desk {
    fn new(source: Source) -> Self {
        let progress = DeviceProgress { source, entries: 0, leaves: 0, at_work: 0, fraction: 0.0, failed: None };
        Self { progress, held: Vec::new(), leaves: 0 }
    }
}

/// What the watching thread remembers.
struct Watch<'a> {
    shared: &'a Shared<'a>,
    begun: Tally,
    start: Instant,
    /// When the database was asked how far the ledger is, and what it said, less what our devices had done.
    asked: Instant,
    known: u64,
    /// When the leases were extended.
    extended: Instant,
}

impl Watch<'_> {
    fn look(&mut self) -> Result<(), LedgerError> {
        let shared = self.shared;
        if self.extended.elapsed() >= shared.options.lease / 3 {
            self.extended = Instant::now();
            let held: Vec<_> = shared.desks().iter().map(|desk| desk.held.clone()).collect();
            for (index, ids) in held.iter().enumerate().filter(|(_, ids)| !ids.is_empty()) {
                // Some may be lost to others; then two answers will be compared.
                shared.ledger.store().extend(&shared.worker(index), ids, shared.options.lease)?;
            }
        }
        let own = || shared.desks().iter().map(|desk| desk.progress.entries).sum::<u64>();
        if self.asked.elapsed() >= ASK {
            self.asked = Instant::now();
            let before = own();
            let tally = shared.ledger.tally()?;
            self.known = tally.done.saturating_sub(before);
            shared.open.store(tally.entries - tally.done, Ordering::Relaxed);
        }
        let done = (self.known + own()).min(self.begun.entries);
        shared.watcher.event(&Event::Progress(&shared.snapshot(self.start, self.begun.done, done)));
        Ok(())
    }
}
