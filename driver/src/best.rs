//! The best move by exhaustive minimax.

use std::ops::ControlFlow;
use std::time::Instant;

use kogge_board::{BackendError, Fen, Leaves, Move, Quad48, Rules, Score, check_depth, minimax};

use crate::calls::{expand, miscounted};
use crate::driver::Span;
use crate::error::wrong_answer;
use crate::pace::{MAX_CALL_DEPTH, Pace};
use crate::{Driver, Error};

/// The result of minimax.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Best {
    /// The value of the root for the side to move.
    pub score: Score,
    /// The best moves of both sides; among equally good moves, the first in generation order. The line ends with the
    /// game, or at the depth of the search.
    pub line: Vec<Move>,
    /// The number of leaves evaluated for the score.
    pub leaves: u128,
}

impl Driver<'_> {
    /// Returns the value of the root `depth` plies deep, as [`minimax`] defines it, and the best line. The
    /// halfmove clock goes on, so that the fifty-move rule counts.
    ///
    /// Every backend gives the same score and the same line.
    ///
    /// # Errors
    /// [`Error::Cancelled`] with the progress so far, or the backend's error.
    pub fn best(&mut self, root: &Fen, depth: u32, leaves: Leaves) -> Result<Best, Error> {
        let pace = Pace::careful(self.backend.info().batch);
        let mut search = Search { driver: self, rules: root.rules.with_halfmove_clock(true), leaves, pace };
        let mut here = Quad48::from(&root.position);
        let (mut score, mut line, mut evaluated) = (None, Vec::new(), 0);
        for depth in (0..depth).rev() {
            let children = expand(search.driver.backend, &search.rules, &[here])?.positions;
            if children.is_empty() || minimax::is_fifty_moves(&search.rules, &here) {
                break;
            }
            search.driver.begin(children.len());
            let (values, leaves) = search.values(&children, depth, Span::WHOLE)?;
            // Of equally good moves, the first.
            let Some((best, child)) = values.iter().zip(&children).rev().max_by_key(|(value, _)| value.one_ply_up())
            else {
                break;
            };
            if score.is_none() {
                (score, evaluated) = (Some(best.one_ply_up()), leaves);
            }
            let (before, after) = (here.unpack_unchecked(), child.unpack_unchecked());
            let played = Move::between(&search.rules, &before, &after).ok_or_else(|| {
                let reason = "it made a position to which no move leads.";
                wrong_answer(&search.driver.backend.info().name, reason)
            })?;
            line.push(played);
            here = *child;
        }
        let score = match score {
            Some(score) => score,
            // Without a move, the root itself is the leaf.
            None => {
                evaluated = 1;
                search.call(&[here], 0)?.0[0]
            }
        };
        Ok(Best { score, line, leaves: evaluated })
    }

    /// Returns the value of each position `depth` plies deep, as [`minimax`] defines it, and the number of leaves below all
    /// positions. The rules say whether the fifty-move rule counts.
    ///
    /// # Errors
    /// As [`Driver::best`].
    pub fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
    ) -> Result<(Vec<Score>, u128), Error> {
        check_depth(depth)?;
        self.begin(positions.len());
        let pace = Pace::careful(self.backend.info().batch);
        let mut search = Search { driver: self, rules: *rules, leaves, pace };
        search.values(positions, depth, Span::WHOLE)
    }
}

/// A search of one tree.
struct Search<'d, 'b> {
    driver: &'d mut Driver<'b>,
    rules: Rules,
    leaves: Leaves,
    /// The pace of minimax, which is slower than counting.
    pace: Pace,
}

impl Search<'_, '_> {
    /// Returns the values of positions, and the number of leaves evaluated for them. A backend that can be watched gets all trees
    /// in one call if it has room. Others get trees that take a fraction of a second in chunks; deeper trees are expanded first.
    fn values(&mut self, positions: &[Quad48], depth: u32, span: Span) -> Result<(Vec<Score>, u128), Error> {
        if depth <= MAX_CALL_DEPTH && !positions.is_empty() {
            self.driver.check_cancelled()?;
            match self.call_watched(positions, depth, span) {
                Some(Ok(values)) => {
                    let leaves = self.count_leaves(positions, depth)?;
                    self.driver.progress.counted = self.driver.progress.counted.saturating_add(leaves);
                    self.driver.advance(span, positions.len(), positions.len());
                    return Ok((values, leaves));
                }
                Some(Err(BackendError::Stopped)) => return Err(Error::Cancelled(self.driver.progress)),
                Some(Err(BackendError::OutOfMemory { .. })) | None => {}
                Some(Err(error)) => return Err(error.into()),
            }
        }
        self.values_in_pieces(positions, depth, span)
    }

    /// Calls the backend once, and passes the call's reports on. Returns `None` if the backend cannot be watched.
    fn call_watched(
        &mut self,
        positions: &[Quad48],
        depth: u32,
        span: Span,
    ) -> Option<Result<Vec<Score>, BackendError>> {
        let Driver { backend, progress, observer, .. } = &mut *self.driver;
        let mut watch = |_, share: f64| {
            progress.fraction = span.start + span.width * share;
            observer.progress(progress);
            if observer.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let values = backend.watched()?.minimax_watched(&self.rules, positions, depth, self.leaves, &mut watch);
        Some(values.and_then(|values| {
            if values.len() == positions.len() {
                Ok(values)
            } else {
                Err(miscounted(*backend, values.len(), positions.len()))
            }
        }))
    }

    /// Counts the leaves below positions, which takes almost no time.
    fn count_leaves(&mut self, positions: &[Quad48], depth: u32) -> Result<u128, Error> {
        let counts = self.driver.backend.perft(&self.rules.with_halfmove_clock(false), positions, depth)?;
        Ok(counts.into_iter().map(u128::from).sum())
    }

    /// Returns the values of positions, in calls that last a fraction of a second.
    fn values_in_pieces(&mut self, positions: &[Quad48], depth: u32, span: Span) -> Result<(Vec<Score>, u128), Error> {
        let mut found = Vec::with_capacity(positions.len());
        let mut evaluated = 0_u128;
        while found.len() < positions.len() {
            self.driver.check_cancelled()?;
            let done = found.len();
            let rest = &positions[done..];
            let (values, leaves) = if self.pace.can_call(depth) {
                let chunk = &rest[..rest.len().min(self.pace.chunk(depth))];
                match self.call(chunk, depth) {
                    Err(Error::Backend(BackendError::OutOfMemory { .. })) if chunk.len() > 1 => {
                        self.pace.shrink(depth, chunk.len());
                        continue;
                    }
                    Err(Error::Backend(BackendError::OutOfMemory { .. })) if depth > 1 => {
                        self.by_expansion(chunk, depth, span.part(done, done + chunk.len(), positions.len()))?
                    }
                    answer => answer?,
                }
            } else {
                let slice = &rest[..rest.len().min(self.pace.slice(depth))];
                self.by_expansion(slice, depth, span.part(done, done + slice.len(), positions.len()))?
            };
            found.extend(values);
            evaluated += leaves;
            self.driver.advance(span, found.len(), positions.len());
        }
        Ok((found, evaluated))
    }

    /// Returns the values of positions through their successors; `depth` is at least 1.
    fn by_expansion(&mut self, positions: &[Quad48], depth: u32, span: Span) -> Result<(Vec<Score>, u128), Error> {
        let successors = expand(self.driver.backend, &self.rules, positions)?;
        self.pace.saw_expansion(positions.len(), successors.positions.len());
        let (below, leaves) = self.values(&successors.positions, depth - 1, span)?;
        let mut start = 0;
        let values = positions.iter().zip(&successors.ends).map(|(position, &end)| {
            let best = below[start..end].iter().map(|value| value.one_ply_up()).max();
            start = end;
            match best {
                Some(_) if minimax::is_fifty_moves(&self.rules, position) => Score::DRAW,
                Some(best) => best,
                None => minimax::without_moves(position),
            }
        });
        Ok((values.collect(), leaves))
    }

    /// Calls the backend once and measures the time.
    fn call(&mut self, positions: &[Quad48], depth: u32) -> Result<(Vec<Score>, u128), Error> {
        let backend = &mut *self.driver.backend;
        let start = Instant::now();
        let values = backend.minimax(&self.rules, positions, depth, self.leaves)?;
        let elapsed = start.elapsed();
        if values.len() != positions.len() {
            return Err(miscounted(backend, values.len(), positions.len()).into());
        }
        let leaves = self.count_leaves(positions, depth)?;
        self.pace.saw_call(positions.len(), depth, leaves, elapsed);
        self.driver.progress.counted = self.driver.progress.counted.saturating_add(leaves);
        Ok((values, leaves))
    }
}
