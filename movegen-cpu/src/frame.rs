//! A position as the side to move sees it, and what limits its moves.
//!
//! The board is turned so that the side to move always moves up; there is one colour path.

use kogge_board::bits::{flip, lowest};
use kogge_board::{Quad48, Rules, State};

use crate::fill::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, Rays, SOUTH, SOUTH_EAST, SOUTH_WEST, WEST, king_attacks, knight_attacks,
    pawn_attacks_down, step,
};

/// Files as masks: bit i of a square's file is set where `FILE_BITS[i]` has the square.
const FILE_BITS: [u64; 3] = [0xaaaa_aaaa_aaaa_aaaa, 0xcccc_cccc_cccc_cccc, 0xf0f0_f0f0_f0f0_f0f0];

/// The file of a single square, found with masks.
#[inline(always)]
pub(crate) const fn file_of(square: u64) -> u16 {
    (square & FILE_BITS[0] != 0) as u16
        | ((square & FILE_BITS[1] != 0) as u16) << 1
        | ((square & FILE_BITS[2] != 0) as u16) << 2
}

/// All squares of a rank from one square to another, both included. Both are on rank 1.
#[inline(always)]
pub(crate) const fn span(a: u64, b: u64) -> u64 {
    if a < b { (b << 1).wrapping_sub(a) } else { (a << 1).wrapping_sub(b) }
}

/// A position turned so that the side to move moves up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Pieces of the side to move.
    pub(crate) own: u64,
    /// Pieces of the other side.
    pub(crate) their: u64,
    /// Empty squares.
    pub(crate) empty: u64,
    /// Pawns of both sides.
    pub(crate) pawns: u64,
    /// Knights of both sides.
    pub(crate) knights: u64,
    /// Bishops and queens of both sides.
    pub(crate) bishops_queens: u64,
    /// Rooks and queens of both sides.
    pub(crate) rooks_queens: u64,
    /// Both kings.
    pub(crate) kings: u64,
    /// The square where an en-passant capture lands, or none.
    pub(crate) en_passant: u64,
    /// The rooks that the side to move may castle with: towards file h, towards file a.
    pub(crate) castling_rooks: [u64; 2],
}

impl Frame {
    /// Turns a position. `BLACK` is its side to move.
    #[inline(always)]
    pub(crate) fn new<const BLACK: bool>(rules: &Rules, position: &Quad48) -> Self {
        const PAWN_RANKS: u64 = kogge_board::bits::PAWN_RANKS;
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
        let side = 2 * BLACK as usize;
        let right = |index: usize| {
            let has = u64::from(state.0 >> (1 + side + index) & 1);
            has << (rules.castling_files[side + index] & 7)
        };
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
            castling_rooks: [right(0), right(1)],
        }
    }

    /// The same position with the other side to move, without en passant and castling rooks.
    #[must_use]
    pub(crate) const fn turned(&self) -> Self {
        Self {
            own: flip(self.their),
            their: flip(self.own),
            empty: flip(self.empty),
            pawns: flip(self.pawns),
            knights: flip(self.knights),
            bishops_queens: flip(self.bishops_queens),
            rooks_queens: flip(self.rooks_queens),
            kings: flip(self.kings),
            en_passant: 0,
            castling_rooks: [0, 0],
        }
    }

    /// Whether a king on `king`'s square would be attacked by the other side, with these squares
    /// empty and only these of the other side's pieces left.
    #[inline]
    pub(crate) fn is_attacked(&self, king: u64, empty: u64, their: u64) -> bool {
        let rays = Rays::of(king, king, empty);
        let hits = rays.orthogonal() & self.rooks_queens
            | rays.diagonal() & self.bishops_queens
            | knight_attacks(king) & self.knights
            | crate::fill::pawn_attacks_up(king) & self.pawns;
        hits & their != 0
    }
}

/// What limits the moves of the side to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Squares where the king cannot go.
    pub(crate) danger: u64,
    /// Own pieces pinned on the king's file, rank, a1-h8 diagonal and h1-a8 diagonal.
    pub(crate) pinned_on: [u64; 4],
    /// All own pinned pieces.
    pub(crate) pinned: u64,
    /// Where pieces other than the king may go: everywhere, or where they end a check.
    pub(crate) evasion: u64,
    /// Whether the side to move is in check.
    pub(crate) check: bool,
}

/// Index of an axis in [`Limits::pinned_on`].
pub(crate) const FILE: usize = 0;
pub(crate) const RANK: usize = 1;
pub(crate) const DIAGONAL: usize = 2;
pub(crate) const ANTIDIAGONAL: usize = 3;

impl Limits {
    /// Finds attacks, pins and checks.
    ///
    /// A piece is pinned on an axis if the king sees it in one direction and a hostile slider sees
    /// it from the opposite one. A check along a ray can be met on exactly the squares that the king
    /// sees on that ray, and forbids the king the square behind it; a second check forbids all
    /// moves but the king's.
    #[inline(always)]
    pub(crate) fn of(frame: &Frame) -> Self {
        let &Frame { own, their, empty, .. } = frame;
        let king = frame.kings & own;
        let hostile = Rays::of(frame.rooks_queens & their, frame.bishops_queens & their, empty);
        let sight = Rays::of(king, king, empty);

        let pinned_on = [
            (hostile.north & sight.south | hostile.south & sight.north) & own,
            (hostile.east & sight.west | hostile.west & sight.east) & own,
            (hostile.north_east & sight.south_west | hostile.south_west & sight.north_east) & own,
            (hostile.north_west & sight.south_east | hostile.south_east & sight.north_west) & own,
        ];
        let mut danger = hostile.orthogonal()
            | hostile.diagonal()
            | knight_attacks(frame.knights & their)
            | pawn_attacks_down(frame.pawns & their)
            | king_attacks(frame.kings & their);

        let mut evasion = !0;
        let check = danger & king != 0;
        if check {
            let leapers =
                knight_attacks(king) & frame.knights & their | crate::fill::pawn_attacks_up(king) & frame.pawns & their;
            if leapers != 0 {
                // Two leapers cannot both be captured.
                evasion = if lowest(leapers) == leapers { leapers } else { 0 };
            }
            for (attack, sight, behind) in [
                (hostile.north, sight.south, step::<NORTH>(king)),
                (hostile.south, sight.north, step::<SOUTH>(king)),
                (hostile.east, sight.west, step::<EAST>(king)),
                (hostile.west, sight.east, step::<WEST>(king)),
                (hostile.north_east, sight.south_west, step::<NORTH_EAST>(king)),
                (hostile.south_west, sight.north_east, step::<SOUTH_WEST>(king)),
                (hostile.north_west, sight.south_east, step::<NORTH_WEST>(king)),
                (hostile.south_east, sight.north_west, step::<SOUTH_EAST>(king)),
            ] {
                if attack & king != 0 {
                    evasion &= sight;
                    danger |= behind;
                }
            }
        }
        let pinned = pinned_on[0] | pinned_on[1] | pinned_on[2] | pinned_on[3];
        Self { danger, pinned_on, pinned, evasion, check }
    }

    /// The pieces among these that may move along an axis: those not pinned, and those pinned on it.
    #[inline(always)]
    pub(crate) const fn free(&self, pieces: u64, axis: usize) -> u64 {
        pieces & (!self.pinned | self.pinned_on[axis])
    }
}

/// Whether castling with this rook (in the frame, on rank 1) is legal, towards file h (side 0) or a
/// (side 1).
///
/// All squares that king and rook pass or land on must be empty but for the two, none that the king
/// passes or lands on attacked. A rook pinned on the rank shields the king from behind; castling
/// would take it away.
#[inline(always)]
pub(crate) fn may_castle(frame: &Frame, limits: &Limits, side: usize) -> bool {
    let rook = frame.castling_rooks[side];
    let king = frame.kings & frame.own;
    if rook == 0 || limits.check {
        return false;
    }
    let (king_to, rook_to) = castling_targets(side);
    let king_path = span(king, king_to);
    let way = (king_path | span(rook, rook_to)) & !(king | rook);
    way & !frame.empty == 0 && king_path & limits.danger == 0 && rook & limits.pinned_on[RANK] == 0
}

/// Where king and rook land: files g and f towards h, files c and d towards a.
#[inline(always)]
pub(crate) const fn castling_targets(side: usize) -> (u64, u64) {
    if side == 0 { (1 << 6, 1 << 5) } else { (1 << 2, 1 << 3) }
}

/// The own pawns that can legally capture en passant, from the east and from the west of the pawn
/// captured: those that move north-west and those that move north-east. Each is one square or none.
#[inline(always)]
pub(crate) fn en_passant_captors(frame: &Frame) -> [u64; 2] {
    if frame.en_passant == 0 {
        return [0, 0];
    }
    let own_pawns = frame.pawns & frame.own;
    let victim = frame.en_passant >> 8;
    let king = frame.kings & frame.own;
    [step::<SOUTH_EAST>(frame.en_passant) & own_pawns, step::<SOUTH_WEST>(frame.en_passant) & own_pawns].map(|from| {
        let empty = (frame.empty | from | victim) & !frame.en_passant;
        if from == 0 || frame.is_attacked(king, empty, frame.their & !victim) { 0 } else { from }
    })
}
