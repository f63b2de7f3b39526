//! Ledgers in a PostgreSQL database, for any number of machines.
//!
//! A database holds one ledger, or one for each schema: the search path finds the tables, and the address can set it
//! (`?options=-csearch_path%3DNAME`). All times are the server's.
//!
//! If a machine disappears in the middle of a transaction, the server ends the transaction after the length of a lease at
//! most, so that others need not wait for its locks.
//!
//! If the connection breaks, because the server is restarted or the network fails, the current transaction starts again on
//! a new connection. This is harmless even if the first attempt was committed, because answers belong to entries and are
//! recorded once.

mod address;
mod connection;
mod dialect;
mod password;
#[cfg(test)]
#[path = "../../tests/support/server.rs"]
mod server;
mod tls;

pub use connection::Postgres;
