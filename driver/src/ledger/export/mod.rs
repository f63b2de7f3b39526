//! Ledgers as tables for other tools.
//!
//! Both formats have the same columns: first `id`; then `position` (the 32 bytes of `Circle32`), `fen` and `multiplicity`, or in
//! merged ledgers `first` and `last` (the 20 bytes of the first and the last key); then `disputed`, `count`, in merged ledgers
//! `positions` and `paths`, `at` (the time of the count; UTC milliseconds since 1970 in Parquet, seconds in CSV), `backend`,
//! `device`, `variant`, `kogge`, and in merged ledgers `plan`. Bytes are hexadecimal in CSV. Numbers of up to 128 bits are decimal
//! text. Unknown values are empty in CSV and null in Parquet.

mod csv;
#[cfg(feature = "parquet")]
mod parquet;

use std::fs::{File, rename};
use std::path::Path;

use super::columns::Tables;
use super::{Answer, Item, Kind, Ledger, LedgerError, Place, Row, key_bytes};

/// A column of the table.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet has types of columns"))]
struct Column {
    name: &'static str,
    holds: Type,
    /// Whether every row has a value.
    required: bool,
}

/// The type of a column's values.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet has types of columns"))]
#[derive(Clone, Copy)]
enum Type {
    Number,
    Bytes(usize),
    Text,
    Flag,
    Time,
}

/// A value of a column.
enum Value {
    Number(u64),
    Bytes(Vec<u8>),
    Text(String),
    Flag(bool),
    /// Seconds since 1970.
    Time(i64),
}

const fn required(name: &'static str, holds: Type) -> Column {
    Column { name, holds, required: true }
}

const fn optional(name: &'static str, holds: Type) -> Column {
    Column { name, holds, required: false }
}

/// The columns of a ledger of positions.
const POSITIONS: &[Column] = &[
    required("id", Type::Number),
    required("position", Type::Bytes(32)),
    required("fen", Type::Text),
    required("multiplicity", Type::Text),
    required("disputed", Type::Flag),
    optional("count", Type::Text),
    optional("at", Type::Time),
    optional("backend", Type::Text),
    optional("device", Type::Text),
    optional("variant", Type::Text),
    optional("kogge", Type::Text),
];

/// The columns of a merged ledger.
const RANGES: &[Column] = &[
    required("id", Type::Number),
    required("first", Type::Bytes(20)),
    required("last", Type::Bytes(20)),
    required("disputed", Type::Flag),
    optional("count", Type::Text),
    optional("positions", Type::Text),
    optional("paths", Type::Text),
    optional("at", Type::Time),
    optional("backend", Type::Text),
    optional("device", Type::Text),
    optional("variant", Type::Text),
    optional("kogge", Type::Text),
    optional("plan", Type::Text),
];

const fn columns(kind: Kind) -> &'static [Column] {
    match kind {
        Kind::Positions => POSITIONS,
        Kind::Ranges => RANGES,
    }
}

impl Ledger {
    /// Returns the values of a row, one for each column.
    fn values(&self, Row { entry, given, disputed, .. }: &Row) -> Result<Vec<Option<Value>>, LedgerError> {
        let kind = self.header().kind;
        // Checksums protect the rows of a store; tables leave it.
        let tables = Tables { kind, checksums: false };
        let mut values = vec![Value::Number(entry.id)];
        match (&entry.item, self.place(entry)?) {
            (Item::Position { packed, multiplicity }, Place::Position(fen)) => values.extend([
                Value::Bytes(packed.to_vec()),
                Value::Text(fen.to_string()),
                Value::Text(multiplicity.to_string()),
            ]),
            (Item::Range(range), _) => {
                values.extend([range.first, range.last].map(|key| Value::Bytes(key_bytes(&key).to_vec())));
            }
            _ => {}
        }
        values.push(Value::Flag(*disputed));
        if let Some(given) = given {
            values.extend(Answer { id: entry.id, count: given.count }.values(tables).into_iter().map(Value::Text));
            values.push(Value::Time(given.at));
            values.extend(given.source.values(tables).into_iter().map(|text| Value::Text(text.to_owned())));
        }
        let mut values: Vec<_> = values.into_iter().map(Some).collect();
        values.resize_with(columns(kind).len(), || None);
        Ok(values)
    }

    /// Calls `write` with a temporary file beside `file`, which then replaces `file`.
    fn replacing<T>(
        &self,
        file: &Path,
        write: impl FnOnce(&mut File) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let mut name = file.as_os_str().to_owned();
        name.push(".part");
        let part = Path::new(&name);
        let mut to = File::create(part).map_err(|error| failure(part, error))?;
        let result = write(&mut to)?;
        to.sync_all().and_then(|()| rename(part, file)).map_err(|error| failure(file, error))?;
        Ok(result)
    }
}

#[cfg(not(feature = "parquet"))]
impl Ledger {
    /// Refuses to write Parquet, which this build lacks.
    ///
    /// # Errors
    /// Always [`LedgerError::Missing`].
    pub fn export_parquet(&self, _: &Path) -> Result<u64, LedgerError> {
        Err(LedgerError::NO_PARQUET)
    }
}

fn failure(file: &Path, error: impl std::fmt::Display) -> LedgerError {
    LedgerError::Export { file: file.display().to_string(), reason: error.to_string() }
}
