//! `kogge suite`.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, stdin};
use std::iter::Peekable;
use std::path::Path;
use std::time::{Duration, Instant};

use kogge_board::{Backend, Fen, Pace};
use kogge_devices::Estimate;
use kogge_driver::epd::{self, Case, EpdError};
use kogge_driver::{Caps, Driver, Error, LineVerdict};
use serde::Serialize;

use crate::args;
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::{Effort, record};

/// The result of one line; `status` is in the JSON as `PASS`, `FAIL`, `SKIP` or `BROKEN`.
#[derive(Serialize)]
#[serde(tag = "status", rename_all = "UPPERCASE")]
enum Line {
    Pass { line: usize, fen: String, checked: usize, capped: usize },
    Skip { line: usize, fen: String, capped: usize },
    Fail { line: usize, fen: String, depth: u32, expected: u128, found: u128 },
    Broken { line: usize, error: String },
}

/// Lines of a suite, each with its number and the result of reading it.
type Lines = Vec<(usize, Result<Case, EpdError>)>;

/// The number of leaves in a piece of a suite. The lines of a piece are checked together, and then their results are
/// printed.
const PACE: Pace = Pace::new(100_000_000, Duration::from_secs(1), 100);

/// The maximum number of lines in a piece.
const LINES: usize = 1 << 16;

/// Takes the next lines: several only if they have at most this number of leaves together.
fn take(lines: &mut Peekable<impl Iterator<Item = (usize, Result<Case, EpdError>)>>, caps: Caps, most: u64) -> Lines {
    let (mut piece, mut leaves) = (Lines::new(), 0.0);
    while let Some((_, case)) = lines.peek()
        && piece.len() < LINES
    {
        let more = case.iter().flat_map(|case| caps.allowed(case)).map(|(_, leaves)| leaves as f64);
        leaves += more.sum::<f64>();
        if leaves > most as f64 && !piece.is_empty() {
            break;
        }
        piece.extend(lines.next());
    }
    piece
}

/// The results of all lines so far.
#[derive(Default)]
struct Results {
    passed: usize,
    failed: usize,
    skipped: usize,
    broken: usize,
    nodes: u128,
}

impl Results {
    /// Adds a line's verdict and returns its report.
    fn add(&mut self, line: usize, case: &Case, verdict: LineVerdict) -> Line {
        let fen = case.root.to_string();
        match verdict {
            LineVerdict::Pass { checked: 0, capped, .. } => {
                self.skipped += 1;
                Line::Skip { line, fen, capped }
            }
            LineVerdict::Pass { checked, capped, leaves } => {
                self.passed += 1;
                self.nodes = self.nodes.saturating_add(leaves);
                Line::Pass { line, fen, checked, capped }
            }
            LineVerdict::Fail { depth, expected, found } => {
                self.failed += 1;
                self.nodes = self.nodes.saturating_add(found);
                Line::Fail { line, fen, depth, expected, found }
            }
        }
    }

    fn lines(&self) -> usize {
        self.passed + self.failed + self.skipped + self.broken
    }
}

impl Job for args::Suite {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Self { file, max_nodes, max_depth, hash } = self;
        let name = if is_stdin(file) { "standard input".to_owned() } else { file.display().to_string() };
        let text =
            read(file).map_err(|error| Failure::Input(format!("The suite in {name} could not be read: {error}.")))?;
        let caps = Caps { nodes: max_nodes.unwrap_or(u128::MAX), depth: max_depth.unwrap_or(u32::MAX) };
        let mut opened = context.open_estimating(hash.bytes, &mut |cpu| estimate(cpu, &text, caps))?;
        let monitor = context.monitor("leaves")?;
        let mut driver = Driver::new(&mut *opened.backend, &monitor);

        let mut results = Results::default();
        let mut lines = epd::lines(&text).peekable();
        let mut pace = PACE;
        let start = Instant::now();
        while let Some(&(first, _)) = lines.peek() {
            let piece = take(&mut lines, caps, pace.next(u64::MAX));
            let cases: Vec<_> = piece.iter().filter_map(|(_, case)| case.as_ref().ok().cloned()).collect();
            let (begin, before) = (Instant::now(), results.nodes);
            let verdicts = driver.check(&cases, caps).map_err(|error| match error {
                Error::Cancelled(_) => {
                    let done = results.lines();
                    Failure::Interrupted(format!(
                        "Stopped on request in line {first} or later, with {done} lines done."
                    ))
                }
                error => error.into(),
            })?;
            let elapsed = begin.elapsed();
            monitor.next();
            let mut verdicts = verdicts.into_iter();
            for (line, case) in piece {
                let found = match case.map(|case| verdicts.next().map(|verdict| results.add(line, &case, verdict))) {
                    Ok(found) => found,
                    Err(error) => {
                        results.broken += 1;
                        context.output.complain(&format!("Line {line} of {name} is left out. {error}"));
                        Some(Line::Broken { line, error: error.to_string() })
                    }
                };
                found.map_or(Ok(()), |found| print(context, &found))?;
            }
            pace.saw(u64::try_from(results.nodes - before).unwrap_or(u64::MAX), elapsed);
        }
        let Results { passed, failed, skipped, broken, nodes } = results;
        let effort = Effort::counting(&opened, nodes, start.elapsed());
        let aside = effort.text("leaves");
        let summary = record! { command: "suite", passed, failed, skipped, broken, nodes, #[serde(flatten)] effort };
        context.output.print(&summary, |to| {
            writeln!(to, "\n{passed} passed, {failed} failed, {skipped} skipped, {broken} broken")
        })?;
        context.output.aside(&aside)?;
        match (failed, broken, passed) {
            (1.., ..) => Ok(Answer::No),
            (_, 1, _) => Err(Failure::Input("One line of the suite could not be read.".to_owned())),
            (_, 1.., _) => Err(Failure::Input(format!("{broken} lines of the suite could not be read."))),
            (_, _, 0) if skipped > 0 => Err(Failure::Input("The caps leave no count to check.".to_owned())),
            (_, _, 0) => {
                Err(Failure::Input(format!("There is no position in {name}; expected lines such as \"FEN ;D1 20\".")))
            }
            _ => Ok(Answer::Done),
        }
    }
}

/// Estimates the work on all counts within the caps from the suite's numbers of leaves and from the CPU's speed below
/// the start position.
fn estimate(cpu: &mut dyn Backend, text: &[u8], caps: Caps) -> Result<Estimate, Error> {
    let (mut calls, mut leaves) = (BTreeSet::new(), 0_u128);
    for case in epd::lines(text).filter_map(|(_, case)| case.ok()) {
        for (depth, counted) in caps.allowed(&case) {
            calls.insert((depth, case.root.rules));
            leaves = leaves.saturating_add(counted);
        }
    }
    let mut driver = Driver::new(cpu, &());
    Estimate::calls(calls.len(), leaves, |depth| driver.perft(&Fen::start(), depth))
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
        // The error has already been printed.
        Line::Broken { .. } => Ok(()),
    })
}
