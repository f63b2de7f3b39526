//! The 32-bit move of the mailbox generator, with all information for making and ordering it.

use std::fmt;

use kogge_board::{Move, MoveKind, Piece, Square};

/// A move in 32 bits; squares are indices of a 10 x 12 mailbox board.
///
/// | bits | meaning |
/// |---|---|
/// | 0 to 6 | from |
/// | 7 to 13 | to (in castling, the king's destination) |
/// | 14 to 16 | promotion, 7 for none |
/// | 17 to 19 | captured kind, 7 for none |
/// | 20 to 25 | flags, the constants below |
/// | 26 to 31 | order |
///
/// The order takes the highest bits, so that sorting moves as numbers sorts them by order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub(super) struct ListMove(u32);

const TO: u32 = 7;
const PROMOTION: u32 = 14;
const CAPTURED: u32 = 17;
const FLAGS: u32 = 20;
const ORDER: u32 = 26;
/// The value of the promotion and captured fields if there is no piece.
const NO_PIECE: u32 = 7;

impl ListMove {
    /// Flag: a pawn moves two squares.
    pub(super) const DOUBLE_PUSH: u8 = 1;
    /// Flag: a pawn captures en passant; the captured kind is a pawn.
    pub(super) const EN_PASSANT: u8 = 2;
    /// Flag: castling towards file h.
    pub(super) const CASTLE_KINGSIDE: u8 = 4;
    /// Flag: castling towards file a.
    pub(super) const CASTLE_QUEENSIDE: u8 = 8;
    /// Flag: a pawn moves, so the halfmove clock restarts.
    pub(super) const PAWN: u8 = 16;

    /// Makes a quiet move between two mailbox indices (taken modulo 128), without flags, of order 0.
    #[inline]
    pub(super) const fn new(from: u8, to: u8) -> Self {
        Self((from & 127) as u32 | ((to & 127) as u32) << TO | NO_PIECE << PROMOTION | NO_PIECE << CAPTURED)
    }

    /// Replaces one field.
    const fn with(self, shift: u32, width: u32, value: u32) -> Self {
        let mask = (1 << width) - 1;
        Self(self.0 & !(mask << shift) | (value & mask) << shift)
    }

    #[inline]
    #[must_use]
    pub(super) const fn with_promotion(self, piece: Piece) -> Self {
        self.with(PROMOTION, 3, piece as u32)
    }

    #[inline]
    #[must_use]
    pub(super) const fn with_captured(self, piece: Piece) -> Self {
        self.with(CAPTURED, 3, piece as u32)
    }

    /// Replaces the flags by the lower six bits of `flags`.
    #[inline]
    #[must_use]
    pub(super) const fn with_flags(self, flags: u8) -> Self {
        self.with(FLAGS, 6, flags as u32)
    }

    /// Replaces the order, 0 to 63 (taken modulo 64).
    #[inline]
    #[must_use]
    pub(super) const fn with_order(self, order: u8) -> Self {
        self.with(ORDER, 6, order as u32)
    }

    /// Returns the mailbox index of the square that the piece leaves (in castling, the king).
    #[inline]
    pub(super) const fn from(self) -> u8 {
        (self.0 & 127) as u8
    }

    /// Returns the mailbox index of the square that the piece goes to (in castling, the king).
    #[inline]
    pub(super) const fn to(self) -> u8 {
        (self.0 >> TO & 127) as u8
    }

    #[inline]
    pub(super) const fn promotion(self) -> Option<Piece> {
        Piece::new((self.0 >> PROMOTION & 7) as u8)
    }

    /// Returns the captured kind; in en passant, a pawn.
    #[inline]
    pub(super) const fn captured(self) -> Option<Piece> {
        Piece::new((self.0 >> CAPTURED & 7) as u8)
    }

    #[inline]
    pub(super) const fn flags(self) -> u8 {
        (self.0 >> FLAGS & 63) as u8
    }

    #[inline]
    pub(super) const fn has(self, flags: u8) -> bool {
        self.flags() & flags != 0
    }

    /// Returns the order, 0 to 63.
    #[inline]
    pub(super) const fn order(self) -> u8 {
        (self.0 >> ORDER) as u8
    }

    /// Returns the mailbox index of a square: a1 is 21, h1 is 28, a8 is 91, h8 is 98. The border around the board is
    /// one file wide on both sides and two ranks high above and below, enough for a knight.
    #[inline]
    pub(super) const fn mailbox(square: Square) -> u8 {
        21 + square.file() + 10 * square.rank()
    }

    /// Returns the square with this mailbox index, or `None` on the border and beyond.
    #[inline]
    pub(super) const fn square(mailbox: u8) -> Option<Square> {
        match (mailbox / 10, mailbox % 10) {
            (rank @ 2..=9, file @ 1..=8) => Some(Square::at(file - 1, rank - 2)),
            _ => None,
        }
    }

    /// Converts to the 16-bit move, or `None` if a square is off the board.
    pub(super) const fn to_move(self) -> Option<Move> {
        let (Some(from), Some(to)) = (Self::square(self.from()), Self::square(self.to())) else {
            return None;
        };
        let kind = match (self.promotion(), self.captured()) {
            (Some(piece), Some(_)) => MoveKind::CapturePromotion(piece),
            (Some(piece), None) => MoveKind::Promotion(piece),
            (None, _) if self.has(Self::EN_PASSANT) => MoveKind::EnPassant,
            (None, _) if self.has(Self::CASTLE_KINGSIDE) => MoveKind::CastleKingside,
            (None, _) if self.has(Self::CASTLE_QUEENSIDE) => MoveKind::CastleQueenside,
            (None, Some(_)) => MoveKind::Capture,
            (None, None) if self.has(Self::DOUBLE_PUSH) => MoveKind::DoublePush,
            (None, None) => MoveKind::Quiet,
        };
        Some(Move::new(from, to, kind))
    }
}

impl fmt::Debug for ListMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |index| Self::square(index).map_or_else(|| format!("#{index}"), |square| square.to_string());
        write!(f, "{}{}", name(self.from()), name(self.to()))?;
        if let Some(piece) = self.promotion() {
            write!(f, "{}", piece.letter())?;
        }
        if let Some(piece) = self.captured() {
            write!(f, " takes {}", piece.letter())?;
        }
        write!(f, " flags {:#08b} order {}", self.flags(), self.order())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_and_mailbox_indices_match() {
        let on_board = (0..=u8::MAX).filter_map(ListMove::square).collect::<Vec<_>>();
        assert_eq!(on_board, (0..64).filter_map(Square::new).collect::<Vec<_>>());
        for square in on_board {
            assert_eq!(ListMove::square(ListMove::mailbox(square)), Some(square));
        }
        assert_eq!(ListMove::mailbox(Square::at(7, 7)), 98);
    }

    #[test]
    fn fields_do_not_disturb_each_other() {
        let quiet = ListMove::new(35, 55);
        assert_eq!((quiet.promotion(), quiet.captured(), quiet.flags(), quiet.order()), (None, None, 0, 0));
        for piece in Piece::ALL {
            for number in 0..64 {
                let full = quiet
                    .with_order(number)
                    .with_promotion(piece)
                    .with_flags(number ^ 63)
                    .with_captured(piece)
                    .with_order(number);
                assert_eq!((full.from(), full.to()), (35, 55));
                assert_eq!((full.promotion(), full.captured()), (Some(piece), Some(piece)));
                assert_eq!((full.flags(), full.order()), (number ^ 63, number));
            }
        }
    }

    #[test]
    fn every_kind_of_move_becomes_its_16_bits() {
        let [e2, e4] = [Square::at(4, 1), Square::at(4, 3)].map(ListMove::mailbox);
        let plain = ListMove::new(e2, e4);
        let kind = |list_move: ListMove| list_move.to_move().unwrap().kind();
        assert_eq!(kind(plain), MoveKind::Quiet);
        assert_eq!(kind(plain.with_flags(ListMove::PAWN | ListMove::DOUBLE_PUSH)), MoveKind::DoublePush);
        assert_eq!(kind(plain.with_flags(ListMove::CASTLE_KINGSIDE)), MoveKind::CastleKingside);
        assert_eq!(kind(plain.with_flags(ListMove::CASTLE_QUEENSIDE)), MoveKind::CastleQueenside);
        let capture = plain.with_captured(Piece::Pawn);
        assert_eq!(kind(capture), MoveKind::Capture);
        assert_eq!(kind(capture.with_flags(ListMove::EN_PASSANT)), MoveKind::EnPassant);
        assert_eq!(kind(plain.with_promotion(Piece::Rook)), MoveKind::Promotion(Piece::Rook));
        assert_eq!(kind(capture.with_promotion(Piece::Rook)), MoveKind::CapturePromotion(Piece::Rook));
        assert_eq!(
            capture.to_move().map(|found| (found.from(), found.to())),
            Some((Square::at(4, 1), Square::at(4, 3)))
        );
        assert_eq!(ListMove::new(e2, 20).to_move(), None);
    }

    #[test]
    fn the_order_sorts() {
        let first = ListMove::new(98, 97).with_order(3);
        let second = ListMove::new(21, 22).with_order(4);
        assert!(first < second);
    }
}
