//! The fills against walks along rays, square by square.

use kogge_board::attacks::{attackers, bishop_attacks, bishop_attacks_from, in_check, rook_attacks, rook_attacks_from};
use kogge_board::{Color, Position, Quad48, Square};
use kogge_testkit::placement;
use proptest::prelude::*;

const ORTHOGONAL: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const KNIGHT: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// Returns the pieces of the colour `by` that attack a square.
fn stepped(position: &Position, square: Square, by: Color, occupied: u64) -> u64 {
    let mut found = 0;
    for (steps, sliders) in [(ORTHOGONAL, position.rooks_queens), (DIAGONAL, position.bishops_queens)] {
        for step in steps {
            let mut ray = std::iter::successors(square.offset(step), |at| at.offset(step));
            let first = ray.find(|at| occupied & at.bit() != 0);
            found |= first.map_or(0, Square::bit) & sliders;
            found |= square.offset(step).map_or(0, Square::bit) & position.kings;
        }
    }
    for step in KNIGHT {
        found |= square.offset(step).map_or(0, Square::bit) & position.knights;
    }
    // A pawn attacks from one rank behind the square, as its side sees the board.
    let behind = if by == Color::White { -1 } else { 1 };
    for file in [-1, 1] {
        found |= square.offset((file, behind)).map_or(0, Square::bit) & position.pawns;
    }
    found & position.of(by) & occupied
}

proptest! {
    #[test]
    fn fills_agree_with_stepping((_, position) in placement()) {
        let packed = Quad48::from(&position);
        for square in (0..64).filter_map(Square::new) {
            let occupied = position.occupied();
            let expected = Color::ALL.map(|by| stepped(&position, square, by, occupied));
            let found = attackers(&packed, square.bit(), !occupied);
            prop_assert_eq!(found, expected[0] | expected[1], "{}", square);
            prop_assert_eq!(Color::ALL.map(|by| position.attackers(square, by, occupied)), expected, "{}", square);
            // Squares may count as empty although a piece stands there, as for a king that leaves its square.
            let fewer = occupied & !position.kings;
            let expected = Color::ALL.map(|by| stepped(&position, square, by, fewer));
            prop_assert_eq!(Color::ALL.map(|by| position.attackers(square, by, fewer)), expected, "{}", square);
            let [slow, slow_diagonal] = [rook_attacks(square.bit(), !occupied), bishop_attacks(square.bit(), !occupied)];
            prop_assert_eq!(rook_attacks_from(square, occupied), slow, "{}", square);
            prop_assert_eq!(bishop_attacks_from(square, occupied), slow_diagonal, "{}", square);
        }
        prop_assert_eq!(in_check(&packed), position.checkers() != 0);
    }
}
