//! Visits to every position of a ply, in batches.

use kogge_board::{Backend, Quad48, Rules};

use crate::calls::{EXPAND_AT_ONCE, expand};
use crate::driver::Span;
use crate::pace::MIN_SLICE;
use crate::{Driver, Error};

/// The fewest positions of a full batch. Their successors fit in a CPU's cache.
const MIN_BATCH: usize = 1 << 11;

/// A function that gets the backend, for its own calls, and a batch, and returns its contribution to the progress.
pub(crate) type Visit<'v> = dyn FnMut(&mut dyn Backend, &[Quad48]) -> Result<u128, Error> + 'v;

impl Driver<'_> {
    /// Calls `visit` with all positions `plies` plies below the given ones, at most
    /// [`EXPAND_AT_ONCE`] at a time; depth-first, so that memory does not grow with their number.
    pub(crate) fn walk(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        plies: u32,
        span: Span,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        // A typical position has 2^5 moves, so a slice leads to about one batch.
        let batch = self.backend.info().batch.clamp(MIN_BATCH, EXPAND_AT_ONCE);
        let slice = match plies {
            0 => batch,
            _ => batch.checked_shr(5 * plies).unwrap_or(0).max(MIN_SLICE),
        };
        let mut done = 0;
        for slice in positions.chunks(slice) {
            self.check_cancelled()?;
            if plies == 0 {
                let counted = visit(self.backend, slice)?;
                self.progress.counted = self.progress.counted.saturating_add(counted);
            } else {
                let part = span.part(done, done + slice.len(), positions.len());
                let successors = expand(self.backend, rules, slice)?;
                self.walk(rules, &successors.positions, plies - 1, part, visit)?;
            }
            done += slice.len();
            self.advance(span, done, positions.len());
        }
        Ok(())
    }
}
