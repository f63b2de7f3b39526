//! Errors of SQLite.

use rusqlite::Error;
use rusqlite::ffi::{self, ErrorCode};

use crate::sql::Problem;

/// Returns the text in one line, without control characters, and truncated if it is long: SQLite repeats the text of a damaged
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

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let reason = one_line(&match &error {
            Error::SqliteFailure(_, Some(message)) => message.clone(),
            other => other.to_string(),
        });
        match error {
            Error::SqliteFailure(ffi::Error { code: ErrorCode::DiskFull, .. }, _) => Self::Full(reason),
            Error::SqliteFailure(ffi::Error { code: ErrorCode::NotADatabase, .. }, _) => Self::NotALedger(reason),
            Error::SqliteFailure(ffi::Error { code: ErrorCode::DatabaseCorrupt, .. }, _)
            | Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..) => Self::Damaged(reason),
            // The statements are right for the tables that kogge makes.
            Error::SqliteFailure(
                ffi::Error {
                    code: ErrorCode::Unknown | ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch, ..
                },
                _,
            )
            | Error::SqlInputError { .. } => {
                Self::Damaged(format!("its tables are not as kogge makes them ({reason})"))
            }
            _ => Self::Failed { reason, passes: false },
        }
    }
}
