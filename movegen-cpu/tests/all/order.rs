//! The generator's order: captures first, most valuable victim first, least valuable attacker first.

use std::collections::HashSet;

use kogge_board::{Move, MoveKind, Piece, Position, Quad48, Rules};
use kogge_movegen_cpu::expand;
use kogge_testkit::placement;
use proptest::prelude::*;

/// Returns the rank of a move: victim descending, attacker ascending; quiet moves last.
fn rank(position: &Position, played: Move) -> (u8, u8) {
    let kind = |square| position.piece_at(square).map_or(Piece::Pawn, |(_, piece)| piece) as u8;
    match (played.is_capture(), played.kind()) {
        (false, _) => (u8::MAX, 0),
        (true, MoveKind::EnPassant) => (Piece::King as u8 - Piece::Pawn as u8, Piece::Pawn as u8),
        (true, _) => (Piece::King as u8 - kind(played.to()), kind(played.from())),
    }
}

fn moves(rules: &Rules, position: &Position) -> Vec<Move> {
    let mut successors = Vec::new();
    expand(rules, &Quad48::from(position), &mut successors);
    successors
        .iter()
        .map(|child| {
            Move::between(rules, position, &child.unpack(rules).unwrap()).expect("a successor is one move away")
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn successors_come_in_mvv_lva_order((rules, position) in placement()) {
        let moves = moves(&rules, &position);
        let ranks: Vec<_> = moves.iter().map(|&played| rank(&position, played)).collect();
        prop_assert!(ranks.is_sorted(), "{moves:?} {ranks:?}");
        let distinct: HashSet<_> = moves.iter().map(|played| played.bits()).collect();
        prop_assert_eq!(distinct.len(), moves.len());
    }

    /// Every successor is legal (checked by `unpack` in `moves`), and the mirrored position has the mirrored successors
    /// in the same order.
    #[test]
    fn colours_are_alike((rules, position) in placement()) {
        let [a, b, c, d] = rules.castling_files;
        let flipped = Rules { castling_files: [c, d, a, b], ..rules };
        let mirror = |played: Move| Move::new(played.from().flip(), played.to().flip(), played.kind());
        let expected: Vec<_> = moves(&rules, &position).into_iter().map(mirror).collect();
        prop_assert_eq!(moves(&flipped, &position.mirrored()), expected);
    }
}
