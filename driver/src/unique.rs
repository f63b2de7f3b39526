//! Distinct positions, ply by ply.

use kogge_board::Fen;
use kogge_board::merge::{DIAGRAM_BYTES, KeyRange, MergeError, MergeOptions};

use crate::frontier::counting;
use crate::merged::{RangeCount, Ranges, Work, root_entry};
use crate::{Driver, Error};

/// The number of plies after which multiplicities are reset to one or two. No position has more than 218 moves, so 2^32
/// positions with two paths each have fewer than 2^128 paths after this number of plies.
const SAFE_PLIES: u32 = 12;

/// The share of the memory in which diagrams are counted, and the maximum number of bytes: more memory would save little time.
const DIAGRAM_SHARE: u64 = 4;
const MOST_FOR_DIAGRAMS: u64 = 4 << 30;

/// The distinct positions of a ply.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Distinct {
    /// All distinct positions.
    pub positions: u64,
    /// The positions that exactly one line of moves reaches.
    pub once: u64,
    /// The diagrams: positions without castling rights and en passant. `None` if they were not requested, or if not all positions with the
    /// same pawns fit in memory together, because positions with equal diagrams then fall into different ranges.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub diagrams: Option<u64>,
}

impl Driver<'_> {
    /// Counts the distinct positions of each ply from 0 to `plies`, and the positions that are reached once; if
    /// requested, also the diagrams, which takes about as long as merging.
    ///
    /// Positions are equal if everything that their trees depend on is equal: pieces, side to move, castling rights,
    /// and an en-passant square where a capture is legal. Plies that are larger than memory are counted in ranges of positions
    /// with similar pawns. Unless the backend [counts diagrams](kogge_board::DeviceInfo::counts_diagrams), the host counts
    /// them in a part of the memory.
    ///
    /// # Errors
    /// [`Error::Memory`] if not even the positions before one range fit, or diagrams do not, [`Error::Cancelled`] with the progress so
    /// far, or the backend's error.
    pub fn unique(&mut self, root: &Fen, plies: u32, memory: u64, diagrams: bool) -> Result<Vec<Distinct>, Error> {
        self.begin(plies as usize + 1);
        let needs_memory = diagrams && !self.backend.info().counts_diagrams;
        let for_diagrams = if needs_memory { (memory / DIAGRAM_SHARE).min(MOST_FOR_DIAGRAMS) } else { 0 };
        let options = MergeOptions::with_memory(memory - for_diagrams);
        let mut work = Work::start(self, &counting(root), &options, plies)?;
        work.diagram_bytes = diagrams.then_some(if needs_memory { for_diagrams } else { u64::MAX });
        let root = [root_entry(root)];
        work.add(&root)?;
        let mut counts = vec![work.distinct()?];
        while counts.len() <= plies as usize {
            let left = plies - work.ply();
            if work.leaves_room(left - 1) {
                work.forget_before_overflow(1)?;
                let ply = work.next_whole();
                work.rest = if left == 1 { 0.0 } else { f64::INFINITY };
                if work.merge_whole(ply)? {
                    counts.push(work.distinct()?);
                    work.report(&counts);
                } else {
                    work.start_again(&root)?;
                    counts.truncate(1);
                }
            } else {
                work.distinct_in_ranges(left, &mut counts)?;
            }
        }
        Ok(counts)
    }
}

impl Work<'_> {
    /// Reports the distinct positions of the plies done so far.
    fn report(&mut self, counts: &[Distinct]) {
        self.progress.done = counts.len() as u64;
        self.progress.counted = counts.iter().map(|ply| u128::from(ply.positions)).sum();
        self.progress.fraction = if self.progress.done == self.progress.total { 1.0 } else { self.progress.fraction };
        self.report_progress();
    }

    /// Describes the last ply, which was made whole.
    fn distinct(&mut self) -> Result<Distinct, Error> {
        self.note_once()?;
        let (positions, once) = (self.successors(), std::mem::take(&mut self.once));
        let diagrams = self.diagrams(self.ply())?;
        Ok(Distinct { positions, once, diagrams })
    }

    /// Counts the diagrams of all successors, which are the positions of this ply, if diagrams are requested.
    pub(crate) fn diagrams(&mut self, ply: u32) -> Result<Option<u64>, Error> {
        let Some(bytes) = self.diagram_bytes else { return Ok(None) };
        let needed = self.successors().saturating_mul(DIAGRAM_BYTES);
        let parts = u32::try_from(needed.div_ceil(bytes.max(1)).max(1)).map_err(|_| self.no_room_for(ply))?;
        let mut sum = 0;
        for part in 0..parts {
            self.check_cancelled()?;
            sum += self.merge.diagrams(part, parts).map_err(|error| match error {
                MergeError::Full => self.no_room_for(ply),
                error => error.into(),
            })?;
        }
        Ok(Some(sum))
    }

    /// Reduces the multiplicities if they might overflow in the next plies.
    fn forget_before_overflow(&mut self, plies: u32) -> Result<(), Error> {
        let mut next = self.next_ply()..self.next_ply() + plies;
        if next.any(|ply| ply.is_multiple_of(SAFE_PLIES)) { self.forget_multiplicities() } else { Ok(()) }
    }

    /// Counts the distinct positions of the last plies in ranges.
    fn distinct_in_ranges(&mut self, plies: u32, counts: &mut Vec<Distinct>) -> Result<(), Error> {
        self.forget_before_overflow(plies)?;
        let expected: Vec<_> = (1..=plies).map(|plies| self.paths_below(plies)).collect::<Result<_, _>>()?;
        self.descend()?;
        for (plies, expected) in (1..=plies).zip(expected) {
            self.rest = f64::INFINITY;
            let count = self.estimates.ranges(plies);
            let mut ranges = Ranges::of(self, plies - 1, false, count)?;
            let wanted = ranges.divide(&vec![1; count as usize]);
            let mut sum = RangeCount::none(KeyRange::WHOLE);
            ranges.count(self, &wanted, None, f64::INFINITY, &mut |_, found| sum.add(found))?;
            self.check_paths(ranges.ply(), sum.paths, expected)?;
            ranges.leave_groups(self, 0)?;
            self.estimates.too_large = Some((ranges.ply() as usize, sum.positions as f64));
            let (positions, once) = (sum.positions, std::mem::take(&mut self.once));
            counts.push(Distinct { positions, once, diagrams: ranges.diagrams });
            self.report(counts);
        }
        Ok(())
    }
}
