//! `kogge perft`.

use serde::Serialize;

use super::Context;
use crate::Answer;
use crate::args::Count;
use crate::failure::Failure;
use crate::output::Effort;

#[derive(Serialize)]
struct Report {
    command: &'static str,
    fen: String,
    depth: u32,
    nodes: u128,
    #[serde(flatten)]
    effort: Effort,
}

pub(super) fn run(Count { tree, hash }: &Count, context: &mut Context) -> Result<Answer, Failure> {
    let root = tree.root.position()?;
    let mut opened = context.open_for(tree.depth, Some(*hash), |driver, depth| driver.perft(&root, depth))?;
    let (nodes, elapsed) = context.work(&mut opened, "leaves", |driver| driver.perft(&root, tree.depth))?;
    let effort = Effort::counting(&opened, nodes, elapsed);
    let aside = effort.text("leaves");
    let report = Report { command: "perft", fen: root.to_string(), depth: tree.depth, nodes, effort };
    context.output.print(&report, |to| writeln!(to, "Nodes searched: {nodes}"))?;
    context.output.aside(&aside)?;
    Ok(Answer::Done)
}
