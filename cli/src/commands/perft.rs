//! `kogge perft`.

use kogge_driver::{LEAST_MERGED_DEPTH, MergeSettings};
use serde::Serialize;

use super::Context;
use crate::Answer;
use crate::args::Perft;
use crate::failure::Failure;
use crate::memory;
use crate::output::{Device, Effort, Plan};

#[derive(Serialize)]
struct Report {
    command: &'static str,
    fen: String,
    depth: u32,
    nodes: u128,
    plan: Option<Plan>,
    #[serde(flatten)]
    effort: Effort,
}

#[derive(Serialize)]
struct Planned {
    command: &'static str,
    fen: String,
    depth: u32,
    plan: Plan,
    #[serde(flatten)]
    device: Device,
}

pub(super) fn run(perft: &Perft, context: &mut Context) -> Result<Answer, Failure> {
    let tree = &perft.count.tree;
    let root = tree.root.position()?;
    if perft.count.hash.bytes.is_some() && perft.memory.memory.is_some() {
        let reason = "With --hash, no plies are merged; leave --memory out, or --hash.";
        return Err(Failure::Input(reason.to_owned()));
    }
    let mut opened =
        context.open_for(tree.depth, Some(perft.count.hash), |driver, depth| driver.perft(&root, depth))?;
    let settings = MergeSettings {
        plies: perft.plies,
        partitions: perft.partitions,
        ..MergeSettings::with_memory(memory::share(perft.memory, opened.backend.info()))
    };
    let (fen, depth) = (root.to_string(), tree.depth);
    if perft.plan {
        let (plan, _) = context.work(&mut opened, "leaves", |driver| driver.plan_merged(&root, depth, &settings))?;
        let text = plan.to_string();
        let device = opened.backend.info().into();
        let planned = Planned { command: "plan", fen, depth, plan: plan.into(), device };
        context.output.print(&planned, |to| writeln!(to, "{text}"))?;
        return Ok(Answer::Done);
    }
    // Shallow trees are counted sooner than anything is decided.
    let asked = perft.plies.is_some() || perft.partitions.is_some();
    let merging = !perft.raw && opened.hash.is_none() && (asked || depth >= LEAST_MERGED_DEPTH);
    let ((nodes, plan), elapsed) = context.work(&mut opened, "leaves", |driver| {
        if merging {
            let merged = driver.perft_merged(&root, depth, &settings)?;
            return Ok((merged.leaves, Some(merged.plan)));
        }
        Ok((driver.perft(&root, depth)?, None))
    })?;
    let mut effort = Effort::counting(&opened, nodes, elapsed);
    effort.deduplicated = merging;
    let how = plan.as_ref().map_or(String::new(), |plan| format!("; {}", plan.summary()));
    let aside = effort.text_with("leaves", &how);
    let report = Report { command: "perft", fen, depth, nodes, plan: plan.map(Plan::from), effort };
    context.output.print(&report, |to| writeln!(to, "Nodes searched: {nodes}"))?;
    context.output.aside(&aside)?;
    Ok(Answer::Done)
}
