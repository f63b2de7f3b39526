//! Ledgers in a PostgreSQL database, for any number of machines.
//!
//! A database holds one ledger, or one for each schema: the search path finds the tables, and the address can set it
//! (`?options=-csearch_path%3DNAME`). All times are the server's.
//!
//! If the connection breaks, because the server is restarted or the network fails, the current transaction starts again on
//! a new connection. This is harmless even if the first attempt was committed, because answers belong to entries and are
//! recorded once.

mod connection;
mod rows;

use std::collections::BTreeMap;
use std::time::Duration;

use postgres::Transaction;

pub use connection::Postgres;
use connection::Problem;
use rows::numbers;

use super::record::classify;
use super::store::{castling, packed, root_bytes};
use super::{Answer, Dispute, FORMAT, Header, Leased, LedgerError, Recorded, Row, Source, Store, Tally};
use crate::Frontier;

const SCHEMA: &str = include_str!("schema.sql");

/// The advisory lock for the creation of a ledger: "kogge".
const CREATING: i64 = 0x6b_6f67_6765;
/// The number of entries of a new ledger that are sent at once.
const AT_ONCE: usize = 1 << 13;

impl Store for Postgres {
    fn location(&self) -> &str {
        self.name()
    }

    fn header(&mut self) -> Result<Option<Header>, LedgerError> {
        self.transact("when it was opened", rows::header)?.map_err(|found| LedgerError::Format {
            location: self.location().to_owned(),
            found,
            expected: FORMAT,
        })
    }

    fn create(&mut self, header: &Header, frontier: &Frontier) -> Result<(), LedgerError> {
        self.transact("when it was made", |transaction| {
            transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&CREATING])?;
            if rows::exists(transaction)? {
                return Ok(());
            }
            transaction.batch_execute(SCHEMA)?;
            let Header { root, depth, ply, plan, entries, paths, kogge, created } = header;
            transaction.execute(
                "INSERT INTO kogge_ledger
                     (only_one, format, fen, root, castling, depth, ply, plan, entries, paths, kogge, created)
                 VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9::text::numeric, $10, $11)",
                &[
                    &FORMAT,
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
                ],
            )?;
            let insert = transaction.prepare(
                "INSERT INTO kogge_entry (id, position, multiplicity)
                 SELECT id, position, multiplicity::numeric
                 FROM unnest($1::bigint[], $2::bytea[], $3::text[]) AS given (id, position, multiplicity)",
            )?;
            let chunks = frontier.positions().chunks(AT_ONCE).zip(frontier.multiplicities().chunks(AT_ONCE));
            let mut next = 0;
            for (positions, multiplicities) in chunks {
                let ids = numbers(next..next + positions.len() as u64);
                next += positions.len() as u64;
                let positions: Vec<_> = positions.iter().map(|position| packed(&position.into()).to_vec()).collect();
                let multiplicities: Vec<_> = multiplicities.iter().map(u128::to_string).collect();
                transaction.execute(&insert, &[&ids, &positions, &multiplicities])?;
            }
            Ok(())
        })
    }

    fn lease(&mut self, worker: &str, most: usize, time: Duration) -> Result<Vec<Leased>, LedgerError> {
        self.transact("when entries were leased", |transaction| {
            let rows = transaction.query(
                "WITH free AS (
                     SELECT id FROM kogge_entry
                     WHERE count IS NULL AND (leased_until IS NULL OR leased_until <= clock_timestamp())
                     ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
                 )
                 UPDATE kogge_entry SET worker = $1, leased_until = clock_timestamp() + make_interval(secs => $3)
                 FROM free WHERE kogge_entry.id = free.id
                 RETURNING kogge_entry.id, position",
                &[&worker, &(most as i64), &time.as_secs_f64()],
            )?;
            let mut leased = Vec::with_capacity(rows.len());
            for row in rows {
                let id = rows::id(&row, 0)?;
                leased.push(Leased { id, position: rows::position(&row, 1, id)? });
            }
            leased.sort_unstable_by_key(|entry| entry.id);
            Ok(leased)
        })
    }

    fn extend(&mut self, worker: &str, ids: &[u64], time: Duration) -> Result<u64, LedgerError> {
        self.transact("when leases were extended", |transaction| {
            rows::lock(transaction, ids)?;
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
            let source = rows::source(transaction, source)?;
            let ids: Vec<_> = answers.iter().map(|answer| answer.id).collect();
            let known: BTreeMap<_, _> = rows::lock(transaction, &ids)?;
            let recorded = classify(answers, &known)
                .map_err(|id| Problem::Damaged(format!("entry {id}, which was counted, is not in it")))?;
            let counts: Vec<_> = recorded.new.iter().map(|answer| answer.count.to_string()).collect();
            transaction.execute(
                "UPDATE kogge_entry
                 SET count = given.count::numeric, source = $3, at = clock_timestamp(), worker = NULL, leased_until = NULL
                 FROM unnest($1::bigint[], $2::text[]) AS given (id, count)
                 WHERE kogge_entry.id = given.id AND kogge_entry.count IS NULL",
                &[&numbers(recorded.new.iter().map(|answer| answer.id)), &counts, &source],
            )?;
            transaction.execute(
                "INSERT INTO kogge_answer (entry, count, source, at)
                 SELECT id, count, $2, clock_timestamp() FROM kogge_entry WHERE id = ANY($1) AND source <> $2
                 ON CONFLICT DO NOTHING",
                &[&numbers(recorded.repeated.iter().map(|answer| answer.id)), &source],
            )?;
            for (answer, _) in &recorded.different {
                rows::dispute(transaction, answer, source)?;
            }
            Ok(recorded)
        })
    }

    fn tally(&mut self) -> Result<Tally, LedgerError> {
        self.transact("when it was read", rows::tally)
    }

    fn is_complete(&mut self) -> Result<bool, LedgerError> {
        self.transact("when it was read", |transaction| {
            let open = "SELECT NOT EXISTS (SELECT 1 FROM kogge_entry WHERE count IS NULL)";
            Ok(transaction.query_one(open, &[])?.try_get(0)?)
        })
    }

    fn rows(&mut self, after: Option<u64>, most: usize) -> Result<Vec<Row>, LedgerError> {
        self.transact("when it was read", |transaction| rows::rows(transaction, after, most))
    }

    fn disputes(&mut self) -> Result<Vec<Dispute>, LedgerError> {
        self.transact("when it was read", rows::disputes)
    }

    fn settle(&mut self, id: u64, count: u128) -> Result<(), LedgerError> {
        self.transact("when a dispute was settled", |transaction: &mut Transaction<'_>| {
            transaction.execute(
                "UPDATE kogge_entry SET disputed = false, count = stands.count, source = stands.source, at = stands.at
                 FROM (SELECT * FROM kogge_answer WHERE entry = $1 AND count = $2::text::numeric ORDER BY number LIMIT 1)
                     AS stands
                 WHERE kogge_entry.id = $1",
                &[&(id as i64), &count.to_string()],
            )?;
            Ok(())
        })
    }
}
