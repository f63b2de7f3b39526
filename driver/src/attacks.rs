//! Attacks on one square, by Kogge-Stone fills: fast enough to test every leaf for check.

use kogge_board::bits::{FILE_A, FILE_H, PAWN_RANKS, RANK_1, RANK_8, file};
use kogge_board::{Color, Quad48};

/// A direction: the rotation of the board to the left by one step, and the squares where a step can land without
/// leaving the board.
type Direction = (u32, u64);

const ORTHOGONAL: [Direction; 4] = [(8, !RANK_1), (56, !RANK_8), (1, !FILE_A), (63, !FILE_H)];
const DIAGONAL: [Direction; 4] =
    [(9, !RANK_1 & !FILE_A), (7, !RANK_1 & !FILE_H), (57, !RANK_8 & !FILE_A), (55, !RANK_8 & !FILE_H)];

/// Returns the squares that a slider on `from` attacks in one direction: the empty squares up to the first blocker, and
/// the blocker.
fn ray(from: u64, occupied: u64, (step, land): Direction) -> u64 {
    let mut free = !occupied & land;
    let mut reached = from;
    reached |= free & reached.rotate_left(step);
    free &= free.rotate_left(step);
    reached |= free & reached.rotate_left(2 * step % 64);
    free &= free.rotate_left(2 * step % 64);
    reached |= free & reached.rotate_left(4 * step % 64);
    reached.rotate_left(step) & land
}

fn rays(from: u64, occupied: u64, directions: &[Direction; 4]) -> u64 {
    directions.iter().fold(0, |attacked, &direction| attacked | ray(from, occupied, direction))
}

/// Returns the squares that a knight on `from` attacks.
fn knight(from: u64) -> u64 {
    let one = from >> 1 & !FILE_H | from << 1 & !FILE_A;
    let two = from >> 2 & !(FILE_H | file(6)) | from << 2 & !(FILE_A | file(1));
    one << 16 | one >> 16 | two << 8 | two >> 8
}

/// Returns the squares where a move must change something to put an unattacked king in check: the squares on all rays
/// from the king, up to and including the first blockers, and the squares a knight's move away.
pub(crate) fn watched(king: u64, occupied: u64) -> u64 {
    rays(king, occupied, &ORTHOGONAL) | rays(king, occupied, &DIAGONAL) | knight(king)
}

/// Returns the pieces of colour `by`, except its king, that attack the king on `king`.
pub(crate) fn attackers(position: &Quad48, king: u64, by: Color, own: u64, occupied: u64) -> u64 {
    let pawns = match by {
        Color::White => king >> 9 & !FILE_H | king >> 7 & !FILE_A,
        Color::Black => king << 9 & !FILE_A | king << 7 & !FILE_H,
    };
    let sliders = rays(king, occupied, &ORTHOGONAL) & position.rooks_queens
        | rays(king, occupied, &DIAGONAL) & position.bishops_queens;
    // Ranks 1 and 8 of the pawn board hold the state, not pawns.
    own & (sliders | knight(king) & position.knights | pawns & position.pawns & PAWN_RANKS)
}

#[cfg(test)]
mod tests {
    use kogge_board::{Position, Square};

    use super::*;

    /// Compares the attacks on every square with the board crate's slow stepping, on boards of varying density.
    #[test]
    fn fills_agree_with_stepping() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for round in 0..2000 {
            let mut occupied = random();
            for _ in 0..round % 4 {
                occupied &= random();
            }
            let (a, b, c) = (random(), random(), random());
            let outer = RANK_1 | RANK_8;
            let position = Position {
                white: occupied & random(),
                pawns: occupied & !a & !b & !outer,
                knights: occupied & a & !b & c,
                bishops_queens: occupied & b & (a | c),
                rooks_queens: occupied & b & (!a | !c),
                ..Position::default()
            };
            let packed = Quad48::from(&position);
            for square in (0..64).filter_map(Square::new) {
                for by in Color::ALL {
                    let found = attackers(&packed, square.bit(), by, position.of(by), position.occupied());
                    assert_eq!(found, position.attackers(square, by, position.occupied()), "{position:x?} {square}");
                    assert_eq!(found & !watched(square.bit(), position.occupied()), 0);
                }
            }
        }
    }
}
