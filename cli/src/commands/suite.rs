//! `kogge suite`.

use std::collections::BTreeSet;
use std::io::Read;
use std::iter::Peekable;
use std::time::{Duration, Instant};

use kogge::board::Pace;
use kogge::driver::{
    Caps, LineVerdict,
    epd::{self, Case, EpdError},
};
use kogge::movegen_cpu::mailbox::Mailbox;
use kogge::{Backend, Cpu, Driver, Error, Estimate, Fen};
use kogge_check::GivenPosition;
use serde::Serialize;

use crate::args;
use crate::commands::check::check_given;
use crate::context::{Context, Job};
use crate::input;
use crate::outcome::{Answer, Failure};
use crate::output::{Effort, number_of, record};

/// The result of one line; `status` is in the JSON as `PASS`, `FAIL`, `SKIP`, `UNREACHABLE` or `BROKEN`.
#[derive(Serialize)]
#[serde(tag = "status", rename_all = "UPPERCASE")]
enum Line {
    Pass { line: usize, fen: String, checked: usize, capped: usize },
    Skip { line: usize, fen: String, capped: usize },
    Fail { line: usize, fen: String, depth: u32, expected: u128, found: u128 },
    Unreachable { line: usize, reason: String },
    Broken { line: usize, error: String },
}

/// A line to check.
struct Entry {
    case: Case,
    /// Whether no game reaches the position, so that only the mailbox can count it.
    is_unreachable: bool,
}

/// The lines of a suite, each with its number and the result of reading it.
type Lines = Vec<(usize, Result<Entry, EpdError>)>;

/// Reads the lines of a suite. If `allow_unreachable`, positions that no game reaches are to be checked, too.
fn entries(text: &[u8], allow_unreachable: bool) -> impl Iterator<Item = (usize, Result<Entry, EpdError>)> {
    epd::lines(text).map(move |(number, case)| {
        let entry = match case {
            Err(EpdError::Unreachable { case: Some(case), .. }) if allow_unreachable => {
                Ok(Entry { case: *case, is_unreachable: true })
            }
            case => case.map(|case| Entry { case, is_unreachable: false }),
        };
        (number, entry)
    })
}

/// The number of leaves in a piece of a suite. The lines of a piece are checked together, and then their results are
/// printed.
const PACE: Pace = Pace::new(100_000_000, Duration::from_secs(1), 100);

/// The maximum number of lines in a piece.
const LINES: usize = 1 << 16;

/// Takes the next lines: several only if they have at most this number of leaves together.
fn take(lines: &mut Peekable<impl Iterator<Item = (usize, Result<Entry, EpdError>)>>, caps: Caps, most: u64) -> Lines {
    let (mut piece, mut leaves) = (Lines::new(), 0.0);
    while let Some((_, entry)) = lines.peek()
        && piece.len() < LINES
    {
        let more = entry.iter().flat_map(|entry| caps.allowed(&entry.case)).map(|(_, leaves)| leaves as f64);
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
    /// Lines that were skipped because no game reaches their positions, and such lines that the mailbox checked.
    unreachable: usize,
    mailbox: usize,
    broken: usize,
    nodes: u128,
}

impl Results {
    /// Adds a line's verdict and returns its report.
    fn add(&mut self, line: usize, Entry { case, is_unreachable }: &Entry, verdict: LineVerdict) -> Line {
        let fen = case.root.to_string();
        let is_checked = !matches!(verdict, LineVerdict::Pass { checked: 0, .. });
        self.mailbox += usize::from(*is_unreachable && is_checked);
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

    /// Adds a line that cannot be checked and returns its report.
    fn leave_out(&mut self, line: usize, error: &EpdError) -> Line {
        match error {
            EpdError::Unreachable { reason, .. } => {
                self.unreachable += 1;
                Line::Unreachable { line, reason: reason.to_string() }
            }
            error => {
                self.broken += 1;
                Line::Broken { line, error: error.to_string() }
            }
        }
    }

    fn lines(&self) -> usize {
        self.passed + self.failed + self.skipped + self.unreachable + self.broken
    }
}

impl Job for args::Suite {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Self { file, max_nodes, max_depth, allow_unreachable, against, checking, hash } = self;
        let name = input::name(file);
        let mut text = Vec::new();
        let read = input::open(file).and_then(|mut input| input.read_to_end(&mut text));
        read.map_err(|error| Failure::Input(format!("The suite in {name} could not be read: {error}.")))?;
        let caps = Caps { nodes: max_nodes.unwrap_or(u128::MAX), depth: max_depth.unwrap_or(u32::MAX) };
        if let Some(target) = against {
            let (positions, broken) = positions(context, &name, &text, caps, *allow_unreachable)?;
            // Only the mailbox counts below positions that no game reaches.
            let answer = match allow_unreachable {
                true => check_given(context, target, checking, &positions, &|| Ok(Box::new(Mailbox::new()))),
                false => check_given(context, target, checking, &positions, &|| Ok(Box::new(Cpu::new(Some(1))?))),
            }?;
            return match (answer, broken) {
                (Answer::Done, 1..) => Err(unread(broken)),
                (answer, _) => Ok(answer),
            };
        }
        let mut opened = context.open_estimating(hash.bytes, &mut |cpu| estimate(cpu, &text, caps))?;
        let monitor = context.monitor("leaves")?;
        let mut mailbox = Mailbox::new();
        let mut drivers = [Driver::new(&mut *opened.backend, &monitor), Driver::new(&mut mailbox, &monitor)];

        let mut results = Results::default();
        let mut lines = entries(&text, *allow_unreachable).peekable();
        let mut pace = PACE;
        let start = Instant::now();
        while let Some(&(first, _)) = lines.peek() {
            let piece = take(&mut lines, caps, pace.next(u64::MAX));
            let (begin, before) = (Instant::now(), results.nodes);
            let mut check = |is_unreachable: bool| {
                let entries = piece.iter().flat_map(|(_, entry)| entry);
                let cases = entries.filter(|entry| entry.is_unreachable == is_unreachable);
                let cases: Vec<_> = cases.map(|entry| entry.case.clone()).collect();
                let verdicts = drivers[usize::from(is_unreachable)].check(&cases, caps);
                verdicts.map(Vec::into_iter).map_err(|error| match error {
                    Error::Cancelled(_) => {
                        let done = results.lines();
                        Failure::Interrupted(format!(
                            "Stopped on request in line {first} or later, with {done} lines done."
                        ))
                    }
                    error => error.into(),
                })
            };
            let mut verdicts = [check(false)?, check(true)?];
            let elapsed = begin.elapsed();
            monitor.next();
            for (line, entry) in piece {
                let found = match entry {
                    Ok(entry) => {
                        let verdict = verdicts[usize::from(entry.is_unreachable)].next();
                        verdict.map(|verdict| results.add(line, &entry, verdict))
                    }
                    Err(error) => Some(results.leave_out(line, &error)),
                };
                if let Some(Line::Broken { error, .. }) = &found {
                    context.output.complain(&format!("Line {line} of {name} is left out. {error}"));
                }
                found.map_or(Ok(()), |found| print(context, &found))?;
            }
            pace.saw(u64::try_from(results.nodes - before).unwrap_or(u64::MAX), elapsed);
        }
        let Results { passed, failed, skipped, unreachable, mailbox, broken, nodes } = results;
        let effort = Effort::counting(&opened, nodes, start.elapsed());
        let aside = effort.text("leaves");
        let summary = record! {
            command: "suite", passed, failed, skipped, unreachable, mailbox, broken, nodes, #[serde(flatten)] effort
        };
        context.output.print(&summary, |to| {
            write!(to, "\n{passed} passed, {failed} failed, {skipped} skipped, {broken} broken")?;
            for (lines, fate) in [(unreachable, "skipped"), (mailbox, "counted by the mailbox")] {
                if lines > 0 {
                    write!(to, "; {lines} {fate}, not reachable in a game")?;
                }
            }
            writeln!(to)
        })?;
        context.output.aside(&aside)?;
        match (failed, broken, passed) {
            (1.., ..) => Ok(Answer::No),
            (_, 1.., _) => Err(unread(broken)),
            (_, _, 0) if skipped > 0 => Err(Failure::Input("The caps leave no count to check.".to_owned())),
            (_, _, 0) if unreachable > 0 => Err(Failure::Input(
                "No position is reachable in a game; --allow-unreachable counts those whose moves the rules define."
                    .to_owned(),
            )),
            (_, _, 0) => {
                Err(Failure::Input(format!("There is no position in {name}; expected lines such as \"FEN ;D1 20\".")))
            }
            _ => Ok(Answer::Done),
        }
    }
}

fn unread(lines: usize) -> Failure {
    Failure::Input(match lines {
        1 => "One line of the suite could not be read.".to_owned(),
        lines => format!("{lines} lines of the suite could not be read."),
    })
}

/// Reads the positions of a suite for another program, each with the greatest depth within the caps, if the line has counts; and the number
/// of lines that cannot be read.
fn positions(
    context: &Context,
    name: &str,
    text: &[u8],
    caps: Caps,
    allow_unreachable: bool,
) -> Result<(Vec<GivenPosition>, usize), Failure> {
    let (mut positions, mut unreachable, mut broken) = (Vec::new(), 0_u64, 0);
    for (line, entry) in entries(text, allow_unreachable) {
        match entry {
            Ok(Entry { case, .. }) => {
                let depth = caps.allowed(&case).map(|(depth, _)| depth).max();
                positions.extend(depth.map(|depth| GivenPosition { fen: case.root, depth: Some(depth.max(1)) }));
            }
            Err(EpdError::NoCounts(fen)) => positions.push(GivenPosition { fen: *fen, depth: None }),
            Err(EpdError::Unreachable { .. }) => unreachable += 1,
            Err(error) => {
                broken += 1;
                context.output.complain(&format!("Line {line} of {name} is left out. {error}"));
            }
        }
    }
    if unreachable > 0 {
        let lines = number_of(unreachable, "line is", "lines are");
        context.output.note(&format!("{lines} skipped, not reachable in a game."));
    }
    match (positions.is_empty(), broken) {
        (false, _) => Ok((positions, broken)),
        (true, 1..) => Err(Failure::Input("No line of the suite could be read.".to_owned())),
        (true, 0) => Err(Failure::Input(format!("There is no position to check in {name}."))),
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

fn print(context: &mut Context, line: &Line) -> std::io::Result<()> {
    let quiet = context.output.quiet;
    context.output.print(line, |to| match line {
        // `--quiet` shows only lines that do not pass.
        Line::Pass { .. } | Line::Skip { .. } if quiet => Ok(()),
        Line::Pass { line, fen, checked, capped } => {
            writeln!(to, "PASS  {line:>5}  {fen}  {checked} of {} counts", checked + capped)
        }
        Line::Skip { line, fen, capped } => writeln!(to, "SKIP  {line:>5}  {fen}  0 of {capped} counts"),
        Line::Unreachable { line, reason } => writeln!(to, "SKIP  {line:>5}  not reachable in a game. {reason}"),
        Line::Fail { line, fen, depth, expected, found } => {
            writeln!(to, "FAIL  {line:>5}  {fen}  depth {depth}: expected {expected}, found {found}")
        }
        // The error has already been printed.
        Line::Broken { .. } => Ok(()),
    })
}
