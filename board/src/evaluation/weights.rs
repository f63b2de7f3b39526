//! The weights of the evaluation.
//!
//! The example `weights` of the crate `kogge-search` fitted them to the results and the search scores of 215,030 quiet
//! positions from some 2,300 games that kogge played against itself with 3,000 nodes a move. The fit began with the piece
//! values that Larry Kaufman published for average positions (pawn 1, knight and bishop 3 1/4, rook 5, queen 9 3/4, pair of
//! bishops 1/2 more) and with guesses for the rest; it stays near these values where the games give little data.

use super::features::Feature::{self, *};
use crate::bits::{FILE_A, RANK_1, RANK_8, rank};

/// A weight for each square of a set within a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    /// The set.
    pub feature: Feature,
    /// The region, on a board where the side moves up.
    pub squares: u64,
    /// The weight of each square in the middlegame, in hundredths of a pawn.
    pub middlegame: i16,
    /// The weight of each square in the endgame, in hundredths of a pawn.
    pub endgame: i16,
}

/// The sum of the phase weights in the start position. Knights, bishops, rooks and queens have the
/// customary weights 1, 1, 2 and 4; the full sum is pure middlegame, 0 is pure endgame.
pub const PHASE: i32 = 24;

/// The bonus for the side to move, in hundredths of a pawn.
pub const TEMPO: i32 = 9;

/// Returns the squares of a file, or of several files, given as bits of the first rank.
const fn files(first_rank: u64) -> u64 {
    first_rank * FILE_A
}

/// The whole board.
const ALL: u64 = !0;
/// The outermost squares.
const RIM: u64 = RANK_1 | RANK_8 | files(0x81);
/// The sixteen squares in the centre of the board.
const CENTRE: u64 = files(0x3c) & (rank(2) | rank(3) | rank(4) | rank(5));
/// The squares of a castled king.
const WINGS: u64 = RANK_1 & files(0xc7);
/// The third rank and beyond, where a king is unsafe in the middlegame.
const AFIELD: u64 = !(rank(0) | rank(1));

const fn term(feature: Feature, squares: u64, middlegame: i16, endgame: i16) -> Term {
    Term { feature, squares, middlegame, endgame }
}

/// All terms, in the order of their features.
pub const TERMS: [Term; 51] = [
    term(Pawns, ALL, 95, 111),
    term(Pawns, rank(3), 6, -6),
    term(Pawns, rank(4), 6, -1),
    term(Pawns, rank(5), 0, 21),
    term(Pawns, rank(6), 34, 46),
    term(Pawns, files(0x18) & (rank(3) | rank(4)), 16, 1),
    term(Pawns, files(0x81), -4, 8),
    term(Knights, ALL, 333, 292),
    term(Knights, CENTRE, 1, 19),
    term(Knights, RIM, -32, -8),
    term(Knights, rank(4) | rank(5), 14, 7),
    term(Bishops, ALL, 343, 330),
    term(Bishops, CENTRE, 0, 6),
    term(Bishops, rank(0), -24, -14),
    term(Rooks, ALL, 421, 565),
    term(Rooks, rank(6), 39, -4),
    term(Rooks, rank(0) & files(0x3c), 15, 6),
    term(Queens, ALL, 1038, 990),
    term(Queens, CENTRE, -13, 25),
    term(Queens, rank(0), -1, -28),
    term(King, WINGS, 37, -18),
    term(King, AFIELD, -36, 32),
    term(King, CENTRE, -33, 8),
    term(King, RIM, -8, -20),
    term(PassedPawns, rank(1), 8, 15),
    term(PassedPawns, rank(2), -29, 22),
    term(PassedPawns, rank(3), 0, 46),
    term(PassedPawns, rank(4), 1, 71),
    term(PassedPawns, rank(5), 52, 96),
    term(PassedPawns, rank(6), 74, 136),
    term(IsolatedPawns, ALL, -6, 1),
    term(IsolatedPawns, files(0x18), -16, -18),
    term(DoubledPawns, ALL, -20, -26),
    term(ProtectedPawns, ALL, 6, 0),
    term(ProtectedPawns, rank(4) | rank(5), 3, 16),
    term(ProtectedMinors, ALL, 2, -4),
    term(ProtectedMinors, rank(3) | rank(4) | rank(5), 13, 18),
    term(BishopPair, ALL, 32, 55),
    term(RooksOnHalfOpenFiles, ALL, 26, 6),
    term(RooksOnOpenFiles, ALL, 18, 2),
    term(KingShield, rank(1), 15, 1),
    term(KingShield, rank(2), 13, -5),
    term(KnightMobility, ALL, 4, 5),
    term(KnightMobility, CENTRE, 4, 4),
    term(DiagonalMobility, ALL, 5, -1),
    term(DiagonalMobility, AFIELD, 2, 5),
    term(OrthogonalMobility, ALL, 4, 0),
    term(OrthogonalMobility, AFIELD, 1, 4),
    term(KingAttack, ALL, 9, -4),
    term(PawnThreats, ALL, 51, 34),
    term(Threats, ALL, 1, 31),
];
