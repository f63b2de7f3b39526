//! A position from the view of the side to move, and the limits of its moves.
//!
//! The board is flipped so that the side to move always moves up; both colours share one code path.

use kogge_board::bits::{PAWN_RANKS, flip};
use kogge_board::{Quad48, Rules, State};

use super::fill::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, Rays, SOUTH, SOUTH_EAST, SOUTH_WEST, Slides, WEST, king_attacks,
    knight_attacks, pawn_attacks_down, pawn_attacks_up, step,
};
use super::vector::{Lanes, and_each};

/// Positions, flipped if necessary so that the side to move moves up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<L> {
    /// Pieces of the side to move.
    pub(crate) own: L,
    /// Pieces of the other side.
    pub(crate) their: L,
    /// Empty squares.
    pub(crate) empty: L,
    /// Pawns of both sides.
    pub(crate) pawns: L,
    /// Knights of both sides.
    pub(crate) knights: L,
    /// Bishops and queens of both sides.
    pub(crate) bishops_queens: L,
    /// Rooks and queens of both sides.
    pub(crate) rooks_queens: L,
    /// Both kings.
    pub(crate) kings: L,
    /// The square where an en-passant capture lands, if any.
    pub(crate) en_passant: L,
    /// The rooks of both sides that may castle.
    pub(crate) castling_rooks: L,
}

impl Frame<u64> {
    /// Reads a position with black (`BLACK`) or white to move.
    #[inline(always)]
    pub(crate) fn new<const BLACK: bool>(rules: &Rules, position: &Quad48) -> Self {
        let view = |board: u64| if BLACK { flip(board) } else { board };
        let state = position.state();
        let pawns = view(position.pawns & PAWN_RANKS);
        let (knights, kings) = (view(position.knights), view(position.kings));
        let (bishops_queens, rooks_queens) = (view(position.bishops_queens), view(position.rooks_queens));
        let occupied = pawns | knights | bishops_queens | rooks_queens | kings;
        let white = view(position.white) & occupied;
        let (own, their) = if BLACK { (occupied ^ white, white) } else { (white, occupied ^ white) };
        let en_passant = match state.0 & State::EN_PASSANT_FLAG {
            0 => 0,
            _ => 1 << (40 + (state.0 >> 5 & 7)),
        };
        let mut castling_rooks = 0;
        if state.0 & State::CASTLING != 0 {
            for (right, rook) in rules.castling_rooks().into_iter().enumerate() {
                castling_rooks |= rook & 0_u64.wrapping_sub(u64::from(state.0 >> (1 + right) & 1));
            }
        }
        Self {
            own,
            their,
            empty: !occupied,
            pawns,
            knights,
            bishops_queens,
            rooks_queens,
            kings,
            en_passant,
            castling_rooks: view(castling_rooks),
        }
    }

    /// Reads a position with either side to move.
    #[inline(always)]
    pub(crate) fn of(rules: &Rules, position: &Quad48) -> Self {
        match position.pawns & u64::from(State::BLACK) {
            0 => Self::new::<false>(rules, position),
            _ => Self::new::<true>(rules, position),
        }
    }
}

impl<L: Lanes> Frame<L> {
    /// Returns the position with the other side to move, seen by this side, without en passant.
    #[inline(always)]
    #[must_use]
    pub(crate) fn flipped(&self) -> Self {
        Self {
            own: self.their.flip(),
            their: self.own.flip(),
            empty: self.empty.flip(),
            pawns: self.pawns.flip(),
            knights: self.knights.flip(),
            bishops_queens: self.bishops_queens.flip(),
            rooks_queens: self.rooks_queens.flip(),
            kings: self.kings.flip(),
            en_passant: L::splat(0),
            castling_rooks: self.castling_rooks.flip(),
        }
    }

    /// Returns a nonzero board if pieces of `their` would attack a king on `king`, with `empty` squares.
    #[inline(always)]
    pub(crate) fn attackers(&self, king: L, empty: L, their: L) -> L {
        let sight = Slides::new(empty).attacks(king, king);
        let hits = sight.orthogonal() & self.rooks_queens
            | sight.diagonal() & self.bishops_queens
            | knight_attacks(king) & self.knights
            | pawn_attacks_up(king) & self.pawns;
        hits & their
    }
}

/// The limits of the moves of the side to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<L> {
    /// Squares where the king cannot go.
    pub(crate) danger: L,
    /// Pieces of the side to move that are pinned on the king's file, rank, a1-h8 diagonal and h1-a8 diagonal.
    pub(crate) pinned_on: [L; 4],
    /// All pinned pieces of the side to move.
    pub(crate) pinned: L,
    /// Squares where pieces other than the king may go: all squares, or in check, the squares where they end the check.
    pub(crate) evasion: L,
    /// All bits set where the side to move is in check.
    pub(crate) check: L,
}

/// Indices of the axes in [`Limits::pinned_on`].
pub(crate) const FILE: usize = 0;
pub(crate) const RANK: usize = 1;
pub(crate) const DIAGONAL: usize = 2;
pub(crate) const ANTIDIAGONAL: usize = 3;

impl<L: Lanes> Limits<L> {
    /// Finds attacks, pins and checks.
    ///
    /// A piece is pinned on an axis if the king sees it in one direction and an enemy slider sees it from the opposite
    /// direction. Other pieces can end a check along a ray exactly on the squares that the king sees on this ray, and
    /// the king may not go to the square behind itself on the ray; a second check forbids all moves except the king's.
    #[inline(always)]
    pub(crate) fn of(frame: &Frame<L>, slides: &Slides<L>) -> Self {
        let hostile = slides.attacks(frame.rooks_queens & frame.their, frame.bishops_queens & frame.their);
        Self::against(frame, slides, &hostile)
    }

    /// Finds the limits from the known attacks of enemy sliders.
    #[inline(always)]
    pub(crate) fn against(frame: &Frame<L>, slides: &Slides<L>, hostile: &Rays<L>) -> Self {
        let &Frame { own, their, .. } = frame;
        let king = frame.kings & own;
        let sight = slides.attacks(king, king);
        let pinned_on = and_each(hostile.meeting(&sight), own);
        let mut danger = hostile.orthogonal()
            | hostile.diagonal()
            | knight_attacks(frame.knights & their)
            | pawn_attacks_down(frame.pawns & their)
            | king_attacks(frame.kings & their);

        let mut evasion = L::splat(!0);
        let mut check = danger & king;
        if check.any() {
            check = check.nonzero();
            let leapers = knight_attacks(king) & frame.knights & their | pawn_attacks_up(king) & frame.pawns & their;
            // If two leapers give check, no move captures both.
            let one_leaper = leapers.without((leapers ^ leapers.lowest()).nonzero());
            evasion = one_leaper | !leapers.nonzero();
            macro_rules! check_along {
                ($($attack:ident $sight:ident $direction:ident),*) => {$(
                    let hit = (hostile.$attack & king).nonzero();
                    evasion = evasion & (sight.$sight | !hit);
                    danger = danger | step::<$direction, L>(king) & hit;
                )*};
            }
            check_along!(north south NORTH, south north SOUTH, east west EAST, west east WEST,
                north_east south_west NORTH_EAST, south_west north_east SOUTH_WEST,
                north_west south_east NORTH_WEST, south_east north_west SOUTH_EAST);
        }
        let pinned = (pinned_on[FILE] | pinned_on[RANK]) | (pinned_on[DIAGONAL] | pinned_on[ANTIDIAGONAL]);
        Self { danger, pinned_on, pinned, evasion, check }
    }

    /// Returns the pieces that may move along an axis, because they are not pinned or are pinned on this axis.
    #[inline(always)]
    pub(crate) fn free(&self, pieces: L, axis: usize) -> L {
        pieces & (!self.pinned | self.pinned_on[axis])
    }
}

/// Files as masks: bit i of a square's file is set if `FILE_BITS[i]` has the square.
const FILE_BITS: [u64; 3] = [0xaaaa_aaaa_aaaa_aaaa, 0xcccc_cccc_cccc_cccc, 0xf0f0_f0f0_f0f0_f0f0];

/// Returns the file of a single square, found with masks.
#[inline(always)]
pub(crate) const fn file_of(square: u64) -> u16 {
    (square & FILE_BITS[0] != 0) as u16
        | ((square & FILE_BITS[1] != 0) as u16) << 1
        | ((square & FILE_BITS[2] != 0) as u16) << 2
}

/// Returns all squares of a rank from one square to another, both included.
#[inline(always)]
fn span<L: Lanes>(a: L, b: L) -> L {
    let one = L::splat(1);
    (a | b) | (a.sub(one) ^ b.sub(one))
}

/// One castling of the side to move, towards file h or towards file a.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Castling<L> {
    /// The rook, if the right exists.
    pub(crate) rook: L,
    /// The king's destination.
    pub(crate) king_to: L,
    /// The rook's destination.
    pub(crate) rook_to: L,
    /// The squares on the king's path, including both ends; none without the right.
    pub(crate) king_path: L,
    /// The squares that must be empty; none without the right.
    pub(crate) way: L,
}

impl<L: Lanes> Castling<L> {
    /// Returns castling of the side to move towards file h (side 0; king to g, rook to f) or file a (side 1; king to c,
    /// rook to d).
    #[inline(always)]
    pub(crate) fn new(frame: &Frame<L>, side: usize) -> Self {
        let king = frame.kings & frame.own;
        let beyond = L::splat(0).sub(king);
        let rooks = frame.castling_rooks & frame.own;
        let (rook, king_to, rook_to) = match side {
            0 => (rooks & beyond, L::splat(1 << 6), L::splat(1 << 5)),
            _ => (rooks.without(beyond), L::splat(1 << 2), L::splat(1 << 3)),
        };
        let right = rook.nonzero();
        let king_path = span(king, king_to) & right;
        let way = (king_path | span(rook, rook_to) & right).without(king | rook);
        Self { rook, king_to, rook_to, king_path, way }
    }

    /// Returns all bits set in the lanes where this castling is legal.
    ///
    /// Squares that king and rook pass or land on must be empty except for these two pieces, and squares on the king's
    /// path must not be attacked. A rook pinned on the rank shields the king; castling would remove the shield.
    #[inline(always)]
    pub(crate) fn is_legal(&self, frame: &Frame<L>, limits: &Limits<L>) -> L {
        let obstacle =
            self.way.without(frame.empty) | self.king_path & limits.danger | self.rook & limits.pinned_on[RANK];
        self.rook.nonzero().without(obstacle.nonzero() | limits.check)
    }
}

/// The pawns of the side to move that can legally capture en passant: first the pawn east of the captured one, which moves
/// north-west, then the pawn west of it, which moves north-east. Each board has one square or none.
#[inline(always)]
pub(crate) fn en_passant_captors<L: Lanes>(frame: &Frame<L>) -> [L; 2] {
    [
        en_passant_captor(frame, step::<SOUTH_EAST, L>(frame.en_passant)),
        en_passant_captor(frame, step::<SOUTH_WEST, L>(frame.en_passant)),
    ]
}

/// Returns `from` if a pawn of the side to move can legally capture en passant from there, else an empty board.
#[inline(always)]
fn en_passant_captor<L: Lanes>(frame: &Frame<L>, from: L) -> L {
    let from = from & frame.pawns & frame.own;
    let victim = frame.en_passant.shift::<-8>();
    let empty = (frame.empty | from | victim).without(frame.en_passant);
    from.without(frame.attackers(frame.kings & frame.own, empty, frame.their.without(victim)).nonzero())
}
