//! Checks the tree that the arguments describe.

use std::num::NonZeroUsize;
use std::path::Path;

use kogge::{Fen, Game, known, pgn::PgnReader};

use crate::args::{self, PgnPly};
use crate::input;
use crate::outcome::Failure;

/// A tree: a root and a depth.
pub(crate) struct Tree {
    pub(crate) root: Fen,
    pub(crate) depth: u32,
}

impl Tree {
    /// Checks the root in the arguments.
    pub(crate) fn new(args::Tree { depth, root }: &args::Tree) -> Result<Self, Failure> {
        Ok(Self { root: position(root.fen.as_deref(), &root.game, &root.moves)?, depth: *depth })
    }
}

/// Plays moves from the position of a FEN or of a game, or from the start position, before any device is opened.
pub(crate) fn position(fen: Option<&str>, game: &PgnPly, moves: &[String]) -> Result<Fen, Failure> {
    let root = match (&game.pgn, fen) {
        (Some(file), _) => from_pgn(file, game.game, game.ply)?,
        (None, Some(fen)) => read(fen)?,
        (None, None) => Fen::start(),
    };
    if moves.is_empty() {
        return Ok(root);
    }
    let words = moves.iter().flat_map(|text| text.split_whitespace()).map(without_number);
    let line: Vec<_> = words.filter(|text| !text.is_empty()).collect();
    if line.is_empty() {
        return Err(Failure::Input("--moves has no move; expected moves such as e2e4 or Nf3.".to_owned()));
    }
    let mut game = Game::new(root);
    game.play_line(&line)?;
    let mut found = *game.fen();
    found.rules = root.rules;
    Ok(found)
}

/// Removes a move number, such as `1.` or `1...`, before a move.
fn without_number(text: &str) -> &str {
    let rest = text.trim_start_matches(|char: char| char.is_ascii_digit());
    if rest.len() < text.len() && rest.starts_with('.') { rest.trim_start_matches('.') } else { text }
}

/// Reads the position of a game after a number of plies, or at its end.
fn from_pgn(file: &Path, number: NonZeroUsize, ply: Option<usize>) -> Result<Fen, Failure> {
    let name = input::name(file);
    let input = input::open(file).map_err(|error| Failure::Input(format!("{name} cannot be read: {error}.")))?;
    let mut games = 0;
    let wanted = PgnReader::new(input).without_variations().inspect(|_| games += 1).nth(number.get() - 1);
    let Some(game) = wanted else {
        return Err(Failure::Input(format!("{name} has {games} game{s}, but --game is {number}.", s = plural(games))));
    };
    let game = game.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
    let plies = game.moves().len();
    let Some(game) = game.at(ply.unwrap_or(plies)) else {
        return Err(Failure::Input(format!(
            "Game {number} of {name} has {plies} pl{y}; --ply can be from 0 to {plies}.",
            y = if plies == 1 { "y" } else { "ies" }
        )));
    };
    // As for a root in FEN, so that counts ignore the clock.
    let mut root = *game.fen();
    root.rules = root.rules.with_halfmove_clock(false);
    Ok(root)
}

const fn plural(number: usize) -> &'static str {
    if number == 1 { "" } else { "s" }
}

/// Reads a FEN or the name of a standard position.
pub(crate) fn read(text: &str) -> Result<Fen, Failure> {
    known::root(text).map_err(|error| Failure::Input(error.to_string()))
}
