//! Exhaustive minimax: the definition of the value that every backend returns.
//!
//! # The value
//!
//! The value of a position `depth` plies deep, for the side to move, is
//!
//! 1. without legal moves, [`Score::mated`] in 0 if in check, else [`Score::DRAW`];
//! 2. else [`Score::DRAW`], if the rules keep the halfmove clock and the clock is at [`FIFTY_MOVES`] or more;
//! 3. else, at depth 0, its [evaluation](crate::evaluate()), or its quiescence value;
//! 4. else the greatest value of its successors, which are searched one ply less deep, [one ply up](Score::one_ply_up).
//!    Of several best moves, the first in generation order is *the* best move.
//!
//! # Quiescence
//!
//! A static evaluation is unreliable in the middle of an exchange. The quiescence search looks ahead until the position
//! is quiet, at most [`QUIESCENCE_PLIES`] plies. The quiescence value is
//!
//! 1. at the last quiescence ply, the evaluation;
//! 2. in check, the greatest of all successors' quiescence values, one ply up; mate if there is no successor,
//!    else a draw by the fifty-move rule where it applies;
//! 3. not in check, a draw by the fifty-move rule where it applies; else the evaluation (the side to move
//!    can *stand pat*) or, if it is greater, the greatest of the quiescence values after captures
//!    (en passant too) and promotions. Stalemate is not detected here.
//!
//! Captures and promotions are the first successors in generation order, most valuable victim first.
//! An implementation may skip only positions that cannot change the value, as alpha-beta does.

use crate::attacks::{Sides, in_check};
use crate::bits::PAWN_RANKS;
use crate::{Quad48, Rules, Score};

/// The number of plies without capture or pawn move after which the game is drawn, unless the last ply mates.
pub const FIFTY_MOVES: u8 = 100;

/// The greatest number of plies that the quiescence search looks beyond a leaf.
pub const QUIESCENCE_PLIES: u32 = 6;

/// The greatest depth of a minimax, in plies; beyond it, mates at different distances could get equal scores.
pub const MAX_DEPTH: u32 = Score::LONGEST_MATE - QUIESCENCE_PLIES;

/// The way in which the leaves of a minimax tree are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaves {
    /// By the evaluation.
    Static,
    /// By the quiescence value.
    Quiescent,
}

/// Returns the value of a position without legal moves.
#[inline(always)]
pub fn without_moves(position: &Quad48) -> Score {
    if in_check(position) { Score::mated(0) } else { Score::DRAW }
}

/// Returns whether the fifty-move rule makes this position a draw, unless it is mate.
#[inline(always)]
pub fn is_fifty_moves(rules: &Rules, position: &Quad48) -> bool {
    rules.halfmove_clock && position.state().halfmove_clock() >= FIFTY_MOVES
}

/// Returns the number of successors by captures and promotions; they come first.
///
/// A move is a capture if there are fewer men afterwards, and a promotion if there are fewer pawns.
#[inline]
pub fn tactical(position: &Quad48, successors: &[Quad48]) -> usize {
    let men = |position: &Quad48| {
        let Sides { empty, .. } = Sides::of(position);
        (empty.count_zeros(), (position.pawns & PAWN_RANKS).count_ones())
    };
    let before = men(position);
    successors.partition_point(|after| men(after) != before)
}
