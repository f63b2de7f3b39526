//! A game of chess: the position, its rules and clocks, and all positions before it.

use std::fmt;
use std::str::FromStr;

use kogge_board::{Color, Fen, FenError, Move, MoveError, MoveKind, Position, Rules, Square, zobrist};
use thiserror::Error;

use crate::LegalMoves;
use crate::legal::attacked;

/// The dark squares.
const DARK: u64 = 0xaa55_aa55_aa55_aa55;

/// The plies without a capture or pawn move after which a player may claim a draw, and after which the game is drawn.
const FIFTY_MOVES: u16 = 100;
const SEVENTY_FIVE_MOVES: u16 = 150;

/// A game of orthodox chess or Chess960.
///
/// ```
/// use kogge_movegen_cpu::{Game, Status};
///
/// let mut game = Game::default();
/// for text in ["f3", "e5", "g4"] {
///     game.play(game.parse_san(text)?)?;
/// }
/// assert_eq!(game.legal_moves().count(), 30);
/// let mate = game.parse_uci("d8h4")?;
/// assert_eq!(game.san(mate), "Qh4#");
/// game.play(mate)?;
/// assert_eq!(game.status(), Status::Checkmate);
/// assert_eq!(game.to_string(), "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
/// # Ok::<(), kogge_board::MoveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    fen: Fen,
    /// The positions before each move, with the move.
    history: Vec<(Fen, Move)>,
}

/// Whether a game goes on, and if not, why.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// The game goes on, and the side to move is not in check.
    Ongoing,
    /// The game goes on, and the side to move is in check.
    Check,
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move, and is not in check.
    Stalemate,
    /// Neither side can mate by any series of legal moves, because there are only kings, or besides them one knight, or bishops on
    /// squares of one colour.
    InsufficientMaterial,
    /// Both sides have made 75 moves without a capture or a pawn move, which ends the game.
    SeventyFiveMoves,
    /// The position has occurred five times, which ends the game.
    FivefoldRepetition,
    /// Both sides have made fifty moves without a capture or a pawn move, so that a player may claim a draw.
    FiftyMoves,
    /// The position has occurred three times, so that a player may claim a draw.
    ThreefoldRepetition,
}

impl Status {
    /// Returns whether the game is over, or will be if a player claims the draw.
    ///
    /// ```
    /// use kogge_movegen_cpu::Status;
    /// assert!(Status::FiftyMoves.is_over() && !Status::Check.is_over());
    /// ```
    pub const fn is_over(self) -> bool {
        !matches!(self, Self::Ongoing | Self::Check)
    }

    /// Returns whether the game is drawn, or will be if a player claims it.
    ///
    /// ```
    /// use kogge_movegen_cpu::Status;
    /// assert!(Status::Stalemate.is_draw() && !Status::Checkmate.is_draw());
    /// ```
    pub const fn is_draw(self) -> bool {
        self.is_over() && !matches!(self, Self::Checkmate)
    }

    /// Returns whether the draw must be claimed: after fifty moves, or at the third occurrence.
    ///
    /// ```
    /// use kogge_movegen_cpu::Status;
    /// assert!(Status::ThreefoldRepetition.must_be_claimed() && !Status::FivefoldRepetition.must_be_claimed());
    /// ```
    pub const fn must_be_claimed(self) -> bool {
        matches!(self, Self::FiftyMoves | Self::ThreefoldRepetition)
    }
}

/// A word of a list of moves that cannot be played.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("Move number {number} of the list cannot be played on \"{before}\": {error}")]
pub struct LineError {
    /// The number of the move, from 1.
    pub number: usize,
    /// The position before the move.
    pub before: Box<Fen>,
    /// The mistake.
    pub error: MoveError,
}

impl Game {
    /// Starts a game from a position.
    ///
    /// ```
    /// let mut game = kogge_movegen_cpu::Game::new("8/8/1KP5/3r4/8/8/8/k7 w - - 0 1".parse()?);
    /// game.play_line(&["c7", "Rd6+", "Kb5"])?;
    /// assert_eq!(game.to_string(), "8/2P5/3r4/1K6/8/8/8/k7 b - - 2 2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(start: Fen) -> Self {
        let mut fen = start;
        fen.rules = fen.rules.with_halfmove_clock(true);
        Self { fen, history: Vec::new() }
    }

    /// Returns the current position.
    ///
    /// ```
    /// let mut game = kogge_movegen_cpu::Game::default();
    /// game.play_line(&["e4", "d5", "exd5"])?;
    /// assert_eq!(game.position().pawns.count_ones(), 15);
    /// # Ok::<(), kogge_movegen_cpu::LineError>(())
    /// ```
    #[inline]
    pub const fn position(&self) -> &Position {
        &self.fen.position
    }

    /// Returns the rules, with the halfmove clock on.
    ///
    /// ```
    /// use kogge_board::Rules;
    /// assert_eq!(*kogge_movegen_cpu::Game::default().rules(), Rules::STANDARD.with_halfmove_clock(true));
    /// ```
    #[inline]
    pub const fn rules(&self) -> &Rules {
        &self.fen.rules
    }

    /// Returns the current position with its clocks, as FEN.
    ///
    /// ```
    /// let game: kogge_movegen_cpu::Game = "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1".parse()?;
    /// assert_eq!(game.fen().to_string(), "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1");
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    #[inline]
    pub const fn fen(&self) -> &Fen {
        &self.fen
    }

    /// Returns the side to move.
    ///
    /// ```
    /// use kogge_board::Color;
    /// let mut game = kogge_movegen_cpu::Game::default();
    /// game.play_line(&["e4", "e5", "f4"])?;
    /// assert_eq!(game.turn(), Color::Black);
    /// # Ok::<(), kogge_movegen_cpu::LineError>(())
    /// ```
    #[inline]
    pub const fn turn(&self) -> Color {
        self.fen.position.turn()
    }

    /// Returns the positions before each move, the first one first, each with the move.
    ///
    /// ```
    /// use kogge_movegen_cpu::Game;
    /// let mut game = Game::default();
    /// game.play_line(&["d2d4", "g8f6", "c2c4"])?;
    /// let names: Vec<_> = game.history().iter().map(|&(before, played)| Game::new(before).san(played)).collect();
    /// assert_eq!(names, ["d4", "Nf6", "c4"]);
    /// # Ok::<(), kogge_movegen_cpu::LineError>(())
    /// ```
    pub fn history(&self) -> &[(Fen, Move)] {
        &self.history
    }

    /// Returns the legal moves. Their order has no meaning.
    ///
    /// ```
    /// let game = kogge_movegen_cpu::Game::default();
    /// let targets: u64 = game.legal_moves().pieces().fold(0, |squares, moves| squares | moves.targets);
    /// assert_eq!(targets, 0x0000_0000_ffff_0000);
    /// ```
    #[inline]
    pub fn legal_moves(&self) -> LegalMoves<'_> {
        LegalMoves::of(&self.fen.rules, &self.fen.position)
    }

    /// Plays a move.
    ///
    /// ```
    /// let mut game = kogge_movegen_cpu::Game::default();
    /// let opening = game.parse_san("e4")?;
    /// game.play(opening)?;
    /// assert!(game.play(opening).is_err(), "it is black's turn, and e2 is empty");
    /// # Ok::<(), kogge_board::MoveError>(())
    /// ```
    ///
    /// # Errors
    /// If the move is not legal; then the game stays as it is.
    pub fn play(&mut self, played: Move) -> Result<(), MoveError> {
        if !self.legal_moves().contains(played) {
            return Err(MoveError::Illegal(format!("{played:?}")));
        }
        self.play_unchecked(played);
        Ok(())
    }

    /// Plays a move of [`Game::legal_moves`]. Any other move may give a meaningless position, but no panic.
    ///
    /// ```
    /// let mut game = kogge_movegen_cpu::Game::default();
    /// let mut leaves = 0;
    /// for played in game.clone().legal_moves() {
    ///     game.play_unchecked(played);
    ///     leaves += game.legal_moves().count();
    ///     game.undo();
    /// }
    /// assert_eq!(leaves, 400);
    /// ```
    #[inline]
    pub fn play_unchecked(&mut self, played: Move) {
        let after = self.fen.play(played);
        self.history.push((std::mem::replace(&mut self.fen, after), played));
    }

    /// Plays moves in UCI notation or SAN.
    ///
    /// ```
    /// let mut game = kogge_movegen_cpu::Game::default();
    /// game.play_line(&["e2e4", "e7e5", "Nf3"])?;
    /// assert_eq!(game.history().len(), 3);
    /// let error = game.play_line(&["Nc6", "Nxd5"]).unwrap_err();
    /// assert_eq!(error.number, 2);
    /// # Ok::<(), kogge_movegen_cpu::LineError>(())
    /// ```
    ///
    /// # Errors
    /// If a move cannot be played. The error names the first such move; the moves before it have been played.
    pub fn play_line<S: AsRef<str>>(&mut self, line: &[S]) -> Result<(), LineError> {
        for (number, text) in (1..).zip(line) {
            let found = match self.parse_uci(text.as_ref()) {
                Err(MoveError::Uci(_)) => self.parse_san(text.as_ref()),
                found => found,
            };
            let played = found.map_err(|error| LineError { number, before: Box::new(self.fen), error })?;
            self.play_unchecked(played);
        }
        Ok(())
    }

    /// Takes the last move back and returns it, or `None` at the start of the game.
    ///
    /// ```
    /// let mut game = kogge_movegen_cpu::Game::default();
    /// let played = game.parse_san("e4")?;
    /// game.play(played)?;
    /// assert_eq!((game.undo(), game.undo()), (Some(played), None));
    /// # Ok::<(), kogge_board::MoveError>(())
    /// ```
    #[inline]
    pub fn undo(&mut self) -> Option<Move> {
        let (before, played) = self.history.pop()?;
        self.fen = before;
        Some(played)
    }

    /// Returns the pieces that give check.
    ///
    /// ```
    /// use kogge_board::Square;
    /// let mut game = kogge_movegen_cpu::Game::default();
    /// game.play_line(&["e4", "f5", "Qh5+"])?;
    /// assert_eq!(game.checkers(), Square::at(7, 4).bit());
    /// # Ok::<(), kogge_movegen_cpu::LineError>(())
    /// ```
    pub fn checkers(&self) -> u64 {
        self.legal_moves().checkers()
    }

    /// Returns whether a side attacks a square, occupied or not.
    ///
    /// ```
    /// use kogge_board::{Color, Square};
    /// let game = kogge_movegen_cpu::Game::default();
    /// assert!(game.is_attacked(Square::at(4, 2), Color::White));
    /// assert!(!game.is_attacked(Square::at(4, 3), Color::White));
    /// ```
    pub fn is_attacked(&self, square: Square, by: Color) -> bool {
        let position = self.position();
        attacked(position, by, position.of(by), !position.occupied()) & square.bit() != 0
    }

    /// Returns whether the game goes on. The reasons for its end are considered in the order in which [`Status`] lists them.
    ///
    /// ```
    /// use kogge_movegen_cpu::{Game, Status};
    /// let game: Game = "7k/8/5K2/6Q1/8/8/8/8 b - - 0 1".parse()?;
    /// assert_eq!(game.status(), Status::Ongoing);
    /// let game: Game = "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1".parse()?;
    /// assert_eq!(game.status(), Status::Stalemate);
    /// # Ok::<(), kogge_board::FenError>(())
    /// ```
    pub fn status(&self) -> Status {
        let mut moves = self.legal_moves();
        let is_check = moves.checkers() != 0;
        let clock = self.fen.halfmove_clock;
        // A position that occurred before lies four plies back at least.
        let occurred = if clock < 4 { 1 } else { self.occurrences() };
        match moves.next() {
            None if is_check => Status::Checkmate,
            None => Status::Stalemate,
            Some(_) if is_material_insufficient(self.position()) => Status::InsufficientMaterial,
            Some(_) if clock >= SEVENTY_FIVE_MOVES => Status::SeventyFiveMoves,
            Some(_) if occurred >= 5 => Status::FivefoldRepetition,
            Some(_) if clock >= FIFTY_MOVES => Status::FiftyMoves,
            Some(_) if occurred >= 3 => Status::ThreefoldRepetition,
            Some(_) if is_check => Status::Check,
            Some(_) => Status::Ongoing,
        }
    }

    /// Returns the number of times that the current position has occurred, this time included. Positions are equal if all pieces, the
    /// side to move, the castling rights and the legal captures en passant are equal.
    ///
    /// ```
    /// let mut game = kogge_movegen_cpu::Game::default();
    /// game.play_line(&["Nf3", "Nf6", "Ng1", "Ng8"])?;
    /// assert_eq!(game.occurrences(), 2);
    /// # Ok::<(), kogge_movegen_cpu::LineError>(())
    /// ```
    pub fn occurrences(&self) -> usize {
        let (here, plies) = (without_clock(self.position()), usize::from(self.fen.halfmove_clock));
        let before = self.history.iter().rev().take(plies).skip(1).step_by(2);
        1 + before.filter(|(fen, _)| without_clock(&fen.position) == here).count()
    }

    /// Returns Polyglot's Zobrist key of the position, which many programs and opening books use.
    ///
    /// As Polyglot defines it, the en-passant file belongs to the key if a pawn of the side to move stands beside the pawn that has just
    /// moved two squares, even if the capture is illegal.
    ///
    /// ```
    /// assert_eq!(kogge_movegen_cpu::Game::default().hash(), 0x463b_9618_1691_fc9c);
    /// ```
    pub fn hash(&self) -> u64 {
        let position = self.position();
        let key = position.zobrist_key();
        let passed = match self.history.last() {
            Some((_, played)) => (played.kind() == MoveKind::DoublePush).then_some(played.to().file()),
            None => self.fen.passed.map(Square::file),
        };
        let Some(file) = passed.filter(|_| position.state.en_passant_file().is_none()) else { return key };
        let pawn = Square::at(file, if position.turn() == Color::White { 4 } else { 3 });
        let pawns = position.pawns & position.of(position.turn());
        let is_beside = |step| pawn.offset((step, 0)).is_some_and(|beside| beside.bit() & pawns != 0);
        if is_beside(-1) || is_beside(1) { key ^ zobrist::en_passant(file) } else { key }
    }

    /// Returns whether castling differs from orthodox chess in the first position of the game. Then castling is written in UCI notation as
    /// the king's move to its rook.
    ///
    /// ```
    /// let mut game: kogge_movegen_cpu::Game = "4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1".parse()?;
    /// game.play_line(&["Rb8+"])?;
    /// assert!(game.is_chess960(), "the game began with a rook on b1 that could castle");
    /// assert!(!game.fen().is_chess960(), "no rook can castle now");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_chess960(&self) -> bool {
        self.history.first().map_or(&self.fen, |(start, _)| start).is_chess960()
    }

    /// Writes a move in UCI notation: `e2e4`, `e7e8q`.
    ///
    /// ```
    /// use kogge_movegen_cpu::Game;
    /// let [orthodox, chess960]: [Game; 2] = ["4k3/8/8/8/8/8/8/R3K3 w Q - 0 1".parse()?, "4k3/8/8/8/8/8/8/1R2K3 w Q - 0 1".parse()?];
    /// assert_eq!(orthodox.uci(orthodox.parse_san("O-O-O")?), "e1c1");
    /// assert_eq!(chess960.uci(chess960.parse_san("O-O-O")?), "e1b1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn uci(&self, played: Move) -> String {
        played.uci(self.rules(), self.is_chess960())
    }

    /// Reads a legal move in UCI notation. Castling may be the king's move to file g or c, or to its rook.
    ///
    /// ```
    /// use kogge_board::MoveKind;
    /// let game: kogge_movegen_cpu::Game = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse()?;
    /// assert_eq!(game.parse_uci("e1h1")?, game.parse_uci("e1g1")?);
    /// assert_eq!(game.parse_uci("e1g1")?.kind(), MoveKind::CastleKingside);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not in UCI notation, or if it matches no legal move.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        self.legal_moves().parse_uci(text)
    }

    /// Writes a legal move in standard algebraic notation: `Nbd2`, `exd8=Q+`, `O-O#`.
    ///
    /// If the names of many moves of one position are needed, [`LegalMoves::san`] is faster.
    ///
    /// ```
    /// let game: kogge_movegen_cpu::Game = "3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1".parse()?;
    /// assert_eq!(game.san(game.parse_uci("e7d8q")?), "exd8=Q+");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn san(&self, played: Move) -> String {
        self.legal_moves().san(played)
    }

    /// Reads a legal move in standard algebraic notation. It may be more specific than necessary, and marks at its end are ignored.
    ///
    /// ```
    /// let game = kogge_movegen_cpu::Game::default();
    /// assert_eq!(game.parse_san("Ng1f3!")?, game.parse_san("Nf3")?);
    /// # Ok::<(), kogge_board::MoveError>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not SAN, or if it matches no legal move or several.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        self.legal_moves().parse_san(text)
    }
}

impl Default for Game {
    /// Starts a game of orthodox chess.
    fn default() -> Self {
        Self::new(Fen::start())
    }
}

impl From<Fen> for Game {
    fn from(start: Fen) -> Self {
        Self::new(start)
    }
}

impl FromStr for Game {
    type Err = FenError;

    /// Starts a game from a FEN.
    fn from_str(fen: &str) -> Result<Self, FenError> {
        fen.parse().map(Self::new)
    }
}

impl fmt::Display for Game {
    /// Writes the current position as FEN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fen.fmt(f)
    }
}

fn without_clock(position: &Position) -> Position {
    Position { state: position.state.with_halfmove_clock(0), ..*position }
}

/// Returns whether the material rules out mate by any series of legal moves.
///
/// ```
/// use kogge_board::Fen;
/// use kogge_movegen_cpu::is_material_insufficient;
/// let [bishops, knights]: [Fen; 2] = ["4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1".parse()?, "4k3/8/8/8/8/8/8/1N2K1N1 w - - 0 1".parse()?];
/// assert!(is_material_insufficient(&bishops.position), "both bishops are on dark squares");
/// assert!(!is_material_insufficient(&knights.position), "two knights can mate, if not by force");
/// # Ok::<(), kogge_board::FenError>(())
/// ```
pub fn is_material_insufficient(position: &Position) -> bool {
    let Position { pawns, knights, bishops_queens, rooks_queens, .. } = *position;
    pawns | rooks_queens == 0
        && match knights.count_ones() {
            0 => bishops_queens & DARK == 0 || bishops_queens & !DARK == 0,
            1 => bishops_queens == 0,
            _ => false,
        }
}
