//! How PostgreSQL runs the statements of ledgers.

use postgres::Row;
use postgres::types::{ToSql, Type};
use rusqlite::types::Value;

use crate::sql::{Dialect, Problem, Record, Transaction, translate};

/// The advisory lock for the creation of a ledger: "kogge".
const CREATING: i64 = 0x6b_6f67_6765;

const DIALECT: Dialect = [
    ("@integer", "bigint"),
    ("@number", "numeric(39)"),
    ("@bytes", "bytea"),
    ("@key", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    // Leases change entries often.
    ("@end_of_entries", "WITH (fillfactor = 70)"),
    ("@now", "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"),
    ("@second", "CAST(floor(extract(epoch FROM clock_timestamp())) AS bigint)"),
    ("@elements", "jsonb_array_elements(CAST(CAST($1 AS text) AS jsonb))"),
    ("@lock_free", "FOR UPDATE SKIP LOCKED"),
    ("@lock", "FOR UPDATE"),
];

impl Transaction for postgres::Transaction<'_> {
    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Record>, Problem> {
        let parameters: Vec<_> = parameters.iter().map(parameter).collect();
        self.query(&translate(&DIALECT, sql), &parameters)?.iter().map(record).collect()
    }

    fn make(&mut self, schema: &str) -> Result<(), Problem> {
        Ok(self.batch_execute(&translate(&DIALECT, schema))?)
    }

    fn has_ledger(&mut self) -> Result<bool, Problem> {
        // `to_regclass` may miss a new table because of its cache; this query does not.
        let look = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables
                                   WHERE tablename = 'kogge_ledger' AND schemaname = ANY (current_schemas(false)))";
        Ok(self.query_one(look, &[])?.try_get(0)?)
    }

    fn lock_creation(&mut self) -> Result<(), Problem> {
        self.execute("SELECT pg_advisory_xact_lock($1)", &[&CREATING])?;
        Ok(())
    }
}

fn parameter(value: &Value) -> &(dyn ToSql + Sync) {
    match value {
        Value::Null => &None::<i64>,
        Value::Integer(number) => number,
        Value::Real(number) => number,
        Value::Text(text) => text,
        Value::Blob(bytes) => bytes,
    }
}

fn record(row: &Row) -> Result<Record, Problem> {
    let value = |(index, column): (usize, &postgres::Column)| -> Result<Value, postgres::Error> {
        Ok(match *column.type_() {
            Type::BOOL => row.try_get::<_, Option<bool>>(index)?.into(),
            Type::INT4 => row.try_get::<_, Option<i32>>(index)?.into(),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(index)?.into(),
            Type::TEXT => row.try_get::<_, Option<String>>(index)?.into(),
            _ => row.try_get::<_, Option<i64>>(index)?.into(),
        })
    };
    Ok(Record(row.columns().iter().enumerate().map(value).collect::<Result<_, _>>()?))
}
