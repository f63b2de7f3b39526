//! `kogge perft` on several devices.

use std::time::{Duration, Instant};

use kogge_board::Backend;
use kogge_devices::memory;
use kogge_driver::{MergeDevice, Part, Quantity, Shared, SharedPly, perft_merged_shared, perft_shared};
use serde::Serialize;

use crate::args;
use crate::context::Context;
use crate::outcome::{Answer, Failure};
use crate::output::{Aside, Device, magnitude};
use crate::root::Tree;

#[derive(Serialize)]
struct Report {
    command: &'static str,
    fen: String,
    depth: u32,
    nodes: u128,
    /// The last merged ply.
    merged: Option<SharedPly>,
    seconds: f64,
    per_second: f64,
    deduplicated: bool,
    devices: Vec<Worker>,
}

/// A device, and what it counted.
#[derive(Serialize)]
struct Worker {
    #[serde(flatten)]
    device: Device,
    #[serde(flatten)]
    part: Part,
}

impl args::Perft {
    /// Counts on several devices at once.
    pub(super) fn share(
        &self,
        Tree { root, depth }: &Tree,
        is_merged: bool,
        backends: Vec<Box<dyn Backend>>,
        context: &mut Context,
    ) -> Result<Answer, Failure> {
        let mut devices = memory::devices(self.memory.memory, backends);
        if is_merged {
            for MergeDevice { backend, settings } in &mut devices {
                settings.prepare(&mut **backend, &root.rules, Quantity::Leaves)?;
            }
        }
        let monitor = context.monitor("leaves")?;
        let start = Instant::now();
        let shared = match is_merged {
            true => perft_merged_shared(&mut devices, root, *depth, (self.plies, self.ranges), &monitor),
            false => perft_shared(&mut devices, root, *depth, &monitor),
        };
        monitor.next();
        let (Shared { leaves, merged, parts }, elapsed) = (shared?, start.elapsed());
        let workers =
            devices.iter().zip(parts).map(|(device, part)| Worker { device: device.backend.info().into(), part });
        let report = Report {
            command: "perft",
            fen: root.to_string(),
            depth: *depth,
            nodes: leaves,
            deduplicated: merged.is_some(),
            merged,
            seconds: elapsed.as_secs_f64(),
            per_second: leaves as f64 / elapsed.as_secs_f64().max(1e-9),
            devices: workers.collect(),
        };
        context.output.print(&report, |to| writeln!(to, "Nodes searched: {leaves}"))?;
        context.output.aside(&efforts(&report, elapsed))?;
        Ok(Answer::Done)
    }
}

/// Describes the whole work, and the work of each device.
fn efforts(report: &Report, elapsed: Duration) -> Aside {
    let (how, pieces) = match &report.merged {
        Some(SharedPly { ply, positions, ranges }) => {
            (format!("equal positions merged to ply {ply}: {positions} positions in {ranges} ranges"), "ranges")
        }
        None => ("equal positions not merged".to_owned(), "positions of a frontier"),
    };
    let rate = format!("{:.3} s, {} leaves/s", report.seconds, magnitude(report.per_second));
    let names: Vec<_> = report.devices.iter().map(|worker| worker.device.brief()).collect();
    let each = report.devices.iter().map(|worker| {
        let rate = magnitude(worker.part.leaves as f64 / elapsed.as_secs_f64().max(1e-9));
        format!("{} {pieces}, {rate} leaves/s; {}", worker.part.pieces, worker.device)
    });
    let lines: Vec<_> = std::iter::once(format!("{rate} ({how})")).chain(each).collect();
    Aside::new(format!("{rate}; {}", names.join("; ")), lines.join("\n"))
}
