//! Recounts of entries, to check a ledger and to settle its disputes.

use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use crate::count::{Counter, pieces};
use crate::work::{pace, share};
use crate::{
    Answer, Count, Dispute, Given, Kind, Ledger, LedgerEntry, LedgerError, LedgerRow, Recorded, Source, verdict,
};
use kogge_driver::{Driver, MergeDevice, Observer, Progress};

/// The number of neighbouring ranges in a sample: fewer ranges would waste the plies between, more ranges would leave large parts of
/// a ledger without any.
const STRETCH: u64 = 16;

/// The result of a check of a ledger.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Verified {
    /// The number of recounted entries.
    pub checked: u64,
    /// The entries with different counts. The ledger marks these entries as disputed.
    pub contradictions: Vec<Contradiction>,
}

/// An entry that has two different counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contradiction {
    /// The entry.
    pub entry: LedgerEntry,
    /// The earlier count.
    pub had: Count,
    /// The source of the earlier count, if it is known.
    pub had_by: Option<Source>,
    /// The new count.
    pub found: Count,
    /// The source of the new count.
    pub by: Source,
}

/// The outcome of a dispute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settled {
    /// The entry.
    pub entry: LedgerEntry,
    /// All answers, the oldest first.
    pub answers: Vec<Given>,
    /// The accepted count, if there is one now.
    pub count: Option<Count>,
}

impl Ledger {
    /// Returns about a random share (0 to 1) of the counted entries, at least one entry if any is counted. Ranges are chosen in
    /// stretches of 16 neighbours, because neighbours share the plies between. The same seed chooses the same
    /// entries until more entries are counted.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn sample(&self, share: f64, seed: u64) -> Result<Vec<LedgerRow>, LedgerError> {
        let mut left = self.tally()?.done;
        let mut wanted = (left as f64 * share.clamp(0.0, 1.0)).ceil() as u64;
        let longest = if self.header().kind == Kind::Positions { 1 } else { STRETCH };
        let (mut random, mut stretch, mut is_chosen) = (seed, 0, false);
        let mut chosen = Vec::new();
        self.rows(|row| {
            if row.given.is_none() || left == 0 {
                return Ok(());
            }
            if stretch == 0 {
                stretch = longest.min(left);
                // Each set of stretches among the remaining ones is equally likely.
                is_chosen = split_mix(&mut random) % left.div_ceil(longest) < wanted.div_ceil(longest);
            }
            if is_chosen && wanted > 0 {
                wanted -= 1;
                chosen.push(row);
            }
            stretch -= 1;
            left -= 1;
            Ok(())
        })?;
        Ok(chosen)
    }

    /// Recounts these entries in the order of their numbers, and marks an entry as disputed if its count differs. Equal
    /// answers are recorded, too, if they come from another source.
    ///
    /// # Errors
    /// [`LedgerError::SameSource`] if the device would only repeat an earlier count, if the device or the database fails, or if
    /// the observer asks to stop. Answers recorded before an error stay in the ledger.
    pub fn verify(
        &self,
        rows: &[LedgerRow],
        device: &mut MergeDevice,
        observer: &dyn Observer,
    ) -> Result<Verified, LedgerError> {
        let mut verified = Verified::default();
        let entries: Vec<_> = rows.iter().map(|row| row.entry).collect();
        let given =
            |by: &Source| rows.iter().filter_map(|row| row.given.as_ref()).any(|given| given.source.is_like(by));
        let check =
            |by: &Source| if given(by) { Err(LedgerError::SameSource { by: Box::new(by.clone()) }) } else { Ok(()) };
        self.recount(&entries, device, observer, check, |by, recorded| {
            verified.checked += (recorded.new.len() + recorded.repeated.len() + recorded.different.len()) as u64;
            for &(Answer { id, count: found }, had) in &recorded.different {
                let row = rows.binary_search_by_key(&id, |row| row.entry.id).ok().and_then(|index| rows.get(index));
                let Some(LedgerRow { entry, given, .. }) = row else { continue };
                let had_by = given.as_ref().filter(|given| given.count == had).map(|given| given.source.clone());
                verified.contradictions.push(Contradiction { entry: *entry, had, had_by, found, by: by.clone() });
            }
        })?;
        Ok(verified)
    }

    /// Returns the disputed entries.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn disputes(&self) -> Result<Vec<Dispute>, LedgerError> {
        self.store().disputes()
    }

    /// Recounts these disputed entries, and settles each dispute for which [`verdict`] finds an answer.
    ///
    /// # Errors
    /// As [`Ledger::verify`].
    pub fn settle(
        &self,
        disputes: &[Dispute],
        device: &mut MergeDevice,
        observer: &dyn Observer,
    ) -> Result<Vec<Settled>, LedgerError> {
        let entries: Vec<_> = disputes.iter().map(|dispute| dispute.entry).collect();
        self.recount(&entries, device, observer, |_| Ok(()), |_, _| ())?;
        let mut settled = Vec::new();
        let mine = |dispute: &Dispute| entries.contains(&dispute.entry);
        for Dispute { entry, answers } in self.disputes()?.into_iter().filter(mine) {
            let count = verdict(&answers);
            if let Some(count) = &count {
                self.store().settle(entry.id, count)?;
            }
            settled.push(Settled { entry, answers, count });
        }
        Ok(settled)
    }

    /// Recounts entries in batches, and records the answers, if `check` accepts the source. `found` receives the result
    /// of each batch.
    fn recount(
        &self,
        entries: &[LedgerEntry],
        device: &mut MergeDevice,
        observer: &dyn Observer,
        check: impl FnOnce(&Source) -> Result<(), LedgerError>,
        mut found: impl FnMut(&Source, &Recorded),
    ) -> Result<(), LedgerError> {
        let kind = self.header().kind;
        let whole = Whole { observer, progress: Mutex::default() };
        let MergeDevice { backend, settings } = device;
        let source = Source::from(backend.info());
        let mut driver = Driver::new(&mut **backend, &whole);
        let mut counter = Counter::new(self, source, &mut driver, settings)?;
        let source = counter.source().clone();
        check(&source)?;
        let (mut done, mut pace) = (0, pace(kind, false, entries.len() as u64));
        while done < entries.len() {
            let left = entries.len() - done;
            let most = if kind == Kind::Positions { pace.next(share(left as u64, 1)) as usize } else { left };
            let start = Instant::now();
            let Some(batch) = pieces(kind, &entries[done..][..most.min(left)]).next() else { break };
            whole.begin(done, batch.len(), entries.len());
            counter.count(batch, &mut |answers| {
                let recorded = self.store().record(&source, answers)?;
                found(&source, &recorded);
                Ok(())
            })?;
            done += batch.len();
            pace.saw(batch.len() as u64, start.elapsed());
        }
        Ok(())
    }
}

/// Reports all batches to an observer as one piece of work.
struct Whole<'a> {
    observer: &'a dyn Observer,
    progress: Mutex<BatchProgress>,
}

/// The progress of the work up to the current batch.
#[derive(Default)]
struct BatchProgress {
    done: usize,
    batch: usize,
    total: usize,
    /// The leaves of earlier batches, and of the current batch.
    before: u128,
    now: u128,
}

impl Whole<'_> {
    fn lock(&self) -> MutexGuard<'_, BatchProgress> {
        self.progress.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn begin(&self, done: usize, batch: usize, total: usize) {
        let mut current = self.lock();
        let before = current.before.saturating_add(current.now);
        *current = BatchProgress { done, batch, total, before, now: 0 };
    }
}

impl Observer for Whole<'_> {
    fn progress(&self, progress: &Progress) {
        let mut current = self.lock();
        current.now = progress.counted;
        let done = current.done as f64 + progress.fraction * current.batch as f64;
        let whole = Progress {
            done: current.done as u64 + progress.done,
            total: current.total as u64,
            fraction: done / current.total.max(1) as f64,
            counted: current.before.saturating_add(current.now),
        };
        drop(current);
        self.observer.progress(&whole);
    }

    fn is_cancelled(&self) -> bool {
        self.observer.is_cancelled()
    }
}

/// SplitMix64, which is random enough to choose entries.
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
