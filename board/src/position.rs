//! The unpacked position, and the rules that make it legal.
//!
//! The code here is slow and obviously correct: it walks along rays square by square. The fast generators are
//! in other crates.

use thiserror::Error;

use crate::bits::{Bits, FILE_A, PAWN_RANKS, RANK_1, RANK_8};
use crate::square::{Color, Piece, Square};
use crate::{Rules, State};

/// A position: six overlapping bitboards and the state.
///
/// [`Position::check`] checks that it is legal. Every conversion from outside ([`Fen`](crate::Fen),
/// the packed formats) returns only checked positions; a position built by hand must be checked
/// before it goes to a [`Backend`](crate::Backend).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Position {
    /// All white pieces.
    pub white: u64,
    /// The pawns of both sides.
    pub pawns: u64,
    /// The knights of both sides.
    pub knights: u64,
    /// Bishops and queens: the sliders on diagonals.
    pub bishops_queens: u64,
    /// Rooks and queens: the sliders on ranks and files.
    pub rooks_queens: u64,
    /// Both kings.
    pub kings: u64,
    /// The turn, castling rights, en passant and halfmove clock.
    pub state: State,
}

/// The reason why a position is not legal.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PositionError {
    /// Two kinds of piece on one square, or a white bit on an empty square.
    #[error("The bitboards contradict each other on {0}: every piece must be of exactly one kind.")]
    Contradiction(Square),
    /// A colour has no king or several.
    #[error("There are {count} {color} kings; each side must have exactly one.")]
    Kings {
        /// The colour.
        color: Color,
        /// The number of its kings.
        count: u32,
    },
    /// A pawn on the first or last rank.
    #[error("There is a pawn on {0}; pawns can stand on ranks 2 to 7 only.")]
    PawnRank(Square),
    /// More than 16 pieces.
    #[error("{color} has {count} pieces; a side can have at most 16.")]
    TooManyPieces {
        /// The colour.
        color: Color,
        /// The number of its pieces.
        count: u32,
    },
    /// More than eight pawns.
    #[error("{color} has {count} pawns; a side can have at most 8.")]
    TooManyPawns {
        /// The colour.
        color: Color,
        /// The number of its pawns.
        count: u32,
    },
    /// The side not to move is in check.
    #[error("The {0} king is in check although it is the other side's turn; the last move would have left it there.")]
    OpponentInCheck(Color),
    /// More checkers than a single move can cause.
    #[error("{count} pieces give check to the {color} king; one move can give at most two checks.")]
    TooManyCheckers {
        /// The colour in check.
        color: Color,
        /// The number of pieces that give check.
        count: u32,
    },
    /// A castling right without its king on the home rank.
    #[error("{0} has a castling right, but its king is not on its home rank with a rook on either side possible.")]
    CastlingKing(Color),
    /// A castling right without its rook.
    #[error(
        "{color} has the right to castle with a rook on {square}, but there is no such rook on that side of the king."
    )]
    CastlingRook {
        /// The colour.
        color: Color,
        /// The square where the rook should be.
        square: Square,
    },
    /// En passant although the last move cannot have been a double pawn push.
    #[error("The en-passant square {square} is impossible: {reason}.")]
    EnPassant {
        /// The square.
        square: Square,
        /// The contradiction.
        reason: &'static str,
    },
}

/// The steps (file, rank) from a square to its eight neighbours, orthogonal steps first.
pub(crate) const DIRECTIONS: [(i8, i8); 8] = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];
/// The steps (file, rank) of a knight.
pub(crate) const KNIGHT_STEPS: [(i8, i8); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

impl Position {
    /// Returns all occupied squares.
    #[inline]
    pub const fn occupied(&self) -> u64 {
        self.pawns | self.knights | self.bishops_queens | self.rooks_queens | self.kings
    }

    /// Returns all pieces of one colour.
    #[inline]
    pub const fn of(&self, color: Color) -> u64 {
        match color {
            Color::White => self.white,
            Color::Black => self.occupied() & !self.white,
        }
    }

    /// Returns all pieces of one kind.
    #[inline]
    pub const fn kind(&self, piece: Piece) -> u64 {
        match piece {
            Piece::Pawn => self.pawns,
            Piece::Knight => self.knights,
            Piece::Bishop => self.bishops_queens & !self.rooks_queens,
            Piece::Rook => self.rooks_queens & !self.bishops_queens,
            Piece::Queen => self.bishops_queens & self.rooks_queens,
            Piece::King => self.kings,
        }
    }

    /// Returns the piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<(Color, Piece)> {
        let color = if self.white & square.bit() != 0 { Color::White } else { Color::Black };
        let piece = Piece::ALL.into_iter().find(|&piece| self.kind(piece) & square.bit() != 0)?;
        Some((color, piece))
    }

    /// Puts a piece on a square and removes the piece that stood there.
    pub fn put(&mut self, color: Color, piece: Piece, square: Square) {
        self.clear(square.bit());
        let bit = square.bit();
        if color == Color::White {
            self.white |= bit;
        }
        match piece {
            Piece::Pawn => self.pawns |= bit,
            Piece::Knight => self.knights |= bit,
            Piece::Bishop => self.bishops_queens |= bit,
            Piece::Rook => self.rooks_queens |= bit,
            Piece::Queen => {
                self.bishops_queens |= bit;
                self.rooks_queens |= bit;
            }
            Piece::King => self.kings |= bit,
        }
    }

    /// Removes all pieces from these squares.
    pub fn clear(&mut self, squares: u64) {
        for board in [
            &mut self.white,
            &mut self.pawns,
            &mut self.knights,
            &mut self.bishops_queens,
            &mut self.rooks_queens,
            &mut self.kings,
        ] {
            *board &= !squares;
        }
    }

    /// Returns the side to move.
    pub const fn turn(&self) -> Color {
        self.state.turn()
    }

    /// Returns the square of this colour's king (the lowest one, if there are several).
    pub fn king(&self, color: Color) -> Option<Square> {
        Square::of(self.kings & self.of(color))
    }

    /// Returns all pieces of the colour `by` that attack a square, with `occupied` squares.
    pub fn attackers(&self, square: Square, by: Color, occupied: u64) -> u64 {
        let mut found = 0;
        for (direction, step) in DIRECTIONS.into_iter().enumerate() {
            let sliders = if direction < 4 { self.rooks_queens } else { self.bishops_queens };
            let mut at = square;
            while let Some(next) = at.offset(step) {
                at = next;
                if occupied & at.bit() != 0 {
                    found |= at.bit() & sliders;
                    break;
                }
            }
            if let Some(next) = square.offset(step) {
                found |= next.bit() & self.kings;
            }
        }
        for step in KNIGHT_STEPS {
            found |= square.offset(step).map_or(0, Square::bit) & self.knights;
        }
        // A pawn attacks from one rank behind the square, as its side sees the board.
        let behind = if by == Color::White { -1 } else { 1 };
        for file in [-1, 1] {
            found |= square.offset((file, behind)).map_or(0, Square::bit) & self.pawns;
        }
        found & self.of(by) & occupied
    }

    /// Returns the pieces that give check to the side to move.
    pub fn checkers(&self) -> u64 {
        let turn = self.turn();
        self.king(turn).map_or(0, |king| self.attackers(king, turn.opposite(), self.occupied()))
    }

    /// Checks that the position is legal under these rules: one king each, pawns on ranks 2 to 7, at most 16
    /// pieces and 8 pawns a side, the side not to move not in check, at most two checkers of the side to move,
    /// castling rights only with king and rook at home, en passant only where legal.
    ///
    /// # Errors
    /// The first violated condition.
    pub fn check(&self, rules: &Rules) -> Result<(), PositionError> {
        self.check_boards()?;
        self.check_castling(rules)?;
        if let Some(square) = self.state.en_passant_square() {
            self.check_double_push(square)?;
            if !self.en_passant_is_legal(square) {
                let reason = "no pawn can legally capture there";
                return Err(PositionError::EnPassant { square, reason });
            }
        } else if self.state.0 & State::EN_PASSANT != 0 {
            let square = Square::at((self.state.0 >> 5) as u8, if self.turn() == Color::White { 5 } else { 2 });
            let reason = "a file is recorded although no capture is";
            return Err(PositionError::EnPassant { square, reason });
        }
        Ok(())
    }

    fn check_boards(&self) -> Result<(), PositionError> {
        let kinds = Piece::ALL.map(|piece| self.kind(piece));
        let mut seen = 0;
        let mut twice = 0;
        for kind in kinds {
            twice |= seen & kind;
            seen |= kind;
        }
        if let Some(square) = Square::of(twice | self.white & !seen) {
            return Err(PositionError::Contradiction(square));
        }
        if let Some(square) = Square::of(self.pawns & !PAWN_RANKS) {
            return Err(PositionError::PawnRank(square));
        }
        for color in Color::ALL {
            let own = self.of(color);
            let count = (own & self.kings).count_ones();
            if count != 1 {
                return Err(PositionError::Kings { color, count });
            }
            let count = own.count_ones();
            if count > 16 {
                return Err(PositionError::TooManyPieces { color, count });
            }
            let count = (own & self.pawns).count_ones();
            if count > 8 {
                return Err(PositionError::TooManyPawns { color, count });
            }
        }
        let opponent = self.turn().opposite();
        if self.king(opponent).is_some_and(|king| self.attackers(king, self.turn(), self.occupied()) != 0) {
            return Err(PositionError::OpponentInCheck(opponent));
        }
        match self.checkers().count_ones() {
            0..=2 => Ok(()),
            count => Err(PositionError::TooManyCheckers { color: self.turn(), count }),
        }
    }

    fn check_castling(&self, rules: &Rules) -> Result<(), PositionError> {
        for (right, rook) in rules.castling_rooks().into_iter().enumerate() {
            if self.state.castling() >> right & 1 == 0 {
                continue;
            }
            let color = if right < 2 { Color::White } else { Color::Black };
            let home = crate::bits::rank(color.home_rank());
            let king = self.kings & self.of(color) & home;
            // A king on file a or h has room for a rook on one side only, so the side of the rook is checked, too.
            if king == 0 {
                return Err(PositionError::CastlingKing(color));
            }
            let on_its_side = if right & 1 == 0 { rook > king } else { rook < king };
            if rook & self.kind(Piece::Rook) & self.of(color) == 0 || !on_its_side {
                let square = Square::at(rook.trailing_zeros() as u8 & 7, color.home_rank());
                return Err(PositionError::CastlingRook { color, square });
            }
        }
        Ok(())
    }

    /// Checks that the last move may have been a double pawn push over `square`, by the side not to move.
    pub(crate) fn check_double_push(&self, square: Square) -> Result<(), PositionError> {
        let wrong = |reason| Err(PositionError::EnPassant { square, reason });
        let turn = self.turn();
        let (rank, origin, target) = match turn {
            Color::White => (5, square.bit() << 8, square.bit() >> 8),
            Color::Black => (2, square.bit() >> 8, square.bit() << 8),
        };
        if square.rank() != rank {
            return wrong("it must be on rank 6 with white to move and on rank 3 with black to move");
        }
        if self.pawns & self.of(turn.opposite()) & target == 0 {
            return wrong("no pawn of the other side stands in front of it");
        }
        if self.occupied() & (origin | square.bit()) != 0 {
            return wrong("the pawn's way there is not empty");
        }
        let mut before = *self;
        before.clear(target);
        before.put(turn.opposite(), Piece::Pawn, Square::of(origin).unwrap_or(square));
        match self.king(turn) {
            Some(king) if before.attackers(king, turn.opposite(), before.occupied()) != 0 => {
                wrong("the king was in check before the pawn moved")
            }
            _ => Ok(()),
        }
    }

    /// Returns whether some pawn of the side to move can legally capture en passant on `square`, which a double push has
    /// just passed.
    pub fn en_passant_is_legal(&self, square: Square) -> bool {
        let turn = self.turn();
        let Some(king) = self.king(turn) else { return false };
        let target = if turn == Color::White { square.bit() >> 8 } else { square.bit() << 8 };
        let beside = (target & !FILE_A) >> 1 | (target & !(FILE_A << 7)) << 1;
        Bits(beside & self.pawns & self.of(turn)).any(|from| {
            let occupied = self.occupied() & !from & !target | square.bit();
            self.attackers(king, turn.opposite(), occupied) == 0
        })
    }

    /// Returns the position with the colours exchanged and the board flipped.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let rights = self.state.castling();
        let state = self.state.with_turn(self.turn().opposite()).with_castling(rights >> 2 | rights << 2);
        Self {
            white: self.of(Color::Black).swap_bytes(),
            pawns: self.pawns.swap_bytes(),
            knights: self.knights.swap_bytes(),
            bishops_queens: self.bishops_queens.swap_bytes(),
            rooks_queens: self.rooks_queens.swap_bytes(),
            kings: self.kings.swap_bytes(),
            state,
        }
    }
}

/// Ranks 1 and 8, where the packed pawn boards hold the state.
pub(crate) const OUTER_RANKS: u64 = RANK_1 | RANK_8;
