//! Chess engines, driven by UCI.

use std::io::Write;
use std::process::{ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kogge_board::{Fen, Move};

use super::answer::Answer;
use super::process::{Process, split};
use crate::Observer;
use crate::error::{EngineError, Error};

/// The maximum time for an engine to quit by itself.
const PARTING: Duration = Duration::from_millis(500);

/// A running UCI engine with `go perft`, such as Stockfish and its relatives. It answers with lines such as `e2e4: 20`
/// and ends with the sum, `Nodes searched: 400`.
pub struct Engine<'a> {
    name: String,
    knows_chess960: bool,
    input: ChildStdin,
    process: Process<'a>,
}

impl<'a> Engine<'a> {
    /// Starts an engine: a program and its arguments, separated by spaces. Double quotes enclose a word with spaces.
    /// `patience` is the time for which the engine may be silent while kogge waits for an answer.
    ///
    /// # Errors
    /// If the engine cannot be started or does not speak UCI.
    pub fn start(command: &str, patience: Duration, observer: &'a dyn Observer) -> Result<Self, Error> {
        let (name, arguments) = split(command)?;
        let mut prepared = Command::new(&name);
        prepared.args(arguments).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut process = Process::start(command, &mut prepared, patience, observer)?;
        let Some(input) = process.child.stdin.take() else {
            let (command, reason) = (command.to_owned(), "it has no input".to_owned());
            return Err(EngineError::Start { command, reason }.into());
        };
        let mut engine = Self { name, knows_chess960: false, input, process };
        engine.greet()?;
        Ok(engine)
    }

    /// The name that the engine reports.
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
            return Err(self.process.wrong("it does not offer Chess960 (the option UCI_Chess960).".to_owned()));
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
        let mut answer = Answer::default();
        self.process.goes_on(0)?;
        while answer.total.is_none() {
            if answer.read(&self.hear(&doing)?) {
                self.process.goes_on(answer.counts.len())?;
            }
        }
        answer.checked().map_err(|reason| self.process.wrong(reason))
    }

    fn say(&mut self, text: &str, doing: &str) -> Result<(), Error> {
        let said = writeln!(self.input, "{text}").and_then(|()| self.input.flush());
        said.map_err(|_| self.process.ended(doing))
    }

    /// Waits for the engine's next line.
    fn hear(&mut self, doing: &str) -> Result<String, Error> {
        self.process.line(doing)?.ok_or_else(|| self.process.ended(doing))
    }
}

impl Drop for Engine<'_> {
    /// Asks the engine to quit. If the engine does not quit, dropping the process ends it.
    fn drop(&mut self) {
        // An engine that no longer listens does not matter, because it is ended in any case.
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
