//! Checks the checksums of a ledger.

use kogge::ledger::{Check, Ledger, LedgerRow, hex};

use super::entry::{Count, Entry};
use crate::context::Context;
use crate::outcome::{Answer, Failure};
use crate::output::record;

/// Checks every row.
pub(super) fn run(ledger: &Ledger, context: &mut Context) -> Result<Answer, Failure> {
    let Check { entries, counted, changed: rows, sha256 } = ledger.check()?;
    let mut changed = Vec::new();
    for LedgerRow { entry, given, .. } in rows {
        let count = given.map(|given| Count::from(given.count));
        changed.push(record! { #[serde(flatten)] entry: Entry::of(ledger, &entry)?, count });
    }
    let sha256 = sha256.map(|bytes| hex(&bytes));
    let report = record! { command: "ledger check", ledger: ledger.location(), entries, counted, changed, sha256 };
    context.output.print(&report, |to| {
        for row in &report.changed {
            let count = row.count.as_ref().map_or(String::new(), Count::to_string);
            writeln!(to, "CHANGED   {}: the count {count} and its source do not have their checksum", row.entry)?;
        }
        write!(to, "{counted} of {entries} entries are counted. ")?;
        match report.changed.len() {
            0 => writeln!(to, "Every checksum is right.")?,
            1 => writeln!(to, "One was changed after it was written; restore a copy, or start another ledger.")?,
            changed => writeln!(
                to,
                "{changed} were changed after they were written; restore a copy, or start another ledger."
            )?,
        }
        match &report.sha256 {
            Some(hash) => writeln!(to, "SHA-256 of the tree and all counts: {hash}"),
            None => Ok(()),
        }
    })?;
    Ok(if report.changed.is_empty() { Answer::Done } else { Answer::No })
}
