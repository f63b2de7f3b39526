//! The rows of a ledger, and the database that keeps them.

use std::fmt;
use std::time::Duration;

use kogge_board::{Circle32, DeviceInfo, Fen, Quad48};

use super::error::LedgerError;
use crate::Frontier;

/// The version of the tables. Ledgers of another version are refused.
pub const FORMAT: i64 = 1;

/// The tree of a ledger and its frontier.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// The root of the tree.
    pub root: Fen,
    /// The depth of the tree in plies.
    pub depth: u32,
    /// The ply of the frontier, at most `depth`.
    pub ply: u32,
    /// A description of how entries are counted.
    pub plan: String,
    /// The number of entries of the frontier.
    pub entries: u64,
    /// The number of paths to all entries: the number of leaves at ply `ply`.
    pub paths: u128,
    /// The version of kogge that created the ledger.
    pub kogge: String,
    /// The time of creation, in seconds since 1970.
    pub created: i64,
}

impl Header {
    /// Returns the packed root. Roots are equal if these bytes and the castling files are equal; counts do not depend
    /// on the move number and the halfmove clock.
    pub fn root_bytes(&self) -> [u8; 32] {
        root_bytes(&self.root)
    }

    /// Returns the files of the castling rooks, as `HAha`.
    pub fn castling(&self) -> String {
        castling(&self.root)
    }
}

/// Returns the bytes of a position in a ledger.
pub(super) fn packed(circle: &Circle32) -> [u8; 32] {
    bytemuck::cast([circle.s.to_le(), circle.t.to_le(), circle.u.to_le(), circle.white.to_le()])
}

/// Returns the bytes of a root.
pub(super) fn root_bytes(root: &Fen) -> [u8; 32] {
    packed(&Circle32::from(&Quad48::from(&root.position).with_halfmove_clock(0)))
}

/// Returns the castling files of a root.
pub(super) fn castling(root: &Fen) -> String {
    let letters = root.rules.castling_files.iter().enumerate();
    letters.map(|(right, file)| char::from(file + if right < 2 { b'A' } else { b'a' })).collect()
}

/// The source of an answer. A second answer from the same source proves nothing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Source {
    /// The backend's name, as `--backend` takes it.
    pub backend: String,
    /// The device's name.
    pub device: String,
    /// The variant of the backend's code.
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

/// An entry leased to a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leased {
    /// The number of the entry, from 0.
    pub id: u64,
    /// The position in [`Circle32`].
    pub position: [u8; 32],
}

/// The count of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The entry's number.
    pub id: u64,
    /// The number of leaves below the entry, without multiplicity.
    pub count: u128,
}

/// An answer in the ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The number of leaves below the entry, without multiplicity.
    pub count: u128,
    /// The source.
    pub source: Source,
    /// The time, in seconds since 1970.
    pub at: i64,
}

/// The effect of recording answers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Recorded {
    /// Answers to entries without one.
    pub new: Vec<Answer>,
    /// Answers equal to the counts that the entries had.
    pub repeated: Vec<Answer>,
    /// Answers that differ from the counts that the entries had, each with that count.
    pub different: Vec<(Answer, u128)>,
}

/// An entry with its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The number of the entry, from 0.
    pub id: u64,
    /// The position in [`Circle32`].
    pub position: [u8; 32],
    /// The number of paths to the position.
    pub multiplicity: u128,
    /// The accepted answer, if the entry is counted.
    pub given: Option<Given>,
    /// Whether the entry has different answers, none of them accepted.
    pub disputed: bool,
}

/// An entry with different answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispute {
    /// The number of the entry, from 0.
    pub id: u64,
    /// The position in [`Circle32`].
    pub position: [u8; 32],
    /// All answers, the oldest first.
    pub answers: Vec<Given>,
}

/// The progress of a ledger.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tally {
    /// All entries.
    pub entries: u64,
    /// Counted entries.
    pub done: u64,
    /// Entries that are leased now.
    pub leased: u64,
    /// Entries with different answers.
    pub disputed: u64,
    /// Entries with equal answers from two sources.
    pub verified: u64,
    /// Workers that hold leases.
    pub workers: u64,
    /// Entries counted within the last minute.
    pub last_minute: u64,
    /// The times of the first and the last answers, in seconds since 1970.
    pub span: Option<(i64, i64)>,
}

/// A database that keeps one ledger.
///
/// Every call is one transaction, done completely or not at all. Any number of processes may use the same database.
pub trait Store: Send {
    /// The file or database, for messages, without a password.
    fn location(&self) -> &str;

    /// Returns the header of the ledger, or `None` if there is no ledger.
    ///
    /// # Errors
    /// If the database holds something else, or a ledger of another format version.
    fn header(&mut self) -> Result<Option<Header>, LedgerError>;

    /// Creates the ledger with the entries of the frontier. If another process was faster, its ledger stays as it is.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    fn create(&mut self, header: &Header, frontier: &Frontier) -> Result<(), LedgerError>;

    /// Leases up to `most` entries that are neither counted nor leased to this worker, in the order of their numbers. The
    /// list is empty if no entries are left, or if all of them are leased to others.
    ///
    /// # Errors
    /// If the ledger cannot be read or written.
    fn lease(&mut self, worker: &str, most: usize, time: Duration) -> Result<Vec<Leased>, LedgerError>;

    /// Extends the worker's leases of these entries until `time` from now, and returns the number of leases that it
    /// still had.
    ///
    /// # Errors
    /// If the ledger cannot be read or written.
    fn extend(&mut self, worker: &str, ids: &[u64], time: Duration) -> Result<u64, LedgerError>;

    /// Ends all leases of a worker.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    fn release(&mut self, worker: &str) -> Result<(), LedgerError>;

    /// Records answers, and returns which of them are new, repeated or different. The first answer of an entry is its
    /// count. Another answer is kept beside it if its source or its count differs; if the count differs, the entry is
    /// disputed.
    ///
    /// # Errors
    /// If the ledger cannot be written, or if there is no such entry.
    fn record(&mut self, source: &Source, answers: &[Answer]) -> Result<Recorded, LedgerError>;

    /// Returns the progress of the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn tally(&mut self) -> Result<Tally, LedgerError>;

    /// Returns whether every entry is counted; quicker than [`Store::tally`].
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn is_complete(&mut self) -> Result<bool, LedgerError>;

    /// Returns up to `most` rows with numbers greater than `after`, in the order of their numbers.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn rows(&mut self, after: Option<u64>, most: usize) -> Result<Vec<Row>, LedgerError>;

    /// Returns the disputed entries.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn disputes(&mut self) -> Result<Vec<Dispute>, LedgerError>;

    /// Settles a dispute by accepting this answer. All answers are kept.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    fn settle(&mut self, id: u64, count: u128) -> Result<(), LedgerError>;
}
