//! Attacks of whole sets of pieces on one board, by Kogge-Stone fills.
//!
//! A fill doubles its reach in every step, so three steps cross the board for any number of sliders.
//! The generators run these fills on several boards in vector registers.

use crate::bits::{FILE_A, FILE_H, NOT_FILE_A, NOT_FILE_H, PAWN_RANKS, flip};
use crate::{Quad48, State};

/// Returns the squares that sliders attack in one direction. Each step rotates the board to the left by `STEP`, and
/// `landing` masks the squares where the step does not wrap around the edge.
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

/// Returns the squares that rooks (or queens) attack along files and ranks: empty squares and the first occupied one.
#[inline(always)]
pub fn rook_attacks(rooks: u64, empty: u64) -> u64 {
    slide::<8>(rooks, empty, NOT_RANK_1)
        | slide::<56>(rooks, empty, NOT_RANK_8)
        | slide::<1>(rooks, empty, NOT_FILE_A)
        | slide::<63>(rooks, empty, NOT_FILE_H)
}

/// Returns the squares that bishops (or queens) attack along diagonals: empty squares and the first occupied one.
#[inline(always)]
pub fn bishop_attacks(bishops: u64, empty: u64) -> u64 {
    slide::<9>(bishops, empty, NOT_RANK_1 & NOT_FILE_A)
        | slide::<7>(bishops, empty, NOT_RANK_1 & NOT_FILE_H)
        | slide::<57>(bishops, empty, NOT_RANK_8 & NOT_FILE_A)
        | slide::<55>(bishops, empty, NOT_RANK_8 & NOT_FILE_H)
}

/// Returns the squares that knights attack.
#[inline(always)]
pub const fn knight_attacks(knights: u64) -> u64 {
    let one = knights >> 1 & NOT_FILE_H | knights << 1 & NOT_FILE_A;
    let two = knights >> 2 & !(FILE_H | FILE_H >> 1) | knights << 2 & !(FILE_A | FILE_A << 1);
    one << 16 | one >> 16 | two << 8 | two >> 8
}

/// Returns the neighbours of kings.
#[inline(always)]
pub const fn king_attacks(kings: u64) -> u64 {
    let row = kings | kings << 1 & NOT_FILE_A | kings >> 1 & NOT_FILE_H;
    (row | row << 8 | row >> 8) & !kings
}

/// Returns the squares that pawns attack if they move up.
#[inline(always)]
pub const fn pawn_attacks_up(pawns: u64) -> u64 {
    pawns << 9 & NOT_FILE_A | pawns << 7 & NOT_FILE_H
}

/// Returns the squares that pawns attack if they move down.
#[inline(always)]
pub const fn pawn_attacks_down(pawns: u64) -> u64 {
    pawns >> 7 & NOT_FILE_A | pawns >> 9 & NOT_FILE_H
}

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
