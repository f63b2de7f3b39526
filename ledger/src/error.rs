//! Errors of ledgers.

use thiserror::Error;

use crate::source::Source;

/// An error of a ledger.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum LedgerError {
    /// SQLite would open no file of this name.
    #[error(
        "{path:?} is not the path of a file, so nothing would be kept; name a file, such as six.ledger, with ./ before a name that begins \
         with \"file:\"."
    )]
    NoFile {
        /// The path.
        path: String,
    },
    /// There is no ledger in the file or database.
    #[error("There is no ledger in {location}; \"kogge run DEPTH --ledger ...\" creates one.")]
    NoLedger {
        /// The file or database.
        location: String,
    },
    /// The address of a database cannot be read.
    #[error("The database's address cannot be read ({reason}); expected one such as postgres://user@host/name.")]
    Address {
        /// The mistake.
        reason: String,
    },
    /// A password file or certificates cannot be used.
    #[error("{what} cannot be used: {reason}.")]
    Credentials {
        /// The file, or whatever cannot be used, as the beginning of a sentence.
        what: String,
        /// The mistake.
        reason: String,
    },
    /// This build lacks an optional feature.
    #[error(
        "This kogge was built without {what}; build it with Cargo's feature \"{feature}\" (cargo build --release --features \
         {feature}), or use a kogge from an archive, which has all features."
    )]
    Missing {
        /// The missing ability, as part of a sentence.
        what: &'static str,
        /// The name of the feature.
        feature: &'static str,
    },
    /// The file or database holds something other than a ledger.
    #[error("{location} is not a ledger of kogge: {reason}; name another file or database.")]
    NotALedger {
        /// The file or database.
        location: String,
        /// The reason, as part of a sentence.
        reason: String,
    },
    /// A kogge with a different format version created the ledger.
    #[error(
        "{location} is a ledger of format version {found}, but this kogge reads and writes version {expected}; use the kogge that \
         created it."
    )]
    Format {
        /// The file or database.
        location: String,
        /// The format version of the ledger.
        found: i64,
        /// The format version of this kogge.
        expected: i64,
    },
    /// The ledger is for another tree.
    #[error("{location} is a ledger of {found}, not of {wanted}; name another file or database for that tree.")]
    Other {
        /// The file or database.
        location: String,
        /// The tree of the ledger.
        found: String,
        /// The requested tree.
        wanted: String,
    },
    /// The contents of the ledger are impossible.
    #[error(
        "The ledger in {location} is damaged: {what}; restore a copy, or start another ledger. \"kogge ledger --check\" says which counts are intact, \
         if their table can still be read."
    )]
    Damaged {
        /// The file or database.
        location: String,
        /// The damage.
        what: String,
    },
    /// The disk is full.
    #[error(
        "The ledger in {location} could not be written, because the disk is full ({reason}); free some space and run the \
         same command again. Answers written before are kept."
    )]
    Full {
        /// The file or database.
        location: String,
        /// The database's message.
        reason: String,
    },
    /// The database failed.
    #[error("The ledger in {location} failed {doing}: {reason}.")]
    Storage {
        /// The file or database.
        location: String,
        /// The operation, as part of a sentence.
        doing: &'static str,
        /// The database's message.
        reason: String,
    },
    /// Entries have different answers.
    #[error(
        "{entries} entries of the ledger in {location} have different answers, so there is no total; \"kogge ledger\" shows \
         them, and --settle counts them again on another device."
    )]
    Disputed {
        /// The file or database.
        location: String,
        /// The number of such entries.
        entries: u64,
    },
    /// The entries of a merged ledger do not have as many paths as lead to their ply.
    #[error(
        "The entries of the ledger in {location} have {found} paths to their positions, but {expected} lead to ply {ply}: at least \
         one entry is wrong, so there is no total; \"kogge ledger --verify 100%\" finds it."
    )]
    Paths {
        /// The file or database.
        location: String,
        /// The ply.
        ply: u32,
        /// The sum over all entries.
        found: u128,
        /// The number that was counted when the ledger was made.
        expected: u128,
    },
    /// The code that counted the entries would check them in the same way, and so repeat its mistakes.
    #[error(
        "Entries to check were counted by {by} the first time; check them with another --backend, or merged ones with a --memory \
         that leads to another plan."
    )]
    SameSource {
        /// The source.
        by: Box<Source>,
    },
    /// There are entries to count, but no devices.
    #[error("No device was given to count the open entries.")]
    NoDevices,
    /// All devices failed.
    #[error("No device is left: {0} Finished entries are in the ledger; run the same command again to go on.")]
    NoDevice(String),
    /// An export could not be written.
    #[error("{file} could not be written: {reason}.")]
    Export {
        /// The file.
        file: String,
        /// The system's message.
        reason: String,
    },
    /// The ply of the frontier is below the tree.
    #[error("The frontier cannot be at ply {ply} of a tree of {depth} plies; choose one from 0 to {depth}.")]
    Ply {
        /// The requested ply.
        ply: u32,
        /// The tree's depth.
        depth: u32,
    },
    /// A ply cannot be the last merged one.
    #[error(
        "The last merged ply of a tree of {depth} plies cannot be {ply}: choose one from {least} to {most}. At most seven plies are \
         counted below it, and at least one if leaves are counted by kinds of moves."
    )]
    MergedPly {
        /// The requested ply.
        ply: u32,
        /// The tree's depth.
        depth: u32,
        /// The lowest possible ply.
        least: u32,
        /// The highest possible ply.
        most: u32,
    },
    /// The leaves below positions are not counted by kind.
    #[error(
        "Leaves are counted by kinds of moves only in a ledger of ranges, from depth 2 on; leave out --raw, or leave out --stats."
    )]
    KindsOfPositions,
    /// The frontier at that ply does not fit in memory.
    #[error(
        "Ply {ply} has {positions} positions, more than the {limit} that a ledger's frontier may have; choose a smaller number of --plies."
    )]
    TooMany {
        /// The ply.
        ply: u32,
        /// The number of positions before equal ones are merged.
        positions: u64,
        /// The maximum number of positions.
        limit: u64,
    },
    /// The work was stopped on request.
    #[error("Stopped on request: {done} of {entries} entries are done and kept; run the same command again to go on.")]
    Stopped {
        /// Counted entries.
        done: u64,
        /// All entries.
        entries: u64,
    },
    /// The work was stopped on request while the database was out of reach.
    #[error(
        "Stopped on request while {location} was out of reach ({reason}). Answers written before are kept; run the same command \
         again to go on."
    )]
    StoppedWaiting {
        /// The database.
        location: String,
        /// The database's message.
        reason: String,
    },
    /// Counting failed.
    #[error(transparent)]
    Driver(#[from] kogge_driver::Error),
}

impl LedgerError {
    /// The error of a build without the feature `parquet`.
    pub const NO_PARQUET: Self = Self::Missing { what: "Parquet", feature: "parquet" };
    /// The error of a build without the feature `postgres`.
    pub const NO_POSTGRES: Self = Self::Missing { what: "PostgreSQL", feature: "postgres" };
}
