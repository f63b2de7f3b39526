//! The pieces of both records: a board of occupied squares, and four bits for each piece, from a1 on.

use kogge_board::bits::Bits;
use kogge_board::{Color, Piece, Position, Square};

use crate::RecordError;

/// The bit of a black piece.
const BLACK: u8 = 8;

/// Packs the codes of all pieces; `code` gives each kind its three bits. Pieces beyond 32 are left out.
pub(crate) fn pack(position: &Position, code: impl Fn(Color, Piece, Square) -> u8) -> [u8; 16] {
    let mut packed = [0; 16];
    let squares = Bits(position.occupied()).filter_map(Square::of).take(32);
    for (index, square) in squares.enumerate() {
        if let Some((color, piece)) = position.piece_at(square) {
            let code = code(color, piece, square) | if color == Color::Black { BLACK } else { 0 };
            packed[index / 2] |= code << (4 * (index % 2));
        }
    }
    packed
}

/// Returns the colours and three-bit codes of all pieces.
pub(crate) fn unpack(
    occupied: u64,
    packed: &[u8; 16],
) -> Result<impl Iterator<Item = (Square, Color, u8)> + use<'_>, RecordError> {
    if occupied.count_ones() > 32 {
        return Err(RecordError::Pieces(occupied.count_ones()));
    }
    Ok(Bits(occupied).filter_map(Square::of).enumerate().map(|(index, square)| {
        let code = packed[index / 2] >> (4 * (index % 2)) & 15;
        let color = if code & BLACK == 0 { Color::White } else { Color::Black };
        (square, color, code & !BLACK)
    }))
}

pub(crate) fn piece(square: Square, code: u8) -> Result<Piece, RecordError> {
    Piece::new(code).ok_or(RecordError::Piece { square, code })
}
