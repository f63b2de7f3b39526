//! The record of marlinformat.

use bytemuck::{Pod, Zeroable};
use kogge_board::{Color, GameResult, Piece, Position, Rules, Square, State};

use crate::{RecordError, ScoredPosition, pieces};

/// A whole position, as `PackedBoard` of marlinformat stores it.
///
/// A rook that may castle has a separate code, so the record can also hold positions of Chess960. An en-passant square where
/// no capture is legal is left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct MarlinBoard {
    /// All occupied squares.
    pub occupied: u64,
    /// Four bits for each piece: 0 pawn to 5 king, 6 for a rook that may castle, and 8 for black pieces.
    pub pieces: [u8; 16],
    /// The en-passant square, or 64; and 128 if black is to move.
    pub turn_and_en_passant: u8,
    /// The plies since the last capture or pawn move.
    pub halfmove_clock: u8,
    /// The number of the next move.
    pub fullmove: u16,
    /// The score for white.
    pub score: i16,
    /// The result: 0 black wins, 1 draw, 2 white wins.
    pub result: u8,
    /// A byte without meaning.
    pub extra: u8,
}

const _: () = assert!(size_of::<MarlinBoard>() == 32);

/// The code of a rook that may castle.
const CASTLING_ROOK: u8 = 6;
/// The bit that is set if black is to move.
const BLACK: u8 = 1 << 7;
/// The value for "no square".
const NO_SQUARE: u8 = 64;

impl MarlinBoard {
    /// Packs a legal position.
    pub fn pack(annotated: &ScoredPosition, rules: &Rules) -> Self {
        let ScoredPosition { position, score, result, fullmove } = *annotated;
        let state = position.state;
        let rooks = rules.castling_rooks();
        let may_castle = |color, square: Square| {
            let first_right = if color == Color::White { 0 } else { 2 };
            (first_right..first_right + 2)
                .any(|right| state.castling() >> right & 1 != 0 && rooks[right] == square.bit())
        };
        let code = |color, piece, square| match piece {
            Piece::Rook if may_castle(color, square) => CASTLING_ROOK,
            _ => piece as u8,
        };
        let turn = if state.turn() == Color::Black { BLACK } else { 0 };
        Self {
            occupied: position.occupied(),
            pieces: pieces::pack(&position, code),
            turn_and_en_passant: turn | state.en_passant_square().map_or(NO_SQUARE, Square::index),
            halfmove_clock: state.halfmove_clock(),
            fullmove,
            score,
            result: result as u8,
            extra: 0,
        }
    }

    /// Returns the position, and its rules: the files of the castling rooks, and a halfmove clock if it is not 0.
    ///
    /// # Errors
    /// If the bytes are not a legal position, or if they contradict each other.
    pub fn unpack(&self) -> Result<(ScoredPosition, Rules), RecordError> {
        let mut position = Position::default();
        let mut castling_rooks = Vec::new();
        for (square, color, code) in pieces::unpack(self.occupied, &self.pieces)? {
            let piece = match code {
                CASTLING_ROOK => {
                    castling_rooks.push((color, square));
                    Piece::Rook
                }
                _ => pieces::piece(square, code)?,
            };
            position.put(color, piece, square);
        }
        let turn = if self.turn_and_en_passant & BLACK == 0 { Color::White } else { Color::Black };
        position.state = State::default().with_turn(turn).with_halfmove_clock(self.halfmove_clock);
        // Kings and rooks are placed before the rights are set, so that every right has its king.
        position.check(&Rules::STANDARD)?;
        let mut rules = Rules::STANDARD.with_halfmove_clock(self.halfmove_clock != 0);
        let mut rights = 0;
        for (color, square) in castling_rooks {
            let is_queenside = position.king(color).is_some_and(|king| square < king);
            let right = usize::from(is_queenside) + if color == Color::White { 0 } else { 2 };
            if rights >> right & 1 != 0 || square.rank() != color.home_rank() {
                return Err(RecordError::Rook(square));
            }
            rights |= 1 << right;
            rules.castling_files[right] = square.file();
        }
        position.state = position.state.with_castling(rights);
        match self.turn_and_en_passant & !BLACK {
            NO_SQUARE => {}
            number => {
                let square = Square::new(number).ok_or(RecordError::EnPassant(number))?;
                // A square where no capture is legal is left out; an impossible one is found by the check below.
                if position.en_passant_is_legal(square) {
                    position.state = position.state.with_en_passant(Some(square.file()));
                    if position.state.en_passant_square() != Some(square) {
                        return Err(RecordError::EnPassant(number));
                    }
                }
            }
        }
        position.check(&rules)?;
        let result = GameResult::new(self.result).ok_or(RecordError::Result(self.result))?;
        Ok((ScoredPosition { position, score: self.score, result, fullmove: self.fullmove }, rules))
    }
}
