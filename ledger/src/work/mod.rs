//! Work on the open entries of a ledger, on any number of devices.
//!
//! Each device has a thread, which leases a batch of entries, counts them, records the answers, and repeats this until
//! no entries are left. Faster devices take larger batches. The calling thread extends the leases, reports progress,
//! and stops all devices on request. A device that fails drops out, and its entries go to the other devices.

mod batch;
mod device;
mod shared;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

pub(super) use batch::{pace, share};
use shared::{Desk, End, Shared};
pub use shared::{DeviceProgress, Event, Snapshot, Watcher, WorkOptions};

use crate::{Ledger, LedgerError, LedgerProgress, Total};
use kogge_driver::MergeDevice;

/// The time between two checks by the supervising thread.
const LOOK: Duration = Duration::from_millis(100);
/// The time between two queries to the database for the answers of others.
const ASK: Duration = Duration::from_secs(5);
/// The time after which a wait for other processes is reported for the first time. Each report takes ten times longer than the one
/// before.
const REPORT: Duration = Duration::from_secs(2);
/// The time that devices have to stop; the call of a backend that is not watched goes on for longer.
const STOPPING: Duration = Duration::from_millis(300);

impl Ledger {
    /// Counts all open entries with these devices, and returns the total and the devices' progress. Other processes may
    /// work on the same ledger. If other processes hold the last entries, this call waits for them, or takes over the
    /// entries when the leases end.
    ///
    /// # Errors
    /// [`LedgerError::Stopped`] if the watcher asks to stop, the error of a device that answers wrongly if the work is
    /// [alone](WorkOptions::alone), [`LedgerError::NoDevices`] if `devices` is empty and entries are open,
    /// [`LedgerError::NoDevice`] if all devices fail, [`LedgerError::Disputed`] and
    /// [`LedgerError::Paths`] if entries are wrong, or the database's error. Finished entries stay in the ledger.
    pub fn work(
        &self,
        devices: &mut [MergeDevice],
        options: &WorkOptions,
        watcher: &dyn Watcher,
    ) -> Result<(Total, Snapshot), LedgerError> {
        let begun = self.tally()?;
        if devices.is_empty() && begun.done < begun.entries {
            return Err(LedgerError::NoDevices);
        }
        let start = Instant::now();
        let desks = devices.iter().map(|device| Desk::new(device.backend.info().into())).collect();
        let shared = Shared {
            ledger: self,
            options,
            watcher,
            stop: AtomicBool::new(false),
            open: AtomicU64::new(0),
            others: AtomicUsize::new(0),
            desks: Mutex::new(desks),
        };
        shared.note(&begun);
        let fatal = thread::scope(|scope| {
            let (ended, ends) = channel();
            for (index, device) in devices.iter_mut().enumerate() {
                let (shared, ended) = (&shared, ended.clone());
                scope.spawn(move || {
                    let work = AssertUnwindSafe(|| device::work(shared, index, device));
                    let end = catch_unwind(work)
                        .unwrap_or_else(|_| End::Failed("It stopped because of a bug in kogge.".to_owned()));
                    // The receiver lives as long as this scope.
                    let _ = ended.send((index, end));
                });
            }
            drop(ended);
            let mut supervisor = Supervisor {
                shared: &shared,
                begun,
                start,
                asked: start,
                known: begun.done,
                extended: start,
                idle: start,
                report: REPORT,
                stopping: None,
                left: false,
            };
            let mut fatal = None;
            loop {
                match ends.recv_timeout(LOOK) {
                    Ok((index, end)) => shared.ended(index, end, &mut fatal),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return fatal,
                }
                if let Err(error) = supervisor.look() {
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
            if reasons.is_empty() {
                let open = tally.entries - tally.done;
                return Err(self.damaged(format!("{open} entries have no count, but its index has no open entries")));
            }
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
    /// Notes that the thread of a device has ended.
    fn ended(&self, index: usize, end: End, fatal: &mut Option<LedgerError>) {
        // Leases end without this call; releasing them saves others the wait. If the ledger has failed, releasing fails, too.
        let released = match end {
            End::Done => Ok(()),
            _ => self.ledger.store().release(&self.worker(index)),
        };
        self.at(index, Desk::end);
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
}

/// The state of the supervising thread.
struct Supervisor<'a> {
    shared: &'a Shared<'a>,
    begun: LedgerProgress,
    start: Instant,
    /// The time of the most recent tally, and the number of entries that other processes had finished by then.
    asked: Instant,
    known: u64,
    /// The time when leases were last extended.
    extended: Instant,
    /// The time when a device last held entries, and the wait after that until the next report.
    idle: Instant,
    report: Duration,
    /// The time of the request to stop.
    stopping: Option<Instant>,
    /// Whether the leases were given back although a call goes on.
    left: bool,
}

impl Supervisor<'_> {
    fn look(&mut self) -> Result<(), LedgerError> {
        let shared = self.shared;
        if shared.watcher.is_cancelled() {
            let told = self.stopping.get_or_insert_with(Instant::now);
            if !shared.options.alone && !self.left && told.elapsed() >= STOPPING {
                self.left = true;
                (0..shared.desks().len()).try_for_each(|index| shared.ledger.store().release(&shared.worker(index)))?;
                let tally = shared.ledger.tally()?;
                shared.watcher.event(&Event::StillCounting { done: tally.done, entries: tally.entries });
            }
            return Ok(());
        }
        if self.extended.elapsed() >= shared.options.lease / 3 {
            self.extended = Instant::now();
            let held: Vec<_> = shared.desks().iter().map(|desk| desk.held.clone()).collect();
            for (index, ids) in held.iter().enumerate().filter(|(_, ids)| !ids.is_empty()) {
                // Another worker may have taken over a lease; then the two answers will be compared.
                shared.ledger.store().extend(&shared.worker(index), ids, shared.options.lease)?;
            }
        }
        if shared.options.alone || shared.desks().iter().any(|desk| !desk.held.is_empty()) {
            (self.idle, self.report) = (Instant::now(), REPORT);
        } else if self.idle.elapsed() >= self.report {
            self.report *= 10;
            let mut leases = shared.ledger.store().leases()?;
            leases.retain(|lease| !lease.worker.starts_with(&format!("{}/", shared.options.worker)));
            if !leases.is_empty() {
                shared.watcher.event(&Event::Waiting { leases: &leases });
            }
        }
        let own = || shared.desks().iter().map(|desk| desk.progress.entries).sum::<u64>();
        if self.asked.elapsed() >= ASK {
            self.asked = Instant::now();
            let before = own();
            let tally = shared.ledger.tally()?;
            self.known = tally.done.saturating_sub(before);
            shared.note(&tally);
        }
        let done = (self.known + own()).min(self.begun.entries);
        shared.watcher.event(&Event::Progress(&shared.snapshot(self.start, self.begun.done, done)));
        Ok(())
    }
}
