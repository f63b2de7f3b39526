//! Moves of a position, from its successors.

use kogge_board::{Backend, Color, Fen, Move, MoveError, Quad48};
use thiserror::Error;

use crate::calls::expand;
use crate::error::wrong_answer;
use crate::frontier::counting;
use crate::{Error, Frontier};

/// Returns the legal moves of a position with its successors, in generation order.
///
/// The successors' halfmove clocks are zero.
///
/// # Errors
/// If the backend fails or makes a successor that no move leads to.
pub fn legal_moves(backend: &mut dyn Backend, root: &Fen) -> Result<Vec<(Move, Quad48)>, Error> {
    let moves = named_successors(backend, root)?.into_iter().map(|(played, child)| match played {
        Some(played) => Ok((played, child)),
        None => {
            let made = Fen::new(child.unpack_unchecked(), root.rules);
            let reason = format!("it made \"{made}\" of \"{root}\", to which no move leads.");
            Err(wrong_answer(&backend.info().name, reason))
        }
    });
    moves.collect()
}

/// Returns the successors of a position, each with the move that leads to it, if any.
pub(crate) fn named_successors(backend: &mut dyn Backend, root: &Fen) -> Result<Vec<(Option<Move>, Quad48)>, Error> {
    let rules = counting(root);
    let parent = root.position;
    let successors = expand(backend, &rules, Frontier::of(root).positions())?.positions;
    let name = |child: Quad48| (Move::between(&rules, &parent, &child.unpack_unchecked()), child);
    Ok(successors.into_iter().map(name).collect())
}

/// An error in a list of moves.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum LineError {
    /// A word is not a move, or the move is not legal.
    #[error("Move number {number} of the list cannot be played on \"{before}\": {error}")]
    Move {
        /// The number of the move, from 1.
        number: usize,
        /// The position before the move.
        before: Box<Fen>,
        /// The mistake.
        error: MoveError,
    },
    /// The backend failed to find the legal moves.
    #[error(transparent)]
    Driver(#[from] Error),
}

/// Returns the position after these moves, in UCI notation or SAN. Castling in UCI notation is the king's
/// move to file g or c or, if the first position [is one of Chess960](Fen::is_chess960), to its rook.
///
/// The halfmove clock and the move number advance with the moves.
///
/// # Errors
/// If a move cannot be played (the error names the first such move), or if the backend fails.
pub fn play_line<S: AsRef<str>>(backend: &mut dyn Backend, root: &Fen, line: &[S]) -> Result<Fen, LineError> {
    let chess960 = root.is_chess960();
    let mut here = *root;
    for (number, text) in (1..).zip(line) {
        let text = text.as_ref();
        let legal: Vec<Move> = legal_moves(backend, &here)?.into_iter().map(|(played, _)| played).collect();
        let found = match Move::from_uci(text, &here.rules, chess960, &legal) {
            Err(MoveError::Uci(_)) => Move::from_san(text, &here.position, &legal),
            found => found,
        };
        let played = found.map_err(|error| LineError::Move { number, before: Box::new(here), error })?;
        here = play(&here, played);
    }
    Ok(here)
}

pub(crate) fn play(before: &Fen, played: Move) -> Fen {
    let position = before.position.play(&before.rules.with_halfmove_clock(true), played);
    let number = u16::from(before.position.turn() == Color::Black);
    Fen {
        position,
        fullmove: before.fullmove.saturating_add(number),
        passed: position.state.en_passant_square(),
        ..*before
    }
}
