//! An open ledger: all code that reads or changes it goes through its store.

use std::fmt;
use std::sync::{Mutex, MutexGuard};

use kogge_board::{Categories, Fen, Format, Position, Rules};
use kogge_driver::Error;

use crate::error::LedgerError;
use crate::store::{Count, Header, Item, Kind, LedgerEntry, LedgerProgress, LedgerStore, hex, key_bytes};

/// An open ledger.
///
/// Threads can share it; they use its store in turns.
pub struct Ledger {
    header: Header,
    store: Mutex<Box<dyn LedgerStore>>,
}

/// The sums over the rows of a ledger.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Sum {
    /// The leaves below the counted rows, with multiplicities.
    pub leaves: u128,
    /// The number of counted rows.
    pub counted: u64,
    /// The number of rows.
    pub entries: u64,
    /// The number of paths to all positions, or to all positions of the counted ranges.
    pub paths: u128,
    /// The distinct positions of the counted rows.
    pub positions: u128,
    /// The leaves by kinds of moves, if the ledger counts them by kind.
    pub categories: Option<Categories>,
}

/// The total of a ledger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Total {
    /// The leaves below the root.
    pub leaves: u128,
    /// The distinct positions of the ply of the entries.
    pub positions: u128,
    /// The leaves by kinds of moves, if the ledger counts them by kind.
    pub categories: Option<Categories>,
}

/// The position or range of an entry, in readable form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A position.
    Position(Fen),
    /// The first and the last key of a range, in hexadecimal: the pawns of the side to move, the pawns of the other side, the hash.
    Range([String; 2]),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position(fen) => fen.fmt(f),
            Self::Range([first, last]) => write!(f, "{first} to {last}"),
        }
    }
}

impl Ledger {
    /// Opens an existing ledger.
    ///
    /// # Errors
    /// If the store has no ledger or a ledger of another format version, or if it cannot be read.
    pub fn open(mut store: Box<dyn LedgerStore>) -> Result<Self, LedgerError> {
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
    pub fn tally(&self) -> Result<LedgerProgress, LedgerError> {
        self.store().tally()
    }

    /// Ends all leases, also of processes that still count, and returns the number of entries that had them.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn release(&self) -> Result<u64, LedgerError> {
        self.store().release_all()
    }

    /// Sums the rows counted so far. The sum is the total only if all entries are counted and none is disputed: see
    /// [`Ledger::total`].
    ///
    /// # Errors
    /// [`Error::Overflow`](Error::Overflow) beyond 128 bits, and as [`Ledger::rows`].
    pub fn sum(&self) -> Result<Sum, LedgerError> {
        let overflow = || LedgerError::Driver(Error::Overflow);
        let mut sum = Sum::default();
        self.rows(|row| {
            sum.entries += 1;
            let count = row.given.map(|given| given.count);
            sum.counted += u64::from(count.is_some());
            let (multiplicity, paths) = match row.entry.item {
                Item::Position { multiplicity, .. } => (multiplicity, multiplicity),
                Item::Range(_) => (1, count.and_then(|count| count.size).map_or(0, |size| size.paths)),
            };
            sum.paths = sum.paths.checked_add(paths).ok_or_else(overflow)?;
            if let Some(Count { leaves, size, categories }) = count {
                let product = leaves.checked_mul(multiplicity).ok_or_else(overflow)?;
                sum.leaves = sum.leaves.checked_add(product).ok_or_else(overflow)?;
                sum.positions += size.map_or(1, |size| size.positions.into());
                if let Some(more) = categories {
                    sum.categories = Some(sum.categories.unwrap_or_default().plus(&more).ok_or_else(overflow)?);
                }
            }
            Ok(())
        })?;
        Ok(sum)
    }

    /// Returns the number of leaves below the root, or `None` if some entries are not counted yet.
    ///
    /// # Errors
    /// [`LedgerError::Disputed`] if an entry has two answers, [`LedgerError::Damaged`] if rows are missing,
    /// [`LedgerError::Paths`] if the paths of the ranges do not sum to the paths to their ply, and as [`Ledger::sum`].
    pub fn total(&self) -> Result<Option<Total>, LedgerError> {
        let tally = self.tally()?;
        if tally.disputed > 0 {
            return Err(LedgerError::Disputed { location: self.location(), entries: tally.disputed });
        }
        if tally.done < tally.entries {
            return Ok(None);
        }
        let (sum, header) = (self.sum()?, &self.header);
        let has_all_paths = sum.paths == header.paths;
        if sum.entries != header.entries || header.kind == Kind::Positions && !has_all_paths {
            return Err(self.damaged(format!(
                "it has {} entries with {} paths to them, but was created with {} and {}",
                sum.entries, sum.paths, header.entries, header.paths
            )));
        }
        if sum.counted < sum.entries {
            return Ok(None);
        }
        if !has_all_paths {
            let (found, expected) = (sum.paths, header.paths);
            return Err(LedgerError::Paths { location: self.location(), ply: header.ply, found, expected });
        }
        Ok(Some(Total { leaves: sum.leaves, positions: sum.positions, categories: sum.categories }))
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

    /// Returns the position or range of an entry, in readable form.
    ///
    /// # Errors
    /// As [`Ledger::position`].
    pub fn place(&self, entry: &LedgerEntry) -> Result<Place, LedgerError> {
        Ok(match &entry.item {
            Item::Position { packed, .. } => Place::Position(Fen::new(self.position(entry.id, packed)?, self.rules())),
            Item::Range(range) => Place::Range([range.first, range.last].map(|key| hex(&key_bytes(&key)))),
        })
    }

    pub(crate) fn store(&self) -> MutexGuard<'_, Box<dyn LedgerStore>> {
        // A transaction is undone if its thread panics.
        self.store.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(crate) fn damaged(&self, what: String) -> LedgerError {
        LedgerError::Damaged { location: self.location(), what }
    }
}
