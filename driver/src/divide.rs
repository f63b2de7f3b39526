//! Divide: the leaves below each move of the root.

use kogge_board::{Fen, Move, Position, Quad48};

use crate::frontier::counting;
use crate::moves::{legal_moves, named_successors};
use crate::{Driver, Error};

impl Driver<'_> {
    /// Returns the legal moves of the root in generation order, each with the number of leaves `depth` - 1 plies below it.
    /// Their sum is the count of [`Driver::perft`]. At depth 0 the root is the only leaf, and the list is empty.
    ///
    /// # Errors
    /// As [`Driver::perft`], and if the backend makes a successor that no move leads to.
    pub fn divide(&mut self, root: &Fen, depth: u32) -> Result<Vec<(Move, u128)>, Error> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(Vec::new()) };
        let (moves, children): (Vec<_>, Vec<_>) = legal_moves(self.backend, root)?.into_iter().unzip();
        Ok(moves.into_iter().zip(self.count_each(root, &children, depth)?).collect())
    }

    /// Returns the successors of the root as the backend makes them, right or wrong: each with the move that leads to it, if there is one,
    /// and with the number of leaves `depth` - 1 plies below it.
    ///
    /// # Errors
    /// As [`Driver::perft`].
    pub fn divide_successors(&mut self, root: &Fen, depth: u32) -> Result<Vec<(Option<Move>, Position, u128)>, Error> {
        let Some(depth) = depth.checked_sub(1) else { return Ok(Vec::new()) };
        let (moves, children): (Vec<_>, Vec<_>) = named_successors(self.backend, root)?.into_iter().unzip();
        let counts = self.count_each(root, &children, depth)?;
        let children = children.iter().map(Quad48::unpack_unchecked);
        Ok(moves.into_iter().zip(children).zip(counts).map(|((played, child), count)| (played, child, count)).collect())
    }

    fn count_each(&mut self, root: &Fen, positions: &[Quad48], depth: u32) -> Result<Vec<u128>, Error> {
        self.begin(positions.len());
        self.count(&counting(root), positions, depth, None)
    }
}
