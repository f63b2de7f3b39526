//! `kogge perft` on several devices.

use std::time::{Duration, Instant};

use kogge_board::Backend;
use kogge_board::merge::MergeOptions;
use kogge_devices::memory;
use kogge_driver::{Part, Shared, SharedPly, perft_merged_shared, perft_shared};
use serde::Serialize;

use crate::args;
use crate::context::Context;
use crate::outcome::{Answer, Failure};
use crate::output::{Aside, Device, per_second, rate, record};
use crate::root::Tree;

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
            // Devices compile and test their kernels before their first merge. That belongs to opening them.
            for device in &mut devices {
                drop(device.backend.merge(&root.rules, &MergeOptions::with_memory(device.settings.memory))?);
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
        let workers: Vec<_> = workers.collect();
        let aside = efforts(leaves, elapsed, merged.as_ref(), &workers);
        let report = record! {
            command: "perft",
            fen: root.to_string(),
            depth,
            nodes: leaves,
            merged: &merged,
            seconds: elapsed.as_secs_f64(),
            per_second: per_second(leaves, elapsed),
            deduplicated: merged.is_some(),
            devices: workers,
        };
        context.output.print(&report, |to| writeln!(to, "Nodes searched: {leaves}"))?;
        context.output.aside(&aside)?;
        Ok(Answer::Done)
    }
}

/// Describes the whole work, and the work of each device.
fn efforts(leaves: u128, elapsed: Duration, merged: Option<&SharedPly>, workers: &[Worker]) -> Aside {
    let (how, pieces) = match merged {
        Some(SharedPly { ply, positions, ranges }) => {
            (format!("equal positions merged to ply {ply}: {positions} positions in {ranges} ranges"), "ranges")
        }
        None => ("equal positions not merged".to_owned(), "positions of a frontier"),
    };
    let total = format!("{:.3} s, {} leaves/s", elapsed.as_secs_f64(), rate(leaves, elapsed));
    let names: Vec<_> = workers.iter().map(|worker| worker.device.brief()).collect();
    let each = workers.iter().map(|Worker { device, part }| {
        format!("{} {pieces}, {} leaves/s; {device}", part.pieces, rate(part.leaves, elapsed))
    });
    let lines: Vec<_> = std::iter::once(format!("{total} ({how})")).chain(each).collect();
    Aside::new(format!("{total}; {}", names.join("; ")), lines.join("\n"))
}
