//! Ledgers in a file: an SQLite database.
//!
//! The file is the whole ledger: it can be copied while nobody writes, and read with any SQLite tool. Every
//! transaction is on the disk before it is done (a rollback journal, `synchronous=EXTRA`), so a process or a machine may die
//! at any moment. Several processes of one machine may use the file at once.

mod problem;
mod rows;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params};

use self::problem::{Problem, failure};
use self::rows::APPLICATION_ID;
use super::checksum;
use super::columns::Tables;
use super::record::classify;
use super::store::{castling, key_bytes, root_bytes};
use super::{Answer, Count, Dispute, Entry, Header, Item, Kind, LedgerError, Recorded, Row, Source, Store, Tally};

/// The time to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the text that makes tables.
fn schema(tables: Tables) -> String {
    match tables.kind {
        Kind::Positions => include_str!("schema.sql").to_owned(),
        Kind::Ranges => tables.schema(include_str!("schema_ranges.sql"), "TEXT"),
    }
}

/// A ledger in a file.
pub struct Sqlite {
    connection: Connection,
    location: String,
}

impl Sqlite {
    /// Opens an existing file.
    ///
    /// # Errors
    /// If there is no such file, or if it is not an SQLite database.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        if !path.exists() {
            return Err(LedgerError::NoLedger { location: path.display().to_string() });
        }
        Self::connect(path, OpenFlags::empty())
    }

    /// Opens a file, or creates it.
    ///
    /// # Errors
    /// If it can be neither opened nor created, or if it is not an SQLite database.
    pub fn open_or_create(path: &Path) -> Result<Self, LedgerError> {
        Self::connect(path, OpenFlags::SQLITE_OPEN_CREATE)
    }

    fn connect(path: &Path, create: OpenFlags) -> Result<Self, LedgerError> {
        let location = path.display().to_string();
        // Without URIs, any characters are allowed in a name.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
        let opened = Connection::open_with_flags(path, flags).and_then(|connection| {
            connection.busy_timeout(PATIENCE)?;
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.pragma_update(None, "synchronous", "EXTRA")?;
            // This reads the file for the first time, and undoes an unfinished transaction of a killed process.
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            Ok(connection)
        });
        match opened {
            Ok(connection) => Ok(Self { connection, location }),
            Err(error) => Err(failure(&location, "when it was opened", &error)),
        }
    }

    /// Runs `work` as one transaction.
    fn transact<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Problem>,
    ) -> Result<T, LedgerError> {
        let Self { connection, location } = self;
        let run = || {
            // Immediate, so that nobody writes between this transaction's first read and its first write.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        run().map_err(|problem: Problem| problem.told(location, doing))
    }

    /// Reads the ledger without blocking other readers.
    fn read<T>(&mut self, look: impl FnOnce(&Transaction<'_>) -> Result<T, Problem>) -> Result<T, LedgerError> {
        let Self { connection, location } = self;
        let run = || look(&connection.transaction()?);
        run().map_err(|problem| problem.told(location, "when it was read"))
    }
}

impl Store for Sqlite {
    fn location(&self) -> &str {
        &self.location
    }

    fn header(&mut self) -> Result<Option<Header>, LedgerError> {
        self.read(rows::header)?.map_err(|mismatch| mismatch.told(&self.location))
    }

    fn create(&mut self, header: &Header, items: &[Item]) -> Result<(), LedgerError> {
        self.transact("when it was made", |transaction| {
            if rows::has_tables(transaction)? {
                return Ok(());
            }
            transaction.execute_batch(&schema(Tables::of_new(header)))?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            let Header { kind, root, depth, ply, plan, entries, paths, kogge, created, checksum: _, counted: _ } =
                header;
            transaction.execute(
                "INSERT INTO ledger
                     (only_one, format, fen, root, castling, depth, ply, plan, entries, paths, kogge, created, checksum)
                 VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                params![
                    Tables::of_new(header).format(),
                    root.to_string(),
                    root_bytes(root),
                    castling(root),
                    depth,
                    ply,
                    plan,
                    entries,
                    paths.to_string(),
                    kogge,
                    created,
                    checksum::of_new(header, items).to_string()
                ],
            )?;
            let columns = match kind {
                Kind::Positions => "position, multiplicity",
                Kind::Ranges => "first, last",
            };
            let mut insert = transaction.prepare(&format!("INSERT INTO entry (id, {columns}) VALUES (?1, ?2, ?3)"))?;
            for (id, item) in (0i64..).zip(items) {
                match item {
                    Item::Position { packed, multiplicity } => {
                        insert.execute(params![id, packed, multiplicity.to_string()])?
                    }
                    Item::Range(range) => {
                        insert.execute(params![id, key_bytes(&range.first), key_bytes(&range.last)])?
                    }
                };
            }
            Ok(())
        })
    }

    fn lease(&mut self, worker: &str, most: usize, time: Duration) -> Result<Vec<Entry>, LedgerError> {
        self.transact("when entries were leased", |transaction| {
            let mut update = transaction.prepare_cached(&format!(
                "UPDATE entry SET worker = ?1, leased_until = unixepoch('subsec') + ?3
                 WHERE id IN (
                     SELECT id FROM entry
                     WHERE count IS NULL AND (leased_until IS NULL OR leased_until <= unixepoch('subsec'))
                     ORDER BY id LIMIT ?2
                 )
                 RETURNING id, {}",
                rows::item(rows::tables(transaction)?.kind)
            ))?;
            let mut found = update.query(params![worker, most, time.as_secs_f64()])?;
            let mut leased = Vec::new();
            while let Some(row) = found.next()? {
                leased.push(rows::entry_at(row)?);
            }
            leased.sort_unstable_by_key(|entry| entry.id);
            Ok(leased)
        })
    }

    fn extend(&mut self, worker: &str, ids: &[u64], time: Duration) -> Result<u64, LedgerError> {
        self.transact("when leases were extended", |transaction| {
            let mut update = transaction.prepare_cached(
                "UPDATE entry SET leased_until = unixepoch('subsec') + ?3
                 WHERE id = ?2 AND worker = ?1 AND count IS NULL",
            )?;
            let mut held = 0;
            for id in ids {
                held += update.execute(params![worker, id, time.as_secs_f64()])? as u64;
            }
            Ok(held)
        })
    }

    fn release(&mut self, worker: &str) -> Result<(), LedgerError> {
        self.transact("when leases were given back", |transaction| {
            transaction.execute(
                "UPDATE entry SET worker = NULL, leased_until = NULL WHERE worker = ?1 AND count IS NULL",
                [worker],
            )?;
            Ok(())
        })
    }

    fn record(&mut self, source: &Source, answers: &[Answer]) -> Result<Recorded, LedgerError> {
        self.transact("when answers were written", |transaction| {
            let tables = rows::tables(transaction)?;
            let mut known = BTreeMap::new();
            for &Answer { id, .. } in answers {
                if let Some(count) = rows::count_of(transaction, tables, id)? {
                    known.insert(id, count);
                }
            }
            let recorded = classify(tables, answers, &known).map_err(Problem::Damaged)?;
            let source = rows::source(transaction, tables, source)?;
            for answer in &recorded.new {
                rows::answer(transaction, tables, answer, source)?;
            }
            for Answer { id, .. } in &recorded.repeated {
                rows::repeat(transaction, tables, *id, source)?;
            }
            for (answer, _) in &recorded.different {
                rows::dispute(transaction, tables, answer, source)?;
            }
            Ok(recorded)
        })
    }

    fn tally(&mut self) -> Result<Tally, LedgerError> {
        self.read(rows::tally)
    }

    fn is_complete(&mut self) -> Result<bool, LedgerError> {
        self.read(|transaction| {
            let open = "SELECT 1 FROM entry WHERE count IS NULL LIMIT 1";
            Ok(transaction.query_row(open, [], |_| Ok(())).optional()?.is_none())
        })
    }

    fn rows(&mut self, after: Option<u64>, most: usize) -> Result<Vec<Row>, LedgerError> {
        self.read(|transaction| rows::rows(transaction, after, most))
    }

    fn disputes(&mut self) -> Result<Vec<Dispute>, LedgerError> {
        self.read(rows::disputes)
    }

    fn settle(&mut self, id: u64, count: &Count) -> Result<(), LedgerError> {
        self.transact("when a dispute was settled", |transaction| {
            rows::settle(transaction, rows::tables(transaction)?, &Answer { id, count: *count })
        })
    }
}
