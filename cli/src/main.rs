//! `kogge`, the command line: parses, plans, runs, prints. All work is done by the libraries.

#[cfg(test)]
mod agreement;
mod args;
mod backends;
mod commands;
mod estimate;
mod failure;
mod many;
mod memory;
mod monitor;
mod output;
mod place;
mod reporter;
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

/// Keeps a driver's complaint off standard error.
///
/// On Linux, a layer of Mesa's asks the display server which GPU drives the screen. Where nobody has logged in, as in
/// containers, there is nobody to ask, and it says so whenever Vulkan devices are listed.
fn without_display() {
    let is_set = |name| std::env::var_os(name).is_some();
    if cfg!(target_os = "linux") && !["XDG_RUNTIME_DIR", "MESA_VK_DEVICE_SELECT"].into_iter().any(is_set) {
        // SAFETY: this is called before anything else, so that there is no other thread.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

fn main() -> ExitCode {
    without_display();
    // Warnings of the libraries, such as of a damaged cache.
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .with_target(false)
        .without_time()
        .with_ansi(false)
        .init();
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
