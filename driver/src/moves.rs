//! Moves of a position, by way of its successors.

use kogge_board::{Backend, Fen, Move, Quad48};

use crate::driver::expand;
use crate::error::wrong_answer;
use crate::frontier::counting;
use crate::{Error, Frontier};

/// The legal moves of a position and what they lead to, in generation order.
///
/// The successors' halfmove clocks are zero.
///
/// # Errors
/// If the backend fails, or if it makes a successor to which no move leads.
pub fn legal_moves(backend: &mut dyn Backend, root: &Fen) -> Result<Vec<(Move, Quad48)>, Error> {
    let rules = counting(root);
    let parent = Frontier::of(root);
    let successors = expand(backend, &rules, parent.positions())?.positions;
    let moves = successors.into_iter().map(|child| {
        let played = Move::between(&rules, &root.position, &child.unpack_unchecked());
        played.map(|played| (played, child)).ok_or_else(|| {
            let reason = format!("it made a successor of \"{root}\" to which no move leads: {child:x?}.");
            wrong_answer(&backend.info().name, reason)
        })
    });
    moves.collect()
}
