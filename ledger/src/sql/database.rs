//! The requirements of a ledger for an SQL database: transactions, and the words that differ between databases.

use rusqlite::types::{FromSql, Value, ValueRef};

use super::problem::Problem;
use crate::LedgerError;

pub(super) type Result<T> = std::result::Result<T, Problem>;

/// The words of statements that differ between databases, with their meaning for one database:
///
/// * the types of whole numbers of 64 bits, of numbers of 128 bits, of bytes, and of a column that numbers its rows;
/// * the end of the definition of the table of entries;
/// * the time in seconds since 1970, with and without its fraction;
/// * the elements of the JSON list in the first parameter, as the column `value`;
/// * locks on the rows of a query until the transaction ends; `@lock_free` skips the rows that others have locked.
pub(crate) type Dialect = [(&'static str, &'static str); 10];

/// Replaces these words in a statement.
pub(crate) fn translate(dialect: &Dialect, sql: &str) -> String {
    dialect.iter().fold(sql.to_owned(), |sql, (word, meaning)| sql.replace(word, meaning))
}

/// A transaction of a database.
pub(crate) trait Transaction {
    /// Runs a statement with the parameters `$1`, `$2` and so on, and returns its rows.
    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Record>>;

    /// Runs statements without parameters, which create tables.
    fn make(&mut self, schema: &str) -> Result<()>;

    fn has_ledger(&mut self) -> Result<bool>;

    /// Prevents others from creating a ledger until the transaction ends.
    fn lock_creation(&mut self) -> Result<()>;
}

/// A row of a query.
pub(crate) struct Record(pub(crate) Vec<Value>);

impl Record {
    /// Reads a column.
    ///
    /// # Errors
    /// [`Problem::Damaged`] if the column does not hold such a value.
    pub(super) fn get<T: FromSql>(&self, index: usize) -> Result<T> {
        let value = self.0.get(index).map_or(ValueRef::Null, ValueRef::from);
        T::column_result(value).map_err(|error| Problem::Damaged(format!("a value cannot be read ({error})")))
    }
}

/// An SQL database. Each call is one transaction; `work` may run again if the connection breaks.
pub(crate) trait Database: Send {
    /// The file or database, for messages.
    fn location(&self) -> &str;

    /// Runs `work`, which only reads.
    fn read<T>(&mut self, work: impl FnMut(&mut dyn Transaction) -> Result<T>) -> std::result::Result<T, LedgerError>;

    /// Runs `work`, which writes. Errors name the operation that failed.
    fn write<T>(
        &mut self,
        doing: &'static str,
        work: impl FnMut(&mut dyn Transaction) -> Result<T>,
    ) -> std::result::Result<T, LedgerError>;
}
