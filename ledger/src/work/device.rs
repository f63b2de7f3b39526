//! The work of one device on a ledger.

use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::batch::pace;
use super::shared::{Desk, End, Event, Shared};
use crate::count::{Counter, is_of_the_device, pieces};
use crate::{Answer, LedgerEntry, LedgerError, Source};
use kogge_board::{BackendError, Pace};
use kogge_driver::{Driver, Error, MergeDevice, MergeSettings, Observer, Progress};

/// The shortest and the longest wait when all remaining entries are leased to others. A device that works alone on a ledger waits
/// only for the other devices of its process, and its queries cost nothing.
const WAIT: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));
const WAIT_ALONE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(2));

/// Leases, counts and records until no entries are left.
pub(super) fn work(shared: &Shared<'_>, index: usize, device: &mut MergeDevice) -> End {
    let observer = AtDesk { shared, index };
    let MergeDevice { backend, settings } = device;
    let source = Source::from(backend.info());
    let mut driver = Driver::new(&mut **backend, &observer);
    match until_done(&observer, source, &mut driver, settings) {
        Ok(()) if shared.is_stopped() => End::Stopped,
        Ok(()) => End::Done,
        Err(LedgerError::Driver(Error::Cancelled(_))) => End::Stopped,
        // The earlier answers of this device can never be verified, because the ledger ends with the process.
        Err(error @ LedgerError::Driver(Error::Backend(BackendError::WrongAnswer { .. }))) if shared.options.alone => {
            End::Fatal(error)
        }
        Err(LedgerError::Driver(error)) if is_of_the_device(&error) => End::Failed(error.to_string()),
        Err(error) => End::Fatal(error),
    }
}

fn until_done(
    desk: &AtDesk<'_>,
    source: Source,
    driver: &mut Driver<'_>,
    settings: &MergeSettings,
) -> Result<(), LedgerError> {
    let AtDesk { shared, index } = *desk;
    let ledger = shared.ledger;
    let kind = ledger.header().kind;
    let mut pace = pace(kind, shared.options.alone, ledger.tally()?.entries);
    let Some(mut leased) = desk.lease(&pace)? else { return Ok(()) };
    // The device prepares nothing unless there are entries to count.
    let mut counter = Counter::new(ledger, source, driver, settings)?;
    let source = counter.source().clone();
    shared.at(index, |desk| desk.progress.source = source.clone());
    loop {
        let start = Instant::now();
        for piece in pieces(kind, &leased) {
            shared.at(index, |desk| desk.begin(piece.len()));
            counter.count(piece, &mut |answers| desk.record(&source, piece, answers))?;
        }
        pace.saw(leased.len() as u64, start.elapsed());
        shared.at(index, Desk::end);
        match desk.lease(&pace)? {
            Some(next) => leased = next,
            None => return Ok(()),
        }
    }
}

/// A device at work, as the observer of its driver.
struct AtDesk<'a> {
    shared: &'a Shared<'a>,
    index: usize,
}

impl AtDesk<'_> {
    /// Leases a batch. Waits while all open entries are leased to others. Returns `None` if no entries are left, or if the work
    /// is stopped.
    fn lease(&self, pace: &Pace) -> Result<Option<Vec<LedgerEntry>>, LedgerError> {
        let Self { shared, index } = *self;
        let (ledger, worker) = (shared.ledger, shared.worker(index));
        let (mut wait, longest) = if shared.options.alone { WAIT_ALONE } else { WAIT };
        while !shared.is_stopped() {
            let most = pace.next(shared.largest_batch()) as usize;
            let leased = ledger.store().lease(&worker, most, shared.options.lease)?;
            if !leased.is_empty() {
                shared.at(index, |desk| desk.hold(&leased));
                return Ok(Some(leased));
            }
            if ledger.store().is_complete()? {
                break;
            }
            sleep(wait);
            wait = (2 * wait).min(longest);
        }
        Ok(None)
    }

    /// Records answers to some entries of a piece.
    fn record(&self, source: &Source, piece: &[LedgerEntry], answers: &[Answer]) -> Result<(), LedgerError> {
        let Self { shared, index } = *self;
        let recorded = shared.ledger.store().record(source, answers)?;
        let new = recorded.new.len() as u64;
        // This number is used only for the size of batches, so it need not be exact.
        let _ = shared.open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |open| Some(open.saturating_sub(new)));
        shared.at(index, |desk| desk.finish(answers, new));
        for (answer, had) in &recorded.different {
            if let Some(entry) = piece.iter().find(|entry| entry.id == answer.id) {
                let place = &shared.ledger.place(entry)?;
                shared.watcher.event(&Event::Disputed { place, answer, had, source });
            }
        }
        Ok(())
    }
}

impl Observer for AtDesk<'_> {
    fn progress(&self, progress: &Progress) {
        self.shared.at(self.index, |desk| desk.note(progress));
    }

    fn is_cancelled(&self) -> bool {
        self.shared.is_stopped()
    }
}
