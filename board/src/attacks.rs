//! Attacks of whole sets of pieces, by Kogge-Stone fills, on a board as it is.
//!
//! A fill doubles its reach in every step, so that three steps cross the board however many sliders
//! there are. The generators have the same in vector registers; this is for one position.

use crate::bits::{FILE_A, FILE_H, NOT_FILE_A, NOT_FILE_H, PAWN_RANKS, flip};
use crate::{Quad48, State};

/// A slide in one direction: how far a step rotates the board to the left, and where it can land
/// without having left it.
#[inline(always)]
fn slide<const STEP: u32>(sliders: u64, empty: u64, landing: u64) -> u64 {
    let free = empty & landing;
    let reached = sliders | free & sliders.rotate_left(STEP);
    let free = free & free.rotate_left(STEP);
    let reached = reached | free & reached.rotate_left(2 * STEP % 64);
    let free = free & free.rotate_left(2 * STEP % 64);
    let reached = reached | free & reached.rotate_left(4 * STEP % 64);
    reached.rotate_left(STEP) & landing
}

const NOT_RANK_1: u64 = !0xff;
const NOT_RANK_8: u64 = flip(NOT_RANK_1);

/// What rooks (or queens) attack along files and ranks: empty squares and the first occupied one.
#[inline(always)]
pub fn rook_attacks(rooks: u64, empty: u64) -> u64 {
    slide::<8>(rooks, empty, NOT_RANK_1)
        | slide::<56>(rooks, empty, NOT_RANK_8)
        | slide::<1>(rooks, empty, NOT_FILE_A)
        | slide::<63>(rooks, empty, NOT_FILE_H)
}

/// What bishops (or queens) attack along diagonals: empty squares and the first occupied one.
#[inline(always)]
pub fn bishop_attacks(bishops: u64, empty: u64) -> u64 {
    slide::<9>(bishops, empty, NOT_RANK_1 & NOT_FILE_A)
        | slide::<7>(bishops, empty, NOT_RANK_1 & NOT_FILE_H)
        | slide::<57>(bishops, empty, NOT_RANK_8 & NOT_FILE_A)
        | slide::<55>(bishops, empty, NOT_RANK_8 & NOT_FILE_H)
}

/// What knights attack.
#[inline(always)]
pub const fn knight_attacks(knights: u64) -> u64 {
    let one = knights >> 1 & NOT_FILE_H | knights << 1 & NOT_FILE_A;
    let two = knights >> 2 & !(FILE_H | FILE_H >> 1) | knights << 2 & !(FILE_A | FILE_A << 1);
    one << 16 | one >> 16 | two << 8 | two >> 8
}

/// The neighbours of kings.
#[inline(always)]
pub const fn king_attacks(kings: u64) -> u64 {
    let row = kings | kings << 1 & NOT_FILE_A | kings >> 1 & NOT_FILE_H;
    (row | row << 8 | row >> 8) & !kings
}

/// What pawns that move up attack.
#[inline(always)]
pub const fn pawn_attacks_up(pawns: u64) -> u64 {
    pawns << 9 & NOT_FILE_A | pawns << 7 & NOT_FILE_H
}

/// What pawns that move down attack.
#[inline(always)]
pub const fn pawn_attacks_down(pawns: u64) -> u64 {
    pawns >> 7 & NOT_FILE_A | pawns >> 9 & NOT_FILE_H
}

/// The pieces of both sides that attack these squares (mostly one), with others empty.
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

/// Whether the side to move is in check.
#[inline(always)]
pub fn in_check(position: &Quad48) -> bool {
    let Sides { own, their, empty } = Sides::of(position);
    attackers(position, position.kings & own, empty) & their != 0
}

/// Who stands where.
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
    /// The sides of a position.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::placement;
    use crate::{Color, Square};

    proptest! {
        /// Every square attacked as the slow stepping of `Position` says.
        #[test]
        fn fills_agree_with_stepping((_, position) in placement()) {
            let packed = Quad48::from(&position);
            for square in (0..64).filter_map(Square::new) {
                let stepped = Color::ALL.map(|by| position.attackers(square, by, position.occupied()));
                let found = attackers(&packed, square.bit(), !position.occupied());
                prop_assert_eq!(found, stepped[0] | stepped[1], "{}", square);
            }
            prop_assert_eq!(in_check(&packed), position.checkers() != 0);
        }
    }
}
