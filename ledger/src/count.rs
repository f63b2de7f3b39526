//! Counts the entries of a ledger on a device.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::{Answer, Count, Item, Kind, Ledger, LedgerEntry, LedgerError, Source};
use kogge_board::BackendError;
use kogge_driver::{Driver, Error, Frontier, MergeSettings, Quantity, RangeCounter, RangePlies};

/// The time between two records of ranges, much longer than writing one.
const OFTEN: Duration = Duration::from_millis(200);

/// Describes the way in which entries are counted.
pub(super) fn plan(kind: Kind, counted: Quantity, ply: u32, depth: u32) -> String {
    let below = depth - ply;
    let by_kind = if counted == Quantity::Categories { ", by the moves that lead to it" } else { "" };
    match kind {
        Kind::Positions => format!("every leaf {below} plies below each entry, equal positions not merged"),
        Kind::Ranges | Kind::ReversedRanges => {
            format!("equal positions merged down to ply {ply}, every leaf {below} plies below each of them{by_kind}")
        }
    }
}

/// Counts entries of a ledger on a device.
pub(super) struct Counter<'l, 'd, 'b> {
    ledger: &'l Ledger,
    source: Source,
    by: By<'d, 'b>,
}

/// What counts.
enum By<'d, 'b> {
    Leaves(&'d mut Driver<'b>),
    Ranges(Box<RangeCounter<'d>>),
}

impl<'l, 'd, 'b> Counter<'l, 'd, 'b> {
    /// Prepares the device. For ranges, it makes the plies above them.
    ///
    /// # Errors
    /// If the plies do not fit in memory, or if the device finds a different number of paths than the ledger records.
    pub(super) fn new(
        ledger: &'l Ledger,
        mut source: Source,
        driver: &'d mut Driver<'b>,
        settings: &MergeSettings,
    ) -> Result<Self, LedgerError> {
        let header = ledger.header();
        if header.kind == Kind::Positions {
            return Ok(Self { ledger, source, by: By::Leaves(driver) });
        }
        let is_reversed = header.kind == Kind::ReversedRanges;
        let plies =
            RangePlies { whole: header.ply.saturating_sub(1), last: header.ply, depth: header.depth, is_reversed };
        let counter = RangeCounter::fitting(driver, &header.root, plies, &settings.counting(header.counted))?;
        if counter.paths() != header.paths {
            let (ply, found, expected) = (header.ply, counter.paths(), header.paths);
            let reason = format!("it found {found} paths to ply {ply}, but the ledger has {expected}.");
            return Err(Error::from(BackendError::WrongAnswer { device: source.device, reason }).into());
        }
        source.plan = format!("whole down to ply {}", counter.plies().whole);
        Ok(Self { ledger, source, by: By::Ranges(Box::new(counter)) })
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// Counts a [piece](pieces) of entries. `done` receives the answers soon after they are known.
    ///
    /// # Errors
    /// The error of the device or of `done`.
    pub(super) fn count(
        &mut self,
        piece: &[LedgerEntry],
        done: &mut dyn FnMut(&[Answer]) -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        match &mut self.by {
            By::Leaves(driver) => {
                let counts = driver.count_below(&self.ledger.frontier(piece)?, self.ledger.depth_below())?;
                let answer = |(entry, count): (&LedgerEntry, u128)| Answer { id: entry.id, count: count.into() };
                done(&piece.iter().zip(counts).map(answer).collect::<Vec<_>>())
            }
            By::Ranges(counter) => {
                let mut ranges = Vec::with_capacity(piece.len());
                for entry in piece {
                    let Item::Range(range) = entry.item else { return Err(self.ledger.not_of_its_kind(entry)) };
                    ranges.push(range);
                }
                let mut next = piece.iter();
                let (mut fresh, mut told) = (Vec::new(), Instant::now());
                let mut kept = Ok(());
                let counted = counter.count(&ranges, &mut |found| {
                    fresh.extend(next.next().map(|&LedgerEntry { id, .. }| Answer { id, count: Count::from(found) }));
                    if told.elapsed() < OFTEN {
                        return ControlFlow::Continue(());
                    }
                    kept = done(&std::mem::take(&mut fresh));
                    told = Instant::now();
                    if kept.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                });
                // Everything counted before a failure is right.
                if !fresh.is_empty() && kept.is_ok() {
                    kept = done(&fresh);
                }
                kept.and(counted.map_err(LedgerError::from))
            }
        }
    }
}

/// Divides entries, in the order of their numbers, into pieces that are best counted together. Consecutive ranges share the ply
/// above them.
pub(super) fn pieces(kind: Kind, entries: &[LedgerEntry]) -> impl Iterator<Item = &[LedgerEntry]> {
    entries.chunk_by(move |entry, next| kind == Kind::Positions || entry.id + 1 == next.id)
}

/// Returns whether this failure stops the device but not the others.
pub(super) fn is_of_the_device(error: &Error) -> bool {
    match error {
        Error::Backend(error) => *error != BackendError::Overflow,
        Error::Memory { .. } => true,
        Error::Cancelled(_) | Error::RangePlies { .. } | Error::Overflow => false,
    }
}

impl Ledger {
    fn frontier(&self, entries: &[LedgerEntry]) -> Result<Frontier, LedgerError> {
        let mut positions = Vec::with_capacity(entries.len());
        for entry in entries {
            let Item::Position { packed, .. } = &entry.item else { return Err(self.not_of_its_kind(entry)) };
            positions.push((self.position(entry.id, packed)?, 1));
        }
        Frontier::from_entries(&self.rules(), self.header().ply, positions)
            .map_err(|error| self.damaged(format!("a position is wrong ({error})")))
    }

    pub(super) fn not_of_its_kind(&self, entry: &LedgerEntry) -> LedgerError {
        self.damaged(format!("entry {} is of another kind than the ledger", entry.id))
    }
}
