//! `Planes32`: four bitboards in 32 bytes, the form in which GPUs keep positions.

use bytemuck::{Pod, Zeroable};

use crate::bits::{Bits, flip};
use crate::square::{Color, Piece, Square};
use crate::{Position, Rules, State};

/// Four words: three planes of piece codes, and the pieces of the side to move.
///
/// The board is turned so that the side to move moves up: for black, rank 1 and rank 8 change places,
/// and files stay. `codes[0]`, `codes[1]` and `codes[2]` are the bits 1, 2 and 4 of each square's
/// code: 0 empty, 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king, 7 a rook that may castle. A
/// square that is empty but set in `own` is where an en-passant capture lands.
///
/// Two positions with the same side to move have the same planes if and only if they are equal but
/// for the halfmove clock. What is missing, a tree knows by other means: who is to move, since sides
/// alternate, and the halfmove clock, which counting leaves out. A castling right is told by where
/// its rook stands, so Chess960 needs nothing more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Planes32 {
    /// Bits 1, 2 and 4 of the piece codes.
    pub codes: [u64; 3],
    /// Pieces of the side to move, and the en-passant square.
    pub own: u64,
}

const _: () = assert!(size_of::<Planes32>() == 32);

/// The code of a rook that may castle.
const CASTLING_ROOK: u8 = 7;

impl Planes32 {
    /// Packs a position. The halfmove clock is left out.
    ///
    /// Castling rights whose rook is missing are left out as well; legal positions have none.
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

    /// The position, with this side to move and halfmove clock 0, without asking whether it is one.
    ///
    /// A rook marked for castling stands for the right of its side of the king.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::placement;
    use crate::{Fen, START};

    #[test]
    fn the_start_position_in_planes() {
        let fen: Fen = START.parse().unwrap();
        let planes = Planes32::pack(&fen.rules, &fen.position);
        // Pawns are 1, bishops 3, queens 5, castling rooks 7: the first plane has all but knights and kings.
        assert_eq!(planes.codes[0], 0xadff_0000_0000_ffad);
        assert_eq!(planes.codes[1], 0xf700_0000_0000_00f7);
        assert_eq!(planes.codes[2], 0x9900_0000_0000_0099);
        assert_eq!(planes.own, 0xffff);
    }

    #[test]
    fn en_passant_is_a_lone_bit_of_own() {
        let fen: Fen = "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1".parse().unwrap();
        let planes = Planes32::pack(&fen.rules, &fen.position);
        let occupied = planes.codes[0] | planes.codes[1] | planes.codes[2];
        assert_eq!(planes.own & !occupied, Square::at(3, 5).bit());
    }

    proptest! {
        #[test]
        fn positions_come_back((rules, position) in placement()) {
            let state = position.state.with_halfmove_clock(0);
            let expected = Position { state, ..position };
            prop_assert_eq!(Planes32::pack(&rules, &position).unpack_unchecked(position.turn()), expected);
        }

        #[test]
        fn mirrored_positions_have_the_same_planes((rules, position) in placement()) {
            let mut mirrored_rules = rules;
            mirrored_rules.castling_files.rotate_left(2);
            prop_assert_eq!(
                Planes32::pack(&rules, &position),
                Planes32::pack(&mirrored_rules, &position.mirrored())
            );
        }

        #[test]
        fn any_words_unpack(words in any::<[u64; 4]>(), black in any::<bool>()) {
            let turn = if black { Color::Black } else { Color::White };
            let planes = Planes32 { codes: [words[0], words[1], words[2]], own: words[3] };
            prop_assert_eq!(planes.unpack_unchecked(turn).turn(), turn);
        }
    }
}
