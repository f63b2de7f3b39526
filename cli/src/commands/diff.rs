//! `kogge diff`.

use std::io::{self, Write};
use std::str::FromStr;
use std::time::Duration;

use clap::ValueEnum;
use kogge_board::Fen;
use kogge_driver::{Diff, Difference, Driver, Engine};
use serde::Serialize;

use super::Context;
use crate::Answer;
use crate::args::{self, BackendName};
use crate::backends::Request;
use crate::failure::Failure;

/// Whom a backend is compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Opponent {
    /// Another backend, or one of its devices.
    Backend(BackendName, Option<usize>),
    /// A UCI engine, by its command.
    Engine(String),
}

impl FromStr for Opponent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("engine:") {
            Some(command) if !command.trim().is_empty() => Ok(Self::Engine(command.to_owned())),
            Some(_) => Err("expected a command after \"engine:\", such as engine:stockfish".to_owned()),
            None => {
                let (name, device) = match text.split_once(':') {
                    Some((name, device)) => (name, Some(device.parse().map_err(|_| Self::EXPECTED)?)),
                    None => (text, None),
                };
                let name = BackendName::from_str(name, false).map_err(|_| Self::EXPECTED)?;
                Ok(Self::Backend(name, device))
            }
        }
    }
}

impl Opponent {
    const EXPECTED: &str = "expected a backend (cpu, mailbox, opencl, wgpu), with a device's number as in opencl:1 if \
                            need be, or an engine such as engine:stockfish";
}

#[derive(Serialize)]
struct Report<'a> {
    command: &'static str,
    fen: String,
    depth: u32,
    first: &'a str,
    second: &'a str,
    same: bool,
    nodes: Option<u128>,
    difference: Option<Place<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    line: &'a [String],
    fen: String,
    depth: u32,
    only_first: Vec<Branch<'a>>,
    only_second: Vec<Branch<'a>>,
    counts: Vec<Pair<'a>>,
}

#[derive(Serialize)]
struct Branch<'a> {
    r#move: &'a str,
    nodes: u128,
}

#[derive(Serialize)]
struct Pair<'a> {
    r#move: &'a str,
    first: u128,
    second: u128,
}

pub(super) fn run(args: &args::Diff, context: &mut Context) -> Result<Answer, Failure> {
    let root = args.tree.root.position()?;
    let mut opened = context.open()?;
    let first = opened.backend.info().backend.to_owned();
    let monitor = context.monitor("leaves")?;
    let patience = Duration::from_secs(args.patience.into());
    let mut other;
    let mut compare = |other: &mut dyn kogge_driver::Divider| {
        let diff = Driver::new(&mut *opened.backend, &monitor).diff(other, &root, args.tree.depth);
        monitor.next();
        diff
    };
    let (second, diff) = match &args.against {
        Opponent::Backend(name, device) => {
            let request = Request { device: *device, threads: context.common.threads, ..Request::default() };
            other = context.open_as(*name, request)?;
            let name = other.backend.info().backend.to_owned();
            (name, compare(&mut Driver::new(&mut *other.backend, &monitor))?)
        }
        Opponent::Engine(command) => {
            let mut engine = Engine::start(command, patience, &monitor)?;
            (engine.name().to_owned(), compare(&mut engine)?)
        }
    };
    let (nodes, difference) = match &diff {
        Diff::Same { leaves } => (Some(*leaves), None),
        Diff::Different(difference) => (None, Some(&**difference)),
    };
    let report = Report {
        command: "diff",
        fen: root.to_string(),
        depth: args.tree.depth,
        first: &first,
        second: &second,
        same: difference.is_none(),
        nodes,
        difference: difference.map(place),
    };
    context.output.print(&report, |to| match &diff {
        Diff::Same { leaves } => {
            writeln!(to, "No difference down to depth {}: {first} and {second} count {leaves}.", args.tree.depth)
        }
        Diff::Different(difference) => describe(to, &first, &second, &root, difference),
    })?;
    Ok(if difference.is_none() { Answer::Done } else { Answer::No })
}

fn place(difference: &Difference) -> Place<'_> {
    fn named(moves: &[(String, u128)]) -> Vec<Branch<'_>> {
        moves.iter().map(|(name, nodes)| Branch { r#move: name, nodes: *nodes }).collect()
    }
    Place {
        line: &difference.line,
        fen: difference.position.to_string(),
        depth: difference.depth,
        only_first: named(&difference.only_first),
        only_second: named(&difference.only_second),
        counts: difference
            .counts
            .iter()
            .map(|(name, first, second)| Pair { r#move: name, first: *first, second: *second })
            .collect(),
    }
}

fn describe(to: &mut dyn Write, first: &str, second: &str, root: &Fen, found: &Difference) -> io::Result<()> {
    let Difference { line, position, only_first, only_second, counts, .. } = found;
    match line.as_slice() {
        [] => writeln!(to, "The moves differ at the root:")?,
        line => writeln!(to, "The moves differ after {}:", line.join(" "))?,
    }
    writeln!(to, "  {position}")?;
    for (name, moves) in [(first, only_first), (second, only_second)] {
        for (played, nodes) in moves {
            writeln!(to, "only {name} makes {played} (count {nodes})")?;
        }
    }
    for (played, a, b) in counts {
        writeln!(to, "{played}: {first} counts {a}, {second} counts {b}, though below it they agree")?;
    }
    let moves = if line.is_empty() { String::new() } else { format!(" --moves {}", line.join(" ")) };
    writeln!(to, "Look at it with: kogge position show \"{root}\"{moves}")
}
