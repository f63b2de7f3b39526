//! Ledgers as Parquet.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{Column, Type, Value, failure};
use crate::{FORMAT, Header, Ledger, LedgerError};

/// The number of rows in a group.
const GROUP: usize = 1 << 16;

/// A row: a value for each column.
type Values = Vec<Option<Value>>;

impl Ledger {
    /// Writes all entries as Parquet, and returns their number. The file's metadata contain the root, the depth, the ply
    /// and the plan. The new file replaces an existing file of this name when it is complete.
    ///
    /// # Errors
    /// If the ledger cannot be read or the file cannot be written.
    pub fn export_parquet(&self, file: &Path) -> Result<u64, LedgerError> {
        let written = |error: ParquetError| failure(file, error);
        let columns = &*self.columns();
        self.replacing(file, |to| {
            let schema = Arc::new(parse_message_type(&schema(columns)).map_err(written)?);
            let properties = WriterProperties::builder()
                .set_compression(Compression::UNCOMPRESSED)
                .set_key_value_metadata(Some(metadata(self.header())))
                .build();
            let mut writer = SerializedFileWriter::new(to, schema, Arc::new(properties)).map_err(written)?;
            let (mut rows, mut group) = (0, Vec::with_capacity(GROUP));
            self.rows(|row| {
                rows += 1;
                group.push(self.values(&row)?);
                if group.len() == GROUP {
                    write_group(&mut writer, columns, &std::mem::take(&mut group)).map_err(written)?;
                }
                Ok(())
            })?;
            if !group.is_empty() {
                write_group(&mut writer, columns, &group).map_err(written)?;
            }
            writer.close().map_err(written)?;
            Ok(rows)
        })
    }
}

fn schema(columns: &[Column]) -> String {
    let line = |&Column { name, holds, required }: &Column| {
        let required = if required { "required" } else { "optional" };
        match holds {
            Type::Number => format!("{required} int64 {name};"),
            Type::Bytes(len) => format!("{required} fixed_len_byte_array({len}) {name};"),
            Type::Text => format!("{required} binary {name} (UTF8);"),
            Type::Flag => format!("{required} boolean {name};"),
            Type::Time => format!("{required} int64 {name} (TIMESTAMP_MILLIS);"),
        }
    };
    format!("message entry {{ {} }}", columns.iter().map(line).collect::<Vec<_>>().join(" "))
}

fn metadata(header: &Header) -> Vec<KeyValue> {
    [
        ("kogge.format", FORMAT.to_string()),
        ("kogge.fen", header.root.to_string()),
        ("kogge.depth", header.depth.to_string()),
        ("kogge.ply", header.ply.to_string()),
        ("kogge.paths", header.paths.to_string()),
        ("kogge.plan", header.plan.clone()),
    ]
    .map(|(key, value)| KeyValue::new(key.to_owned(), value))
    .to_vec()
}

fn write_group(
    writer: &mut SerializedFileWriter<&mut File>,
    columns: &[Column],
    rows: &[Values],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for (index, column) in columns.iter().enumerate() {
        let values = rows.iter().map(|row| row.get(index).and_then(Option::as_ref));
        // Only known values are written, and a flag for each row marks whether it has a value.
        let is_there: Vec<i16> = values.clone().map(|value| value.is_some().into()).collect();
        let is_there = (!column.required).then_some(&is_there[..]);
        let values = values.flatten();
        match column.holds {
            Type::Number | Type::Time => write::<Int64Type>(&mut group, values.filter_map(whole), is_there)?,
            Type::Flag => write::<BoolType>(&mut group, values.filter_map(flag), is_there)?,
            Type::Text => write::<ByteArrayType>(&mut group, values.filter_map(text), is_there)?,
            Type::Bytes(_) => write::<FixedLenByteArrayType>(&mut group, values.filter_map(bytes), is_there)?,
        }
    }
    group.close()?;
    Ok(())
}

/// Returns a number, or a time in milliseconds.
fn whole(value: &Value) -> Option<i64> {
    match *value {
        Value::Number(number) => i64::try_from(number).ok(),
        Value::Time(seconds) => Some(seconds.saturating_mul(1000)),
        _ => None,
    }
}

fn flag(value: &Value) -> Option<bool> {
    if let Value::Flag(flag) = value { Some(*flag) } else { None }
}

fn text(value: &Value) -> Option<ByteArray> {
    if let Value::Text(text) = value { Some(text.as_str().into()) } else { None }
}

fn bytes(value: &Value) -> Option<FixedLenByteArray> {
    if let Value::Bytes(bytes) = value { Some(bytes.clone().into()) } else { None }
}

/// Writes the next column of a group.
fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut File>,
    values: impl Iterator<Item = T::T>,
    is_there: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column =
        group.next_column()?.ok_or_else(|| ParquetError::General("the schema has fewer columns".to_owned()))?;
    column.typed::<T>().write_batch(&values.collect::<Vec<_>>(), is_there, None)?;
    column.close()
}
