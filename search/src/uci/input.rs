//! Reads commands on a separate thread, so that `stop` is noticed while other commands wait.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::command::Command;

/// The number of bytes read of a line; the rest is ignored. A game of a thousand moves has some ten thousand bytes.
const LONGEST_LINE: u64 = 1 << 20;
/// The maximum number of waiting commands while a count runs. A `stop` after more commands is noticed later.
const MOST_WAITING: usize = 1 << 8;

/// The commands of an input, in order.
pub(super) struct Commands {
    arriving: Receiver<io::Result<Command>>,
    /// Commands that arrived while a count was running.
    waiting: VecDeque<io::Result<Command>>,
}

impl Commands {
    /// Starts a thread that reads the input until `quit`, an error, or the end. The thread is not waited for: it may sleep
    /// in a read that never returns.
    pub(super) fn of(input: impl BufRead + Send + 'static) -> io::Result<Self> {
        let (sender, arriving) = sync_channel(1);
        thread::Builder::new().name("kogge-input".to_owned()).spawn(move || read(input, &sender))?;
        Ok(Self { arriving, waiting: VecDeque::new() })
    }

    /// Waits for the next command; `None` at the end of the input.
    pub(super) fn next(&mut self) -> Option<io::Result<Command>> {
        self.waiting.pop_front().or_else(|| self.arriving.recv().ok())
    }

    /// Waits for up to `time`, without taking a command, and returns whether a `stop` waits.
    pub(super) fn hear_stop(&mut self, time: Duration) -> bool {
        if self.waiting.len() >= MOST_WAITING {
            thread::sleep(time);
        } else {
            match self.arriving.recv_timeout(time) {
                Ok(command) => self.waiting.push_back(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(time),
            }
        }
        self.waiting.iter().any(|command| matches!(command, Ok(Command::Stop)))
    }
}

/// Passes commands on until the input ends or nobody listens.
fn read(mut input: impl BufRead, commands: &SyncSender<io::Result<Command>>) {
    loop {
        let command = match line(&mut input) {
            Ok(Some(line)) => match Command::parse(&line) {
                Some(command) => Ok(command),
                None => continue,
            },
            Ok(None) => return,
            Err(error) => Err(error),
        };
        let is_last = matches!(command, Ok(Command::Quit) | Err(_));
        if commands.send(command).is_err() || is_last {
            return;
        }
    }
}

/// Returns the next line, or the beginning of a line that is too long.
fn line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}
