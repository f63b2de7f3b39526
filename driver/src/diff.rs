//! Comparison of two move generators, down to the first position where their moves differ.

use std::cmp::Ordering;

use kogge_board::{Fen, Move};

use crate::frontier::counting;
use crate::moves::{legal_moves, named_successors, play};
use crate::program::{Engine, Script};
use crate::{Driver, Error};

/// Anything that can divide: a backend through its driver, an engine, or a script.
pub trait Divider {
    /// Returns the moves of `here`, the position after `line` from the root, each with the number of leaves `depth` - 1
    /// plies below the move. Moves have the names that [`Move::uci`] gives them under the root's rules; a successor that
    /// no move leads to may have any name.
    ///
    /// # Errors
    /// As [`Driver::perft`].
    fn divide(&mut self, root: &Fen, line: &[Move], here: &Fen, depth: u32) -> Result<Vec<(String, u128)>, Error>;
}

impl Divider for Driver<'_> {
    fn divide(&mut self, root: &Fen, _: &[Move], here: &Fen, depth: u32) -> Result<Vec<(String, u128)>, Error> {
        let (chess960, rules) = (root.is_chess960(), counting(root));
        let (moves, children): (Vec<_>, Vec<_>) = named_successors(self.backend, here)?.into_iter().unzip();
        self.begin(children.len());
        let counts = self.count(&rules, &children, depth.saturating_sub(1), None)?;
        let names = moves.iter().zip(children).map(|(played, child)| match played {
            Some(played) => played.uci(&rules, chess960),
            None => format!("(no move) to {}", Fen::new(child.unpack_unchecked(), rules)),
        });
        Ok(names.zip(counts).collect())
    }
}

impl Divider for Engine<'_> {
    fn divide(&mut self, root: &Fen, line: &[Move], _: &Fen, depth: u32) -> Result<Vec<(String, u128)>, Error> {
        Engine::divide(self, root, line, depth)
    }
}

impl Divider for Script<'_> {
    fn divide(&mut self, root: &Fen, line: &[Move], _: &Fen, depth: u32) -> Result<Vec<(String, u128)>, Error> {
        Script::divide(self, root, line, depth)
    }
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
    /// Moves whose counts differ although the positions below them agree: one of the dividers contradicts itself. Empty
    /// if the moves differ.
    pub counts: Vec<(String, u128, u128)>,
}

impl Driver<'_> {
    /// Compares this driver's backend with another divider down to `depth`, and walks to the first position (in the
    /// order of the moves' names) whose moves differ.
    ///
    /// # Errors
    /// As [`Driver::perft`], for both.
    pub fn diff(&mut self, other: &mut dyn Divider, root: &Fen, depth: u32) -> Result<Diff, Error> {
        self.diff_at(other, root, &mut Vec::new(), root, depth)
    }

    fn diff_at(
        &mut self,
        other: &mut dyn Divider,
        root: &Fen,
        line: &mut Vec<Move>,
        here: &Fen,
        depth: u32,
    ) -> Result<Diff, Error> {
        if depth == 0 {
            return Ok(Diff::Same { leaves: 1 });
        }
        let first = Divider::divide(self, root, line, here, depth)?;
        let leaves = first.iter().try_fold(0u128, |sum, &(_, count)| sum.checked_add(count));
        let second = other.divide(root, line, here, depth)?;
        let Comparison { only_first, only_second, mut counts } = compare(first, second);
        let chess960 = root.is_chess960();
        if only_first.is_empty() && only_second.is_empty() {
            let Some((name, ..)) = counts.first() else {
                return Ok(Diff::Same { leaves: leaves.ok_or(Error::Overflow)? });
            };
            let moves = legal_moves(self.backend, here)?.into_iter().map(|(played, _)| played);
            // An impossible successor that occurs twice in the list is reached by no move of this name, so the walk
            // ends here.
            if let Some(played) = moves.into_iter().find(|played| played.uci(&root.rules, chess960) == *name) {
                line.push(played);
                let below = self.diff_at(other, root, line, &play(here, played), depth - 1)?;
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
        Ok(Diff::Different(Box::new(Difference { line, position, depth, only_first, only_second, counts })))
    }
}

/// The moves of two dividers, compared.
struct Comparison {
    only_first: Vec<(String, u128)>,
    only_second: Vec<(String, u128)>,
    counts: Vec<(String, u128, u128)>,
}

/// Compares moves by name. A move that occurs twice in one list and once in the other is a difference.
fn compare(mut first: Vec<(String, u128)>, mut second: Vec<(String, u128)>) -> Comparison {
    let mut found = Comparison { only_first: Vec::new(), only_second: Vec::new(), counts: Vec::new() };
    first.sort();
    second.sort();
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    loop {
        let order = match (first.peek(), second.peek()) {
            (None, None) => return found,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((a, _)), Some((b, _))) => a.cmp(b),
        };
        match order {
            Ordering::Less => found.only_first.extend(first.next()),
            Ordering::Greater => found.only_second.extend(second.next()),
            Ordering::Equal => {
                if let (Some((name, a)), Some((_, b))) = (first.next(), second.next())
                    && a != b
                {
                    found.counts.push((name, a, b));
                }
            }
        }
    }
}
