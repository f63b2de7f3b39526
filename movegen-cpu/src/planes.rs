//! The 32-byte form in which trees are counted, and the moves between such positions.
//!
//! Four planes: three bits of piece code and the own pieces. The side to move always moves up, so no
//! colour is needed. Code 7 is a rook that may castle; a bit of the fourth plane on an empty square is
//! the en-passant square. The halfmove clock is left out.

use crate::fill::{EAST, WEST, step};
use crate::frame::Frame;
use crate::word::Word;

/// Piece codes, bit by bit over the planes a, b, c.
pub(crate) const PAWN: u32 = 1;
pub(crate) const KNIGHT: u32 = 2;
pub(crate) const BISHOP: u32 = 3;
pub(crate) const ROOK: u32 = 4;
pub(crate) const QUEEN: u32 = 5;
pub(crate) const KING: u32 = 6;

/// Four planes per lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planes<W>(pub(crate) [W; 4]);

impl<W: Word> Planes<W> {
    /// A frame as planes.
    #[inline(always)]
    pub(crate) fn from_frame(frame: &Frame<W>) -> Self {
        let castling = frame.castling_rooks;
        Self([
            frame.pawns | frame.bishops_queens | castling,
            frame.knights | frame.bishops_queens.without(frame.rooks_queens) | frame.kings | castling,
            frame.rooks_queens | frame.kings,
            frame.own | frame.en_passant,
        ])
    }

    /// The bitboards.
    #[inline(always)]
    pub(crate) fn to_frame(self) -> Frame<W> {
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

/// A move in 17 bits: from, to, the code of the piece that then stands on `to`, and what is special.
///
/// Castling goes from the king's square to the rook's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Step(pub(crate) u32);

/// What is special about a [`Step`].
pub(crate) const PLAIN: u32 = 0;
pub(crate) const EN_PASSANT: u32 = 1;
pub(crate) const CASTLING: u32 = 2;
pub(crate) const DOUBLE_PUSH: u32 = 3;

impl Step {
    /// How many bits a step has.
    pub(crate) const BITS: u32 = 17;

    /// What all moves of a set have in common.
    #[inline(always)]
    pub(crate) const fn pattern(code: u32, kind: u32) -> u32 {
        code << 12 | kind << 15
    }
}

/// Plays one step in each lane; the result is seen by the side that just moved.
///
/// With `KEEP_RIGHTS`, castling rights of the side that moved stay as they are, which suffices for
/// counting the other side's replies.
#[inline(always)]
fn play<W: Word, const KEEP_RIGHTS: bool>(&Planes([a, b, c, own]): &Planes<W>, steps: W) -> ([W; 4], W) {
    let zero = W::splat(0);
    let low6 = W::splat(63);
    let from = W::bit(steps & low6);
    let to = W::bit(steps.shift::<-6>() & low6);
    let keep = !(from | to);
    // Bit 12 and up of the step, spread over the lane.
    let spread = |bit: W| zero.sub(bit & W::splat(1));
    let occupied = a | b | c;
    let mut a = a & keep | to & spread(steps.shift::<-12>());
    let mut b = b & keep | to & spread(steps.shift::<-13>());
    let mut c = c & keep | to & spread(steps.shift::<-14>());
    let mut own = own & occupied & keep | to;
    let mut en_passant = zero;
    let kind = steps.shift::<-15>();
    if kind.any() {
        let (low, high) = (spread(kind), spread(kind.shift::<-1>()));
        // En passant takes the pawn below the target.
        let victim = to.shift::<-8>() & low.without(high);
        (a, b, c) = (a.without(victim), b.without(victim), c.without(victim));
        en_passant = to.shift::<-8>() & low & high;
        // Castling went from king to rook: a king stands on the rook's square now.
        let castling = high.without(low);
        if castling.any() {
            let east = to.sub(from).shift::<-63>();
            let east = !zero.sub(east) & castling;
            let west = castling.without(east);
            let king_to = W::splat(1 << 6) & east | W::splat(1 << 2) & west;
            let rook_to = W::splat(1 << 5) & east | W::splat(1 << 3) & west;
            let rook = to & castling;
            (a, b, c, own) = (a.without(rook), b.without(rook), c.without(rook), own.without(rook));
            b = b | king_to;
            c = c | king_to | rook_to;
            own = own | king_to | rook_to;
        }
    }
    if !KEEP_RIGHTS {
        // A king's move ends both rights: its side's rooks become ordinary ones.
        let code = steps.shift::<-12>() & W::splat(7);
        let king = !(code ^ W::splat(KING.into())).nonzero();
        let rooks = a & b & c & own & king;
        (a, b) = (a.without(rooks), b.without(rooks));
    }
    ([a, b, c, own], en_passant)
}

/// The positions after one step in each lane, for the side that moves next.
#[inline(always)]
pub(crate) fn make<W: Word, const KEEP_RIGHTS: bool>(planes: &Planes<W>, steps: W) -> Planes<W> {
    let ([a, b, c, own], en_passant) = play::<W, KEEP_RIGHTS>(planes, steps);
    let their = (a | b | c).without(own);
    Planes([a.flip(), b.flip(), c.flip(), (their | en_passant).flip()])
}

/// The double pushes among these targets that may allow an en-passant capture.
#[inline(always)]
pub(crate) fn may_be_captured_en_passant<W: Word>(targets: W, their_pawns: W) -> W {
    targets & (step::<EAST, W>(their_pawns) | step::<WEST, W>(their_pawns))
}
