//! Games in PGN (portable game notation), as databases and servers write them.
//!
//! A [`PgnReader`] reads one game after another from a file of any length. Comments, the marks of moves (NAGs) and variations are kept, or
//! variations are skipped. Older files in Latin-1 can be read, too. The tag `FEN` gives the start position and the tag `Variant` the rules:
//! chess or Chess960.
//!
//! ```
//! use kogge::{GameResult, pgn::PgnReader};
//!
//! let text = r#"
//! [White "Réti"]
//! [Black "Tartakower"]
//!
//! 1. e4 c6 2. d4 d5 3. Nc3 dxe4 4. Nxe4 Nf6 5. Qd3 e5?! (5... Nxe4 6. Qxe4 {is even}) 1-0
//! "#;
//! let game = PgnReader::new(text.as_bytes()).next().expect("the text has a game")?;
//! assert_eq!((game.tag("Black"), game.result), (Some("Tartakower"), Some(GameResult::WhiteWins)));
//! assert_eq!(game.at(10).unwrap().to_string(), "rnbqkb1r/pp3ppp/2p2n2/4p3/3PN3/3Q4/PPP2PPP/R1B1KBNR w KQkq - 0 6");
//!
//! let last = game.line.moves.last().expect("the game has moves");
//! assert_eq!((last.nags[0], last.variations[0].moves[1].comment.as_str()), (6, "is even"));
//! # Ok::<(), kogge::pgn::PgnError>(())
//! ```
//!
//! The format is defined in the [PGN standard](https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm) by Steven J. Edwards.

mod mistake;
mod tokens;

use std::io::BufRead;
use std::iter::FusedIterator;

use thiserror::Error;

use crate::{Fen, Game, GameResult, LegalMoves, Move};
use mistake::MAX_NESTED;
use tokens::{Token, Tokens};

pub use mistake::Mistake;

/// A game in PGN.
#[derive(Clone, Debug)]
pub struct PgnGame {
    /// The tags, such as `White` or `Date`, in their order in the file, with their values.
    pub tags: Vec<(String, String)>,
    /// The first position.
    pub start: Fen,
    /// The moves that were played.
    pub line: PgnLine,
    /// The result, or `None` if it is not known or the game has not ended.
    pub result: Option<GameResult>,
}

/// The moves of a game or of a variation.
#[derive(Clone, Default, Debug)]
pub struct PgnLine {
    /// The comment before the first move, or an empty text.
    pub comment: String,
    /// The moves.
    pub moves: Vec<PgnMove>,
}

/// A move of a game, and the notes to it.
#[derive(Clone, Debug)]
pub struct PgnMove {
    /// The move.
    pub played: Move,
    /// The marks of the move, as numbers of the PGN standard: 1 is `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`.
    pub nags: Vec<u8>,
    /// The comment behind the move, or an empty text.
    pub comment: String,
    /// Other lines of play in place of this move.
    pub variations: Vec<PgnLine>,
}

/// A mistake in a game, and its place.
#[derive(Clone, PartialEq, Debug, Error)]
#[error("Game {game}, line {line}: {mistake}")]
pub struct PgnError {
    /// The number of the game in the file, from 1.
    pub game: usize,
    /// The number of the line in the file, from 1.
    pub line: usize,
    /// The mistake.
    pub mistake: Mistake,
}

impl PgnGame {
    /// Returns the value of a tag.
    ///
    /// ```
    /// let text = &b"[Event \"Casual game\"] 1. e4 *"[..];
    /// let game = kogge::pgn::PgnReader::new(text).next().expect("the text has a game")?;
    /// assert_eq!((game.tag("Event"), game.tag("Site")), (Some("Casual game"), None));
    /// # Ok::<(), kogge::pgn::PgnError>(())
    /// ```
    pub fn tag(&self, name: &str) -> Option<&str> {
        value(&self.tags, name)
    }

    /// Returns the moves that were played.
    ///
    /// ```
    /// let game = kogge::pgn::PgnReader::new(&b"1. e4 e5 2. Nf3 *"[..]).next().expect("the text has a game")?;
    /// assert_eq!(format!("{:?}", game.moves().collect::<Vec<_>>()), "[e2e4, e7e5, g1f3]");
    /// # Ok::<(), kogge::pgn::PgnError>(())
    /// ```
    pub fn moves(&self) -> impl DoubleEndedIterator<Item = Move> + ExactSizeIterator {
        self.line.moves.iter().map(|found| found.played)
    }

    /// Returns the game after a number of plies, or `None` if the game is shorter.
    ///
    /// ```
    /// let game = kogge::pgn::PgnReader::new(&b"1. e4 e5 2. Nf3 *"[..]).next().expect("the text has a game")?;
    /// assert_eq!(game.at(1).unwrap().to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    /// assert!(game.at(3).is_some() && game.at(4).is_none());
    /// # Ok::<(), kogge::pgn::PgnError>(())
    /// ```
    pub fn at(&self, ply: usize) -> Option<Game> {
        let played = self.line.moves.get(..ply)?;
        let mut game = Game::new(self.start);
        played.iter().for_each(|found| game.play_unchecked(found.played));
        Some(game)
    }

    /// Returns the game at its end.
    pub fn end(&self) -> Game {
        let mut game = Game::new(self.start);
        self.moves().for_each(|played| game.play_unchecked(played));
        game
    }
}

/// Reads games one by one. After a mistake it goes on with the next game.
pub struct PgnReader<R> {
    tokens: Tokens<R>,
    /// A word that was read too early.
    next: Option<Result<Option<Token>, Mistake>>,
    /// The number of the game, from 1.
    number: usize,
    with_variations: bool,
    is_at_end: bool,
}

/// A line that is being read.
struct OpenLine {
    line: PgnLine,
    /// The positions before the last move and after it.
    before: Fen,
    here: Fen,
}

impl<R: BufRead> PgnReader<R> {
    /// Reads the games of a file; to read a text, give its bytes.
    ///
    /// ```no_run
    /// use std::{fs::File, io::BufReader};
    ///
    /// for game in kogge::pgn::PgnReader::new(BufReader::new(File::open("games.pgn")?)) {
    ///     match game {
    ///         Ok(game) => println!("{} plies", game.moves().len()),
    ///         Err(error) => eprintln!("{error}"),
    ///     }
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn new(input: R) -> Self {
        Self { tokens: Tokens::new(input), next: None, number: 0, with_variations: true, is_at_end: false }
    }

    /// Skips variations, so that mistakes in them do not matter.
    ///
    /// ```
    /// let text = &b"1. e4 (1. Ke7) e5 *"[..];
    /// let game = kogge::pgn::PgnReader::new(text).without_variations().next().expect("the text has a game")?;
    /// assert_eq!(game.moves().len(), 2);
    /// # Ok::<(), kogge::pgn::PgnError>(())
    /// ```
    #[must_use]
    pub const fn without_variations(mut self) -> Self {
        self.with_variations = false;
        self
    }

    fn token(&mut self) -> Result<Option<Token>, Mistake> {
        self.next.take().unwrap_or_else(|| self.tokens.read())
    }

    /// Reads a game, or `None` at the end of the input. Lines that have not ended are left in `lines`.
    fn read(&mut self, lines: &mut Vec<OpenLine>) -> Result<Option<PgnGame>, Mistake> {
        let mut tags = Vec::new();
        let mut comment = String::new();
        let first = loop {
            match self.token()? {
                Some(Token::Tag(name, value)) => {
                    // A comment before the tags may still be about the game before.
                    if tags.is_empty() {
                        comment.clear();
                    }
                    tags.push((name, value));
                }
                Some(Token::Comment(text)) => add(&mut comment, &text),
                None if tags.is_empty() => return Ok(None),
                token => break token,
            }
        };
        self.next = Some(Ok(first));
        let start = start(&tags)?;
        lines.push(OpenLine { line: PgnLine { comment, moves: Vec::new() }, before: start, here: start });
        let result = self.read_moves(lines)?;
        let line = lines.swap_remove(0).line;
        if !lines.is_empty() {
            return Err(Mistake::Variation);
        }
        Ok(Some(PgnGame { tags, start, line, result }))
    }

    /// Reads moves to the game's end. Each variation is a line on the stack until its end.
    fn read_moves(&mut self, lines: &mut Vec<OpenLine>) -> Result<Option<GameResult>, Mistake> {
        loop {
            let depth = lines.len();
            let Some(open) = lines.last_mut() else { return Err(Mistake::Parenthesis("ends")) };
            match self.token()? {
                // Some programs write a result at the end of a variation.
                Some(Token::Result(_)) if depth > 1 => {}
                Some(Token::Result(result)) => return Ok(result),
                next @ (None | Some(Token::Tag(..))) => {
                    self.next = Some(Ok(next));
                    return Ok(None);
                }
                Some(Token::Move(text)) => {
                    let before = open.here;
                    let played = LegalMoves::of(&before.rules, &before.position).parse_san(&text);
                    let played = played.map_err(|error| Mistake::Move { before: Box::new(before), error })?;
                    (open.before, open.here) = (before, before.play(played));
                    let found = PgnMove { played, nags: Vec::new(), comment: String::new(), variations: Vec::new() };
                    open.line.moves.push(found);
                }
                Some(Token::Nag(nag)) => {
                    if let Some(last) = open.line.moves.last_mut() {
                        last.nags.push(nag);
                    }
                }
                Some(Token::Comment(text)) => match open.line.moves.last_mut() {
                    Some(last) => add(&mut last.comment, &text),
                    None => add(&mut open.line.comment, &text),
                },
                Some(Token::VariationStart) if !self.with_variations => {
                    if !self.skip(1, false) {
                        return Err(Mistake::Variation);
                    }
                }
                Some(Token::VariationStart) => {
                    if open.line.moves.is_empty() {
                        return Err(Mistake::Parenthesis("begins"));
                    }
                    if depth > MAX_NESTED {
                        return Err(Mistake::Nested);
                    }
                    let here = open.before;
                    lines.push(OpenLine { line: PgnLine::default(), before: here, here });
                }
                Some(Token::VariationEnd) => {
                    let ended = lines.pop().map(|open| open.line);
                    let parent = lines.last_mut().and_then(|parent| parent.line.moves.last_mut());
                    match (ended, parent) {
                        (Some(variation), Some(parent)) => parent.variations.push(variation),
                        _ => return Err(Mistake::Parenthesis("ends")),
                    }
                }
            }
        }
    }

    /// Skips the rest of a variation or of the whole game, from inside a number of variations. Returns whether its end was found
    /// before the next game's tags and the end of the input.
    fn skip(&mut self, mut depth: usize, whole_game: bool) -> bool {
        loop {
            match self.token() {
                Ok(Some(Token::VariationStart)) => depth += 1,
                Ok(Some(Token::VariationEnd)) => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && !whole_game {
                        return true;
                    }
                }
                Ok(Some(Token::Result(_))) if depth == 0 => return true,
                next @ (Ok(None | Some(Token::Tag(..))) | Err(Mistake::Read(_) | Mistake::Comment(_))) => {
                    self.next = Some(next);
                    return false;
                }
                // A character or a mark that cannot be read is skipped, too.
                Ok(Some(_)) | Err(_) => {}
            }
        }
    }

    /// Skips the rest of a game with a mistake.
    fn skip_game(&mut self, open: usize) {
        if open == 0 {
            // The mistake is among the tags.
            loop {
                match self.token() {
                    Ok(Some(Token::Tag(..))) | Err(Mistake::Tag(_)) => {}
                    other => {
                        self.next = Some(other);
                        break;
                    }
                }
            }
        }
        self.skip(open.saturating_sub(1), true);
    }
}

impl<R: BufRead> Iterator for PgnReader<R> {
    type Item = Result<PgnGame, PgnError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_at_end {
            return None;
        }
        self.number += 1;
        let mut lines = Vec::new();
        let read = self.read(&mut lines).map_err(|mistake| {
            let error = PgnError { game: self.number, line: self.tokens.number.max(1), mistake };
            match error.mistake {
                Mistake::Read(_) | Mistake::Comment(_) => self.is_at_end = true,
                _ => self.skip_game(lines.len()),
            }
            error
        });
        self.is_at_end |= matches!(read, Ok(None));
        read.transpose()
    }
}

impl<R> FusedIterator for PgnReader<R> where R: BufRead {}

/// Adds a comment to another one.
fn add(comment: &mut String, text: &str) {
    if !comment.is_empty() && !text.is_empty() {
        comment.push(' ');
    }
    comment.push_str(text);
}

fn value<'t>(tags: &'t [(String, String)], name: &str) -> Option<&'t str> {
    tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
}

/// Reads the start position that the tags name.
fn start(tags: &[(String, String)]) -> Result<Fen, Mistake> {
    if let Some(variant) = value(tags, "Variant") {
        let letters = variant.chars().filter(|letter| letter.is_alphanumeric());
        let known = ["chess", "standard", "normal", "orthodox", "fromposition"];
        let chess960 = ["chess960", "960", "fischerandom", "fischerrandom", "freestyle", "freestylechess", "chess9lx"];
        let letters = letters.collect::<String>().to_lowercase();
        if !known.iter().chain(&chess960).any(|known| *known == letters) {
            return Err(Mistake::Variant(variant.to_owned()));
        }
    }
    let fen = value(tags, "FEN").map_or(Ok(Fen::start()), str::parse)?;
    Ok(*Game::new(fen).fen())
}
