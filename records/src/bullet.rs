//! The record of bulletformat.

use bytemuck::{Pod, Zeroable};
use kogge_board::{Color, GameResult, Position, Rules, Square};

use crate::{RecordError, ScoredPosition, pieces};

/// A position seen by the side to move, as `ChessBoard` of the crate `bulletformat` stores it.
///
/// If black is to move, the board is flipped, and colours, score and result are exchanged. Castling rights, the en-passant
/// square, the halfmove clock and the move number are not stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct BulletBoard {
    /// All occupied squares.
    pub occupied: u64,
    /// Four bits for each piece: 0 pawn to 5 king, and 8 for the pieces of the side that is not to move.
    pub pieces: [u8; 16],
    /// The score for the side to move.
    pub score: i16,
    /// The result for the side to move: 0 loss, 1 draw, 2 win.
    pub result: u8,
    /// The square of the king of the side to move.
    pub king: u8,
    /// The square of the opponent's king, on a board flipped to the opponent's side.
    pub other_king: u8,
    /// Bytes without meaning.
    pub extra: [u8; 3],
}

const _: () = assert!(size_of::<BulletBoard>() == 32);

impl BulletBoard {
    /// Packs a legal position.
    pub fn pack(annotated: &ScoredPosition) -> Self {
        let ScoredPosition { position, score, result, .. } = *annotated;
        let (position, score, result) = match position.turn() {
            Color::White => (position, score, result),
            // The score -32,768 cannot be negated.
            Color::Black => (position.mirrored(), score.saturating_neg(), result.mirrored()),
        };
        let king = |color| position.king(color).map_or(0, Square::index);
        Self {
            occupied: position.occupied(),
            pieces: pieces::pack(&position, |_, piece, _| piece as u8),
            score,
            result: result as u8,
            king: king(Color::White),
            other_king: king(Color::Black) ^ 56,
            extra: [0; 3],
        }
    }

    /// Returns the position, with white to move.
    ///
    /// # Errors
    /// If the bytes are not a legal position, or if they contradict each other.
    pub fn unpack(&self) -> Result<ScoredPosition, RecordError> {
        let mut position = Position::default();
        for (square, color, code) in pieces::unpack(self.occupied, &self.pieces)? {
            position.put(color, pieces::piece(square, code)?, square);
        }
        position.check(&Rules::STANDARD)?;
        for (color, square) in [(Color::White, self.king), (Color::Black, self.other_king ^ 56)] {
            let square = Square::at(square & 7, square >> 3 & 7);
            if position.king(color) != Some(square) {
                return Err(RecordError::King(square));
            }
        }
        let result = GameResult::new(self.result).ok_or(RecordError::Result(self.result))?;
        Ok(ScoredPosition { position, score: self.score, result, fullmove: 1 })
    }
}
