//! One file per command: arguments to plan, plan to work, work to output.

mod bench;
mod best;
mod devices;
pub(crate) mod diff;
mod divide;
mod generate;
mod ledger;
mod perft;
mod position;
mod run;
mod stats;
mod suite;
mod tune;
mod uci;
mod unique;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kogge_driver::{Driver, Error};

use crate::Answer;
use crate::args::{BackendName, Cli, Command, Common, Hash};
use crate::backends::{self, Opened, Request, Weigh};
use crate::estimate::Estimate;
use crate::failure::Failure;
use crate::many::Devices;
use crate::monitor::{Monitor, catch_interrupts};
use crate::output::Output;

/// Runs a command.
pub(crate) fn run(cli: Cli) -> Result<Answer, Failure> {
    let Common { json, quiet, .. } = cli.common;
    let mut context = Context { common: cli.common, output: Output::new(json, quiet) };
    if !matches!(cli.command, Command::Run(_) | Command::Bench(_))
        && matches!(context.common.device, Some(Devices::All | Devices::Named(_)))
    {
        let reason = "Only kogge run and kogge bench work with several devices; give --device one number.";
        return Err(Failure::Input(reason.to_owned()));
    }
    match cli.command {
        Command::Perft(perft) => perft::run(&perft, &mut context),
        Command::Divide(count) => divide::run(&count, &mut context),
        Command::Stats(tree) => stats::run(&tree, &mut context),
        Command::Unique(unique) => unique::run(&unique, &mut context),
        Command::Suite(suite) => suite::run(&suite, &mut context),
        Command::Diff(diff) => diff::run(&diff, &mut context),
        Command::Best(best) => best::run(&best, &mut context),
        Command::Run(arguments) => run::run(&arguments, &mut context),
        Command::Ledger(arguments) => ledger::run(&arguments, &mut context),
        Command::Uci => uci::run(&context),
        Command::Position { command } => position::run(&command, &mut context),
        Command::Devices => devices::run(&mut context),
        Command::Tune(arguments) => tune::run(&arguments, &mut context),
        Command::Bench(arguments) => bench::run(&arguments, &mut context),
        Command::Completions { shell } => generate::completions(shell, &mut context),
        Command::Man { dir } => generate::man(dir.as_deref(), &mut context),
    }
}

/// What all commands work with.
struct Context {
    common: Common,
    output: Output,
}

impl Context {
    /// Opens the backend that was asked for, and says what `auto` passed over.
    fn open(&self) -> Result<Opened, Failure> {
        self.open_as(self.common.backend, Request::from(&self.common))
    }

    /// The same for work on a tree of this depth, which is as much as `count` does down to any depth. `auto` gives small
    /// work to the CPU.
    fn open_for(
        &self,
        depth: u32,
        hash: Option<Hash>,
        mut count: impl FnMut(&mut Driver<'_>, u32) -> Result<u128, Error>,
    ) -> Result<Opened, Failure> {
        self.open_weighing(hash, &mut |cpu| {
            let mut driver = Driver::new(cpu, &());
            Estimate::tree(depth, |depth| count(&mut driver, depth))
        })
    }

    /// The same for work that is weighed in another way.
    fn open_weighing(&self, hash: Option<Hash>, weigh: Weigh<'_>) -> Result<Opened, Failure> {
        self.start_threads()?;
        let request = Request { hash: hash.and_then(|hash| hash.bytes), ..Request::from(&self.common) };
        Ok(self.noting(backends::open(self.common.backend, request, Some(weigh))?))
    }

    /// Opens another backend.
    fn open_as(&self, name: BackendName, request: Request) -> Result<Opened, Failure> {
        Ok(self.noting(backends::open(name, request, None)?))
    }

    /// Says what `auto` passed over.
    fn noting(&self, opened: Opened) -> Opened {
        for refusal in &opened.refused {
            self.output.note(refusal);
        }
        opened
    }

    /// Limits the driver's own threads, besides the backend's.
    fn start_threads(&self) -> Result<(), Failure> {
        static STARTED: OnceLock<Result<(), String>> = OnceLock::new();
        let Some(threads) = self.common.threads else { return Ok(()) };
        let start = || rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build_global();
        let started = STARTED.get_or_init(|| start().map_err(|error| error.to_string()));
        started.clone().map_err(|error| Failure::Device(format!("The threads could not be started: {error}.")))
    }

    /// Watches work that counts these units; from here on, Ctrl-C stops it.
    fn monitor(&self, unit: &'static str) -> Result<Monitor, Failure> {
        catch_interrupts();
        self.start_threads()?;
        Ok(Monitor::new(unit, self.common.quiet))
    }

    /// Does work with a backend, watched and timed.
    fn work<T>(
        &self,
        opened: &mut Opened,
        unit: &'static str,
        work: impl FnOnce(&mut Driver<'_>) -> Result<T, Error>,
    ) -> Result<(T, Duration), Failure> {
        let monitor = self.monitor(unit)?;
        let start = Instant::now();
        let result = work(&mut Driver::new(&mut *opened.backend, &monitor));
        monitor.next();
        Ok((result?, start.elapsed()))
    }
}
