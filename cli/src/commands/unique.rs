//! `kogge unique`.

use serde::Serialize;

use super::Context;
use crate::Answer;
use crate::args::Unique;
use crate::failure::Failure;
use crate::memory;
use crate::output::Effort;

#[derive(Serialize)]
struct Report {
    command: &'static str,
    fen: String,
    plies: Vec<Ply>,
    #[serde(flatten)]
    effort: Effort,
}

#[derive(Serialize)]
struct Ply {
    ply: u32,
    positions: u64,
}

/// Bytes for the few plies that are merged to find out how much work there is.
const WEIGHING: u64 = 256 << 20;

pub(super) fn run(Unique { tree, memory }: &Unique, context: &mut Context) -> Result<Answer, Failure> {
    let root = tree.root.position()?;
    let mut opened = context.open_for(tree.depth, None, |driver, depth| {
        Ok(driver.unique(&root, depth, WEIGHING)?.last().copied().unwrap_or(0).into())
    })?;
    let bytes = memory::share(*memory, opened.backend.info());
    let (counts, elapsed) = context.work(&mut opened, "positions", |driver| driver.unique(&root, tree.depth, bytes))?;
    let all = counts.iter().copied().map(u128::from).sum();
    let plies = (0..).zip(counts).map(|(ply, positions)| Ply { ply, positions }).collect();
    let effort = Effort::making(&opened, all, elapsed, true);
    let aside = effort.text("distinct positions");
    let report = Report { command: "unique", fen: root.to_string(), plies, effort };
    context.output.print(&report, |to| {
        let width = report.plies.iter().map(|ply| ply.positions.to_string().len()).max().unwrap_or(0).max(18);
        writeln!(to, "ply  {:>width$}", "distinct positions")?;
        report.plies.iter().try_for_each(|Ply { ply, positions }| writeln!(to, "{ply:>3}  {positions:>width$}"))
    })?;
    context.output.aside(&aside)?;
    Ok(Answer::Done)
}
