//! `kogge best`.

use kogge::Driver;

use crate::args::{self, Quiescence};
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::{Effort, record};
use crate::root::Tree;

impl Job for args::Best {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Tree { root, depth } = &Tree::new(&self.tree)?;
        let leaves = self.quiescence.into();
        let search = |driver: &mut Driver<'_>, depth| driver.best(root, depth, leaves);
        let mut opened = context.open_for(*depth, None, |driver, depth| Ok(search(driver, depth)?.leaves))?;
        let (best, elapsed) = context.work(&mut opened, "leaves", |driver| search(driver, *depth))?;
        let kogge::Best { score, line, leaves } = best;
        let line: Vec<_> = line.into_iter().map(|played| played.uci(&root.rules, root.is_chess960())).collect();
        let effort = Effort::making(&opened, leaves, elapsed, false);
        let aside = effort.text("leaves");
        let mate = score.mate_moves();
        let report = record! {
            command: "best",
            fen: root.to_string(),
            depth,
            quiescence: self.quiescence == Quiescence::On,
            centipawns: mate.is_none().then(|| score.value()),
            mate,
            line,
            nodes: leaves,
            #[serde(flatten)]
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
}
