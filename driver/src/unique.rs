//! Distinct positions, ply by ply.

use kogge_board::Fen;
use kogge_board::merge::{DIAGRAM_BYTES, KeyRange, MergeError, MergeOptions};

use crate::frontier::counting;
use crate::merged::{RangeCount, Ranges, Work, root_entry};
use crate::{Counted, Driver, Error};

/// The number of plies after which multiplicities start from one or two again. No position has more than 218 moves, so 2^32
/// positions with two paths each have fewer than 2^128 paths this many plies below.
const SAFE_PLIES: u32 = 12;

/// The share of the memory in which diagrams are counted, and the most bytes of it: more would save little time.
const DIAGRAM_SHARE: u64 = 4;
const MOST_FOR_DIAGRAMS: u64 = 4 << 30;

/// The distinct positions of a ply.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Distinct {
    /// All distinct positions.
    pub positions: u64,
    /// The positions that exactly one line of moves reaches.
    pub once: u64,
    /// The diagrams: positions without castling rights and en passant. `None` if they were not asked for, or if the ply was made
    /// in ranges: positions with the same diagram may lie in different ranges.
    pub diagrams: Option<u64>,
}

impl Driver<'_> {
    /// Counts the distinct positions after each ply from 0 to `plies`, and the positions that are reached once; also the
    /// diagrams, if wanted, which takes about as long as merging.
    ///
    /// Positions are equal if everything that their trees depend on is equal: pieces, side to move, castling rights,
    /// and an en-passant square where a capture is legal. The last two plies may be larger than memory. They are then counted in
    /// ranges of positions with similar pawns.
    ///
    /// # Errors
    /// [`Error::Memory`] if a ply before the last two does not fit, or diagrams do not, [`Error::Cancelled`] with the progress so
    /// far, or the backend's error.
    pub fn unique(&mut self, root: &Fen, plies: u32, memory: u64, diagrams: bool) -> Result<Vec<Distinct>, Error> {
        self.begin(plies as usize + 1);
        let for_diagrams = if diagrams { (memory / DIAGRAM_SHARE).min(MOST_FOR_DIAGRAMS) } else { 0 };
        let options = MergeOptions::with_memory(memory - for_diagrams);
        let mut work = Work::start(self, &counting(root), &options, plies, Counted::Leaves)?;
        let root = [root_entry(root)];
        work.add(&root)?;
        let mut counts = vec![work.distinct(for_diagrams)?];
        while counts.len() <= plies as usize {
            let left = plies - work.ply();
            if work.next_is_whole(left) {
                work.forget_before_overflow(1)?;
                let ply = work.next_whole();
                work.rest = if left == 1 { 0.0 } else { f64::INFINITY };
                if work.merge_whole(ply)? {
                    counts.push(work.distinct(for_diagrams)?);
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
        if left == 2 { self.leaves_room_for_ranges() } else { self.share_of_room(self.next_whole().positions) <= 1.0 }
    }

    /// Reports the distinct positions of the plies done so far.
    fn report(&mut self, counts: &[Distinct]) {
        self.progress.done = counts.len() as u64;
        self.progress.counted = counts.iter().map(|ply| u128::from(ply.positions)).sum();
        self.progress.fraction = if self.progress.done == self.progress.total { 1.0 } else { self.progress.fraction };
        self.report_progress();
    }

    /// Describes the last ply, which is whole. Diagrams are counted if there is memory for them.
    fn distinct(&mut self, for_diagrams: u64) -> Result<Distinct, Error> {
        self.note_once()?;
        let (positions, once) = (self.successors(), std::mem::take(&mut self.once));
        let diagrams = if for_diagrams > 0 { Some(self.diagrams(for_diagrams)?) } else { None };
        Ok(Distinct { positions, once, diagrams })
    }

    /// Counts the diagrams of the last ply, within this many bytes at a time.
    fn diagrams(&mut self, bytes: u64) -> Result<u64, Error> {
        let needed = self.successors().saturating_mul(DIAGRAM_BYTES);
        let parts = u32::try_from(needed.div_ceil(bytes).max(1)).map_err(|_| self.no_room_for(self.ply()))?;
        let mut sum = 0;
        for part in 0..parts {
            self.check_cancelled()?;
            sum += self.merge.diagrams(part, parts).map_err(|error| match error {
                MergeError::Full => self.no_room_for(self.ply()),
                error => error.into(),
            })?;
        }
        Ok(sum)
    }

    /// Makes multiplicities small if they might overflow in the next plies.
    fn forget_before_overflow(&mut self, plies: u32) -> Result<(), Error> {
        let mut next = self.next_ply()..self.next_ply() + plies;
        if next.any(|ply| ply.is_multiple_of(SAFE_PLIES)) { self.forget_multiplicities() } else { Ok(()) }
    }

    /// Counts the distinct positions of the last one or two plies in ranges.
    fn distinct_in_ranges(&mut self, plies: u32, counts: &mut Vec<Distinct>) -> Result<(), Error> {
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
            counts.push(Distinct { positions: sum.positions, once: std::mem::take(&mut self.once), diagrams: None });
            self.report(counts);
        }
        Ok(())
    }
}
