//! Ledgers in a PostgreSQL database, for any number of machines.
//!
//! A database holds one ledger, or one for each schema: the search path finds the tables, and the address can set it
//! (`?options=-csearch_path%3DNAME`). All times are the server's.
//!
//! If a machine disappears in the middle of a transaction, the server ends the transaction after the length of a lease at
//! most, so that others need not wait for its locks.
//!
//! If the connection breaks, because the server is restarted or the network fails, the current transaction starts again on
//! a new connection. This is harmless even if the first attempt was committed, because answers belong to entries and are
//! recorded once.

mod address;
mod connection;
mod password;
mod rows;
#[cfg(test)]
#[path = "../../../tests/support/server.rs"]
mod server;
mod tls;

use std::collections::BTreeMap;
use std::time::Duration;

pub use connection::Postgres;
use connection::Problem;
use rows::numbers;

use super::checksum;
use super::columns::Tables;
use super::record::classify;
use super::store::{castling, root_bytes};
use super::{
    Answer, Count, Dispute, Entry, FORMAT, Header, Item, Kind, LedgerError, Recorded, Row, Source, Store, Tally,
};

/// Returns the text that makes tables.
fn schema(tables: Tables) -> String {
    match tables.kind {
        Kind::Positions => include_str!("schema.sql").to_owned(),
        Kind::Ranges => tables.schema(include_str!("schema_ranges.sql"), "numeric(39)"),
    }
}

/// The advisory lock for the creation of a ledger: "kogge".
const CREATING: i64 = 0x6b_6f67_6765;
/// The number of entries of a new ledger that are sent at once.
const AT_ONCE: usize = 1 << 13;

impl Store for Postgres {
    fn location(&self) -> &str {
        self.name()
    }

    fn header(&mut self) -> Result<Option<Header>, LedgerError> {
        self.read("when it was opened", rows::header)?.map_err(|found| LedgerError::Format {
            location: self.location().to_owned(),
            found,
            newest: FORMAT,
        })
    }

    fn create(&mut self, header: &Header, items: &[Item]) -> Result<(), LedgerError> {
        self.transact("when it was made", |transaction| {
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&CREATING])?;
            if rows::exists(transaction)? {
                return Ok(());
            }
            transaction.batch_execute(&schema(Tables::of_new(header)))?;
            let Header { kind, root, depth, ply, plan, entries, paths, kogge, created, checksum: _, counted: _ } =
                header;
            transaction.execute(
                "INSERT INTO kogge_ledger
                     (only_one, format, fen, root, castling, depth, ply, plan, entries, paths, kogge, created, checksum)
                 VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9::text::numeric, $10, $11, $12::text::numeric)",
                &[
                    &Tables::of_new(header).format(),
                    &root.to_string(),
                    &&root_bytes(root)[..],
                    &castling(root),
                    &i64::from(*depth),
                    &i64::from(*ply),
                    plan,
                    &(*entries as i64),
                    &paths.to_string(),
                    kogge,
                    created,
                    &checksum::of_new(header, items).to_string(),
                ],
            )?;
            let mut next = 0;
            for items in items.chunks(AT_ONCE) {
                let ids = numbers(next..next + items.len() as u64);
                next += items.len() as u64;
                rows::insert(transaction, *kind, &ids, items)?;
            }
            Ok(())
        })
    }

    fn lease(&mut self, worker: &str, most: usize, time: Duration) -> Result<Vec<Entry>, LedgerError> {
        self.transact("when entries were leased", |transaction| {
            let item = rows::item(rows::tables(transaction)?.kind);
            let rows = transaction.query(
                &format!(
                    "WITH free AS (
                         SELECT id FROM kogge_entry
                         WHERE count IS NULL AND (leased_until IS NULL OR leased_until <= clock_timestamp())
                         ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
                     )
                     UPDATE kogge_entry SET worker = $1, leased_until = clock_timestamp() + make_interval(secs => $3)
                     FROM free WHERE kogge_entry.id = free.id
                     RETURNING kogge_entry.id, {item}"
                ),
                &[&worker, &(most as i64), &time.as_secs_f64()],
            )?;
            let mut leased = rows.iter().map(rows::entry_at).collect::<Result<Vec<_>, _>>()?;
            leased.sort_unstable_by_key(|entry| entry.id);
            Ok(leased)
        })
    }

    fn extend(&mut self, worker: &str, ids: &[u64], time: Duration) -> Result<u64, LedgerError> {
        self.transact("when leases were extended", |transaction| {
            let tables = rows::tables(transaction)?;
            rows::lock(transaction, tables, ids)?;
            Ok(transaction.execute(
                "UPDATE kogge_entry SET leased_until = clock_timestamp() + make_interval(secs => $3)
                 WHERE id = ANY($2) AND worker = $1 AND count IS NULL",
                &[&worker, &numbers(ids.iter().copied()), &time.as_secs_f64()],
            )?)
        })
    }

    fn release(&mut self, worker: &str) -> Result<(), LedgerError> {
        self.transact("when leases were given back", |transaction| {
            transaction.execute(
                "UPDATE kogge_entry SET worker = NULL, leased_until = NULL WHERE worker = $1 AND count IS NULL",
                &[&worker],
            )?;
            Ok(())
        })
    }

    fn record(&mut self, source: &Source, answers: &[Answer]) -> Result<Recorded, LedgerError> {
        self.transact("when answers were written", |transaction| {
            let tables = rows::tables(transaction)?;
            let source = rows::source(transaction, tables, source)?;
            let ids: Vec<_> = answers.iter().map(|answer| answer.id).collect();
            let known: BTreeMap<_, _> = rows::lock(transaction, tables, &ids)?;
            let recorded = classify(tables, answers, &known).map_err(Problem::Damaged)?;
            rows::answer(transaction, tables, &recorded.new, source)?;
            rows::repeat(transaction, tables, &recorded.repeated, source)?;
            for (answer, _) in &recorded.different {
                rows::dispute(transaction, tables, answer, source)?;
            }
            Ok(recorded)
        })
    }

    fn tally(&mut self) -> Result<Tally, LedgerError> {
        self.read("when it was read", rows::tally)
    }

    fn is_complete(&mut self) -> Result<bool, LedgerError> {
        self.read("when it was read", |transaction| {
            let open = "SELECT NOT EXISTS (SELECT 1 FROM kogge_entry WHERE count IS NULL)";
            Ok(transaction.query_one(open, &[])?.try_get(0)?)
        })
    }

    fn rows(&mut self, after: Option<u64>, most: usize) -> Result<Vec<Row>, LedgerError> {
        self.read("when it was read", |transaction| rows::rows(transaction, after, most))
    }

    fn disputes(&mut self) -> Result<Vec<Dispute>, LedgerError> {
        self.read("when it was read", rows::disputes)
    }

    fn settle(&mut self, id: u64, count: &Count) -> Result<(), LedgerError> {
        self.transact("when a dispute was settled", |transaction| {
            let tables = rows::tables(transaction)?;
            rows::settle(transaction, tables, &Answer { id, count: *count })
        })
    }
}
