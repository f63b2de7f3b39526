//! Where a ledger is kept, as the command line names it.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use kogge_driver::ledger::{LedgerError, Postgres, Sqlite, Store};

use crate::monitor::is_interrupted;

/// How long a database that was reached once may be away: time enough to restart a machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// A file or a database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// A file.
    File(PathBuf),
    /// A database's address.
    Database(String),
}

impl FromStr for Place {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let is_address = ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme));
        Ok(if is_address { Self::Database(text.to_owned()) } else { Self::File(text.into()) })
    }
}

impl Place {
    /// Opens a store for a ledger that exists.
    pub(crate) fn open(&self) -> Result<Box<dyn Store>, LedgerError> {
        match self {
            Self::File(path) => Ok(Box::new(Sqlite::open(path)?)),
            Self::Database(address) => connect(address),
        }
    }

    /// Opens a store, or makes it if there is none.
    pub(crate) fn open_or_create(&self) -> Result<Box<dyn Store>, LedgerError> {
        match self {
            Self::File(path) => Ok(Box::new(Sqlite::open_or_create(path)?)),
            Self::Database(address) => connect(address),
        }
    }

    /// How long leases last if nothing is said: long enough for whatever may delay an extension there.
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
