//! A running program: its lines are read while the observer may stop the wait.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use kogge_driver::Observer;

use super::group::Group;
use crate::error::{CheckError, EngineError};

/// The maximum length of a line that is read in one piece.
const LONGEST_LINE: u64 = 1 << 16;
/// The time between two calls of the observer.
const TICK: Duration = Duration::from_millis(50);

/// The number of times the patience for which a program may talk without giving a count.
const TALK: u32 = 10;
/// No position has as many moves.
const MOST_COUNTS: usize = 256;

/// A running program. Dropping this value ends the program and the programs that it has started.
pub(super) struct Process<'a> {
    /// The command, for errors.
    command: String,
    pub(super) child: Child,
    lines: Receiver<String>,
    patience: Duration,
    /// The time of the request or of the last line that was a part of its answer.
    useful: Cell<Instant>,
    observer: &'a dyn Observer,
}

/// Splits a command into a program and its arguments, separated by spaces; double quotes keep spaces in a word.
///
/// # Errors
/// If no program is named.
pub(super) fn split(command: &str) -> Result<(String, Vec<String>), CheckError> {
    let mut words = Vec::new();
    for (index, piece) in command.split('"').enumerate() {
        if index % 2 == 1 {
            words.push(piece.to_owned());
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
        }
    }
    if words.is_empty() {
        let (command, reason) = (command.to_owned(), "no program is named".to_owned());
        return Err(EngineError::Start { command, reason }.into());
    }
    let program = words.remove(0);
    Ok((program, words))
}

impl<'a> Process<'a> {
    /// Starts `prepared`, whose input and standard error are set; `command` names the program in errors. `patience` is the
    /// time for which it may be silent while a line is awaited.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub(super) fn start(
        command: &str,
        prepared: &mut Command,
        patience: Duration,
        observer: &'a dyn Observer,
    ) -> Result<Self, CheckError> {
        let failed = |reason: String| EngineError::Start { command: command.to_owned(), reason };
        Group::prepare(prepared);
        let mut child = prepared.stdout(Stdio::piped()).spawn().map_err(|error| failed(error.to_string()))?;
        running().push((child.id(), Group::of(&child)));
        let output = child.stdout.take().ok_or_else(|| failed("it has no output".to_owned()))?;
        let (sender, lines) = sync_channel(1 << 10);
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut line = Vec::new();
                match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
                    Ok(1..) if sender.send(String::from_utf8_lossy(&line).into_owned()).is_ok() => {}
                    _ => return,
                }
            }
        });
        Ok(Self { command: command.to_owned(), child, lines, patience, useful: Cell::new(Instant::now()), observer })
    }

    /// Begins an answer, or notes that the last line was a part of it; `counts` is the number of counts so far.
    ///
    /// # Errors
    /// If the answer has more counts than a position has moves.
    pub(super) fn goes_on(&self, counts: usize) -> Result<(), CheckError> {
        self.useful.set(Instant::now());
        match counts {
            ..=MOST_COUNTS => Ok(()),
            _ => Err(self.wrong(format!("it printed more than {MOST_COUNTS} counts."))),
        }
    }

    /// Waits for the next line for the time of the patience; `None` at the end of the output. `doing` names the request in errors.
    ///
    /// # Errors
    /// If the program is silent for too long, or talks for too long without a count, or the observer stops the wait.
    pub(super) fn line(&self, doing: &str) -> Result<Option<String>, CheckError> {
        self.line_within(self.patience, doing)
    }

    /// Waits for the next line as [`Process::line`], but at most for this time.
    pub(super) fn line_within(&self, wait: Duration, doing: &str) -> Result<Option<String>, CheckError> {
        let start = Instant::now();
        loop {
            if self.observer.is_cancelled() {
                return Err(CheckError::stopped());
            }
            if self.useful.get().elapsed() >= self.patience.saturating_mul(TALK) {
                let (command, doing) = (self.command.clone(), doing.to_owned());
                return Err(EngineError::Endless { command, doing, waited: self.patience.saturating_mul(TALK) }.into());
            }
            match self.lines.recv_timeout(TICK.min(wait)) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if start.elapsed() < wait => {}
                Err(RecvTimeoutError::Timeout) => return Err(self.silent(wait, doing)),
            }
        }
    }

    /// Waits for the end of a program that has closed its output.
    ///
    /// # Errors
    /// If the program does not end in time, or the observer stops the wait.
    pub(super) fn end(&mut self, doing: &str) -> Result<ExitStatus, CheckError> {
        let start = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if self.observer.is_cancelled() => return Err(CheckError::stopped()),
                Ok(None) if start.elapsed() < self.patience => thread::sleep(Duration::from_millis(1)),
                _ => return Err(self.silent(self.patience, doing)),
            }
        }
    }

    /// Returns the error of a program that has ended. A terminal's Ctrl-C may end the program before kogge.
    pub(super) fn ended(&mut self, doing: &str) -> CheckError {
        if self.observer.is_cancelled() {
            return CheckError::stopped();
        }
        let start = Instant::now();
        // The output closes a moment before the program is gone.
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if start.elapsed() < 4 * TICK => thread::sleep(Duration::from_millis(1)),
                status => break status.ok().flatten(),
            }
        };
        let how = status.map(|status| status.to_string());
        EngineError::Ended { command: self.command.clone(), doing: doing.to_owned(), how }.into()
    }

    pub(super) fn command(&self) -> &str {
        &self.command
    }

    /// Returns the error of a program that was silent for this time.
    pub(super) fn silent(&self, waited: Duration, doing: &str) -> CheckError {
        EngineError::Silent { command: self.command.clone(), doing: doing.to_owned(), waited }.into()
    }

    /// Returns the error of an answer that cannot be right; `reason` is a sentence.
    pub(super) fn wrong(&self, reason: String) -> CheckError {
        EngineError::Answer { command: self.command.clone(), reason }.into()
    }

    /// Discards lines that nobody has read, because unread output would block the program.
    pub(super) fn skip_lines(&self) {
        while self.lines.try_recv().is_ok() {}
    }
}

impl Drop for Process<'_> {
    fn drop(&mut self) {
        let mut running = running();
        if let Some(index) = running.iter().position(|(id, _)| *id == self.child.id())
            && let (_, Some(group)) = running.swap_remove(index)
        {
            group.end();
        }
        drop(running);
        // Killing fails only if the program has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The programs that run now, by their numbers.
fn running() -> MutexGuard<'static, Vec<(u32, Option<Group>)>> {
    static RUNNING: Mutex<Vec<(u32, Option<Group>)>> = Mutex::new(Vec::new());
    RUNNING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Ends all engines and scripts that this process has started, and the programs that they have started. A process that exits without
/// dropping its [`Engine`](super::Engine)s calls this first.
pub fn end_programs() {
    running().drain(..).filter_map(|(_, group)| group).for_each(|group| group.end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_into_words() {
        for (command, program, arguments) in [
            ("stockfish", "stockfish", &[][..]),
            (" engine  --bench\t1 ", "engine", &["--bench", "1"]),
            ("\"/opt/my engine/run\" -x \"a b\"", "/opt/my engine/run", &["-x", "a b"]),
        ] {
            let (found, words) = split(command).unwrap();
            assert_eq!(found, program);
            assert_eq!(words, arguments, "{command}");
        }
        assert!(matches!(split(" "), Err(CheckError::Program(EngineError::Start { .. }))));
    }
}
