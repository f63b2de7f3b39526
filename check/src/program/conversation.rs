//! A conversation with a program that reads commands, line by line.

use std::io::Write;
use std::process::{ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kogge_driver::Observer;

use super::process::{Process, split};
use crate::error::{CheckError, EngineError};

/// The maximum time for a program to quit by itself.
const PARTING: Duration = Duration::from_millis(500);

/// A running program that reads commands. Dropping this value asks the program to quit, and then ends it.
pub(super) struct Conversation<'a> {
    input: ChildStdin,
    pub(super) process: Process<'a>,
}

impl<'a> Conversation<'a> {
    pub(super) fn start(command: &str, patience: Duration, observer: &'a dyn Observer) -> Result<Self, CheckError> {
        let (program, arguments) = split(command)?;
        let mut prepared = Command::new(program);
        prepared.args(arguments).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut process = Process::start(command, &mut prepared, patience, observer)?;
        let Some(input) = process.child.stdin.take() else {
            let (command, reason) = (command.to_owned(), "it has no input".to_owned());
            return Err(EngineError::Start { command, reason }.into());
        };
        Ok(Self { input, process })
    }

    /// Says a line; `doing` names the request in errors.
    pub(super) fn say(&mut self, text: &str, doing: &str) -> Result<(), CheckError> {
        let said = writeln!(self.input, "{text}").and_then(|()| self.input.flush());
        said.map_err(|_| self.process.ended(doing))
    }

    /// Says `isready`. If the program has ended meanwhile, its last lines are still read, and the end is heard behind them.
    pub(super) fn ask_ready(&mut self, doing: &str) {
        let _ = self.say("isready", doing);
    }

    /// Waits for the next line; `None` if none comes in this time.
    ///
    /// # Errors
    /// If the program ends, or the observer stops the wait.
    pub(super) fn hear_within(&mut self, wait: Duration, doing: &str) -> Result<Option<String>, CheckError> {
        match self.process.line_within(wait, doing) {
            Ok(Some(line)) => Ok(Some(line)),
            Ok(None) => Err(self.process.ended(doing)),
            Err(CheckError::Program(EngineError::Silent { .. })) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Conversation<'_> {
    fn drop(&mut self) {
        // A program that no longer listens does not matter, because it is ended in any case.
        let _ = writeln!(self.input, "stop\nquit");
        let start = Instant::now();
        while start.elapsed() < PARTING {
            self.process.skip_lines();
            if matches!(self.process.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}
