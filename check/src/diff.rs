//! Comparison of two move generators, down to the first position where their moves differ.

use std::cmp::Ordering;

use kogge_board::{Fen, Move, Position};
use kogge_driver::{Driver, Error};
use kogge_movegen_cpu::LegalMoves;

use crate::compare::uci_of;
use crate::error::{CheckError, EngineError};
use crate::program::{Engine, Script};
use crate::shrink::shrink;
use crate::text::{Divide, DivideText};

/// Anything that can divide: a backend through its driver, an engine, or a script.
pub trait Divider {
    /// The name, for errors.
    fn name(&self) -> String;

    /// Returns the moves of `here`, the position after `line` from the root, each with the number of leaves `depth` - 1
    /// plies below the move, in the words of the divider. A successor that no move leads to may have any name.
    ///
    /// # Errors
    /// As [`diff`].
    fn ask(&mut self, root: &Fen, line: &[Move], here: &Fen, depth: u32) -> Result<DivideText, CheckError>;

    /// Forgets everything: a program is ended and started anew.
    ///
    /// # Errors
    /// If the program cannot be started.
    fn restart(&mut self) -> Result<(), CheckError> {
        Ok(())
    }

    /// Whether positions of Chess960 can be asked.
    fn knows_chess960(&self) -> bool {
        true
    }

    /// Returns the commands that ask the same in a terminal; none if there is no such way.
    fn commands(&self, root: &Fen, line: &[Move], here: &Fen, depth: u32) -> Vec<String> {
        let _ = (root, line, here, depth);
        Vec::new()
    }
}

impl Divider for Driver<'_> {
    fn name(&self) -> String {
        self.info().backend.to_owned()
    }

    fn ask(&mut self, root: &Fen, _: &[Move], here: &Fen, depth: u32) -> Result<DivideText, CheckError> {
        let (chess960, rules) = (root.is_chess960(), here.rules.with_halfmove_clock(false));
        let name = |(played, child, count): (Option<Move>, Position, u128)| match played {
            Some(played) => (played.uci(&rules, chess960), count),
            None => (format!("(no move) to {}", Fen::new(child, rules)), count),
        };
        let moves = self.divide_successors(here, depth)?.into_iter().map(name).collect();
        Ok(DivideText { moves, ..DivideText::default() })
    }
}

impl Divider for Engine<'_> {
    fn name(&self) -> String {
        Engine::name(self).to_owned()
    }

    fn ask(&mut self, root: &Fen, line: &[Move], here: &Fen, depth: u32) -> Result<DivideText, CheckError> {
        Engine::ask(self, root, line, here, depth)
    }

    fn restart(&mut self) -> Result<(), CheckError> {
        Engine::restart(self)
    }

    fn knows_chess960(&self) -> bool {
        Engine::knows_chess960(self)
    }

    fn commands(&self, root: &Fen, line: &[Move], here: &Fen, depth: u32) -> Vec<String> {
        Engine::commands(self, root, line, here, depth)
    }
}

impl Divider for Script<'_> {
    fn name(&self) -> String {
        Script::name(self).to_owned()
    }

    fn ask(&mut self, root: &Fen, line: &[Move], here: &Fen, depth: u32) -> Result<DivideText, CheckError> {
        Script::ask(self, root, line, here, depth)
    }

    fn knows_chess960(&self) -> bool {
        Script::knows_chess960(self)
    }

    fn commands(&self, root: &Fen, line: &[Move], _: &Fen, depth: u32) -> Vec<String> {
        vec![self.command(root, line, depth)]
    }
}

/// Writes legal moves as we do: programs write castling, promotions and captures in several ways.
pub(crate) fn in_our_words(root: &Fen, here: &Fen, moves: Divide) -> Divide {
    let legal = LegalMoves::of(&here.rules, &here.position);
    let chess960 = root.is_chess960();
    let renamed = moves.into_iter().map(|(text, count)| (uci_of(here, chess960, &legal, &text).unwrap_or(text), count));
    renamed.collect()
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Diff {
    /// Both find the same moves of the root, with equal counts.
    Same {
        /// The number of leaves.
        leaves: u128,
    },
    /// They differ.
    Different(Box<Difference>),
}

/// The first position where the dividers differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The moves from the root to the position, in UCI notation.
    pub line: Vec<String>,
    /// The position.
    pub position: Fen,
    /// The number of plies counted below the position.
    pub depth: u32,
    /// Moves that only the first divider finds, with its counts.
    pub only_first: Vec<(String, u128)>,
    /// Moves that only the second divider finds, with its counts.
    pub only_second: Vec<(String, u128)>,
    /// Moves that one divider lists more often than the other, with its further counts.
    pub repeated: Vec<(String, u128)>,
    /// Moves whose counts differ although the positions below them agree: one of the dividers contradicts itself. Empty
    /// if the moves differ.
    pub counts: Vec<(String, u128, u128)>,
}

/// Compares a driver's backend with another divider down to `depth`, and walks to the first position (in the order of the moves'
/// names) whose moves differ.
///
/// # Errors
/// As [`Driver::perft`], and if the other divider is a program that fails.
pub fn diff(driver: &mut Driver<'_>, other: &mut dyn Divider, root: &Fen, depth: u32) -> Result<Diff, CheckError> {
    diff_at(driver, other, root, &mut Vec::new(), root, depth)
}

fn diff_at(
    driver: &mut Driver<'_>,
    other: &mut dyn Divider,
    root: &Fen,
    line: &mut Vec<Move>,
    here: &Fen,
    depth: u32,
) -> Result<Diff, CheckError> {
    if depth == 0 {
        return Ok(Diff::Same { leaves: 1 });
    }
    let first = driver.ask(root, line, here, depth)?.moves;
    let leaves = first.iter().try_fold(0u128, |sum, &(_, count)| sum.checked_add(count));
    let answer = other.ask(root, line, here, depth)?;
    let found = differences(first, in_our_words(root, here, answer.moves.clone()));
    // A wrong sum is an error only if it does not come from wrong moves.
    if found == Differences::default() || answer.has_unread_move() {
        answer.checked().map_err(|reason| EngineError::Answer { command: other.name(), reason })?;
    }
    let Differences { only_first, only_second, repeated, mut counts } = found;
    let chess960 = root.is_chess960();
    if only_first.is_empty() && only_second.is_empty() && repeated.is_empty() {
        let Some((name, ..)) = counts.first() else {
            return Ok(Diff::Same { leaves: leaves.ok_or(Error::Overflow)? });
        };
        let mut moves = LegalMoves::of(&here.rules, &here.position);
        // An impossible successor that occurs twice in the list is reached by no move of this name, so the walk ends here.
        if let Some(played) = moves.find(|played| played.uci(&root.rules, chess960) == *name) {
            line.push(played);
            let below = diff_at(driver, other, root, line, &here.play(played), depth - 1)?;
            line.pop();
            if matches!(below, Diff::Different(_)) {
                return Ok(below);
            }
        }
    } else {
        counts.clear();
    }
    let line = line.iter().map(|played| played.uci(&root.rules, chess960)).collect();
    let position = *here;
    Ok(Diff::Different(Box::new(Difference { line, position, depth, only_first, only_second, repeated, counts })))
}

/// The number of positions that are tried to make a difference smaller.
const MOST_TRIED: usize = 500;

/// Makes a position smaller in which the moves of a driver's backend and another divider differ, as [`shrink`] does, as long as they differ
/// in the same way: a move is missing, or a move is too many.
///
/// Ends early, with a larger position, if a program fails at one of the positions, or after five hundred of them.
///
/// # Errors
/// If the driver's backend fails.
pub fn smallest_difference(
    driver: &mut Driver<'_>,
    other: &mut dyn Divider,
    difference: &Difference,
) -> Result<Fen, Error> {
    let kind = |found: &Difference| [&found.only_first, &found.only_second, &found.repeated].map(Vec::is_empty);
    let (mut tried, mut has_failed) = (0, false);
    shrink(&difference.position, |fen| {
        tried += 1;
        if has_failed || tried > MOST_TRIED {
            return Ok(false);
        }
        match diff(driver, other, fen, 1) {
            Ok(Diff::Same { .. }) => Ok(false),
            Ok(Diff::Different(found)) => Ok(kind(&found) == kind(difference)),
            Err(CheckError::Count(error)) => Err(error),
            Err(CheckError::Program(_)) => {
                has_failed = true;
                Ok(false)
            }
        }
    })
}

/// The differences between the moves of two dividers.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Differences {
    pub(crate) only_first: Divide,
    pub(crate) only_second: Divide,
    pub(crate) repeated: Divide,
    pub(crate) counts: Vec<(String, u128, u128)>,
}

/// Compares moves by name.
pub(crate) fn differences(mut first: Divide, mut second: Divide) -> Differences {
    let mut found = Differences::default();
    first.sort();
    second.sort();
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    // The last move that both list.
    let mut common = String::new();
    loop {
        let order = match (first.peek(), second.peek()) {
            (None, None) => return found,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.cmp(b),
        };
        let (extra, only) = match order {
            Ordering::Less => (first.next(), &mut found.only_first),
            Ordering::Greater => (second.next(), &mut found.only_second),
            Ordering::Equal => {
                if let (Some((name, a)), Some((_, b))) = (first.next(), second.next()) {
                    common.clone_from(&name);
                    if a != b {
                        found.counts.push((name, a, b));
                    }
                }
                continue;
            }
        };
        match extra {
            Some(extra) if extra.0 == common => found.repeated.push(extra),
            extra => only.extend(extra),
        }
    }
}
