//! Divide: the leaves below each move of the root.

use kogge_board::{Fen, Move, Quad48};

use crate::frontier::counting;
use crate::{Driver, Error, legal_moves};

impl Driver<'_> {
    /// Returns the legal moves of the root in generation order, each with the number of leaves `depth` - 1 plies below it.
    /// Their sum is the count of [`Driver::perft`]. At depth 0 the root is the only leaf, and the list is empty.
    ///
    /// # Errors
    /// As [`Driver::perft`], and if the backend makes a successor that no move leads to.
    pub fn divide(&mut self, root: &Fen, depth: u32) -> Result<Vec<(Move, u128)>, Error> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(Vec::new()) };
        let (moves, children): (Vec<Move>, Vec<Quad48>) = legal_moves(self.backend, root)?.into_iter().unzip();
        self.begin(children.len());
        let counts = self.count(&counting(root), &children, depth, None)?;
        Ok(moves.into_iter().zip(counts).collect())
    }
}
