//! Reading and printing FEN, X-FEN and Shredder-FEN.
//!
//! The PGN standard defines the six fields. Castling rights are read as `KQkq`, where a letter means the outermost rook on
//! that side of the king (X-FEN), or as the rook's file, `A` to `H` and `a` to `h` (Shredder-FEN); a field may mix both.
//! The last two fields may both be missing, as in EPD; then the halfmove clock is 0 and the move number 1.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::bits;
use crate::square::{Color, Piece, Square};
use crate::{Position, PositionError, Rules, State};

/// The standard start position.
pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A position and everything else in its FEN: the castling rules, the move number, and the notation.
///
/// Printing returns the text that was read, except for spacing and the order of the castling letters. It keeps the
/// en-passant square after a double push even if no pawn can capture there, although [`Position`] records only legal
/// captures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fen {
    /// The checked position.
    pub position: Position,
    /// The castling rooks' files, and whether the halfmove clock is kept.
    pub rules: Rules,
    /// The number of the next move, from 1.
    pub fullmove: u16,
    /// Whether castling rights are written as files (Shredder-FEN) rather than as `KQkq`.
    pub shredder: bool,
    /// The en-passant square as written, even where no capture is legal.
    pub passed: Option<Square>,
}

/// The reason why a text is not a FEN.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum FenError {
    /// The text is empty.
    #[error("The FEN is empty; expected six fields such as \"{START}\".")]
    Empty,
    /// The number of fields is neither six nor four.
    #[error(
        "The FEN has {0} field{s}; expected six: pieces, side to move, castling, en passant, halfmove clock, move number. Only the \
         last two may be missing, together.",
        s = if *.0 == 1 { "" } else { "s" }
    )]
    Fields(usize),
    /// The number of ranks is not eight.
    #[error("The FEN's board has {0} ranks; expected 8, separated by slashes.")]
    Ranks(usize),
    /// A rank does not have eight squares.
    #[error("Rank {rank} of the FEN's board has {squares} squares; expected 8.")]
    RankLength {
        /// The rank, 1 to 8.
        rank: u8,
        /// The number of squares described, or 9 for more than 8.
        squares: u8,
    },
    /// A letter does not stand for a piece.
    #[error("The FEN's board holds {0:?} on rank {1}; expected one of pnbrqkPNBRQK or a digit from 1 to 8.")]
    Piece(char, u8),
    /// The side to move is neither w nor b.
    #[error("The side to move is {0}; expected \"w\" or \"b\".")]
    Turn(String),
    /// The castling field has a wrong or repeated letter.
    #[error("The castling rights are {text}; {reason}.")]
    Castling {
        /// The quoted field.
        text: String,
        /// The error.
        reason: &'static str,
    },
    /// The en-passant field is not a square.
    #[error("The en-passant square is {0}; expected \"-\" or a square such as \"e3\".")]
    EnPassant(String),
    /// The halfmove clock is not a number in range.
    #[error("The halfmove clock is {0}; expected a number from 0 to 127.")]
    HalfmoveClock(String),
    /// The move number is not a number in range.
    #[error("The move number is {0}; expected a number from 1 to 65535.")]
    Fullmove(String),
    /// The FEN is well formed, but the position is not legal.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// Quotes, escapes and shortens a text for an error message.
pub(crate) fn quote(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((cut, _)) => format!("{:?} (and {} bytes more)", &text[..cut], text.len() - cut),
        None => format!("{text:?}"),
    }
}

impl Fen {
    /// Makes a FEN from a position: move number 1, castling as `KQkq` if the rooks are on files a and h.
    pub fn new(position: Position, rules: Rules) -> Self {
        Self {
            position,
            rules,
            fullmove: 1,
            shredder: rules.castling_files != Rules::STANDARD.castling_files,
            passed: position.state.en_passant_square(),
        }
    }

    /// Returns the start position of orthodox chess.
    pub fn start() -> Self {
        // A test shows that the literal above is a FEN.
        START.parse().unwrap_or_else(|_| Self::new(Position::default(), Rules::STANDARD))
    }

    /// Returns whether castling differs from orthodox chess: a right with the king off file e or a
    /// rook off files a and h.
    pub fn is_chess960(&self) -> bool {
        let kings = Square::at(4, 0).bit() | Square::at(4, 7).bit();
        let rights = self.position.state.castling();
        (0..4).any(|right| {
            let color = if right < 2 { Color::White } else { Color::Black };
            rights >> right & 1 != 0
                && (self.rules.castling_files[right] != Rules::STANDARD.castling_files[right]
                    || self.position.kings & self.position.of(color) & kings == 0)
        })
    }
}

impl FromStr for Fen {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().take(8).collect();
        let (board, turn, castling, passed, clock, fullmove) = match *fields {
            [] => return Err(FenError::Empty),
            [a, b, c, d] => (a, b, c, d, "0", "1"),
            [a, b, c, d, e, f] => (a, b, c, d, e, f),
            _ => return Err(FenError::Fields(text.split_ascii_whitespace().count())),
        };
        let mut position = parse_board(board)?;
        let turn = match turn {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(FenError::Turn(quote(other))),
        };
        position.state = State::default().with_turn(turn);
        let clock = match clock.parse() {
            Ok(plies @ 0..=127) if is_number(clock) => plies,
            _ => return Err(FenError::HalfmoveClock(quote(clock))),
        };
        let fullmove = match fullmove.parse() {
            Ok(number @ 1..) if is_number(fullmove) => number,
            _ => return Err(FenError::Fullmove(quote(fullmove))),
        };
        let passed = match passed {
            "-" => None,
            square => Some(square.parse().map_err(|()| FenError::EnPassant(quote(square)))?),
        };
        // Castling letters are defined only with exactly one king per side.
        position.check(&Rules::STANDARD)?;
        let (rules, rights, shredder) = parse_castling(castling, &position)?;
        position.state = position.state.with_castling(rights).with_halfmove_clock(clock);
        if let Some(square) = passed {
            position.check_double_push(square)?;
            if position.en_passant_is_legal(square) {
                position.state = position.state.with_en_passant(Some(square.file()));
            }
        }
        position.check(&rules)?;
        Ok(Self { position, rules, fullmove, shredder, passed })
    }
}

/// Returns whether a text has only digits; Rust's own parser also accepts a plus sign.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn parse_board(text: &str) -> Result<Position, FenError> {
    let ranks = text.split('/').count();
    if ranks != 8 {
        return Err(FenError::Ranks(ranks));
    }
    let mut position = Position::default();
    for (rank, line) in (0..8).rev().zip(text.split('/')) {
        let mut file = 0;
        for letter in line.chars() {
            if let Some(skip @ 1..=8) = letter.to_digit(10) {
                file += skip as u8;
            } else if let Some(piece) = Piece::from_letter(letter) {
                let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
                if file < 8 {
                    position.put(color, piece, Square::at(file, rank));
                }
                file += 1;
            } else {
                return Err(FenError::Piece(letter, rank + 1));
            }
            if file > 8 {
                break;
            }
        }
        if file != 8 {
            return Err(FenError::RankLength { rank: rank + 1, squares: file.min(9) });
        }
    }
    Ok(position)
}

/// Returns the outermost rook on one side of the king, the rook of `K` or `Q`.
fn outermost_rook(position: &Position, color: Color, right: usize) -> Option<u8> {
    let home = bits::rank(color.home_rank());
    let king = position.kings & position.of(color) & home;
    let rooks = position.kind(Piece::Rook) & position.of(color) & home;
    let file = |board: u64| Square::of(board).map(Square::file);
    match (king, right & 1) {
        (0, _) => None,
        (_, 0) => file(1 << rooks.checked_ilog2()?).filter(|_| rooks > king),
        _ => file(rooks).filter(|_| bits::lowest(rooks) < king && rooks != 0),
    }
}

/// Reads the castling field. Returns the rules, the rights (K Q k q as bits 0 to 3), and whether any letter is a file.
fn parse_castling(text: &str, position: &Position) -> Result<(Rules, u8, bool), FenError> {
    let wrong = |reason| FenError::Castling { text: quote(text), reason };
    let mut rules = Rules::STANDARD;
    let mut rights = 0;
    let mut shredder = false;
    if text == "-" {
        return Ok((rules, rights, shredder));
    }
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let side = if color == Color::White { 0 } else { 2 };
        let king = position.king(color).filter(|king| king.rank() == color.home_rank());
        let Some(king) = king else {
            return Err(wrong("the king of that side is not on its home rank"));
        };
        let (right, file) = match letter.to_ascii_lowercase() {
            'k' => (side, outermost_rook(position, color, 0)),
            'q' => (side + 1, outermost_rook(position, color, 1)),
            letter @ 'a'..='h' => {
                shredder = true;
                let file = letter as u8 - b'a';
                (side + usize::from(file < king.file()), Some(file))
            }
            _ => return Err(wrong("expected \"-\" or letters of KQkq, or of A to H and a to h for the rooks' files")),
        };
        let Some(file) = file else {
            return Err(wrong("there is no rook on that side of the king"));
        };
        if rights >> right & 1 != 0 {
            return Err(wrong("one right is given twice"));
        }
        rights |= 1 << right;
        rules.castling_files[right] = file;
    }
    Ok((rules, rights, shredder))
}

impl fmt::Display for Fen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = &self.position;
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                let Some((color, piece)) = position.piece_at(Square::at(file, rank)) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    write!(f, "{empty}")?;
                    empty = 0;
                }
                let letter = piece.letter();
                write!(f, "{}", if color == Color::White { letter.to_ascii_uppercase() } else { letter })?;
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
            f.write_str(if rank > 0 { "/" } else { " " })?;
        }
        f.write_str(if position.turn() == Color::White { "w " } else { "b " })?;
        let rights = position.state.castling();
        for right in (0..4).filter(|right| rights >> right & 1 != 0) {
            let color = if right < 2 { Color::White } else { Color::Black };
            let file = self.rules.castling_files[right];
            let letter = match (self.shredder || outermost_rook(position, color, right) != Some(file), right & 1) {
                (true, _) => char::from(b'a' + (file & 7)),
                (false, 0) => 'k',
                (false, _) => 'q',
            };
            write!(f, "{}", if right < 2 { letter.to_ascii_uppercase() } else { letter })?;
        }
        if rights == 0 {
            f.write_str("-")?;
        }
        match self.passed {
            Some(square) => write!(f, " {square}")?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}", position.state.halfmove_clock(), self.fullmove)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str) -> String {
        let error = text.parse::<Fen>().expect_err(text).to_string();
        assert!(error.ends_with('.') && error.len() < 300, "{error}");
        error
    }

    #[test]
    fn without_clocks_they_are_0_and_1() {
        let four = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        assert_eq!(four.parse(), Ok(Fen::start()));
        assert!(refused(&format!("{four} 0")).contains("5 fields"));
        assert!(refused(&format!("{four} 0 1 2")).contains("7 fields"));
    }

    #[test]
    fn the_start_position_round_trips() {
        let fen: Fen = START.parse().unwrap();
        assert_eq!(fen.to_string(), START);
        assert_eq!(fen, Fen::start());
        assert_eq!(fen.position.occupied(), 0xffff_0000_0000_ffff);
        assert!(!fen.is_chess960());
    }

    #[test]
    fn x_fen_and_shredder_fen_mean_the_same() {
        let x: Fen = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1".parse().unwrap();
        let shredder: Fen = "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1".parse().unwrap();
        assert_eq!((x.position, x.rules), (shredder.position, shredder.rules));
        assert!(x.is_chess960());
        assert_eq!(x.to_string(), "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1");
        // The letters KQkq mean the outermost rooks, so an inner rook is written by its file.
        let inner = "4k3/8/8/8/8/8/8/4KR1R w F - 0 1";
        assert_eq!(inner.parse::<Fen>().unwrap().to_string(), inner);
    }

    #[test]
    fn en_passant_is_recorded_only_where_legal() {
        let idle: Fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1".parse().unwrap();
        assert_eq!(idle.position.state.en_passant_file(), None);
        assert!(idle.to_string().contains(" e3 "));
        let pinned: Fen = "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1".parse().unwrap();
        assert_eq!(pinned.position.state.en_passant_file(), None);
        let free: Fen = "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1".parse().unwrap();
        assert_eq!(free.position.state.en_passant_file(), Some(3));
    }

    #[test]
    fn bad_input_is_refused_with_its_reason() {
        for (text, reason) in [
            ("", "empty"),
            ("8/8/8/8/8/8/8/8", "has 1 field;"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1", "7 ranks"),
            ("rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "Rank 7"),
            ("rnbqkbnr/pppppppp/8/8/7/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "7 squares"),
            ("rnbqkxnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "'x'"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKKNR w KQkq - 0 1", "2 white kings"),
            ("rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1", "0 black kings"),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNP w Qkq - 0 1", "pawn on h1"),
            ("rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPP1/RNBQKBNR w KQkq - 0 1x", "move number"),
            ("rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "17 pieces"),
            ("rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKB1R w KQkq - 0 1", "9 pawns"),
            ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "black king is in check"),
            ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "no rook"),
            ("4k3/8/8/8/8/8/4K3/7R w K - 0 1", "home rank"),
            ("4k3/8/8/8/8/8/8/4K2R w KH - 0 1", "twice"),
            ("4k3/8/8/8/8/8/8/4K2R w KX - 0 1", "expected"),
            ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "no pawn"),
            ("4k3/8/8/4p3/8/8/8/4K3 w - e3 0 1", "rank 6"),
            ("4k3/4p3/8/4p3/8/8/8/4K3 w - e6 0 1", "not empty"),
            ("4k3/8/8/3Pp3/8/8/8/K6r w - e6 0 1", "in check before"),
            ("4k3/8/8/8/8/8/8/4K3 w - e 0 1", "such as"),
            ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "expected \"w\""),
            ("4k3/8/8/8/8/8/8/4K3 w - - 128 1", "halfmove"),
            ("4k3/8/8/8/8/8/8/4K3 w - - +1 1", "halfmove"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "move number"),
        ] {
            let error = refused(text);
            assert!(error.contains(reason), "{text}: {error}");
        }
        refused(&"8".repeat(10_000));
        refused(&"/".repeat(10_000));
        refused(&format!("8/8/8/8/8/8/8/8 {} - - 0 1", "é".repeat(5_000)));
        refused("\0\u{1}\u{fffd}/8 w");
    }
}
