//! A position as the side to move sees it, and what limits its moves.
//!
//! The board is turned so that the side to move always moves up; there is one colour path.

use kogge_board::bits::{PAWN_RANKS, flip};
use kogge_board::{Quad48, Rules, State};

use crate::fill::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, Rays, SOUTH, SOUTH_EAST, SOUTH_WEST, Slides, WEST, king_attacks,
    knight_attacks, pawn_attacks_down, pawn_attacks_up, step,
};
use crate::word::{Word, and_each};

/// Positions turned so that the side to move moves up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<W> {
    /// Pieces of the side to move.
    pub(crate) own: W,
    /// Pieces of the other side.
    pub(crate) their: W,
    /// Empty squares.
    pub(crate) empty: W,
    /// Pawns of both sides.
    pub(crate) pawns: W,
    /// Knights of both sides.
    pub(crate) knights: W,
    /// Bishops and queens of both sides.
    pub(crate) bishops_queens: W,
    /// Rooks and queens of both sides.
    pub(crate) rooks_queens: W,
    /// Both kings.
    pub(crate) kings: W,
    /// The square where an en-passant capture lands, or none.
    pub(crate) en_passant: W,
    /// The rooks of both sides that may castle.
    pub(crate) castling_rooks: W,
}

impl Frame<u64> {
    /// Turns a position. `BLACK` is its side to move.
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

    /// Turns a position of either colour to move.
    #[inline(always)]
    pub(crate) fn of(rules: &Rules, position: &Quad48) -> Self {
        match position.pawns & u64::from(State::BLACK) {
            0 => Self::new::<false>(rules, position),
            _ => Self::new::<true>(rules, position),
        }
    }
}

impl<W: Word> Frame<W> {
    /// The same position with the other side to move, without en passant.
    #[inline(always)]
    #[must_use]
    pub(crate) fn turned(&self) -> Self {
        Self {
            own: self.their.flip(),
            their: self.own.flip(),
            empty: self.empty.flip(),
            pawns: self.pawns.flip(),
            knights: self.knights.flip(),
            bishops_queens: self.bishops_queens.flip(),
            rooks_queens: self.rooks_queens.flip(),
            kings: self.kings.flip(),
            en_passant: W::splat(0),
            castling_rooks: self.castling_rooks.flip(),
        }
    }

    /// Where `king` would be attacked by these of the other side's pieces, with these squares empty.
    /// Not zero means attacked.
    #[inline(always)]
    pub(crate) fn attackers(&self, king: W, empty: W, their: W) -> W {
        let sight = Slides::new(empty).attacks(king, king);
        let hits = sight.orthogonal() & self.rooks_queens
            | sight.diagonal() & self.bishops_queens
            | knight_attacks(king) & self.knights
            | pawn_attacks_up(king) & self.pawns;
        hits & their
    }
}

/// What limits the moves of the side to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<W> {
    /// Squares where the king cannot go.
    pub(crate) danger: W,
    /// Own pieces pinned on the king's file, rank, a1-h8 diagonal and h1-a8 diagonal.
    pub(crate) pinned_on: [W; 4],
    /// All own pinned pieces.
    pub(crate) pinned: W,
    /// Where pieces other than the king may go: everywhere, or where they end a check.
    pub(crate) evasion: W,
    /// All bits set where the side to move is in check.
    pub(crate) check: W,
}

/// Index of an axis in [`Limits::pinned_on`].
pub(crate) const FILE: usize = 0;
pub(crate) const RANK: usize = 1;
pub(crate) const DIAGONAL: usize = 2;
pub(crate) const ANTIDIAGONAL: usize = 3;

impl<W: Word> Limits<W> {
    /// Finds attacks, pins and checks.
    ///
    /// A piece is pinned on an axis if the king sees it in one direction and a hostile slider sees
    /// it from the opposite one. A check along a ray can be met on exactly the squares that the king
    /// sees on that ray, and forbids the king the square behind it; a second check forbids all
    /// moves but the king's.
    #[inline(always)]
    pub(crate) fn of(frame: &Frame<W>, slides: &Slides<W>) -> Self {
        let hostile = slides.attacks(frame.rooks_queens & frame.their, frame.bishops_queens & frame.their);
        Self::against(frame, slides, &hostile)
    }

    /// The same where the hostile sliders' attacks are known.
    #[inline(always)]
    pub(crate) fn against(frame: &Frame<W>, slides: &Slides<W>, hostile: &Rays<W>) -> Self {
        let &Frame { own, their, .. } = frame;
        let king = frame.kings & own;
        let sight = slides.attacks(king, king);
        let pinned_on = and_each(hostile.meeting(&sight), own);
        let mut danger = hostile.orthogonal()
            | hostile.diagonal()
            | knight_attacks(frame.knights & their)
            | pawn_attacks_down(frame.pawns & their)
            | king_attacks(frame.kings & their);

        let mut evasion = W::splat(!0);
        let mut check = danger & king;
        if check.any() {
            check = check.nonzero();
            let leapers = knight_attacks(king) & frame.knights & their | pawn_attacks_up(king) & frame.pawns & their;
            // Two leapers cannot both be captured.
            let one_leaper = leapers.without((leapers ^ leapers.lowest()).nonzero());
            evasion = one_leaper | !leapers.nonzero();
            macro_rules! check_along {
                ($($attack:ident $sight:ident $direction:ident),*) => {$(
                    let hit = (hostile.$attack & king).nonzero();
                    evasion = evasion & (sight.$sight | !hit);
                    danger = danger | step::<$direction, W>(king) & hit;
                )*};
            }
            check_along!(north south NORTH, south north SOUTH, east west EAST, west east WEST,
                north_east south_west NORTH_EAST, south_west north_east SOUTH_WEST,
                north_west south_east NORTH_WEST, south_east north_west SOUTH_EAST);
        }
        let pinned = (pinned_on[FILE] | pinned_on[RANK]) | (pinned_on[DIAGONAL] | pinned_on[ANTIDIAGONAL]);
        Self { danger, pinned_on, pinned, evasion, check }
    }

    /// The pieces among these that may move along an axis: those not pinned, and those pinned on it.
    #[inline(always)]
    pub(crate) fn free(&self, pieces: W, axis: usize) -> W {
        pieces & (!self.pinned | self.pinned_on[axis])
    }
}

/// Files as masks: bit i of a square's file is set where `FILE_BITS[i]` has the square.
const FILE_BITS: [u64; 3] = [0xaaaa_aaaa_aaaa_aaaa, 0xcccc_cccc_cccc_cccc, 0xf0f0_f0f0_f0f0_f0f0];

/// The file of a single square, found with masks.
#[inline(always)]
pub(crate) const fn file_of(square: u64) -> u16 {
    (square & FILE_BITS[0] != 0) as u16
        | ((square & FILE_BITS[1] != 0) as u16) << 1
        | ((square & FILE_BITS[2] != 0) as u16) << 2
}

/// All squares of a rank from one square to another, both included.
#[inline(always)]
fn span<W: Word>(a: W, b: W) -> W {
    let one = W::splat(1);
    (a | b) | (a.sub(one) ^ b.sub(one))
}

/// One castling of the side to move, towards file h or towards file a.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Castling<W> {
    /// The rook, if there is the right.
    pub(crate) rook: W,
    /// Where the king lands.
    pub(crate) king_to: W,
    /// Where the rook lands.
    pub(crate) rook_to: W,
    /// The squares that the king passes, with those where it stands and lands; none without the right.
    pub(crate) king_path: W,
    /// The squares that must be empty; none without the right.
    pub(crate) way: W,
}

impl<W: Word> Castling<W> {
    /// Castling of the side to move towards file h (side 0) or a (side 1): files g and f, c and d.
    #[inline(always)]
    pub(crate) fn new(frame: &Frame<W>, side: usize) -> Self {
        let king = frame.kings & frame.own;
        let beyond = W::splat(0).sub(king);
        let rooks = frame.castling_rooks & frame.own;
        let (rook, king_to, rook_to) = match side {
            0 => (rooks & beyond, W::splat(1 << 6), W::splat(1 << 5)),
            _ => (rooks.without(beyond), W::splat(1 << 2), W::splat(1 << 3)),
        };
        let right = rook.nonzero();
        let king_path = span(king, king_to) & right;
        let way = (king_path | span(rook, rook_to) & right).without(king | rook);
        Self { rook, king_to, rook_to, king_path, way }
    }

    /// All bits set where this castling is legal.
    ///
    /// All squares that king and rook pass or land on must be empty but for the two, none that the
    /// king passes or lands on attacked. A rook pinned on the rank shields the king from behind;
    /// castling would take it away.
    #[inline(always)]
    pub(crate) fn is_legal(&self, frame: &Frame<W>, limits: &Limits<W>) -> W {
        let obstacle =
            self.way.without(frame.empty) | self.king_path & limits.danger | self.rook & limits.pinned_on[RANK];
        self.rook.nonzero().without(obstacle.nonzero() | limits.check)
    }
}

/// The own pawns that can legally capture en passant, from the east and from the west of the pawn
/// captured: those that move north-west and those that move north-east. Each is one square or none.
#[inline(always)]
pub(crate) fn en_passant_captors<W: Word>(frame: &Frame<W>) -> [W; 2] {
    [
        en_passant_captor(frame, step::<SOUTH_EAST, W>(frame.en_passant)),
        en_passant_captor(frame, step::<SOUTH_WEST, W>(frame.en_passant)),
    ]
}

/// `from`, if an own pawn there can legally capture en passant.
#[inline(always)]
fn en_passant_captor<W: Word>(frame: &Frame<W>, from: W) -> W {
    let from = from & frame.pawns & frame.own;
    let victim = frame.en_passant.shift::<-8>();
    let empty = (frame.empty | from | victim).without(frame.en_passant);
    from.without(frame.attackers(frame.kings & frame.own, empty, frame.their.without(victim)).nonzero())
}
