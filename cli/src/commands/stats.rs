//! `kogge stats`.

use serde::Serialize;

use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::Effort;
use crate::root::Tree;

/// Counts captures, castlings, checks and so on.
pub(super) struct Stats(pub(super) Tree);

#[derive(Serialize)]
struct Report {
    command: &'static str,
    fen: String,
    plies: Vec<Row>,
    #[serde(flatten)]
    effort: Effort,
}

#[derive(Serialize)]
struct Row {
    depth: u32,
    nodes: u128,
    captures: u128,
    en_passant: u128,
    castles: u128,
    promotions: u128,
    checks: u128,
    discovered: u128,
    double: u128,
    mates: u128,
}

impl Row {
    const HEADS: [&str; 10] =
        ["depth", "nodes", "captures", "e.p.", "castles", "promotions", "checks", "discovered", "double", "mates"];

    fn new(depth: u32, stats: kogge_driver::Stats) -> Self {
        let kogge_driver::Stats { nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates } =
            stats;
        Self { depth, nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates }
    }

    fn cells(&self) -> [u128; 10] {
        [
            self.depth.into(),
            self.nodes,
            self.captures,
            self.en_passant,
            self.castles,
            self.promotions,
            self.checks,
            self.discovered,
            self.double,
            self.mates,
        ]
    }
}

impl Job for Stats {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Self(Tree { root, depth }) = self;
        let mut opened = context.open_for(*depth, None, |driver, depth| Ok(driver.stats(root, depth)?.nodes))?;
        let depths = *depth.min(&1)..=*depth;
        let (plies, elapsed) = context.work(&mut opened, "leaves", |driver| {
            depths.map(|depth| Ok(Row::new(depth, driver.stats(root, depth)?))).collect::<Result<Vec<_>, _>>()
        })?;
        let leaves = plies.iter().map(|row| row.nodes).sum();
        let effort = Effort::making(&opened, leaves, elapsed, false);
        let aside = effort.text("leaves");
        let report = Report { command: "stats", fen: root.to_string(), plies, effort };
        context.output.print(&report, |to| {
            let widest =
                |column: usize| report.plies.iter().map(move |row| row.cells()[column].to_string().len()).max();
            let width = |column: usize| widest(column).unwrap_or(0).max(Row::HEADS[column].len());
            let heads = Row::HEADS.iter().map(|head| head.to_string());
            let rows = report.plies.iter().map(|row| row.cells().map(|cell| cell.to_string()).to_vec());
            for row in std::iter::once(heads.collect()).chain(rows) {
                let cells: Vec<String> = row
                    .iter()
                    .enumerate()
                    .map(|(column, cell)| format!("{cell:>width$}", width = width(column)))
                    .collect();
                writeln!(to, "{}", cells.join("  "))?;
            }
            Ok(())
        })?;
        context.output.aside(&aside)?;
        Ok(Answer::Done)
    }
}
