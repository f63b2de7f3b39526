//! Moves as text: reading and writing UCI and SAN.
//!
//! This crate has no move generator: functions that depend on the legal moves take them as an argument.

use thiserror::Error;

use crate::fen::quote;
use crate::{Move, MoveKind, Piece, Position, Rules, Square, bits};

/// The reason why a text is not a move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MoveError {
    /// The text is not in UCI notation.
    #[error("{} is not a move in UCI notation; expected two squares such as e2e4, or e7e8q for a promotion.", quote(.0))]
    Uci(String),
    /// The text is not in SAN.
    #[error("{} is not a move in SAN; expected something such as e4, Nbd2, exd8=Q+ or O-O.", quote(.0))]
    San(String),
    /// No legal move matches.
    #[error("The move {} is not legal here.", quote(.0))]
    Illegal(String),
    /// Several legal moves match.
    #[error("The move {} is ambiguous; it may mean {}.", quote(.text), list(.moves))]
    Ambiguous {
        /// The text.
        text: String,
        /// The moves that match, at least two.
        moves: Vec<Move>,
    },
}

/// Formats moves as `e2e4, d2d4 or O-O`.
fn list(moves: &[Move]) -> String {
    let name = |found: &Move| match found.kind() {
        MoveKind::CastleKingside => "O-O".to_owned(),
        MoveKind::CastleQueenside => "O-O-O".to_owned(),
        _ => format!("{found:?}"),
    };
    let names: Vec<_> = moves.iter().map(name).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

impl Move {
    /// Writes the move in UCI notation: `e2e4`, `e7e8q`. Castling is the king's move to file g or c, or with
    /// `chess960` the king's move to its rook's square.
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Rules, Square};
    /// let castling = Move::new(Square::at(4, 7), Square::at(2, 7), MoveKind::CastleQueenside);
    /// assert_eq!(castling.uci(&Rules::STANDARD, false), "e8c8");
    /// assert_eq!(castling.uci(&Rules::STANDARD, true), "e8a8");
    /// ```
    pub fn uci(self, rules: &Rules, chess960: bool) -> String {
        match self.castling_rook(rules) {
            Some(rook) if chess960 => format!("{}{rook}", self.from()),
            // Debug gives the two squares and the promotion.
            _ => format!("{self:?}"),
        }
    }

    /// Reads one of the legal moves in UCI notation.
    ///
    /// Castling may be the king's move to its rook or to file g or c. In Chess960, the latter can also be a step of the king, which it
    /// means then.
    ///
    /// ```
    /// use kogge_board::{Move, MoveError, MoveKind, Rules, Square};
    /// let castling = Move::new(Square::at(4, 0), Square::at(6, 0), MoveKind::CastleKingside);
    /// for text in ["e1g1", "e1h1"] {
    ///     assert_eq!(Move::from_uci(text, &Rules::STANDARD, [castling]), Ok(castling));
    /// }
    /// assert!(matches!(Move::from_uci("O-O", &Rules::STANDARD, [castling]), Err(MoveError::Uci(_))));
    /// ```
    ///
    /// # Errors
    /// If the text is not in UCI notation, or if it matches no legal move.
    pub fn from_uci(text: &str, rules: &Rules, legal: impl IntoIterator<Item = Self>) -> Result<Self, MoveError> {
        let wrong = || MoveError::Uci(text.to_owned());
        let square = |at: usize| text.get(at..at + 2).and_then(|square| square.parse::<Square>().ok());
        let (from, to) = square(0).zip(square(2)).ok_or_else(wrong)?;
        let promotion = match &text[4..] {
            "" => None,
            "q" => Some(Piece::Queen),
            "r" => Some(Piece::Rook),
            "b" => Some(Piece::Bishop),
            "n" => Some(Piece::Knight),
            _ => return Err(wrong()),
        };
        let mut castling = None;
        for found in legal.into_iter().filter(|found| found.from() == from && found.promotion() == promotion) {
            if found.to() == to && !found.is_castling() || found.castling_rook(rules) == Some(to) {
                return Ok(found);
            }
            if found.to() == to {
                castling = Some(found);
            }
        }
        castling.ok_or_else(|| MoveError::Illegal(text.to_owned()))
    }

    /// Returns the square of the rook that castles.
    ///
    /// ```
    /// use kogge_board::{Move, MoveKind, Rules, Square};
    /// let castling = Move::new(Square::at(4, 0), Square::at(2, 0), MoveKind::CastleQueenside);
    /// let rules = Rules { castling_files: [7, 1, 7, 1], ..Rules::STANDARD };
    /// assert_eq!(castling.castling_rook(&rules), Some(Square::at(1, 0)));
    /// ```
    pub const fn castling_rook(self, rules: &Rules) -> Option<Square> {
        let right = match self.kind() {
            MoveKind::CastleKingside => 0,
            MoveKind::CastleQueenside => 1,
            _ => return None,
        };
        let rank = self.from().rank();
        let file = rules.castling_files[if rank == 0 { right } else { right + 2 }];
        Some(Square::at(file, rank))
    }

    /// Writes the move in standard algebraic notation: `Nbd2`, `exd8=Q+`, `O-O#`.
    ///
    /// `position` is the position before the move. `origins` returns the squares from which pieces of a kind can move to a square, castling
    /// excluded; they show whether another piece could go there. `check` returns `None` if the side to move in a position is not in check,
    /// else whether it has a legal move.
    ///
    /// ```
    /// use kogge_board::{Fen, Move, MoveKind, Square};
    /// let fen: Fen = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1".parse()?;
    /// let moves = [(1, 0), (5, 2)].map(|(file, rank)| Move::new(Square::at(file, rank), Square::at(3, 1), MoveKind::Quiet));
    /// let name = |played: Move| played.san(&fen.position, &fen.rules, |_, _| fen.position.knights, |_| None);
    /// assert_eq!(moves.map(name), ["Nbd2", "Nfd2"]);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub fn san(
        self,
        position: &Position,
        rules: &Rules,
        origins: impl FnOnce(Piece, Square) -> u64,
        check: impl FnOnce(&Position) -> Option<bool>,
    ) -> String {
        let (from, to) = (self.from(), self.to());
        let mut text = String::new();
        match (self.kind(), kind_at(position, from)) {
            (MoveKind::CastleKingside, _) => text.push_str("O-O"),
            (MoveKind::CastleQueenside, _) => text.push_str("O-O-O"),
            (_, Piece::Pawn) if self.is_capture() => text.push(file_letter(from)),
            (_, Piece::Pawn) => {}
            (_, piece) => {
                text.push(piece.letter().to_ascii_uppercase());
                let rivals = origins(piece, to) & !from.bit();
                let same_file = rivals & bits::file(from.file()) != 0;
                let same_rank = rivals & bits::rank(from.rank()) != 0;
                // The file distinguishes the rivals if it can, then the rank, then both.
                if same_rank || rivals != 0 && !same_file {
                    text.push(file_letter(from));
                }
                if same_file {
                    text.push(char::from(b'1' + from.rank()));
                }
            }
        }
        if !self.is_castling() {
            text.push_str(if self.is_capture() { "x" } else { "" });
            text.push_str(&to.to_string());
        }
        if let Some(piece) = self.promotion() {
            text.push('=');
            text.push(piece.letter().to_ascii_uppercase());
        }
        match check(&position.play(rules, self)) {
            None => {}
            Some(true) => text.push('+'),
            Some(false) => text.push('#'),
        }
        text
    }

    /// Reads a legal move of `position` in standard algebraic notation.
    ///
    /// `castlings` are the legal castlings. `origins` returns the squares from which pieces of a kind can legally move to a square, castling
    /// excluded. The text may be more specific than necessary (`Ng1f3`), castling may be written with zeros, and marks at the end (`+`,
    /// `#`, `!`, `?`) are ignored. `x` must be a capture, and a pawn's capture must name its file.
    ///
    /// ```
    /// use kogge_board::{Fen, Move, MoveError, MoveKind, Square};
    /// let position = Fen::start().position;
    /// let (from, to) = (Square::at(4, 1), Square::at(4, 3));
    /// let origins = |_, target| if target == to { from.bit() } else { 0 };
    /// let push = Move::new(from, to, MoveKind::DoublePush);
    /// assert_eq!(Move::from_san("e4!?", &position, [None; 2], origins), Ok(push));
    /// assert_eq!(Move::from_san("e5", &position, [None; 2], origins), Err(MoveError::Illegal("e5".to_owned())));
    /// ```
    ///
    /// # Errors
    /// If the text is not SAN, or if it matches no legal move or several.
    pub fn from_san(
        text: &str,
        position: &Position,
        castlings: [Option<Self>; 2],
        origins: impl FnOnce(Piece, Square) -> u64,
    ) -> Result<Self, MoveError> {
        let illegal = || MoveError::Illegal(text.to_owned());
        let marks = text.bytes().rev().take_while(|mark| matches!(mark, b'+' | b'#' | b'!' | b'?')).count();
        let core = &text.as_bytes()[..text.len() - marks];
        match core {
            b"O-O" | b"0-0" => return castlings[0].ok_or_else(illegal),
            b"O-O-O" | b"0-0-0" => return castlings[1].ok_or_else(illegal),
            _ => {}
        }
        let San { piece, file, rank, captures, to, promotion } =
            San::parse(core).ok_or_else(|| MoveError::San(text.to_owned()))?;
        let named = file.map_or(!0, bits::file) & rank.map_or(!0, bits::rank);
        let from = origins(piece, to) & named;
        let only = Square::of(from).and_then(|from| Self::of(position, from, to, promotion)).ok_or_else(illegal)?;
        let is_capture = only.is_capture();
        if captures && !is_capture || piece == Piece::Pawn && is_capture && file.is_none() {
            return Err(illegal());
        }
        if from.is_power_of_two() {
            return Ok(only);
        }
        let moves = bits::Bits(from).filter_map(|from| Self::of(position, Square::of(from)?, to, promotion)).collect();
        Err(MoveError::Ambiguous { text: text.to_owned(), moves })
    }

    /// Returns the move of the piece on a square to another square, castling excluded, or `None` if there is no piece or if it does not
    /// promote like this. The move need not be legal.
    ///
    /// ```
    /// use kogge_board::{Fen, Move, MoveKind, Piece, Square};
    /// let position = "3r4/2P5/8/8/8/8/8/k1K5 w - - 0 1".parse::<Fen>()?.position;
    /// let (from, to) = (Square::at(2, 6), Square::at(3, 7));
    /// let played = Move::of(&position, from, to, Some(Piece::Rook));
    /// assert_eq!(played.map(Move::kind), Some(MoveKind::CapturePromotion(Piece::Rook)));
    /// assert_eq!(Move::of(&position, from, to, None), None);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub fn of(position: &Position, from: Square, to: Square, promotion: Option<Piece>) -> Option<Self> {
        let is_capture = position.occupied() & to.bit() != 0;
        let (_, piece) = position.piece_at(from)?;
        let kind = match (promotion, is_capture) {
            _ if promotion.is_some() != (piece == Piece::Pawn && to.bit() & (bits::rank(0) | bits::rank(7)) != 0) => {
                return None;
            }
            (Some(piece), true) => MoveKind::CapturePromotion(piece),
            (Some(piece), false) => MoveKind::Promotion(piece),
            (None, true) => MoveKind::Capture,
            (None, false) if piece != Piece::Pawn => MoveKind::Quiet,
            (None, false) if from.file() != to.file() => MoveKind::EnPassant,
            (None, false) if from.rank().abs_diff(to.rank()) == 2 => MoveKind::DoublePush,
            (None, false) => MoveKind::Quiet,
        };
        Some(Self::new(from, to, kind))
    }
}

/// Returns the kind of piece on a square; the square is not empty, because a legal move starts from it.
fn kind_at(position: &Position, square: Square) -> Piece {
    position.piece_at(square).map_or(Piece::Pawn, |(_, piece)| piece)
}

fn file_letter(square: Square) -> char {
    char::from(b'a' + square.file())
}

/// The parts of a move in SAN, except castling.
struct San {
    piece: Piece,
    /// The file and the rank that the move comes from, if the text names them.
    file: Option<u8>,
    rank: Option<u8>,
    captures: bool,
    to: Square,
    promotion: Option<Piece>,
}

impl San {
    fn parse(text: &[u8]) -> Option<Self> {
        let kind = |letter: u8| Piece::from_letter(letter.into()).filter(|_| letter.is_ascii_uppercase());
        let (piece, rest) = match text.split_first() {
            Some((&letter @ b'A'..=b'Z', rest)) => (kind(letter).filter(|&piece| piece != Piece::Pawn)?, rest),
            _ => (Piece::Pawn, text),
        };
        let (rest, promotion) = match rest {
            [rest @ .., b'=', letter] => (rest, Some(kind(*letter).filter(|piece| Piece::PROMOTIONS.contains(piece))?)),
            rest => (rest, None),
        };
        let [origin @ .., file @ b'a'..=b'h', rank @ b'1'..=b'8'] = rest else { return None };
        let to = Square::at(file - b'a', rank - b'1');
        let (origin, captures) = match origin {
            [origin @ .., b'x'] => (origin, true),
            origin => (origin, false),
        };
        let (file, rank) = match *origin {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            _ => return None,
        };
        Some(Self { piece, file, rank, captures, to, promotion })
    }
}
