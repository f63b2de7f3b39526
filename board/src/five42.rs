//! `Five42`: five bitboards and two king squares in 42 bytes.

use bytemuck::{Pod, Zeroable};

use crate::{Color, Format, PackedPosition, Position, Quad48, Square};

/// Five words and two bytes: white, pawns, knights, bishops|queens, rooks|queens, the white and the
/// black king's square (0 to 63).
///
/// The pawn word holds the [`State`](crate::State) as in [`Quad48`]; the white word includes the
/// white king. The structure is packed, so arrays have no gaps; its fields can be read, but not borrowed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Pod, Zeroable)]
#[repr(C, packed)]
pub struct Five42 {
    /// All white pieces.
    pub white: u64,
    /// Pawns, and the state on ranks 1 and 8.
    pub pawns: u64,
    /// Knights.
    pub knights: u64,
    /// Bishops and queens.
    pub bishops_queens: u64,
    /// Rooks and queens.
    pub rooks_queens: u64,
    /// The square of the white king.
    pub white_king: u8,
    /// The square of the black king.
    pub black_king: u8,
}

const _: () = assert!(size_of::<Five42>() == 42);

impl From<&Quad48> for Five42 {
    #[inline]
    fn from(quad: &Quad48) -> Self {
        Self {
            white: quad.white,
            pawns: quad.pawns,
            knights: quad.knights,
            bishops_queens: quad.bishops_queens,
            rooks_queens: quad.rooks_queens,
            white_king: (quad.kings & quad.white).trailing_zeros() as u8,
            black_king: (quad.kings & !quad.white).trailing_zeros() as u8,
        }
    }
}

impl From<&Five42> for Quad48 {
    /// Unpacks without a check; king squares are taken modulo 64.
    #[inline]
    fn from(five: &Five42) -> Self {
        Self {
            white: five.white,
            pawns: five.pawns,
            knights: five.knights,
            bishops_queens: five.bishops_queens,
            rooks_queens: five.rooks_queens,
            kings: 1 << (five.white_king & 63) | 1 << (five.black_king & 63),
        }
    }
}

impl Five42 {
    /// Returns the square of a king; `None` if the byte is not a square.
    #[inline]
    pub const fn king(&self, color: Color) -> Option<Square> {
        Square::new(match color {
            Color::White => self.white_king,
            Color::Black => self.black_king,
        })
    }
}

impl PackedPosition for Five42 {
    const FORMAT: Format = Format::Five42;

    #[inline]
    fn pack(position: &Position) -> Self {
        Self::from(&Quad48::from(position))
    }

    #[inline]
    fn unpack_unchecked(&self) -> Position {
        Quad48::from(self).unpack_unchecked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fen, PositionError, Rules, UnpackError};

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let start = Five42::pack(&Fen::start().position);
        let words: [u64; 5] = bytemuck::pod_read_unaligned(&bytemuck::bytes_of(&start)[..40]);
        // State: white to move, all castling rights.
        assert_eq!(words, [0xffff, 0x00ff_0000_0000_ff1e, 0x42 << 56 | 0x42, 0x2c << 56 | 0x2c, 0x89 << 56 | 0x89]);
        assert_eq!(bytemuck::bytes_of(&start)[40..], [4, 60]);
        assert_eq!(start.king(Color::Black), Some(Square::at(4, 7)));
    }

    #[test]
    fn king_squares_must_be_squares_of_their_colour() {
        let start = Five42::pack(&Fen::start().position);
        let unpack = |white_king, black_king| Five42 { white_king, black_king, ..start }.unpack(&Rules::STANDARD);
        assert_eq!(unpack(4, 60), Ok(Fen::start().position));
        assert_eq!(unpack(4 + 64, 60), Err(UnpackError::NotCanonical(Format::Five42)));
        assert_eq!(unpack(60, 4), Err(UnpackError::NotCanonical(Format::Five42)));
        let refused = |five: Five42| five.unpack(&Rules::STANDARD);
        let error = PositionError::Contradiction(Square::at(4, 2));
        assert_eq!(refused(Five42 { white: start.white | 1 << 20, ..start }), Err(error.into()));
        let error = PositionError::Kings { color: Color::White, count: 0 };
        assert_eq!(refused(Five42 { white: start.white ^ 1 << 4, ..start }), Err(error.into()));
    }
}
