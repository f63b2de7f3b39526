//! The 16-bit move: playing it, and finding it from two positions.

use crate::square::{Color, Piece, Square};
use crate::{Position, Rules};

/// The kind of a move; the upper four bits of a [`Move`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveKind {
    /// No capture, promotion, castling or double push.
    Quiet,
    /// A pawn's double push.
    DoublePush,
    /// Castling towards file h.
    CastleKingside,
    /// Castling towards file a.
    CastleQueenside,
    /// A capture.
    Capture,
    /// A capture en passant.
    EnPassant,
    /// A promotion without capture.
    Promotion(Piece),
    /// A promotion with capture.
    CapturePromotion(Piece),
}

/// A move in 16 bits: from (0 to 5), to (6 to 11), kind (12 to 15).
///
/// The kinds have their customary numbers: 0 quiet, 1 double push, 2 and 3 castling kingside and
/// queenside, 4 capture, 5 en passant, 8 to 11 promotion to knight, bishop, rook, queen, 12 to 15
/// promotion with capture. Castling is the king's move to file g or c; in Chess960 the king may already
/// stand there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Move(u16);

impl Move {
    /// Makes a move from its parts.
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        let kind = match kind {
            MoveKind::Quiet => 0,
            MoveKind::DoublePush => 1,
            MoveKind::CastleKingside => 2,
            MoveKind::CastleQueenside => 3,
            MoveKind::Capture => 4,
            MoveKind::EnPassant => 5,
            MoveKind::Promotion(piece) => 8 | (piece as u16).wrapping_sub(1) & 3,
            MoveKind::CapturePromotion(piece) => 12 | (piece as u16).wrapping_sub(1) & 3,
        };
        Self(from.index() as u16 | (to.index() as u16) << 6 | kind << 12)
    }

    /// Returns the move with these bits, or `None` for the two unused kinds, 6 and 7.
    pub const fn from_bits(bits: u16) -> Option<Self> {
        match bits >> 12 {
            6 | 7 => None,
            _ => Some(Self(bits)),
        }
    }

    /// Returns the 16 bits.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the square that the piece leaves (in castling, the king).
    pub const fn from(self) -> Square {
        Square::at(self.0 as u8 & 7, (self.0 >> 3) as u8 & 7)
    }

    /// Returns the square that the piece goes to (in castling, the king).
    pub const fn to(self) -> Square {
        Square::at((self.0 >> 6) as u8 & 7, (self.0 >> 9) as u8 & 7)
    }

    /// Returns the kind of the move.
    pub const fn kind(self) -> MoveKind {
        let promotion = match self.0 >> 12 & 3 {
            0 => Piece::Knight,
            1 => Piece::Bishop,
            2 => Piece::Rook,
            _ => Piece::Queen,
        };
        match self.0 >> 12 {
            0 => MoveKind::Quiet,
            1 => MoveKind::DoublePush,
            2 => MoveKind::CastleKingside,
            3 => MoveKind::CastleQueenside,
            4 => MoveKind::Capture,
            5 => MoveKind::EnPassant,
            8..=11 => MoveKind::Promotion(promotion),
            _ => MoveKind::CapturePromotion(promotion),
        }
    }

    /// Returns the kind of piece that the pawn promotes to.
    pub const fn promotion(self) -> Option<Piece> {
        match self.kind() {
            MoveKind::Promotion(piece) | MoveKind::CapturePromotion(piece) => Some(piece),
            _ => None,
        }
    }

    /// Returns whether the move captures, en passant included.
    pub const fn is_capture(self) -> bool {
        matches!(self.kind(), MoveKind::Capture | MoveKind::EnPassant | MoveKind::CapturePromotion(_))
    }

    /// Returns whether the move is castling.
    pub const fn is_castling(self) -> bool {
        matches!(self.kind(), MoveKind::CastleKingside | MoveKind::CastleQueenside)
    }

    /// Returns the pseudo-legal move that leads from `parent` to `child`, if there is one. Generators that make
    /// positions without move lists recover the moves this way.
    pub fn between(rules: &Rules, parent: &Position, child: &Position) -> Option<Self> {
        let turn = parent.turn();
        let (own, own_after) = (parent.of(turn), child.of(turn));
        for kind in [MoveKind::CastleKingside, MoveKind::CastleQueenside] {
            if let Some(castling) = Self::castling(rules, parent, kind)
                && parent.play(rules, castling) == *child
            {
                return Some(castling);
            }
        }
        let from = Square::of(own & !own_after)?;
        let to = Square::of(own_after & !own)?;
        let (_, piece) = parent.piece_at(from)?;
        let (_, piece_after) = child.piece_at(to)?;
        let capture = parent.occupied() & to.bit() != 0;
        let kind = match (piece == piece_after, capture) {
            (false, false) => MoveKind::Promotion(piece_after),
            (false, true) => MoveKind::CapturePromotion(piece_after),
            (true, true) => MoveKind::Capture,
            (true, false) if piece != Piece::Pawn => MoveKind::Quiet,
            (true, false) if from.file() != to.file() => MoveKind::EnPassant,
            (true, false) if from.rank().abs_diff(to.rank()) == 2 => MoveKind::DoublePush,
            (true, false) => MoveKind::Quiet,
        };
        let found = Self::new(from, to, kind);
        (parent.play(rules, found) == *child).then_some(found)
    }

    /// Returns the king's move of a castling, if the side to move has the right.
    fn castling(rules: &Rules, position: &Position, kind: MoveKind) -> Option<Self> {
        let turn = position.turn();
        let (right, file) = if kind == MoveKind::CastleKingside { (0, 6) } else { (1, 2) };
        let right = right + if turn == Color::White { 0 } else { 2 };
        let king = position.king(turn)?;
        let has_rook = rules.castling_rooks()[right] & position.kind(Piece::Rook) & position.of(turn) != 0;
        (position.state.castling() >> right & 1 != 0 && has_rook)
            .then(|| Self::new(king, Square::at(file, turn.home_rank()), kind))
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(piece) => write!(f, "{}", piece.letter()),
            None => Ok(()),
        }
    }
}

impl Position {
    /// Plays a pseudo-legal move and updates turn, castling rights, en passant and the halfmove clock (if the rules
    /// keep it).
    ///
    /// A move that is not pseudo-legal gives a meaningless position, but no panic.
    #[must_use]
    pub fn play(&self, rules: &Rules, played: Move) -> Self {
        let turn = self.turn();
        let mut after = *self;
        let (from, to) = (played.from(), played.to());
        let piece = self.piece_at(from).map_or(Piece::Pawn, |(_, piece)| piece);
        let home = turn.home_rank();
        let rooks = rules.castling_rooks();
        let first_right = if turn == Color::White { 0 } else { 2 };

        match played.kind() {
            kind @ (MoveKind::CastleKingside | MoveKind::CastleQueenside) => {
                let (right, rook_file) = if kind == MoveKind::CastleKingside { (0, 5) } else { (1, 3) };
                after.clear(from.bit() | rooks[first_right + right]);
                after.put(turn, Piece::King, to);
                after.put(turn, Piece::Rook, Square::at(rook_file, home));
            }
            MoveKind::EnPassant => {
                after.clear(from.bit() | Square::at(to.file(), from.rank()).bit());
                after.put(turn, piece, to);
            }
            _ => {
                after.clear(from.bit());
                after.put(turn, played.promotion().unwrap_or(piece), to);
            }
        }

        let mut rights = self.state.castling();
        if piece == Piece::King {
            rights &= !(0b11 << first_right);
        }
        for (right, rook) in rooks.into_iter().enumerate() {
            if (from.bit() | to.bit()) & rook != 0 {
                rights &= !(1 << right);
            }
        }
        let clock = match rules.halfmove_clock {
            true if piece != Piece::Pawn && !played.is_capture() => self.state.halfmove_clock().saturating_add(1),
            _ => 0,
        };
        after.state = after
            .state
            .with_turn(turn.opposite())
            .with_castling(rights)
            .with_halfmove_clock(clock)
            .with_en_passant(None);
        if played.kind() == MoveKind::DoublePush {
            let passed = Square::at(to.file(), (from.rank() + to.rank()) / 2);
            if after.en_passant_is_legal(passed) {
                after.state = after.state.with_en_passant(Some(to.file()));
            }
        }
        after
    }
}
