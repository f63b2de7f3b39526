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
use crate::{Move, Position, PositionError, Rules, State};

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
    /// The number of plies since the last capture or pawn move. The position's own clock stops at 127.
    pub halfmove_clock: u16,
    /// The number of the next move, from 1; 0 is accepted.
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
    /// One short word is no name of a standard position; from [`known::root`](crate::known::root).
    #[error("The text {text} is neither a FEN nor the name of a position; the names are {names}.")]
    Name {
        /// The quoted word.
        text: String,
        /// The names.
        names: String,
    },
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
        /// The error, with the letter.
        reason: String,
    },
    /// A letter of the castling field stands for a right without its king or its rook at home.
    #[error("The castling rights are {text}; {reason}.")]
    CastlingRight {
        /// The quoted field.
        text: String,
        /// The error, with the letter.
        reason: String,
    },
    /// The en-passant field is not a square.
    #[error("The en-passant square is {0}; expected \"-\" or a square such as \"e3\".")]
    EnPassant(String),
    /// The halfmove clock is not a number in range.
    #[error("The halfmove clock is {0}; expected a number from 0 to 65535.")]
    HalfmoveClock(String),
    /// The move number is not a number in range.
    #[error("The move number is {0}; expected a number from 0 to 65535.")]
    Fullmove(String),
    /// The FEN is well formed, but the position is not legal.
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl FenError {
    /// Returns whether the text is a FEN, but of a position that no game reaches.
    pub const fn is_unreachable(&self) -> bool {
        matches!(self, Self::Position(_) | Self::CastlingRight { .. })
    }
}

/// Quotes, escapes and shortens a text for an error message, to about 80 characters.
pub fn quote(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut length = 0;
    let cut = text.char_indices().find(|(_, character)| {
        // An escaped character takes up to ten.
        length += character.escape_debug().len();
        length > LONGEST
    });
    match cut {
        Some((cut, _)) => format!("{:?} (and {} bytes more)", &text[..cut], text.len() - cut),
        None => format!("{text:?}"),
    }
}

impl Fen {
    /// Makes a FEN from a position: move number 1, castling as `KQkq` if the rooks are on files a and h.
    ///
    /// ```
    /// use kogge_board::Fen;
    /// let fen: Fen = "4k3/8/8/8/8/8/8/4K2R w H - 30 50".parse()?;
    /// assert_eq!(Fen::new(fen.position, fen.rules).to_string(), "4k3/8/8/8/8/8/8/4K2R w K - 30 1");
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub fn new(position: Position, rules: Rules) -> Self {
        Self {
            position,
            rules,
            halfmove_clock: position.state.halfmove_clock().into(),
            fullmove: 1,
            shredder: rules.castling_files != Rules::STANDARD.castling_files,
            passed: position.state.en_passant_square(),
        }
    }

    /// Returns the start position of orthodox chess.
    ///
    /// ```
    /// use kogge_board::{Fen, START};
    /// assert_eq!(Fen::start().to_string(), START);
    /// ```
    pub fn start() -> Self {
        // A test shows that the literal above is a FEN.
        START.parse().unwrap_or_else(|_| Self::new(Position::default(), Rules::STANDARD))
    }

    /// Reads a FEN, also if no game reaches its position for one of these reasons: a side has more than 16 pieces or 8 pawns, more than
    /// two pieces give check, or the king was in check before the double push of the en-passant square.
    ///
    /// The rules define the moves of such a position, but not every [`Backend`](crate::Backend) expects it: the mailbox counts it
    /// exactly, and the answers of other backends may be wrong.
    ///
    /// ```
    /// use kogge_board::Fen;
    /// let text = "4k3/8/8/8/8/PPP5/PPPPPPPP/4K3 w - - 0 1";
    /// assert!(text.parse::<Fen>().is_err_and(|error| error.is_unreachable()));
    /// assert_eq!(Fen::parse_unreachable(text)?.to_string(), text);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Fen::from_str`], except for those reasons.
    pub fn parse_unreachable(text: &str) -> Result<Self, FenError> {
        parse(text, true)
    }

    /// Plays a pseudo-legal move. The halfmove clock and the move number advance; the en-passant square is recorded if a capture is legal.
    ///
    /// ```
    /// use kogge_board::{Fen, Move, MoveKind, Square};
    /// let push = Move::new(Square::at(4, 6), Square::at(4, 4), MoveKind::DoublePush);
    /// let fen: Fen = "4k3/4p3/8/3P4/8/8/8/4K3 b - - 7 40".parse()?;
    /// assert_eq!(fen.play(push).to_string(), "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 41");
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn play(&self, played: Move) -> Self {
        if played.is_special() {
            return self.play_special(played);
        }
        let position = self.position.play_common(&self.rules, played);
        self.with_played(position, played)
    }

    #[inline(never)]
    fn play_special(&self, played: Move) -> Self {
        self.with_played(self.position.play_special(&self.rules, played), played)
    }

    /// Returns the FEN after a move that leads to this position.
    #[inline(always)]
    fn with_played(&self, position: Position, played: Move) -> Self {
        let is_pawn = self.position.pawns & played.from().bit() != 0;
        let number = u16::from(self.position.turn() == Color::Black);
        Self {
            position,
            halfmove_clock: if is_pawn || played.is_capture() { 0 } else { self.halfmove_clock.saturating_add(1) },
            fullmove: self.fullmove.saturating_add(number),
            passed: position.state.en_passant_square(),
            ..*self
        }
    }

    /// Returns whether castling differs from orthodox chess: a right with the king off file e or a
    /// rook off files a and h.
    ///
    /// ```
    /// use kogge_board::Fen;
    /// let fen: Fen = "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w KQkq - 0 1".parse()?;
    /// assert!(fen.is_chess960() && !Fen::start().is_chess960());
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
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
        parse(text, false)
    }
}

/// Reads a FEN, if wanted also one of a position that no game reaches.
fn parse(text: &str, is_unreachable: bool) -> Result<Fen, FenError> {
    let mut words = text.split_ascii_whitespace();
    let mut fields = [""; 6];
    let count = fields.iter_mut().zip(&mut words).map(|(field, word)| *field = word).count() + words.count();
    let [board, turn, castling, passed, clock, fullmove] = fields;
    let (clock, fullmove) = match count {
        0 => return Err(FenError::Empty),
        4 => ("0", "1"),
        6 => (clock, fullmove),
        _ => return Err(FenError::Fields(count)),
    };
    let mut position = parse_board(board)?;
    let turn = match turn {
        "w" => Color::White,
        "b" => Color::Black,
        other => return Err(FenError::Turn(quote(other))),
    };
    position.state = State::default().with_turn(turn);
    let halfmove_clock = number(clock).ok_or_else(|| FenError::HalfmoveClock(quote(clock)))?;
    let fullmove = number(fullmove).ok_or_else(|| FenError::Fullmove(quote(fullmove)))?;
    let passed = match passed {
        "-" => None,
        square => Some(square.parse().map_err(|()| FenError::EnPassant(quote(square)))?),
    };
    // Castling letters are defined only with exactly one king per side.
    if is_unreachable {
        position.check_moves_defined()?;
    } else {
        position.check_boards()?;
    }
    let (rules, rights, shredder) = parse_castling(castling, &position)?;
    position.state = position.state.with_castling(rights).with_halfmove_clock(halfmove_clock.min(127) as u8);
    if let Some(square) = passed {
        if is_unreachable {
            position.check_passed(square)?;
        } else {
            position.check_double_push(square)?;
        }
        if position.en_passant_is_legal(square) {
            position.state = position.state.with_en_passant(Some(square.file()));
        }
    }
    position.check_castling(&rules)?;
    Ok(Fen { position, rules, halfmove_clock, fullmove, shredder, passed })
}

/// Reads a number that has only digits; Rust's own parser also accepts a plus sign.
fn number(text: &str) -> Option<u16> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

fn parse_board(text: &str) -> Result<Position, FenError> {
    let ranks = 1 + text.bytes().filter(|&letter| letter == b'/').count();
    if ranks != 8 {
        return Err(FenError::Ranks(ranks));
    }
    let mut position = Position::default();
    let (mut rank, mut file) = (7, 0);
    let wrong = |rank: u8, file: u8| FenError::RankLength { rank: rank + 1, squares: file.min(9) };
    for letter in text.bytes() {
        match letter {
            b'/' if file != 8 => return Err(wrong(rank, file)),
            // There are as many slashes as ranks below this one.
            b'/' => (rank, file) = (rank - 1, 0),
            b'1'..=b'8' => file += letter - b'0',
            _ => {
                let Some(piece) = Piece::from_letter(letter.into()) else {
                    let line = text.split('/').nth(7 - usize::from(rank)).unwrap_or_default();
                    let letter = line.chars().find(|letter| !is_board(*letter)).unwrap_or(letter.into());
                    return Err(FenError::Piece(letter, rank + 1));
                };
                if file < 8 {
                    let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
                    position.place(color, piece, Square::at(file, rank));
                }
                file += 1;
            }
        }
        if file > 8 {
            return Err(wrong(rank, file));
        }
    }
    if file == 8 { Ok(position) } else { Err(wrong(rank, file)) }
}

/// Returns whether a letter may stand in a FEN's board.
fn is_board(letter: char) -> bool {
    matches!(letter, '1'..='8') || Piece::from_letter(letter).is_some()
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
    let absent = |reason| FenError::CastlingRight { text: quote(text), reason };
    let mut rules = Rules::STANDARD;
    let mut rights = 0;
    let mut shredder = false;
    if text == "-" {
        return Ok((rules, rights, shredder));
    }
    for letter in text.chars() {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let side = if color == Color::White { 0 } else { 2 };
        let rank = color.home_rank() + 1;
        if !matches!(letter.to_ascii_lowercase(), 'k' | 'q' | 'a'..='h') {
            return Err(wrong(format!(
                "{letter:?} is not a right; expected \"-\" or letters of KQkq, or of A to H and a to h for the rooks' files"
            )));
        }
        let king = position.king(color).filter(|king| king.rank() == color.home_rank());
        let Some(king) = king else {
            return Err(absent(format!("for {letter}, the {color} king is not on its home rank, rank {rank}")));
        };
        let (right, file) = match letter.to_ascii_lowercase() {
            'k' => (side, outermost_rook(position, color, 0)),
            'q' => (side + 1, outermost_rook(position, color, 1)),
            file => {
                shredder = true;
                let file = file as u8 - b'a';
                (side + usize::from(file < king.file()), Some(file))
            }
        };
        let Some(file) = file else {
            return Err(absent(format!("there is no rook for {letter} on rank {rank} on that side of the king")));
        };
        if rights >> right & 1 != 0 {
            return Err(wrong(format!("the right of {letter} is given twice")));
        }
        rights |= 1 << right;
        rules.castling_files[right] = file;
    }
    Ok((rules, rights, shredder))
}

impl fmt::Display for Fen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = &self.position;
        f.write_str(board_text(position, &mut [0; BOARD_LENGTH]))?;
        f.write_str(if position.turn() == Color::White { " w " } else { " b " })?;
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
        write!(f, " {} {}", self.halfmove_clock, self.fullmove)
    }
}

/// The length of the longest board in FEN: 64 pieces and 7 slashes.
const BOARD_LENGTH: usize = 71;

/// Writes the first field.
fn board_text<'t>(position: &Position, text: &'t mut [u8; BOARD_LENGTH]) -> &'t str {
    let mut length = 0;
    let mut push = |byte| {
        text[length] = byte;
        length += 1;
    };
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            match position.piece_at(Square::at(file, rank)) {
                None => empty += 1,
                Some((color, piece)) => {
                    if empty > 0 {
                        push(b'0' + empty);
                        empty = 0;
                    }
                    let letter = piece.letter() as u8;
                    push(if color == Color::White { letter.to_ascii_uppercase() } else { letter });
                }
            }
        }
        if empty > 0 {
            push(b'0' + empty);
        }
        if rank > 0 {
            push(b'/');
        }
    }
    // All bytes are ASCII.
    std::str::from_utf8(&text[..length]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MoveKind;

    #[track_caller]
    fn refused(text: &str) -> String {
        let error = text.parse::<Fen>().expect_err(text);
        // What only the numbers of pieces and checkers forbid has moves.
        assert!(Fen::parse_unreachable(text).is_err() || error.is_unreachable(), "{error}");
        let error = error.to_string();
        assert!(error.ends_with('.') && error.len() < 300, "{error}");
        assert!(error.starts_with(char::is_uppercase), "{error}");
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
    fn large_clocks_and_move_number_0_are_kept() {
        let text = "4k3/8/8/8/8/8/8/4K3 w - - 150 0";
        let fen: Fen = text.parse().unwrap();
        assert_eq!((fen.to_string().as_str(), fen.position.state.halfmove_clock()), (text, 127));
    }

    #[test]
    fn moves_advance_the_clocks() {
        let mut fen: Fen = "4k3/8/8/8/2p5/8/1P6/4K3 w - - 130 7".parse().unwrap();
        for (from, to, kind, after) in [
            ((4, 0), (3, 0), MoveKind::Quiet, "4k3/8/8/8/2p5/8/1P6/3K4 b - - 131 7"),
            ((4, 7), (3, 7), MoveKind::Quiet, "3k4/8/8/8/2p5/8/1P6/3K4 w - - 132 8"),
            ((1, 1), (1, 3), MoveKind::DoublePush, "3k4/8/8/8/1Pp5/8/8/3K4 b - b3 0 8"),
        ] {
            fen = fen.play(Move::new(Square::at(from.0, from.1), Square::at(to.0, to.1), kind));
            assert_eq!(fen.to_string(), after);
        }
    }

    #[test]
    fn a_king_far_from_home_takes_no_rights_away() {
        // Such a king and the other side's rook stand on one home rank.
        for (fen, from, to, after) in [
            ("1K2k2r/8/8/8/8/8/8/8 w k - 0 1", (1, 7), (0, 6), "4k2r/K7/8/8/8/8/8/8 b k - 1 1"),
            ("8/8/8/8/8/8/8/R3K1k1 b Q - 0 1", (6, 0), (7, 1), "8/8/8/8/8/8/7k/R3K3 w Q - 1 2"),
        ] {
            let fen: Fen = fen.parse().unwrap();
            let played = Move::new(Square::at(from.0, from.1), Square::at(to.0, to.1), MoveKind::Quiet);
            assert_eq!(fen.play(played).to_string(), after);
        }
    }

    #[test]
    fn positions_that_no_game_reaches_are_read_only_if_wanted() {
        for (text, has_moves) in [
            ("4k3/8/8/8/8/NNNNNNNN/NNNNNNNN/N3K3 w - - 0 1", true),
            ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", true),
            ("4k3/8/3N1N2/4R3/8/8/8/4K3 b - - 0 1", true),
            ("4k3/8/8/3Pp3/8/8/8/K6r w - e6 0 1", true),
            ("4k3/8/3N1N2/4R3/8/8/8/4KK2 b - - 0 1", false),
            ("4k3/8/3N1N2/4R3/8/8/8/4K3 w - - 0 1", false),
            ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", false),
            ("4k3/8/8/3P4/8/8/8/K6r w - e6 0 1", false),
            ("4k3/8/8/8/8/8/8/K6r w Q - 0 1", false),
            ("4k3/8/8/8/8/8/8/K6r w G - 0 1", false),
        ] {
            let error = text.parse::<Fen>().expect_err(text);
            assert!(error.is_unreachable(), "{text}: {error}");
            match Fen::parse_unreachable(text) {
                Ok(fen) => assert!(has_moves && fen.to_string() == text, "{text}"),
                Err(error) => assert!(!has_moves && error.is_unreachable(), "{text}: {error}"),
            }
        }
        for text in ["", "4k3/8/8/8/8/8/8/4K3 w X - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 x"] {
            assert!(!text.parse::<Fen>().expect_err(text).is_unreachable(), "{text}");
            assert!(Fen::parse_unreachable(text).is_err(), "{text}");
        }
        let start = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
        assert_eq!(Fen::parse_unreachable(start), start.parse());
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
            ("rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "There are 17 white pieces"),
            ("rnbqkbnr/pppppppp/8/8/8/P7/PPPPPPPP/RNBQKB1R w KQkq - 0 1", "There are 9 white pawns"),
            ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "black king is in check"),
            ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "\"K\"; there is no rook for K on rank 1"),
            (
                "r3k3/8/8/8/8/8/8/4K2R w KQq - 0 1",
                "\"KQq\"; there is no rook for Q on rank 1 on that side of the king.",
            ),
            ("4k3/8/8/8/8/8/8/R3K2R w KQk - 0 1", "there is no rook for k on rank 8"),
            ("4k3/8/8/8/8/8/4K3/7R w K - 0 1", "for K, the white king is not on its home rank, rank 1"),
            ("4k3/8/8/8/8/8/8/4K2R w KH - 0 1", "the right of H is given twice"),
            ("4k3/8/8/8/8/8/8/4K2R w KX - 0 1", "'X' is not a right; expected"),
            ("4k3/8/8/8/8/8/8/4K2R w G - 0 1", "The white side has the right to castle with a rook on g1"),
            ("4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "no pawn"),
            ("4k3/8/8/4p3/8/8/8/4K3 w - e3 0 1", "rank 6"),
            ("4k3/4p3/8/4p3/8/8/8/4K3 w - e6 0 1", "not empty"),
            ("4k3/8/8/3Pp3/8/8/8/K6r w - e6 0 1", "in check before"),
            ("4k3/8/8/8/8/8/8/4K3 w - e 0 1", "such as"),
            ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "expected \"w\""),
            ("4k3/8/8/8/8/8/8/4K3 w - - 65536 1", "halfmove"),
            ("4k3/8/8/8/8/8/8/4K3 w - - +1 1", "halfmove"),
            ("4k3/8/8/8/8/8/8/4K3 w - - 0 -1", "move number"),
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
