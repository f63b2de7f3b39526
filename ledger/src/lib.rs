//! Ledgers: counts that take days, on any number of devices and machines, which may be killed and resumed.
//!
//! A ledger is a database that divides the tree of a root into entries. Each entry has one row, which receives its count and
//! the source of the count as soon as they are known. There is no total until every row is counted. See [`Ledger`].
//!
//! # Kinds
//! The entries of a merged ledger are ranges of the last merged ply ([`Kind::Ranges`]). The ranges follow each other without
//! gaps, and the count of a range includes all multiplicities: the total is the sum of the counts. Each device makes the plies
//! above the ranges itself, within its own memory. The number of paths to the ply is counted when the ledger is created. The
//! paths of all entries must sum to this number, or there is no total. Such a ledger may also record the leaves by kinds of
//! moves ([`Quantity::Categories`](kogge_driver::Quantity)).
//!
//! In the other kind of ledger, the entries are the positions of a frontier ([`Kind::Positions`]). Every leaf below them is
//! counted. The total is the sum of multiplicity times count.
//!
//! # Stores
//! [`Sqlite`] keeps a ledger in a file, for the processes of one machine. [`Postgres`] keeps a ledger in a database of
//! a server, for any number of machines. Both implement the trait [`LedgerStore`].
//!
//! # Leases
//! A worker leases entries: until the lease ends, no other worker receives them. Workers extend their leases while they count. The
//! leases of a killed worker end by the database's clock, and then other workers count its entries. Leases only prevent double
//! work. The total does not depend on leases, because an answer belongs to its entry and is recorded only once.
//!
//! # Checksums
//! Each answer has a checksum of its count and its source, and the ledger has a checksum of its tree and of its entries' positions
//! or ranges. Every read of a row therefore finds a changed number or name, which never enters a total. [`Ledger::check`] lists
//! the changed entries.
//!
//! # Two answers
//! An entry with a second answer keeps both answers. If they differ, the entry is disputed, and a ledger with a
//! disputed entry has no total. [`Ledger::settle`] counts the entry again on another device. An answer is accepted if
//! two implementations gave it and no other answer was given as often: see [`Source::implementation`].
//!
//! # Features
//! * `postgres`: ledgers in PostgreSQL databases, over TLS if the server has it.
//! * `parquet`: export of ledgers as Parquet.

mod check;
mod checksum;
mod count;
mod cover;
mod create;
mod error;
mod export;
mod lease;
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
pub use lease::Lease;
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
