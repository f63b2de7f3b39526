//! The reasons why a record cannot be read.

use kogge_board::{PositionError, Square};
use thiserror::Error;

/// The reason why bytes are not a record.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RecordError {
    /// There are more pieces than the record can hold.
    #[error("The record has {0} pieces; 32 are the most.")]
    Pieces(u32),
    /// A piece has a code without meaning.
    #[error("The piece on {square} has the code {code}, which no piece has.")]
    Piece {
        /// The square.
        square: Square,
        /// The code.
        code: u8,
    },
    /// A side has two castling rooks on the same side of its king.
    #[error("There are two castling rooks on one side of a king, one of them on {0}.")]
    Rook(Square),
    /// The result is not one of the three.
    #[error("The result is {0}; expected 0 (loss), 1 (draw) or 2 (win).")]
    Result(u8),
    /// The en-passant square does not exist.
    #[error("The en-passant square has the number {0}; expected 0 to 63, or 64 for none.")]
    EnPassant(u8),
    /// A king is not on the square that the record names.
    #[error("The record says that a king is on {0}, but it is not.")]
    King(Square),
    /// The position is not legal.
    #[error(transparent)]
    Position(#[from] PositionError),
}
