//! One file per command: it turns the arguments into a job, does the job, and prints the answer.

mod bench;
mod best;
mod devices;
mod diff;
mod divide;
mod generate;
mod ledger;
mod perft;
mod position;
mod run;
mod selfcheck;
mod stats;
mod suite;
mod tune;
mod uci;
mod unique;

use crate::args::{Cli, Command};
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::Output;
use crate::root::Tree;
use crate::selection::Selection;

/// Checks the arguments and runs the command.
pub(crate) fn run(cli: Cli) -> Result<Answer, Failure> {
    let job = plan(&cli)?;
    let output = Output::new(&cli.common);
    // Commands that work with several devices keep them, and open others, if any, through this request.
    let request = Selection::new(&cli.common)?.one().unwrap_or_else(|| Selection::any(&cli.common));
    job.run(&mut Context { output, request })
}

/// Turns the arguments into a job.
///
/// # Errors
/// If the arguments or the input that they name are wrong. No device is opened here.
fn plan(Cli { common, command }: &Cli) -> Result<Box<dyn Job>, Failure> {
    let works_with_many =
        matches!(command, Command::Perft(_) | Command::Run(_) | Command::Bench(_) | Command::Selfcheck(_));
    if !works_with_many && Selection::new(common)?.one().is_none() {
        let reason = "Only kogge perft, run, bench and selfcheck work with several devices; name one with --device.";
        return Err(Failure::Input(reason.to_owned()));
    }
    Ok(match command {
        Command::Perft(args) => Box::new(perft::Perft::new(args, common)?),
        Command::Divide(args) => Box::new(divide::Divide(Tree::new(&args.tree)?, args.hash.bytes)),
        Command::Stats(args) => Box::new(stats::Stats::new(args)?),
        Command::Unique(args) => Box::new(unique::Unique::new(args)?),
        Command::Suite(args) => Box::new(suite::Suite::new(args)?),
        Command::Diff(args) => Box::new(diff::Compare::new(args)?),
        Command::Best(args) => Box::new(best::Best(Tree::new(&args.tree)?, args.quiescence)),
        Command::Run(args) => Box::new(run::Run::new(args, common)?),
        Command::Ledger(args) => Box::new(ledger::Ledger::new(args)?),
        Command::Uci => Box::new(uci::Uci),
        Command::Position { command } => position::job(command)?,
        Command::Devices => Box::new(devices::List),
        Command::Selfcheck(args) => Box::new(selfcheck::Selfcheck::new(args, common)?),
        Command::Tune(args) => Box::new(tune::Tune::new(args)?),
        Command::Bench(args) => bench::job(args, common)?,
        Command::Completions { shell } => Box::new(generate::Completions(*shell)),
        Command::Man { dir } => Box::new(generate::Man(dir.clone())),
    })
}
