//! The evaluation: what a position is worth without looking ahead, in integers, from bitboards alone.
//!
//! Each side's position is described by a few dozen sets of squares ([`Feature`]): its pawns, its
//! passed pawns, the squares that its rooks can go to, and so on, all found with shifts and masks. A
//! [`Term`] counts the squares of one set within a region of the board and gives each a weight for
//! the middlegame and one for the endgame. The evaluation is the sum of all [`TERMS`], own less
//! theirs, tapered between the two weights by the pieces left on the board ([`PHASE`]).
//!
//! So the whole of it is one table and some twenty sets; another device needs the same sets, the same
//! table, and additions. The ideas are the common ones of chess programming: material, piece-square
//! values, passed, isolated and doubled pawns, open files, the king's shelter, mobility, threats, and
//! tapering. The weights are kogge's own (`weights.rs` says where they come from).

mod weights;

pub use weights::{TEMPO, TERMS};

use crate::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attacks_down, pawn_attacks_up, rook_attacks};
use crate::bits::{FILE_A, NOT_FILE_A, NOT_FILE_H, PAWN_RANKS, flip};
use crate::{Quad48, Score, State};

/// A set of squares that says something about a side. The board is turned so that the side moves up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Feature {
    /// Its pawns.
    Pawns,
    /// Its knights.
    Knights,
    /// Its bishops.
    Bishops,
    /// Its rooks.
    Rooks,
    /// Its queens.
    Queens,
    /// Its king.
    King,
    /// Pawns that no pawn of the other side stands before, on the same file or the next.
    PassedPawns,
    /// Pawns without one of their own on the files beside.
    IsolatedPawns,
    /// Pawns before another of their own on the same file.
    DoubledPawns,
    /// Pawns that a pawn protects.
    ProtectedPawns,
    /// Knights and bishops that a pawn protects.
    ProtectedMinors,
    /// Bishops but for one.
    BishopPair,
    /// Rooks on files without a pawn of their own.
    RooksOnHalfOpenFiles,
    /// Rooks on files without any pawn.
    RooksOnOpenFiles,
    /// Pawns on the two ranks before the king, on its file and those beside.
    KingShield,
    /// Squares that its knights can go to and pawns of the other side do not attack.
    KnightMobility,
    /// The same of bishops and queens along diagonals.
    DiagonalMobility,
    /// The same of rooks and queens along files and ranks.
    OrthogonalMobility,
    /// Squares beside the other side's king that its knights, bishops, rooks and queens attack.
    KingAttack,
    /// Pieces of the other side that its pawns attack.
    PawnThreats,
    /// Men of the other side that its pieces attack and no pawn protects.
    Threats,
}

/// How many features there are.
pub const FEATURES: usize = Feature::Threats as usize + 1;

/// A weight for each square of a set within a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Term {
    /// The set.
    pub feature: Feature,
    /// The region, as the side sees the board.
    pub squares: u64,
    /// Hundredths of a pawn for each square in the middlegame.
    pub middlegame: i16,
    /// The same in the endgame.
    pub endgame: i16,
}

/// What a knight, bishop, rook and queen count for the phase: 1, 1, 2 and 4, as is customary. With
/// [`PHASE`] of them on the board it is all middlegame, with none all endgame.
pub const PHASE: i32 = 24;

/// One side's men, on a board where it moves up.
struct Men {
    pawns: u64,
    knights: u64,
    bishops: u64,
    rooks: u64,
    queens: u64,
    king: u64,
    all: u64,
}

impl Men {
    /// The men of a position that stand on these squares, on a board turned over if asked for.
    #[inline(always)]
    fn of<const TURNED: bool>(position: &Quad48, squares: u64) -> Self {
        let view = |board: u64| if TURNED { flip(board & squares) } else { board & squares };
        let queens = position.bishops_queens & position.rooks_queens;
        Self {
            pawns: view(position.pawns & PAWN_RANKS),
            knights: view(position.knights),
            bishops: view(position.bishops_queens & !queens),
            rooks: view(position.rooks_queens & !queens),
            queens: view(queens),
            king: view(position.kings),
            all: view(squares),
        }
    }

    /// The same men on the board turned over.
    #[inline(always)]
    fn turned(&self) -> Self {
        Self {
            pawns: flip(self.pawns),
            knights: flip(self.knights),
            bishops: flip(self.bishops),
            rooks: flip(self.rooks),
            queens: flip(self.queens),
            king: flip(self.king),
            all: flip(self.all),
        }
    }

    /// The sets of all features, in the order of [`Feature`].
    #[inline(always)]
    fn features(&self, their: &Self) -> [u64; FEATURES] {
        let &Self { pawns, knights, bishops, rooks, queens, king, all } = self;
        let empty = !(all | their.all);
        let beside = |board: u64| board << 1 & NOT_FILE_A | board >> 1 & NOT_FILE_H;
        let files = up(down(pawns));
        let stoppers = down(their.pawns) >> 8;
        let guarded = pawn_attacks_up(pawns);
        let half_open = rooks & !files;
        let before_king = king << 8 | king << 16;

        let hostile = pawn_attacks_down(their.pawns);
        let allowed = !(all | hostile);
        let by_knights = knight_attacks(knights);
        let by_diagonal = bishop_attacks(bishops | queens, empty);
        let by_orthogonal = rook_attacks(rooks | queens, empty);
        let attacked = by_knights | by_diagonal | by_orthogonal;
        [
            pawns,
            knights,
            bishops,
            rooks,
            queens,
            king,
            pawns & !(stoppers | beside(stoppers)),
            pawns & !beside(files),
            pawns & up(pawns) << 8,
            pawns & guarded,
            (knights | bishops) & guarded,
            bishops & bishops.wrapping_sub(1),
            half_open,
            half_open & !up(down(their.pawns)),
            pawns & (before_king | beside(before_king)),
            by_knights & allowed,
            by_diagonal & allowed,
            by_orthogonal & allowed,
            attacked & king_attacks(their.king),
            guarded & their.all & !their.pawns & !their.king,
            attacked & their.all & !their.king & !hostile,
        ]
    }
}

/// All squares from these to the upper end of their files.
#[inline(always)]
const fn up(board: u64) -> u64 {
    let board = board | board << 8;
    let board = board | board << 16;
    board | board << 32
}

/// All squares from these to the lower end of their files.
#[inline(always)]
const fn down(board: u64) -> u64 {
    let board = board | board >> 8;
    let board = board | board >> 16;
    board | board >> 32
}

/// The sets of all features, in the order of [`Feature`], of white and of black, each as it sees the board.
#[inline(always)]
pub fn features(position: &Quad48) -> [[u64; FEATURES]; 2] {
    let occupied = position.pawns & PAWN_RANKS
        | position.knights
        | position.bishops_queens
        | position.rooks_queens
        | position.kings;
    let white = Men::of::<false>(position, position.white);
    let black = Men::of::<true>(position, occupied & !position.white);
    [white.features(&black.turned()), black.features(&white.turned())]
}

/// What the position is worth to the side to move, without looking ahead.
///
/// Mates and draws by the rules are not looked for, but that neither side can ever mate with a lone
/// knight or bishop is known: that is a draw.
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

/// The squares of a file, or of the eight ranks that these bits of the first rank stand for.
const fn files(first_rank: u64) -> u64 {
    first_rank * FILE_A
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Fen;
    use crate::testing::placement;

    fn of_white(fen: &str) -> [u64; FEATURES] {
        let fen: Fen = fen.parse().unwrap();
        features(&Quad48::from(&fen.position))[0]
    }

    #[track_caller]
    fn assert_feature(fen: &str, feature: Feature, squares: &[&str]) {
        let expected = squares.iter().map(|square| square.parse::<crate::Square>().unwrap().bit());
        let expected = expected.fold(0, |board, bit| board | bit);
        let found = of_white(fen)[feature as usize];
        assert_eq!(found, expected, "{feature:?} of {fen}: {found:#x}");
    }

    #[test]
    fn pawns() {
        let fen = "4k3/p1p5/4p3/1P6/4P2P/2P5/2P3P1/4K3 w - - 0 1";
        assert_feature(fen, Feature::PassedPawns, &["g2", "h4"]);
        assert_feature(fen, Feature::IsolatedPawns, &["e4"]);
        assert_feature(fen, Feature::DoubledPawns, &["c3"]);
        assert_feature("4k3/8/8/8/3PN3/4PP2/8/4K3 w - - 0 1", Feature::ProtectedPawns, &["d4"]);
        assert_feature("4k3/8/8/8/3PN3/4PP2/8/4K3 w - - 0 1", Feature::ProtectedMinors, &["e4"]);
    }

    #[test]
    fn pieces() {
        let fen = "4k3/p6p/8/8/8/8/P6p/RR1BBKB1 w - - 0 1";
        assert_feature(fen, Feature::RooksOnHalfOpenFiles, &["b1"]);
        assert_feature(
            "4k3/7p/8/8/8/8/8/R6R w - - 0 1".replace("R6R", "R3K2R").as_str(),
            Feature::RooksOnOpenFiles,
            &["a1"],
        );
        assert_feature(fen, Feature::BishopPair, &["e1", "g1"]);
        assert_feature("4k3/8/8/8/4P3/6PP/5P1P/6K1 w - - 0 1", Feature::KingShield, &["f2", "h2", "g3", "h3"]);
        assert_feature("4k3/8/8/3p4/8/8/8/1N2K3 w - - 0 1", Feature::KnightMobility, &["a3", "c3", "d2"]);
        assert_feature(
            "4k3/8/4p3/8/3P4/2B5/8/4K3 w - - 0 1",
            Feature::DiagonalMobility,
            &["a1", "b2", "d2", "b4", "a5"],
        );
        assert_feature("4k3/8/8/8/8/1R6/8/4K3 w - - 0 1", Feature::KingAttack, &[]);
        assert_feature("4k3/1R6/8/8/8/8/8/4K3 w - - 0 1", Feature::KingAttack, &["d7", "e7", "f7"]);
        assert_feature("4k3/8/3nnp2/4P3/8/8/8/4K3 w - - 0 1", Feature::PawnThreats, &["d6"]);
        assert_feature("4k3/2p5/3n1p2/8/8/8/8/3R1RK1 w - - 0 1", Feature::Threats, &["f6"]);
    }

    #[test]
    fn a_lone_minor_piece_cannot_mate() {
        for (fen, is_draw) in [
            ("4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", true),
            ("4k1b1/8/8/8/8/8/8/4K3 w - - 0 1", true),
            ("4k3/8/8/8/8/8/8/4K3 b - - 0 1", true),
            ("4k3/8/8/8/8/8/8/4KBN1 w - - 0 1", false),
            ("4k3/8/8/8/8/8/P7/4K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", false),
        ] {
            let fen: Fen = fen.parse().unwrap();
            assert_eq!(evaluate(&Quad48::from(&fen.position)) == Score::DRAW, is_draw, "{fen}");
        }
    }

    #[test]
    fn terms_are_in_order_and_meet_the_board() {
        assert!(TERMS.iter().all(|term| term.squares != 0));
        assert!(TERMS.is_sorted_by_key(|term| term.feature as u8));
        for feature in 0..FEATURES {
            assert!(TERMS.iter().any(|term| term.feature as usize == feature), "feature {feature} has a weight");
        }
    }

    proptest! {
        /// What is good for one side is as good for the other with colours exchanged.
        #[test]
        fn colours_are_equal((_, position) in placement()) {
            let mirrored = Quad48::from(&position.mirrored());
            prop_assert_eq!(evaluate(&Quad48::from(&position)), evaluate(&mirrored));
        }

        /// The side to move sees the opposite of what the other would, but for the tempo.
        #[test]
        fn sides_see_the_opposite((_, position) in placement()) {
            let mut other = position;
            other.state = position.state.with_turn(position.turn().opposite());
            let [here, there] = [position, other].map(|position| evaluate(&Quad48::from(&position)));
            if here != Score::DRAW {
                prop_assert_eq!(here.value() - TEMPO, -(there.value() - TEMPO));
            }
        }

        /// Every word of 64 bits is a set of squares: nothing overflows.
        #[test]
        fn no_words_overflow(words in any::<[u64; 6]>()) {
            let [white, pawns, knights, bishops_queens, rooks_queens, kings] = words;
            let found = evaluate(&Quad48 { white, pawns, knights, bishops_queens, rooks_queens, kings });
            prop_assert!(found.value().abs() <= Score::MOST_CENTIPAWNS);
        }
    }
}
