//! Counting legal moves without making any.
//!
//! In one direction every square is reached by at most one slider, every knight's leap and every
//! pawn's step likewise, so the popcounts of set-wise attacks add up to the exact number of moves.
//! A pinned piece may still move along its pin, so each direction counts the pieces that are not
//! pinned and those pinned on its axis.

use kogge_board::bits::RANK_8;
use kogge_board::{Quad48, Rules, State};

use crate::fill::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST, attacks, king_attacks, step,
};
use crate::frame::{ANTIDIAGONAL, DIAGONAL, FILE, Frame, Limits, RANK, en_passant_captors, may_castle};

/// The number of legal moves.
///
/// ```
/// use kogge_board::{Fen, Quad48};
/// let fen = Fen::start();
/// assert_eq!(kogge_movegen_cpu::count(&fen.rules, &Quad48::from(&fen.position)), 20);
/// ```
#[inline(always)]
pub fn count(rules: &Rules, position: &Quad48) -> u32 {
    if position.pawns & State::BLACK as u64 == 0 {
        count_frame(&Frame::new::<false>(rules, position))
    } else {
        count_frame(&Frame::new::<true>(rules, position))
    }
}

/// The number of legal moves of the side that moves up.
#[inline(always)]
fn count_frame(frame: &Frame) -> u32 {
    let limits = Limits::of(frame);
    let &Frame { own, their, empty, .. } = frame;
    let targets = !own & limits.evasion;

    let king = frame.kings & own;
    let mut moves = (king_attacks(king) & !own & !limits.danger).count_ones();

    let rooks_queens = frame.rooks_queens & own;
    let bishops_queens = frame.bishops_queens & own;
    let [on_file, on_rank] = [FILE, RANK].map(|axis| limits.free(rooks_queens, axis));
    let [on_diagonal, on_antidiagonal] = [DIAGONAL, ANTIDIAGONAL].map(|axis| limits.free(bishops_queens, axis));
    for reached in [
        attacks::<NORTH>(on_file, empty),
        attacks::<SOUTH>(on_file, empty),
        attacks::<EAST>(on_rank, empty),
        attacks::<WEST>(on_rank, empty),
        attacks::<NORTH_EAST>(on_diagonal, empty),
        attacks::<SOUTH_WEST>(on_diagonal, empty),
        attacks::<NORTH_WEST>(on_antidiagonal, empty),
        attacks::<SOUTH_EAST>(on_antidiagonal, empty),
    ] {
        moves += (reached & targets).count_ones();
    }

    // A pinned knight never moves.
    let knights = frame.knights & own & !limits.pinned;
    for leaps in knight_leaps(knights) {
        moves += (leaps & targets).count_ones();
    }

    let pawns = frame.pawns & own;
    let single = step::<NORTH>(limits.free(pawns, FILE)) & empty;
    let double = step::<NORTH>(single & THIRD_RANK) & empty & limits.evasion;
    let single = single & limits.evasion;
    let captures = their & limits.evasion;
    let east = step::<NORTH_EAST>(limits.free(pawns, DIAGONAL)) & captures;
    let west = step::<NORTH_WEST>(limits.free(pawns, ANTIDIAGONAL)) & captures;
    moves += single.count_ones() + double.count_ones() + east.count_ones() + west.count_ones();
    if (single | east | west) & RANK_8 != 0 {
        // Every promotion is four moves, one of which is counted.
        moves += 3 * [single, east, west].map(|to| (to & RANK_8).count_ones()).iter().sum::<u32>();
    }

    if frame.en_passant != 0 {
        moves += en_passant_captors(frame).map(|from| u32::from(from != 0)).iter().sum::<u32>();
    }
    if frame.castling_rooks != [0, 0] {
        moves += [0, 1].map(|side| u32::from(may_castle(frame, &limits, side))).iter().sum::<u32>();
    }
    moves
}

/// Where a pawn that started from rank 2 passes.
pub(crate) const THIRD_RANK: u64 = 0xff << 16;

/// The eight leaps of a set of knights, in generation order; in each, every square is reached by at
/// most one knight.
#[inline(always)]
pub(crate) const fn knight_leaps(knights: u64) -> [u64; 8] {
    use kogge_board::bits::{NOT_FILE_A, NOT_FILE_H};
    let west1 = (knights >> 1) & NOT_FILE_H;
    let east1 = (knights << 1) & NOT_FILE_A;
    let west2 = (knights >> 2) & NOT_FILE_H & (NOT_FILE_H >> 1);
    let east2 = (knights << 2) & NOT_FILE_A & (NOT_FILE_A << 1);
    [east1 << 16, west1 << 16, east2 << 8, west2 << 8, east2 >> 8, west2 >> 8, east1 >> 16, west1 >> 16]
}
