//! Distinct positions, ply by ply.

use kogge_board::Fen;
use kogge_board::merge::{KeyRange, MergeOptions};

use crate::frontier::counting;
use crate::merged::{RangeCount, Ranges, Work, root_entry};
use crate::{Driver, Error};

/// The number of plies after which multiplicities start from one again. No position has more than 218 moves, so 2^32
/// positions have fewer than 2^128 paths this many plies below.
const SAFE_PLIES: u32 = 12;

/// The share of its room that the ply before the last may take whole.
const WHOLE_SHARE: f64 = 0.75;

impl Driver<'_> {
    /// Counts the distinct positions after each ply from 0 to `plies`.
    ///
    /// Positions are equal if everything that their trees depend on is equal: pieces, side to move, castling rights,
    /// and an en-passant square where a capture is legal. The last two plies may be larger than memory. They are then counted in
    /// ranges of positions with similar pawns.
    ///
    /// # Errors
    /// [`Error::Memory`] if a ply before the last two does not fit, [`Error::Cancelled`] with the progress so far, or
    /// the backend's error.
    pub fn unique(&mut self, root: &Fen, plies: u32, memory: u64) -> Result<Vec<u64>, Error> {
        self.begin(plies as usize + 1);
        let mut work = Work::start(self, &counting(root), &MergeOptions::with_memory(memory), plies)?;
        let root = [root_entry(root)];
        work.add(&root)?;
        let mut counts = vec![1];
        while counts.len() <= plies as usize {
            let left = plies - work.ply();
            if work.next_is_whole(left) {
                work.forget_before_overflow(1)?;
                let ply = work.next_whole();
                work.rest = if left == 1 { 0.0 } else { f64::INFINITY };
                if work.merge_whole(ply)? {
                    counts.push(work.successors());
                    work.report(&counts);
                } else {
                    work.start_again(&root)?;
                    counts.truncate(1);
                }
            } else if left <= 2 {
                work.distinct_in_ranges(left, &mut counts)?;
            } else {
                return Err(work.no_room());
            }
        }
        Ok(counts)
    }
}

impl Work<'_> {
    /// Returns whether the next ply is merged whole, with this many plies left.
    fn next_is_whole(&self, left: u32) -> bool {
        // The last ply needs room beside the ply before it.
        let share = if left == 2 { WHOLE_SHARE } else { 1.0 };
        self.share_of_room(self.next_whole().positions) <= share
    }

    /// Starts multiplicities from one if they might overflow in the next plies.
    fn forget_before_overflow(&mut self, plies: u32) -> Result<(), Error> {
        let mut next = self.next_ply()..self.next_ply() + plies;
        if next.any(|ply| ply.is_multiple_of(SAFE_PLIES)) { self.forget_multiplicities() } else { Ok(()) }
    }

    /// Counts the distinct positions of the last one or two plies in ranges.
    fn distinct_in_ranges(&mut self, plies: u32, counts: &mut Vec<u64>) -> Result<(), Error> {
        self.forget_before_overflow(plies)?;
        let expected: Vec<_> = (1..=plies).map(|plies| self.paths_below(plies)).collect::<Result<_, _>>()?;
        self.descend()?;
        for (plies, expected) in (1..=plies).zip(expected) {
            self.rest = f64::INFINITY;
            let count = self.estimates.ranges(plies);
            let mut ranges = Ranges::of(self, plies > 1, count)?;
            let wanted = ranges.divide(count as usize);
            let mut sum = RangeCount::none(KeyRange::WHOLE);
            ranges.count(self, &wanted, None, f64::INFINITY, &mut |_, found| sum.add(found))?;
            self.check_paths(ranges.ply(), sum.paths, expected)?;
            self.estimates.too_large = Some((self.next_ply() as usize, sum.positions as f64));
            counts.push(sum.positions);
            self.report(counts);
        }
        Ok(())
    }
}
