//! The rows of a ledger, and the trait of the databases that store them.

use std::fmt;
use std::time::Duration;

use kogge_board::merge::{Key, KeyRange};
use kogge_board::{Categories, Circle32, Fen, Quad48};

use crate::error::LedgerError;
use crate::lease::Lease;
use crate::source::Source;
use kogge_driver::{Quantity, RangeCount};

/// The version of the tables; other versions are refused.
pub const FORMAT: i64 = 2;

/// The kind of a ledger's entries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The positions of a frontier.
    Positions,
    /// Ranges of the last merged ply.
    Ranges,
    /// Ranges of [reversed](Key::reversed) keys of the last merged ply. They are made while the whole previous ply is in memory.
    ReversedRanges,
}

impl Kind {
    /// Returns whether the entries are ranges.
    pub fn is_ranges(self) -> bool {
        self != Self::Positions
    }
}

/// The tree of a ledger and its entries.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// The kind of the entries.
    pub kind: Kind,
    /// The quantity that is counted below the entries. Only leaves below ranges are counted by kind.
    pub counted: Quantity,
    /// The root of the tree.
    pub root: Fen,
    /// The depth of the tree in plies.
    pub depth: u32,
    /// The ply of the entries, at most `depth`.
    pub ply: u32,
    /// A description of the way in which entries are counted.
    pub plan: String,
    /// The number of entries.
    pub entries: u64,
    /// The number of paths to all entries: the number of leaves at ply `ply`. For ranges, this number was counted
    /// without the ranges.
    pub paths: u128,
    /// The version of kogge that created the ledger.
    pub kogge: String,
    /// The time of creation, in seconds since 1970.
    pub created: i64,
    /// The checksum of the tree, of the texts of this header, and of the positions or ranges of the entries.
    pub checksum: u64,
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

pub(super) fn packed(circle: &Circle32) -> [u8; 32] {
    bytemuck::cast([circle.s.to_le(), circle.t.to_le(), circle.u.to_le(), circle.white.to_le()])
}

pub(super) fn root_bytes(root: &Fen) -> [u8; 32] {
    packed(&Circle32::from(&Quad48::from(&root.position).with_halfmove_clock(0)))
}

pub(super) fn castling(root: &Fen) -> String {
    let letters = root.rules.castling_files.iter().enumerate();
    letters.map(|(right, file)| char::from(file + if right < 2 { b'A' } else { b'a' })).collect()
}

/// The position or range of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// A position of a frontier.
    Position {
        /// The position in [`Circle32`].
        packed: [u8; 32],
        /// The number of paths to the position.
        multiplicity: u128,
    },
    /// All positions of the last merged ply whose keys lie in a range.
    Range(KeyRange),
}

impl Item {
    /// Returns whether a ledger of this kind has such entries.
    pub(super) fn is_of(&self, kind: Kind) -> bool {
        matches!(self, Self::Range(_)) == kind.is_ranges()
    }
}

/// The number of bytes of a key.
pub(super) const KEY_BYTES: usize = 20;

/// Returns the bytes of a key in a ledger. The bytes have the order of the keys.
pub fn key_bytes(key: &Key) -> [u8; KEY_BYTES] {
    let Key { pawns: [own, theirs], hash } = *key;
    let mut bytes = [0; KEY_BYTES];
    bytes[..8].copy_from_slice(&own.to_be_bytes());
    bytes[8..16].copy_from_slice(&theirs.to_be_bytes());
    bytes[16..].copy_from_slice(&hash.to_be_bytes());
    bytes
}

/// Returns the key with these bytes, or `None` if their number is wrong.
pub(super) fn key_of(bytes: &[u8]) -> Option<Key> {
    let bytes: &[u8; KEY_BYTES] = bytes.try_into().ok()?;
    let word = |from: usize| bytes[from..from + 8].iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
    let hash = bytes[16..].iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    Some(Key { pawns: [word(0), word(8)], hash })
}

/// Formats bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An entry without its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LedgerEntry {
    /// The number of the entry, from 0.
    pub id: u64,
    /// The entry's position or range.
    pub item: Item,
}

/// The count of an entry. Two counts differ if any of their numbers differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Count {
    /// The leaves below the entry: without multiplicity below a position, with all multiplicities below a range.
    pub leaves: u128,
    /// The size of a range; `None` for a position.
    pub size: Option<Size>,
    /// The leaves by kinds of moves, if the ledger counts them by kind.
    pub categories: Option<Categories>,
}

/// The size of a range.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Size {
    /// Its distinct positions.
    pub positions: u64,
    /// The number of paths to these positions.
    pub paths: u128,
}

impl Count {
    /// Returns whether such a count belongs in a ledger of this sort.
    pub(super) fn is_of(&self, (kind, counted): (Kind, Quantity)) -> bool {
        self.size.is_some() == kind.is_ranges() && self.categories.is_some() == (counted == Quantity::Categories)
    }
}

impl From<u128> for Count {
    fn from(leaves: u128) -> Self {
        Self { leaves, size: None, categories: None }
    }
}

impl From<&RangeCount> for Count {
    fn from(&RangeCount { leaves, categories, positions, paths, .. }: &RangeCount) -> Self {
        Self { leaves, size: Some(Size { positions, paths }), categories }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { leaves, size, categories } = self;
        write!(f, "{leaves}")?;
        if let Some(Size { positions, paths }) = size {
            write!(f, " below {positions} positions with {paths} paths")?;
        }
        if let Some(categories) = categories {
            let named = Categories::NAMES.iter().zip(categories.to_array()).skip(1);
            let numbers: Vec<_> = named.map(|(name, number)| format!("{name} {number}")).collect();
            write!(f, " ({})", numbers.join(", "))?;
        }
        Ok(())
    }
}

/// The count of an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The entry's number.
    pub id: u64,
    /// The count.
    pub count: Count,
}

/// An answer in the ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The count.
    pub count: Count,
    /// The source.
    pub source: Source,
    /// The time, in seconds since 1970.
    pub at: i64,
    /// The checksum of the entry's number, the count and its source, made when they were written.
    pub checksum: u64,
}

/// The effect of recording answers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Recorded {
    /// Answers to entries that had no answer.
    pub new: Vec<Answer>,
    /// Answers equal to the counts that the entries had.
    pub repeated: Vec<Answer>,
    /// Answers that differ from the count of their entry, each with that count.
    pub different: Vec<(Answer, Count)>,
}

/// An entry with its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerRow {
    /// The entry.
    pub entry: LedgerEntry,
    /// The accepted answer, if the entry is counted.
    pub given: Option<Given>,
    /// Whether the entry has different answers, none of them accepted.
    pub disputed: bool,
}

/// An entry with different answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dispute {
    /// The entry.
    pub entry: LedgerEntry,
    /// All answers, the oldest first.
    pub answers: Vec<Given>,
}

/// The progress of a ledger.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LedgerProgress {
    /// All entries.
    pub entries: u64,
    /// Counted entries.
    pub done: u64,
    /// The number of entries that are leased now.
    pub leased: u64,
    /// The number of entries with different answers.
    pub disputed: u64,
    /// The number of entries with equal answers from two [implementations](Source::implementation).
    pub verified: u64,
    /// The number of workers that hold leases.
    pub workers: u64,
    /// The number of entries counted within the last minute.
    pub last_minute: u64,
    /// The times of the first and the last answers, in seconds since 1970.
    pub span: Option<(i64, i64)>,
}

/// A database that stores one ledger.
///
/// Every call is one transaction, done completely or not at all. Any number of processes may use the same database.
pub trait LedgerStore: Send {
    /// The file or database, for messages, without a password.
    fn location(&self) -> &str;

    /// Returns the header of the ledger, or `None` if there is no ledger.
    ///
    /// # Errors
    /// If the database holds something other than a ledger, or a ledger of another format version.
    fn header(&mut self) -> Result<Option<Header>, LedgerError>;

    /// Creates the ledger with an entry for each item, numbered from 0. All items must be of the header's kind. If another
    /// process has created a ledger first, that ledger stays unchanged.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    fn create(&mut self, header: &Header, items: &[Item]) -> Result<(), LedgerError>;

    /// Leases to this worker up to `most` entries that are neither counted nor leased, in the order of their numbers. The
    /// list is empty if no entries are left, or if others lease all of them. A lease that ends over a minute later than one that
    /// begins now was made while the clock was ahead, and is no lease.
    ///
    /// # Errors
    /// If the ledger cannot be read or written.
    fn lease(&mut self, worker: &str, most: usize, time: Duration) -> Result<Vec<LedgerEntry>, LedgerError>;

    /// Extends the worker's leases of these entries until `time` from now, and returns how many of these leases the
    /// worker still had.
    ///
    /// # Errors
    /// If the ledger cannot be read or written.
    fn extend(&mut self, worker: &str, ids: &[u64], time: Duration) -> Result<u64, LedgerError>;

    /// Ends all leases of a worker.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    fn release(&mut self, worker: &str) -> Result<(), LedgerError>;

    /// Ends all leases of all workers, and returns the number of entries that they had.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    fn release_all(&mut self) -> Result<u64, LedgerError>;

    /// Returns all leases that have not ended.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn leases(&mut self) -> Result<Vec<Lease>, LedgerError>;

    /// Records answers, and returns which of them are new, repeated or different. The first answer of an entry is its count. A
    /// later answer is stored beside it if its source or its count differs; if the count differs, the entry is disputed.
    ///
    /// # Errors
    /// If the ledger cannot be written, or if an entry does not exist.
    fn record(&mut self, source: &Source, answers: &[Answer]) -> Result<Recorded, LedgerError>;

    /// Returns the progress of the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn tally(&mut self) -> Result<LedgerProgress, LedgerError>;

    /// Returns whether every entry is counted; faster than [`LedgerStore::tally`].
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn is_complete(&mut self) -> Result<bool, LedgerError>;

    /// Returns up to `most` rows with numbers greater than `after`, in the order of their numbers.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn rows(&mut self, after: Option<u64>, most: usize) -> Result<Vec<LedgerRow>, LedgerError>;

    /// Returns the disputed entries.
    ///
    /// # Errors
    /// If the ledger cannot be read.
    fn disputes(&mut self) -> Result<Vec<Dispute>, LedgerError>;

    /// Settles a dispute by accepting this answer. All other answers stay in the ledger.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    fn settle(&mut self, id: u64, count: &Count) -> Result<(), LedgerError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_keys_have_the_order_of_keys() {
        let key = |own, theirs, hash| Key { pawns: [own, theirs], hash };
        let keys = [Key::MIN, key(0, 0, 300), key(0, 1, 2), key(1, 0, 0), key(256, u64::MAX, 5), Key::MAX];
        assert!(keys.is_sorted() && keys.map(|key| key_bytes(&key)).is_sorted());
        for key in keys {
            assert_eq!(key_of(&key_bytes(&key)), Some(key));
        }
        assert_eq!(key_of(&[0; 19]), None);
        assert_eq!(hex(&key_bytes(&key(0xab, 2, 3))), "00000000000000ab000000000000000200000003");
    }
}
