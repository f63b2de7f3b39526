//! One file per command: it checks the arguments, does the job, and prints the answer.

mod bench;
mod best;
mod check;
mod devices;
mod diff;
mod divide;
mod estimate;
mod generate;
#[cfg_attr(not(feature = "ledger"), path = "no_ledger.rs")]
mod ledger;
mod perft;
mod position;
mod selfcheck;
mod stats;
mod suite;
mod tune;
#[cfg_attr(not(feature = "search"), path = "no_uci.rs")]
mod uci;
mod unique;

use crate::args::{Cli, Command, Common, sensible};
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::Output;
use crate::selection::Selection;

/// Checks the arguments and runs the command.
pub(crate) fn run(cli: Cli) -> Result<Answer, Failure> {
    let Cli { mut common, command } = cli;
    let output = Output::new(&common);
    let threads = common.threads.map(sensible);
    if let (Some(asked), Some(used)) = (common.threads, threads)
        && used < asked
    {
        output.note(&format!("{asked} threads are far more than this machine has cores; {used} are used."));
    }
    common.threads = threads;
    let selection = Selection::new(&common)?;
    let one = selection.one();
    let works_with_many =
        matches!(command, Command::Perft(_) | Command::Run(_) | Command::Bench(_) | Command::Selfcheck(_));
    if one.is_none() && !works_with_many {
        let reason = "Only kogge perft, run, bench and selfcheck work with several devices; name one with --device.";
        return Err(Failure::Input(reason.to_owned()));
    }
    let request = one.unwrap_or_else(|| Selection::any(&common));
    plan(command, &common)?.run(&mut Context { output, selection, request })
}

/// Turns the arguments into a job.
///
/// # Errors
/// If the arguments, or the input that they name, are wrong. This function opens no device.
fn plan(command: Command, common: &Common) -> Result<Box<dyn Job>, Failure> {
    Ok(match command {
        Command::Perft(args) => Box::new(args),
        Command::Divide(args) => Box::new(args),
        Command::Stats(args) => Box::new(args),
        Command::Unique(args) => Box::new(args),
        Command::Estimate(args) => Box::new(args),
        Command::Suite(args) => Box::new(args),
        Command::Check(args) => Box::new(args),
        Command::Diff(args) => Box::new(args),
        Command::Best(args) => Box::new(args),
        Command::Run(args) => Box::new(args),
        Command::Ledger(args) => Box::new(args),
        Command::Uci => Box::new(uci::Uci),
        Command::Position { command } => Box::new(command),
        Command::Devices => Box::new(devices::List),
        Command::Selfcheck(args) => Box::new(selfcheck::Selfcheck::new(&args, common)?),
        Command::Tune(args) => Box::new(args),
        Command::Bench(args) => bench::job(args, common)?,
        Command::Completions { shell } => Box::new(generate::Completions(shell)),
        Command::Man { dir } => Box::new(generate::Man(dir)),
    })
}
