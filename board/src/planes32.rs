//! `Planes32`: four bitboards in 32 bytes, the position format of the GPU backends.

use bytemuck::{Pod, Zeroable};

use crate::bits::{Bits, flip};
use crate::square::{Color, Piece, Square};
use crate::{Position, Rules, State};

/// Four words: three planes of piece codes, and a board of the pieces of the side to move.
///
/// The board is flipped so that the side to move moves up: for black, ranks 1 and 8 are exchanged, and files stay.
/// `codes[0]`, `codes[1]` and `codes[2]` are the bits 1, 2 and 4 of each square's code: 0 empty, 1 pawn, 2 knight, 3
/// bishop, 4 rook, 5 queen, 6 king, 7 a rook that may castle. A square that is empty but set in `own` is the target of
/// an en-passant capture.
///
/// Two positions with the same side to move have equal planes if and only if they are equal except for the halfmove
/// clock. The side to move follows from the ply, because the sides alternate, and counting ignores the halfmove clock.
/// The square of a castling rook identifies the right, so Chess960 needs no extra data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Planes32 {
    /// Bits 1, 2 and 4 of the piece codes.
    pub codes: [u64; 3],
    /// Pieces of the side to move, and the target square of an en-passant capture.
    pub own: u64,
}

const _: () = assert!(size_of::<Planes32>() == 32);

/// The code of a rook that may castle.
const CASTLING_ROOK: u8 = 7;

impl Planes32 {
    /// Packs a position without its halfmove clock.
    ///
    /// Castling rights without their rook, which no legal position has, are dropped.
    pub fn pack(rules: &Rules, position: &Position) -> Self {
        let turn = position.turn();
        let view = |board: u64| if turn == Color::White { board } else { flip(board) };
        let mut codes = [0; 3];
        let mut mark = |board: u64, code: u8| {
            for (bit, plane) in codes.iter_mut().enumerate() {
                if code >> bit & 1 != 0 {
                    *plane |= view(board);
                }
            }
        };
        for piece in Piece::ALL {
            mark(position.kind(piece), piece as u8 + 1);
        }
        for (right, square) in rules.castling_rooks().into_iter().enumerate() {
            let color = if right < 2 { Color::White } else { Color::Black };
            if position.state.castling() >> right & 1 != 0 {
                mark(square & position.kind(Piece::Rook) & position.of(color), CASTLING_ROOK);
            }
        }
        let en_passant = position.state.en_passant_square().map_or(0, Square::bit);
        Self { codes, own: view(position.of(turn) | en_passant & !position.occupied()) }
    }

    /// The pawns of both sides.
    pub const fn pawns(&self) -> u64 {
        self.codes[0] & !(self.codes[1] | self.codes[2])
    }

    /// Returns the position, with this side to move and halfmove clock 0, without a check.
    ///
    /// A castling rook implies the right on its side of the king.
    pub fn unpack_unchecked(&self, turn: Color) -> Position {
        let view = |board: u64| if turn == Color::White { board } else { flip(board) };
        let [bit1, bit2, bit4] = self.codes.map(view);
        let own = view(self.own);
        let occupied = bit1 | bit2 | bit4;
        let marked = bit1 & bit2 & bit4;
        let mut position = Position {
            white: occupied & if turn == Color::White { own } else { !own },
            pawns: bit1 & !bit2 & !bit4,
            knights: bit2 & !bit1 & !bit4,
            bishops_queens: bit1 & (bit2 ^ bit4),
            rooks_queens: bit4 & !(bit2 & !bit1),
            kings: bit2 & bit4 & !bit1,
            state: State::default().with_turn(turn),
        };
        let mut rights = 0;
        for (color, first_right) in [(Color::White, 0), (Color::Black, 2)] {
            let king = position.kings & position.of(color);
            for rook in Bits(marked & position.of(color)) {
                rights |= 1 << (first_right + u8::from(rook < king));
            }
        }
        let en_passant = Square::of(own & !occupied).map(Square::file);
        position.state = position.state.with_castling(rights).with_en_passant(en_passant);
        position
    }
}
