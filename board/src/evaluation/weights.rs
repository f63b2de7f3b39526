//! The weights of the evaluation.
//!
//! Piece values follow those that Larry Kaufman published for average positions (a pawn 1, knight and
//! bishop 3 1/4, rook 5, queen 9 3/4, the pair of bishops 1/2 more); the other numbers are kogge's own.

use super::Feature::{self, *};
use super::{Term, files};
use crate::bits::{RANK_1, RANK_8, rank};

/// Hundredths of a pawn for being to move.
pub const TEMPO: i32 = 10;

/// The whole board.
const ALL: u64 = !0;
/// The outermost squares.
const RIM: u64 = RANK_1 | RANK_8 | files(0x81);
/// The sixteen squares in the middle.
const CENTRE: u64 = files(0x3c) & (rank(2) | rank(3) | rank(4) | rank(5));
/// Where a castled king stands.
const WINGS: u64 = RANK_1 & files(0xc7);
/// The ranks from the third on: no place for a king in the middlegame.
const AFIELD: u64 = !(rank(0) | rank(1));

const fn term(feature: Feature, squares: u64, middlegame: i16, endgame: i16) -> Term {
    Term { feature, squares, middlegame, endgame }
}

/// All terms, in the order of their features.
pub const TERMS: [Term; 51] = [
    term(Pawns, ALL, 92, 110),
    term(Pawns, rank(3), 4, 4),
    term(Pawns, rank(4), 10, 10),
    term(Pawns, rank(5), 16, 20),
    term(Pawns, rank(6), 30, 40),
    term(Pawns, files(0x18) & (rank(3) | rank(4)), 16, 4),
    term(Pawns, files(0x81), -8, -2),
    term(Knights, ALL, 325, 315),
    term(Knights, CENTRE, 12, 10),
    term(Knights, RIM, -18, -14),
    term(Knights, rank(4) | rank(5), 10, 6),
    term(Bishops, ALL, 328, 322),
    term(Bishops, CENTRE, 8, 4),
    term(Bishops, rank(0), -12, -4),
    term(Rooks, ALL, 485, 530),
    term(Rooks, rank(6), 14, 22),
    term(Rooks, rank(0) & files(0x3c), 8, -2),
    term(Queens, ALL, 970, 985),
    term(Queens, CENTRE, 2, 18),
    term(Queens, rank(0), 2, -14),
    term(King, WINGS, 28, -12),
    term(King, AFIELD, -40, 14),
    term(King, CENTRE, -14, 18),
    term(King, RIM, 0, -12),
    term(PassedPawns, rank(1), 2, 12),
    term(PassedPawns, rank(2), 2, 16),
    term(PassedPawns, rank(3), 10, 30),
    term(PassedPawns, rank(4), 28, 52),
    term(PassedPawns, rank(5), 50, 90),
    term(PassedPawns, rank(6), 70, 130),
    term(IsolatedPawns, ALL, -10, -12),
    term(IsolatedPawns, files(0x18), -4, 0),
    term(DoubledPawns, ALL, -8, -18),
    term(ProtectedPawns, ALL, 9, 6),
    term(ProtectedPawns, rank(4) | rank(5), 6, 6),
    term(ProtectedMinors, ALL, 5, 3),
    term(ProtectedMinors, rank(3) | rank(4) | rank(5), 10, 6),
    term(BishopPair, ALL, 35, 52),
    term(RooksOnHalfOpenFiles, ALL, 10, 8),
    term(RooksOnOpenFiles, ALL, 14, 4),
    term(KingShield, rank(1), 12, -2),
    term(KingShield, rank(2), 5, 0),
    term(KnightMobility, ALL, 4, 4),
    term(KnightMobility, CENTRE, 2, 0),
    term(DiagonalMobility, ALL, 4, 4),
    term(DiagonalMobility, AFIELD, 1, 1),
    term(OrthogonalMobility, ALL, 2, 4),
    term(OrthogonalMobility, AFIELD, 1, 1),
    term(KingAttack, ALL, 12, 2),
    term(PawnThreats, ALL, 46, 34),
    term(Threats, ALL, 18, 18),
];
