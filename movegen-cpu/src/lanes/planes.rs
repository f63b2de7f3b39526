//! The 32-byte form of positions for counting trees, and moves in this form.
//!
//! Four planes: three bits of piece code and the pieces of the side to move. The side to move always moves up, so no
//! colour is stored. Code 7 is a rook that may castle; a bit of the fourth plane on an empty square is the en-passant
//! square. The halfmove clock is not stored.

use super::fill::{EAST, WEST, step};
use super::frame::Frame;
use super::vector::Lanes;

/// Piece codes, bit by bit over the planes a, b, c.
pub(crate) const PAWN: u32 = 1;
pub(crate) const KNIGHT: u32 = 2;
pub(crate) const BISHOP: u32 = 3;
pub(crate) const ROOK: u32 = 4;
pub(crate) const QUEEN: u32 = 5;
pub(crate) const KING: u32 = 6;

/// Four planes per lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planes<L>(pub(crate) [L; 4]);

impl<L: Lanes> Planes<L> {
    #[inline(always)]
    pub(crate) fn from_frame(frame: &Frame<L>) -> Self {
        let castling = frame.castling_rooks;
        Self([
            frame.pawns | frame.bishops_queens | castling,
            frame.knights | frame.bishops_queens.without(frame.rooks_queens) | frame.kings | castling,
            frame.rooks_queens | frame.kings,
            frame.own | frame.en_passant,
        ])
    }

    #[inline(always)]
    pub(crate) fn to_frame(self) -> Frame<L> {
        let [a, b, c, own] = self.0;
        let occupied = a | b | c;
        let own_pieces = own & occupied;
        Frame {
            own: own_pieces,
            their: occupied ^ own_pieces,
            empty: !occupied,
            pawns: a.without(b | c),
            knights: b.without(a | c),
            bishops_queens: a & (b ^ c),
            rooks_queens: c & (a | !b),
            kings: (b & c).without(a),
            en_passant: own ^ own_pieces,
            castling_rooks: a & b & c,
        }
    }
}

/// A move in 17 bits: from, to, the code of the piece that stands on `to` afterwards, and the kind of move.
///
/// Castling goes from the king's square to the king's destination, on file g or c.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedMove(pub(crate) u32);

/// Kinds of a [`PackedMove`].
pub(crate) const PLAIN: u32 = 0;
pub(crate) const EN_PASSANT: u32 = 1;
pub(crate) const CASTLING: u32 = 2;
pub(crate) const DOUBLE_PUSH: u32 = 3;

impl PackedMove {
    /// The number of bits of a packed move.
    pub(crate) const BITS: u32 = 17;

    /// Returns the common bits of a set of moves: piece code and kind.
    #[inline(always)]
    pub(crate) const fn pattern(code: u32, kind: u32) -> u32 {
        code << 12 | kind << 15
    }

    #[inline(always)]
    pub(crate) const fn code(pattern: u32) -> u32 {
        pattern >> 12 & 7
    }

    #[inline(always)]
    pub(crate) const fn kind(pattern: u32) -> u32 {
        pattern >> 15 & 3
    }
}

/// Plays one move in each lane and returns the result as the side that has moved sees it.
///
/// With `KEEP_RIGHTS`, the castling rights of the side that has moved stay unchanged, because they do not affect the
/// other side's replies.
#[inline(always)]
fn play<L: Lanes, const KEEP_RIGHTS: bool>(&Planes([a, b, c, own]): &Planes<L>, packed_moves: L) -> ([L; 4], L) {
    let zero = L::splat(0);
    let low6 = L::splat(63);
    let from = L::bit(packed_moves & low6);
    let to = L::bit(packed_moves.shift::<-6>() & low6);
    let keep = !(from | to);
    // Fills a lane with the lowest bit.
    let filled = |bit: L| zero.sub(bit & L::splat(1));
    let occupied = a | b | c;
    let castling_rooks = a & b & c & own;
    let mut a = a & keep | to & filled(packed_moves.shift::<-12>());
    let mut b = b & keep | to & filled(packed_moves.shift::<-13>());
    let mut c = c & keep | to & filled(packed_moves.shift::<-14>());
    let mut own = own & occupied & keep | to;
    let mut en_passant = zero;
    let kind = packed_moves.shift::<-15>();
    if kind.any() {
        let (low, high) = (filled(kind), filled(kind.shift::<-1>()));
        // En passant takes the pawn below the target.
        let victim = to.shift::<-8>() & low.without(high);
        (a, b, c) = (a.without(victim), b.without(victim), c.without(victim));
        en_passant = to.shift::<-8>() & low & high;
        // The castling rook is on the side that the king goes to.
        let castling = high.without(low);
        if castling.any() {
            let kingside = (to & L::splat(1 << 6)).nonzero();
            let beyond_king = !(zero.sub(from) ^ kingside);
            let rook = castling_rooks & beyond_king & castling;
            let rook_to = (L::splat(1 << 5) & kingside | L::splat(1 << 3).without(kingside)) & castling;
            let king_to = to & castling;
            (a, b, c, own) = (a.without(rook), b.without(rook), c.without(rook), own.without(rook));
            b = b | king_to;
            c = c | king_to | rook_to;
            own = own | king_to | rook_to;
        }
    }
    if !KEEP_RIGHTS {
        // A king's move ends both rights, so the side's castling rooks become ordinary rooks.
        let code = packed_moves.shift::<-12>() & L::splat(7);
        let king = !(code ^ L::splat(KING.into())).nonzero();
        let rooks = a & b & c & own & king;
        (a, b) = (a.without(rooks), b.without(rooks));
    }
    ([a, b, c, own], en_passant)
}

/// Returns the position after one move in each lane, as the side that moves next sees it.
#[inline(always)]
pub(crate) fn make<L: Lanes, const KEEP_RIGHTS: bool>(planes: &Planes<L>, packed_moves: L) -> Planes<L> {
    let ([a, b, c, own], en_passant) = play::<L, KEEP_RIGHTS>(planes, packed_moves);
    let their = (a | b | c).without(own);
    Planes([a.flip(), b.flip(), c.flip(), (their | en_passant).flip()])
}

/// Returns the double pushes among these targets that may allow an en-passant capture.
#[inline(always)]
pub(crate) fn may_be_captured_en_passant<L: Lanes>(targets: L, their_pawns: L) -> L {
    targets & (step::<EAST, L>(their_pawns) | step::<WEST, L>(their_pawns))
}
