//! Single rows of a PostgreSQL ledger.

use std::collections::BTreeMap;

use kogge_board::merge::KeyRange;
use postgres::types::ToSql;
use postgres::{Row as Columns, Transaction};

use super::connection::Problem;
use crate::ledger::columns::{COUNT, Kept, Tables, number};
use crate::ledger::store::{castling, key_bytes, key_of, root_bytes};
use crate::ledger::{Answer, Count, Dispute, Entry, Given, Header, Item, Kind, Row, Source, Tally};

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

/// Returns the columns of an item: position, multiplicity, and the first and the last key.
pub(super) fn item(kind: Kind) -> &'static str {
    match kind {
        Kind::Positions => "position, multiplicity::text, NULL::bytea, NULL::bytea",
        Kind::Ranges => "NULL::bytea, NULL::text, first, last",
    }
}

/// Reads an entry: its number and the [`item`].
pub(super) fn entry_at(columns: &Columns) -> Result<Entry> {
    let id = natural(columns, 0)?;
    let position: Option<&[u8]> = columns.try_get(1)?;
    let item = match position {
        Some(bytes) => {
            let wrong = |_| damaged(format!("the position of entry {id} has {} bytes", bytes.len()));
            let multiplicity = number(columns.try_get(2)?).map_err(Problem::Damaged)?;
            Item::Position { packed: bytes.try_into().map_err(wrong)?, multiplicity }
        }
        None => {
            let keys: [&[u8]; 2] = [columns.try_get(3)?, columns.try_get(4)?];
            let [Some(first), Some(last)] = keys.map(key_of) else {
                return Err(damaged(format!("the keys of entry {id} are too short or too long")));
            };
            Item::Range(KeyRange { first, last })
        }
    };
    Ok(Entry { id, item })
}

/// Returns the columns of a count in a table.
fn count(tables: Tables, table: &str) -> String {
    tables.count().padded("NULL::text", |name| format!("{table}.{name}::text"))
}

/// Reads a count from its columns, the first of which is `first`.
fn count_at(columns: &Columns, first: usize) -> Result<Option<Kept>> {
    let mut values: [Option<String>; COUNT] = Default::default();
    for (index, value) in values.iter_mut().enumerate() {
        *value = columns.try_get(first + index)?;
    }
    Kept::read(values).map_err(Problem::Damaged)
}

/// Returns whether there is a ledger.
pub(super) fn exists(transaction: &mut Transaction<'_>) -> Result<bool> {
    // `to_regclass` may miss a new table because of its cache; this query does not.
    let look = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_tables
                               WHERE tablename = 'kogge_ledger' AND schemaname = ANY (current_schemas(false)))";
    Ok(transaction.query_one(look, &[])?.try_get(0)?)
}

fn format(transaction: &mut Transaction<'_>) -> Result<i64> {
    Ok(transaction.query_one("SELECT format FROM kogge_ledger", &[])?.try_get(0)?)
}

/// Returns the tables of the ledger.
pub(super) fn tables(transaction: &mut Transaction<'_>) -> Result<Tables> {
    let format = format(transaction)?;
    Tables::of(format).ok_or_else(|| damaged(format!("its format is {format} now")))
}

/// Returns the header of the ledger, `None` without a ledger, or the version of a ledger of another format.
pub(super) fn header(transaction: &mut Transaction<'_>) -> Result<std::result::Result<Option<Header>, i64>> {
    if !exists(transaction)? {
        return Ok(Ok(None));
    }
    let format = format(transaction)?;
    let Some(tables) = Tables::of(format) else { return Ok(Err(format)) };
    let checksum = if tables.checksums { "checksum::text" } else { "NULL::text" };
    let columns = "fen, root, castling, depth, ply, plan, entries, paths::text, kogge, created";
    let row = transaction.query_one(&format!("SELECT {columns}, {checksum} FROM kogge_ledger"), &[])?;
    let checksum: Option<&str> = row.try_get(10)?;
    let fen: String = row.try_get(0)?;
    let plies = |index| {
        let plies = natural(&row, index)?;
        u32::try_from(plies).map_err(|_| damaged(format!("{plies} is not a depth")))
    };
    let header = Header {
        kind: tables.kind,
        counted: tables.counted,
        root: fen.parse().map_err(|error| damaged(format!("its root cannot be read ({error})")))?,
        depth: plies(3)?,
        ply: plies(4)?,
        plan: row.try_get(5)?,
        entries: natural(&row, 6)?,
        paths: number(row.try_get(7)?).map_err(Problem::Damaged)?,
        kogge: row.try_get(8)?,
        created: row.try_get(9)?,
        checksum: tables.tree_checksum(checksum).map_err(Problem::Damaged)?,
    };
    let files: String = row.try_get(2)?;
    let root: &[u8] = row.try_get(1)?;
    if root_bytes(&header.root) != root || castling(&header.root) != files || header.ply > header.depth {
        return Err(damaged("its facts about the root contradict each other"));
    }
    Ok(Ok(Some(header)))
}

/// Adds entries with these numbers.
pub(super) fn insert(transaction: &mut Transaction<'_>, kind: Kind, ids: &[i64], items: &[Item]) -> Result<()> {
    let mut positions = (Vec::new(), Vec::new());
    let mut ranges = (Vec::new(), Vec::new());
    for item in items {
        match item {
            Item::Position { packed, multiplicity } => {
                positions.0.push(packed.to_vec());
                positions.1.push(multiplicity.to_string());
            }
            Item::Range(range) => {
                ranges.0.push(key_bytes(&range.first).to_vec());
                ranges.1.push(key_bytes(&range.last).to_vec());
            }
        }
    }
    match kind {
        Kind::Positions => transaction.execute(
            "INSERT INTO kogge_entry (id, position, multiplicity)
             SELECT id, position, multiplicity::numeric
             FROM unnest($1::bigint[], $2::bytea[], $3::text[]) AS given (id, position, multiplicity)",
            &[&ids, &positions.0, &positions.1],
        )?,
        Kind::Ranges => transaction.execute(
            "INSERT INTO kogge_entry (id, first, last)
             SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[])",
            &[&ids, &ranges.0, &ranges.1],
        )?,
    };
    Ok(())
}

/// Locks entries until this transaction ends, and returns the counts of those that exist. Every transaction locks
/// entries in the order of their numbers, so that no two transactions wait for each other.
pub(super) fn lock(
    transaction: &mut Transaction<'_>,
    tables: Tables,
    ids: &[u64],
) -> Result<BTreeMap<u64, Option<Count>>> {
    let select = format!(
        "SELECT id, {} FROM kogge_entry WHERE id = ANY($1) ORDER BY id FOR UPDATE",
        count(tables, "kogge_entry")
    );
    let rows = transaction.query(&select, &[&numbers(ids.iter().copied())])?;
    rows.iter().map(|row| Ok((natural(row, 0)?, count_at(row, 1)?.map(|kept| kept.count)))).collect()
}

/// Returns references to parameters as the client takes them.
fn parameters<T: ToSql + Sync>(values: &[T]) -> impl Iterator<Item = &(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync))
}

/// Returns the number of a source, and adds the source if it is new.
pub(super) fn source(transaction: &mut Transaction<'_>, tables: Tables, source: &Source) -> Result<i64> {
    let (columns, values) = (tables.source(), source.values(tables));
    let values: Vec<_> = parameters(&values).collect();
    let is_it = columns.join(" AND ", |index, name| format!("{name} = ${}", index + 1));
    let select = format!("SELECT id FROM kogge_source WHERE {is_it}");
    if let Some(row) = transaction.query_opt(&select, &values)? {
        return Ok(row.try_get(0)?);
    }
    let given = columns.join(", ", |index, _| format!("${}", index + 1));
    let insert = format!("INSERT INTO kogge_source ({}) VALUES ({given}) ON CONFLICT DO NOTHING", columns.list());
    transaction.execute(&insert, &values)?;
    Ok(transaction.query_one(&select, &values)?.try_get(0)?)
}

/// Keeps the first answers of entries.
pub(super) fn answer(transaction: &mut Transaction<'_>, tables: Tables, answers: &[Answer], source: i64) -> Result<()> {
    let columns = tables.count();
    let ids = numbers(answers.iter().map(|answer| answer.id));
    // One list for each column.
    let mut lists = vec![Vec::with_capacity(answers.len()); columns.names().count()];
    for answer in answers {
        lists.iter_mut().zip(answer.values(tables)).for_each(|(list, value)| list.push(value));
    }
    let update = format!(
        "UPDATE kogge_entry
         SET {}, source = $2, at = clock_timestamp(), worker = NULL, leased_until = NULL
         FROM unnest($1::bigint[], {}) AS given (id, {})
         WHERE kogge_entry.id = given.id AND kogge_entry.count IS NULL",
        columns.join(", ", |_, name| format!("{name} = given.{name}::numeric")),
        columns.join(", ", |index, _| format!("${}::text[]", index + 3)),
        columns.list(),
    );
    let first: [&(dyn ToSql + Sync); 2] = [&ids, &source];
    transaction.execute(&update, &first.into_iter().chain(parameters(&lists)).collect::<Vec<_>>())?;
    Ok(())
}

/// Keeps answers that are equal to the accepted ones, if they are from another source.
pub(super) fn repeat(transaction: &mut Transaction<'_>, tables: Tables, answers: &[Answer], source: i64) -> Result<()> {
    let count = tables.count().list();
    let insert = format!(
        "INSERT INTO kogge_answer (entry, {count}, source, at)
         SELECT id, {count}, $2, clock_timestamp() FROM kogge_entry WHERE id = ANY($1) AND source <> $2
         ON CONFLICT DO NOTHING"
    );
    transaction.execute(&insert, &[&numbers(answers.iter().map(|answer| answer.id)), &source])?;
    Ok(())
}

/// Keeps an answer that differs from the accepted one. The entry is disputed if the answer is new for its source.
pub(super) fn dispute(transaction: &mut Transaction<'_>, tables: Tables, answer: &Answer, source: i64) -> Result<()> {
    let (columns, id, values) = (tables.count(), answer.id as i64, answer.values(tables));
    let first: [&(dyn ToSql + Sync); 2] = [&id, &source];
    let given: Vec<_> = first.into_iter().chain(parameters(&values)).collect();
    let is_it = columns.join(" AND ", |index, name| format!("{name} = ${}::text::numeric", index + 3));
    let known = format!("SELECT 1 FROM kogge_answer WHERE entry = $1 AND source = $2 AND {is_it}");
    if transaction.query_opt(&known, &given)?.is_some() {
        return Ok(());
    }
    let count = columns.list();
    let accepted = format!(
        "INSERT INTO kogge_answer (entry, {count}, source, at)
         SELECT id, {count}, source, at FROM kogge_entry WHERE id = $1 ON CONFLICT DO NOTHING"
    );
    transaction.execute(&accepted, &[&id])?;
    let values = columns.join(", ", |index, _| format!("${}::text::numeric", index + 3));
    let insert =
        format!("INSERT INTO kogge_answer (entry, source, {count}, at) VALUES ($1, $2, {values}, clock_timestamp())");
    transaction.execute(&insert, &given)?;
    transaction.execute("UPDATE kogge_entry SET disputed = true WHERE id = $1", &[&id])?;
    Ok(())
}

/// Settles a dispute by accepting the first answer with this count.
pub(super) fn settle(transaction: &mut Transaction<'_>, tables: Tables, answer: &Answer) -> Result<()> {
    let (columns, id, values) = (tables.count(), answer.id as i64, answer.values(tables));
    let update = format!(
        "UPDATE kogge_entry SET disputed = false, {}, source = stands.source, at = stands.at
         FROM (SELECT * FROM kogge_answer WHERE entry = $1 AND {} ORDER BY number LIMIT 1) AS stands
         WHERE kogge_entry.id = $1",
        columns.join(", ", |_, name| format!("{name} = stands.{name}")),
        columns.join(" AND ", |index, name| format!("{name} = ${}::text::numeric", index + 2)),
    );
    let first: [&(dyn ToSql + Sync); 1] = [&id];
    transaction.execute(&update, &first.into_iter().chain(parameters(&values)).collect::<Vec<_>>())?;
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
    let is_equal = tables(transaction)?.count().join(" AND ", |_, name| format!("a.{name} = e.{name}"));
    let verified = format!(
        "SELECT count(DISTINCT e.id) FROM kogge_answer AS a JOIN kogge_entry AS e ON e.id = a.entry
             JOIN kogge_source AS one ON one.id = e.source JOIN kogge_source AS other ON other.id = a.source
         WHERE {is_equal} AND one.backend <> other.backend AND NOT e.disputed"
    );
    let verified = transaction.query_one(&verified, &[])?;
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

/// Returns the columns of a source.
fn source_columns(tables: Tables) -> String {
    tables.source().padded("''::text", |name| format!("s.{name}"))
}

/// The columns of an entry, and of an entry with its answer: count, time and source.
const ENTRY: usize = 5;
const ROW: usize = ENTRY + COUNT + 6;

/// Reads an answer from the columns after those of an entry.
fn given_at(row: &Columns) -> Result<Option<(Given, Option<u64>)>> {
    let Some(Kept { count, checksum }) = count_at(row, ENTRY)? else { return Ok(None) };
    let at = ENTRY + COUNT;
    let source = Source {
        backend: row.try_get(at + 1)?,
        device: row.try_get(at + 2)?,
        variant: row.try_get(at + 3)?,
        kogge: row.try_get(at + 4)?,
        plan: row.try_get(at + 5)?,
    };
    Ok(Some((Given { count, at: row.try_get(at)?, source }, checksum)))
}

/// Returns up to `most` rows with numbers greater than `after`.
pub(super) fn rows(transaction: &mut Transaction<'_>, after: Option<u64>, most: usize) -> Result<Vec<Row>> {
    let tables = tables(transaction)?;
    let after = after.map_or(-1, |after| after as i64);
    let select = format!(
        "SELECT e.id, {}, {}, extract(epoch FROM at)::bigint, {}, disputed
         FROM kogge_entry AS e LEFT JOIN kogge_source AS s ON s.id = e.source
         WHERE e.id > $1 ORDER BY e.id LIMIT $2",
        item(tables.kind),
        count(tables, "e"),
        source_columns(tables),
    );
    let found = transaction.query(&select, &[&after, &(most as i64)])?;
    let row = |row: &Columns| {
        let (given, checksum) = given_at(row)?.unzip();
        Ok(Row { entry: entry_at(row)?, given, disputed: row.try_get(ROW)?, checksum: checksum.flatten() })
    };
    found.iter().map(row).collect()
}

/// Returns all disputed entries with their answers.
pub(super) fn disputes(transaction: &mut Transaction<'_>) -> Result<Vec<Dispute>> {
    let tables = tables(transaction)?;
    let select = format!(
        "SELECT e.id, {}, {}, extract(epoch FROM a.at)::bigint, {}
         FROM kogge_entry AS e JOIN kogge_answer AS a ON a.entry = e.id JOIN kogge_source AS s ON s.id = a.source
         WHERE disputed ORDER BY e.id, a.at, a.number",
        item(tables.kind),
        count(tables, "a"),
        source_columns(tables),
    );
    let mut disputes: Vec<Dispute> = Vec::new();
    for row in &transaction.query(&select, &[])? {
        let entry = entry_at(row)?;
        let Some((given, _)) = given_at(row)? else { continue };
        match disputes.last_mut() {
            Some(last) if last.entry.id == entry.id => last.answers.push(given),
            _ => disputes.push(Dispute { entry, answers: vec![given] }),
        }
    }
    Ok(disputes)
}
