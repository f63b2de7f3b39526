//! Single rows of a PostgreSQL ledger.

use std::collections::BTreeMap;

use postgres::{Row as Columns, Transaction};

use super::connection::Problem;
use crate::ledger::store::{castling, root_bytes};
use crate::ledger::{Answer, Dispute, FORMAT, Given, Header, Row, Source, Tally};

type Result<T> = std::result::Result<T, Problem>;

/// Converts numbers to PostgreSQL's type.
pub(super) fn numbers(ids: impl IntoIterator<Item = u64>) -> Vec<i64> {
    ids.into_iter().map(|id| id as i64).collect()
}

fn damaged(what: impl Into<String>) -> Problem {
    Problem::Damaged(what.into())
}

/// Reads a column with an unsigned number.
fn natural(columns: &Columns, index: usize) -> Result<u64> {
    let number: i64 = columns.try_get(index)?;
    u64::try_from(number).map_err(|_| damaged(format!("{number} is less than zero")))
}

/// Reads a column with the number of an entry.
pub(super) fn id(columns: &Columns, index: usize) -> Result<u64> {
    natural(columns, index)
}

/// Reads a column with a number of up to 128 bits as text, or null.
fn large(columns: &Columns, index: usize) -> Result<Option<u128>> {
    let text: Option<String> = columns.try_get(index)?;
    text.map(|text| text.parse().map_err(|_| damaged(format!("{text} is not a count")))).transpose()
}

/// Reads a column with a number of up to 128 bits as text.
fn large_there(columns: &Columns, index: usize) -> Result<u128> {
    large(columns, index)?.ok_or_else(|| damaged("a count is missing"))
}

/// Reads a column with a packed position.
pub(super) fn position(columns: &Columns, index: usize, id: u64) -> Result<[u8; 32]> {
    let bytes: &[u8] = columns.try_get(index)?;
    bytes.try_into().map_err(|_| damaged(format!("the position of entry {id} has {} bytes", bytes.len())))
}

/// Returns whether there is a ledger.
pub(super) fn exists(transaction: &mut Transaction<'_>) -> Result<bool> {
    // `to_regclass` may miss a new table because of its cache; this query does not.
    let look = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables
                               WHERE tablename = 'kogge_ledger' AND schemaname = ANY (current_schemas(false)))";
    Ok(transaction.query_one(look, &[])?.try_get(0)?)
}

/// Returns the header of the ledger, `None` without a ledger, or the version of a ledger of another format.
pub(super) fn header(transaction: &mut Transaction<'_>) -> Result<std::result::Result<Option<Header>, i64>> {
    if !exists(transaction)? {
        return Ok(Ok(None));
    }
    let format: i64 = transaction.query_one("SELECT format FROM kogge_ledger", &[])?.try_get(0)?;
    if format != FORMAT {
        return Ok(Err(format));
    }
    let row = transaction.query_one(
        "SELECT fen, root, castling, depth, ply, plan, entries, paths::text, kogge, created FROM kogge_ledger",
        &[],
    )?;
    let fen: String = row.try_get(0)?;
    let plies = |index| {
        let plies = natural(&row, index)?;
        u32::try_from(plies).map_err(|_| damaged(format!("{plies} is not a depth")))
    };
    let header = Header {
        root: fen.parse().map_err(|error| damaged(format!("its root cannot be read ({error})")))?,
        depth: plies(3)?,
        ply: plies(4)?,
        plan: row.try_get(5)?,
        entries: natural(&row, 6)?,
        paths: large_there(&row, 7)?,
        kogge: row.try_get(8)?,
        created: row.try_get(9)?,
    };
    let files: String = row.try_get(2)?;
    let root: &[u8] = row.try_get(1)?;
    if root_bytes(&header.root) != root || castling(&header.root) != files || header.ply > header.depth {
        return Err(damaged("its facts about the root contradict each other"));
    }
    Ok(Ok(Some(header)))
}

/// Locks entries until this transaction ends, and returns the counts of those that exist. Every transaction locks
/// entries in the order of their numbers, so that no two transactions wait for each other.
pub(super) fn lock(transaction: &mut Transaction<'_>, ids: &[u64]) -> Result<BTreeMap<u64, Option<u128>>> {
    let rows = transaction.query(
        "SELECT id, count::text FROM kogge_entry WHERE id = ANY($1) ORDER BY id FOR UPDATE",
        &[&numbers(ids.iter().copied())],
    )?;
    rows.iter().map(|row| Ok((id(row, 0)?, large(row, 1)?))).collect()
}

/// Returns the number of a source, and adds the source if it is new.
pub(super) fn source(transaction: &mut Transaction<'_>, source: &Source) -> Result<i64> {
    let Source { backend, device, variant, kogge } = source;
    let select = "SELECT id FROM kogge_source WHERE backend = $1 AND device = $2 AND variant = $3 AND kogge = $4";
    if let Some(row) = transaction.query_opt(select, &[backend, device, variant, kogge])? {
        return Ok(row.try_get(0)?);
    }
    transaction.execute(
        "INSERT INTO kogge_source (backend, device, variant, kogge) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        &[backend, device, variant, kogge],
    )?;
    Ok(transaction.query_one(select, &[backend, device, variant, kogge])?.try_get(0)?)
}

/// Keeps an answer that differs from the accepted one. The entry is disputed if the answer is new for its source.
pub(super) fn dispute(transaction: &mut Transaction<'_>, answer: &Answer, source: i64) -> Result<()> {
    let (id, count) = (answer.id as i64, answer.count.to_string());
    let known = "SELECT 1 FROM kogge_answer WHERE entry = $1 AND count = $2::text::numeric AND source = $3";
    if transaction.query_opt(known, &[&id, &count, &source])?.is_some() {
        return Ok(());
    }
    transaction.execute(
        "INSERT INTO kogge_answer (entry, count, source, at)
         SELECT id, count, source, at FROM kogge_entry WHERE id = $1 ON CONFLICT DO NOTHING",
        &[&id],
    )?;
    transaction.execute(
        "INSERT INTO kogge_answer (entry, count, source, at) VALUES ($1, $2::text::numeric, $3, clock_timestamp())",
        &[&id, &count, &source],
    )?;
    transaction.execute("UPDATE kogge_entry SET disputed = true WHERE id = $1", &[&id])?;
    Ok(())
}

/// Returns the progress of the ledger.
pub(super) fn tally(transaction: &mut Transaction<'_>) -> Result<Tally> {
    let live = "count IS NULL AND leased_until > clock_timestamp()";
    let row = transaction.query_one(
        &format!(
            "SELECT count(*), count(count), count(*) FILTER (WHERE {live}), count(*) FILTER (WHERE disputed),
                    count(DISTINCT worker) FILTER (WHERE {live}),
                    count(*) FILTER (WHERE at > clock_timestamp() - interval '1 minute'),
                    extract(epoch FROM min(at))::bigint, extract(epoch FROM max(at))::bigint
             FROM kogge_entry"
        ),
        &[],
    )?;
    let verified = transaction.query_one(
        "SELECT count(DISTINCT e.id) FROM kogge_answer AS a JOIN kogge_entry AS e ON e.id = a.entry
         WHERE a.count = e.count AND a.source <> e.source AND NOT e.disputed",
        &[],
    )?;
    let first: Option<i64> = row.try_get(6)?;
    let last: Option<i64> = row.try_get(7)?;
    Ok(Tally {
        entries: natural(&row, 0)?,
        done: natural(&row, 1)?,
        leased: natural(&row, 2)?,
        disputed: natural(&row, 3)?,
        verified: natural(&verified, 0)?,
        workers: natural(&row, 4)?,
        last_minute: natural(&row, 5)?,
        span: first.zip(last),
    })
}

/// Reads a source from four columns, the first of which is `first`.
fn source_at(row: &Columns, first: usize) -> Result<Source> {
    Ok(Source {
        backend: row.try_get(first)?,
        device: row.try_get(first + 1)?,
        variant: row.try_get(first + 2)?,
        kogge: row.try_get(first + 3)?,
    })
}

/// Returns up to `most` rows with numbers greater than `after`.
pub(super) fn rows(transaction: &mut Transaction<'_>, after: Option<u64>, most: usize) -> Result<Vec<Row>> {
    let after = after.map_or(-1, |after| after as i64);
    let found = transaction.query(
        "SELECT e.id, position, multiplicity::text, disputed, count::text, extract(epoch FROM at)::bigint,
                backend, device, variant, kogge
         FROM kogge_entry AS e LEFT JOIN kogge_source AS s ON s.id = e.source
         WHERE e.id > $1 ORDER BY e.id LIMIT $2",
        &[&after, &(most as i64)],
    )?;
    let mut rows = Vec::with_capacity(found.len());
    for row in &found {
        let id = id(row, 0)?;
        let given = match large(row, 4)? {
            Some(count) => Some(Given { count, at: row.try_get(5)?, source: source_at(row, 6)? }),
            None => None,
        };
        let (position, multiplicity) = (position(row, 1, id)?, large_there(row, 2)?);
        rows.push(Row { id, position, multiplicity, given, disputed: row.try_get(3)? });
    }
    Ok(rows)
}

/// Returns all disputed entries with their answers.
pub(super) fn disputes(transaction: &mut Transaction<'_>) -> Result<Vec<Dispute>> {
    let found = transaction.query(
        "SELECT e.id, position, a.count::text, extract(epoch FROM a.at)::bigint, backend, device, variant, kogge
         FROM kogge_entry AS e JOIN kogge_answer AS a ON a.entry = e.id JOIN kogge_source AS s ON s.id = a.source
         WHERE disputed ORDER BY e.id, a.at, a.number",
        &[],
    )?;
    let mut disputes: Vec<Dispute> = Vec::new();
    for row in &found {
        let id = id(row, 0)?;
        let given = Given { count: large_there(row, 2)?, at: row.try_get(3)?, source: source_at(row, 4)? };
        match disputes.last_mut() {
            Some(last) if last.id == id => last.answers.push(given),
            _ => disputes.push(Dispute { id, position: position(row, 1, id)?, answers: vec![given] }),
        }
    }
    Ok(disputes)
}
