//! `kogge`, the command line: parses, plans, runs, prints. All work is done by the libraries.

mod args;
mod backends;
mod commands;
mod failure;
mod monitor;
mod output;
mod root;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;
use crate::failure::{EXIT_NO, Failure};

/// What a command found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    /// It is done, or the answer is yes.
    Done,
    /// The answer is no: a suite line failed, or a difference was found.
    No,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match commands::run(cli) {
        Ok(Answer::Done) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(EXIT_NO),
        // Whoever read the output has seen enough.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            let kind = if matches!(failure, Failure::Interrupted(_)) { "" } else { "error: " };
            // If not even this can be written, there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "{kind}{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}
