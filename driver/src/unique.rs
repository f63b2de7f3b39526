//! Distinct positions, ply by ply.

use kogge_board::Fen;
use kogge_board::merge::MergeOptions;

use crate::frontier::counting;
use crate::merged::{NextPly, Work, root_entry};
use crate::{Driver, Error};

/// The number of plies after which multiplicities start from one again. No position has more than 218 moves, so 2^32
/// positions have fewer than 2^128 paths this many plies below.
const SAFE_PLIES: u32 = 12;

impl Driver<'_> {
    /// Counts the distinct positions after each ply from 0 to `plies`.
    ///
    /// Positions are equal if everything that their trees depend on is equal: pieces, side to move, castling rights,
    /// and an en-passant square where a capture is legal. The last ply may be larger than memory. It is then collected
    /// in partitions, and for each partition all positions of the ply before are expanded again.
    ///
    /// # Errors
    /// [`Error::Memory`] if a ply before the last does not fit, [`Error::Cancelled`] with the progress so far, or
    /// the backend's error.
    pub fn unique(&mut self, root: &Fen, plies: u32, memory: u64) -> Result<Vec<u64>, Error> {
        self.begin(plies as usize + 1);
        let mut work = Work::start(self, &counting(root), &MergeOptions::with_memory(memory), plies)?;
        work.add(&[root_entry(root)])?;
        let mut counts = vec![1];
        for ply in 1..=plies {
            counts.push(work.distinct_successors(ply == plies)?);
            work.report(&counts);
        }
        Ok(counts)
    }
}

impl Work<'_> {
    /// Counts the distinct positions of the next ply, and keeps them unless it is the `last`.
    fn distinct_successors(&mut self, last: bool) -> Result<u64, Error> {
        if self.next_ply().is_multiple_of(SAFE_PLIES) {
            self.forget_multiplicities()?;
        }
        self.rest = if last { 0.0 } else { f64::INFINITY };
        let ply = self.next_whole();
        if last && !self.should_fit(ply.positions) {
            self.descend()?;
        } else if self.merge_whole(ply)? {
            return Ok(self.successors());
        } else if !last {
            return Err(self.no_room());
        }
        // The estimate is better if the ply was tried as a whole.
        let ply = self.next_whole();
        let partitions = self.partitions_for(ply.positions);
        let ply = NextPly { partitions, seconds: ply.seconds * f64::from(partitions), ..ply };
        let count = |work: &mut Self, found: &mut u64| {
            *found += work.successors();
            Ok(())
        };
        Ok(self.in_partitions(ply, count)?.0)
    }
}
