//! Programs that are called once for each position, as scripts for perftree are.

use std::process::{Command, Stdio};
use std::time::Duration;

use kogge_board::{Fen, Move};
use kogge_driver::Observer;
use kogge_movegen_cpu::LegalMoves;

use super::answer::Answer;
use super::process::{Process, split};
use crate::error::{CheckError, EngineError};
use crate::text::DivideText;

/// A program that divides. It is called with the depth, the FEN of the root and, if moves were played from the root, these
/// moves in UCI notation, separated by spaces, as one argument. It prints one line for each legal move with the number of
/// leaves below it, such as `e2e4 20`, and may print the sum on a separate line. Other lines are ignored.
///
/// The program inherits the environment, the folder and standard error.
pub struct Script<'a> {
    command: String,
    program: String,
    arguments: Vec<String>,
    patience: Duration,
    knows_chess960: bool,
    is_quiet: bool,
    observer: &'a dyn Observer,
}

impl<'a> Script<'a> {
    /// Reads a command: a program and its first arguments, separated by spaces. Double quotes enclose a word with spaces.
    /// `patience` is the time for which the program may be silent.
    ///
    /// # Errors
    /// If no program is named.
    pub fn new(command: &str, patience: Duration, observer: &'a dyn Observer) -> Result<Self, CheckError> {
        let (program, arguments) = split(command)?;
        Ok(Self {
            command: command.trim().to_owned(),
            program,
            arguments,
            patience,
            knows_chess960: false,
            is_quiet: false,
            observer,
        })
    }

    /// Prepares the program for [`check`](crate::check()): what it prints to standard error is not shown, and it is asked about Chess960
    /// only if it knows it.
    #[must_use]
    pub fn checked(self, knows_chess960: bool) -> Self {
        Self { knows_chess960, is_quiet: true, ..self }
    }

    /// Returns the command that asks in a terminal.
    pub fn command(&self, root: &Fen, line: &[Move], depth: u32) -> String {
        let moves: Vec<_> = line.iter().map(|played| played.uci(&root.rules, root.is_chess960())).collect();
        let moves = if moves.is_empty() { String::new() } else { format!(" \"{}\"", moves.join(" ")) };
        format!("{} {depth} \"{root}\"{moves}", self.command)
    }

    /// Whether the program is said to know Chess960.
    pub const fn knows_chess960(&self) -> bool {
        self.knows_chess960
    }

    /// The command.
    pub fn name(&self) -> &str {
        &self.command
    }

    /// Returns the moves of `here`, the position after `line` from the root, each with the number of leaves `depth` - 1 plies below, as the
    /// program prints them.
    ///
    /// # Errors
    /// If the program cannot be started, is silent for too long, fails, or prints no count although there is a legal move.
    pub fn ask(&self, root: &Fen, line: &[Move], here: &Fen, depth: u32) -> Result<DivideText, CheckError> {
        let chess960 = root.is_chess960();
        let mut call = Command::new(&self.program);
        call.args(&self.arguments).arg(depth.to_string()).arg(root.to_string()).stdin(Stdio::null());
        if !line.is_empty() {
            let moves: Vec<_> = line.iter().map(|played| played.uci(&root.rules, chess960)).collect();
            call.arg(moves.join(" "));
        }
        if self.is_quiet {
            call.stderr(Stdio::null());
        }
        let doing = format!("when it was called for depth {depth}");
        let mut process = Process::start(&self.command, &mut call, self.patience, self.observer)?;
        let mut answer = Answer::default();
        while let Some(line) = process.line(&doing)? {
            if answer.read(&line) {
                process.goes_on(answer.text.moves.len())?;
            }
        }
        let status = process.end(&doing)?;
        if !status.success() {
            let how = status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"));
            return Err(EngineError::Ended { command: self.command.clone(), doing, how: Some(how) }.into());
        }
        let has_moves = LegalMoves::of(&here.rules, &here.position).next().is_some();
        if has_moves && answer.text.moves.is_empty() && answer.text.total.is_none() {
            return Err(process.wrong(format!("it printed no line such as \"e2e4 20\" {doing}; {}", answer.summary())));
        }
        Ok(answer.text)
    }
}
