//! The evaluation: the value of a position without looking ahead, in integers, from bitboards alone.
//!
//! A few dozen sets of squares ([`Feature`]) describe each side's position: its pawns, its passed pawns, the squares
//! that its rooks can go to, and so on, all computed with shifts and masks. A [`Term`] counts the squares of one set
//! within a region of the board and gives each a weight for the middlegame and one for the endgame. The evaluation is
//! the sum of all [`TERMS`] of one side minus the other's, tapered between the two weights by the pieces left on the
//! board ([`PHASE`]).
//!
//! To port the evaluation to another device, it is enough to port one table and 21 sets. The ideas are common in chess
//! programming: material, piece-square values, passed, isolated and doubled pawns, open files, the king's shelter,
//! mobility, threats, and tapering. The weights are kogge's own; `weights.rs` explains where they come from.

mod features;
pub mod minimax;
mod weights;

pub use features::{Boards, FEATURES, Feature, Men, PieceAttacks};
pub use weights::{PHASE, TEMPO, TERMS, Term};

use crate::attacks::{bishop_attacks, knight_attacks, rook_attacks};
use crate::bits::{PAWN_RANKS, flip};
use crate::{Quad48, Score, State};

/// Returns the sets of all features, in the order of [`Feature`], for white and for black, each on a board where that
/// side moves up.
#[inline(always)]
pub fn features(position: &Quad48) -> [[u64; FEATURES]; 2] {
    let &Quad48 { white, knights, bishops_queens, rooks_queens, kings, .. } = position;
    let pawns = position.pawns & PAWN_RANKS;
    let occupied = pawns | knights | bishops_queens | rooks_queens | kings;
    let men = |squares| Men::new(pawns, knights, bishops_queens, rooks_queens, kings, squares);
    let (white, black) = (men(white), men(occupied & !white));
    let (white_flipped, black_flipped) = (white.flipped(), black.flipped());
    let attacks = |men: &Men<u64>, empty| PieceAttacks {
        knights: knight_attacks(men.knights),
        diagonal: bishop_attacks(men.bishops | men.queens, empty),
        orthogonal: rook_attacks(men.rooks | men.queens, empty),
    };
    let white_attacks = attacks(&white, !occupied);
    let black_attacks = attacks(&black_flipped, !flip(occupied));
    [white.features(&black, &white_attacks), black_flipped.features(&white_flipped, &black_attacks)]
}

/// Returns the value of a position to the side to move, without looking ahead.
///
/// It does not look for mates or draws by the rules, except that a lone knight or bishop, which can never mate, is a
/// draw.
///
/// ```
/// use kogge_board::{Fen, Quad48, Score, evaluate, evaluation::TEMPO};
/// assert_eq!(evaluate(&Quad48::from(&Fen::start().position)), Score::centipawns(TEMPO));
/// ```
#[inline(always)]
pub fn evaluate(position: &Quad48) -> Score {
    let [white, black] = features(position);
    let pieces =
        |feature: Feature| (white[feature as usize].count_ones() + black[feature as usize].count_ones()) as i32;
    let minors = pieces(Feature::Knights) + pieces(Feature::Bishops);
    let majors = 2 * pieces(Feature::Rooks) + 4 * pieces(Feature::Queens);
    if minors <= 1 && majors == 0 && pieces(Feature::Pawns) == 0 {
        return Score::DRAW;
    }
    let (mut middlegame, mut endgame) = (0, 0);
    for term in &TERMS {
        let own = (white[term.feature as usize] & term.squares).count_ones();
        let their = (black[term.feature as usize] & term.squares).count_ones();
        let more = own as i32 - their as i32;
        middlegame += more * term.middlegame as i32;
        endgame += more * term.endgame as i32;
    }
    let phase = (minors + majors).min(PHASE);
    // The division rounds towards zero, so that both sides see the same value.
    let score = (middlegame * phase + endgame * (PHASE - phase)) / PHASE;
    let black_to_move = position.pawns & u64::from(State::BLACK) != 0;
    Score::centipawns(if black_to_move { -score } else { score } + TEMPO)
}
