//! The statements on the tables of a ledger.

use std::collections::BTreeMap;
use std::time::Duration;

use kogge_board::Categories;
use kogge_board::merge::KeyRange;
use rusqlite::types::Value;

use super::database::{Record, Result, Transaction};
use super::problem::Problem;
use crate::store::{castling, key_bytes, key_of, root_bytes};
use crate::{
    Answer, Count, Dispute, FORMAT, Given, Header, Item, Kind, Lease, LedgerEntry, LedgerProgress, LedgerRow, Size,
    Source,
};
use kogge_driver::Quantity;

/// The number of entries of a new ledger that are sent in one statement.
const AT_ONCE: usize = 1 << 12;

/// The columns of a count, and of the checksum of the entry's number, the count and its source.
const COUNT: [&str; 12] = {
    let [_, kinds @ ..] = Categories::NAMES;
    let [a, b, c, d, e, f, g, h] = kinds;
    ["count", "positions", "paths", a, b, c, d, e, f, g, h, "checksum"]
};

/// The columns of an entry and of a source in the rows of queries.
const ENTRY: &str = "kogge_entry.id, position, CAST(multiplicity AS text), first, last";
const SOURCE: &str = "s.backend, s.device, s.variant, s.kogge, s.plan";

/// The index of the first column after the columns of an entry, and after the columns of its count.
const AFTER_ENTRY: usize = 5;
const AFTER_COUNT: usize = AFTER_ENTRY + COUNT.len();

/// Joins what `each` returns for the columns of a count.
fn columns(separator: &str, each: impl Fn(&str) -> String) -> String {
    COUNT.map(each).join(separator)
}

/// The columns of a count, as text.
fn count(table: &str) -> String {
    columns(", ", |name| format!("CAST({table}.{name} AS text)"))
}

/// The condition that two tables have the same count. Its checksum differs if its source differs.
fn same(one: &str, other: &str) -> String {
    let [numbers @ .., _] = COUNT;
    numbers.map(|name| format!("{one}.{name} IS NOT DISTINCT FROM {other}.{name}")).join(" AND ")
}

/// Begins a statement with the table `given`, which holds the answers in the first parameter.
fn with_given(statement: &str) -> String {
    let numbers = COUNT.iter().zip(1..).map(|(name, index)| format!("CAST(value ->> {index} AS @number) AS {name}"));
    let numbers = numbers.collect::<Vec<_>>().join(", ");
    format!("WITH given AS (SELECT CAST(value ->> 0 AS @integer) AS id, {numbers} FROM @elements) {statement}")
}

/// A source that the ledger has.
pub(super) struct StoredSource<'a> {
    id: i64,
    source: &'a Source,
}

/// Returns answers as a JSON list of lists: the entry and the columns of the count. There is a checksum only with a source.
fn listed(answers: &[Answer], source: Option<&StoredSource<'_>>) -> Value {
    let row = |answer: &Answer| {
        let Count { leaves, size, categories } = answer.count;
        let [_, kinds @ ..] = categories.map_or([None; Categories::COUNT], |kinds| kinds.to_array().map(Some));
        let first =
            [Some(answer.id.into()), Some(leaves), size.map(|size| size.positions.into()), size.map(|size| size.paths)];
        let checksum = source.map(|stored| answer.checksum(stored.source).into());
        let numbers = first.into_iter().chain(kinds).chain([checksum]);
        // The numbers are text, because JSON's numbers may be rounded.
        let text = |number: Option<u128>| number.map_or("null".to_owned(), |number| format!("\"{number}\""));
        format!("[{}]", numbers.map(text).collect::<Vec<_>>().join(","))
    };
    format!("[{}]", answers.iter().map(row).collect::<Vec<_>>().join(",")).into()
}

fn numbers(ids: impl Iterator<Item = u64>) -> Value {
    format!("[{}]", ids.map(|id| id.to_string()).collect::<Vec<_>>().join(",")).into()
}

/// Runs a query that has one row.
fn only(transaction: &mut dyn Transaction, sql: &str, parameters: &[Value]) -> Result<Record> {
    let none = || Problem::Damaged("a row is missing".to_owned());
    transaction.query(sql, parameters)?.into_iter().next().ok_or_else(none)
}

/// Reads a number of up to 128 bits.
fn number(text: &str) -> Result<u128> {
    text.parse().map_err(|_| Problem::Damaged(format!("{text:?} is not a count")))
}

fn checksum(text: Option<String>) -> Result<u64> {
    let text = text.ok_or_else(|| Problem::Damaged("a checksum is missing".to_owned()))?;
    text.parse().map_err(|_| Problem::Damaged(format!("{text:?} is not a checksum")))
}

/// Returns the kind of the entries, and the quantity that is counted below them.
pub(super) fn sort(transaction: &mut dyn Transaction) -> Result<(Kind, Quantity)> {
    let row = only(transaction, "SELECT kind, counted FROM kogge_ledger", &[])?;
    let kind = match &*row.get::<String>(0)? {
        "positions" => Kind::Positions,
        "ranges" => Kind::Ranges,
        "reversed ranges" => Kind::ReversedRanges,
        other => return Err(Problem::Damaged(format!("{other:?} is not a kind of entries"))),
    };
    let counted = match &*row.get::<String>(1)? {
        "leaves" => Quantity::Leaves,
        "categories" => Quantity::Categories,
        other => return Err(Problem::Damaged(format!("{other:?} cannot be counted"))),
    };
    Ok((kind, counted))
}

pub(super) fn header(transaction: &mut dyn Transaction) -> Result<Option<Header>> {
    if !transaction.has_ledger()? {
        return Ok(None);
    }
    let format = only(transaction, "SELECT format FROM kogge_ledger", &[])?.get(0)?;
    if format != FORMAT {
        return Err(Problem::Format(format));
    }
    let (kind, counted) = sort(transaction)?;
    let row = only(
        transaction,
        "SELECT fen, depth, ply, plan, entries, CAST(paths AS text), kogge, created, CAST(checksum AS text), root, castling
         FROM kogge_ledger",
        &[],
    )?;
    let unreadable = |error| Problem::Damaged(format!("its root cannot be read ({error})"));
    let header = Header {
        kind,
        counted,
        root: row.get::<String>(0)?.parse().map_err(unreadable)?,
        depth: row.get(1)?,
        ply: row.get(2)?,
        plan: row.get(3)?,
        entries: row.get(4)?,
        paths: number(&row.get::<String>(5)?)?,
        kogge: row.get(6)?,
        created: row.get(7)?,
        checksum: checksum(row.get(8)?)?,
    };
    let (root, files): (Vec<u8>, String) = (row.get(9)?, row.get(10)?);
    if root_bytes(&header.root)[..] != root || castling(&header.root) != files || header.ply > header.depth {
        return Err(Problem::Damaged("its facts about the root contradict each other".to_owned()));
    }
    Ok(Some(header))
}

pub(super) fn create(transaction: &mut dyn Transaction, header: &Header, items: &[Item]) -> Result<()> {
    transaction.make(include_str!("schema.sql"))?;
    let &Header { kind, counted, ref root, depth, ply, ref plan, entries, paths, ref kogge, created, checksum } =
        header;
    let kind = match kind {
        Kind::Positions => "positions",
        Kind::Ranges => "ranges",
        Kind::ReversedRanges => "reversed ranges",
    };
    let counted = match counted {
        Quantity::Leaves => "leaves",
        Quantity::Categories => "categories",
    };
    transaction.query(
        "INSERT INTO kogge_ledger
             (only_one, format, kind, counted, fen, root, castling, depth, ply, plan, entries, kogge, created, paths, checksum)
         VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12,
             CAST(CAST($13 AS text) AS @number), CAST(CAST($14 AS text) AS @number))",
        &[
            FORMAT.into(),
            kind.to_owned().into(),
            counted.to_owned().into(),
            root.to_string().into(),
            root_bytes(root).to_vec().into(),
            castling(root).into(),
            depth.into(),
            ply.into(),
            plan.clone().into(),
            (entries as i64).into(),
            kogge.clone().into(),
            created.into(),
            paths.to_string().into(),
            checksum.to_string().into(),
        ],
    )?;
    let row = |index: usize| {
        let [id, one, two] = [1, 2, 3].map(|column| 3 * index + column);
        match header.kind {
            Kind::Positions => format!("(${id}, ${one}, CAST(CAST(${two} AS text) AS @number))"),
            Kind::Ranges | Kind::ReversedRanges => format!("(${id}, ${one}, ${two})"),
        }
    };
    let columns = match header.kind {
        Kind::Positions => "position, multiplicity",
        Kind::Ranges | Kind::ReversedRanges => "first, last",
    };
    let mut ids = 0_i64..;
    for items in items.chunks(AT_ONCE) {
        let values = ids.by_ref().zip(items).flat_map(|(id, item)| match item {
            Item::Position { packed, multiplicity } => {
                [id.into(), packed.to_vec().into(), multiplicity.to_string().into()]
            }
            Item::Range(range) => {
                [id.into(), key_bytes(&range.first).to_vec().into(), key_bytes(&range.last).to_vec().into()]
            }
        });
        let rows = (0..items.len()).map(row).collect::<Vec<_>>().join(", ");
        let insert = format!("INSERT INTO kogge_entry (id, {columns}) VALUES {rows}");
        transaction.query(&insert, &values.collect::<Vec<Value>>())?;
    }
    Ok(())
}

/// Reads an entry from the first columns.
fn entry_at(row: &Record) -> Result<LedgerEntry> {
    let id = row.get(0)?;
    let item = match row.get::<Option<Vec<u8>>>(1)? {
        Some(bytes) => {
            let wrong = |_| Problem::Damaged(format!("the position of entry {id} has another length"));
            Item::Position { packed: bytes.try_into().map_err(wrong)?, multiplicity: number(&row.get::<String>(2)?)? }
        }
        None => {
            let keys: [Vec<u8>; 2] = [row.get(3)?, row.get(4)?];
            let [Some(first), Some(last)] = keys.map(|key| key_of(&key)) else {
                return Err(Problem::Damaged(format!("the keys of entry {id} are too short or too long")));
            };
            Item::Range(KeyRange { first, last })
        }
    };
    Ok(LedgerEntry { id, item })
}

/// Reads a count and its checksum from the columns that begin with `first`.
fn count_at(row: &Record, first: usize) -> Result<Option<(Count, u64)>> {
    let mut numbers = [None; COUNT.len() - 1];
    for (index, slot) in numbers.iter_mut().enumerate() {
        *slot = row.get::<Option<String>>(first + index)?.as_deref().map(number).transpose()?;
    }
    let [leaves, positions, paths, kinds @ ..] = numbers;
    let Some(leaves) = leaves else { return Ok(None) };
    let size = match positions.zip(paths) {
        Some((positions, paths)) => {
            let wrong = |_| Problem::Damaged(format!("{positions} is not a number of positions"));
            Some(Size { positions: positions.try_into().map_err(wrong)?, paths })
        }
        None => None,
    };
    let kinds: Option<Vec<u128>> = kinds.into_iter().collect();
    let categories = kinds.map(|kinds| {
        let mut all = [leaves; Categories::COUNT];
        all[1..].copy_from_slice(&kinds);
        Categories::from_array(all)
    });
    Ok(Some((Count { leaves, size, categories }, checksum(row.get(first + COUNT.len() - 1)?)?)))
}

/// Reads an answer from the columns after the columns of an entry.
fn given_at(row: &Record) -> Result<Option<Given>> {
    let Some((count, checksum)) = count_at(row, AFTER_ENTRY)? else { return Ok(None) };
    let text = |index| row.get(AFTER_COUNT + index);
    let source = Source { backend: text(1)?, device: text(2)?, variant: text(3)?, kogge: text(4)?, plan: text(5)? };
    Ok(Some(Given { count, source, at: row.get(AFTER_COUNT)?, checksum }))
}

/// Leases up to `most` entries that are neither counted nor leased.
pub(super) fn lease(
    transaction: &mut dyn Transaction,
    worker: &str,
    most: usize,
    time: Duration,
) -> Result<Vec<LedgerEntry>> {
    let update = format!(
        "WITH free AS (
             SELECT id FROM kogge_entry
             WHERE count IS NULL AND (leased_until IS NULL OR leased_until <= @now)
             ORDER BY id LIMIT $2 @lock_free
         )
         UPDATE kogge_entry SET worker = $1, leased_until = @now + $3
         FROM free WHERE kogge_entry.id = free.id RETURNING {ENTRY}"
    );
    let parameters = [worker.to_owned().into(), (most as i64).into(), time.as_secs_f64().into()];
    let mut rows = transaction.query(&update, &parameters)?;
    if rows.is_empty() {
        let mut void = leases(transaction)?;
        void.retain(|lease| !lease.is_real());
        if !void.is_empty() {
            void.iter().try_for_each(|lease| release(transaction, &lease.worker))?;
            rows = transaction.query(&update, &parameters)?;
        }
    }
    let mut leased = rows.iter().map(entry_at).collect::<Result<Vec<_>>>()?;
    leased.sort_unstable_by_key(|entry| entry.id);
    Ok(leased)
}

/// Extends leases, and returns their number.
pub(super) fn extend(transaction: &mut dyn Transaction, worker: &str, ids: &[u64], time: Duration) -> Result<u64> {
    let update = "UPDATE kogge_entry SET leased_until = @now + $3
        WHERE id IN (SELECT CAST(value AS @integer) FROM @elements) AND worker = $2 AND count IS NULL RETURNING id";
    let parameters = [numbers(ids.iter().copied()), worker.to_owned().into(), time.as_secs_f64().into()];
    Ok(transaction.query(update, &parameters)?.len() as u64)
}

pub(super) fn release(transaction: &mut dyn Transaction, worker: &str) -> Result<()> {
    let update = "UPDATE kogge_entry SET worker = NULL, leased_until = NULL
        WHERE coalesce(worker, '') = $1 AND count IS NULL";
    transaction.query(update, &[worker.to_owned().into()])?;
    Ok(())
}

pub(super) fn release_all(transaction: &mut dyn Transaction) -> Result<u64> {
    let update = "UPDATE kogge_entry SET worker = NULL, leased_until = NULL
        WHERE count IS NULL AND leased_until IS NOT NULL RETURNING id";
    Ok(transaction.query(update, &[])?.len() as u64)
}

/// Returns the leases of all workers that have not ended, even those that only a wrong clock can have made.
pub(super) fn leases(transaction: &mut dyn Transaction) -> Result<Vec<Lease>> {
    let select = "SELECT worker, count(*), CAST(1000 * (max(leased_until) - @now) AS @integer)
        FROM kogge_entry WHERE count IS NULL AND leased_until > @now GROUP BY worker ORDER BY worker";
    let read = |row: &Record| {
        // Milliseconds; a number below 0 comes from something other than a number.
        let ends_in = u64::try_from(row.get::<i64>(2)?).map_or(Duration::MAX, Duration::from_millis);
        Ok(Lease { worker: row.get::<Option<_>>(0)?.unwrap_or_default(), entries: row.get(1)?, ends_in })
    };
    transaction.query(select, &[])?.iter().map(read).collect()
}

/// Locks entries until this transaction ends, and returns the counts of the entries that exist. Every transaction locks
/// entries in the order of their numbers, so that no two transactions wait for each other.
pub(super) fn counts(transaction: &mut dyn Transaction, ids: &[u64]) -> Result<BTreeMap<u64, Option<Count>>> {
    let select = format!(
        "SELECT e.id, {} FROM kogge_entry AS e
         WHERE e.id IN (SELECT CAST(value AS @integer) FROM @elements) ORDER BY e.id @lock",
        count("e")
    );
    let rows = transaction.query(&select, &[numbers(ids.iter().copied())])?;
    rows.iter().map(|row| Ok((row.get(0)?, count_at(row, 1)?.map(|(count, _)| count)))).collect()
}

/// Finds a source, and adds it if it is new.
pub(super) fn source<'a>(transaction: &mut dyn Transaction, source: &'a Source) -> Result<StoredSource<'a>> {
    let Source { backend, device, variant, kogge, plan } = source;
    let values = [backend, device, variant, kogge, plan].map(|text| Value::from(text.clone()));
    transaction.query(
        "INSERT INTO kogge_source (backend, device, variant, kogge, plan) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING",
        &values,
    )?;
    let select = "SELECT id FROM kogge_source
        WHERE backend = $1 AND device = $2 AND variant = $3 AND kogge = $4 AND plan = $5";
    Ok(StoredSource { id: only(transaction, select, &values)?.get(0)?, source })
}

/// Accepts answers as the first ones of their entries.
pub(super) fn accept(transaction: &mut dyn Transaction, answers: &[Answer], source: &StoredSource<'_>) -> Result<()> {
    let update = with_given(&format!(
        "UPDATE kogge_entry SET {}, source = $2, at = @second, worker = NULL, leased_until = NULL
         FROM given WHERE kogge_entry.id = given.id AND kogge_entry.count IS NULL",
        columns(", ", |name| format!("{name} = given.{name}"))
    ));
    transaction.query(&update, &[listed(answers, Some(source)), source.id.into()])?;
    Ok(())
}

/// Stores answers beside the accepted ones, unless the same source gave them before. Returns their entries.
pub(super) fn keep(
    transaction: &mut dyn Transaction,
    answers: &[Answer],
    source: &StoredSource<'_>,
) -> Result<Vec<u64>> {
    let insert = with_given(&format!(
        "INSERT INTO kogge_answer (entry, {}, source, at)
         SELECT given.id, {}, $2, @second FROM given JOIN kogge_entry AS e ON e.id = given.id
         WHERE NOT (e.source = $2 AND {})
             AND NOT EXISTS (SELECT 1 FROM kogge_answer AS a WHERE a.entry = given.id AND a.source = $2 AND {})
         RETURNING entry",
        columns(", ", str::to_owned),
        columns(", ", |name| format!("given.{name}")),
        same("e", "given"),
        same("a", "given"),
    ));
    let kept = transaction.query(&insert, &[listed(answers, Some(source)), source.id.into()])?;
    kept.iter().map(|row| row.get(0)).collect()
}

/// Stores answers that differ from the accepted ones, after them. Entries with new different answers become disputed.
pub(super) fn dispute(transaction: &mut dyn Transaction, answers: &[Answer], source: &StoredSource<'_>) -> Result<()> {
    let accepted = format!(
        "INSERT INTO kogge_answer (entry, {}, source, at)
         SELECT e.id, {}, e.source, e.at FROM kogge_entry AS e
         WHERE e.id IN (SELECT CAST(value AS @integer) FROM @elements)
             AND NOT EXISTS (SELECT 1 FROM kogge_answer AS a WHERE a.entry = e.id AND a.source = e.source AND {})",
        columns(", ", str::to_owned),
        columns(", ", |name| format!("e.{name}")),
        same("a", "e"),
    );
    transaction.query(&accepted, &[numbers(answers.iter().map(|answer| answer.id))])?;
    let disputed = numbers(keep(transaction, answers, source)?.into_iter());
    let update = "UPDATE kogge_entry SET disputed = true
        WHERE id IN (SELECT CAST(value AS @integer) FROM @elements)";
    transaction.query(update, &[disputed])?;
    Ok(())
}

/// Settles a dispute by accepting the first answer with this count.
pub(super) fn settle(transaction: &mut dyn Transaction, answer: &Answer) -> Result<()> {
    let update = with_given(&format!(
        "UPDATE kogge_entry SET disputed = false, {}, source = stands.source, at = stands.at
         FROM (SELECT a.* FROM kogge_answer AS a JOIN given ON a.entry = given.id AND {} ORDER BY a.number LIMIT 1) AS stands
         WHERE kogge_entry.id = stands.entry",
        columns(", ", |name| format!("{name} = stands.{name}")),
        same("a", "given"),
    ));
    transaction.query(&update, &[listed(&[*answer], None)])?;
    Ok(())
}

pub(super) fn is_complete(transaction: &mut dyn Transaction) -> Result<bool> {
    Ok(transaction.query("SELECT 1 FROM kogge_entry WHERE count IS NULL LIMIT 1", &[])?.is_empty())
}

pub(super) fn tally(transaction: &mut dyn Transaction) -> Result<LedgerProgress> {
    let select =
        "SELECT count(*), count(count), count(*) FILTER (WHERE disputed), count(*) FILTER (WHERE at > @second - 60),
                min(at), max(at)
         FROM kogge_entry";
    let row = only(transaction, select, &[])?;
    let mut leases = leases(transaction)?;
    leases.retain(Lease::is_real);
    let verified = format!(
        "SELECT count(DISTINCT e.id) FROM kogge_answer AS a JOIN kogge_entry AS e ON e.id = a.entry
             JOIN kogge_source AS one ON one.id = e.source JOIN kogge_source AS other ON other.id = a.source
         WHERE {} AND one.backend <> other.backend AND NOT e.disputed",
        same("a", "e")
    );
    let verified = only(transaction, &verified, &[])?;
    Ok(LedgerProgress {
        entries: row.get(0)?,
        done: row.get(1)?,
        leased: leases.iter().map(|lease| lease.entries).sum(),
        disputed: row.get(2)?,
        verified: verified.get(0)?,
        workers: leases.len() as u64,
        last_minute: row.get(3)?,
        span: row.get::<Option<i64>>(4)?.zip(row.get(5)?),
    })
}

pub(super) fn rows(transaction: &mut dyn Transaction, after: Option<u64>, most: usize) -> Result<Vec<LedgerRow>> {
    let select = format!(
        "SELECT {ENTRY}, {}, at, {SOURCE}, disputed FROM kogge_entry LEFT JOIN kogge_source AS s ON s.id = source
         WHERE kogge_entry.id > $1 ORDER BY kogge_entry.id LIMIT $2",
        count("kogge_entry")
    );
    let after = after.map_or(-1, |after| after as i64);
    let rows = transaction.query(&select, &[after.into(), (most as i64).into()])?;
    let read =
        |row| Ok(LedgerRow { entry: entry_at(row)?, given: given_at(row)?, disputed: row.get(AFTER_COUNT + 6)? });
    rows.iter().map(read).collect()
}

pub(super) fn disputes(transaction: &mut dyn Transaction) -> Result<Vec<Dispute>> {
    let select = format!(
        "SELECT {ENTRY}, {}, a.at, {SOURCE}
         FROM kogge_entry JOIN kogge_answer AS a ON a.entry = kogge_entry.id JOIN kogge_source AS s ON s.id = a.source
         WHERE disputed ORDER BY kogge_entry.id, a.at, a.number",
        count("a")
    );
    let mut disputes: Vec<Dispute> = Vec::new();
    for row in &transaction.query(&select, &[])? {
        let (entry, Some(given)) = (entry_at(row)?, given_at(row)?) else { continue };
        match disputes.last_mut() {
            Some(last) if last.entry.id == entry.id => last.answers.push(given),
            _ => disputes.push(Dispute { entry, answers: vec![given] }),
        }
    }
    Ok(disputes)
}
