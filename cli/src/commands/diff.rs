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
use crate::output::{Device, record};
use crate::root::Tree;

impl Job for args::Diff {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let Self { tree, against, patience } = self;
        let Tree { root, depth } = &Tree::new(tree)?;
        let patience = Duration::from_secs((*patience).into());
        let mut opened = context.open(&context.request)?;
        let info = opened.backend.info().clone();
        let first = info.backend.to_owned();
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
        let report = record! {
            command: "diff",
            fen: root.to_string(),
            depth,
            first: &first,
            second: &second,
            same: difference.is_none(),
            nodes,
            difference: difference.map(record_of),
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

fn record_of(difference: &Difference) -> impl Serialize {
    let Difference { line, position, depth, only_first, only_second, counts } = difference;
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
        counts: counts.iter().map(pair).collect::<Vec<_>>(),
    }
}

fn describe(to: &mut dyn Write, first: &str, second: &str, root: &Fen, difference: &Difference) -> io::Result<()> {
    let Difference { line, position, only_first, only_second, counts, .. } = difference;
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
