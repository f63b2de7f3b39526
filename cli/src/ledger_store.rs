//! Opens the store in which a ledger is kept.

use std::time::Duration;

use kogge_driver::ledger::{LedgerError, Postgres, Sqlite, Store};

use crate::args::LedgerLocation;
use crate::monitor::is_interrupted;

/// How long a database may be unreachable after the first connection: long enough to restart a machine.
const PATIENCE: Duration = Duration::from_secs(600);

impl LedgerLocation {
    /// Opens the store of an existing ledger.
    pub(crate) fn open(&self) -> Result<Box<dyn Store>, LedgerError> {
        match self {
            Self::File(path) => Ok(Box::new(Sqlite::open(path)?)),
            Self::Database(address) => connect(address),
        }
    }

    /// Opens the store, and creates it first if it does not exist.
    pub(crate) fn open_or_create(&self) -> Result<Box<dyn Store>, LedgerError> {
        match self {
            Self::File(path) => Ok(Box::new(Sqlite::open_or_create(path)?)),
            Self::Database(address) => connect(address),
        }
    }

    /// Returns the default length of a lease: longer than any delay of its renewal.
    pub(crate) fn lease(&self) -> Duration {
        match self {
            Self::File(_) => Duration::from_secs(10),
            Self::Database(_) => Duration::from_secs(60),
        }
    }
}

fn connect(address: &str) -> Result<Box<dyn Store>, LedgerError> {
    Ok(Box::new(Postgres::connect(address, PATIENCE, is_interrupted)?))
}
