//! Ledgers as CSV.

use std::io::{BufWriter, Write};
use std::path::Path;

use super::{Value, failure};
use crate::{Ledger, LedgerError, hex};

impl Ledger {
    /// Writes all entries as CSV, after a header line, and returns the number of entries. The new file replaces an
    /// existing file of this name when it is complete.
    ///
    /// # Errors
    /// If the ledger cannot be read or the file cannot be written.
    pub fn export_csv(&self, file: &Path) -> Result<u64, LedgerError> {
        let written = |error: std::io::Error| failure(file, error);
        self.replacing(file, |to| {
            let mut to = BufWriter::new(to);
            let names: Vec<_> = self.columns().iter().map(|column| column.name).collect();
            writeln!(to, "{}", names.join(",")).map_err(written)?;
            let mut rows = 0;
            self.rows(|row| {
                rows += 1;
                let fields: Vec<_> = self.values(&row)?.into_iter().map(field).collect();
                writeln!(to, "{}", fields.join(",")).map_err(written)
            })?;
            to.flush().map_err(written)?;
            Ok(rows)
        })
    }
}

fn field(value: Option<Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bytes(bytes)) => hex(&bytes),
        Some(Value::Text(text)) => quoted(&text),
        Some(Value::Flag(flag)) => flag.to_string(),
        Some(Value::Time(seconds)) => seconds.to_string(),
    }
}

/// Writes a field of CSV, in quotes if it needs them.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
