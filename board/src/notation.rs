//! Moves as text: reading and writing UCI and SAN.
//!
//! This crate has no move generator: functions that depend on the legal moves take them as a slice.

use thiserror::Error;

use crate::fen::quote;
use crate::{Move, MoveKind, Piece, Position, Rules, Square};

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

fn the_only(text: &str, legal: &[Move], holds: impl Fn(Move) -> bool) -> Result<Move, MoveError> {
    let moves: Vec<_> = legal.iter().copied().filter(|&found| holds(found)).collect();
    match *moves {
        [] => Err(MoveError::Illegal(text.to_owned())),
        [found] => Ok(found),
        _ => Err(MoveError::Ambiguous { text: text.to_owned(), moves }),
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
        let right = match self.kind() {
            MoveKind::CastleKingside => 0,
            MoveKind::CastleQueenside => 1,
            // Debug gives the two squares and the promotion.
            _ => return format!("{self:?}"),
        };
        let rank = self.from().rank();
        let file = rules.castling_files[if rank == 0 { right } else { right + 2 }];
        let to = if chess960 { Square::at(file, rank) } else { self.to() };
        format!("{}{to}", self.from())
    }

    /// Reads a legal move in the notation that [`Move::uci`] writes with the same `rules` and `chess960`.
    ///
    /// # Errors
    /// If the text is not in UCI notation, or if it matches no legal move or two. In Chess960, a castling move and a
    /// king's step can have the same text if the rules use the orthodox notation.
    pub fn from_uci(text: &str, rules: &Rules, chess960: bool, legal: &[Self]) -> Result<Self, MoveError> {
        let is_square = |at: usize| text.get(at..at + 2).is_some_and(|square| square.parse::<Square>().is_ok());
        let well_formed = is_square(0) && is_square(2) && matches!(&text[4..], "" | "q" | "r" | "b" | "n");
        if !well_formed {
            return Err(MoveError::Uci(text.to_owned()));
        }
        the_only(text, legal, |found| found.uci(rules, chess960) == text)
    }

    /// Writes the move in standard algebraic notation: `Nbd2`, `exd8=Q+`, `O-O#`.
    ///
    /// `position` is the position before the move, and `legal` are all its legal moves; they show whether another piece
    /// could go to the same square. `can_reply` returns whether the side to move in a position has a legal move; it is
    /// called for checks only, to find mates.
    pub fn san(
        self,
        position: &Position,
        rules: &Rules,
        legal: &[Self],
        can_reply: impl FnOnce(&Position) -> bool,
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
                let is_rival = |other: &Self| {
                    other.to() == to
                        && other.from() != from
                        && !other.is_castling()
                        && kind_at(position, other.from()) == piece
                };
                let rivals: Vec<Square> =
                    legal.iter().filter(|other| is_rival(other)).map(|other| other.from()).collect();
                let same_file = rivals.iter().any(|rival| rival.file() == from.file());
                let same_rank = rivals.iter().any(|rival| rival.rank() == from.rank());
                // The file distinguishes the rivals if it can, then the rank, then both.
                if same_rank || !rivals.is_empty() && !same_file {
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
        let after = position.play(rules, self);
        if after.checkers() != 0 {
            text.push(if can_reply(&after) { '+' } else { '#' });
        }
        text
    }

    /// Reads a legal move of `position` in standard algebraic notation.
    ///
    /// The text may be more specific than necessary (`Ng1f3`), castling may be written with zeros, and marks at the end
    /// (`+`, `#`, `!`, `?`) are ignored. `x` must be a capture, and a pawn's capture must name its file.
    ///
    /// # Errors
    /// If the text is not SAN, or if it matches no legal move or several.
    pub fn from_san(text: &str, position: &Position, legal: &[Self]) -> Result<Self, MoveError> {
        let core = text.trim_end_matches(['+', '#', '!', '?']);
        let castling = match core {
            "O-O" | "0-0" => Some(MoveKind::CastleKingside),
            "O-O-O" | "0-0-0" => Some(MoveKind::CastleQueenside),
            _ => None,
        };
        if let Some(kind) = castling {
            return the_only(text, legal, |found| found.kind() == kind);
        }
        let san = San::parse(core).ok_or_else(|| MoveError::San(text.to_owned()))?;
        the_only(text, legal, |found| {
            let from = found.from();
            !found.is_castling()
                && kind_at(position, from) == san.piece
                && found.to() == san.to
                && found.promotion() == san.promotion
                && san.file.is_none_or(|file| file == from.file())
                && san.rank.is_none_or(|rank| rank == from.rank())
                && (!san.captures || found.is_capture())
                && (san.piece != Piece::Pawn || san.file.is_some() || !found.is_capture())
        })
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
    fn parse(text: &str) -> Option<Self> {
        let kind = |letter: char| Piece::from_letter(letter).filter(|_| letter.is_ascii_uppercase());
        let piece = text.chars().next().and_then(kind).filter(|&piece| piece != Piece::Pawn);
        let rest = if piece.is_some() { &text[1..] } else { text };
        let (rest, promotion) = match rest.split_once('=') {
            None => (rest, None),
            Some((rest, letter)) => {
                let mut letters = letter.chars();
                let piece = kind(letters.next()?).filter(|piece| Piece::PROMOTIONS.contains(piece))?;
                (letters.next().is_none().then_some(rest)?, Some(piece))
            }
        };
        let (origin, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        let to = to.parse().ok()?;
        let (origin, captures) = match origin.strip_suffix('x') {
            Some(origin) => (origin, true),
            None => (origin, false),
        };
        let (file, rank) = match *origin.as_bytes() {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            _ => return None,
        };
        Some(Self { piece: piece.unwrap_or(Piece::Pawn), file, rank, captures, to, promotion })
    }
}
