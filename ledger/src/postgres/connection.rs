//! Connections to PostgreSQL, and new connections after they break.

use std::thread::sleep;
use std::time::{Duration, Instant};

use postgres::config::Host;
use postgres::error::SqlState;
use postgres::{Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::Address;
use super::tls;
use crate::LedgerError;
use crate::sql::{Database, Problem, Transaction};

/// The shortest and the longest wait before the next attempt to connect.
const WAIT: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));
/// The maximum time for connecting, and for which either side may be silent before it counts as dead.
const SILENCE: Duration = Duration::from_secs(30);
/// The minimum of this time.
const SHORTEST: Duration = Duration::from_secs(1);
/// The number of probes before a silent connection counts as dead.
const PROBES: u32 = 3;
/// PostgreSQL's usual port, which messages do not name.
const PORT: u16 = 5432;

/// A ledger in a PostgreSQL database.
pub struct Postgres {
    config: Config,
    tls: MakeRustlsConnect,
    client: Option<Client>,
    location: String,
    /// The time after which the server ends a silent session, a statement that writes, or the wait for a lock.
    limit: Duration,
    patience: Duration,
    is_cancelled: Box<dyn Fn() -> bool + Send>,
}

impl Postgres {
    /// Connects to the database with an address such as `postgres://user@host/name?sslmode=verify-full`. If the address has no
    /// password, it comes from `PGPASSWORD` or from the password file: the parameter `passfile`, `PGPASSFILE`, or `~/.pgpass`.
    /// The parameters `sslmode` and `sslrootcert` (also `PGSSLMODE` and `PGSSLROOTCERT`) mean the same as for other clients;
    /// `prefer` is the default.
    ///
    /// If this process or its machine disappears, the server ends its transactions after `lease`, but after at least one
    /// second and at most 30. If the connection breaks later, the store tries to reconnect for up to `patience`, or
    /// until `is_cancelled` returns true: then the error is [`LedgerError::StoppedWaiting`].
    ///
    /// # Errors
    /// If the address, the password file or the trusted certificates cannot be read, or the database cannot be reached.
    pub fn connect(
        address: &str,
        lease: Duration,
        patience: Duration,
        is_cancelled: impl Fn() -> bool + Send + 'static,
    ) -> Result<Self, LedgerError> {
        let Address { mut config, mode, roots } = Address::parse(address, &|name| std::env::var_os(name))?;
        let tls = tls::connector(mode, roots.as_ref())?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(SILENCE);
        }
        let limit = lease.clamp(SHORTEST, SILENCE);
        let (idle, interval) = keepalives(limit);
        config.keepalives(true).keepalives_idle(idle).keepalives_interval(interval);
        config.keepalives_retries(PROBES).tcp_user_timeout(limit).application_name("kogge");
        let location = location(&config);
        let is_cancelled = Box::new(is_cancelled);
        let mut postgres = Self { config, tls, client: None, location, limit, patience, is_cancelled };
        match postgres.connected() {
            Ok(_) => Ok(postgres),
            Err(error) => Err(Problem::from(error).told(&postgres.location, "when it was connected to")),
        }
    }

    fn connected(&mut self) -> Result<&mut Client, postgres::Error> {
        let client = match self.client.take() {
            Some(client) if !client.is_closed() => client,
            _ => {
                let mut client = self.config.connect(self.tls.clone())?;
                limit_session(&mut client, self.limit)?;
                client
            }
        };
        Ok(self.client.insert(client))
    }

    /// Runs `work` as one transaction after the settings in `begin`, and runs it again if the connection breaks.
    fn transact<T>(
        &mut self,
        doing: &'static str,
        begin: &str,
        mut work: impl FnMut(&mut dyn Transaction) -> Result<T, Problem>,
    ) -> Result<T, LedgerError> {
        let start = Instant::now();
        let mut wait = WAIT.0;
        loop {
            let reason = match self.attempt(begin, &mut work) {
                Ok(result) => return Ok(result),
                Err(Problem::Failed { reason, passes: true }) if start.elapsed() < self.patience => reason,
                Err(problem) => return Err(problem.told(&self.location, doing)),
            };
            let again = Instant::now() + wait;
            while Instant::now() < again {
                if (self.is_cancelled)() {
                    return Err(LedgerError::StoppedWaiting { location: self.location.clone(), reason });
                }
                sleep(WAIT.0.min(again.saturating_duration_since(Instant::now())));
            }
            wait = (2 * wait).min(WAIT.1);
        }
    }

    fn attempt<T>(
        &mut self,
        begin: &str,
        work: &mut impl FnMut(&mut dyn Transaction) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let mut transaction = self.connected()?.transaction()?;
        transaction.batch_execute(begin)?;
        let result = work(&mut transaction)?;
        transaction.commit()?;
        Ok(result)
    }
}

impl Database for Postgres {
    fn location(&self) -> &str {
        &self.location
    }

    fn read<T>(&mut self, work: impl FnMut(&mut dyn Transaction) -> Result<T, Problem>) -> Result<T, LedgerError> {
        // A transaction that only reads holds no lock that others wait for, so it may take longer. The server stores these
        // numbers in 32 bits.
        let time = self.patience.as_millis().min(i32::MAX as u128);
        let begin = format!("SET TRANSACTION READ ONLY; SET LOCAL statement_timeout = {time}");
        self.transact("when it was read", &begin, work)
    }

    fn write<T>(
        &mut self,
        doing: &'static str,
        work: impl FnMut(&mut dyn Transaction) -> Result<T, Problem>,
    ) -> Result<T, LedgerError> {
        self.transact(doing, "", work)
    }
}

/// Returns the time of silence after which a connection is probed, and the time between two probes. Systems use whole seconds here.
fn keepalives(limit: Duration) -> (Duration, Duration) {
    let whole = |time: Duration| Duration::from_secs(time.as_secs().max(1));
    (whole(limit / 2), whole(limit / 2 / PROBES))
}

/// Sets time limits after which the server ends the transactions of a silent client, statements, and waits for locks.
/// Locks are thus released soon after a machine has disappeared.
fn limit_session(client: &mut Client, limit: Duration) -> Result<(), postgres::Error> {
    let milliseconds = limit.as_millis().to_string();
    let (idle, interval) = keepalives(limit);
    let (idle, interval) = (idle.as_secs().to_string(), interval.as_secs().to_string());
    let probes = PROBES.to_string();
    let (names, values): (Vec<_>, Vec<_>) = [
        ("idle_in_transaction_session_timeout", &milliseconds),
        ("lock_timeout", &milliseconds),
        ("statement_timeout", &milliseconds),
        ("tcp_keepalives_count", &probes),
        ("tcp_keepalives_idle", &idle),
        ("tcp_keepalives_interval", &interval),
        ("tcp_user_timeout", &milliseconds),
    ]
    .into_iter()
    .unzip();
    // An old server may lack a setting.
    let set = "SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
               JOIN pg_settings USING (name)";
    client.query(set, &[&names, &values]).map(|_| ())
}

impl From<postgres::Error> for Problem {
    fn from(error: postgres::Error) -> Self {
        let reason = sentence(&error);
        match error.code() {
            Some(&SqlState::DISK_FULL) => Self::Full(reason),
            _ => Self::Failed { reason, passes: passes(&error) },
        }
    }
}

/// Returns whether the transaction may succeed a little later: the connection broke, the server is restarting, or
/// another transaction was in the way.
fn passes(error: &postgres::Error) -> bool {
    match error.code() {
        // The error came from the connection, not from the server. A value that cannot be converted would fail again.
        None => error.is_closed() || std::error::Error::source(error).is_some_and(|cause| cause.is::<std::io::Error>()),
        Some(code) => {
            let passing = [
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::CANNOT_CONNECT_NOW,
                SqlState::TOO_MANY_CONNECTIONS,
                SqlState::T_R_SERIALIZATION_FAILURE,
                SqlState::T_R_DEADLOCK_DETECTED,
                SqlState::LOCK_NOT_AVAILABLE,
                SqlState::QUERY_CANCELED,
                SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
            ];
            passing.contains(code) || code.code().starts_with("08")
        }
    }
}

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
    // The library's message contains only its own name for the mistake.
    if text.contains("CaUsedAsEndEntity") {
        text += ": the server must not show the certificate of an authority; docs/long-runs.md tells how to make another one";
    }
    text.trim_end_matches('.').to_owned()
}

/// Formats the database and its host, without user and password.
fn location(config: &Config) -> String {
    let host = config.get_hosts().first().map_or("localhost".to_owned(), |host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    });
    let name = config.get_dbname().or(config.get_user()).unwrap_or("postgres");
    let port =
        config.get_ports().first().filter(|&&port| port != PORT).map_or(String::new(), |port| format!(":{port}"));
    format!("the database {name} on {host}{port}")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;

    use rusqlite::types::Value;

    use super::*;
    use crate::postgres::server::Server;

    const LEASE: Duration = Duration::from_millis(1500);
    const PATIENCE: Duration = Duration::from_secs(60);

    fn connect(server: &Server, patience: Duration) -> Postgres {
        Postgres::connect(&server.address("public"), LEASE, patience, || false).unwrap()
    }

    /// Returns the only value that a query finds.
    fn value(transaction: &mut dyn Transaction, query: &str) -> Result<Value, Problem> {
        Ok(transaction.query(query, &[])?.remove(0).0.remove(0))
    }

    /// Sets the number in the only row of a table.
    fn set(transaction: &mut dyn Transaction, number: i64) -> Result<(), Problem> {
        transaction.query("UPDATE thing SET number = $1", &[number.into()]).map(drop)
    }

    #[test]
    fn a_client_that_falls_silent_holds_nothing_for_longer_than_its_lease() {
        let server = Server::start();
        let make = "CREATE TABLE thing AS SELECT 1::bigint AS number";
        connect(&server, PATIENCE).write("", |transaction| transaction.make(make)).unwrap();
        let ((locked, is_locked), (end, is_over)) = (channel(), channel::<()>());
        let server = &server;
        thread::scope(|scope| {
            scope.spawn(move || {
                let silent = connect(server, Duration::ZERO).write("", |transaction| {
                    set(transaction, 2)?;
                    locked.send(()).unwrap();
                    // The client waits until the other one has written.
                    is_over.recv().unwrap();
                    Ok(())
                });
                assert!(matches!(silent, Err(LedgerError::Storage { .. })), "{silent:?}");
            });
            is_locked.recv().unwrap();
            connect(server, PATIENCE).write("", |transaction| set(transaction, 3)).unwrap();
            end.send(()).unwrap();
        });
        let number = connect(server, PATIENCE).read(|transaction| value(transaction, "SELECT number FROM thing"));
        assert_eq!(number, Ok(Value::Integer(3)));
        let written = connect(server, PATIENCE).read(|transaction| set(transaction, 4));
        assert!(written.is_err_and(|error| error.to_string().contains("read-only")), "reading writes nothing");
    }

    #[test]
    fn sessions_have_limits() {
        let server = Server::start();
        let text = |text: &str| Ok(Value::Text(text.to_owned()));
        let mut store = connect(&server, PATIENCE);
        for show in ["SHOW idle_in_transaction_session_timeout", "SHOW lock_timeout", "SHOW statement_timeout"] {
            assert_eq!(store.write("", |transaction| value(transaction, show)), text("1500ms"), "{show}");
        }
        assert_eq!(store.read(|transaction| value(transaction, "SHOW statement_timeout")), text("1min"));
        // The limits apply to every connection, not only to the first one.
        store.client = None;
        assert_eq!(store.write("", |transaction| value(transaction, "SHOW lock_timeout")), text("1500ms"));
    }
}
