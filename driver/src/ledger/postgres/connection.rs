//! Connections to PostgreSQL, and new connections after they break.

use std::thread::sleep;
use std::time::{Duration, Instant};

use postgres::config::Host;
use postgres::error::SqlState;
use postgres::{Client, Config, NoTls, Transaction};

use crate::ledger::LedgerError;

/// The first and the longest time to wait before another attempt to connect.
const WAIT: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));
/// The time that a connection may take, and that a server may be silent before it counts as dead.
const SILENCE: Duration = Duration::from_secs(30);

/// A ledger in a PostgreSQL database.
pub struct Postgres {
    config: Config,
    client: Option<Client>,
    location: String,
    patience: Duration,
    is_cancelled: Box<dyn Fn() -> bool + Send>,
}

impl Postgres {
    /// Connects to the database with an address such as `postgres://user@host/name`. Connections are not encrypted.
    ///
    /// If the connection breaks later, reconnecting is tried for up to `patience`, unless `is_cancelled` returns true.
    ///
    /// # Errors
    /// If the address cannot be read, or the database cannot be reached.
    pub fn connect(
        address: &str,
        patience: Duration,
        is_cancelled: impl Fn() -> bool + Send + 'static,
    ) -> Result<Self, LedgerError> {
        // The address itself is not repeated: it may hold a password.
        let parsed = address.parse::<Config>();
        let mut config = parsed.map_err(|error| LedgerError::Address { reason: sentence(&error) })?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(SILENCE);
        }
        config.keepalives_idle(SILENCE).tcp_user_timeout(SILENCE).application_name("kogge");
        let location = location(&config);
        let mut postgres = Self { config, client: None, location, patience, is_cancelled: Box::new(is_cancelled) };
        match postgres.connected() {
            Ok(_) => Ok(postgres),
            Err(error) => Err(postgres.failure("when it was connected to", &error)),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.location
    }

    fn connected(&mut self) -> Result<&mut Client, postgres::Error> {
        let client = match self.client.take() {
            Some(client) if !client.is_closed() => client,
            _ => self.config.connect(NoTls)?,
        };
        Ok(self.client.insert(client))
    }

    /// Runs `work` as one transaction, and again if the connection breaks.
    pub(super) fn transact<T>(
        &mut self,
        doing: &'static str,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, Problem>,
    ) -> Result<T, LedgerError> {
        let start = Instant::now();
        let mut wait = WAIT.0;
        loop {
            match self.attempt(&mut work) {
                Ok(result) => return Ok(result),
                Err(Problem::Damaged(what)) => {
                    return Err(LedgerError::Damaged { location: self.location.clone(), what });
                }
                Err(Problem::Database(error)) => {
                    if !passes(&error) || start.elapsed() >= self.patience || (self.is_cancelled)() {
                        return Err(self.failure(doing, &error));
                    }
                    sleep(wait);
                    wait = (2 * wait).min(WAIT.1);
                }
            }
        }
    }

    fn attempt<T>(&mut self, work: &mut impl FnMut(&mut Transaction<'_>) -> Result<T, Problem>) -> Result<T, Problem> {
        let mut transaction = self.connected()?.transaction()?;
        let result = work(&mut transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    fn failure(&self, doing: &'static str, error: &postgres::Error) -> LedgerError {
        let (location, reason) = (self.location.clone(), sentence(error));
        match error.code() {
            Some(&SqlState::DISK_FULL) => LedgerError::Full { location, reason },
            _ => LedgerError::Storage { location, doing, reason },
        }
    }
}

/// An error inside a transaction.
pub(super) enum Problem {
    Database(postgres::Error),
    Damaged(String),
}

impl From<postgres::Error> for Problem {
    fn from(error: postgres::Error) -> Self {
        Self::Database(error)
    }
}

/// Returns whether the transaction may succeed a little later: the connection broke, the server is being restarted, or
/// another transaction was in the way.
fn passes(error: &postgres::Error) -> bool {
    match error.code() {
        // The connection failed, not the server. A value that cannot be converted would fail again.
        None => error.is_closed() || std::error::Error::source(error).is_some_and(|cause| cause.is::<std::io::Error>()),
        Some(code) => {
            let passing = [
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::TOO_MANY_CONNECTIONS,
                SqlState::T_R_SERIALIZATION_FAILURE,
                SqlState::T_R_DEADLOCK_DETECTED,
            ];
            passing.contains(code) || code.code().starts_with("08")
        }
    }
}

/// Returns the message of a database, without the full stop.
fn sentence(error: &postgres::Error) -> String {
    let mut text = match error.as_db_error() {
        Some(error) => error.message().to_owned(),
        None => error.to_string(),
    };
    if let Some(cause) = std::error::Error::source(error).filter(|_| error.as_db_error().is_none()) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text.trim_end_matches('.').to_owned()
}

/// Names the database and its host, without user and password.
fn location(config: &Config) -> String {
    let host = config.get_hosts().first().map_or("localhost".to_owned(), |host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    });
    let name = config.get_dbname().or(config.get_user()).unwrap_or("postgres");
    format!("the database {name} on {host}")
}
