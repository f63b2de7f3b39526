//! `kogge suite`.

use std::fs::File;
use std::io::{Read, stdin};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use kogge_board::{Backend, Fen};
use kogge_driver::epd::{self, Case};
use kogge_driver::{Caps, Driver, Error, Verdict};
use serde::Serialize;

use crate::args;
use crate::context::{Context, Job};
use crate::devices::Estimate;
use crate::outcome::{Answer, Failure};
use crate::output::Effort;

/// Recomputes the counts of a suite.
pub(super) struct Suite {
    /// The file's name, for messages.
    name: String,
    text: Vec<u8>,
    caps: Caps,
    hash: Option<NonZeroUsize>,
}

/// The result of one line; `status` is in the JSON as `PASS`, `FAIL`, `SKIP` or `BROKEN`.
#[derive(Serialize)]
#[serde(tag = "status", rename_all = "UPPERCASE")]
enum Line {
    Pass { line: usize, fen: String, checked: usize, capped: usize },
    Skip { line: usize, fen: String, capped: usize },
    Fail { line: usize, fen: String, depth: u32, expected: u128, found: u128 },
    Broken { line: usize, error: String },
}

#[derive(Serialize)]
struct Summary {
    command: &'static str,
    passed: usize,
    failed: usize,
    skipped: usize,
    broken: usize,
    nodes: u128,
    #[serde(flatten)]
    effort: Effort,
}

impl Suite {
    pub(super) fn new(args: &args::Suite) -> Result<Self, Failure> {
        let args::Suite { file, max_nodes, max_depth, hash } = args;
        let name = if is_stdin(file) { "Standard input".to_owned() } else { file.display().to_string() };
        let text = read(file).map_err(|error| Failure::Input(format!("{name} could not be read: {error}.")))?;
        let caps = Caps { nodes: max_nodes.unwrap_or(u128::MAX), depth: max_depth.unwrap_or(u32::MAX) };
        Ok(Self { name, text, caps, hash: hash.bytes })
    }
}

impl Job for Suite {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Self { name, text, caps, hash } = self;
        let mut opened = context.open_estimating(*hash, &mut |cpu| estimate(cpu, text, *caps))?;
        let monitor = context.monitor("leaves")?;
        let mut driver = Driver::new(&mut *opened.backend, &monitor);

        let (mut passed, mut failed, mut skipped, mut broken, mut nodes) = (0, 0, 0, 0, 0u128);
        let start = Instant::now();
        for (line, case) in epd::lines(text) {
            let verdict = case.map(|case| driver.check(&case, *caps).map(|verdict| (case, verdict)));
            monitor.next();
            let found = match verdict {
                Err(error) => {
                    broken += 1;
                    context.output.complain(&format!("Line {line} of {name} is left out. {error}"));
                    Line::Broken { line, error: error.to_string() }
                }
                Ok(result) => {
                    let (Case { root, .. }, verdict) = result.map_err(|error| match error {
                        Error::Cancelled(_) => {
                            let done = passed + failed + skipped + broken;
                            Failure::Interrupted(format!("Stopped on request in line {line}, with {done} lines done."))
                        }
                        error => error.into(),
                    })?;
                    let fen = root.to_string();
                    match verdict {
                        Verdict::Pass { checked: 0, capped, .. } => {
                            skipped += 1;
                            Line::Skip { line, fen, capped }
                        }
                        Verdict::Pass { checked, capped, leaves } => {
                            passed += 1;
                            nodes = nodes.saturating_add(leaves);
                            Line::Pass { line, fen, checked, capped }
                        }
                        Verdict::Fail { depth, expected, found } => {
                            failed += 1;
                            nodes = nodes.saturating_add(found);
                            Line::Fail { line, fen, depth, expected, found }
                        }
                    }
                }
            };
            print(context, &found)?;
        }
        let effort = Effort::counting(&opened, nodes, start.elapsed());
        let aside = effort.text("leaves");
        let summary = Summary { command: "suite", passed, failed, skipped, broken, nodes, effort };
        context.output.print(&summary, |to| {
            writeln!(to, "\n{passed} passed, {failed} failed, {skipped} skipped, {broken} broken")
        })?;
        context.output.aside(&aside)?;
        match (failed, broken, passed) {
            (1.., ..) => Ok(Answer::No),
            (_, 1.., _) => Err(Failure::Input(format!("{broken} lines of the suite could not be read."))),
            (_, _, 0) if skipped > 0 => Err(Failure::Input("The caps leave no count to check.".to_owned())),
            (_, _, 0) => {
                Err(Failure::Input(format!("{name} has no positions; expected lines such as \"FEN ;D1 20\".")))
            }
            _ => Ok(Answer::Done),
        }
    }
}

/// Estimates the work on all counts within the caps: the suite gives the number of leaves, and counting from the start
/// position gives the speed of the CPU.
fn estimate(cpu: &mut dyn Backend, text: &[u8], caps: Caps) -> Result<Estimate, Error> {
    let (mut trees, mut leaves) = (0, 0_u128);
    for case in epd::lines(text).filter_map(|(_, case)| case.ok()) {
        for &(_, counted) in case.counts.iter().filter(|&&count| caps.allow(count)) {
            trees += 1;
            leaves = leaves.saturating_add(counted);
        }
    }
    let mut driver = Driver::new(cpu, &());
    Estimate::trees(trees, leaves, |depth| driver.perft(&Fen::start(), depth))
}

fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let read = match is_stdin(file) {
        true => stdin().lock().read_to_end(&mut text),
        false => File::open(file)?.read_to_end(&mut text),
    };
    read.map(|_| text)
}

fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

fn print(context: &mut Context, line: &Line) -> std::io::Result<()> {
    let quiet = context.output.quiet;
    context.output.print(line, |to| match line {
        // `--quiet` shows only lines that do not pass.
        Line::Pass { .. } | Line::Skip { .. } if quiet => Ok(()),
        Line::Pass { line, fen, checked, capped } => {
            writeln!(to, "PASS  {line:>5}  {fen}  {checked} of {} counts", checked + capped)
        }
        Line::Skip { line, fen, capped } => writeln!(to, "SKIP  {line:>5}  {fen}  0 of {capped} counts"),
        Line::Fail { line, fen, depth, expected, found } => {
            writeln!(to, "FAIL  {line:>5}  {fen}  depth {depth}: expected {expected}, found {found}")
        }
        // The error is already on standard error.
        Line::Broken { .. } => Ok(()),
    })
}
