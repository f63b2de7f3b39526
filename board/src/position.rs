//! The unpacked position, and the rules that make it legal.
//!
//! The generators are in other crates.

use thiserror::Error;

use crate::bits::{Bits, FILE_A, PAWN_RANKS, RANK_1, RANK_8};
use crate::fills::{
    bishop_attacks_from, king_attacks, knight_attacks, pawn_attacks_down, pawn_attacks_up, rook_attacks_from,
};
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
    #[error("There are {count} {color} pieces; a side can have at most 16.")]
    TooManyPieces {
        /// The colour.
        color: Color,
        /// The number of its pieces.
        count: u32,
    },
    /// More than eight pawns.
    #[error("There are {count} {color} pawns; a side can have at most 8.")]
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
    #[error("The {color} king is in check from {count} pieces; one move can give at most two checks.")]
    TooManyCheckers {
        /// The colour in check.
        color: Color,
        /// The number of pieces that give check.
        count: u32,
    },
    /// A castling right without its king on the home rank.
    #[error("The {0} side has a castling right, but its king is not on its home rank.")]
    CastlingKing(Color),
    /// A castling right without its rook.
    #[error(
        "The {color} side has the right to castle with a rook on {square}, but there is no such rook on that side of the king."
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
    ///
    /// ```
    /// assert_eq!(kogge_board::Fen::start().position.occupied(), 0xffff_0000_0000_ffff);
    /// ```
    #[inline]
    pub const fn occupied(&self) -> u64 {
        self.pawns | self.knights | self.bishops_queens | self.rooks_queens | self.kings
    }

    /// Returns all pieces of one colour.
    ///
    /// ```
    /// use kogge_board::{Color, Fen};
    /// assert_eq!(Fen::start().position.of(Color::Black), 0xffff_0000_0000_0000);
    /// ```
    #[inline]
    pub const fn of(&self, color: Color) -> u64 {
        match color {
            Color::White => self.white,
            Color::Black => self.occupied() & !self.white,
        }
    }

    /// Returns all pieces of one kind.
    ///
    /// ```
    /// use kogge_board::{Fen, Piece, Square};
    /// let queens = Fen::start().position.kind(Piece::Queen);
    /// assert_eq!(queens, Square::at(3, 0).bit() | Square::at(3, 7).bit());
    /// ```
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
    ///
    /// ```
    /// use kogge_board::{Color, Fen, Piece, Square};
    /// let position = Fen::start().position;
    /// assert_eq!(position.piece_at(Square::at(3, 7)), Some((Color::Black, Piece::Queen)));
    /// assert_eq!(position.piece_at(Square::at(3, 3)), None);
    /// ```
    pub fn piece_at(&self, square: Square) -> Option<(Color, Piece)> {
        let on = |board: u64| board & square.bit() != 0;
        let color = if on(self.white) { Color::White } else { Color::Black };
        let piece = match (on(self.bishops_queens), on(self.rooks_queens)) {
            (true, true) => Piece::Queen,
            (true, false) => Piece::Bishop,
            (false, true) => Piece::Rook,
            _ if on(self.pawns) => Piece::Pawn,
            _ if on(self.knights) => Piece::Knight,
            _ if on(self.kings) => Piece::King,
            _ => return None,
        };
        Some((color, piece))
    }

    /// Puts a piece on a square and removes the piece that stood there.
    ///
    /// ```
    /// use kogge_board::{Color, Fen, Piece, Position, Rules, Square};
    /// let mut position = Position::default();
    /// position.put(Color::White, Piece::King, Square::at(4, 0));
    /// position.put(Color::Black, Piece::King, Square::at(4, 7));
    /// assert_eq!(Fen::new(position, Rules::STANDARD).to_string(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    /// ```
    pub fn put(&mut self, color: Color, piece: Piece, square: Square) {
        self.clear(square.bit());
        self.place(color, piece, square);
    }

    /// Puts a piece on an empty square.
    #[inline]
    pub(crate) const fn place(&mut self, color: Color, piece: Piece, square: Square) {
        // Without branches, because a branch on the kind of a piece is often predicted wrongly.
        self.white |= (matches!(color, Color::White) as u64) << square.index();
        self.pawns |= (matches!(piece, Piece::Pawn) as u64) << square.index();
        self.knights |= (matches!(piece, Piece::Knight) as u64) << square.index();
        self.bishops_queens |= (matches!(piece, Piece::Bishop | Piece::Queen) as u64) << square.index();
        self.rooks_queens |= (matches!(piece, Piece::Rook | Piece::Queen) as u64) << square.index();
        self.kings |= (matches!(piece, Piece::King) as u64) << square.index();
    }

    /// Removes all pieces from these squares.
    ///
    /// ```
    /// use kogge_board::{Color, Fen, Square};
    /// let mut odds = Fen::start().position;
    /// odds.clear(Square::at(1, 0).bit());
    /// assert_eq!(odds.of(Color::White).count_ones(), 15);
    /// ```
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
    ///
    /// ```
    /// use kogge_board::{Color, Fen};
    /// let fen: Fen = "4k3/8/8/8/8/8/8/4K3 b - - 0 1".parse()?;
    /// assert_eq!(fen.position.turn(), Color::Black);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub const fn turn(&self) -> Color {
        self.state.turn()
    }

    /// Returns the square of this colour's king (the lowest one, if there are several).
    ///
    /// ```
    /// use kogge_board::{Color, Fen, Position, Square};
    /// assert_eq!(Fen::start().position.king(Color::Black), Some(Square::at(4, 7)));
    /// assert_eq!(Position::default().king(Color::White), None);
    /// ```
    pub fn king(&self, color: Color) -> Option<Square> {
        Square::of(self.kings & self.of(color))
    }

    /// Returns all pieces of the colour `by` that attack a square, with `occupied` squares.
    ///
    /// ```
    /// use kogge_board::{Color, Fen, Square};
    /// let position = "k7/8/4p3/8/8/4R3/4R3/K7 w - - 0 1".parse::<Fen>()?.position;
    /// let (pawn, front, behind) = (Square::at(4, 5), Square::at(4, 2).bit(), Square::at(4, 1).bit());
    /// assert_eq!(position.attackers(pawn, Color::White, position.occupied()), front);
    /// assert_eq!(position.attackers(pawn, Color::White, position.occupied() & !front), behind);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub fn attackers(&self, square: Square, by: Color, occupied: u64) -> u64 {
        let (sliders, square) =
            ((rook_attacks_from(square, occupied), bishop_attacks_from(square, occupied)), square.bit());
        let pawns = match by {
            Color::White => pawn_attacks_down(square),
            Color::Black => pawn_attacks_up(square),
        };
        let found = sliders.0 & self.rooks_queens
            | sliders.1 & self.bishops_queens
            | knight_attacks(square) & self.knights
            | king_attacks(square) & self.kings
            | pawns & self.pawns;
        found & self.of(by) & occupied
    }

    /// Returns the pieces that give check to the side to move.
    ///
    /// ```
    /// use kogge_board::{Fen, Square};
    /// let fen: Fen = "4k3/8/5N2/8/8/8/8/4RK2 b - - 0 1".parse()?;
    /// assert_eq!(fen.position.checkers(), Square::at(5, 5).bit() | Square::at(4, 0).bit());
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub fn checkers(&self) -> u64 {
        let turn = self.turn();
        self.king(turn).map_or(0, |king| self.attackers(king, turn.opposite(), self.occupied()))
    }

    /// Checks that the position is legal under these rules: one king each, pawns on ranks 2 to 7, at most 16
    /// pieces and 8 pawns a side, the side not to move not in check, at most two checkers of the side to move,
    /// castling rights only with king and rook at home, en passant only where legal.
    ///
    /// ```
    /// use kogge_board::{Color, Fen, PositionError, Rules, State};
    /// let Fen { mut position, rules, .. } = "4k3/8/8/8/8/8/8/4R1K1 b - - 0 1".parse()?;
    /// assert_eq!(position.check(&rules), Ok(()));
    /// position.state = position.state.with_turn(Color::White);
    /// assert_eq!(position.check(&rules), Err(PositionError::OpponentInCheck(Color::Black)));
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
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

    pub(crate) fn check_boards(&self) -> Result<(), PositionError> {
        self.check_moves_defined()?;
        self.check_numbers()
    }

    /// Checks what the rules of movement need: one king each, pawns on ranks 2 to 7, and no king that can be captured.
    pub(crate) fn check_moves_defined(&self) -> Result<(), PositionError> {
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
        }
        let opponent = self.turn().opposite();
        if self.king(opponent).is_some_and(|king| self.attackers(king, self.turn(), self.occupied()) != 0) {
            return Err(PositionError::OpponentInCheck(opponent));
        }
        Ok(())
    }

    /// Checks that a game can lead to these numbers of pieces and of checkers.
    fn check_numbers(&self) -> Result<(), PositionError> {
        for color in Color::ALL {
            let own = self.of(color);
            let count = own.count_ones();
            if count > 16 {
                return Err(PositionError::TooManyPieces { color, count });
            }
            let count = (own & self.pawns).count_ones();
            if count > 8 {
                return Err(PositionError::TooManyPawns { color, count });
            }
        }
        match self.checkers().count_ones() {
            0..=2 => Ok(()),
            count => Err(PositionError::TooManyCheckers { color: self.turn(), count }),
        }
    }

    pub(crate) fn check_castling(&self, rules: &Rules) -> Result<(), PositionError> {
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
        self.check_passed(square)?;
        let turn = self.turn();
        let [origin, target] = push_over(square, turn);
        let mut before = *self;
        before.clear(target);
        before.put(turn.opposite(), Piece::Pawn, Square::of(origin).unwrap_or(square));
        match self.king(turn) {
            Some(king) if before.attackers(king, turn.opposite(), before.occupied()) != 0 => {
                let reason = "the king was in check before the pawn moved";
                Err(PositionError::EnPassant { square, reason })
            }
            _ => Ok(()),
        }
    }

    /// Checks that a pawn of the side not to move stands as after a double push over `square`.
    pub(crate) fn check_passed(&self, square: Square) -> Result<(), PositionError> {
        let wrong = |reason| Err(PositionError::EnPassant { square, reason });
        let turn = self.turn();
        let [origin, target] = push_over(square, turn);
        if square.rank() != if turn == Color::White { 5 } else { 2 } {
            return wrong("it must be on rank 6 with white to move and on rank 3 with black to move");
        }
        if self.pawns & self.of(turn.opposite()) & target == 0 {
            return wrong("no pawn of the other side stands in front of it");
        }
        if self.occupied() & (origin | square.bit()) != 0 {
            return wrong("the pawn's way there is not empty");
        }
        Ok(())
    }

    /// Returns whether some pawn of the side to move can legally capture en passant on `square`, which a double push has
    /// just passed.
    ///
    /// ```
    /// use kogge_board::{Fen, Square};
    /// let [free, pinned]: [Fen; 2] = ["8/8/8/8/k2Pp3/8/8/4K3 b - - 0 1".parse()?, "8/8/8/8/k2Pp2R/8/8/4K3 b - - 0 1".parse()?];
    /// assert!(free.position.en_passant_is_legal(Square::at(3, 2)));
    /// // The capture would take both pawns off the king's rank.
    /// assert!(!pinned.position.en_passant_is_legal(Square::at(3, 2)));
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
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
    ///
    /// ```
    /// use kogge_board::Fen;
    /// let fen: Fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse()?;
    /// assert_eq!(Fen::new(fen.position.mirrored(), fen.rules).to_string(), "4k2r/8/8/8/8/8/8/4K3 b k - 0 1");
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
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

/// The squares where a double push over `square` begins and ends; the opponent of `turn` makes it.
const fn push_over(square: Square, turn: Color) -> [u64; 2] {
    match turn {
        Color::White => [square.bit() << 8, square.bit() >> 8],
        Color::Black => [square.bit() >> 8, square.bit() << 8],
    }
}

/// Ranks 1 and 8, where the packed pawn boards hold the state.
pub(crate) const OUTER_RANKS: u64 = RANK_1 | RANK_8;
