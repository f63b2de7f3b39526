//! Other chess engines, driven by UCI.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use kogge_board::{Fen, Move};

use crate::error::{EngineError, Error};
use crate::{Observer, Progress};

/// The longest line that is read in one piece.
const LONGEST_LINE: u64 = 1 << 16;
/// The time between two questions to the observer whether to stop.
const TICK: Duration = Duration::from_millis(50);
/// The time that an engine gets to end by itself.
const PARTING: Duration = Duration::from_millis(500);

/// The names that engines give the sum of a divide, before the colon, in lower case.
const TOTALS: [&str; 5] = ["nodes searched", "nodes", "total", "total nodes", "leaf nodes"];

/// A running UCI engine with `go perft`, such as Stockfish and its relatives. It answers with lines such as `e2e4: 20`
/// and ends with the sum, `Nodes searched: 400`.
pub struct Engine<'a> {
    command: String,
    name: String,
    knows_chess960: bool,
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
    patience: Duration,
    observer: &'a dyn Observer,
}

impl<'a> Engine<'a> {
    /// Starts an engine: a program and its arguments, separated by spaces. Double quotes enclose a word with spaces.
    /// `patience` is the time that the engine may be silent while it owes an answer.
    ///
    /// # Errors
    /// If it cannot be started or does not speak UCI.
    pub fn start(command: &str, patience: Duration, observer: &'a dyn Observer) -> Result<Self, Error> {
        let start = |reason: String| EngineError::Start { command: command.to_owned(), reason };
        let mut words = split(command).into_iter();
        let program = words.next().ok_or_else(|| start("no program is named".to_owned()))?;
        let mut child = Command::new(&program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| start(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(start("it has no input or output".to_owned()).into());
        };
        let (sender, receiver) = sync_channel(1 << 10);
        thread::spawn(move || read_lines(BufReader::new(output), &sender));
        let mut engine = Self {
            command: command.to_owned(),
            name: program,
            knows_chess960: false,
            child,
            input,
            output: receiver,
            patience,
            observer,
        };
        engine.greet()?;
        Ok(engine)
    }

    /// The name that the engine gives itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn greet(&mut self) -> Result<(), Error> {
        let doing = "when it was greeted with \"uci\"";
        self.say("uci", doing)?;
        loop {
            let line = self.hear(doing)?;
            match line.trim() {
                "uciok" => break,
                line if line.starts_with("option name UCI_Chess960 ") => self.knows_chess960 = true,
                line => {
                    if let Some(name) = line.strip_prefix("id name ") {
                        self.name = name.trim().to_owned();
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the moves after `line` from the root, as the engine writes them, each with the number of leaves `depth` - 1
    /// plies below.
    ///
    /// # Errors
    /// If the engine fails, is silent for too long, or gives a sum that differs from its counts.
    pub fn divide(&mut self, root: &Fen, line: &[Move], depth: u32) -> Result<Vec<(String, u128)>, Error> {
        let chess960 = root.is_chess960();
        if self.knows_chess960 {
            self.say(&format!("setoption name UCI_Chess960 value {chess960}"), "when it was told the rules")?;
        } else if chess960 {
            return Err(self.answer("it does not offer Chess960 (the option UCI_Chess960).".to_owned()));
        }
        let mut position = format!("position fen {root}");
        if !line.is_empty() {
            position.push_str(" moves");
        }
        for played in line {
            position.push(' ');
            position.push_str(&played.uci(&root.rules, chess960));
        }
        self.say(&position, "when it was given the position")?;
        let doing = format!("when it was asked for \"go perft {depth}\"");
        self.say(&format!("go perft {depth}"), &doing)?;
        let mut counts: Vec<(String, u128)> = Vec::new();
        loop {
            let line = self.hear(&doing)?;
            match parse_count(&line) {
                Some(Count::Move(text, count)) => counts.push((text, count)),
                Some(Count::Total(total)) => {
                    let sum = counts.iter().try_fold(0u128, |sum, (_, count)| sum.checked_add(*count));
                    if sum == Some(total) {
                        return Ok(counts);
                    }
                    let sum = sum.map_or("more than 2^128".to_owned(), |sum| sum.to_string());
                    return Err(self.answer(format!("its counts add up to {sum}, but it says {total}.")));
                }
                None => {}
            }
        }
    }

    fn answer(&self, reason: String) -> Error {
        EngineError::Answer { command: self.command.clone(), reason }.into()
    }

    /// Returns the error of an engine that has ended. A terminal's Ctrl-C may end the engine before kogge.
    fn ended(&self, doing: &str) -> Error {
        if self.observer.is_cancelled() {
            return Error::Cancelled(Progress::default());
        }
        EngineError::Ended { command: self.command.clone(), doing: doing.to_owned() }.into()
    }

    fn say(&mut self, text: &str, doing: &str) -> Result<(), Error> {
        let said = writeln!(self.input, "{text}").and_then(|()| self.input.flush());
        said.map_err(|_| self.ended(doing))
    }

    /// Waits for the engine's next line.
    fn hear(&mut self, doing: &str) -> Result<String, Error> {
        let start = Instant::now();
        loop {
            if self.observer.is_cancelled() {
                return Err(Error::Cancelled(Progress::default()));
            }
            match self.output.recv_timeout(TICK) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended(doing)),
                Err(RecvTimeoutError::Timeout) if start.elapsed() < self.patience => {}
                Err(RecvTimeoutError::Timeout) => {
                    let (command, doing) = (self.command.clone(), doing.to_owned());
                    return Err(EngineError::Silent { command, doing, waited: self.patience }.into());
                }
            }
        }
    }
}

impl Drop for Engine<'_> {
    /// Asks the engine to quit, and ends it if it does not.
    fn drop(&mut self) {
        // It does not matter whether the engine still listens, because it is ended in any case.
        let _ = writeln!(self.input, "stop\nquit");
        let start = Instant::now();
        while start.elapsed() < PARTING {
            // Unread output would block the engine.
            while self.output.try_recv().is_ok() {}
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Splits a command into words; double quotes keep spaces in a word.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, piece) in command.split('"').enumerate() {
        if index % 2 == 1 {
            words.push(piece.to_owned());
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Passes lines on until the output ends or the receiver is gone.
fn read_lines(mut output: impl BufRead, lines: &SyncSender<String>) {
    loop {
        let mut line = Vec::new();
        match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(1..) if lines.send(String::from_utf8_lossy(&line).into_owned()).is_ok() => {}
            _ => return,
        }
    }
}

/// A count in a line of the answer to `go perft`.
#[derive(PartialEq, Eq, Debug)]
enum Count {
    Move(String, u128),
    Total(u128),
}

/// Reads `e2e4: 20` or `e2e4 20`, and `Nodes searched: 400`; other lines mean nothing.
fn parse_count(line: &str) -> Option<Count> {
    let line = line.trim();
    let (text, count) = line.rsplit_once([':', ' ', '\t'])?;
    let (text, count) = (text.trim_end_matches([':', ' ', '\t']), count.trim().parse().ok()?);
    if TOTALS.contains(&text.to_ascii_lowercase().as_str()) {
        return Some(Count::Total(count));
    }
    let square = |at: usize| {
        let square = text.as_bytes().get(at..at + 2);
        matches!(square, Some([b'a'..=b'h', b'1'..=b'8']))
    };
    let is_move = square(0) && square(2) && matches!(text.as_bytes()[4..], [] | [b'q' | b'r' | b'b' | b'n']);
    is_move.then(|| Count::Move(text.to_owned(), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_into_words() {
        for (command, words) in [
            ("stockfish", &["stockfish"][..]),
            (" engine  --bench\t1 ", &["engine", "--bench", "1"]),
            ("\"/opt/my engine/run\" -x \"a b\"", &["/opt/my engine/run", "-x", "a b"]),
            ("", &[]),
        ] {
            assert_eq!(split(command), words, "{command}");
        }
    }

    #[test]
    fn lines_of_several_engines() {
        let counted = |text: &str, count| Some(Count::Move(text.to_owned(), count));
        for (line, expected) in [
            ("e2e4: 405385", counted("e2e4", 405_385)),
            ("e2e4 405385\r\n", counted("e2e4", 405_385)),
            ("a7a8q: 1", counted("a7a8q", 1)),
            ("e1h1:\t7", counted("e1h1", 7)),
            ("Nodes searched: 4865609", Some(Count::Total(4_865_609))),
            ("Total: 340282366920938463463374607431768211455", Some(Count::Total(u128::MAX))),
            ("Nodes searched  : 20", Some(Count::Total(20))),
            ("", None),
            ("info depth 1 nodes 20", None),
            ("info string NNUE evaluation using x.nnue", None),
            ("Nodes/second: 1000", None),
            ("Total time: 5", None),
            ("e2e4: many", None),
            ("e2e9: 1", None),
            ("a7a8k: 1", None),
            ("é2e4: 1", None),
            ("e2e4: -1", None),
        ] {
            assert_eq!(parse_count(line), expected, "{line:?}");
        }
    }
}
