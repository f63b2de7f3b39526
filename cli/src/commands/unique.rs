//! `kogge unique`.

use std::num::NonZeroUsize;

use kogge_devices::memory;
use kogge_driver::Distinct;
use serde::Serialize;

use crate::args;
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::Effort;
use crate::root::Tree;

/// Counts the distinct positions of each ply.
pub(super) struct Unique {
    tree: Tree,
    diagrams: bool,
    memory: Option<NonZeroUsize>,
}

impl Unique {
    pub(super) fn new(args: &args::Unique) -> Result<Self, Failure> {
        let args::Unique { tree, diagrams, memory } = args;
        Ok(Self { tree: Tree::new(tree)?, diagrams: *diagrams, memory: memory.memory })
    }
}

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
    once: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagrams: Option<u64>,
}

impl Ply {
    const HEADS: [&str; 4] = ["ply", "distinct positions", "reached once", "diagrams"];

    /// The cells of the row, without the last one unless diagrams are wanted.
    fn cells(&self, diagrams: bool) -> Vec<String> {
        let mut cells = vec![self.ply.to_string(), self.positions.to_string(), self.once.to_string()];
        if diagrams {
            cells.push(self.diagrams.map_or("-".to_owned(), |diagrams| diagrams.to_string()));
        }
        cells
    }
}

/// The number of bytes for the few plies that are merged to estimate the work.
const ESTIMATE_MEMORY: u64 = 256 << 20;

impl Job for Unique {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let &Self { tree: Tree { ref root, depth }, diagrams, memory } = self;
        let mut opened = context.open_for(depth, None, |driver, depth| {
            let counts = driver.unique(root, depth, ESTIMATE_MEMORY, false)?;
            Ok(counts.last().map_or(0, |ply| ply.positions).into())
        })?;
        let bytes = memory::share(memory, opened.backend.info());
        let (counts, elapsed) =
            context.work(&mut opened, "positions", |driver| driver.unique(root, depth, bytes, diagrams))?;
        let all = counts.iter().map(|ply| u128::from(ply.positions)).sum();
        let row = |(ply, Distinct { positions, once, diagrams })| Ply { ply, positions, once, diagrams };
        let plies: Vec<_> = (0..).zip(counts).map(row).collect();
        let effort = Effort::making(&opened, all, elapsed, true);
        let aside = effort.text("distinct positions");
        let report = Report { command: "unique", fen: root.to_string(), plies, effort };
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
        for Ply { ply, .. } in report.plies.iter().filter(|ply| diagrams && ply.diagrams.is_none()) {
            context.output.note(&format!(
                "The diagrams of ply {ply} were not counted, because not all its positions with the same pawns fit in memory at once; \
                 give more memory."
            ));
        }
        context.output.aside(&aside)?;
        Ok(Answer::Done)
    }
}
