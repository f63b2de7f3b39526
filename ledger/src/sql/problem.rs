//! Errors inside transactions.

use crate::LedgerError;
use crate::store::FORMAT;

/// The reason why a transaction failed.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The disk is full.
    Full(String),
    /// The database holds something other than a ledger.
    NotALedger(String),
    /// The ledger has another format version.
    Format(i64),
    /// The ledger contains data that kogge does not write.
    Damaged(String),
    /// The database failed. The transaction may succeed a little later if `passes` is set.
    Failed {
        reason: String,
        #[cfg_attr(
            not(feature = "postgres"),
            expect(dead_code, reason = "only transactions of PostgreSQL are repeated")
        )]
        passes: bool,
    },
}

impl Problem {
    /// Returns the error of a ledger that failed while `doing` something.
    pub(crate) fn told(self, location: &str, doing: &'static str) -> LedgerError {
        let location = location.to_owned();
        match self {
            Self::Full(reason) => LedgerError::Full { location, reason },
            Self::NotALedger(reason) => LedgerError::NotALedger { location, reason },
            Self::Format(found) => LedgerError::Format { location, found, expected: FORMAT },
            Self::Damaged(what) => LedgerError::Damaged { location, what },
            Self::Failed { reason, .. } => LedgerError::Storage { location, doing, reason },
        }
    }
}
