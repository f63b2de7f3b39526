//! Reads the rows of a ledger, and checks that nothing changed them after they were written.

use crate::checksum::Hash;
use crate::cover::Cover;
use crate::{Answer, Given, Ledger, LedgerError, LedgerRow};

/// The result of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// All entries.
    pub entries: u64,
    /// The number of entries with a count.
    pub counted: u64,
    /// The rows whose counts or sources were changed after they were written.
    pub changed: Vec<LedgerRow>,
    /// The SHA-256 of the tree and of all entries with their counts: two ledgers of this tree with the same entries and counts
    /// have equal hashes. `None` if any entry is uncounted, disputed or changed.
    pub sha256: Option<[u8; 32]>,
}

fn is_intact(row: &LedgerRow) -> bool {
    let has_it = |given: &Given| {
        let answer = Answer { id: row.entry.id, count: given.count };
        given.checksum == answer.checksum(&given.source)
    };
    row.given.as_ref().is_none_or(has_it)
}

/// Describes a row that does not match its checksum.
fn changed(row: &LedgerRow) -> String {
    let count = row.given.as_ref().map_or(String::new(), |given| format!(" ({})", given.count));
    format!("the count of entry {}{count} and its source do not have their checksum", row.entry.id)
}

impl Ledger {
    /// Calls `row` with every row, in the order of the row numbers. Each query reads a few thousand rows. Answers that other
    /// processes write at the same time may be missing.
    ///
    /// # Errors
    /// [`LedgerError::Damaged`] if an answer or the whole does not match its checksum or if ranges do not cover all keys exactly
    /// once; if the ledger cannot be read; and the error of `row`.
    pub fn rows(&self, mut row: impl FnMut(LedgerRow) -> Result<(), LedgerError>) -> Result<(), LedgerError> {
        self.rows_as_they_are(|next| if is_intact(&next) { row(next) } else { Err(self.damaged(changed(&next))) })
    }

    /// Checks all checksums, and returns the entries that were changed.
    ///
    /// # Errors
    /// [`LedgerError::Damaged`] if the ledger's own checksum is wrong, if ranges do not cover all keys exactly once, or if a
    /// number cannot be read; and if the ledger cannot be read.
    pub fn check(&self) -> Result<Check, LedgerError> {
        let mut checked = Check { entries: 0, counted: 0, changed: Vec::new(), sha256: None };
        let mut hash = Hash::of(self.header());
        let mut is_complete = true;
        self.rows_as_they_are(|row| {
            checked.entries += 1;
            hash.add(&row.entry);
            match &row.given {
                Some(given) => {
                    checked.counted += 1;
                    hash.add_count(&given.count);
                    is_complete &= !row.disputed;
                }
                None => is_complete = false,
            }
            if !is_intact(&row) {
                checked.changed.push(row);
            }
            Ok(())
        })?;
        let is_final = is_complete && checked.entries == self.header().entries && checked.changed.is_empty();
        checked.sha256 = is_final.then(|| hash.bytes());
        Ok(checked)
    }

    /// Calls `row` with every row as [`Ledger::rows`] does, even if the answer does not match its checksum.
    ///
    /// # Errors
    /// As [`Ledger::rows`], except for the checksums of answers.
    fn rows_as_they_are(&self, mut row: impl FnMut(LedgerRow) -> Result<(), LedgerError>) -> Result<(), LedgerError> {
        const AT_ONCE: usize = 1 << 13;
        let (mut after, mut cover, mut hash) = (None, Cover::default(), Hash::of(self.header()));
        loop {
            let rows = self.store().rows(after, AT_ONCE)?;
            let Some(last) = rows.last() else { break };
            after = Some(last.entry.id);
            for next in rows {
                let sort = (self.header().kind, self.header().counted);
                let is_of_it = next.given.as_ref().is_none_or(|given| given.count.is_of(sort));
                if !is_of_it || !next.entry.item.is_of(sort.0) {
                    return Err(self.not_of_its_kind(&next.entry));
                }
                cover.add(&next.entry).map_err(|what| self.damaged(what))?;
                hash.add(&next.entry);
                row(next)?;
            }
        }
        cover.end().map_err(|what| self.damaged(what))?;
        if self.header().checksum != hash.checksum(self.header()) {
            return Err(self.damaged("its tree or its entries do not have their checksum".to_owned()));
        }
        Ok(())
    }
}
