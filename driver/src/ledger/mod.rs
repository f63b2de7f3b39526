//! Ledgers: counts that take days, on any number of devices and machines, which may be killed and resumed.
//!
//! A ledger is a frontier of a root in a database. Each entry has one row, with its count as soon as it is known, and
//! the source of the count. The total is the sum of multiplicity times count over all rows. There is no total until
//! every row is counted. See [`Ledger`].
//!
//! # Stores
//! [`Sqlite`] is a file, for the processes of one machine. [`Postgres`] is a database of a server, for any number of
//! machines. Both implement the trait [`Store`].
//!
//! # Leases
//! A worker leases entries: until the lease ends, no other worker gets them. Workers extend their leases while they
//! count. When the leases of a killed worker end, by the database's clock, others count its entries. Leases only save
//! work. The total does not depend on them, because an answer belongs to its entry and counts only once.
//!
//! # Two answers
//! An entry with a second answer keeps both. If they differ, the entry is disputed, and a ledger with a disputed entry
//! has no total. [`Ledger::settle`] counts the entry again on another device. An answer is accepted if two different
//! backends, or two variants of one backend, gave it and no other answer was given as often.

mod count;
mod create;
mod error;
mod export;
mod postgres;
mod record;
mod sqlite;
mod store;
mod verify;
mod work;

use std::sync::{Mutex, MutexGuard};

use kogge_board::{Fen, Format, Position, Rules};

pub use create::Request;
pub use error::LedgerError;
pub use postgres::Postgres;
pub use record::verdict;
pub use sqlite::Sqlite;
pub use store::{Answer, Dispute, FORMAT, Given, Header, Leased, Recorded, Row, Source, Store, Tally};
pub use verify::{Contradiction, Settled, Verified};
pub use work::{DeviceProgress, Event, Options, Snapshot, Watcher};

/// An open ledger.
///
/// Threads can share it; they take turns at its store.
pub struct Ledger {
    header: Header,
    store: Mutex<Box<dyn Store>>,
}

/// The sums over the rows of a ledger.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sum {
    /// The sum of multiplicity times count over the counted rows.
    pub leaves: u128,
    /// The number of counted rows.
    pub counted: u64,
    /// The number of rows.
    pub entries: u64,
    /// The sum of multiplicities over all rows.
    pub paths: u128,
}

impl Ledger {
    /// Opens an existing ledger.
    ///
    /// # Errors
    /// If the store has no ledger, if its format has another version, or if it cannot be read.
    pub fn open(mut store: Box<dyn Store>) -> Result<Self, LedgerError> {
        let header = store.header()?.ok_or_else(|| LedgerError::NoLedger { location: store.location().to_owned() })?;
        Ok(Self { header, store: Mutex::new(store) })
    }

    /// The tree of the ledger.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file or database of the ledger, for messages.
    pub fn location(&self) -> String {
        self.store().location().to_owned()
    }

    /// Returns the progress of the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    pub fn tally(&self) -> Result<Tally, LedgerError> {
        self.store().tally()
    }

    /// Calls `row` with every row, in the order of their numbers. Rows are read a few thousand at a time, and may or
    /// may not include the answers that others write meanwhile.
    ///
    /// # Errors
    /// If the ledger cannot be read, and the error of `row`.
    pub fn rows(&self, mut row: impl FnMut(Row) -> Result<(), LedgerError>) -> Result<(), LedgerError> {
        const AT_ONCE: usize = 1 << 13;
        let mut after = None;
        loop {
            let rows = self.store().rows(after, AT_ONCE)?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = Some(last.id);
            rows.into_iter().try_for_each(&mut row)?;
        }
    }

    /// Sums the rows counted so far. The sum is the total only if all entries are counted and none is disputed: see
    /// [`Ledger::total`].
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow) beyond 128 bits, and if the ledger cannot be read.
    pub fn sum(&self) -> Result<Sum, LedgerError> {
        let overflow = || LedgerError::Driver(crate::Error::Overflow);
        let mut sum = Sum::default();
        self.rows(|row| {
            sum.entries += 1;
            sum.paths = sum.paths.checked_add(row.multiplicity).ok_or_else(overflow)?;
            if let Some(given) = &row.given {
                let product = given.count.checked_mul(row.multiplicity).ok_or_else(overflow)?;
                sum.leaves = sum.leaves.checked_add(product).ok_or_else(overflow)?;
                sum.counted += 1;
            }
            Ok(())
        })?;
        Ok(sum)
    }

    /// Returns the number of leaves below the root: the sum over all entries, or `None` if some are not counted yet.
    ///
    /// # Errors
    /// [`LedgerError::Disputed`] if an entry has two answers, [`LedgerError::Damaged`] if rows are missing,
    /// and as [`Ledger::sum`].
    pub fn total(&self) -> Result<Option<u128>, LedgerError> {
        let tally = self.tally()?;
        if tally.disputed > 0 {
            return Err(LedgerError::Disputed { location: self.location(), entries: tally.disputed });
        }
        if tally.done < tally.entries {
            return Ok(None);
        }
        let sum = self.sum()?;
        if (sum.entries, sum.paths) != (self.header.entries, self.header.paths) {
            return Err(self.damaged(format!(
                "it has {} entries with {} paths to them, but was created with {} and {}",
                sum.entries, sum.paths, self.header.entries, self.header.paths
            )));
        }
        Ok((sum.counted == sum.entries).then_some(sum.leaves))
    }

    /// The number of plies counted below each entry.
    pub fn depth_below(&self) -> u32 {
        self.header.depth - self.header.ply
    }

    /// The rules of all entries.
    pub fn rules(&self) -> Rules {
        self.header.root.rules.with_halfmove_clock(false)
    }

    /// Unpacks the position of an entry.
    ///
    /// # Errors
    /// [`LedgerError::Damaged`] if the bytes are not a position.
    pub fn position(&self, id: u64, packed: &[u8; 32]) -> Result<Position, LedgerError> {
        let position = Format::Circle32.unpack(packed, &self.rules());
        position.map_err(|error| self.damaged(format!("the position of entry {id} is wrong ({error})")))
    }

    /// Returns the FEN of an entry.
    ///
    /// # Errors
    /// As [`Ledger::position`].
    pub fn fen(&self, id: u64, packed: &[u8; 32]) -> Result<Fen, LedgerError> {
        Ok(self.fen_of(self.position(id, packed)?))
    }

    /// Returns the FEN of a position of this tree.
    pub fn fen_of(&self, position: Position) -> Fen {
        Fen::new(position, self.rules())
    }

    fn store(&self) -> MutexGuard<'_, Box<dyn Store>> {
        // A transaction is undone if its thread panics.
        self.store.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn damaged(&self, what: String) -> LedgerError {
        LedgerError::Damaged { location: self.location(), what }
    }
}
