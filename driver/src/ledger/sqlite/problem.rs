//! Errors of SQLite.

use rusqlite::ffi::{self, ErrorCode};

use crate::ledger::LedgerError;

/// An error inside a transaction.
pub(super) enum Problem {
    Sqlite(rusqlite::Error),
    Damaged(String),
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl Problem {
    /// Returns the error of a ledger that failed while `doing` something.
    pub(super) fn told(self, location: &str, doing: &'static str) -> LedgerError {
        match self {
            Self::Sqlite(error) => failure(location, doing, &error),
            Self::Damaged(what) => LedgerError::Damaged { location: location.to_owned(), what },
        }
    }
}

/// Returns the text in one line, without control characters, and cut off where it is long: SQLite repeats the text of a damaged
/// schema.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let printable: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let line = printable.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Explains an error of SQLite.
pub(super) fn failure(location: &str, doing: &'static str, error: &rusqlite::Error) -> LedgerError {
    let location = location.to_owned();
    let reason = match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        rusqlite::Error::SqliteFailure(code, None) => code.to_string(),
        other => other.to_string(),
    };
    let reason = one_line(&reason);
    match error {
        rusqlite::Error::SqliteFailure(ffi::Error { code: ErrorCode::DiskFull, .. }, _) => {
            LedgerError::Full { location, reason }
        }
        rusqlite::Error::SqliteFailure(ffi::Error { code: ErrorCode::NotADatabase, .. }, _) => {
            LedgerError::NotALedger { location, reason }
        }
        rusqlite::Error::SqliteFailure(ffi::Error { code: ErrorCode::DatabaseCorrupt, .. }, _)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::InvalidColumnType(..) => LedgerError::Damaged { location, what: reason },
        _ => LedgerError::Storage { location, doing, reason },
    }
}
