//! Opens the store in which a ledger is kept.

use std::time::Duration;

use kogge_ledger::{LedgerError, LedgerStore, Sqlite};

use crate::args::LedgerLocation;

impl LedgerLocation {
    /// Opens the store of an existing ledger.
    pub(crate) fn open(&self) -> Result<Box<dyn LedgerStore>, LedgerError> {
        match self {
            Self::File(path) => Ok(Box::new(Sqlite::open(path)?)),
            Self::Database(address) => connect(address, self.lease()),
        }
    }

    /// Opens the store for work with leases of this length, and creates it first if it does not exist.
    pub(crate) fn open_or_create(&self, lease: Duration) -> Result<Box<dyn LedgerStore>, LedgerError> {
        match self {
            Self::File(path) => Ok(Box::new(Sqlite::open_or_create(path)?)),
            Self::Database(address) => connect(address, lease),
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

#[cfg(feature = "postgres")]
fn connect(address: &str, lease: Duration) -> Result<Box<dyn LedgerStore>, LedgerError> {
    use kogge_ledger::Postgres;

    use crate::monitor::is_interrupted;

    /// The time for which a database may be unreachable after the first connection: enough to restart a machine.
    const PATIENCE: Duration = Duration::from_secs(600);

    Ok(Box::new(Postgres::connect(address, lease, PATIENCE, is_interrupted)?))
}

#[cfg(not(feature = "postgres"))]
fn connect(_: &str, _: Duration) -> Result<Box<dyn LedgerStore>, LedgerError> {
    Err(LedgerError::NO_POSTGRES)
}
