//! Why a ledger could not be used.

use thiserror::Error;

/// Why a ledger could not be used, or what is wrong with it.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum LedgerError {
    /// There is nothing at that place.
    #[error("There is no ledger in {place}; \"kogge run DEPTH --ledger ...\" makes one.")]
    NoLedger {
        /// The file or database.
        place: String,
    },
    /// The address of a database cannot be read.
    #[error("The database's address cannot be read ({reason}); expected one such as postgres://user@host/name.")]
    Address {
        /// What is wrong with it.
        reason: String,
    },
    /// Something else is at that place.
    #[error("{place} is not a ledger of kogge: {reason}; name another place.")]
    NotALedger {
        /// The file or database.
        place: String,
        /// What it is instead.
        reason: String,
    },
    /// It was made by a version of kogge with another format.
    #[error(
        "{place} is a ledger of format version {found}, but this kogge reads and writes version {expected}; use the \
         kogge that made it."
    )]
    Format {
        /// The file or database.
        place: String,
        /// Its version.
        found: i64,
        /// The version of this kogge.
        expected: i64,
    },
    /// It counts something else.
    #[error("{place} is a ledger of {found}, not of {wanted}; name another place, or leave that one as it is.")]
    Other {
        /// The file or database.
        place: String,
        /// What it counts.
        found: String,
        /// What was to be counted.
        wanted: String,
    },
    /// What it holds cannot be.
    #[error("The ledger in {place} is damaged: {what}; restore a copy or count anew in another place.")]
    Damaged {
        /// The file or database.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// There is no room for what was to be written.
    #[error(
        "The ledger in {place} could not be written, because there is no room left ({reason}); make room and run the \
         same command again. What was written before is kept."
    )]
    Full {
        /// The file or database.
        place: String,
        /// What the database said.
        reason: String,
    },
    /// The database failed.
    #[error("The ledger in {place} failed {doing}: {reason}.")]
    Storage {
        /// The file or database.
        place: String,
        /// What it was doing.
        doing: &'static str,
        /// What the database said.
        reason: String,
    },
    /// Entries have different answers.
    #[error(
        "{entries} entries of the ledger in {place} have different answers, so there is no total; \"kogge ledger\" shows \
         them, and with --settle counts them again elsewhere."
    )]
    Disputed {
        /// The file or database.
        place: String,
        /// How many.
        entries: u64,
    },
    /// All devices failed.
    #[error("No device is left: {0} What was counted is in the ledger; run the same command again to go on.")]
    NoDevice(String),
    /// An export could not be written.
    #[error("{file} could not be written: {reason}.")]
    Export {
        /// The file.
        file: String,
        /// What the system said.
        reason: String,
    },
    /// The frontier was asked for at a ply that it cannot have.
    #[error("The frontier cannot be at ply {ply} of a tree of {depth} plies; choose one from 0 to {depth}.")]
    Ply {
        /// The ply asked for.
        ply: u32,
        /// The tree's depth.
        depth: u32,
    },
    /// The frontier at that ply does not fit in memory.
    #[error(
        "Ply {ply} has {positions} positions, more than the {limit} that a ledger's frontier may have; choose a smaller --ply."
    )]
    TooMany {
        /// The ply.
        ply: u32,
        /// Its positions, before equal ones are merged.
        positions: u64,
        /// How many there may be.
        limit: u64,
    },
    /// Stopped on request.
    #[error("Stopped on request: {done} of {entries} entries are done and kept; run the same command again to go on.")]
    Stopped {
        /// Entries that are counted.
        done: u64,
        /// Entries in all.
        entries: u64,
    },
    /// Counting failed.
    #[error(transparent)]
    Driver(#[from] crate::Error),
}
