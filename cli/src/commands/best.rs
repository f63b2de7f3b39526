//! `kogge best`.

use kogge_driver::Best;
use serde::Serialize;

use super::Context;
use crate::Answer;
use crate::args::{self, Quiescence};
use crate::failure::Failure;
use crate::output::Effort;

#[derive(Serialize)]
struct Report {
    command: &'static str,
    fen: String,
    depth: u32,
    quiescence: bool,
    /// Hundredths of a pawn, if it is no mate.
    centipawns: Option<i32>,
    /// Moves until mate, if it is one.
    mate: Option<i32>,
    line: Vec<String>,
    nodes: u128,
    #[serde(flatten)]
    effort: Effort,
}

pub(super) fn run(arguments: &args::Best, context: &mut Context) -> Result<Answer, Failure> {
    let args::Best { tree, quiescence } = arguments;
    let root = tree.root.position()?;
    let mut opened = context.open()?;
    let (best, elapsed) =
        context.work(&mut opened, "leaves", |driver| driver.best(&root, tree.depth, (*quiescence).into()))?;
    let Best { score, line, leaves } = best;
    let line: Vec<_> = line.into_iter().map(|played| played.uci(&root.rules, root.is_chess960())).collect();
    let effort = Effort::making(&opened, leaves, elapsed, false);
    let aside = effort.text("leaves");
    let mate = score.mate_moves();
    let report = Report {
        command: "best",
        fen: root.to_string(),
        depth: tree.depth,
        quiescence: *quiescence == Quiescence::On,
        centipawns: if mate.is_some() { None } else { Some(score.value()) },
        mate,
        line,
        nodes: leaves,
        effort,
    };
    context.output.print(&report, |to| {
        writeln!(to, "Score: {score}")?;
        writeln!(to, "Line: {}", if report.line.is_empty() { "none".to_owned() } else { report.line.join(" ") })?;
        writeln!(to, "Nodes searched: {leaves}")
    })?;
    context.output.aside(&aside)?;
    Ok(Answer::Done)
}
