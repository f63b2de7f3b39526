//! The evaluation, with a position in every lane.
//!
//! It uses the sets and the table of [`kogge_board::evaluation`], and adds two facts that minimax needs about a leaf:
//! whether the side to move is in check, and whether it certainly has a legal move.

use kogge_board::bits::PAWN_RANKS;
use kogge_board::evaluation::{Men, PHASE, PieceAttacks, TEMPO, TERMS};
use kogge_board::{Quad48, Score, State};

use super::fill::{NORTH, Rays, Slides, king_attacks, knight_attacks, pawn_attacks_up};
use super::vector::{Lanes, MOST_LANES};

/// The value of a position and facts about it, without looking ahead.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct LeafEvaluation {
    /// The value to the side to move.
    pub(crate) value: i32,
    pub(crate) is_check: bool,
    /// Whether the side to move is not in check and has a legal move that can be found without regard to pins. If this is
    /// false, the side may still have a legal move.
    pub(crate) has_moves: bool,
}

/// Returns the squares that the pieces attack, by Kogge-Stone fills.
#[inline(always)]
fn piece_attacks<L: Lanes>(men: &Men<L>, empty: L) -> PieceAttacks<L> {
    let rays = Slides::new(empty).attacks(men.rooks | men.queens, men.bishops | men.queens);
    PieceAttacks { knights: knight_attacks(men.knights), diagonal: rays.diagonal(), orthogonal: rays.orthogonal() }
}

/// Returns the bits of `first` where the mask is set, and the bits of `second` elsewhere.
#[inline(always)]
fn select<L: Lanes>(mask: L, first: L, second: L) -> L {
    first & mask | second.without(mask)
}

/// Returns the targets of some legal moves of a side that is not in check: steps of the king, and moves of pawns and
/// knights that the king does not see and that therefore cannot be pinned.
#[inline(always)]
fn moves_at_sight<L: Lanes>(own: &Men<L>, occupied: L, hostile: L) -> L {
    let Men { king, .. } = *own;
    let Rays { north, south, east, west, north_east, north_west, south_east, south_west } =
        Slides::new(!occupied).attacks(king, king);
    let seen = north | south | east | west | north_east | north_west | south_east | south_west;
    own.pawns.without(seen).shift::<NORTH>().without(occupied)
        | knight_attacks(own.knights.without(seen)).without(own.all)
        | king_attacks(king).without(own.all | hostile)
}

/// Appends the evaluation of each position.
#[inline(always)]
pub(crate) fn evaluate<L: Lanes>(positions: &[Quad48], out: &mut Vec<LeafEvaluation>) {
    let mut first = 0;
    while first < positions.len() {
        let len = L::LANES.min(positions.len() - first);
        let mut boards = [[0; MOST_LANES]; 6];
        for lane in 0..len {
            let Quad48 { white, pawns, knights, bishops_queens, rooks_queens, kings } = positions[first + lane];
            boards[0][lane] = white;
            boards[1][lane] = pawns;
            boards[2][lane] = knights;
            boards[3][lane] = bishops_queens;
            boards[4][lane] = rooks_queens;
            boards[5][lane] = kings;
        }
        let evaluated = evaluate_register::<L>(&boards);
        out.extend_from_slice(&evaluated[..len]);
        first += len;
    }
}

/// Evaluates the positions of one register, given as the six boards of [`Quad48`].
#[inline(always)]
fn evaluate_register<L: Lanes>(boards: &[[u64; MOST_LANES]; 6]) -> [LeafEvaluation; MOST_LANES] {
    let [white_men, pawns, knights, bishops_queens, rooks_queens, kings] =
        [0, 1, 2, 3, 4, 5].map(|board| L::load(&boards[board]));
    let black_to_move = (pawns & L::splat(State::BLACK as u64)).nonzero();
    let pawns = pawns & L::splat(PAWN_RANKS);
    let occupied = pawns | knights | bishops_queens | rooks_queens | kings;
    let empty = !occupied;
    let white = Men::new(pawns, knights, bishops_queens, rooks_queens, kings, white_men);
    let black_as_white = Men::new(pawns, knights, bishops_queens, rooks_queens, kings, occupied.without(white_men));
    let (white_as_black, black) = (white.flipped(), black_as_white.flipped());
    let (white_pieces, black_pieces) = (piece_attacks(&white, empty), piece_attacks(&black, empty.flip()));
    let white_features = white.features(&black_as_white, &white_pieces);
    let black_features = black.features(&white_as_black, &black_pieces);

    // Weights may be negative, so only the lower half is used, modulo 2^32.
    let lower = L::splat(u64::from(u32::MAX));
    let (mut middlegame, mut endgame) = (L::splat(0), L::splat(0));
    for index in 0..TERMS.len() {
        let term = &TERMS[index];
        let squares = L::splat(term.squares);
        let own = (white_features[term.feature as usize] & squares).popcount();
        let their = (black_features[term.feature as usize] & squares).popcount();
        let more = own.sub(their) & lower;
        middlegame = middlegame.add(more.mul(L::splat(u64::from(term.middlegame as u32))));
        endgame = endgame.add(more.mul(L::splat(u64::from(term.endgame as u32))));
    }
    let queens = bishops_queens & rooks_queens;
    let minors = (knights | bishops_queens.without(queens)).popcount();
    let rooks = rooks_queens.without(queens).popcount();
    let majors = rooks.add(rooks).add(queens.popcount().mul(L::splat(4)));

    let own = Men {
        pawns: select(black_to_move, black.pawns, white.pawns),
        knights: select(black_to_move, black.knights, white.knights),
        king: select(black_to_move, black.king, white.king),
        all: select(black_to_move, black.all, white.all),
        ..white
    };
    let their_king = select(black_to_move, white_as_black.king, black_as_white.king);
    let white_attacks = white_pieces.all() | pawn_attacks_up(white.pawns);
    let black_attacks = black_pieces.all() | pawn_attacks_up(black.pawns);
    let hostile = select(black_to_move, white_attacks, black_attacks).flip();
    let occupied = select(black_to_move, occupied.flip(), occupied);
    let checks = hostile & own.king;
    let moves = moves_at_sight(&own, occupied, hostile | king_attacks(their_king));

    let mut words = [[0; MOST_LANES]; 6];
    middlegame.store(&mut words[0]);
    endgame.store(&mut words[1]);
    minors.store(&mut words[2]);
    majors.store(&mut words[3]);
    pawns.store(&mut words[4]);
    black_to_move.store(&mut words[5]);
    let (checks, moves) = (checks.nonzero_lanes(), moves.nonzero_lanes());
    let mut evaluated = [LeafEvaluation::default(); MOST_LANES];
    for lane in 0..L::LANES {
        let (minors, majors) = (words[2][lane] as i32, words[3][lane] as i32);
        let phase = (minors + majors).min(PHASE);
        let score = (words[0][lane] as i32 * phase + words[1][lane] as i32 * (PHASE - phase)) / PHASE;
        let score = if words[5][lane] != 0 { -score } else { score } + TEMPO;
        let is_drawn = minors <= 1 && majors == 0 && words[4][lane] == 0;
        let is_check = checks >> lane & 1 != 0;
        evaluated[lane] = LeafEvaluation {
            value: if is_drawn { 0 } else { Score::centipawns(score).value() },
            is_check,
            has_moves: !is_check && moves >> lane & 1 != 0,
        };
    }
    evaluated
}

#[cfg(test)]
mod tests {
    use kogge_board::attacks::in_check;
    use kogge_board::{Fen, evaluate};
    use kogge_testkit::placement;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use crate::lanes::code::Code;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn lanes_evaluate_as_one_position_alone(placements in vec(placement(), 1..20)) {
            let positions: Vec<_> = placements.iter().map(|(_, position)| Quad48::from(position)).collect();
            for code in Code::usable() {
                let mut evaluated = Vec::new();
                code.evaluate_all(&positions, &mut evaluated);
                prop_assert_eq!(evaluated.len(), positions.len());
                for ((rules, _), (position, found)) in placements.iter().zip(positions.iter().zip(evaluated)) {
                    let fen = Fen::new(position.unpack_unchecked(), *rules);
                    prop_assert_eq!(found.value, evaluate(position).value(), "{} by {}", fen, code.name);
                    prop_assert_eq!(found.is_check, in_check(position), "{} by {}", fen, code.name);
                    prop_assert!(!found.has_moves || code.count(rules, position) > 0, "{} by {}", fen, code.name);
                }
            }
        }
    }

    #[test]
    fn most_positions_have_moves_at_sight() {
        let fen: Fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap();
        let mut positions = Vec::new();
        for code in Code::usable() {
            code.expand(&fen.rules, &Quad48::from(&fen.position), &mut positions);
            let mut evaluated = Vec::new();
            code.evaluate_all(&positions, &mut evaluated);
            let unclear = evaluated.iter().filter(|evaluated| !evaluated.has_moves && !evaluated.is_check).count();
            assert_eq!(unclear, 0, "{}", code.name);
        }
    }
}
