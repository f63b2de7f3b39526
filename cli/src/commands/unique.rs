//! `kogge unique`.

use kogge::{Distinct, memory};
use serde::Serialize;

use crate::args;
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::{Effort, record};
use crate::root::Tree;

#[derive(Serialize)]
struct Ply {
    ply: u32,
    #[serde(flatten)]
    count: Distinct,
}

impl Ply {
    const HEADS: [&str; 4] = ["ply", "distinct positions", "reached once", "diagrams"];

    /// The cells of the row, without the diagrams unless they are wanted.
    fn cells(&self, diagrams: bool) -> Vec<String> {
        let mut cells = vec![self.ply.to_string(), self.count.positions.to_string(), self.count.once.to_string()];
        if diagrams {
            cells.push(self.count.diagrams.map_or("-".to_owned(), |diagrams| diagrams.to_string()));
        }
        cells
    }
}

/// The memory in bytes for the few plies that are merged to estimate the work.
const ESTIMATE_MEMORY: u64 = 256 << 20;

impl Job for args::Unique {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let &Self { ref tree, diagrams, memory: args::Memory { memory } } = self;
        let Tree { ref root, depth } = Tree::new(tree)?;
        let mut opened = context.open_for(depth, None, |driver, depth| {
            let counts = driver.unique(root, depth, ESTIMATE_MEMORY, false)?;
            Ok(counts.last().map_or(0, |ply| ply.positions).into())
        })?;
        let bytes = memory::share(memory, opened.backend.info());
        let (counts, elapsed) =
            context.work(&mut opened, "positions", |driver| driver.unique(root, depth, bytes, diagrams))?;
        let all = counts.iter().map(|ply| u128::from(ply.positions)).sum();
        let plies: Vec<_> = (0..).zip(counts).map(|(ply, count)| Ply { ply, count }).collect();
        let effort = Effort::making(&opened, all, elapsed, true);
        let aside = effort.text("distinct positions");
        let report = record! { command: "unique", fen: root.to_string(), plies, #[serde(flatten)] effort };
        context.output.print(&report, |to| {
            let rows: Vec<_> = report.plies.iter().map(|ply| ply.cells(diagrams)).collect();
            let heads = Ply::HEADS.map(str::to_owned)[..if diagrams { 4 } else { 3 }].to_vec();
            let width = |column: usize| rows.iter().chain([&heads]).map(|row| row[column].len()).max().unwrap_or(0);
            for row in [&heads].into_iter().chain(&rows) {
                let cells =
                    row.iter().enumerate().map(|(column, cell)| format!("{cell:>width$}", width = width(column)));
                writeln!(to, "{}", cells.collect::<Vec<_>>().join("  "))?;
            }
            Ok(())
        })?;
        for Ply { ply, .. } in report.plies.iter().filter(|ply| diagrams && ply.count.diagrams.is_none()) {
            context.output.note(&format!(
                "The diagrams of ply {ply} were not counted, because not all its positions with the same pawns fit in memory at once; \
                 give more memory."
            ));
        }
        context.output.aside(&aside)?;
        Ok(Answer::Done)
    }
}
