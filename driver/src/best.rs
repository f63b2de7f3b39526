//! The best move by exhaustive minimax.

use kogge_board::{Fen, Leaves, Move, Quad48, Rules, Score, check_depth, minimax};

use crate::calls::expand;
use crate::error::wrong_answer;
use crate::{Driver, Error};

/// The result of minimax.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Best {
    /// The value of the root for the side to move.
    pub score: Score,
    /// The best moves of both sides; among equally good moves, the first in generation order. The line ends where the
    /// game ends, or at the depth of the search.
    pub line: Vec<Move>,
    /// The number of leaves evaluated for the score.
    pub leaves: u128,
}

impl Driver<'_> {
    /// Returns the value of the root `depth` plies deep, as [`minimax`] defines it, and the best line. Keeps the
    /// halfmove clock running, so the fifty-move rule applies.
    ///
    /// Every backend gives the same score and the same line.
    ///
    /// # Errors
    /// [`Error::Cancelled`] with the progress so far, or the backend's error.
    pub fn best(&mut self, root: &Fen, depth: u32, leaves: Leaves) -> Result<Best, Error> {
        let rules = root.rules.with_halfmove_clock(true);
        let mut here = Quad48::from(&root.position);
        let (mut score, mut line, mut evaluated) = (None, Vec::new(), 0);
        for depth in (0..depth).rev() {
            let children = expand(self.backend, &rules, &[here])?.positions;
            if children.is_empty() || minimax::is_fifty_moves(&rules, &here) {
                break;
            }
            self.begin(children.len());
            let (values, below) = self.values(&rules, &children, depth, leaves)?;
            // Among equally good moves, the first one is taken.
            let Some((best, child)) = values.iter().zip(&children).rev().max_by_key(|(value, _)| value.one_ply_up())
            else {
                break;
            };
            if score.is_none() {
                (score, evaluated) = (Some(best.one_ply_up()), below);
            }
            let (before, after) = (here.unpack_unchecked(), child.unpack_unchecked());
            let played = Move::between(&rules, &before, &after).ok_or_else(|| {
                let reason = "it made a position to which no move leads.";
                wrong_answer(&self.backend.info().name, reason)
            })?;
            line.push(played);
            here = *child;
        }
        let score = match score {
            Some(score) => score,
            // Without a move, the root is the leaf.
            None => {
                evaluated = 1;
                self.values(&rules, &[here], 0, leaves)?.0[0]
            }
        };
        Ok(Best { score, line, leaves: evaluated })
    }

    /// Returns the value of each position `depth` plies deep, as [`minimax`] defines it, and the number of leaves below all
    /// positions. The rules decide whether the fifty-move rule applies.
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
        self.values(rules, positions, depth, leaves)
    }

    fn values(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
    ) -> Result<(Vec<Score>, u128), Error> {
        let values = {
            let (backend, mut watch) = self.begin_call(positions.len(), None)?;
            backend.minimax(rules, positions, depth, leaves, &mut *watch)
        };
        let values = self.end_call(positions.len(), None, values)?;
        // Compared with minimax, counting takes almost no time.
        let counting = rules.with_halfmove_clock(false);
        let counts: Vec<u128> = self.count(&counting, positions, depth, None)?;
        Ok((values, counts.into_iter().sum()))
    }
}
