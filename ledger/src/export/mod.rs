//! Ledgers as tables for other tools.
//!
//! Both formats have the same columns: first `id`; then `position` (the 32 bytes of `Circle32`), `fen` and `multiplicity`, or in
//! merged ledgers `first` and `last` (the 20 bytes of the first and the last key); then `disputed`, `count`, in merged ledgers
//! `positions` and `paths`, a column for each kind of moves if leaves are counted by kind, `at` (the time of the count; UTC
//! milliseconds since 1970 in Parquet, seconds in CSV), `backend`, `device`, `variant`, `kogge`, and in merged ledgers `plan`.
//! Bytes are hexadecimal in CSV. Numbers of up to 128 bits are decimal text. Unknown values are empty in CSV and null in Parquet.

mod csv;
#[cfg(feature = "parquet")]
mod parquet;

use std::fs::{File, remove_file, rename};
use std::path::Path;

use kogge_board::Categories;

use crate::{Count, Item, Kind, Ledger, LedgerError, LedgerRow, Place, Size, Source, key_bytes};
use kogge_driver::Quantity;

/// A column of the table.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet has types of columns"))]
#[derive(Clone, Copy)]
struct Column {
    name: &'static str,
    holds: Type,
    /// Whether every row has a value in this column.
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

/// The columns that describe a position.
const POSITION: &[Column] =
    &[required("position", Type::Bytes(32)), required("fen", Type::Text), required("multiplicity", Type::Text)];

/// The columns that describe a range.
const RANGE: &[Column] = &[required("first", Type::Bytes(20)), required("last", Type::Bytes(20))];

impl Ledger {
    fn columns(&self) -> Vec<Column> {
        let (item, size, plan): (_, &[_], &[_]) = match self.header().kind {
            Kind::Positions => (POSITION, &[], &[]),
            Kind::Ranges | Kind::ReversedRanges => (RANGE, &["positions", "paths"], &["plan"]),
        };
        let kinds = match self.header().counted {
            Quantity::Leaves => &[],
            Quantity::Categories => &Categories::NAMES[1..],
        };
        let texts = |names: &[&[&'static str]]| names.concat().into_iter().map(|name| optional(name, Type::Text));
        let mut columns = vec![required("id", Type::Number)];
        columns.extend_from_slice(item);
        columns.push(required("disputed", Type::Flag));
        columns.extend(texts(&[&["count"], size, kinds]));
        columns.push(optional("at", Type::Time));
        columns.extend(texts(&[&["backend", "device", "variant", "kogge"], plan]));
        columns
    }

    fn values(&self, LedgerRow { entry, given, disputed, .. }: &LedgerRow) -> Result<Vec<Option<Value>>, LedgerError> {
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
            let Count { leaves, size, categories } = given.count;
            let size = size.map(|Size { positions, paths }| [positions.into(), paths]);
            let kinds = categories.map(|categories| categories.to_array());
            let kinds = kinds.iter().flat_map(|kinds| &kinds[1..]).copied();
            let numbers = [leaves].into_iter().chain(size.into_iter().flatten()).chain(kinds);
            values.extend(numbers.map(|number: u128| Value::Text(number.to_string())));
            values.push(Value::Time(given.at));
            let Source { backend, device, variant, kogge, plan } = &given.source;
            let plan = self.header().kind.is_ranges().then_some(plan);
            let texts = [backend, device, variant, kogge].into_iter().chain(plan);
            values.extend(texts.map(|text| Value::Text(text.clone())));
        }
        let mut values: Vec<_> = values.into_iter().map(Some).collect();
        values.resize_with(self.columns().len(), || None);
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
        let result = write(&mut to).and_then(|result| {
            to.sync_all().and_then(|()| rename(part, file)).map_err(|error| failure(file, error))?;
            Ok(result)
        });
        if result.is_err() {
            // What is left of a failed export is of no use; the first error is the one to report.
            let _ = remove_file(part);
        }
        result
    }
}

#[cfg(not(feature = "parquet"))]
impl Ledger {
    /// Refuses to write Parquet, because this build lacks it.
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
