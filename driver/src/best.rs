//! The best move by exhaustive minimax.

use std::time::Instant;

use kogge_board::{BackendError, Fen, Leaves, Move, Quad48, Rules, Score, minimax};

use crate::driver::{Span, expand, miscounted};
use crate::error::wrong_answer;
use crate::pace::Pace;
use crate::{Driver, Error};

/// What minimax found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Best {
    /// What the root is worth to the side to move.
    pub score: Score,
    /// The best moves of both sides; where several are equally good, the first in generation order.
    /// It ends where the game does, at latest after as many plies as were looked ahead.
    pub line: Vec<Move>,
    /// How many leaves were judged for the score.
    pub leaves: u128,
}

impl Driver<'_> {
    /// The value of the root `depth` plies deep, as [`minimax`] defines it, and the best line. The
    /// halfmove clock is kept, so that the fifty-move rule counts.
    ///
    /// Every backend gives the same score and the same line.
    ///
    /// # Errors
    /// [`Error::Cancelled`] with how far it was, or the backend's.
    pub fn best(&mut self, root: &Fen, depth: u32, leaves: Leaves) -> Result<Best, Error> {
        let pace = Pace::careful(self.backend.info().batch);
        let mut search = Search { driver: self, rules: root.rules.with_halfmove_clock(true), leaves, pace };
        let mut here = Quad48::from(&root.position);
        let (mut score, mut line, mut judged) = (None, Vec::new(), 0);
        for depth in (0..depth).rev() {
            let children = expand(search.driver.backend, &search.rules, &[here])?.positions;
            if children.is_empty() || minimax::is_fifty_moves(&search.rules, &here) {
                break;
            }
            search.driver.begin(children.len());
            let (values, leaves) = search.values(&children, depth, Span::WHOLE)?;
            // The first of the best.
            let Some((best, child)) = values.iter().zip(&children).rev().max_by_key(|(value, _)| value.before()) else {
                break;
            };
            if score.is_none() {
                (score, judged) = (Some(best.before()), leaves);
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
            // Nothing was looked ahead: the root itself is the leaf.
            None => {
                judged = 1;
                search.call(&[here], 0)?.0[0]
            }
        };
        Ok(Best { score, line, leaves: judged })
    }
}

/// A search of one tree.
struct Search<'d, 'b> {
    driver: &'d mut Driver<'b>,
    rules: Rules,
    leaves: Leaves,
    /// What was learnt about the speed of this, which is not that of counting.
    pace: Pace,
}

impl Search<'_, '_> {
    /// The values of positions, and how many leaves were judged for them. What the backend can do in
    /// one go is given to it in chunks; deeper trees are expanded first.
    fn values(&mut self, positions: &[Quad48], depth: u32, span: Span) -> Result<(Vec<Score>, u128), Error> {
        let mut found = Vec::with_capacity(positions.len());
        let mut judged = 0_u128;
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
            judged += leaves;
            self.driver.advance(span, found.len(), positions.len());
        }
        Ok((found, judged))
    }

    /// The values of positions by way of their successors; `depth` is at least 1.
    fn by_expansion(&mut self, positions: &[Quad48], depth: u32, span: Span) -> Result<(Vec<Score>, u128), Error> {
        let successors = expand(self.driver.backend, &self.rules, positions)?;
        self.pace.saw_expansion(positions.len(), successors.positions.len());
        let (below, leaves) = self.values(&successors.positions, depth - 1, span)?;
        let mut start = 0;
        let values = positions.iter().zip(&successors.ends).map(|(position, &end)| {
            let best = below[start..end].iter().map(|value| value.before()).max();
            start = end;
            match best {
                Some(_) if minimax::is_fifty_moves(&self.rules, position) => Score::DRAW,
                Some(best) => best,
                None => minimax::without_moves(position),
            }
        });
        Ok((values.collect(), leaves))
    }

    /// One call of the backend, timed.
    fn call(&mut self, positions: &[Quad48], depth: u32) -> Result<(Vec<Score>, u128), Error> {
        let backend = &mut *self.driver.backend;
        let start = Instant::now();
        let values = backend.minimax(&self.rules, positions, depth, self.leaves)?;
        let elapsed = start.elapsed();
        if values.len() != positions.len() {
            return Err(miscounted(backend, values.len(), positions.len()).into());
        }
        // How many leaves that were, counting finds out in no time.
        let counts = backend.perft(&self.rules.with_halfmove_clock(false), positions, depth)?;
        let leaves = counts.into_iter().map(u128::from).sum();
        self.pace.saw_call(positions.len(), depth, leaves, elapsed);
        self.driver.progress.counted = self.driver.progress.counted.saturating_add(leaves);
        Ok((values, leaves))
    }
}
