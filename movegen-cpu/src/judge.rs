//! The evaluation, a position in every lane.
//!
//! The same sets and the same table as [`kogge_board::evaluation`], and what else minimax asks of a leaf: whether it is
//! check, and whether it certainly has a legal move.

use kogge_board::bits::{NOT_FILE_A, NOT_FILE_H, PAWN_RANKS};
use kogge_board::evaluation::{FEATURES, PHASE, TEMPO, TERMS};
use kogge_board::{Quad48, Score, State};

use crate::fill::{
    EAST, NORTH, Rays, SOUTH, Slides, WEST, king_attacks, knight_attacks, pawn_attacks_down, pawn_attacks_up,
};
use crate::word::{MOST_LANES, Word};

/// What is known of a position without looking ahead.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Judgement {
    /// What it is worth to the side to move.
    pub(crate) value: i32,
    pub(crate) is_check: bool,
    /// Whether there is a legal move that can be seen without looking for pins, and no check. Without, there may be one or
    /// not.
    pub(crate) has_moves: bool,
}

/// One side's men, on a board where it moves up.
#[derive(Clone, Copy)]
struct Men<W> {
    pawns: W,
    knights: W,
    bishops: W,
    rooks: W,
    queens: W,
    king: W,
    all: W,
}

impl<W: Word> Men<W> {
    /// The same men on the board turned over.
    #[inline(always)]
    fn turned(&self) -> Self {
        Self {
            pawns: self.pawns.flip(),
            knights: self.knights.flip(),
            bishops: self.bishops.flip(),
            rooks: self.rooks.flip(),
            queens: self.queens.flip(),
            king: self.king.flip(),
            all: self.all.flip(),
        }
    }

    /// All that the pieces attack.
    #[inline(always)]
    fn attacks(&self, empty: W) -> [W; 3] {
        let rays = Slides::new(empty).attacks(self.rooks | self.queens, self.bishops | self.queens);
        [knight_attacks(self.knights), rays.diagonal(), rays.orthogonal()]
    }

    /// The sets of all features, in the order of `Feature`, and what all men but the king attack.
    #[inline(always)]
    fn features(&self, their: &Self) -> ([W; FEATURES], W) {
        let &Self { pawns, knights, bishops, rooks, queens, king, all } = self;
        let files = up(down(pawns));
        let stoppers = down(their.pawns).shift::<SOUTH>();
        let guarded = pawn_attacks_up(pawns);
        let half_open = rooks.without(files);
        let before_king = king.shift::<NORTH>() | king.shift::<{ 2 * NORTH }>();

        let hostile = pawn_attacks_down(their.pawns);
        let allowed = !(all | hostile);
        let [by_knights, by_diagonal, by_orthogonal] = self.attacks(!(all | their.all));
        let attacked = by_knights | by_diagonal | by_orthogonal;
        let features = [
            pawns,
            knights,
            bishops,
            rooks,
            queens,
            king,
            pawns.without(stoppers | beside(stoppers)),
            pawns.without(beside(files)),
            pawns & up(pawns).shift::<NORTH>(),
            pawns & guarded,
            (knights | bishops) & guarded,
            bishops & bishops.sub(W::splat(1)),
            half_open,
            half_open.without(up(down(their.pawns))),
            pawns & (before_king | beside(before_king)),
            by_knights & allowed,
            by_diagonal & allowed,
            by_orthogonal & allowed,
            attacked & king_attacks(their.king).without(their.king),
            guarded & their.all.without(their.pawns | their.king),
            attacked & their.all.without(their.king | hostile),
        ];
        (features, attacked | guarded)
    }
}

/// All squares from these to the upper end of their files.
#[inline(always)]
fn up<W: Word>(board: W) -> W {
    let board = board | board.shift::<8>();
    let board = board | board.shift::<16>();
    board | board.shift::<32>()
}

/// All squares from these to the lower end of their files.
#[inline(always)]
fn down<W: Word>(board: W) -> W {
    let board = board | board.shift::<-8>();
    let board = board | board.shift::<-16>();
    board | board.shift::<-32>()
}

/// The squares on the files beside.
#[inline(always)]
fn beside<W: Word>(board: W) -> W {
    board.shift::<EAST>() & W::splat(NOT_FILE_A) | board.shift::<WEST>() & W::splat(NOT_FILE_H)
}

/// Where the mask is set, the first, elsewhere the second.
#[inline(always)]
fn select<W: Word>(mask: W, first: W, second: W) -> W {
    first & mask | second.without(mask)
}

/// A legal move of a side that is not in check, if one can be seen: a step of a pawn or a leap of a knight that the king
/// does not see, or a step of the king.
#[inline(always)]
fn moves_at_sight<W: Word>(own: &Men<W>, occupied: W, hostile: W) -> W {
    let Men { king, .. } = *own;
    let Rays { north, south, east, west, north_east, north_west, south_east, south_west } =
        Slides::new(!occupied).attacks(king, king);
    let seen = north | south | east | west | north_east | north_west | south_east | south_west;
    own.pawns.without(seen).shift::<NORTH>().without(occupied)
        | knight_attacks(own.knights.without(seen)).without(own.all)
        | king_attacks(king).without(own.all | hostile)
}

/// Appends what is known of each position.
#[inline(always)]
pub(crate) fn judge<W: Word>(positions: &[Quad48], out: &mut Vec<Judgement>) {
    let mut first = 0;
    while first < positions.len() {
        let len = W::LANES.min(positions.len() - first);
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
        let judgements = judge_register::<W>(&boards);
        out.extend_from_slice(&judgements[..len]);
        first += len;
    }
}

/// The same of the positions of one register, given as the six boards of [`Quad48`].
#[inline(always)]
fn judge_register<W: Word>(boards: &[[u64; MOST_LANES]; 6]) -> [Judgement; MOST_LANES] {
    let [white_men, pawns, knights, bishops_queens, rooks_queens, kings] =
        [0, 1, 2, 3, 4, 5].map(|board| W::load(&boards[board]));
    let black_to_move = (pawns & W::splat(State::BLACK as u64)).nonzero();
    let pawns = pawns & W::splat(PAWN_RANKS);
    let occupied = pawns | knights | bishops_queens | rooks_queens | kings;
    let queens = bishops_queens & rooks_queens;
    macro_rules! men {
        ($squares:expr) => {
            Men {
                pawns: pawns & $squares,
                knights: knights & $squares,
                bishops: bishops_queens.without(queens) & $squares,
                rooks: rooks_queens.without(queens) & $squares,
                queens: queens & $squares,
                king: kings & $squares,
                all: $squares,
            }
        };
    }
    let (white, black_as_white) = (men!(white_men), men!(occupied.without(white_men)));
    let (white_as_black, black) = (white.turned(), black_as_white.turned());
    let (white_features, white_attacks) = white.features(&black_as_white);
    let (black_features, black_attacks) = black.features(&white_as_black);

    // Weights may be negative: what counts is the lower half, modulo 2^32.
    let lower = W::splat(u64::from(u32::MAX));
    let (mut middlegame, mut endgame) = (W::splat(0), W::splat(0));
    for index in 0..TERMS.len() {
        let term = &TERMS[index];
        let squares = W::splat(term.squares);
        let own = (white_features[term.feature as usize] & squares).popcount();
        let their = (black_features[term.feature as usize] & squares).popcount();
        let more = own.sub(their) & lower;
        middlegame = middlegame.add(more.mul(W::splat(u64::from(term.middlegame as u32))));
        endgame = endgame.add(more.mul(W::splat(u64::from(term.endgame as u32))));
    }
    let minors = (knights | bishops_queens.without(queens)).popcount();
    let rooks = rooks_queens.without(queens).popcount();
    let majors = rooks.add(rooks).add(queens.popcount().mul(W::splat(4)));

    let own = Men {
        pawns: select(black_to_move, black.pawns, white.pawns),
        knights: select(black_to_move, black.knights, white.knights),
        king: select(black_to_move, black.king, white.king),
        all: select(black_to_move, black.all, white.all),
        ..white
    };
    let their_king = select(black_to_move, white_as_black.king, black_as_white.king);
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
    let mut judgements = [Judgement::default(); MOST_LANES];
    for lane in 0..W::LANES {
        let (minors, majors) = (words[2][lane] as i32, words[3][lane] as i32);
        let phase = (minors + majors).min(PHASE);
        let score = (words[0][lane] as i32 * phase + words[1][lane] as i32 * (PHASE - phase)) / PHASE;
        let score = if words[5][lane] != 0 { -score } else { score } + TEMPO;
        let is_drawn = minors <= 1 && majors == 0 && words[4][lane] == 0;
        let is_check = checks >> lane & 1 != 0;
        judgements[lane] = Judgement {
            value: if is_drawn { 0 } else { Score::centipawns(score).value() },
            is_check,
            has_moves: !is_check && moves >> lane & 1 != 0,
        };
    }
    judgements
}

#[cfg(test)]
mod tests {
    use kogge_board::attacks::in_check;
    use kogge_board::testing::placement;
    use kogge_board::{Fen, evaluate};
    use proptest::collection::vec;
    use proptest::prelude::*;

    use crate::code::Code;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn lanes_judge_as_the_evaluation_does(placements in vec(placement(), 1..20)) {
            let positions: Vec<_> = placements.iter().map(|(_, position)| Quad48::from(position)).collect();
            for code in Code::usable() {
                let mut judgements = Vec::new();
                code.judge(&positions, &mut judgements);
                prop_assert_eq!(judgements.len(), positions.len());
                for ((rules, _), (position, found)) in placements.iter().zip(positions.iter().zip(judgements)) {
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
            let mut judgements = Vec::new();
            code.judge(&positions, &mut judgements);
            let unclear = judgements.iter().filter(|judgement| !judgement.has_moves && !judgement.is_check).count();
            assert_eq!(unclear, 0, "{}", code.name);
        }
    }
}
