//! `kogge divide`.

use kogge::Error;

use crate::args;
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::{Effort, record};
use crate::root::Tree;

impl Job for args::Count {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Tree { root, depth } = &Tree::new(&self.tree)?;
        let mut opened = context.open_for(*depth, self.hash.bytes, |driver, depth| driver.perft(root, depth))?;
        let (divided, elapsed) = context.work(&mut opened, "leaves", |driver| driver.divide(root, *depth))?;
        let chess960 = root.is_chess960();
        // At depth 0, the root is the only leaf.
        let none = u128::from(*depth == 0);
        let sum = divided.iter().try_fold(none, |sum, (_, nodes)| sum.checked_add(*nodes));
        let nodes = sum.ok_or(Error::Overflow)?;
        let moves = divided.into_iter();
        let moves = moves.map(|(played, nodes)| record! { r#move: played.uci(&root.rules, chess960), nodes });
        let mut moves: Vec<_> = moves.collect();
        moves.sort_by(|a, b| a.r#move.cmp(&b.r#move));
        let effort = Effort::counting(&opened, nodes, elapsed);
        let aside = effort.text("leaves");
        let fen = root.to_string();
        let report = record! { command: "divide", fen, depth, moves, nodes, #[serde(flatten)] effort };
        context.output.print(&report, |to| {
            report.moves.iter().try_for_each(|branch| writeln!(to, "{}: {}", branch.r#move, branch.nodes))?;
            writeln!(to, "\nNodes searched: {nodes}")
        })?;
        context.output.aside(&aside)?;
        Ok(Answer::Done)
    }
}
