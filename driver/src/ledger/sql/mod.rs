//! Ledgers in SQL databases: the store, written once for all of them.
//!
//! `rows.rs` has the statements. They are the same for all databases, except for a few words that begin with an at sign. A database
//! replaces these words, and runs the statements in its transactions.

mod problem;
mod rows;

use std::time::Duration;

use rusqlite::types::{FromSql, Value, ValueRef};

pub(super) use self::problem::Problem;
use super::record::classify;
use super::{Answer, Count, Dispute, Entry, Header, Item, LedgerError, Recorded, Row, Source, Store, Tally};

type Result<T> = std::result::Result<T, Problem>;

/// The words of statements that differ between databases, with their meaning for one database:
///
/// * the types of whole numbers of 64 bits, of numbers of 128 bits, of bytes, and of a column that numbers its rows;
/// * the end of the table of entries;
/// * the time in seconds since 1970, with its fraction and without;
/// * the elements of the JSON list in the first parameter, as the column `value`;
/// * locks on the rows of a query until the transaction ends; `@lock_free` leaves out the rows that others have locked.
pub(super) type Dialect = [(&'static str, &'static str); 10];

/// Replaces the words of a statement.
pub(super) fn translate(dialect: &Dialect, sql: &str) -> String {
    dialect.iter().fold(sql.to_owned(), |sql, (word, meaning)| sql.replace(word, meaning))
}

/// A transaction of a database.
pub(super) trait Transaction {
    /// Runs a statement with the parameters `$1`, `$2` and so on, and returns its rows.
    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Record>>;

    /// Runs statements without parameters that make tables.
    fn make(&mut self, schema: &str) -> Result<()>;

    /// Returns whether the database has a ledger.
    fn has_ledger(&mut self) -> Result<bool>;

    /// Keeps others from creating a ledger until the transaction ends.
    fn lock_creation(&mut self) -> Result<()>;
}

/// A row of a query.
pub(super) struct Record(pub(super) Vec<Value>);

impl Record {
    /// Reads a column.
    ///
    /// # Errors
    /// [`Problem::Damaged`] if the column does not hold such a value.
    fn get<T: FromSql>(&self, index: usize) -> Result<T> {
        let value = self.0.get(index).map_or(ValueRef::Null, ValueRef::from);
        T::column_result(value).map_err(|error| Problem::Damaged(format!("a value cannot be read ({error})")))
    }
}

/// An SQL database. Each call is a transaction; `work` may run again if the connection breaks.
pub(super) trait Database: Send {
    /// The file or database, for messages.
    fn location(&self) -> &str;

    /// Runs `work`, which only reads.
    fn read<T>(&mut self, work: impl FnMut(&mut dyn Transaction) -> Result<T>) -> std::result::Result<T, LedgerError>;

    /// Runs `work`, which writes. Errors tell what was being done.
    fn write<T>(
        &mut self,
        doing: &'static str,
        work: impl FnMut(&mut dyn Transaction) -> Result<T>,
    ) -> std::result::Result<T, LedgerError>;
}

impl<D: Database> Store for D {
    fn location(&self) -> &str {
        Database::location(self)
    }

    fn header(&mut self) -> std::result::Result<Option<Header>, LedgerError> {
        self.read(rows::header)
    }

    fn create(&mut self, header: &Header, items: &[Item]) -> std::result::Result<(), LedgerError> {
        self.write("when it was made", |transaction| {
            transaction.lock_creation()?;
            if transaction.has_ledger()? { Ok(()) } else { rows::create(transaction, header, items) }
        })
    }

    fn lease(&mut self, worker: &str, most: usize, time: Duration) -> std::result::Result<Vec<Entry>, LedgerError> {
        self.write("when entries were leased", |transaction| rows::lease(transaction, worker, most, time))
    }

    fn extend(&mut self, worker: &str, ids: &[u64], time: Duration) -> std::result::Result<u64, LedgerError> {
        self.write("when leases were extended", |transaction| {
            rows::counts(transaction, ids)?;
            rows::extend(transaction, worker, ids, time)
        })
    }

    fn release(&mut self, worker: &str) -> std::result::Result<(), LedgerError> {
        self.write("when leases were given back", |transaction| rows::release(transaction, worker))
    }

    fn record(&mut self, source: &Source, answers: &[Answer]) -> std::result::Result<Recorded, LedgerError> {
        self.write("when answers were written", |transaction| {
            let source = rows::source(transaction, source)?;
            let ids: Vec<_> = answers.iter().map(|answer| answer.id).collect();
            let known = rows::counts(transaction, &ids)?;
            let recorded = classify(rows::sort(transaction)?, answers, &known).map_err(Problem::Damaged)?;
            let different: Vec<_> = recorded.different.iter().map(|&(answer, _)| answer).collect();
            rows::accept(transaction, &recorded.new, source)?;
            rows::keep(transaction, &recorded.repeated, source)?;
            rows::dispute(transaction, &different, source)?;
            Ok(recorded)
        })
    }

    fn tally(&mut self) -> std::result::Result<Tally, LedgerError> {
        self.read(rows::tally)
    }

    fn is_complete(&mut self) -> std::result::Result<bool, LedgerError> {
        self.read(rows::is_complete)
    }

    fn rows(&mut self, after: Option<u64>, most: usize) -> std::result::Result<Vec<Row>, LedgerError> {
        self.read(|transaction| rows::rows(transaction, after, most))
    }

    fn disputes(&mut self) -> std::result::Result<Vec<Dispute>, LedgerError> {
        self.read(rows::disputes)
    }

    fn settle(&mut self, id: u64, count: &Count) -> std::result::Result<(), LedgerError> {
        self.write("when a dispute was settled", |transaction| rows::settle(transaction, &Answer { id, count: *count }))
    }
}
