//! Attacks of whole sets of pieces on one board, by Kogge-Stone fills, and of one slider by subtraction.

use crate::bits::PAWN_RANKS;
pub use crate::fills::{
    bishop_attacks, bishop_attacks_from, king_attacks, knight_attacks, pawn_attacks_down, pawn_attacks_up,
    rook_attacks, rook_attacks_from,
};
use crate::{Quad48, State};

/// Returns the pieces of both sides that attack any of `squares` (mostly a single square), with `empty` squares.
#[inline(always)]
pub fn attackers(position: &Quad48, squares: u64, empty: u64) -> u64 {
    let pawns = position.pawns & PAWN_RANKS;
    rook_attacks(squares, empty) & position.rooks_queens
        | bishop_attacks(squares, empty) & position.bishops_queens
        | knight_attacks(squares) & position.knights
        | king_attacks(squares) & position.kings
        | pawn_attacks_down(squares) & pawns & position.white
        | pawn_attacks_up(squares) & pawns & !position.white
}

/// Returns whether the side to move is in check.
#[inline(always)]
pub fn in_check(position: &Quad48) -> bool {
    let Sides { own, their, empty } = Sides::of(position);
    attackers(position, position.kings & own, empty) & their != 0
}

/// The squares of each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sides {
    /// The pieces of the side to move.
    pub own: u64,
    /// The pieces of the other side.
    pub their: u64,
    /// The empty squares.
    pub empty: u64,
}

impl Sides {
    /// Returns the sides of a position.
    #[inline(always)]
    pub fn of(position: &Quad48) -> Self {
        let occupied = position.pawns & PAWN_RANKS
            | position.knights
            | position.bishops_queens
            | position.rooks_queens
            | position.kings;
        let black = position.pawns & u64::from(State::BLACK) != 0;
        let own = if black { occupied & !position.white } else { position.white };
        Self { own, their: occupied ^ own, empty: !occupied }
    }
}
