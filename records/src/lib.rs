//! Positions with scores and results, in the 32-byte records that trainers of chess networks read and write.
//!
//! | record | from | loses |
//! |---|---|---|
//! | [`BulletBoard`] | `ChessBoard` of the crate `bulletformat` | whose turn it is (the side to move becomes white), castling rights, the en-passant square, the halfmove clock, the move number |
//! | [`MarlinBoard`] | `PackedBoard` of marlinformat, which `viriformat` and others use | nothing of a position; halfmove clocks beyond 127 become 127 |
//!
//! Scores are in hundredths of a pawn, and scores and results are from white's point of view. A record holds any bytes
//! ([`bytemuck::Pod`]); unpacking checks that they are a legal position.
//!
//! ```
//! use kogge_board::{Fen, GameResult};
//! use kogge_records::{MarlinBoard, ScoredPosition};
//!
//! let fen = Fen::start();
//! let annotated = ScoredPosition { position: fen.position, score: 35, result: GameResult::WhiteWins, fullmove: 1 };
//! let record = MarlinBoard::pack(&annotated, &fen.rules);
//! assert_eq!(record.unpack()?, (annotated, fen.rules));
//! # Ok::<(), kogge_records::RecordError>(())
//! ```

mod bullet;
mod error;
mod marlin;
mod pieces;

use kogge_board::{GameResult, Position};

pub use bullet::BulletBoard;
pub use error::RecordError;
pub use marlin::MarlinBoard;

/// A position with a score and the result of its game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoredPosition {
    /// The position.
    pub position: Position,
    /// The score for white, in hundredths of a pawn.
    pub score: i16,
    /// The result of the game.
    pub result: GameResult,
    /// The number of the next move, from 1.
    pub fullmove: u16,
}
