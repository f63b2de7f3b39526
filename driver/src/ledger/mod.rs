//! Ledgers: counts that take days, on any number of devices and machines, killed and resumed at will.
//!
//! A ledger is a frontier of a root, kept in a database: one row for each entry, with its count as soon
//! as it is known, and who counted it. The total is the sum of multiplicity times count over all rows,
//! and there is none before all of them are counted. See [`Ledger`].
//!
//! # Where it lies
//! [`Sqlite`] is a file, for the processes of one machine; [`Postgres`] is a server's database, for any
//! number of machines. Both do the same by the trait [`Store`].
//!
//! # Leases
//! A worker takes entries by a lease: nobody else is given them until it ends. Workers extend their
//! leases while they count. One that is killed loses its entries when its leases end, by the clock of
//! the database, and others count them. Leases only save work, and nothing rests on them: an answer is
//! written by its entry's number, and counts once however often it is given.
//!
//! # Two answers
//! An entry that gets a second answer keeps both. If they differ, the entry is disputed, and while
//! there is a disputed entry there is no total. [`Ledger::settle`] counts it again elsewhere; the answer
//! that two different backends, or two variants of one, have given stands, if no other was given as often.

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

use kogge_board::{Circle32, Fen, Format, Position, Rules};

pub use create::Request;
pub use error::LedgerError;
pub use postgres::Postgres;
pub use record::{Recorded, verdict};
pub use sqlite::Sqlite;
pub use store::{Answer, Dispute, FORMAT, Given, Header, Leased, Row, Source, Store, Tally};
pub use verify::{Difference, Settled, Verified};
pub use work::{DeviceProgress, Event, Options, Snapshot, Watcher};

/// A ledger, open.
///
/// It can be shared between threads, which take turns at its store.
pub struct Ledger {
    header: Header,
    store: Mutex<Box<dyn Store>>,
}

/// What a ledger's rows sum up to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sum {
    /// The sum of multiplicity times count over the rows that are counted.
    pub leaves: u128,
    /// How many rows that are.
    pub counted: u64,
    /// How many rows there are.
    pub entries: u64,
    /// The sum of all rows' multiplicities.
    pub paths: u128,
}

impl Ledger {
    /// Opens a ledger that exists.
    ///
    /// # Errors
    /// If there is none in the store, if it is of another format version, or if it cannot be read.
    pub fn open(mut store: Box<dyn Store>) -> Result<Self, LedgerError> {
        let header = store.header()?.ok_or_else(|| LedgerError::NoLedger { place: store.place().to_owned() })?;
        Ok(Self { header, store: Mutex::new(store) })
    }

    /// What it counts.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Where it is kept, for messages.
    pub fn place(&self) -> String {
        self.store().place().to_owned()
    }

    /// How far it is.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn tally(&self) -> Result<Tally, LedgerError> {
        self.store().tally()
    }

    /// Calls `row` with every row, in the order of their numbers. Rows are read a few thousand at a time;
    /// what others write meanwhile may be seen or not.
    ///
    /// # Errors
    /// If it cannot be read, and the error of `row`.
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

    /// What is counted so far, multiplied and summed. It is the total only if all entries are counted and
    /// none is disputed: see [`Ledger::total`].
    ///
    /// # Errors
    /// [`Error::Overflow`](crate::Error::Overflow) beyond 128 bits, and if it cannot be read.
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

    /// The number of leaves below the root: the sum over all entries, or none if some are not counted yet.
    ///
    /// # Errors
    /// [`LedgerError::Disputed`] if an entry has two answers, [`LedgerError::Damaged`] if rows are missing,
    /// and as [`Ledger::sum`].
    pub fn total(&self) -> Result<Option<u128>, LedgerError> {
        let tally = self.tally()?;
        if tally.disputed > 0 {
            return Err(LedgerError::Disputed { place: self.place(), entries: tally.disputed });
        }
        if tally.done < tally.entries {
            return Ok(None);
        }
        let sum = self.sum()?;
        if (sum.entries, sum.paths) != (self.header.entries, self.header.paths) {
            return Err(self.damaged(format!(
                "it has {} entries that are reached in {} ways, but was made with {} and {}",
                sum.entries, sum.paths, self.header.entries, self.header.paths
            )));
        }
        Ok((sum.counted == sum.entries).then_some(sum.leaves))
    }

    /// How many plies lie below each entry.
    pub fn depth_below(&self) -> u32 {
        self.header.depth - self.header.ply
    }

    /// What all entries have in common.
    pub fn rules(&self) -> Rules {
        self.header.root.rules.with_halfmove_clock(false)
    }

    /// The position of an entry.
    ///
    /// # Errors
    /// [`LedgerError::Damaged`] if the bytes are none.
    pub fn position(&self, id: u64, packed: &[u8; 32]) -> Result<Position, LedgerError> {
        let position = Format::Circle32.unpack(packed, &self.rules());
        position.map_err(|error| self.damaged(format!("the position of entry {id} is wrong ({error})")))
    }

    /// The FEN of an entry.
    ///
    /// # Errors
    /// As [`Ledger::position`].
    pub fn fen(&self, id: u64, packed: &[u8; 32]) -> Result<Fen, LedgerError> {
        Ok(self.fen_of(self.position(id, packed)?))
    }

    /// The FEN of a position of this tree.
    pub fn fen_of(&self, position: Position) -> Fen {
        Fen::new(position, self.rules())
    }

    fn store(&self) -> MutexGuard<'_, Box<dyn Store>> {
        // A thread that panicked inside the store left a transaction that is undone.
        self.store.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn damaged(&self, what: String) -> LedgerError {
        LedgerError::Damaged { place: self.place(), what }
    }
}

/// The bytes of a position, as a ledger keeps them.
fn packed(circle: &Circle32) -> [u8; 32] {
    bytemuck::cast([circle.s.to_le(), circle.t.to_le(), circle.u.to_le(), circle.white.to_le()])
}
