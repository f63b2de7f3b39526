//! `kogge stats`.

use kogge::driver::LEAST_MERGED_DEPTH;
use kogge::{Quad48, Quantity, memory, unwatched};

use crate::args;
use crate::context::{Context, Job};
use crate::kinds::{self, Kinds};
use crate::outcome::{Answer, Failure};
use crate::output::{Effort, record};
use crate::root::Tree;

impl Job for args::Stats {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let &Self { ref tree, raw, only, memory: args::Memory { memory } } = self;
        let Tree { ref root, depth } = Tree::new(tree)?;
        let mut opened = context.open_for(depth, None, |driver, depth| Ok(driver.stats(root, depth)?.nodes))?;
        let settings = memory::settings(memory, opened.backend.info()).counting(Quantity::Categories);
        // A device compiles and tests its kernels before their first use. This time is part of opening the device.
        opened.backend.categories(&root.rules, &[Quad48::from(&root.position)], 1, &mut unwatched)?;
        let merged = |depth| !raw && depth >= LEAST_MERGED_DEPTH;
        if merged(depth) {
            settings.prepare(&mut *opened.backend, &root.rules)?;
        }
        let depths = if only { depth } else { depth.min(1) }..=depth;
        let (plies, elapsed) = context.work(&mut opened, "leaves", |driver| {
            let row = |depth| {
                let found = match merged(depth) {
                    true => driver.perft_merged(root, depth, &settings)?.categories.unwrap_or_default(),
                    false => driver.stats(root, depth)?,
                };
                Ok(Kinds { depth, categories: found })
            };
            depths.map(row).collect::<Result<Vec<_>, _>>()
        })?;
        let leaves = plies.iter().map(|row| row.categories.nodes).sum();
        let effort = Effort::making(&opened, leaves, elapsed, merged(depth));
        let aside = effort.text("leaves");
        let report = record! { command: "stats", fen: root.to_string(), plies, #[serde(flatten)] effort };
        context.output.print(&report, |to| kinds::table(&report.plies, to))?;
        context.output.aside(&aside)?;
        Ok(Answer::Done)
    }
}
