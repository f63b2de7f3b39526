//! Entries of ledgers and their counts, in text and in JSON.

use kogge::{
    Categories,
    ledger::{Ledger, LedgerEntry, LedgerError, Place, Size},
};
use serde::Serialize;

/// An entry.
#[derive(Serialize)]
pub(crate) struct Entry {
    id: u64,
    #[serde(flatten)]
    stands_for: StandsFor,
}

/// The meaning of an entry: a position, or a range by its first and last key.
#[derive(Serialize)]
#[serde(untagged)]
enum StandsFor {
    Position { fen: String },
    Range { first: String, last: String },
}

impl Entry {
    pub(crate) fn new(id: u64, place: &Place) -> Self {
        let stands_for = match place {
            Place::Position(fen) => StandsFor::Position { fen: fen.to_string() },
            Place::Range([first, last]) => StandsFor::Range { first: first.clone(), last: last.clone() },
        };
        Self { id, stands_for }
    }

    /// Describes an entry of a ledger.
    pub(crate) fn of(ledger: &Ledger, entry: &LedgerEntry) -> Result<Self, LedgerError> {
        Ok(Self::new(entry.id, &ledger.place(entry)?))
    }
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "entry {}, ", self.id)?;
        match &self.stands_for {
            StandsFor::Position { fen } => f.write_str(fen),
            StandsFor::Range { first, last } => write!(f, "keys {first} to {last}"),
        }
    }
}

/// The count of an entry.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Count {
    /// Of a position.
    Position(u128),
    /// Of a range.
    Range {
        leaves: u128,
        positions: u64,
        paths: u128,
        /// The leaves of each kind, if the ledger counts them, in the order of the columns.
        #[serde(skip_serializing_if = "Option::is_none")]
        kinds: Option<Vec<u128>>,
    },
}

impl From<kogge::ledger::Count> for Count {
    fn from(kogge::ledger::Count { leaves, size, categories }: kogge::ledger::Count) -> Self {
        match size {
            None => Self::Position(leaves),
            Some(Size { positions, paths }) => {
                let kinds = categories.map(|categories| categories.to_array()[1..].to_vec());
                Self::Range { leaves, positions, paths, kinds }
            }
        }
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Position(leaves) => write!(f, "{leaves}"),
            Self::Range { leaves, positions, paths, kinds } => {
                write!(f, "{leaves} ({positions} positions, {paths} paths")?;
                for (name, number) in Categories::NAMES.iter().skip(1).zip(kinds.iter().flatten()) {
                    write!(f, ", {name} {number}")?;
                }
                f.write_str(")")
            }
        }
    }
}
