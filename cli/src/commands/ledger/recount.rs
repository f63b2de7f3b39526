//! Recounts entries of a ledger.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::time::{SystemTime, UNIX_EPOCH};

use kogge::{
    BACKENDS, BackendName, Driver, Estimate, Fen, MergeDevice, Request,
    ledger::{Contradiction, Dispute, Ledger, LedgerRow, Settled, Size, Source},
    memory, open,
};

use super::entry::{Count, Entry};
use crate::context::Context;
use crate::monitor::duration;
use crate::outcome::{Answer, Failure};
use crate::output::{number_of, record};

/// Recounts a random share of the entries.
pub(super) fn verify(
    ledger: &Ledger,
    share: f64,
    memory: Option<NonZeroUsize>,
    context: &mut Context,
) -> Result<Answer, Failure> {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    // Each entry is recounted on a backend other than the one that counted it.
    let mut groups: BTreeMap<Option<BackendName>, Vec<LedgerRow>> = BTreeMap::new();
    for row in ledger.sample(share, seed)? {
        let backend = row.given.as_ref().map_or("", |given| given.source.backend.as_str());
        groups.entry(other_than(&[backend], context)).or_default().push(row);
    }
    if groups.is_empty() {
        return Err(Failure::Input(format!("No entry of {} is counted yet.", ledger.location())));
    }
    let monitor = context.monitor("leaves")?;
    let (mut checked, mut repeated, mut by, mut differences) = (0, 0, Vec::new(), Vec::new());
    for (name, rows) in groups {
        let mut checker = open_checker(name, memory, context)?;
        announce(ledger, &rows, &mut checker, context)?;
        let found = ledger.verify(&rows, &mut checker, &monitor)?;
        monitor.next();
        checked += found.checked;
        let source = Source::from(checker.backend.info());
        let is_same = |row: &&LedgerRow| {
            row.given.as_ref().is_some_and(|given| given.source.implementation() == source.implementation())
        };
        repeated += rows.iter().filter(is_same).count();
        let Source { backend, device, variant, .. } = source;
        by.push(record! { backend, device, variant, entries: found.checked });
        for Contradiction { entry, had, had_by, found, by } in found.contradictions {
            let entry = Entry::of(ledger, &entry)?;
            let had_by = had_by.map_or("another".to_owned(), |source| source.to_string());
            let found_by = by.to_string();
            let (had, found) = (Count::from(had), Count::from(found));
            differences.push(record! { #[serde(flatten)] entry, had, had_by, found, found_by });
        }
    }
    let report = record! {
        command: "ledger verify",
        ledger: ledger.location(),
        checked,
        // The number of entries that are not verified, because the same backend counted them the first time.
        repeated,
        by,
        differences,
    };
    context.output.print(&report, |to| {
        for row in &report.differences {
            writeln!(to, "DIFFERENT  {}: {} by {}, {} by {}", row.entry, row.had, row.had_by, row.found, row.found_by)?;
        }
        for by in &report.by {
            let entries =
                if by.entries == 1 { "One entry was".to_owned() } else { format!("{} entries were", by.entries) };
            writeln!(to, "{entries} counted again by {}: {}, {}.", by.backend, by.device, by.variant)?;
        }
        match report.differences.len() {
            0 => writeln!(to, "All have the count that is in the ledger.")?,
            1 => writeln!(to, "One has a count that differs from the ledger, and is now disputed.")?,
            different => writeln!(to, "{different} have a count that differs from the ledger, and are now disputed.")?,
        }
        match report.repeated {
            0 => Ok(()),
            repeated => {
                writeln!(to, "{repeated} of them had been counted by the same backend, so they are not verified.")
            }
        }
    })?;
    Ok(if report.differences.is_empty() { Answer::Done } else { Answer::No })
}

/// Says how long a recount will take, if it takes more than some seconds.
fn announce(ledger: &Ledger, rows: &[LedgerRow], checker: &mut MergeDevice, context: &Context) -> Result<(), Failure> {
    const WORTH_SAYING: f64 = 10.0;
    const MOST_MOVES: f64 = 218.0;
    // A count may be wrong, but no position has more moves.
    let most = MOST_MOVES.powi(ledger.depth_below() as i32);
    // Below a range, the leaves are counted once for each position, not for each path.
    let leaves = |&kogge::ledger::Count { leaves, size, .. }: &kogge::ledger::Count| match size {
        Some(Size { positions, paths }) => leaves as f64 * positions as f64 / paths.max(1) as f64,
        None => (leaves as f64).min(most),
    };
    let all: f64 = rows.iter().filter_map(|row| row.given.as_ref()).map(|given| leaves(&given.count)).sum();
    let mut driver = Driver::new(&mut *checker.backend, &());
    let work = Estimate::calls(rows.len(), all as u128, |depth| driver.perft(&Fen::start(), depth))?;
    if work.seconds() > WORTH_SAYING {
        let entries = number_of(rows.len() as u64, "entry", "entries");
        context.output.note(&format!("Counting {entries} again will take about {}.", duration(work.seconds())));
    }
    Ok(())
}

/// Recounts the disputed entries.
pub(super) fn settle(ledger: &Ledger, memory: Option<NonZeroUsize>, context: &mut Context) -> Result<Answer, Failure> {
    let mut groups: BTreeMap<Option<BackendName>, Vec<Dispute>> = BTreeMap::new();
    for dispute in ledger.disputes()? {
        let backends: Vec<_> = dispute.answers.iter().map(|given| given.source.backend.as_str()).collect();
        groups.entry(other_than(&backends, context)).or_default().push(dispute);
    }
    let monitor = context.monitor("leaves")?;
    let mut settled = Vec::new();
    for (name, disputes) in groups {
        let mut checker = open_checker(name, memory, context)?;
        for Settled { entry, answers, count } in ledger.settle(&disputes, &mut checker, &monitor)? {
            let (entry, count) = (Entry::of(ledger, &entry)?, count.map(Count::from));
            let answers: Vec<_> = answers.iter().map(|given| Count::from(given.count)).collect();
            settled.push(record! { #[serde(flatten)] entry, answers, count });
        }
        monitor.next();
    }
    let open = ledger.disputes()?.len();
    let report = record! { command: "ledger settle", ledger: ledger.location(), settled, open };
    context.output.print(&report, |to| {
        for row in &report.settled {
            let result = row.count.as_ref().map_or("is still disputed".to_owned(), |count| format!("is {count}"));
            let answers: Vec<_> = row.answers.iter().map(Count::to_string).collect();
            writeln!(to, "With the answers {}, {}, {result}.", answers.join(", "), row.entry)?;
        }
        match report.open {
            0 => writeln!(to, "No entry is disputed."),
            1 => writeln!(to, "One entry is still disputed; recount it on yet another --backend."),
            open => writeln!(to, "{open} entries are still disputed; recount them on yet another --backend."),
        }
    })?;
    Ok(if report.open == 0 { Answer::Done } else { Answer::No })
}

/// Returns a backend that is not in the list, to check the answers of the listed ones, or `None` if the arguments name
/// the backend.
fn other_than(backends: &[&str], context: &Context) -> Option<BackendName> {
    if context.request.backend != BackendName::Auto {
        return None;
    }
    let is_free = |name: &BackendName| !backends.contains(&name.name());
    // A GPU is the fastest choice; the mailbox is the slowest and comes last.
    let gpu = gpu().filter(is_free);
    gpu.or_else(|| [BackendName::Cpu, BackendName::Mailbox].into_iter().find(is_free)).or(Some(BackendName::Mailbox))
}

/// Returns the backend of the GPU that `auto` would take, if there is one.
fn gpu() -> Option<BackendName> {
    let opened = open(&Request::default(), None).ok()?;
    let is_opened = |name: &BackendName| name.name() == opened.backend.info().backend;
    BACKENDS.iter().filter(|entry| entry.is_gpu()).map(|entry| entry.name).find(is_opened)
}

fn open_checker(
    name: Option<BackendName>,
    memory: Option<NonZeroUsize>,
    context: &Context,
) -> Result<MergeDevice, Failure> {
    let request = name.map_or(context.request, |name| context.request.of(name, None));
    Ok(memory::device(memory, context.open(&request)?.backend))
}
