//! Counting entries of a ledger again.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use kogge_board::Backend;
use kogge_driver::ledger::{Difference, Dispute, Given, Ledger, Row, Settled, Source};
use serde::Serialize;

use super::Context;
use crate::Answer;
use crate::args::BackendName;
use crate::backends::{self, Request};
use crate::failure::Failure;

#[derive(Serialize)]
struct Verified {
    command: &'static str,
    ledger: String,
    checked: u64,
    /// By whom.
    by: Vec<Counter>,
    differences: Vec<Different>,
}

#[derive(Clone, Serialize)]
struct Counter {
    backend: String,
    device: String,
    variant: String,
    entries: u64,
}

#[derive(Serialize)]
struct Different {
    id: u64,
    fen: String,
    had: u128,
    had_by: String,
    found: u128,
    found_by: String,
}

#[derive(Serialize)]
struct AllSettled {
    command: &'static str,
    ledger: String,
    settled: Vec<Outcome>,
    /// How many disputes are left.
    open: usize,
}

#[derive(Serialize)]
struct Outcome {
    id: u64,
    fen: String,
    answers: Vec<u128>,
    /// The count that stands now.
    count: Option<u128>,
}

/// Counts a random share of the entries again.
pub(super) fn verify(ledger: &Ledger, share: f64, context: &mut Context) -> Result<Answer, Failure> {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    // Each entry is counted on another backend than the one that gave its count.
    let mut groups: BTreeMap<Option<BackendName>, Vec<Row>> = BTreeMap::new();
    for row in ledger.sample(share, seed)? {
        let backend = row.given.as_ref().map_or("", |given| given.source.backend.as_str());
        groups.entry(other_than(&[backend], context)).or_default().push(row);
    }
    if groups.is_empty() {
        return Err(Failure::Input(format!("No entry of {} is counted yet.", ledger.place())));
    }
    let monitor = context.monitor("leaves")?;
    let (mut checked, mut by, mut differences) = (0, Vec::new(), Vec::new());
    for (name, rows) in groups {
        let mut backend = open(name, context)?;
        let source = Source::from(backend.info());
        refuse_same(&source, rows.iter().filter_map(|row| row.given.as_ref()))?;
        let found = ledger.verify(&rows, &mut *backend, &monitor)?;
        monitor.next();
        checked += found.checked;
        let Source { backend, device, variant, .. } = source;
        by.push(Counter { backend, device, variant, entries: found.checked });
        for Difference { id, position, had, had_by, found, by } in found.differences {
            let fen = ledger.fen_of(position).to_string();
            let had_by = had_by.map_or("another".to_owned(), |source| source.to_string());
            differences.push(Different { id, fen, had, had_by, found, found_by: by.to_string() });
        }
    }
    let report = Verified { command: "ledger verify", ledger: ledger.place(), checked, by, differences };
    context.output.print(&report, |to| {
        for Different { id, fen, had, had_by, found, found_by } in &report.differences {
            writeln!(to, "DIFFERENT  entry {id}, {fen}: {had} by {had_by}, {found} by {found_by}")?;
        }
        for Counter { backend, device, variant, entries } in &report.by {
            writeln!(to, "{entries} entries were counted again by {backend}: {device}, {variant}.")?;
        }
        match report.differences.len() {
            0 => writeln!(to, "All have the count that is in the ledger."),
            different => writeln!(to, "{different} have another count than in the ledger, and are disputed now."),
        }
    })?;
    Ok(if report.differences.is_empty() { Answer::Done } else { Answer::No })
}

/// Counts the disputed entries again.
pub(super) fn settle(ledger: &Ledger, context: &mut Context) -> Result<Answer, Failure> {
    let mut groups: BTreeMap<Option<BackendName>, Vec<Dispute>> = BTreeMap::new();
    for dispute in ledger.disputes()? {
        let backends: Vec<_> = dispute.answers.iter().map(|given| given.source.backend.as_str()).collect();
        groups.entry(other_than(&backends, context)).or_default().push(dispute);
    }
    let monitor = context.monitor("leaves")?;
    let mut settled = Vec::new();
    for (name, disputes) in groups {
        let mut backend = open(name, context)?;
        for Settled { id, position, answers, count } in ledger.settle(&disputes, &mut *backend, &monitor)? {
            let fen = ledger.fen_of(position).to_string();
            settled.push(Outcome { id, fen, answers: answers.iter().map(|given| given.count).collect(), count });
        }
        monitor.next();
    }
    let open = ledger.disputes()?.len();
    let report = AllSettled { command: "ledger settle", ledger: ledger.place(), settled, open };
    context.output.print(&report, |to| {
        for Outcome { id, fen, answers, count } in &report.settled {
            let result = count.map_or("is still disputed".to_owned(), |count| format!("is {count}"));
            writeln!(to, "Entry {id}, {fen}, with the answers {answers:?}, {result}.")?;
        }
        match report.open {
            0 => writeln!(to, "No entry is disputed."),
            open => writeln!(to, "{open} entries are still disputed; count them on yet another --backend."),
        }
    })?;
    Ok(if report.open == 0 { Answer::Done } else { Answer::No })
}

/// A backend to check these others with: the one that was asked for (none here), or one that is not among them.
fn other_than(backends: &[&str], context: &Context) -> Option<BackendName> {
    if context.common.backend != BackendName::Auto {
        return None;
    }
    let is_free = |name: &BackendName| !backends.contains(&name.name());
    // A GPU is fast enough to check anything; the mailbox is the last, being slow.
    let gpu = gpu().filter(is_free);
    gpu.or_else(|| [BackendName::Cpu, BackendName::Mailbox].into_iter().find(is_free)).or(Some(BackendName::Mailbox))
}

/// The backend of a GPU, if there is one that `auto` would take.
fn gpu() -> Option<BackendName> {
    let request = Request::default();
    let opened = backends::open(BackendName::Auto, request, None).ok()?;
    let name = opened.backend.info().backend;
    [BackendName::Opencl, BackendName::Wgpu].into_iter().find(|gpu| gpu.name() == name)
}

fn open(name: Option<BackendName>, context: &Context) -> Result<Box<dyn Backend>, Failure> {
    let request = Request::from(&context.common);
    let opened = match name {
        None => context.open_as(context.common.backend, request)?,
        Some(name) => context.open_as(name, Request { device: None, ..request })?,
    };
    Ok(opened.backend)
}

/// The same code that counted an entry would make the same mistake again.
fn refuse_same<'a>(source: &Source, mut given: impl Iterator<Item = &'a Given>) -> Result<(), Failure> {
    let is_same = |other: &Source| (&other.backend, &other.variant) == (&source.backend, &source.variant);
    match given.any(|given| is_same(&given.source)) {
        false => Ok(()),
        true => Err(Failure::Input(format!(
            "Entries of the sample were counted by {} ({}) in the first place; check them with another --backend.",
            source.backend, source.variant
        ))),
    }
}
