//! Leaves by the kinds of moves that lead to them: captures, castlings, checks and so on.

use std::time::Instant;

use kogge_board::{BackendError, Categories, Fen, Quad48, Rules, Watch, Watched};

use crate::calls::{expand, miscounted};
use crate::driver::{FRONTIER, MAX_WATCHED_DEPTH, Span};
use crate::pace::Pace;
use crate::{Counted, Driver, Error, MergeSettings, Merged};

impl Driver<'_> {
    /// Counts the leaves `depth` plies below the root by the moves that lead to them. At depth 0 there is one leaf and no move.
    /// Equal positions are not merged.
    ///
    /// # Errors
    /// As [`Driver::perft`], or if the backend cannot tell the kinds of moves.
    pub fn stats(&mut self, root: &Fen, depth: u32) -> Result<Categories, Error> {
        let frontier = match self.backend.watched() {
            Some(_) => self.expanded(root, depth, FRONTIER, MAX_WATCHED_DEPTH)?,
            None => self.frontier(root, depth)?,
        };
        self.begin(frontier.len());
        let mut pace = Pace::careful(self.backend.info().batch);
        let (rules, positions) = (*frontier.rules(), frontier.positions());
        self.categories_below(&mut pace, &rules, positions, depth - frontier.ply(), Span::WHOLE)
    }

    /// Counts the leaves `depth` plies below the root by the moves that lead to them, by merged plies. The result's
    /// [`categories`](Merged::categories) are set.
    ///
    /// # Errors
    /// As [`Driver::perft_merged`], or if the backend cannot tell the kinds of moves.
    pub fn stats_merged(&mut self, root: &Fen, depth: u32, settings: &MergeSettings) -> Result<Merged, Error> {
        self.count_merged(root, depth, settings, Counted::Categories)
    }

    /// Sums the leaves below all positions by kind, in one call if the backend can be watched and has room, else in pieces.
    fn categories_below(
        &mut self,
        pace: &mut Pace,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        span: Span,
    ) -> Result<Categories, Error> {
        if depth > MAX_WATCHED_DEPTH || positions.is_empty() {
            return self.categories_in_pieces(pace, rules, positions, depth, span);
        }
        self.check_cancelled()?;
        let before = self.progress.counted;
        let call = |watched: &mut dyn Watched, watch: &mut Watch<'_>| {
            watched.categories_watched(rules, positions, depth, watch)
        };
        match self.call_watched(positions.len(), span, call, |found| found.nodes) {
            Some(Ok(found)) => {
                self.advance(span, positions.len(), positions.len());
                let sum = found.iter().try_fold(Categories::default(), |sum, each| sum.plus(each));
                sum.ok_or(Error::Overflow)
            }
            Some(Err(BackendError::Stopped)) => Err(Error::Cancelled(self.progress)),
            Some(Err(BackendError::Overflow | BackendError::OutOfMemory { .. })) | None => {
                self.progress.counted = before;
                self.categories_in_pieces(pace, rules, positions, depth, span)
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Sums the leaves below all positions by kind, in calls that last a fraction of a second. Deeper trees are expanded slice by
    /// slice.
    fn categories_in_pieces(
        &mut self,
        pace: &mut Pace,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        span: Span,
    ) -> Result<Categories, Error> {
        let mut sum = Categories::default();
        let mut done = 0;
        while done < positions.len() {
            self.check_cancelled()?;
            let rest = &positions[done..];
            let calls = pace.can_call(depth);
            let most = if calls { pace.chunk(depth) } else { pace.slice(depth) };
            let slice = &rest[..rest.len().min(most)];
            let found = if calls { self.call_categories(pace, rules, slice, depth) } else { Ok(None) };
            let part = match found {
                Ok(Some(part)) => part,
                // The backend has already split its work as far as it can.
                Err(BackendError::OutOfMemory { .. }) if slice.len() > 1 => {
                    pace.shrink(depth, slice.len());
                    continue;
                }
                Ok(None) | Err(BackendError::Overflow | BackendError::OutOfMemory { .. }) if depth > 1 => {
                    let successors = expand(self.backend, rules, slice)?;
                    pace.saw_expansion(slice.len(), successors.positions.len());
                    let part = span.part(done, done + slice.len(), positions.len());
                    self.categories_below(pace, rules, &successors.positions, depth - 1, part)?
                }
                Ok(None) => return Err(Error::Overflow),
                Err(error) => return Err(error.into()),
            };
            sum = sum.plus(&part).ok_or(Error::Overflow)?;
            done += slice.len();
            self.advance(span, done, positions.len());
        }
        Ok(sum)
    }

    /// Calls the backend once, measures the time, and adds the answer to the progress. The result is `None` if a sum exceeds 128
    /// bits.
    fn call_categories(
        &mut self,
        pace: &mut Pace,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
    ) -> Result<Option<Categories>, BackendError> {
        let start = Instant::now();
        let found = self.backend.categories(rules, positions, depth)?;
        if found.len() != positions.len() {
            return Err(miscounted(self.backend, found.len(), positions.len()));
        }
        let sum = found.iter().try_fold(Categories::default(), |sum, each| sum.plus(each));
        let leaves = sum.map_or(0, |sum| sum.nodes);
        pace.saw_call(positions.len(), depth, leaves, start.elapsed());
        self.progress.counted = self.progress.counted.saturating_add(leaves);
        Ok(sum)
    }
}
