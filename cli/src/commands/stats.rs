//! `kogge stats`.

use std::num::NonZeroUsize;

use kogge_board::merge::MergeOptions;
use kogge_board::{Categories, Quad48};
use kogge_devices::{costs, memory};
use kogge_driver::{LEAST_MERGED_DEPTH, MergeSettings};
use serde::Serialize;

use crate::args;
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::Effort;
use crate::root::Tree;

/// Counts captures, castlings, checks and so on.
pub(super) struct Stats {
    tree: Tree,
    raw: bool,
    only: bool,
    memory: Option<NonZeroUsize>,
}

impl Stats {
    pub(super) fn new(args: &args::Stats) -> Result<Self, Failure> {
        let args::Stats { tree, raw, only, memory } = args;
        Ok(Self { tree: Tree::new(tree)?, raw: *raw, only: *only, memory: memory.memory })
    }
}

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

    fn new(depth: u32, categories: Categories) -> Self {
        let Categories { nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates } =
            categories;
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
        let &Self { tree: Tree { ref root, depth }, raw, only, memory } = self;
        let mut opened = context.open_for(depth, None, |driver, depth| Ok(driver.stats(root, depth)?.nodes))?;
        let settings = MergeSettings {
            costs: costs::known(opened.backend.info()),
            ..MergeSettings::with_memory(memory::share(memory, opened.backend.info()))
        };
        // A device compiles and tests its kernels before their first use. That belongs to opening it.
        opened.backend.categories(&root.rules, &[Quad48::from(&root.position)], 1)?;
        let merged = |depth| !raw && depth >= LEAST_MERGED_DEPTH;
        if merged(depth) {
            let options = MergeOptions::with_memory(settings.memory).counting_categories(true);
            drop(opened.backend.merge(&root.rules, &options)?);
        }
        let depths = if only { depth } else { depth.min(1) }..=depth;
        let (plies, elapsed) = context.work(&mut opened, "leaves", |driver| {
            let row = |depth| {
                let found = match merged(depth) {
                    true => driver.stats_merged(root, depth, &settings)?.categories.unwrap_or_default(),
                    false => driver.stats(root, depth)?,
                };
                Ok(Row::new(depth, found))
            };
            depths.map(row).collect::<Result<Vec<_>, _>>()
        })?;
        let leaves = plies.iter().map(|row| row.nodes).sum();
        let effort = Effort::making(&opened, leaves, elapsed, merged(depth));
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
