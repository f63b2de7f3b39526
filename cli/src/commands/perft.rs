//! `kogge perft`.

mod shared;

use std::num::NonZeroUsize;

use kogge_board::Fen;
use kogge_board::merge::MergeOptions;
use kogge_devices::{Opened, costs, memory};
use kogge_driver::{LEAST_MERGED_DEPTH, MergeSettings};
use serde::Serialize;

use crate::args::{self, Common};
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::{Device, Effort, Plan};
use crate::root::Tree;
use crate::selection::Selection;

/// Counts the leaves of a tree, or plans how to count them.
pub(super) struct Perft {
    root: Fen,
    depth: u32,
    hash: Option<NonZeroUsize>,
    /// Whether plies are merged.
    merged: bool,
    /// Whether to print only the plan.
    plan_only: bool,
    memory: Option<NonZeroUsize>,
    plies: Option<u32>,
    ranges: Option<u32>,
    /// The devices, if a list is given.
    devices: Option<Selection>,
}

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

impl Perft {
    pub(super) fn new(args: &args::Perft, common: &Common) -> Result<Self, Failure> {
        let args::Perft { count, raw, plan, memory, plies, ranges } = args;
        let Tree { root, depth } = Tree::new(&count.tree)?;
        let hash = count.hash.bytes;
        if hash.is_some() && memory.memory.is_some() {
            let reason = "With --hash, no plies are merged; leave --memory out, or --hash.";
            return Err(Failure::Input(reason.to_owned()));
        }
        let devices = Some(Selection::new(common)?).filter(|selection| selection.one().is_none());
        if devices.is_some() && (hash.is_some() || *plan) {
            let reason = "--hash and --plan work with one device; name one with --device.";
            return Err(Failure::Input(reason.to_owned()));
        }
        // Counting a shallow tree takes less time than planning.
        let is_deep = plies.is_some() || ranges.is_some() || depth >= LEAST_MERGED_DEPTH;
        Ok(Self {
            root,
            depth,
            hash,
            merged: !raw && hash.is_none() && is_deep,
            plan_only: *plan,
            memory: memory.memory,
            plies: *plies,
            ranges: *ranges,
            devices,
        })
    }

    /// Prints the plan.
    fn plan(&self, opened: &mut Opened, settings: &MergeSettings, context: &mut Context) -> Result<Answer, Failure> {
        let Self { root, depth, .. } = self;
        let (plan, _) = context.work(opened, "leaves", |driver| driver.plan_merged(root, *depth, settings))?;
        let text = plan.to_string();
        let device = opened.backend.info().into();
        let report = Planned { command: "plan", fen: root.to_string(), depth: *depth, plan: plan.into(), device };
        context.output.print(&report, |to| writeln!(to, "{text}"))?;
        Ok(Answer::Done)
    }
}

impl Job for Perft {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Self { root, depth, merged, .. } = self;
        let mut opened = match &self.devices {
            None => context.open_for(*depth, self.hash, |driver, depth| driver.perft(root, depth))?,
            Some(devices) => {
                let mut devices = devices.open(*merged, |sentence| context.output.note(sentence))?;
                match devices.pop() {
                    Some(alone) if devices.is_empty() => Opened::listed(alone),
                    last => return self.share(devices.into_iter().chain(last).collect(), context),
                }
            }
        };
        let settings = MergeSettings {
            plies: self.plies,
            ranges: self.ranges,
            costs: costs::known(opened.backend.info()),
            ..MergeSettings::with_memory(memory::share(self.memory, opened.backend.info()))
        };
        if self.plan_only {
            return self.plan(&mut opened, &settings, context);
        }
        if *merged {
            // A device compiles and tests its kernels before its first merge. That belongs to opening it.
            drop(opened.backend.merge(&root.rules, &MergeOptions::with_memory(settings.memory))?);
        }
        let ((nodes, merged_by), elapsed) = context.work(&mut opened, "leaves", |driver| {
            if *merged {
                let counted = driver.perft_merged(root, *depth, &settings)?;
                return Ok((counted.leaves, Some((counted.plan, counted.costs))));
            }
            Ok((driver.perft(root, *depth)?, None))
        })?;
        let plan = merged_by.map(|(plan, costs)| {
            if let Some(costs) = costs {
                costs::remember(opened.backend.info(), costs);
            }
            plan
        });
        let mut effort = Effort::counting(&opened, nodes, elapsed);
        effort.deduplicated = *merged;
        let how = plan.as_ref().map_or(String::new(), |plan| format!("; {}", plan.summary()));
        let aside = effort.text_with("leaves", &how);
        let (fen, plan) = (root.to_string(), plan.map(Plan::from));
        let report = Report { command: "perft", fen, depth: *depth, nodes, plan, effort };
        context.output.print(&report, |to| writeln!(to, "Nodes searched: {nodes}"))?;
        context.output.aside(&aside)?;
        Ok(Answer::Done)
    }
}
