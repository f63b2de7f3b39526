//! Distinct positions, ply by ply.

use kogge_board::Fen;

use crate::frontier::counting;
use crate::merged::{Work, root_entry};
use crate::{Driver, Error, MergeSettings};

impl Driver<'_> {
    /// The number of distinct positions after each ply from 0 to `plies`.
    ///
    /// Positions are the same when all that a tree's course depends on is: pieces, side to move, castling rights, and
    /// an en-passant square where a capture is legal. The last ply may be larger than memory: it is then collected in
    /// partitions, for each of which all positions of the ply before are expanded once more.
    ///
    /// # Errors
    /// [`Error::Memory`] if a ply before the last does not fit, [`Error::Cancelled`] with how far it was, or
    /// the backend's.
    pub fn unique(&mut self, root: &Fen, plies: u32, memory: u64) -> Result<Vec<u64>, Error> {
        self.begin(plies as usize + 1);
        let mut work = Work::start(self, &counting(root), &MergeSettings::with_memory(memory), plies)?;
        work.add(&[root_entry(root)])?;
        let mut counts = vec![1];
        for ply in 1..=plies {
            counts.push(work.distinct_successors(ply == plies)?);
            work.done(&counts);
        }
        Ok(counts)
    }
}
