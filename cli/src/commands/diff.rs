//! `kogge diff`.

use std::io::{self, Write};
use std::time::Duration;

use kogge_board::Fen;
use kogge_devices::NamedDevice;
use kogge_driver::{Diff, Difference, Divider, Driver, Engine, Script};
use serde::Serialize;

use crate::args::{self, Opponent};
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::root::Tree;

#[derive(Serialize)]
struct Report<'a> {
    command: &'static str,
    fen: String,
    depth: u32,
    first: &'a str,
    second: &'a str,
    same: bool,
    nodes: Option<u128>,
    difference: Option<Found<'a>>,
}

#[derive(Serialize)]
struct Found<'a> {
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

impl Job for args::Diff {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Self { tree, against, patience } = self;
        let Tree { root, depth } = &Tree::new(tree)?;
        let patience = Duration::from_secs((*patience).into());
        let mut opened = context.open(&context.request)?;
        let first = opened.backend.info().backend.to_owned();
        let monitor = context.monitor("leaves")?;
        let mut other;
        let mut compare = |other: &mut dyn Divider| {
            let diff = Driver::new(&mut *opened.backend, &monitor).diff(other, root, *depth);
            monitor.next();
            diff
        };
        let (second, diff) = match against {
            Opponent::Backend(NamedDevice { backend: name, number: device }) => {
                other = context.open(&context.request.of(*name, *device))?;
                let name = other.backend.info().backend.to_owned();
                (name, compare(&mut Driver::new(&mut *other.backend, &monitor))?)
            }
            Opponent::Engine(command) => {
                let mut engine = Engine::start(command, patience, &monitor)?;
                (engine.name().to_owned(), compare(&mut engine)?)
            }
            Opponent::Script(command) => {
                let mut script = Script::new(command, patience, &monitor)?;
                (script.name().to_owned(), compare(&mut script)?)
            }
        };
        let (nodes, difference) = match &diff {
            Diff::Same { leaves } => (Some(*leaves), None),
            Diff::Different(difference) => (None, Some(&**difference)),
        };
        let report = Report {
            command: "diff",
            fen: root.to_string(),
            depth: *depth,
            first: &first,
            second: &second,
            same: difference.is_none(),
            nodes,
            difference: difference.map(found),
        };
        context.output.print(&report, |to| match &diff {
            Diff::Same { leaves } => {
                writeln!(to, "No difference down to depth {}: {first} and {second} count {leaves}.", depth)
            }
            Diff::Different(difference) => describe(to, &first, &second, root, difference),
        })?;
        Ok(if difference.is_none() { Answer::Done } else { Answer::No })
    }
}

fn found(difference: &Difference) -> Found<'_> {
    fn named(moves: &[(String, u128)]) -> Vec<Branch<'_>> {
        moves.iter().map(|(name, nodes)| Branch { r#move: name, nodes: *nodes }).collect()
    }
    Found {
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
        writeln!(to, "{played}: {first} counts {a}, {second} counts {b}, though they agree below it")?;
    }
    let moves = if line.is_empty() { String::new() } else { format!(" --moves {}", line.join(" ")) };
    writeln!(to, "Look at it with: kogge position show \"{root}\"{moves}")
}
