//! `kogge unique`.

use std::num::NonZeroUsize;

use serde::Serialize;

use crate::context::{Context, Job};
use crate::memory;
use crate::outcome::{Answer, Failure};
use crate::output::Effort;
use crate::root::Tree;

/// Counts the distinct positions of each ply.
pub(super) struct Unique(pub(super) Tree, pub(super) Option<NonZeroUsize>);

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

/// The number of bytes for the few plies that are merged to estimate the work.
const ESTIMATE_MEMORY: u64 = 256 << 20;

impl Job for Unique {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Self(Tree { root, depth }, memory) = self;
        let mut opened = context.open_for(*depth, None, |driver, depth| {
            Ok(driver.unique(root, depth, ESTIMATE_MEMORY)?.last().copied().unwrap_or(0).into())
        })?;
        let bytes = memory::share(*memory, opened.backend.info());
        let (counts, elapsed) = context.work(&mut opened, "positions", |driver| driver.unique(root, *depth, bytes))?;
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
}
