//! Where a ledger is kept, as the command line names it.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use kogge_driver::ledger::{LedgerError, Sqlite, Store};

/// A file or a database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// A file.
    File(PathBuf),
}

impl FromStr for Place {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::File(text.into()))
    }
}

impl Place {
    /// Opens a store for a ledger that exists.
    pub(crate) fn open(&self) -> Result<Box<dyn Store>, LedgerError> {
        match self {
            Self::File(path) => Ok(Box::new(Sqlite::open(path)?)),
        }
    }

    /// Opens a store, or makes it if there is none.
    pub(crate) fn open_or_create(&self) -> Result<Box<dyn Store>, LedgerError> {
        match self {
            Self::File(path) => Ok(Box::new(Sqlite::open_or_create(path)?)),
        }
    }

    /// How long leases last if nothing is said: long enough for whatever may delay an extension there.
    pub(crate) fn lease(&self) -> Duration {
        match self {
            Self::File(_) => Duration::from_secs(10),
        }
    }
}
