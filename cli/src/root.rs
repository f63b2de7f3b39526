//! Roots as the command line names them.

use kogge_board::Fen;
use kogge_driver::play_line;
use kogge_movegen_cpu::mailbox::Mailbox;

use crate::args::Root;
use crate::failure::Failure;

impl Root {
    /// The position, after the moves.
    pub(crate) fn position(&self) -> Result<Fen, Failure> {
        position(self.fen.as_deref(), &self.moves)
    }
}

/// The position of a FEN, or the start position, after these moves. The moves are checked by the
/// mailbox generator, so that a wrong one is found before any device is started.
pub(crate) fn position(fen: Option<&str>, moves: &[String]) -> Result<Fen, Failure> {
    let root = fen.map_or(Ok(Fen::start()), str::parse).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(play_line(&mut Mailbox::new(), &root, moves)?)
}
