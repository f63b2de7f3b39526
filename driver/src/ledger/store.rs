//! What a ledger needs of a database.

use std::fmt;
use std::time::Duration;

use kogge_board::{Circle32, DeviceInfo, Fen, Quad48};

use super::{LedgerError, Recorded, packed};
use crate::Frontier;

/// The version of the tables. A ledger of another version is refused.
pub const FORMAT: i64 = 1;

/// What a ledger is about.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// The root of the tree.
    pub root: Fen,
    /// Plies below the root that are counted.
    pub depth: u32,
    /// The ply of the frontier, at most `depth`.
    pub ply: u32,
    /// How the entries are counted, for people.
    pub plan: String,
    /// How many entries the frontier has.
    pub entries: u64,
    /// In how many ways the entries are reached, together: the number of leaves at ply `ply`.
    pub paths: u128,
    /// The version of kogge that made it.
    pub kogge: String,
    /// When it was made, in seconds since 1970.
    pub created: i64,
}

impl Header {
    /// The packed root, which with the castling files is what roots are compared by: neither the move
    /// number nor the halfmove clock belongs to what is counted.
    pub fn root_bytes(&self) -> [u8; 32] {
        root_bytes(&self.root)
    }

    /// The files of the castling rooks, as `HAha`.
    pub fn castling(&self) -> String {
        castling(&self.root)
    }
}

/// A root's bytes.
pub(super) fn root_bytes(root: &Fen) -> [u8; 32] {
    packed(&Circle32::from(&Quad48::from(&root.position).with_halfmove_clock(0)))
}

/// A root's castling files.
pub(super) fn castling(root: &Fen) -> String {
    let letters = root.rules.castling_files.iter().enumerate();
    letters.map(|(right, file)| char::from(file + if right < 2 { b'A' } else { b'a' })).collect()
}

/// Who counted: two answers of the same source say no more than one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Source {
    /// The backend's name, as `--backend` takes it.
    pub backend: String,
    /// The device's name.
    pub device: String,
    /// Which variant of its code the backend used.
    pub variant: String,
    /// The version of kogge.
    pub kogge: String,
}

impl From<&DeviceInfo> for Source {
    fn from(info: &DeviceInfo) -> Self {
        Self {
            backend: info.backend.to_owned(),
            device: info.name.clone(),
            variant: info.variant.clone(),
            kogge: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}; {}; kogge {})", self.backend, self.device, self.variant, self.kogge)
    }
}

/// An entry that a worker may count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leased {
    /// Its number, from 0.
    pub id: u64,
    /// Its position, in [`Circle32`].
    pub position: [u8; 32],
}

/// What was found below an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The entry's number.
    pub id: u64,
    /// Leaves below it, not multiplied.
    pub count: u128,
}

/// An answer as it is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// Leaves below the entry, not multiplied.
    pub count: u128,
    /// Who counted.
    pub source: Source,
    /// When, in seconds since 1970.
    pub at: i64,
}

/// An entry and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its number, from 0.
    pub id: u64,
    /// Its position, in [`Circle32`].
    pub position: [u8; 32],
    /// In how many ways it is reached.
    pub multiplicity: u128,
    /// The answer that stands, if it is counted.
    pub given: Option<Given>,
    /// Whether another answer was given, and neither stands.
    pub disputed: bool,
}

/// An entry that has different answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispute {
    /// Its number, from 0.
    pub id: u64,
    /// Its position, in [`Circle32`].
    pub position: [u8; 32],
    /// All answers, the oldest first.
    pub answers: Vec<Given>,
}

/// How far a ledger is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// Entries in all.
    pub entries: u64,
    /// Entries that are counted.
    pub done: u64,
    /// Entries that somebody counts now.
    pub leased: u64,
    /// Entries with different answers.
    pub disputed: u64,
    /// Entries that a second source has counted, with the same answer.
    pub verified: u64,
    /// Workers that hold leases.
    pub workers: u64,
    /// Entries that were counted within the last minute.
    pub last_minute: u64,
    /// When the first and the last answers were written, in seconds since 1970.
    pub span: Option<(i64, i64)>,
}

/// A database that keeps one ledger.
///
/// Every call is one transaction: done completely or not at all, whatever happens meanwhile. Any number
/// of processes may use the same database.
pub trait Store: Send {
    /// The file or database, for messages; it holds no password.
    fn place(&self) -> &str;

    /// What the ledger is about, if there is one.
    ///
    /// # Errors
    /// If there is something else, or a ledger of another format version.
    fn header(&mut self) -> Result<Option<Header>, LedgerError>;

    /// Makes the ledger, with an entry for each of the frontier's. If another process was faster, its
    /// ledger is left as it is.
    ///
    /// # Errors
    /// If it cannot be written.
    fn create(&mut self, header: &Header, frontier: &Frontier) -> Result<(), LedgerError>;

    /// Leases at most so many entries that are neither counted nor leased to this worker, those with the
    /// smallest numbers first. None are left, or all that are left are leased to others, if it is empty.
    ///
    /// # Errors
    /// If it cannot be read or written.
    fn lease(&mut self, worker: &str, most: usize, time: Duration) -> Result<Vec<Leased>, LedgerError>;

    /// Lets the leases of these entries end only after that time from now, and says how many of them the
    /// worker still had.
    ///
    /// # Errors
    /// If it cannot be read or written.
    fn extend(&mut self, worker: &str, ids: &[u64], time: Duration) -> Result<u64, LedgerError>;

    /// Gives back all leases of a worker.
    ///
    /// # Errors
    /// If it cannot be written.
    fn release(&mut self, worker: &str) -> Result<(), LedgerError>;

    /// Writes answers, and says what was new about them. The first answer of an entry is its count. Another
    /// one is kept beside it if it comes from another source or differs; if it differs, the entry is disputed.
    ///
    /// # Errors
    /// If it cannot be written, or if there is no such entry.
    fn record(&mut self, source: &Source, answers: &[Answer]) -> Result<Recorded, LedgerError>;

    /// How far the ledger is.
    ///
    /// # Errors
    /// If it cannot be read.
    fn tally(&mut self) -> Result<Tally, LedgerError>;

    /// Whether every entry has been counted, which is quicker to ask than [`Store::tally`].
    ///
    /// # Errors
    /// If it cannot be read.
    fn is_complete(&mut self) -> Result<bool, LedgerError>;

    /// At most so many rows whose numbers are greater than `after`, in the order of their numbers.
    ///
    /// # Errors
    /// If it cannot be read.
    fn rows(&mut self, after: Option<u64>, most: usize) -> Result<Vec<Row>, LedgerError>;

    /// The entries that are disputed.
    ///
    /// # Errors
    /// If it cannot be read.
    fn disputes(&mut self) -> Result<Vec<Dispute>, LedgerError>;

    /// Lets one of a disputed entry's answers stand. All of them are kept.
    ///
    /// # Errors
    /// If it cannot be written.
    fn settle(&mut self, id: u64, count: u128) -> Result<(), LedgerError>;
}
