//! `kogge run`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kogge_driver::ledger::{DeviceProgress, Ledger, Options, Request, Snapshot};
use serde::Serialize;

use super::Context;
use crate::Answer;
use crate::args::{BackendName, Run};
use crate::backends;
use crate::failure::Failure;
use crate::many;
use crate::output::magnitude;
use crate::reporter::{Reporter, Worker};

/// The first line of the JSON.
#[derive(Serialize)]
struct Started {
    event: &'static str,
    command: &'static str,
    ledger: String,
    fen: String,
    depth: u32,
    ply: u32,
    plan: String,
    entries: u64,
    done: u64,
    /// Whether the ledger was made just now.
    made: bool,
    devices: Vec<Worker>,
}

/// The last one.
#[derive(Serialize)]
struct Done {
    event: &'static str,
    command: &'static str,
    ledger: String,
    fen: String,
    depth: u32,
    nodes: u128,
    entries: u64,
    seconds: f64,
    devices: Vec<Worker>,
}

pub(super) fn run(arguments: &Run, context: &mut Context) -> Result<Answer, Failure> {
    let Run { tree, ledger: place, ply, lease } = arguments;
    let root = tree.root.position()?;
    let store = place.open_or_create()?;
    let mut devices = many::open(&context.common, |sentence| context.output.note(sentence))?;
    let monitor = context.monitor("leaves")?;
    // The frontier is small, so that it does not matter who makes it.
    let mut cpu = backends::open(BackendName::Cpu, (&context.common.for_cpu()).into(), None)?;
    let request = Request { root: &root, depth: tree.depth, ply: *ply };
    let (ledger, made) = Ledger::start(store, &request, &mut *cpu.backend, &monitor)?;
    drop(cpu);
    monitor.next();

    let tally = ledger.tally()?;
    let header = ledger.header();
    let fen = root.to_string();
    let started = Started {
        event: "started",
        command: "run",
        ledger: ledger.place(),
        fen: fen.clone(),
        depth: header.depth,
        ply: header.ply,
        plan: header.plan.clone(),
        entries: header.entries,
        done: tally.done,
        made,
        devices: devices.iter().map(|backend| Worker::new(&backend.info().into())).collect(),
    };
    if context.output.json {
        context.output.print(&started, |_| Ok(()))?;
    } else if !made {
        context.output.aside(&format!("Resumed with {} of {} entries done.", tally.done, tally.entries))?;
    }
    let options = Options {
        worker: worker_name(),
        lease: lease.map_or(place.lease(), |seconds| Duration::from_secs(seconds.into())),
    };
    let reporter = Reporter::new(&mut context.output);
    let result = ledger.work(&mut devices, &options, &reporter);
    reporter.finish()?;
    let (nodes, snapshot) = result?;

    let done = Done {
        event: "done",
        command: "run",
        ledger: ledger.place(),
        fen,
        depth: header.depth,
        nodes,
        entries: header.entries,
        seconds: snapshot.elapsed.as_secs_f64(),
        devices: snapshot.devices.iter().map(Worker::from).collect(),
    };
    context.output.print(&done, |to| writeln!(to, "Nodes searched: {nodes}"))?;
    for line in efforts(&snapshot) {
        context.output.aside(&line)?;
    }
    Ok(Answer::Done)
}

/// What each device did, for people.
fn efforts(snapshot: &Snapshot) -> Vec<String> {
    let seconds = snapshot.elapsed.as_secs_f64();
    let line = |DeviceProgress { source, entries, leaves, failed, .. }: &DeviceProgress| {
        let failed = if failed.is_some() { ", failed" } else { "" };
        let rate = magnitude(*leaves as f64 / seconds.max(1e-9));
        format!(
            "{seconds:.3} s, {entries} entries, {rate} leaves/s (entries not multiplied){failed}; {}: {}, {}",
            source.backend, source.device, source.variant
        )
    };
    snapshot.devices.iter().map(line).collect()
}

/// What this process is called in ledgers: the machine, the process, and when it began, since processes' numbers
/// come again.
fn worker_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = |name: &str| std::env::var(name).ok();
    let host = host.or_else(|| named("HOSTNAME")).or_else(|| named("COMPUTERNAME")).unwrap_or_default();
    let host = if host.trim().is_empty() { "unnamed" } else { host.trim() };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    format!("{host}/{}/{now}", std::process::id())
}
