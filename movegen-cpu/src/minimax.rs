//! Exhaustive minimax on all cores, by making every position.
//!
//! Depth first, with one stack of successors for each task. Every leaf is judged; only in quiescence,
//! beyond the leaves, alpha-beta leaves out what cannot change the value, and there the best leaf found
//! so far among its brothers is a bound. What the values are is said in [`kogge_board::minimax`].

use kogge_board::minimax::{QUIESCENCE_PLIES, is_fifty_moves, without_moves};
use kogge_board::{Leaves, Quad48, Rules, Score};
use rayon::prelude::*;

use crate::code::Code;
use crate::generate::Wanted;

/// Trees of at least this depth are shared out to the threads, move by move.
const SHARED: u32 = 3;

/// More than any value.
const INFINITE: i32 = Score::INFINITE.value();

/// What all positions of a call have in common.
#[derive(Clone, Copy)]
pub(crate) struct Minimax<'a> {
    pub(crate) code: &'a Code,
    pub(crate) rules: &'a Rules,
    pub(crate) leaves: Leaves,
}

impl Minimax<'_> {
    /// The scores of positions. To be called in the pool of threads that shall do it.
    pub(crate) fn scores(&self, positions: &[Quad48], depth: u32) -> Vec<Score> {
        let score =
            |stack: &mut Vec<Quad48>, position: &Quad48| Score::from_value(self.shared(position, depth, 0, stack));
        positions.par_iter().map_init(Vec::new, score).collect()
    }

    /// The value of a position, its moves shared out if there is enough to do. Mates are counted from
    /// `ply` plies before it.
    fn shared(&self, position: &Quad48, depth: u32, ply: u32, stack: &mut Vec<Quad48>) -> i32 {
        if depth < SHARED {
            return self.value(position, depth, ply, stack);
        }
        let mut successors = Vec::new();
        self.code.expand(self.rules, position, &mut successors);
        if let Some(end) = self.end_of_game(position, successors.len(), ply) {
            return end;
        }
        let value = |stack: &mut Vec<Quad48>, successor| -self.shared(successor, depth - 1, ply + 1, stack);
        successors.par_iter().map_init(Vec::new, value).max().unwrap_or(-INFINITE)
    }

    /// The same on this thread.
    fn value(&self, position: &Quad48, depth: u32, ply: u32, stack: &mut Vec<Quad48>) -> i32 {
        if depth == 0 {
            return self.leaf(position, ply, INFINITE, stack);
        }
        let start = stack.len();
        self.code.expand(self.rules, position, stack);
        let end = stack.len();
        let mut best = -INFINITE;
        if let Some(value) = self.end_of_game(position, end - start, ply) {
            best = value;
        } else {
            for index in start..end {
                let successor = stack[index];
                let value = match depth {
                    1 => -self.leaf(&successor, ply + 1, -best, stack),
                    _ => -self.value(&successor, depth - 1, ply + 1, stack),
                };
                best = best.max(value);
            }
        }
        stack.truncate(start);
        best
    }

    /// The value of a leaf; if that is `beta` or more, any value that is.
    fn leaf(&self, position: &Quad48, ply: u32, beta: i32, stack: &mut Vec<Quad48>) -> i32 {
        let moves = self.code.count(self.rules, position);
        if let Some(end) = self.end_of_game(position, moves as usize, ply) {
            return end;
        }
        match self.leaves {
            Leaves::Static => self.code.evaluate(position).value(),
            Leaves::Quiescent => self.quiescence(position, QUIESCENCE_PLIES, ply, [-INFINITE, beta], stack),
        }
    }

    /// The value of a position that is decided by the rules.
    fn end_of_game(&self, position: &Quad48, moves: usize, ply: u32) -> Option<i32> {
        if moves == 0 {
            let is_mate = without_moves(position) != Score::DRAW;
            return Some(if is_mate { Score::mated(ply) } else { Score::DRAW }.value());
        }
        is_fifty_moves(self.rules, position).then_some(Score::DRAW.value())
    }

    /// The quiescence value with so many plies left, if it is in the window; else a bound on its side
    /// of the window.
    fn quiescence(
        &self,
        position: &Quad48,
        plies: u32,
        ply: u32,
        [mut alpha, beta]: [i32; 2],
        stack: &mut Vec<Quad48>,
    ) -> i32 {
        let stand_pat = self.code.evaluate(position).value();
        if plies == 0 {
            return stand_pat;
        }
        let start = stack.len();
        let is_check = self.code.successors(self.rules, position, Wanted::Tactical, stack);
        let end = stack.len();
        let mut best = if is_check { Score::mated(ply).value() } else { stand_pat };
        if is_fifty_moves(self.rules, position) && (end > start || !is_check) {
            best = Score::DRAW.value();
        } else {
            for index in start..end {
                alpha = alpha.max(best);
                if alpha >= beta {
                    break;
                }
                let successor = stack[index];
                best = best.max(-self.quiescence(&successor, plies - 1, ply + 1, [-beta, -alpha], stack));
            }
        }
        stack.truncate(start);
        best
    }
}
