//! Ledgers: counts that take days, on any number of devices and machines, which may be killed and resumed.
//!
//! A ledger divides the tree of a root, in a database. Each entry has one row, with its count as soon as it is known, and the
//! source of the count. There is no total until every row is counted. See [`Ledger`].
//!
//! # Kinds
//! The entries of a merged ledger are ranges of the last merged ply ([`Kind::Ranges`]). They follow each other without gaps, and an
//! entry is counted with all multiplicities: the total is the sum of the counts. Each device makes the plies above the ranges for
//! itself, as its memory allows. The number of paths to the ply is counted when the ledger is made. The paths of all entries must
//! add up to it, or there is no total. Such a ledger may also keep the leaves by the moves that lead to them
//! ([`Quantity::Categories`](kogge_driver::Quantity)).
//!
//! The entries of the other kind are the positions of a frontier ([`Kind::Positions`]). Every leaf below them is counted. The
//! total is the sum of multiplicity times count.
//!
//! # Stores
//! [`Sqlite`] is a file, for the processes of one machine. [`Postgres`] is a database of a server, for any number of
//! machines. Both implement the trait [`LedgerStore`].
//!
//! # Leases
//! A worker leases entries: until the lease ends, no other worker gets them. Workers extend their leases while they
//! count. When the leases of a killed worker end, by the database's clock, others count its entries. Leases only save
//! work. The total does not depend on them, because an answer belongs to its entry and counts only once.
//!
//! # Checksums
//! Each answer has a checksum, and the ledger has one of its tree and of what its entries stand for. A changed number is thus found
//! whenever rows are read, so that it never leads to a total. [`Ledger::check`] lists the changed entries.
//!
//! # Two answers
//! An entry with a second answer keeps both. If they differ, the entry is disputed, and a ledger with a disputed entry
//! has no total. [`Ledger::settle`] counts the entry again on another device. An answer is accepted if two
//! implementations gave it and no other answer was given as often: see [`Source::implementation`].
//!
//! # Features
//! * `postgres`: ledgers also in PostgreSQL databases, over TLS if the server has it.
//! * `parquet`: export of ledgers also as Parquet.

mod check;
mod checksum;
mod count;
mod cover;
mod create;
mod error;
mod export;
mod ledger;
#[cfg(feature = "postgres")]
mod postgres;
mod record;
mod source;
mod sql;
mod sqlite;
mod store;
mod verify;
mod work;

pub use check::Check;
pub use create::LedgerRequest;
pub use error::LedgerError;
pub use ledger::{Ledger, Place, Sum, Total};
#[cfg(feature = "postgres")]
pub use postgres::Postgres;
pub use record::verdict;
pub use source::Source;
pub use sqlite::Sqlite;
pub use store::{
    Answer, Count, Dispute, FORMAT, Given, Header, Item, Kind, LedgerEntry, LedgerProgress, LedgerRow, LedgerStore,
    Recorded, Size, hex, key_bytes,
};
pub use verify::{Contradiction, Settled, Verified};
pub use work::{DeviceProgress, Event, Snapshot, Watcher, WorkOptions};
