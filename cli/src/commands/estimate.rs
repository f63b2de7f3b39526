//! `kogge estimate`.

use std::fmt;

use kogge::{EstimateSettings, LeafEstimate, MergeSettings, memory};

use crate::args;
use crate::context::{Context, Job};
use crate::monitor::give_time_to_stop;
use crate::outcome::{Answer, Failure};
use crate::output::{Effort, magnitude, record};
use crate::root::Tree;

/// The seconds of an estimate for which no end is given.
const SECONDS: f64 = 10.0;

/// The text of an estimate.
struct Text<'a>(&'a LeafEstimate);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self(&LeafEstimate {
            leaves, error, interval: [least, most], exact, ply, positions, lines, counted, ..
        }) = self;
        if let Some(exact) = exact {
            return writeln!(f, "Exactly {exact}; the tree is small enough to count.");
        }
        // The last digit of the estimate is the second digit of its error.
        let digits = match error > 0.0 {
            true => (leaves.log10().floor() - error.log10().floor() + 1.0).clamp(1.0, 15.0) as usize,
            false => 15,
        };
        writeln!(
            f,
            "Estimate: {leaves:.digits$e} +- {error:.1e} (standard error; relative {:.1e})",
            error / leaves.max(1.0)
        )?;
        writeln!(f, "95 % interval: {least:.digits$e} to {most:.digits$e}")?;
        let counted = magnitude(counted as f64);
        writeln!(f, "Lines: {lines} from the {positions} positions of ply {ply}, with {counted} leaves at their ends")
    }
}

impl Job for args::Estimate {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let &Self { ref tree, seconds, error, lines, seed, plies, memory: args::Memory { memory } } = self;
        let Tree { ref root, depth } = Tree::new(tree)?;
        let mut opened = context.open_for(depth, None, |driver, depth| driver.perft(root, depth))?;
        let bytes = memory::share(memory, opened.backend.info());
        MergeSettings::with_memory(bytes).prepare(&mut *opened.backend, &root.rules)?;
        let endless = if error.is_some() || lines.is_some() { f64::INFINITY } else { SECONDS };
        let settings = EstimateSettings {
            plies,
            seed,
            lines: lines.unwrap_or(u64::MAX),
            seconds: seconds.map_or(endless, f64::from),
            error: error.unwrap_or(0.0),
            ..EstimateSettings::with_memory(bytes)
        };
        give_time_to_stop();
        let (estimate, elapsed) =
            context.work(&mut opened, "leaves", |driver| driver.estimate(root, depth, &settings))?;
        let mut effort = Effort::counting(&opened, estimate.counted, elapsed);
        effort.deduplicated = true;
        let aside = effort.text("leaves");
        let fen = root.to_string();
        let report =
            record! { command: "estimate", fen, depth, seed, #[serde(flatten)] estimate, #[serde(flatten)] effort };
        context.output.print(&report, |to| write!(to, "{}", Text(&estimate)))?;
        context.output.aside(&aside)?;
        if estimate.is_stopped {
            let sentence = format!("Stopped on request; the estimate comes from {} lines.", estimate.lines);
            return Err(Failure::Interrupted(sentence));
        }
        Ok(Answer::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_has_as_many_digits_as_its_error_allows() {
        let estimate = LeafEstimate {
            leaves: 2.015_098_512_3e21,
            error: 1.7e15,
            interval: [2.015_095e21, 2.015_102e21],
            exact: None,
            ply: 5,
            positions: 822_518,
            lines: 16_384,
            rounds: 8,
            counted: 314_159_265,
            is_stopped: false,
        };
        assert_eq!(
            Text(&estimate).to_string(),
            "\
Estimate: 2.0150985e21 +- 1.7e15 (standard error; relative 8.4e-7)
95 % interval: 2.0150950e21 to 2.0151020e21
Lines: 16384 from the 822518 positions of ply 5, with 314 M leaves at their ends
"
        );
        let none = LeafEstimate { leaves: 0.0, error: 0.0, interval: [0.0; 2], ..estimate };
        assert!(Text(&none).to_string().starts_with("Estimate: 0.000000000000000e0 +- 0.0e0 "));
        let exact = LeafEstimate { exact: Some(20), ..estimate };
        assert_eq!(Text(&exact).to_string(), "Exactly 20; the tree is small enough to count.\n");
    }
}
