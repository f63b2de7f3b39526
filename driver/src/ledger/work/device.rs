//! The work of one device on a ledger.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use kogge_board::{Backend, BackendError};

use super::batch::Batch;
use super::shared::{End, Event, Shared};
use crate::ledger::count::count_batch;
use crate::ledger::{Answer, Leased, Ledger, LedgerError, Source};
use crate::{Driver, Error, Frontier, Observer, Progress};

/// The first and the longest time to wait when all remaining entries are leased to others.
const WAIT: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Leases, counts and records until no entries are left.
pub(super) fn work(shared: &Shared<'_>, index: usize, backend: &mut dyn Backend) -> End {
    let observer = AtDesk { shared, index };
    let source = Source::from(backend.info());
    let mut driver = Driver::new(backend, &observer);
    match until_done(shared, index, &source, &mut driver) {
        Ok(()) if shared.is_stopped() => End::Stopped,
        Ok(()) => End::Done,
        Err(LedgerError::Driver(Error::Cancelled(_))) => End::Stopped,
        Err(LedgerError::Driver(Error::Backend(error))) if error != BackendError::Overflow => {
            End::Failed(error.to_string())
        }
        Err(error) => End::Fatal(error),
    }
}

fn until_done(shared: &Shared<'_>, index: usize, source: &Source, driver: &mut Driver<'_>) -> Result<(), LedgerError> {
    let (ledger, worker) = (shared.ledger, shared.worker(index));
    let mut batch = Batch::new();
    let mut wait = WAIT.0;
    while !shared.is_stopped() {
        let devices = shared.desks().iter().filter(|desk| desk.progress.failed.is_none()).count();
        let most = batch.next(shared.open.load(Ordering::Relaxed), devices);
        let leased = ledger.store().lease(&worker, most, shared.options.lease)?;
        if leased.is_empty() {
            if ledger.store().is_complete()? {
                break;
            }
            sleep(wait);
            wait = (2 * wait).min(WAIT.1);
            continue;
        }
        wait = WAIT.0;
        shared.at(index, |desk| {
            desk.held = leased.iter().map(|entry| entry.id).collect();
            desk.progress.at_work = leased.len();
        });
        let start = Instant::now();
        let counts = count_batch(driver, &ledger.batch(&leased)?, ledger.depth_below())?;
        let answers: Vec<_> = leased.iter().zip(counts).map(|(entry, count)| Answer { id: entry.id, count }).collect();
        let recorded = ledger.store().record(source, &answers)?;
        batch.saw(leased.len(), start.elapsed());
        let new = recorded.new.len() as u64;
        // This number only sets the size of batches, so it need not be exact.
        let _ = shared.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |open| Some(open.saturating_sub(new)));
        shared.at(index, |desk| {
            desk.held.clear();
            desk.leaves = desk.progress.leaves;
            desk.progress.entries += new;
            desk.progress.at_work = 0;
            desk.progress.fraction = 0.0;
        });
        for &(answer, had) in &recorded.different {
            if let Some(entry) = leased.iter().find(|entry| entry.id == answer.id) {
                let fen = &ledger.fen(entry.id, &entry.position)?;
                shared.watcher.event(&Event::Disputed { fen, answer, had, source });
            }
        }
    }
    Ok(())
}

impl Ledger {
    /// Converts entries to a frontier.
    pub(in crate::ledger) fn batch(&self, leased: &[Leased]) -> Result<Frontier, LedgerError> {
        let mut entries = Vec::with_capacity(leased.len());
        for entry in leased {
            entries.push((self.position(entry.id, &entry.position)?, 1));
        }
        Frontier::from_entries(&self.rules(), self.header().ply, entries)
            .map_err(|error| self.damaged(format!("a position is wrong ({error})")))
    }
}

/// Gets the progress of a batch from the driver.
struct AtDesk<'a> {
    shared: &'a Shared<'a>,
    index: usize,
}

impl Observer for AtDesk<'_> {
    fn progress(&self, progress: &Progress) {
        self.shared.at(self.index, |desk| {
            desk.progress.fraction = progress.fraction;
            desk.progress.leaves = desk.leaves.saturating_add(progress.counted);
        });
    }

    fn is_cancelled(&self) -> bool {
        self.shared.is_stopped()
    }
}
