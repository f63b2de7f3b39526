//! The progress of watched counts.

use std::ops::ControlFlow;
use std::time::Duration;

use kogge_board::{BackendError, Pace, Watch};
use web_time::Instant;

/// The time between two reports.
const REPORT: Duration = Duration::from_millis(100);

/// A share of a walk, from 0 to 1.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl Span {
    /// The whole walk.
    pub(crate) const WHOLE: Self = Self { start: 0.0, end: 1.0 };

    pub(crate) fn part(self, from: usize, to: usize, total: usize) -> Self {
        let at = |item: usize| self.start + (self.end - self.start) * item as f64 / total.max(1) as f64;
        Self { start: at(from), end: at(to) }
    }
}

/// The progress of a call in batches, and the function that receives it.
pub(crate) struct Watching<'a> {
    watch: &'a mut Watch<'a>,
    /// The positions of a part.
    pace: &'a mut Pace,
    /// The leaves of the batches that are done.
    pub(crate) counted: u128,
    /// The shares of the call at which the current batch begins and ends.
    pub(crate) batch: [f64; 2],
    /// The number of positions in the running part.
    launched: usize,
    reported: Instant,
    part_began: Instant,
}

impl<'a> Watching<'a> {
    pub(crate) fn new(watch: &'a mut Watch<'_>, pace: &'a mut Pace) -> Self {
        let now = Instant::now();
        Self { watch, pace, counted: 0, batch: [0.0, 1.0], launched: 0, reported: now, part_began: now }
    }

    /// The number of positions of the next part, at most `most`.
    pub(crate) fn part_size(&self, most: usize) -> usize {
        self.pace.next(most as u64) as usize
    }

    /// Notes that kernels for further positions are running, and returns whether the part is complete.
    pub(crate) fn launched(&mut self, positions: usize, part: usize) -> bool {
        self.launched += positions;
        self.launched >= part
    }

    /// Notes the end of a part, which had at most `most` positions, and returns whether a report is due.
    pub(crate) fn part_done(&mut self, most: usize) -> bool {
        let now = Instant::now();
        self.pace.saw(self.pace.next(most as u64), now - self.part_began);
        (self.part_began, self.launched) = (now, 0);
        self.is_due()
    }

    pub(crate) fn is_due(&self) -> bool {
        self.reported.elapsed() >= REPORT
    }

    /// Reports the leaves of the current batch and the share of the batch that is done.
    ///
    /// # Errors
    /// [`BackendError::Stopped`] if the call must stop.
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
    fn reports_cover_all_batches() {
        let mut seen = Vec::new();
        let mut watch = |leaves: u128, share: f64| {
            seen.push((leaves, share));
            if leaves < 30 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let mut pace = Pace::new(1, REPORT, 2);
        let mut watching = Watching::new(&mut watch, &mut pace);
        assert_eq!(watching.report(5, 0.5), Ok(()));
        (watching.counted, watching.batch) = (20, [0.5, 1.0]);
        assert_eq!(watching.report(9, 0.5), Ok(()));
        assert_eq!(watching.report(10, 1.0), Err(BackendError::Stopped));
        assert_eq!(seen, [(5, 0.5), (29, 0.75), (30, 1.0)]);
    }
}
