//! Attacks of whole sets of pieces on one board, by Kogge-Stone fills.
//!
//! A fill doubles its reach in every step, so three steps cross the board for any number of sliders.
//! The generators run these fills on several boards in vector registers.

use crate::Square;
use crate::bits::{FILE_A, FILE_H, NOT_FILE_A, NOT_FILE_H, RANK_1, flip};

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

/// The diagonal from a1 to h8, and the one from h1 to a8.
const DIAGONAL: u64 = 0x8040_2010_0804_0201;
const ANTIDIAGONAL: u64 = 0x0102_0408_1020_4080;

/// Returns a board moved up by a number of ranks, or down if it is negative.
#[inline(always)]
const fn moved_up(board: u64, ranks: i32) -> u64 {
    if ranks >= 0 { board << (8 * ranks) } else { board >> (-8 * ranks) }
}

/// Returns the squares that a slider attacks along a file or a diagonal, which `line` is.
///
/// Subtracting the slider twice from the occupied squares changes the bits up to the first piece above it, and on the board flipped by
/// swapping bytes, below it (Gerd Isenberg's o^(o-2r), and hyperbola quintessence by Aleks Peshkov).
#[inline(always)]
const fn along(line: u64, slider: u64, occupied: u64) -> u64 {
    let occupied = occupied & line & !slider;
    let up = occupied.wrapping_sub(slider << 1);
    let down = occupied.swap_bytes().wrapping_sub(slider.swap_bytes() << 1).swap_bytes();
    (up ^ down) & line & !slider
}

/// Returns the squares that one rook attacks along its file and rank. For one rook, this is faster than [`rook_attacks`].
#[inline(always)]
pub const fn rook_attacks_from(square: Square, occupied: u64) -> u64 {
    let slider = square.bit();
    let rank = RANK_1 << (square.index() & 56);
    let others = occupied & rank;
    let right = others.wrapping_sub(slider << 1) ^ others;
    // The first piece to the left, or the end of the rank.
    let left = others & (slider - 1) | rank & rank.wrapping_neg();
    let left = slider.wrapping_sub(1 << (63 - left.leading_zeros()));
    along(FILE_A << square.file(), slider, occupied) | (right | left) & rank & !slider
}

/// Returns the squares that one bishop attacks along its diagonals. For one bishop, this is faster than [`bishop_attacks`].
#[inline(always)]
pub const fn bishop_attacks_from(square: Square, occupied: u64) -> u64 {
    let (file, rank) = (square.file() as i32, square.rank() as i32);
    along(moved_up(DIAGONAL, rank - file), square.bit(), occupied)
        | along(moved_up(ANTIDIAGONAL, rank + file - 7), square.bit(), occupied)
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
