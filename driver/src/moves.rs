//! Moves of a position, from its successors.

use kogge_board::{Backend, Fen, Move, Quad48};

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
