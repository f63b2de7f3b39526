//! `kogge perft` on several devices: they share a ledger in memory.

use std::time::{Duration, Instant};

use kogge::{
    Backend, Division, MergeDevice, Quantity,
    ledger::{DeviceProgress, Kind, Ledger, LedgerError, LedgerRequest, Snapshot, Sqlite, Total, Watcher, WorkOptions},
    memory,
};
use serde::Serialize;

use crate::args;
use crate::context::Context;
use crate::monitor::Monitor;
use crate::outcome::{Answer, Failure};
use crate::output::{Aside, Device, per_second, rate, record};
use crate::root::Tree;

/// The last merged ply.
#[derive(Serialize)]
struct LastPly {
    ply: u32,
    positions: u128,
    /// The ranges that the devices shared.
    ranges: u64,
}

/// A device, and the work that it did.
#[derive(Serialize)]
struct Worker {
    #[serde(flatten)]
    device: Device,
    leaves: u128,
    /// The number of ranges, or of the frontier's positions if every leaf was counted.
    pieces: u64,
}

/// Leases in memory need no end, because only this process has them.
const LEASE: Duration = Duration::from_secs(1 << 30);

/// The kinds of entries to try, for devices of this memory. Ranges of reversed keys cannot be made if the ply before them is larger
/// than estimated.
fn kinds(devices: &[MergeDevice], is_merged: bool) -> &'static [Kind] {
    let memory = |device: &MergeDevice| device.settings.memory;
    match devices.iter().map(memory).min() == devices.first().map(memory) {
        _ if !is_merged => &[Kind::Positions],
        true => &[Kind::ReversedRanges, Kind::Ranges],
        false => &[Kind::Ranges],
    }
}

impl args::Perft {
    pub(crate) fn share(
        &self,
        Tree { root, depth }: &Tree,
        is_merged: bool,
        backends: Vec<Box<dyn Backend>>,
        context: &mut Context,
    ) -> Result<Answer, Failure> {
        let mut devices = memory::devices(self.memory.memory, backends);
        if is_merged {
            for MergeDevice { backend, settings } in &mut devices {
                settings.prepare(&mut **backend, &root.rules)?;
            }
        }
        let possible = Division::plies(*depth, Quantity::Leaves);
        let ply = self.plies.filter(|_| is_merged).map(|ply| ply.min(*possible.end()).max(*possible.start()));
        let monitor = context.monitor("leaves")?;
        let start = Instant::now();
        let counted = kinds(&devices, is_merged).iter().find_map(|&kind| {
            let request = LedgerRequest {
                root,
                depth: *depth,
                kind: Some(kind),
                counted: None,
                ply,
                entries: self.ranges,
                every_path: !is_merged,
            };
            match count(&request, &mut devices, &monitor) {
                Err(LedgerError::NoDevice(_)) if kind == Kind::ReversedRanges => None,
                counted => Some(counted),
            }
        });
        monitor.next();
        let counted = counted.ok_or_else(|| Failure::Device("No device could count.".to_owned()))?;
        let (ply, total, snapshot) = counted.map_err(|error| match error {
            LedgerError::Stopped { done, entries } => Failure::Interrupted(format!(
                "Stopped on request: {done} of {entries} pieces were done; there is no result."
            )),
            LedgerError::NoDevice(reasons) => Failure::Device(reasons),
            error => error.into(),
        })?;
        let elapsed = start.elapsed();
        for DeviceProgress { source, failed, .. } in &snapshot.devices {
            if let Some(reason) = failed {
                context.output.note(&format!("{}: {} was no longer used. {reason}", source.backend, source.device));
            }
        }
        let workers = devices.iter().zip(&snapshot.devices).map(|(device, progress)| Worker {
            device: device.backend.info().into(),
            leaves: progress.leaves,
            pieces: progress.entries,
        });
        let workers: Vec<_> = workers.collect();
        let (leaves, ranges) = (total.leaves, snapshot.entries);
        let merged = is_merged.then_some(LastPly { ply, positions: total.positions, ranges });
        let aside = efforts(leaves, elapsed, merged.as_ref(), &workers);
        let report = record! {
            command: "perft",
            fen: root.to_string(),
            depth,
            nodes: leaves,
            merged: &merged,
            seconds: elapsed.as_secs_f64(),
            per_second: per_second(leaves, elapsed),
            deduplicated: is_merged,
            devices: workers,
        };
        context.output.print(&report, |to| writeln!(to, "Nodes searched: {leaves}"))?;
        context.output.aside(&aside)?;
        Ok(Answer::Done)
    }
}

/// Counts a tree in a ledger in memory. Also returns the ply of its entries.
fn count(
    request: &LedgerRequest<'_>,
    devices: &mut [MergeDevice],
    monitor: &Monitor,
) -> Result<(u32, Total, Snapshot), LedgerError> {
    let (ledger, _) = Ledger::start(Box::new(Sqlite::in_memory()?), request, devices, monitor)?;
    let options = WorkOptions { worker: "kogge".to_owned(), lease: LEASE, alone: true };
    let (total, snapshot) = ledger.work(devices, &options, monitor)?;
    Ok((ledger.header().ply, total, snapshot))
}

impl Watcher for Monitor {}

/// Describes the whole work, and the work of each device.
fn efforts(leaves: u128, elapsed: Duration, merged: Option<&LastPly>, workers: &[Worker]) -> Aside {
    let (how, pieces) = match merged {
        Some(LastPly { ply, positions, ranges }) => {
            (format!("equal positions merged to ply {ply}: {positions} positions in {ranges} ranges"), "ranges")
        }
        None => ("equal positions not merged".to_owned(), "positions of a frontier"),
    };
    let total = format!("{:.3} s, {} leaves/s", elapsed.as_secs_f64(), rate(leaves, elapsed));
    let names: Vec<_> = workers.iter().map(|worker| worker.device.brief()).collect();
    let each = workers.iter().map(|Worker { device, leaves, pieces: counted }| {
        format!("{counted} {pieces}, {} leaves/s; {device}", rate(*leaves, elapsed))
    });
    let lines: Vec<_> = std::iter::once(format!("{total} ({how})")).chain(each).collect();
    Aside::new(format!("{total}; {}", names.join("; ")), lines.join("\n"))
}
