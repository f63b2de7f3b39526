//! Checks the checksums of a ledger.

use kogge_ledger::{Check, Ledger, hex};
use serde::Serialize;

use crate::context::Context;
use crate::entry::{Count, Entry};
use crate::outcome::{Answer, Failure};

#[derive(Serialize)]
struct Report {
    command: &'static str,
    ledger: String,
    entries: u64,
    counted: u64,
    /// The entries whose counts do not have their checksums.
    changed: Vec<Changed>,
    /// The hash of the tree and all counts, if all are known.
    sha256: Option<String>,
}

#[derive(Serialize)]
struct Changed {
    #[serde(flatten)]
    entry: Entry,
    count: Option<Count>,
}

/// Checks every row.
pub(super) fn run(ledger: &Ledger, context: &mut Context) -> Result<Answer, Failure> {
    let Check { entries, counted, changed, sha256 } = ledger.check()?;
    let changed = changed.into_iter().map(|row| {
        let count = row.given.map(|given| given.count.into());
        Ok(Changed { entry: Entry::of(ledger, &row.entry)?, count })
    });
    let report = Report {
        command: "ledger check",
        ledger: ledger.location(),
        entries,
        counted,
        changed: changed.collect::<Result<_, Failure>>()?,
        sha256: sha256.map(|bytes| hex(&bytes)),
    };
    context.output.print(&report, |to| text(&report, to))?;
    Ok(if report.changed.is_empty() { Answer::Done } else { Answer::No })
}

fn text(report: &Report, to: &mut dyn std::io::Write) -> std::io::Result<()> {
    let Report { entries, counted, changed, sha256, .. } = report;
    for Changed { entry, count } in changed {
        let count = count.as_ref().map_or(String::new(), Count::to_string);
        writeln!(to, "CHANGED   {entry}: the count {count} does not have its checksum")?;
    }
    write!(to, "{counted} of {entries} entries are counted. ")?;
    match changed.len() {
        0 => writeln!(to, "Every checksum is right.")?,
        1 => writeln!(to, "One was changed after it was written; restore a copy, or start another ledger.")?,
        changed => {
            writeln!(to, "{changed} were changed after they were written; restore a copy, or start another ledger.")?
        }
    }
    match sha256 {
        Some(hash) => writeln!(to, "SHA-256 of the tree and all counts: {hash}"),
        None => Ok(()),
    }
}
