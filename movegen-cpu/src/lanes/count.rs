//! Counting legal moves without making any.
//!
//! In each direction, at most one slider, knight or pawn reaches a square, so the popcounts of set-wise attacks sum to
//! the exact number of moves. A pinned piece may still move along its pin, so each direction counts the pieces that are
//! not pinned or are pinned on its axis.

use kogge_board::bits::RANK_8;
use kogge_board::{Quad48, Rules};

use super::fill::{NORTH, NORTH_EAST, NORTH_WEST, Rays, Slides, king_attacks, knight_leaps, step};
use super::frame::{ANTIDIAGONAL, Castling, DIAGONAL, FILE, Frame, Limits, RANK, en_passant_captors};
use super::vector::{Lanes, and_each};

/// The rank that a pawn passes on a double push.
pub(crate) const THIRD_RANK: u64 = 0xff << 16;

/// Counts the legal moves.
///
/// ```
/// use kogge_board::{Fen, Quad48};
/// let fen = Fen::start();
/// assert_eq!(kogge_movegen_cpu::count(&fen.rules, &Quad48::from(&fen.position)), 20);
/// ```
#[inline(always)]
pub fn count(rules: &Rules, position: &Quad48) -> u32 {
    count_frame(&Frame::of(rules, position)) as u32
}

#[inline(always)]
pub(crate) fn count_frame<L: Lanes>(frame: &Frame<L>) -> L {
    let slides = Slides::new(frame.empty);
    let limits = Limits::of(frame, &slides);
    let &Frame { own, their, empty, .. } = frame;
    let targets = limits.evasion.without(own);

    let king = frame.kings & own;
    let mut moves = king_attacks(king).without(own | limits.danger).popcount();

    let rooks_queens = frame.rooks_queens & own;
    let bishops_queens = frame.bishops_queens & own;
    let free = Rays::from_axes([
        limits.free(rooks_queens, FILE),
        limits.free(rooks_queens, RANK),
        limits.free(bishops_queens, DIAGONAL),
        limits.free(bishops_queens, ANTIDIAGONAL),
    ]);
    moves = moves.add(total(and_each(slides.rays(&free).all(), targets)));

    // A pinned knight never moves.
    let knights = (frame.knights & own).without(limits.pinned);
    moves = moves.add(total(and_each(knight_leaps(knights), targets)));

    let pawns = frame.pawns & own;
    let single = step::<NORTH, L>(limits.free(pawns, FILE)) & empty;
    let double = step::<NORTH, L>(single & L::splat(THIRD_RANK)) & empty & limits.evasion;
    let single = single & limits.evasion;
    let captures = their & limits.evasion;
    let east = step::<NORTH_EAST, L>(limits.free(pawns, DIAGONAL)) & captures;
    let west = step::<NORTH_WEST, L>(limits.free(pawns, ANTIDIAGONAL)) & captures;
    moves = moves.add(total([single, double, east, west]));
    if ((single | east | west) & L::splat(RANK_8)).any() {
        // Every promotion is four moves, and one of them is counted already.
        let promotions = total(and_each([single, east, west], L::splat(RANK_8)));
        moves = moves.add(promotions).add(promotions.shift::<1>());
    }

    if frame.en_passant.any() {
        moves = moves.add(total(en_passant_captors(frame)));
    }
    if (frame.castling_rooks & own).any() {
        // A legal castling is all ones, that is, -1.
        moves = moves.sub(Castling::new(frame, 0).is_legal(frame, &limits));
        moves = moves.sub(Castling::new(frame, 1).is_legal(frame, &limits));
    }
    moves
}

/// Sums the popcounts of some boards, in each lane.
#[inline(always)]
pub(crate) fn total<L: Lanes, const N: usize>(boards: [L; N]) -> L {
    let mut sum = L::splat(0);
    for index in 0..N {
        sum = sum.add(boards[index].popcount());
    }
    sum
}
