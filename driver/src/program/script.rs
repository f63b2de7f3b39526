//! Programs that are called once for each position, as scripts for perftree are.

use std::process::{Command, Stdio};
use std::time::Duration;

use kogge_board::{Fen, Move};

use super::answer::Answer;
use super::process::{Process, split};
use crate::Observer;
use crate::error::Error;

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
    observer: &'a dyn Observer,
}

impl<'a> Script<'a> {
    /// Reads a command: a program and its first arguments, separated by spaces. Double quotes enclose a word with spaces.
    /// `patience` is the time for which the program may be silent.
    ///
    /// # Errors
    /// If no program is named.
    pub fn new(command: &str, patience: Duration, observer: &'a dyn Observer) -> Result<Self, Error> {
        let (program, arguments) = split(command)?;
        Ok(Self { command: command.trim().to_owned(), program, arguments, patience, observer })
    }

    /// The command.
    pub fn name(&self) -> &str {
        &self.command
    }

    /// Returns the moves after `line` from the root, as the program writes them, each with the number of leaves `depth` - 1
    /// plies below.
    ///
    /// # Errors
    /// If the program cannot be started, is silent for too long, fails, prints no count, or prints a sum that differs from its
    /// counts.
    pub fn divide(&self, root: &Fen, line: &[Move], depth: u32) -> Result<Vec<(String, u128)>, Error> {
        let chess960 = root.is_chess960();
        let mut call = Command::new(&self.program);
        call.args(&self.arguments).arg(depth.to_string()).arg(root.to_string()).stdin(Stdio::null());
        if !line.is_empty() {
            let moves: Vec<_> = line.iter().map(|played| played.uci(&root.rules, chess960)).collect();
            call.arg(moves.join(" "));
        }
        let doing = format!("when it was called for depth {depth}");
        let mut process = Process::start(&self.command, &mut call, self.patience, self.observer)?;
        let mut answer = Answer::default();
        while let Some(line) = process.line(&doing)? {
            match line.trim().parse() {
                Ok(total) => answer.total = Some(total),
                Err(_) if answer.read(&line) => process.goes_on(answer.counts.len())?,
                Err(_) => {}
            }
        }
        let status = process.end(&doing)?;
        if !status.success() {
            let how = status.code().map_or_else(|| status.to_string(), |code| format!("exit code {code}"));
            return Err(process.wrong(format!("it ended with {how} {doing}.")));
        }
        if answer.counts.is_empty() && answer.total.is_none() {
            return Err(process.wrong(format!("it printed no line such as \"e2e4 20\" {doing}.")));
        }
        answer.checked().map_err(|reason| process.wrong(reason))
    }
}
