//! The 16-bit move: playing it, and finding it from two positions.

use crate::bits::{NOT_FILE_A, NOT_FILE_H};
use crate::square::{Color, Piece, Square};
use crate::{Position, Rules, State, bits};

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
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Square};
    /// let capture = Move::new(Square::at(6, 4), Square::at(5, 5), MoveKind::EnPassant);
    /// assert_eq!(format!("{capture:?}"), "g5f6");
    /// ```
    #[inline]
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
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Square};
    /// let push = Move::new(Square::at(4, 1), Square::at(4, 3), MoveKind::DoublePush);
    /// assert_eq!(Move::from_bits(12 | 28 << 6 | 1 << 12), Some(push));
    /// assert_eq!(Move::from_bits(6 << 12), None);
    /// ```
    pub const fn from_bits(bits: u16) -> Option<Self> {
        match bits >> 12 {
            6 | 7 => None,
            _ => Some(Self(bits)),
        }
    }

    /// Returns the 16 bits.
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Piece, Square};
    /// let promotion = Move::new(Square::at(0, 6), Square::at(0, 7), MoveKind::Promotion(Piece::Queen));
    /// assert_eq!(promotion.bits(), 48 | 56 << 6 | 11 << 12);
    /// ```
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the square that the piece leaves (in castling, the king).
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Square};
    /// let castling = Move::new(Square::at(4, 7), Square::at(6, 7), MoveKind::CastleKingside);
    /// assert_eq!(castling.from().to_string(), "e8");
    /// ```
    #[inline]
    pub const fn from(self) -> Square {
        Square::at(self.0 as u8 & 7, (self.0 >> 3) as u8 & 7)
    }

    /// Returns the square that the piece goes to (in castling, the king).
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Square};
    /// let castling = Move::new(Square::at(4, 7), Square::at(2, 7), MoveKind::CastleQueenside);
    /// assert_eq!(castling.to().to_string(), "c8");
    /// ```
    #[inline]
    pub const fn to(self) -> Square {
        Square::at((self.0 >> 6) as u8 & 7, (self.0 >> 9) as u8 & 7)
    }

    /// Returns the kind of the move.
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Piece, Square};
    /// let kind = MoveKind::CapturePromotion(Piece::Rook);
    /// assert_eq!(Move::new(Square::at(0, 6), Square::at(1, 7), kind).kind(), kind);
    /// ```
    #[inline]
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
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Piece, Square};
    /// let (from, to) = (Square::at(0, 6), Square::at(0, 7));
    /// assert_eq!(Move::new(from, to, MoveKind::Promotion(Piece::Knight)).promotion(), Some(Piece::Knight));
    /// assert_eq!(Move::new(from, to, MoveKind::Quiet).promotion(), None);
    /// ```
    #[inline]
    pub const fn promotion(self) -> Option<Piece> {
        match self.kind() {
            MoveKind::Promotion(piece) | MoveKind::CapturePromotion(piece) => Some(piece),
            _ => None,
        }
    }

    /// Returns whether the move captures, en passant included.
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Piece, Square};
    /// let kinds = [MoveKind::Capture, MoveKind::EnPassant, MoveKind::CapturePromotion(Piece::Queen)];
    /// assert!(kinds.iter().all(|&kind| Move::new(Square::at(4, 4), Square::at(3, 5), kind).is_capture()));
    /// ```
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.0 >> 14 & 1 != 0
    }

    /// Returns whether the move is castling.
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Square};
    /// let (from, to) = (Square::at(4, 0), Square::at(6, 0));
    /// assert!(Move::new(from, to, MoveKind::CastleKingside).is_castling());
    /// assert!(!Move::new(from, to, MoveKind::Quiet).is_castling());
    /// ```
    #[inline]
    pub const fn is_castling(self) -> bool {
        self.0 >> 13 == 1
    }

    /// Returns whether the move does more than take a piece to another square: castling, promotion, en passant.
    #[inline]
    pub(crate) const fn is_special(self) -> bool {
        // The common kinds are 0, 1 and 4.
        1 << (self.0 >> 12) & 0b1_0011 == 0
    }

    /// Returns the pseudo-legal move that leads from `parent` to `child`, if there is one. Generators that make
    /// positions without move lists recover the moves this way.
    ///
    /// ```
    /// use kogge_board::{Fen, Move, MoveKind};
    /// let [before, after]: [Fen; 2] = ["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1".parse()?, "4k3/8/8/8/8/8/8/2KR4 b - - 0 1".parse()?];
    /// let found = Move::between(&before.rules, &before.position, &after.position);
    /// assert_eq!(found.map(Move::kind), Some(MoveKind::CastleQueenside));
    /// assert_eq!(Move::between(&before.rules, &before.position, &before.position), None);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
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
    ///
    /// ```
    /// use kogge_board::{Fen, Move, MoveKind, Square};
    /// let fen: Fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse()?;
    /// let castling = Move::new(Square::at(4, 0), Square::at(6, 0), MoveKind::CastleKingside);
    /// let after = fen.position.play(&fen.rules, castling);
    /// assert_eq!(Fen::new(after, fen.rules).to_string(), "4k3/8/8/8/8/8/8/5RK1 b - - 0 1");
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn play(&self, rules: &Rules, played: Move) -> Self {
        if played.is_special() { self.play_special(rules, played) } else { self.play_common(rules, played) }
    }

    /// Plays a move that only takes a piece to another square.
    ///
    /// The boards stay in registers until the position is written once. A position that is written word by word and then copied in
    /// larger pieces takes twice the time.
    #[inline(always)]
    pub(crate) fn play_common(&self, rules: &Rules, played: Move) -> Self {
        let (from, to) = (played.from(), played.to());
        let cleared = !(from.bit() | to.bit());
        let moved = |board: u64| board & cleared | if board & from.bit() != 0 { to.bit() } else { 0 };
        let mut en_passant = None;
        if played.kind() == MoveKind::DoublePush {
            // Only a pawn beside the pawn can capture it.
            let beside = (to.bit() & NOT_FILE_A) >> 1 | (to.bit() & NOT_FILE_H) << 1;
            if beside & self.pawns != 0 && self.may_be_captured_en_passant(from, to) {
                en_passant = Some(to.file());
            }
        }
        Self {
            white: moved(self.white),
            pawns: moved(self.pawns),
            knights: moved(self.knights),
            bishops_queens: moved(self.bishops_queens),
            rooks_queens: moved(self.rooks_queens),
            kings: moved(self.kings),
            state: self.state_after(rules, played).with_en_passant(en_passant),
        }
    }

    /// Plays castling, a promotion or a capture en passant.
    #[inline(never)]
    pub(crate) fn play_special(&self, rules: &Rules, played: Move) -> Self {
        let turn = self.turn();
        let (from, to) = (played.from(), played.to());
        let mut after = *self;
        after.clear(from.bit() | to.bit());
        match played.kind() {
            kind @ (MoveKind::CastleKingside | MoveKind::CastleQueenside) => {
                let rook_file = if kind == MoveKind::CastleKingside { 5 } else { 3 };
                after.clear(played.castling_rook(rules).map_or(0, Square::bit));
                after.put(turn, Piece::King, to);
                after.put(turn, Piece::Rook, Square::at(rook_file, turn.home_rank()));
            }
            kind => {
                if kind == MoveKind::EnPassant {
                    after.clear(Square::at(to.file(), from.rank()).bit());
                }
                after.put(turn, played.promotion().unwrap_or(Piece::Pawn), to);
            }
        }
        after.state = self.state_after(rules, played);
        after
    }

    /// Returns the state after a move, without en passant.
    #[inline(always)]
    fn state_after(&self, rules: &Rules, played: Move) -> State {
        let from = played.from().bit();
        let rights = match self.state.castling() {
            0 => 0,
            rights => {
                // The other side's king may stand on this side's home rank, and this side's king on the other one.
                let kings = self.kings & bits::rank(self.turn().home_rank());
                rights & !rules.lost_rights(kings, self.kings | self.rooks_queens, from | played.to().bit())
            }
        };
        let clock = match rules.halfmove_clock && self.pawns & from == 0 && !played.is_capture() {
            true => self.state.halfmove_clock() + 1,
            false => 0,
        };
        State::default().with_turn(self.turn().opposite()).with_castling(rights).with_halfmove_clock(clock)
    }

    /// Returns whether a pawn that is pushed two squares can legally be captured en passant then.
    #[inline(never)]
    fn may_be_captured_en_passant(&self, from: Square, to: Square) -> bool {
        let turn = self.turn();
        let mut after = *self;
        after.clear(from.bit());
        after.put(turn, Piece::Pawn, to);
        after.state = after.state.with_turn(turn.opposite());
        after.en_passant_is_legal(Square::at(to.file(), (from.rank() + to.rank()) / 2))
    }
}
