//! Single rows of an SQLite ledger.

use kogge_board::merge::KeyRange;
use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Transaction, params, params_from_iter};

use super::problem::Problem;
use crate::ledger::columns::{COUNT, Kept, Tables, number};
use crate::ledger::store::{castling, key_of, root_bytes};
use crate::ledger::{
    Answer, Count, Dispute, Entry, FORMAT, Given, Header, Item, Kind, LedgerError, Row, Source, Tally,
};

/// The mark of a ledger in the header of an SQLite file: "kogg".
pub(super) const APPLICATION_ID: i32 = 0x6b6f_6767;

type Result<T> = std::result::Result<T, Problem>;

/// A readable database that is not a ledger for this kogge.
pub(super) enum Mismatch {
    Foreign,
    Format(i64),
}

impl Mismatch {
    pub(super) fn told(self, location: &str) -> LedgerError {
        let location = location.to_owned();
        match self {
            Self::Foreign => {
                LedgerError::NotALedger { location, reason: "it is a database of another program".to_owned() }
            }
            Self::Format(found) => LedgerError::Format { location, found, newest: FORMAT },
        }
    }
}

/// Returns whether the database has any tables.
pub(super) fn has_tables(transaction: &Transaction<'_>) -> Result<bool> {
    Ok(transaction.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?)
}

fn format(transaction: &Transaction<'_>) -> Result<i64> {
    Ok(transaction.prepare_cached("SELECT format FROM ledger")?.query_row([], |row| row.get(0))?)
}

/// Returns the tables of the ledger.
pub(super) fn tables(transaction: &Transaction<'_>) -> Result<Tables> {
    let format = format(transaction)?;
    Tables::of(format).ok_or_else(|| Problem::Damaged(format!("its format is {format} now")))
}

/// Returns the header of the ledger, or `None` if there is no ledger.
pub(super) fn header(transaction: &Transaction<'_>) -> Result<std::result::Result<Option<Header>, Mismatch>> {
    if !has_tables(transaction)? {
        return Ok(Ok(None));
    }
    let application: i32 = transaction.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    if application != APPLICATION_ID {
        return Ok(Err(Mismatch::Foreign));
    }
    let format = format(transaction)?;
    let Some(tables) = Tables::of(format) else { return Ok(Err(Mismatch::Format(format))) };
    let checksum = if tables.checksums { "checksum" } else { "NULL" };
    let columns =
        format!("SELECT fen, root, castling, depth, ply, plan, entries, paths, kogge, created, {checksum} FROM ledger");
    let (fen, root, files, header) = transaction.query_row(&columns, [], |row| {
        let header = (row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, row.get(8)?, row.get(9)?);
        let numbers: (String, Option<String>) = (row.get(7)?, row.get(10)?);
        Ok((row.get::<_, String>(0)?, row.get::<_, [u8; 32]>(1)?, row.get::<_, String>(2)?, (header, numbers)))
    })?;
    let ((depth, ply, plan, entries, kogge, created), (paths, checksum)) = header;
    let header = Header {
        kind: tables.kind,
        counted: tables.counted,
        root: fen.parse().map_err(|error| Problem::Damaged(format!("its root cannot be read ({error})")))?,
        depth,
        ply,
        plan,
        entries,
        paths: number(&paths).map_err(Problem::Damaged)?,
        kogge,
        created,
        checksum: tables.tree_checksum(checksum.as_deref()).map_err(Problem::Damaged)?,
    };
    if root_bytes(&header.root) != root || castling(&header.root) != files || ply > depth {
        return Err(Problem::Damaged("its facts about the root contradict each other".to_owned()));
    }
    Ok(Ok(Some(header)))
}

/// Returns the columns of an item: position, multiplicity, and the first and the last key.
pub(super) fn item(kind: Kind) -> &'static str {
    match kind {
        Kind::Positions => "position, multiplicity, NULL, NULL",
        Kind::Ranges => "NULL, NULL, first, last",
    }
}

/// Reads an entry: its number and the [`item`].
pub(super) fn entry_at(row: &rusqlite::Row<'_>) -> Result<Entry> {
    let id = row.get(0)?;
    let position: Option<[u8; 32]> = row.get(1)?;
    let item = match position {
        Some(packed) => {
            let multiplicity = number(&row.get::<_, String>(2)?).map_err(Problem::Damaged)?;
            Item::Position { packed, multiplicity }
        }
        None => {
            let keys = [row.get::<_, Vec<u8>>(3)?, row.get(4)?];
            let [Some(first), Some(last)] = keys.map(|key| key_of(&key)) else {
                return Err(Problem::Damaged(format!("the keys of entry {id} are too short or too long")));
            };
            Item::Range(KeyRange { first, last })
        }
    };
    Ok(Entry { id, item })
}

/// Returns the columns of a count in a table.
fn count(tables: Tables, table: &str) -> String {
    tables.count().padded("NULL", |name| format!("{table}.{name}"))
}

/// Reads a count from its columns, the first of which is `first`.
fn count_at(row: &rusqlite::Row<'_>, first: usize) -> Result<Option<Kept>> {
    let mut values: [Option<String>; COUNT] = Default::default();
    for (index, value) in values.iter_mut().enumerate() {
        *value = row.get(first + index)?;
    }
    Kept::read(values).map_err(Problem::Damaged)
}

/// Returns the count of an entry: `None` if there is no such entry, `Some(None)` if it is not counted.
pub(super) fn count_of(transaction: &Transaction<'_>, tables: Tables, id: u64) -> Result<Option<Option<Count>>> {
    let select = format!("SELECT {} FROM entry WHERE id = ?1", count(tables, "entry"));
    let mut select = transaction.prepare_cached(&select)?;
    let mut found = select.query([id])?;
    found.next()?.map(|row| Ok(count_at(row, 0)?.map(|kept| kept.count))).transpose()
}

/// Returns the number of a source, and adds the source if it is new.
pub(super) fn source(transaction: &Transaction<'_>, tables: Tables, source: &Source) -> Result<i64> {
    let (columns, values) = (tables.source(), source.values(tables));
    let parameters = columns.join(", ", |index, _| format!("?{}", index + 1));
    let insert = format!("INSERT OR IGNORE INTO source ({}) VALUES ({parameters})", columns.list());
    transaction.prepare_cached(&insert)?.execute(params_from_iter(&values))?;
    let is_it = columns.join(" AND ", |index, name| format!("{name} = ?{}", index + 1));
    let select = format!("SELECT id FROM source WHERE {is_it}");
    Ok(transaction.prepare_cached(&select)?.query_row(params_from_iter(&values), |row| row.get(0))?)
}

/// Returns the parameters for an answer: the entry, the source, and from the third on the count.
fn parameters(tables: Tables, answer: &Answer, source: i64) -> Vec<Value> {
    let first = [Value::from(answer.id as i64), Value::from(source)];
    first.into_iter().chain(answer.values(tables).into_iter().map(Value::from)).collect()
}

/// Keeps the first answer of an entry.
pub(super) fn answer(transaction: &Transaction<'_>, tables: Tables, answer: &Answer, source: i64) -> Result<()> {
    let count = tables.count().join(", ", |index, name| format!("{name} = ?{}", index + 3));
    let update = format!(
        "UPDATE entry SET {count}, source = ?2, at = unixepoch(), worker = NULL, leased_until = NULL
         WHERE id = ?1 AND count IS NULL"
    );
    transaction.prepare_cached(&update)?.execute(params_from_iter(parameters(tables, answer, source)))?;
    Ok(())
}

/// Keeps an answer that is equal to the accepted one, if it is from another source.
pub(super) fn repeat(transaction: &Transaction<'_>, tables: Tables, id: u64, source: i64) -> Result<()> {
    let count = tables.count().list();
    let insert = format!(
        "INSERT OR IGNORE INTO answer (entry, {count}, source, at)
         SELECT id, {count}, ?2, unixepoch() FROM entry WHERE id = ?1 AND source <> ?2"
    );
    transaction.prepare_cached(&insert)?.execute(params![id, source])?;
    Ok(())
}

/// Keeps an answer that differs from the accepted one. The entry is disputed if the answer is new for its source.
pub(super) fn dispute(transaction: &Transaction<'_>, tables: Tables, answer: &Answer, source: i64) -> Result<()> {
    let (columns, given) = (tables.count(), parameters(tables, answer, source));
    let is_it = columns.join(" AND ", |index, name| format!("{name} = ?{}", index + 3));
    let known = format!("SELECT 1 FROM answer WHERE entry = ?1 AND source = ?2 AND {is_it}");
    if transaction.query_row(&known, params_from_iter(&given), |_| Ok(())).optional()?.is_some() {
        return Ok(());
    }
    let count = columns.list();
    let accepted = format!(
        "INSERT OR IGNORE INTO answer (entry, {count}, source, at) SELECT id, {count}, source, at FROM entry WHERE id = ?1"
    );
    transaction.execute(&accepted, [answer.id])?;
    let values = columns.join(", ", |index, _| format!("?{}", index + 3));
    let insert = format!("INSERT INTO answer (entry, source, {count}, at) VALUES (?1, ?2, {values}, unixepoch())");
    transaction.execute(&insert, params_from_iter(&given))?;
    transaction.execute("UPDATE entry SET disputed = 1 WHERE id = ?1", [answer.id])?;
    Ok(())
}

/// Settles a dispute by accepting the first answer with this count.
pub(super) fn settle(transaction: &Transaction<'_>, tables: Tables, answer: &Answer) -> Result<()> {
    let columns = tables.count();
    let count = columns.list();
    let is_it = columns.join(" AND ", |index, name| format!("{name} = ?{}", index + 2));
    let update = format!(
        "UPDATE entry SET disputed = 0, ({count}, source, at) =
             (SELECT {count}, source, at FROM answer WHERE entry = ?1 AND {is_it} ORDER BY number LIMIT 1)
         WHERE id = ?1 AND EXISTS (SELECT 1 FROM answer WHERE entry = ?1 AND {is_it})"
    );
    let values = answer.values(tables).into_iter().map(Value::from);
    transaction.execute(&update, params_from_iter(std::iter::once(Value::from(answer.id as i64)).chain(values)))?;
    Ok(())
}

/// Returns the progress of the ledger.
pub(super) fn tally(transaction: &Transaction<'_>) -> Result<Tally> {
    let live = "count IS NULL AND leased_until > unixepoch('subsec')";
    let mut tally = transaction.query_row(
        &format!(
            "SELECT count(*), count(count), count(*) FILTER (WHERE {live}), count(*) FILTER (WHERE disputed),
                    count(DISTINCT worker) FILTER (WHERE {live}), count(*) FILTER (WHERE at > unixepoch() - 60),
                    min(at), max(at)
             FROM entry"
        ),
        [],
        |row| {
            let first: Option<i64> = row.get(6)?;
            let last: Option<i64> = row.get(7)?;
            Ok(Tally {
                entries: row.get(0)?,
                done: row.get(1)?,
                leased: row.get(2)?,
                disputed: row.get(3)?,
                verified: 0,
                workers: row.get(4)?,
                last_minute: row.get(5)?,
                span: first.zip(last),
            })
        },
    )?;
    let is_equal = tables(transaction)?.count().join(" AND ", |_, name| format!("answer.{name} = entry.{name}"));
    let verified = format!(
        "SELECT count(DISTINCT entry.id) FROM answer JOIN entry ON entry.id = answer.entry
             JOIN source AS one ON one.id = entry.source JOIN source AS other ON other.id = answer.source
         WHERE {is_equal} AND one.backend <> other.backend AND NOT entry.disputed"
    );
    tally.verified = transaction.query_row(&verified, [], |row| row.get(0))?;
    Ok(tally)
}

/// Returns the columns of a source.
fn source_columns(tables: Tables) -> String {
    tables.source().padded("''", |name| format!("source.{name}"))
}

/// Reads a source from five columns, the first of which is `first`.
fn source_at(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Source> {
    Ok(Source {
        backend: row.get(first)?,
        device: row.get(first + 1)?,
        variant: row.get(first + 2)?,
        kogge: row.get(first + 3)?,
        plan: row.get(first + 4)?,
    })
}

/// The columns of an entry, and of an entry with its answer: count, time and source.
const ENTRY: usize = 5;
const ROW: usize = ENTRY + COUNT + 6;

/// Reads an answer from the columns after those of an entry.
fn given_at(row: &rusqlite::Row<'_>) -> Result<Option<(Given, Option<u64>)>> {
    let Some(Kept { count, checksum }) = count_at(row, ENTRY)? else { return Ok(None) };
    let at = ENTRY + COUNT;
    Ok(Some((Given { count, at: row.get(at)?, source: source_at(row, at + 1)? }, checksum)))
}

/// Returns up to `most` rows with numbers greater than `after`.
pub(super) fn rows(transaction: &Transaction<'_>, after: Option<u64>, most: usize) -> Result<Vec<Row>> {
    let tables = tables(transaction)?;
    let mut select = transaction.prepare_cached(&format!(
        "SELECT entry.id, {}, {}, at, {}, disputed
         FROM entry LEFT JOIN source ON source.id = entry.source
         WHERE entry.id > ?1 ORDER BY entry.id LIMIT ?2",
        item(tables.kind),
        count(tables, "entry"),
        source_columns(tables),
    ))?;
    let after = after.map_or(-1, |after| after as i64);
    let mut found = select.query(params![after, most])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let (given, checksum) = given_at(row)?.unzip();
        rows.push(Row { entry: entry_at(row)?, given, disputed: row.get(ROW)?, checksum: checksum.flatten() });
    }
    Ok(rows)
}

/// Returns all disputed entries with their answers.
pub(super) fn disputes(transaction: &Transaction<'_>) -> Result<Vec<Dispute>> {
    let tables = tables(transaction)?;
    let mut select = transaction.prepare(&format!(
        "SELECT entry.id, {}, {}, answer.at, {}
         FROM entry JOIN answer ON answer.entry = entry.id JOIN source ON source.id = answer.source
         WHERE disputed ORDER BY entry.id, answer.at, answer.number",
        item(tables.kind),
        count(tables, "answer"),
        source_columns(tables),
    ))?;
    let mut found = select.query([])?;
    let mut disputes: Vec<Dispute> = Vec::new();
    while let Some(row) = found.next()? {
        let entry = entry_at(row)?;
        let Some((given, _)) = given_at(row)? else { continue };
        match disputes.last_mut() {
            Some(last) if last.entry.id == entry.id => last.answers.push(given),
            _ => disputes.push(Dispute { entry, answers: vec![given] }),
        }
    }
    Ok(disputes)
}
