//! Opens the store in which a ledger is kept.

use std::time::Duration;

use kogge::ledger::{LedgerError, LedgerStore, Sqlite};

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
    use kogge::ledger::Postgres;

    use std::sync::Mutex;
    use std::time::Instant;

    use crate::monitor::{Reports, duration, is_interrupted, note};

    /// The time for which a database may be unreachable after the first connection: enough to restart a machine.
    const PATIENCE: Duration = Duration::from_secs(600);

    let mut reports = (Reports::new(), Instant::now());
    let wait = move || {
        // The store calls this several times a second while it waits, and may take half a minute for an attempt.
        if reports.1.elapsed() > Duration::from_secs(60) {
            reports.0 = Reports::new();
        }
        reports.1 = Instant::now();
        if let Some(elapsed) = reports.0.due() {
            note(&format!("The database has been out of reach for {}; trying again.", duration(elapsed.as_secs_f64())));
        }
        is_interrupted()
    };
    let wait = Mutex::new(wait);
    Ok(Box::new(Postgres::connect(address, lease, PATIENCE, move || {
        let mut wait = wait.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        wait()
    })?))
}

#[cfg(not(feature = "postgres"))]
fn connect(_: &str, _: Duration) -> Result<Box<dyn LedgerStore>, LedgerError> {
    Err(LedgerError::NO_POSTGRES)
}
