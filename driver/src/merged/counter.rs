//! Counts of single ranges of a ply, for work that is divided among devices and machines.

use std::ops::ControlFlow;
use std::time::Instant;

use kogge_board::Fen;
#[cfg(doc)]
use kogge_board::merge::Key;
use kogge_board::merge::KeyRange;

use super::ranges::{RangeCount, Ranges};
use super::settings::{MergeSettings, Quantity};
use super::work::Work;
use crate::calls::MAX_CALL_DEPTH;
use crate::{Driver, Error, Progress};

/// The plies of a count in ranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RangePlies {
    /// The last ply that is whole in memory.
    pub whole: u32,
    /// The ply that is made in ranges, after the whole one. The plies between them are made in larger ranges.
    pub last: u32,
    /// The ply of the leaves: at most seven plies after the last, and at least one if leaves are counted by kind.
    pub depth: u32,
    /// Whether the ranges are those of [reversed](Key::reversed) keys.
    pub is_reversed: bool,
}

impl RangePlies {
    /// Checks that such a count is possible.
    pub(super) fn check(&self, counted: Quantity) -> Result<(), Error> {
        let &Self { whole, last, depth, .. } = self;
        let below = depth.checked_sub(last).filter(|plies| (counted.least_below()..=MAX_CALL_DEPTH).contains(plies));
        below.filter(|_| whole < last).map(drop).ok_or(Error::RangePlies { whole, last, depth })
    }
}

/// Counts in single ranges of a ply.
///
/// The plies down to the last whole one are merged once and stay on the device. Neighbouring ranges share the positions of plies between,
/// so ask for many consecutive ranges at once. Every range is checked by itself. The paths of ranges that cover all keys must
/// add up to [`RangeCounter::paths`], which is counted without ranges.
///
/// ```
/// use kogge_board::Fen;
/// use kogge_driver::{Driver, MergeSettings, RangeCounter, RangePlies};
/// use kogge_movegen_cpu::Cpu;
///
/// let mut cpu = Cpu::new(None)?;
/// let mut driver = Driver::new(&mut cpu, &());
/// let plies = RangePlies { whole: 2, last: 4, depth: 5, is_reversed: false };
/// let settings = MergeSettings::with_memory(1 << 28);
/// let mut counter = RangeCounter::new(&mut driver, &Fen::start(), plies, &settings)?;
/// let ranges = counter.borders(10)?;
/// let (mut leaves, mut paths) = (0, 0);
/// counter.count(&ranges, &mut |found| {
///     (leaves, paths) = (leaves + found.leaves, paths + found.paths);
///     std::ops::ControlFlow::Continue(())
/// })?;
/// assert_eq!((leaves, paths), (4_865_609, counter.paths()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RangeCounter<'d> {
    work: Work<'d>,
    ranges: Ranges,
    plies: RangePlies,
    paths: u128,
}

impl<'d> RangeCounter<'d> {
    /// Merges the plies down to the last whole one, and samples the next.
    ///
    /// The plies and ranges of the settings are ignored.
    ///
    /// # Errors
    /// [`Error::RangePlies`] if the plies do not go together, [`Error::Memory`] if a whole ply does not fit; otherwise as
    /// [`Driver::perft`].
    pub fn new(
        driver: &'d mut Driver<'_>,
        root: &Fen,
        plies: RangePlies,
        settings: &MergeSettings,
    ) -> Result<Self, Error> {
        plies.check(settings.counted)?;
        let mut work = Work::at_root(driver, root, plies.depth, settings)?;
        while work.ply() < plies.whole {
            let next = work.next_whole();
            if !work.merge_whole(next)? {
                return Err(work.no_room());
            }
        }
        Self::sampled(work, plies)
    }

    /// As [`RangeCounter::new`], but the memory decides the last whole ply, at most `plies.whole`: the last that leaves enough room for
    /// ranges and for plies between.
    ///
    /// # Errors
    /// As [`RangeCounter::new`].
    pub fn fitting(
        driver: &'d mut Driver<'_>,
        root: &Fen,
        plies: RangePlies,
        settings: &MergeSettings,
    ) -> Result<Self, Error> {
        let mut work = Work::at_root(driver, root, plies.depth, settings)?;
        let whole = work.merge_fitting(root, &plies)?;
        Self::sampled(work, RangePlies { whole, ..plies })
    }

    /// Samples the plies after the last whole one.
    fn sampled(mut work: Work<'d>, plies: RangePlies) -> Result<Self, Error> {
        let paths = work.paths_below(plies.last - plies.whole)?;
        work.descend()?;
        let ranges = Ranges::of(&mut work, plies.last - plies.whole - 1, plies.is_reversed, 1)?;
        Ok(Self { work, ranges, plies, paths })
    }

    /// The plies.
    pub fn plies(&self) -> RangePlies {
        self.plies
    }

    /// The number of paths to the ply that is made in ranges.
    pub fn paths(&self) -> u128 {
        self.paths
    }

    /// Chooses about `count` ranges that cover the ply, with about equal numbers of positions. They come from a sample, so their sizes
    /// vary, and another device may choose other ranges.
    ///
    /// # Errors
    /// As [`RangeCounter::count`].
    pub fn borders(&mut self, count: u32) -> Result<Vec<KeyRange>, Error> {
        let Self { work, ranges, plies, .. } = self;
        ranges.leave_groups(work, 0)?;
        work.borders(plies.last - plies.whole - 1, plies.is_reversed, &vec![1; count as usize])
    }

    /// Counts in each of these ranges, one after the other, and reports each as soon as it is done. The ranges are given in the order
    /// of their keys and do not overlap. `done` may stop the count. A range that does not fit in memory is made in pieces.
    ///
    /// After an error the counter can be used again, unless the device has failed.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the observer or `done` stops the count, [`Error::Memory`] if a range does not fit, not even in
    /// pieces; otherwise as [`Driver::perft`].
    pub fn count(
        &mut self,
        ranges: &[KeyRange],
        done: &mut dyn FnMut(&RangeCount) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let below = self.plies.depth - self.plies.last;
        *self.work.progress = Progress { total: ranges.len() as u64, ..Progress::default() };
        self.work.start = Instant::now();
        self.ranges.count(&mut self.work, ranges, Some(below), f64::INFINITY, &mut |work, found| {
            work.progress.done += 1;
            match done(found) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => Err(Error::Cancelled(*work.progress)),
            }
        })?;
        self.work.progress.fraction = 1.0;
        self.work.report_progress();
        Ok(())
    }
}
