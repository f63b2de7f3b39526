//! Ledgers in a file: an SQLite database.
//!
//! The file is the whole ledger: it can be copied while no process writes, and any SQLite tool can read it. Every
//! transaction is on the disk before it is reported as done (a rollback journal, `synchronous=EXTRA`), so a process or a
//! machine may die at any moment. Several processes of one machine may use the file at the same time.

mod problem;
#[cfg(test)]
mod tests;

use std::fs::{File, remove_file};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, TransactionBehavior, params_from_iter};

use crate::LedgerError;
use crate::sql::{Database, Dialect, Problem, Record, Transaction, translate};

/// The time to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(60);

/// The mark of a ledger in the header of an SQLite file: "kogg".
const APPLICATION_ID: i32 = 0x6b6f_6767;

const DIALECT: Dialect = [
    ("@integer", "INTEGER"),
    ("@number", "TEXT"),
    ("@bytes", "BLOB"),
    ("@key", "INTEGER PRIMARY KEY"),
    ("@end_of_entries", ""),
    ("@now", "unixepoch('subsec')"),
    ("@second", "unixepoch()"),
    ("@elements", "json_each($1)"),
    // SQLite allows only one writing process.
    ("@lock_free", ""),
    ("@lock", ""),
];

/// A ledger in a file.
pub struct Sqlite {
    /// The file; while there is none, an empty database in memory.
    connection: Connection,
    location: String,
    /// The file to create when something is written, so that a run that is refused leaves no file.
    missing: Option<PathBuf>,
}

impl Sqlite {
    /// Opens an existing file.
    ///
    /// # Errors
    /// If there is no such file, or if it is not an SQLite database.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        check_path(path)?;
        if !path.exists() {
            return Err(LedgerError::NoLedger { location: path.display().to_string() });
        }
        Self::connect(path, OpenFlags::empty())
    }

    /// Opens a file, or creates it when a ledger is written.
    ///
    /// # Errors
    /// If it can be neither opened nor created, or if it is not an SQLite database.
    pub fn open_or_create(path: &Path) -> Result<Self, LedgerError> {
        check_path(path)?;
        if path.exists() {
            return Self::connect(path, OpenFlags::empty());
        }
        check_folder(path)?;
        let memory = Self::begin(path.display().to_string(), Connection::open_in_memory())?;
        Ok(Self { missing: Some(path.to_owned()), ..memory })
    }

    /// Opens an empty database in memory, which disappears with the process.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn in_memory() -> Result<Self, LedgerError> {
        Self::begin("memory".to_owned(), Connection::open_in_memory())
    }

    fn connect(path: &Path, create: OpenFlags) -> Result<Self, LedgerError> {
        // Without URIs, a file name may contain any characters.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
        Self::begin(path.display().to_string(), Connection::open_with_flags(path, flags))
    }

    fn begin(location: String, opened: rusqlite::Result<Connection>) -> Result<Self, LedgerError> {
        let opened = opened.and_then(|connection| {
            connection.busy_timeout(PATIENCE)?;
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.pragma_update(None, "synchronous", "EXTRA")?;
            // This statement reads the file for the first time, and undoes an unfinished transaction of a killed process.
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            Ok(connection)
        });
        match opened {
            Ok(connection) => Ok(Self { connection, location, missing: None }),
            Err(error) => Err(Problem::from(error).told(&location, "when it was opened")),
        }
    }

    fn transact<T>(
        &mut self,
        doing: &'static str,
        behavior: TransactionBehavior,
        mut work: impl FnMut(&mut dyn Transaction) -> Result<T, Problem>,
    ) -> Result<T, LedgerError> {
        if let (Some(path), TransactionBehavior::Immediate) = (&self.missing, behavior) {
            *self = Self::connect(path, OpenFlags::SQLITE_OPEN_CREATE)?;
        }
        let Self { connection, location, .. } = self;
        let mut run = || {
            let mut transaction = connection.transaction_with_behavior(behavior)?;
            let result = work(&mut transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        run().map_err(|problem: Problem| problem.told(location, doing))
    }
}

/// Refuses what SQLite takes for a database in memory, or for a URI, which may mean one.
fn check_path(path: &Path) -> Result<(), LedgerError> {
    let text = path.to_string_lossy();
    if text.is_empty() || text == ":memory:" || text.starts_with("file:") {
        return Err(LedgerError::NoFile { path: text.into_owned() });
    }
    Ok(())
}

/// Checks that files can be made in the folder of a ledger, because the ledger is made only after its tree was divided.
fn check_folder(path: &Path) -> Result<(), LedgerError> {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    File::create(&name).and_then(|_| remove_file(&name)).map_err(|error| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let reason = format!("no file can be made in the folder {} ({error})", folder.display());
        LedgerError::Storage { location: path.display().to_string(), doing: "when it was made", reason }
    })
}

impl Database for Sqlite {
    fn location(&self) -> &str {
        &self.location
    }

    fn read<T>(&mut self, work: impl FnMut(&mut dyn Transaction) -> Result<T, Problem>) -> Result<T, LedgerError> {
        // Deferred, so that others can read at the same time.
        self.transact("when it was read", TransactionBehavior::Deferred, work)
    }

    fn write<T>(
        &mut self,
        doing: &'static str,
        work: impl FnMut(&mut dyn Transaction) -> Result<T, Problem>,
    ) -> Result<T, LedgerError> {
        // Immediate, so that no process writes between this transaction's first read and its first write.
        self.transact(doing, TransactionBehavior::Immediate, work)
    }
}

impl Transaction for rusqlite::Transaction<'_> {
    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Record>, Problem> {
        let mut statement = self.prepare_cached(&translate(&DIALECT, sql).replace('$', "?"))?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(parameters))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(Record((0..columns).map(|index| row.get(index)).collect::<Result<_, _>>()?));
        }
        Ok(found)
    }

    fn make(&mut self, schema: &str) -> Result<(), Problem> {
        self.execute_batch(&translate(&DIALECT, schema))?;
        Ok(self.pragma_update(None, "application_id", APPLICATION_ID)?)
    }

    fn has_ledger(&mut self) -> Result<bool, Problem> {
        if !self.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))? {
            return Ok(false);
        }
        match self.query_row("PRAGMA application_id", [], |row| row.get(0))? {
            APPLICATION_ID => Ok(true),
            _ => Err(Problem::NotALedger("it is a database of another program".to_owned())),
        }
    }

    fn lock_creation(&mut self) -> Result<(), Problem> {
        // SQLite allows only one writing process.
        Ok(())
    }
}
