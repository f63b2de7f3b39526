//! Checks the tree that the arguments describe.

use kogge_board::{Fen, FenError, known};
use kogge_driver::play_line;
use kogge_movegen_cpu::mailbox::Mailbox;

use crate::args;
use crate::outcome::Failure;

/// A tree: a root and a depth.
pub(crate) struct Tree {
    pub(crate) root: Fen,
    pub(crate) depth: u32,
}

impl Tree {
    /// Checks the root in the arguments.
    pub(crate) fn new(args::Tree { depth, root }: &args::Tree) -> Result<Self, Failure> {
        Ok(Self { root: position(root.fen.as_deref(), &root.moves)?, depth: *depth })
    }
}

/// Plays moves from the position of a FEN, or from the start position. The mailbox checks the moves, so that a wrong
/// move is found before any device is opened.
pub(crate) fn position(fen: Option<&str>, moves: &[String]) -> Result<Fen, Failure> {
    let root = fen.map_or(Ok(Fen::start()), read)?;
    Ok(play_line(&mut Mailbox::new(), &root, moves)?)
}

/// A word of at least this many bytes cannot be meant as a name.
const LONG_NAME: usize = 20;

/// Reads a FEN or the name of a standard position.
fn read(text: &str) -> Result<Fen, Failure> {
    known::root(text).map_err(|error| {
        let is_name = error == FenError::Fields(1) && text.len() < LONG_NAME && !text.contains('/');
        if !is_name {
            return Failure::Input(error.to_string());
        }
        let names: Vec<_> = known::standard().iter().map(|known| known.name).collect();
        Failure::Input(format!(
            "{text:?} is neither a FEN nor the name of a position; the names are {}.",
            names.join(", ")
        ))
    })
}
