//! A program's answer beside ours.

use kogge_board::Fen;
use kogge_driver::Driver;

use super::fault::Question;
use crate::diff::{Differences, Divider, differences, in_our_words};
use crate::error::CheckError;
use crate::text::{Divide, begins_with_a_move};

/// A program's answer, compared with ours.
#[derive(Clone, Default)]
pub(super) struct Compared {
    pub(super) differences: Differences,
    /// The moves in the program's order, in our words.
    pub(super) order: Vec<String>,
    /// A line that cannot be read: one that begins with a move, or else one with a number.
    pub(super) unread: Option<String>,
    begins_with_a_move: bool,
    /// The sum of the program's counts and the sum that it states, if they differ.
    pub(super) sum: Option<(u128, u128)>,
}

impl Compared {
    pub(super) fn has_right_moves(&self) -> bool {
        let Differences { only_first, only_second, repeated, .. } = &self.differences;
        only_first.is_empty() && only_second.is_empty() && repeated.is_empty() && !self.begins_with_a_move
    }

    /// Whether a line that cannot be read stands for a move: it begins with a move, or a move is missing.
    pub(super) fn is_garbled(&self) -> bool {
        self.begins_with_a_move || self.unread.is_some() && !self.differences.only_first.is_empty()
    }

    pub(super) fn is_right(&self) -> bool {
        self.has_right_moves() && self.differences.counts.is_empty() && self.sum.is_none()
    }

    /// The moves that are missing or illegal, by name.
    pub(super) fn wrong_moves(&self) -> impl Iterator<Item = &str> {
        let Differences { only_first, only_second, .. } = &self.differences;
        only_first.iter().chain(only_second).map(|(name, _)| name.as_str())
    }
}

/// Asks a program and compares its answer with our moves and counts.
///
/// # Errors
/// If the program fails.
pub(super) fn ask(
    target: &mut dyn Divider,
    question: &Question,
    here: &Fen,
    ours: Divide,
) -> Result<Compared, CheckError> {
    let answer = target.ask(&question.root, &question.line, here, question.depth)?;
    let begins = answer.unread.iter().find(|line| begins_with_a_move(line));
    let begins_with_a_move = begins.is_some();
    let unread = begins.or(answer.unread.first()).cloned();
    let sum = answer.moves.iter().fold(0_u128, |sum, (_, count)| sum.saturating_add(*count));
    let sum = answer.total.filter(|stated| *stated != sum).map(|stated| (sum, stated));
    let theirs = in_our_words(&question.root, here, answer.moves);
    let order = theirs.iter().map(|(name, _)| name.clone()).collect();
    Ok(Compared { differences: differences(ours, theirs), order, unread, begins_with_a_move, sum })
}

/// Returns our moves, in UCI notation, and counts.
///
/// # Errors
/// If the backend fails.
pub(super) fn ours(reference: &mut Driver<'_>, root: &Fen, here: &Fen, depth: u32) -> Result<Divide, CheckError> {
    let chess960 = root.is_chess960();
    let moves = reference.divide(here, depth)?;
    Ok(moves.into_iter().map(|(played, count)| (played.uci(&root.rules, chess960), count)).collect())
}
