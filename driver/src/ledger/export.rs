//! Ledgers as tables for other tools.
//!
//! Both formats have the same columns: `id`, `position` (the 32 bytes of `Circle32`; hex in CSV), `fen`,
//! `multiplicity`, `count`, `backend`, `device`, `variant`, `kogge`, `at` (the time of the count; UTC milliseconds
//! since 1970 in Parquet, seconds in CSV) and `disputed`. Numbers of up to 128 bits are decimal text. Unknown values are
//! empty in CSV and null in Parquet.

use std::fs::{File, rename};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{FORMAT, Given, Header, Ledger, LedgerError, Row};

/// The number of rows in a group of a Parquet file.
const GROUP: usize = 1 << 16;

const SCHEMA: &str = "message entry {
    required int64 id;
    required fixed_len_byte_array(32) position;
    required binary fen (UTF8);
    required binary multiplicity (UTF8);
    required boolean disputed;
    optional binary count (UTF8);
    optional int64 at (TIMESTAMP_MILLIS);
    optional binary backend (UTF8);
    optional binary device (UTF8);
    optional binary variant (UTF8);
    optional binary kogge (UTF8);
}";

impl Ledger {
    /// Writes all entries as CSV, after a line of names, and returns their number. A file of that name is replaced when
    /// the new one is complete.
    ///
    /// # Errors
    /// If the ledger cannot be read or the file cannot be written.
    pub fn export_csv(&self, file: &Path) -> Result<u64, LedgerError> {
        let written = |error: std::io::Error| failure(file, error);
        self.replacing(file, |to| {
            let mut to = BufWriter::new(to);
            let names = "id,position,fen,multiplicity,disputed,count,at,backend,device,variant,kogge";
            writeln!(to, "{names}").map_err(written)?;
            let mut rows = 0;
            self.rows(|row| {
                rows += 1;
                writeln!(to, "{}", self.csv_line(&row)?).map_err(written)
            })?;
            to.flush().map_err(written)?;
            Ok(rows)
        })
    }

    /// Writes all entries as Parquet, and returns their number. The file's metadata name the root, the depth, the ply and
    /// the plan. A file of that name is replaced when the new one is complete.
    ///
    /// # Errors
    /// If the ledger cannot be read or the file cannot be written.
    pub fn export_parquet(&self, file: &Path) -> Result<u64, LedgerError> {
        let written = |error: ParquetError| failure(file, error);
        self.replacing(file, |to| {
            let schema = Arc::new(parse_message_type(SCHEMA).map_err(written)?);
            let properties = WriterProperties::builder()
                .set_compression(Compression::UNCOMPRESSED)
                .set_key_value_metadata(Some(metadata(self.header())))
                .build();
            let mut writer = SerializedFileWriter::new(to, schema, Arc::new(properties)).map_err(written)?;
            let (mut rows, mut group) = (0, Vec::with_capacity(GROUP));
            self.rows(|row| {
                rows += 1;
                let fen = self.fen(row.id, &row.position)?.to_string();
                group.push((row, fen));
                if group.len() == GROUP {
                    write_group(&mut writer, &std::mem::take(&mut group)).map_err(written)?;
                }
                Ok(())
            })?;
            if !group.is_empty() {
                write_group(&mut writer, &group).map_err(written)?;
            }
            writer.close().map_err(written)?;
            Ok(rows)
        })
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

    fn csv_line(&self, row: &Row) -> Result<String, LedgerError> {
        let Row { id, position, multiplicity, given, disputed } = row;
        let fen = self.fen(*id, position)?;
        let position: String = position.iter().map(|byte| format!("{byte:02x}")).collect();
        let answer = match given {
            None => ",,,,,".to_owned(),
            Some(Given { count, source, at }) => {
                let names = [&source.backend, &source.device, &source.variant, &source.kogge].map(|name| quoted(name));
                format!("{count},{at},{}", names.join(","))
            }
        };
        Ok(format!("{id},{position},{fen},{multiplicity},{disputed},{answer}"))
    }
}

/// Writes a field of CSV, in quotes if it needs them.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

fn failure(file: &Path, error: impl std::fmt::Display) -> LedgerError {
    LedgerError::Export { file: file.display().to_string(), reason: error.to_string() }
}

fn metadata(header: &Header) -> Vec<KeyValue> {
    [
        ("kogge.format", FORMAT.to_string()),
        ("kogge.fen", header.root.to_string()),
        ("kogge.depth", header.depth.to_string()),
        ("kogge.ply", header.ply.to_string()),
        ("kogge.plan", header.plan.clone()),
    ]
    .map(|(key, value)| KeyValue::new(key.to_owned(), value))
    .to_vec()
}

/// Writes a group of rows, column by column, in the order of the schema.
fn write_group(writer: &mut SerializedFileWriter<&mut File>, rows: &[(Row, String)]) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    let ids: Vec<_> = rows.iter().map(|(row, _)| row.id as i64).collect();
    column::<Int64Type>(&mut group, &ids, None)?;
    let positions: Vec<_> = rows.iter().map(|(row, _)| FixedLenByteArray::from(row.position.to_vec())).collect();
    column::<FixedLenByteArrayType>(&mut group, &positions, None)?;
    let fens: Vec<_> = rows.iter().map(|(_, fen)| ByteArray::from(fen.as_str())).collect();
    column::<ByteArrayType>(&mut group, &fens, None)?;
    let multiplicities: Vec<_> =
        rows.iter().map(|(row, _)| ByteArray::from(row.multiplicity.to_string().as_str())).collect();
    column::<ByteArrayType>(&mut group, &multiplicities, None)?;
    let disputed: Vec<_> = rows.iter().map(|(row, _)| row.disputed).collect();
    column::<BoolType>(&mut group, &disputed, None)?;

    // For the other columns, only known values are written, with a flag for each row that tells whether it has a value.
    let is_there: Vec<i16> = rows.iter().map(|(row, _)| row.given.is_some().into()).collect();
    let is_there = Some(&is_there[..]);
    let given = || rows.iter().filter_map(|(row, _)| row.given.as_ref());
    let counts: Vec<_> = given().map(|given| ByteArray::from(given.count.to_string().as_str())).collect();
    column::<ByteArrayType>(&mut group, &counts, is_there)?;
    let times: Vec<_> = given().map(|given| given.at.saturating_mul(1000)).collect();
    column::<Int64Type>(&mut group, &times, is_there)?;
    let names: [fn(&Given) -> &str; 4] = [
        |given| &given.source.backend,
        |given| &given.source.device,
        |given| &given.source.variant,
        |given| &given.source.kogge,
    ];
    for name in names {
        let names: Vec<_> = given().map(|given| ByteArray::from(name(given))).collect();
        column::<ByteArrayType>(&mut group, &names, is_there)?;
    }
    group.close()?;
    Ok(())
}

/// Writes the next column of a group.
fn column<T: parquet::data_type::DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut File>,
    values: &[T::T],
    is_there: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column =
        group.next_column()?.ok_or_else(|| ParquetError::General("the schema has fewer columns".to_owned()))?;
    column.typed::<T>().write_batch(values, is_there, None)?;
    column.close()
}
