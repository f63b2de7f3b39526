//! Ledgers in a PostgreSQL database, for any number of machines.
//!
//! A database holds one ledger, or one ledger in each schema: the search path finds the tables, and the address can set
//! it (`?options=-csearch_path%3DNAME`). All times come from the server's clock.
//!
//! If a machine disappears in the middle of a transaction, the server ends the transaction after at most the length of a
//! lease, so that others need not wait for its locks.
//!
//! If the connection breaks because the server restarts or the network fails, the current transaction starts again on a
//! new connection. This is harmless even if the first attempt was committed, because each answer belongs to an entry
//! and is recorded once.

mod address;
mod connection;
mod dialect;
mod password;
#[cfg(test)]
#[path = "../../tests/support/server.rs"]
mod server;
mod tls;

pub use connection::Postgres;
