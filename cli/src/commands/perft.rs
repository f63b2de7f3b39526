//! `kogge perft`.

use kogge::driver::LEAST_MERGED_DEPTH;
use kogge::{Estimate, LEAST_MERGED_SECONDS, MergeSettings, Opened, costs, memory};

use crate::args;
use crate::context::{Context, Job};
use crate::monitor::duration;
use crate::outcome::{Answer, Failure};
use crate::output::{Device, Effort, record};
use crate::root::Tree;

/// Prints the plan.
fn print_plan(
    opened: &mut Opened,
    Tree { root, depth }: &Tree,
    settings: &MergeSettings,
    context: &mut Context,
) -> Result<Answer, Failure> {
    let (plan, _) = context.work(opened, "leaves", |driver| driver.plan_merged(root, *depth, settings))?;
    let device = Device::from(opened.backend.info());
    let report = record! { command: "plan", fen: root.to_string(), depth, plan: &plan, #[serde(flatten)] device };
    context.output.print(&report, |to| writeln!(to, "{plan}"))?;
    Ok(Answer::Done)
}

/// The seconds of a count after which a ledger is recommended: a day.
const LONG: f64 = 86_400.0;

/// Says how long a count will take that would be lost if kogge ended within days. `raw` is the time of counting every leaf. Only trees
/// for which this would take as long are planned.
fn warn_of_long_work(
    opened: &mut Opened,
    Tree { root, depth }: &Tree,
    raw: f64,
    merged: Option<&MergeSettings>,
    context: &mut Context,
) -> Result<(), Failure> {
    let seconds = match merged {
        Some(settings) if raw > LONG => {
            context.work(opened, "leaves", |driver| driver.plan_merged(root, *depth, settings))?.0.seconds()
        }
        _ => raw,
    };
    if seconds > LONG {
        let time = duration(seconds);
        context.output.note(&format!(
            "This count will take about {time}, and is lost if kogge ends before; \"kogge run {depth} --ledger FILE\" keeps what is \
             counted."
        ));
    }
    Ok(())
}

impl Job for args::Perft {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let tree = Tree::new(&self.count.tree)?;
        let (Tree { root, depth }, hash, memory) = (&tree, self.count.hash.bytes, self.memory.memory);
        if hash.is_some() && memory.is_some() {
            let reason = "With --hash, no plies are merged; leave --memory out, or --hash.";
            return Err(Failure::Input(reason.to_owned()));
        }
        let is_one = context.selection.one().is_some();
        if !is_one && (hash.is_some() || self.plan) {
            let reason = "--hash and --plan work with one device; name one with --device.";
            return Err(Failure::Input(reason.to_owned()));
        }
        // Counting a shallow tree takes less time than planning the count.
        let is_wanted = self.plies.is_some() || self.ranges.is_some();
        let mut merged = !self.raw && hash.is_none() && (is_wanted || *depth >= LEAST_MERGED_DEPTH);
        let mut opened = if is_one {
            context.open_for(*depth, hash, |driver, depth| driver.perft(root, depth))?
        } else {
            let mut devices =
                context.opening(|| context.selection.open(merged, |sentence| context.output.note(sentence)))?;
            match devices.pop() {
                Some(alone) if devices.is_empty() => Opened::listed(alone),
                last => return self.share(&tree, merged, devices.into_iter().chain(last).collect(), context),
            }
        };
        let settings =
            MergeSettings { plies: self.plies, ranges: self.ranges, ..memory::settings(memory, opened.backend.info()) };
        if self.plan {
            return print_plan(&mut opened, &tree, &settings, context);
        }
        if hash.is_none() {
            let (raw, _) = context
                .work(&mut opened, "leaves", |driver| Estimate::tree(*depth, |depth| driver.perft(root, depth)))?;
            merged &= is_wanted || memory.is_some() || raw.seconds() > LEAST_MERGED_SECONDS;
            warn_of_long_work(&mut opened, &tree, raw.seconds(), merged.then_some(&settings), context)?;
        }
        if merged {
            settings.prepare(&mut *opened.backend, &root.rules)?;
        }
        let ((nodes, merged_by), elapsed) = context.work(&mut opened, "leaves", |driver| {
            if merged {
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
        effort.deduplicated = merged;
        let how = plan.as_ref().map_or(String::new(), |plan| format!("; {}", plan.summary()));
        let aside = effort.text_with("leaves", &how);
        let fen = root.to_string();
        let report = record! { command: "perft", fen, depth, nodes, plan, #[serde(flatten)] effort };
        context.output.print(&report, |to| writeln!(to, "Nodes searched: {nodes}"))?;
        context.output.aside(&aside)?;
        Ok(Answer::Done)
    }
}
