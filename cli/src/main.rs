//! `kogge`, the command line: it parses and checks the arguments and runs the command. The libraries do the work.

// Without ledgers and the search, nothing reads the arguments of their commands.
#![cfg_attr(not(all(feature = "ledger", feature = "search")), allow(dead_code))]

mod args;
mod board;
mod commands;
mod context;
mod input;
mod kinds;
mod machine;
mod monitor;
mod outcome;
mod output;
mod printing;
mod root;
mod selection;

use std::io::{Write, stdout};
use std::process::ExitCode;

use clap::FromArgMatches;

use crate::args::Cli;
use crate::monitor::is_interrupted;
use crate::outcome::{Answer, EXIT_NO, Failure};
use crate::output::printable;

/// Suppresses a message that a driver prints on standard error.
///
/// On Linux, a layer of Mesa asks the display server which GPU drives the screen whenever Vulkan devices are listed.
/// Without a display server, as in containers, the layer prints a message.
fn silence_display_query() {
    let is_set = |name| std::env::var_os(name).is_some();
    if cfg!(target_os = "linux") && !["XDG_RUNTIME_DIR", "MESA_VK_DEVICE_SELECT"].into_iter().any(is_set) {
        // SAFETY: `main` calls this before it starts any thread.
        unsafe { std::env::set_var("NODEVICE_SELECT", "1") };
    }
}

/// Makes glibc return large tables to the system as soon as they are freed.
///
/// By default, glibc keeps freed memory whose size has occurred before. Counts in ranges make and free thousands of tables of a few
/// megabytes each, of slightly different sizes; with the default, a count took one and a half times `--memory`. With this setting,
/// start position 9 on two threads takes 2 % longer.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn return_memory() {
    const LARGE: libc::c_int = 1 << 20;
    // SAFETY: `mallopt` may be called at any time, and it knows this parameter and this value.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE) };
}

/// Does nothing on systems that are not known to need it.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn return_memory() {}

fn main() -> ExitCode {
    return_memory();
    silence_display_query();
    // Prints warnings of the libraries, for example about a damaged cache.
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .with_target(false)
        .without_time()
        .with_ansi(false)
        .init();
    let answer = match Cli::definition().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => commands::run(cli),
        Err(message) if message.use_stderr() => message.exit(),
        // `exit` would not say that the help could not be written.
        Err(help) => help.print().and_then(|()| stdout().flush()).map_err(Failure::Output).map(|()| Answer::Done),
    };
    let answer = match answer {
        // A compiler of kernels fails when a signal reaches it.
        Err(Failure::Device(_)) if is_interrupted() => {
            Err(Failure::Interrupted("Stopped on request; there is no result.".to_owned()))
        }
        answer => answer,
    };
    match answer {
        Ok(Answer::Done) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(EXIT_NO),
        // The reader of the output closed the pipe early, as `head` does.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            let kind = if matches!(failure, Failure::Interrupted(_)) { "" } else { "error: " };
            // If standard error is closed, the failure cannot be reported.
            let _ = writeln!(std::io::stderr(), "{kind}{}", printable(&failure.to_string()));
            ExitCode::from(failure.exit_code())
        }
    }
}
