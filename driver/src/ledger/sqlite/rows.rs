//! Single rows of an SQLite ledger.

use rusqlite::{OptionalExtension, Transaction, params};

use super::problem::Problem;
use crate::ledger::store::{castling, root_bytes};
use crate::ledger::{Answer, Dispute, FORMAT, Given, Header, LedgerError, Row, Source, Tally};

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
            Self::Format(found) => LedgerError::Format { location, found, expected: FORMAT },
        }
    }
}

/// Returns whether the database has any tables.
pub(super) fn has_tables(transaction: &Transaction<'_>) -> Result<bool> {
    Ok(transaction.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))?)
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
    let format: i64 = transaction.query_row("SELECT format FROM ledger", [], |row| row.get(0))?;
    if format != FORMAT {
        return Ok(Err(Mismatch::Format(format)));
    }
    let columns = "SELECT fen, root, castling, depth, ply, plan, entries, paths, kogge, created FROM ledger";
    let (fen, root, files, header) = transaction.query_row(columns, [], |row| {
        let header = (row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?, row.get(8)?, row.get(9)?);
        let paths: String = row.get(7)?;
        Ok((row.get::<_, String>(0)?, row.get::<_, [u8; 32]>(1)?, row.get::<_, String>(2)?, (header, paths)))
    })?;
    let ((depth, ply, plan, entries, kogge, created), paths) = header;
    let header = Header {
        root: fen.parse().map_err(|error| Problem::Damaged(format!("its root cannot be read ({error})")))?,
        depth,
        ply,
        plan,
        entries,
        paths: number(&paths)?,
        kogge,
        created,
    };
    if root_bytes(&header.root) != root || castling(&header.root) != files || ply > depth {
        return Err(Problem::Damaged("its facts about the root contradict each other".to_owned()));
    }
    Ok(Ok(Some(header)))
}

/// Reads a number of up to 128 bits.
fn number(text: &str) -> Result<u128> {
    text.parse().map_err(|_| Problem::Damaged(format!("{text:?} is not a count")))
}

/// Returns the count of an entry: `None` if there is no such entry, `Some(None)` if it is not counted.
pub(super) fn count_of(transaction: &Transaction<'_>, id: u64) -> Result<Option<Option<u128>>> {
    let mut select = transaction.prepare_cached("SELECT count FROM entry WHERE id = ?1")?;
    let count: Option<Option<String>> = select.query_row([id], |row| row.get(0)).optional()?;
    count.map(|count| count.as_deref().map(number).transpose()).transpose()
}

/// Returns the number of a source, and adds the source if it is new.
pub(super) fn source(transaction: &Transaction<'_>, source: &Source) -> Result<i64> {
    let Source { backend, device, variant, kogge } = source;
    let key = params![backend, device, variant, kogge];
    transaction
        .prepare_cached("INSERT OR IGNORE INTO source (backend, device, variant, kogge) VALUES (?1, ?2, ?3, ?4)")?
        .execute(key)?;
    let select = "SELECT id FROM source WHERE backend = ?1 AND device = ?2 AND variant = ?3 AND kogge = ?4";
    Ok(transaction.prepare_cached(select)?.query_row(key, |row| row.get(0))?)
}

/// Keeps an answer that differs from the accepted one. The entry is disputed if the answer is new for its source.
pub(super) fn dispute(transaction: &Transaction<'_>, answer: &Answer, source: i64) -> Result<()> {
    let (id, count) = (answer.id, answer.count.to_string());
    let known = "SELECT 1 FROM answer WHERE entry = ?1 AND count = ?2 AND source = ?3";
    if transaction.query_row(known, params![id, count, source], |_| Ok(())).optional()?.is_some() {
        return Ok(());
    }
    transaction.execute(
        "INSERT OR IGNORE INTO answer (entry, count, source, at) SELECT id, count, source, at FROM entry WHERE id = ?1",
        [id],
    )?;
    transaction.execute(
        "INSERT INTO answer (entry, count, source, at) VALUES (?1, ?2, ?3, unixepoch())",
        params![id, count, source],
    )?;
    transaction.execute("UPDATE entry SET disputed = 1 WHERE id = ?1", [id])?;
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
    tally.verified = transaction.query_row(
        "SELECT count(DISTINCT entry.id) FROM answer JOIN entry ON entry.id = answer.entry
         WHERE answer.count = entry.count AND answer.source <> entry.source AND NOT entry.disputed",
        [],
        |row| row.get(0),
    )?;
    Ok(tally)
}

/// Reads a source from four columns, the first of which is `first`.
fn source_at(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Source> {
    Ok(Source {
        backend: row.get(first)?,
        device: row.get(first + 1)?,
        variant: row.get(first + 2)?,
        kogge: row.get(first + 3)?,
    })
}

/// Returns up to `most` rows with numbers greater than `after`.
pub(super) fn rows(transaction: &Transaction<'_>, after: Option<u64>, most: usize) -> Result<Vec<Row>> {
    let mut select = transaction.prepare_cached(
        "SELECT entry.id, position, multiplicity, disputed, count, at, backend, device, variant, kogge
         FROM entry LEFT JOIN source ON source.id = entry.source
         WHERE entry.id > ?1 ORDER BY entry.id LIMIT ?2",
    )?;
    let after = after.map_or(-1, |after| after as i64);
    let mut found = select.query(params![after, most])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let count: Option<String> = row.get(4)?;
        let given = match count {
            Some(count) => Some(Given { count: number(&count)?, at: row.get(5)?, source: source_at(row, 6)? }),
            None => None,
        };
        let multiplicity = number(&row.get::<_, String>(2)?)?;
        rows.push(Row { id: row.get(0)?, position: row.get(1)?, multiplicity, given, disputed: row.get(3)? });
    }
    Ok(rows)
}

/// Returns all disputed entries with their answers.
pub(super) fn disputes(transaction: &Transaction<'_>) -> Result<Vec<Dispute>> {
    let mut select = transaction.prepare(
        "SELECT entry.id, position, answer.count, answer.at, backend, device, variant, kogge
         FROM entry JOIN answer ON answer.entry = entry.id JOIN source ON source.id = answer.source
         WHERE disputed ORDER BY entry.id, answer.at, answer.number",
    )?;
    let mut found = select.query([])?;
    let mut disputes: Vec<Dispute> = Vec::new();
    while let Some(row) = found.next()? {
        let id = row.get(0)?;
        let count = number(&row.get::<_, String>(2)?)?;
        let given = Given { count, at: row.get(3)?, source: source_at(row, 4)? };
        match disputes.last_mut() {
            Some(last) if last.id == id => last.answers.push(given),
            _ => disputes.push(Dispute { id, position: row.get(1)?, answers: vec![given] }),
        }
    }
    Ok(disputes)
}
