//! `kogge run`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kogge::{
    BackendName, Quantity,
    ledger::{DeviceProgress, Kind, Ledger, LedgerRequest, Snapshot, WorkOptions},
    memory,
};

use super::reporter::{Reporter, Worker};
use crate::args;
use crate::context::{Context, Job};
use crate::kinds::{self, Kinds};
use crate::monitor::{give_time_to_stop, saying};
use crate::outcome::{Answer, Failure};
use crate::output::{Aside, brief, magnitude, record};
use crate::root::Tree;

impl Job for args::Run {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let &Self { ref tree, ref ledger, plies: ply, raw, stats, entries, memory: args::Memory { memory }, lease } =
            self;
        let Tree { root, depth } = &Tree::new(tree)?;
        let lease = lease.map_or(ledger.lease(), |seconds| Duration::from_secs(seconds.into()));
        let mut store = saying("Opening the ledger", context.output.quiet, || ledger.open_or_create(lease))?;
        // An existing ledger keeps its entries.
        let is_raw = store.header()?.map_or(raw, |header| header.kind == Kind::Positions);
        let devices = context.opening(|| context.selection.open(!is_raw, |sentence| context.output.note(sentence)))?;
        let mut devices = memory::devices(memory, devices);
        let monitor = context.monitor("leaves")?;
        let kind = raw.then_some(Kind::Positions);
        let counted = stats.then_some(Quantity::Categories);
        let request = LedgerRequest { root, depth: *depth, kind, counted, ply, entries, every_path: false };
        let (ledger, made) = if raw || devices.is_empty() {
            // A frontier is small; the CPU is fast enough for it.
            let cpu = context.open(&context.request.of(BackendName::Cpu, None))?.backend;
            Ledger::start(store, &request, &mut [memory::device(memory, cpu)], &monitor)?
        } else {
            Ledger::start(store, &request, &mut devices, &monitor)?
        };
        monitor.next();

        let tally = ledger.tally()?;
        let header = ledger.header();
        let (fen, merged) = (root.to_string(), header.kind.is_ranges());
        let workers = devices.iter().map(|device| Worker::new(&device.backend.info().into()));
        let started = record! {
            event: "started",
            command: "run",
            ledger: ledger.location(),
            fen: &fen,
            depth: header.depth,
            ply: header.ply,
            merged,
            plan: &header.plan,
            entries: header.entries,
            done: tally.done,
            made,
            devices: workers.collect::<Vec<_>>(),
        };
        if context.output.json {
            context.output.print(&started, |_| Ok(()))?;
        } else if !made {
            context.output.aside(&format!("Resumed with {} of {} entries done.", tally.done, tally.entries).into())?;
        }
        let options = WorkOptions { worker: worker_name(), lease, alone: false };
        // The ledger gives back its leases before it ends a call that goes on.
        give_time_to_stop();
        let reporter = Reporter::new(&mut context.output);
        let result = ledger.work(&mut devices, &options, &reporter);
        reporter.finish()?;
        let (total, snapshot) = result?;
        let (nodes, positions) = (total.leaves, merged.then_some(total.positions));
        let kinds = total.categories.map(|categories| Kinds { depth: header.depth, categories });
        let done = record! {
            event: "done",
            command: "run",
            ledger: ledger.location(),
            fen,
            depth: header.depth,
            nodes,
            positions,
            // Only some ledgers have them.
            #[serde(flatten)]
            kinds: kinds.as_ref().map(|kinds| record! { kinds }),
            entries: header.entries,
            seconds: snapshot.elapsed.as_secs_f64(),
            devices: snapshot.devices.iter().map(Worker::from).collect::<Vec<_>>(),
        };
        context.output.print(&done, |to| match &kinds {
            Some(kinds) => kinds::table([kinds], to),
            None => writeln!(to, "Nodes searched: {nodes}"),
        })?;
        if let Some(positions) = positions {
            context.output.aside(&format!("Ply {} has {positions} distinct positions.", header.ply).into())?;
        }
        for line in efforts(&snapshot, merged) {
            context.output.aside(&line)?;
        }
        Ok(Answer::Done)
    }
}

/// Describes the work of each device.
fn efforts(snapshot: &Snapshot, merged: bool) -> Vec<Aside> {
    let how = if merged { "equal positions merged" } else { "entries not multiplied" };
    let seconds = snapshot.elapsed.as_secs_f64();
    let line = |DeviceProgress { source, entries, leaves, failed, .. }: &DeviceProgress| {
        let failed = if failed.is_some() { ", failed" } else { "" };
        let rate = magnitude(*leaves as f64 / seconds.max(1e-9));
        let done = format!("{seconds:.3} s, {entries} entries, {rate} leaves/s");
        let full = format!("{done} ({how}){failed}; {}: {}, {}", source.backend, source.device, source.variant);
        Aside::new(format!("{done}{failed}; {}", brief(&source.backend, &source.device)), full)
    };
    snapshot.devices.iter().map(line).collect()
}

/// Returns the name of this process in ledgers: the machine, the process number, and the time of its start, because
/// process numbers are reused.
fn worker_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = |name: &str| std::env::var(name).ok();
    let host = host.or_else(|| named("HOSTNAME")).or_else(|| named("COMPUTERNAME")).unwrap_or_default();
    let host = if host.trim().is_empty() { "unnamed" } else { host.trim() };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
    format!("{host}/{}/{now}", std::process::id())
}
