//! Watched counts: how far they are, and how large a part may be so that they can be stopped soon.

use std::ops::ControlFlow;
use std::time::Duration;

use kogge_board::{BackendError, Watch};
use web_time::Instant;

/// The time between two reports.
const REPORT: Duration = Duration::from_millis(100);

/// How long the parts of a watched count should take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartTime {
    /// The longest time that a part should take. Parts of less than a quarter of it grow, so that the waits between them are
    /// negligible.
    pub longest: Duration,
    /// The number of positions in the first part, before the device's speed is known.
    pub first: usize,
}

impl Default for PartTime {
    fn default() -> Self {
        Self { longest: Duration::from_millis(150), first: 1 << 14 }
    }
}

/// The number of positions whose leaves are counted as one part, from the times of the parts so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartSize {
    positions: usize,
    longest: Duration,
}

impl From<PartTime> for PartSize {
    fn from(PartTime { longest, first }: PartTime) -> Self {
        Self { positions: first, longest }
    }
}

impl PartSize {
    /// Returns the number of positions, at most `most`.
    pub(crate) fn positions(self, most: usize) -> usize {
        self.positions.min(most)
    }

    /// Notes the time of a part. No part has more than `most` positions.
    fn saw(&mut self, time: Duration, most: usize) {
        if time > self.longest {
            self.positions = (self.positions.min(most) / 2).max(1);
        } else if time < self.longest / 4 {
            self.positions = self.positions.saturating_mul(2).min(most);
        }
    }
}

/// A share of a walk, from 0 to 1.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl Span {
    /// The whole walk.
    pub(crate) const WHOLE: Self = Self { start: 0.0, end: 1.0 };

    /// Returns the share of items `from..to` out of `total`.
    pub(crate) fn part(self, from: usize, to: usize, total: usize) -> Self {
        let at = |item: usize| self.start + (self.end - self.start) * item as f64 / total.max(1) as f64;
        Self { start: at(from), end: at(to) }
    }
}

/// The progress of a call in batches, and the function that gets it.
pub(crate) struct Watching<'a, 'w> {
    watch: &'a mut Watch<'w>,
    /// The leaves of the batches that are done.
    pub(crate) counted: u128,
    /// The shares of the call at which the current batch begins and ends.
    pub(crate) batch: [f64; 2],
    /// The positions of the part that runs.
    launched: usize,
    reported: Instant,
    part_began: Instant,
}

impl<'a, 'w> Watching<'a, 'w> {
    pub(crate) fn new(watch: &'a mut Watch<'w>) -> Self {
        let now = Instant::now();
        Self { watch, counted: 0, batch: [0.0, 1.0], launched: 0, reported: now, part_began: now }
    }

    /// Notes that kernels for further positions run, and returns whether the part is complete.
    pub(crate) fn launched(&mut self, positions: usize, part: usize) -> bool {
        self.launched += positions;
        self.launched >= part
    }

    /// Notes the end of a part, and returns whether a report is due.
    pub(crate) fn part_done(&mut self, size: &mut PartSize, most: usize) -> bool {
        let now = Instant::now();
        size.saw(now - self.part_began, most);
        (self.part_began, self.launched) = (now, 0);
        self.is_due()
    }

    /// Returns whether a report is due.
    pub(crate) fn is_due(&self) -> bool {
        self.reported.elapsed() >= REPORT
    }

    /// Reports the leaves of the current batch and the share of the batch that is done.
    ///
    /// # Errors
    /// [`BackendError::Stopped`] if the call is to stop.
    pub(crate) fn report(&mut self, leaves: u128, share: f64) -> Result<(), BackendError> {
        self.reported = Instant::now();
        let [begin, end] = self.batch;
        match (self.watch)(self.counted.saturating_add(leaves), begin + (end - begin) * share) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(BackendError::Stopped),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_grow_and_shrink_with_the_speed() {
        let mut size = PartSize::from(PartTime::default());
        for _ in 0..20 {
            size.saw(Duration::from_millis(1), 1 << 20);
        }
        assert_eq!(size.positions(1 << 20), 1 << 20);
        assert_eq!(size.positions(100), 100);
        size.saw(Duration::from_millis(100), 1 << 20);
        assert_eq!(size.positions(1 << 20), 1 << 20);
        size.saw(Duration::from_secs(1), 1 << 16);
        assert_eq!(size.positions(1 << 20), 1 << 15);
        for _ in 0..40 {
            size.saw(Duration::from_secs(1), 1 << 20);
        }
        assert_eq!(size.positions(1 << 20), 1);
    }

    #[test]
    fn reports_cover_all_batches() {
        let mut seen = Vec::new();
        let mut watch = |leaves: u128, share: f64| {
            seen.push((leaves, share));
            if leaves < 30 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let mut watching = Watching::new(&mut watch);
        assert_eq!(watching.report(5, 0.5), Ok(()));
        (watching.counted, watching.batch) = (20, [0.5, 1.0]);
        assert_eq!(watching.report(9, 0.5), Ok(()));
        assert_eq!(watching.report(10, 1.0), Err(BackendError::Stopped));
        assert_eq!(seen, [(5, 0.5), (29, 0.75), (30, 1.0)]);
    }
}
