//! `kogge divide`.

use serde::Serialize;

use crate::args;
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::Effort;
use crate::root::Tree;

#[derive(Serialize)]
struct Report {
    command: &'static str,
    fen: String,
    depth: u32,
    moves: Vec<Branch>,
    nodes: u128,
    #[serde(flatten)]
    effort: Effort,
}

#[derive(Serialize)]
struct Branch {
    r#move: String,
    nodes: u128,
}

impl Job for args::Count {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Tree { root, depth } = &Tree::new(&self.tree)?;
        let mut opened = context.open_for(*depth, self.hash.bytes, |driver, depth| driver.perft(root, depth))?;
        let (divided, elapsed) = context.work(&mut opened, "leaves", |driver| driver.divide(root, *depth))?;
        let chess960 = root.is_chess960();
        let mut moves: Vec<_> = divided
            .into_iter()
            .map(|(played, nodes)| Branch { r#move: played.uci(&root.rules, chess960), nodes })
            .collect();
        moves.sort_by(|a, b| a.r#move.cmp(&b.r#move));
        // At depth 0 the root itself is the one leaf.
        let nodes = if *depth == 0 { 1 } else { sum(&moves)? };
        let effort = Effort::counting(&opened, nodes, elapsed);
        let aside = effort.text("leaves");
        let report = Report { command: "divide", fen: root.to_string(), depth: *depth, moves, nodes, effort };
        context.output.print(&report, |to| {
            for Branch { r#move, nodes } in &report.moves {
                writeln!(to, "{move}: {nodes}")?;
            }
            writeln!(to, "\nNodes searched: {nodes}")
        })?;
        context.output.aside(&aside)?;
        Ok(Answer::Done)
    }
}

fn sum(moves: &[Branch]) -> Result<u128, Failure> {
    let sum = moves.iter().try_fold(0u128, |sum, branch| sum.checked_add(branch.nodes));
    sum.ok_or_else(|| kogge_driver::Error::Overflow.into())
}
