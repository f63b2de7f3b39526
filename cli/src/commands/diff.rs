//! `kogge diff`.

use std::io::{self, Write};
use std::time::Duration;

use kogge::{Driver, Fen, NamedDevice};
use kogge_check::{CheckError, Diff, Difference, Divider, Engine, Script, diff, explain, smallest_difference};
use serde::Serialize;

use crate::args::{self, Opponent};
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::{Device, record};
use crate::root::Tree;

/// The number of moves that are explained.
const MOST_REASONS: usize = 5;

impl Job for args::Diff {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Self { tree, against, asking, patience } = self;
        let Tree { root, depth } = &Tree::new(tree)?;
        let patience = Duration::from_secs((*patience).into());
        let mut opened = context.open(&context.request)?;
        let info = opened.backend.info().clone();
        let first = info.backend.to_owned();
        let monitor = context.monitor("leaves")?;
        let mut other;
        let mut compare = |other: &mut dyn Divider| {
            let mut driver = Driver::new(&mut *opened.backend, &monitor);
            let found = diff(&mut driver, other, root, *depth)?;
            let smallest = match &found {
                Diff::Different(difference) if difference.counts.is_empty() => {
                    let smallest = smallest_difference(&mut driver, other, difference)?;
                    Some(smallest).filter(|smallest| smallest.position != difference.position.position)
                }
                _ => None,
            };
            monitor.next();
            Ok::<_, CheckError>((found, smallest))
        };
        let (second, (diff, smallest)) = match against {
            Opponent::Backend(NamedDevice { backend: name, number: device }) => {
                other = context.open(&context.request.of(*name, *device))?;
                if *other.backend.info() == info && *device == context.request.device {
                    let reason = format!(
                        "Both sides would be the same device ({}), so there could be no difference; name another one with --backend, \
                         --device or --against.",
                        Device::from(other.backend.info()).brief()
                    );
                    return Err(Failure::Input(reason));
                }
                let name = other.backend.info().backend.to_owned();
                (name, compare(&mut Driver::new(&mut *other.backend, &monitor))?)
            }
            Opponent::Engine(command) => {
                let mut engine = Engine::start(asking.setup(command, patience), &monitor)?;
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
        let report = record! {
            command: "diff",
            fen: root.to_string(),
            depth,
            first: &first,
            second: &second,
            same: difference.is_none(),
            nodes,
            difference: difference.map(|difference| record_of(difference, smallest.as_ref())),
        };
        context.output.print(&report, |to| match &diff {
            Diff::Same { leaves } => {
                writeln!(to, "No difference down to depth {}: {first} and {second} count {leaves}.", depth)
            }
            Diff::Different(difference) => describe(to, &first, &second, root, difference, smallest.as_ref()),
        })?;
        Ok(if difference.is_none() { Answer::Done } else { Answer::No })
    }
}

fn record_of(difference: &Difference, smallest: Option<&Fen>) -> impl Serialize {
    let Difference { line, position, depth, only_first, only_second, repeated, counts } = difference;
    let branches = |moves: &[(String, u128)]| {
        moves.iter().map(|(name, nodes)| record! { r#move: name.clone(), nodes: *nodes }).collect::<Vec<_>>()
    };
    let pair =
        |(name, first, second): &(String, u128, u128)| record! { r#move: name.clone(), first: *first, second: *second };
    record! {
        line: line.clone(),
        fen: position.to_string(),
        depth: *depth,
        only_first: branches(only_first),
        only_second: branches(only_second),
        repeated: branches(repeated),
        counts: counts.iter().map(pair).collect::<Vec<_>>(),
        reasons: reasons(difference).collect::<Vec<_>>(),
        smallest: smallest.map(Fen::to_string),
    }
}

/// Returns the reason why each move that only one side makes is legal or not.
fn reasons(difference: &Difference) -> impl Iterator<Item = String> {
    let moves = difference.only_first.iter().chain(&difference.only_second);
    let named = moves.filter(|(name, _)| !name.starts_with('('));
    named.take(MOST_REASONS).map(|(name, _)| explain(&difference.position, name).text)
}

fn describe(
    to: &mut dyn Write,
    first: &str,
    second: &str,
    root: &Fen,
    difference: &Difference,
    smallest: Option<&Fen>,
) -> io::Result<()> {
    let Difference { line, position, only_first, only_second, repeated, counts, .. } = difference;
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
    for (played, nodes) in repeated {
        writeln!(to, "one of them lists {played} more than once (count {nodes})")?;
    }
    for (played, a, b) in counts {
        writeln!(to, "{played}: {first} counts {a}, {second} counts {b}, though they agree below it")?;
    }
    for reason in reasons(difference) {
        writeln!(to, "{reason}")?;
    }
    if let Some(smallest) = smallest {
        writeln!(to, "The moves differ in this smaller position, too:\n  {smallest}")?;
    }
    let moves = if line.is_empty() { String::new() } else { format!(" --moves {}", line.join(" ")) };
    writeln!(to, "Look at it with: kogge position show \"{root}\"{moves}")
}
