//! The rules of chess that generators get wrong: their names, the rule that a wrong move breaks, and the rules that a position tests.
//!
//! A missing move breaks a rule of `missing`, a listed illegal move the rule of `listed`. A position tests the rules of all its legal
//! moves and of the illegal moves that a generator lists if it forgets one rule, and those of what its legal moves leave behind
//! (`later`). So the rule of a fault is among the rules of its position.

mod later;
mod line;
mod list;
mod listed;
mod missing;
mod set;
mod tempting;

use kogge_board::{Fen, Move};
use kogge_movegen_cpu::LegalMoves;
pub use list::Rule;
pub use set::RuleSet;

impl Rule {
    /// Returns the rule that a wrong move of a program breaks. The move is legal and missing, or illegal and listed.
    ///
    /// `before` has the position one ply earlier and the move that was played there, if the program reached this position by playing.
    /// Then the way is named in which a castling right was lost, or a check was discovered.
    ///
    /// ```
    /// use kogge_board::Fen;
    /// use kogge_check::Rule;
    ///
    /// let fen: Fen = "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1".parse()?;
    /// assert_eq!(Rule::of_move(&fen, "e4d3", None), Rule::EnPassantUncoversRank);
    /// assert_eq!(Rule::of_move(&fen, "e4e3", None), Rule::PawnPush);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub fn of_move(here: &Fen, uci: &str, before: Option<(&Fen, Move)>) -> Self {
        let moves = LegalMoves::of(&here.rules, &here.position).collect::<Vec<_>>();
        match Move::from_uci(uci, &here.rules, moves.iter().copied()) {
            Ok(played) => missing::rules(here, &moves, played).first().unwrap_or(Self::Notation),
            Err(_) => listed::rule(here, uci, !moves.is_empty(), before),
        }
    }
}

/// Returns the rules that the moves of a position test: those of its legal moves, of the illegal moves that look legal if one rule is
/// forgotten, and of the castling rights and checks that show one ply later.
///
/// No position is about [`Rule::WrongPiece`] and [`Rule::Notation`].
///
/// ```
/// use kogge_board::Fen;
/// use kogge_check::{Rule, rules_of};
///
/// let rules = rules_of(&"4k3/8/8/8/8/8/r6P/4K2R w K - 0 1".parse::<Fen>()?);
/// assert!(rules.contains(Rule::CastlingKingside) && rules.contains(Rule::RightLostByKing));
/// assert!(rules.contains(Rule::KingIntoAttack) && !rules.contains(Rule::CheckIgnored));
/// # Ok::<(), kogge_board::FenError>(())
/// ```
pub fn rules_of(fen: &Fen) -> RuleSet {
    let moves = LegalMoves::of(&fen.rules, &fen.position).collect::<Vec<_>>();
    let mut rules = tempting::rules(fen, &moves);
    for &played in &moves {
        rules.insert_all(missing::rules(fen, &moves, played));
        rules.insert_all(later::rules(fen, played));
    }
    rules
}

#[cfg(test)]
mod tests;
