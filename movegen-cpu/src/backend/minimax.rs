//! Exhaustive minimax on all cores, by making every position.
//!
//! The search goes depth first, with one stack of successors for each task. Siblings are evaluated together, one in each
//! lane of a register. Every leaf is evaluated; only the quiescence search beyond the leaves uses alpha-beta, with the best
//! sibling so far as a bound. [`kogge_board::minimax`] defines the values.

use kogge_board::minimax::{QUIESCENCE_PLIES, is_fifty_moves, without_moves};
use kogge_board::{Leaves, Quad48, Rules, Score};
use rayon::prelude::*;

use crate::lanes::code::Code;
use crate::lanes::evaluation::LeafEvaluation;
use crate::lanes::generate::MoveFilter;
use crate::lanes::vector::MOST_LANES;
use crate::watched::Report;

/// The minimum depth of trees that are distributed over the threads, move by move.
const SHARED: u32 = 3;

/// A number greater than any value.
const INFINITE: i32 = Score::INFINITE.value();

/// The parameters of a call, which are equal for all positions.
#[derive(Clone, Copy)]
pub(crate) struct Minimax<'a> {
    pub(crate) code: &'a Code,
    pub(crate) rules: &'a Rules,
    pub(crate) leaves: Leaves,
    pub(crate) report: &'a Report,
}

/// The positions on the current path with the siblings that are still to be searched, and the evaluations known so far.
#[derive(Default)]
struct Stack {
    positions: Vec<Quad48>,
    evaluated: Vec<LeafEvaluation>,
}

impl Stack {
    /// Returns the position at an index and its evaluation. If the evaluation is unknown, siblings up to `end` are
    /// evaluated together, as many as fit in a register.
    fn evaluated(&mut self, code: &Code, index: usize, end: usize) -> (Quad48, LeafEvaluation) {
        if self.evaluated.len() <= index {
            let next = end.min(index + MOST_LANES);
            self.evaluated.resize(index, LeafEvaluation::default());
            code.evaluate_all(&self.positions[index..next], &mut self.evaluated);
        }
        (self.positions[index], self.evaluated[index])
    }

    fn len(&self) -> [usize; 2] {
        [self.positions.len(), self.evaluated.len()]
    }

    fn truncate(&mut self, [positions, evaluated]: [usize; 2]) {
        self.positions.truncate(positions);
        self.evaluated.truncate(evaluated);
    }
}

impl Minimax<'_> {
    /// Returns the scores of positions; they are meaningless if the caller asks to stop. Call this function inside the
    /// thread pool that should do the work.
    pub(crate) fn scores(&self, positions: &[Quad48], depth: u32) -> Vec<Score> {
        let share = 1.0 / positions.len() as f64;
        let score =
            |stack: &mut Stack, position: &Quad48| Score::from_value(self.shared(position, depth, 0, share, stack));
        positions.par_iter().map_init(Stack::default, score).collect()
    }

    /// Returns the value of a position, with its moves distributed over the threads if there are enough plies below.
    /// Distances to mate are counted from `ply` plies above it. The position is this share of the call's work.
    fn shared(&self, position: &Quad48, depth: u32, ply: u32, share: f64, stack: &mut Stack) -> i32 {
        if self.report.go_on().is_none() {
            return 0;
        }
        if depth < SHARED {
            let value = self.value(position, depth, ply, stack);
            self.report.done(share);
            return value;
        }
        let mut successors = Vec::new();
        self.code.expand(self.rules, position, &mut successors);
        if let Some(end) = self.end_of_game(position, successors.len(), ply) {
            self.report.done(share);
            return end;
        }
        let share = share / successors.len() as f64;
        let value = |stack: &mut Stack, successor| -self.shared(successor, depth - 1, ply + 1, share, stack);
        successors.par_iter().map_init(Stack::default, value).max().unwrap_or(-INFINITE)
    }

    /// Returns the value of a position, computed on this thread.
    fn value(&self, position: &Quad48, depth: u32, ply: u32, stack: &mut Stack) -> i32 {
        let before = stack.len();
        let start = before[0];
        if depth == 0 {
            stack.positions.push(*position);
            let (_, evaluated) = stack.evaluated(self.code, start, start + 1);
            let value = self.leaf(position, evaluated, ply, INFINITE, stack);
            stack.truncate(before);
            return value;
        }
        self.code.expand(self.rules, position, &mut stack.positions);
        let end = stack.positions.len();
        let mut best = -INFINITE;
        if let Some(value) = self.end_of_game(position, end - start, ply) {
            best = value;
        } else {
            for index in start..end {
                let value = if depth == 1 {
                    let (successor, evaluated) = stack.evaluated(self.code, index, end);
                    -self.leaf(&successor, evaluated, ply + 1, -best, stack)
                } else {
                    let successor = stack.positions[index];
                    -self.value(&successor, depth - 1, ply + 1, stack)
                };
                best = best.max(value);
            }
        }
        stack.truncate(before);
        best
    }

    /// Returns the value of a leaf; if the value is at least `beta`, some number that is at least `beta`.
    fn leaf(&self, position: &Quad48, evaluated: LeafEvaluation, ply: u32, beta: i32, stack: &mut Stack) -> i32 {
        let moves = if evaluated.has_moves { 1 } else { self.code.count(self.rules, position) as usize };
        if let Some(end) = self.end_of_game(position, moves, ply) {
            return end;
        }
        match self.leaves {
            Leaves::Static => evaluated.value,
            Leaves::Quiescent => self.quiescence(position, evaluated, QUIESCENCE_PLIES, ply, [-INFINITE, beta], stack),
        }
    }

    fn end_of_game(&self, position: &Quad48, moves: usize, ply: u32) -> Option<i32> {
        if moves == 0 {
            let is_mate = without_moves(position) != Score::DRAW;
            return Some(if is_mate { Score::mated(ply) } else { Score::DRAW }.value());
        }
        is_fifty_moves(self.rules, position).then_some(Score::DRAW.value())
    }

    /// Returns the quiescence value, at most `plies` plies ahead, if it is in the window; else a bound on the value, on the
    /// same side of the window.
    fn quiescence(
        &self,
        position: &Quad48,
        evaluated: LeafEvaluation,
        plies: u32,
        ply: u32,
        [mut alpha, beta]: [i32; 2],
        stack: &mut Stack,
    ) -> i32 {
        let LeafEvaluation { value: stand_pat, is_check, .. } = evaluated;
        if plies == 0 {
            return stand_pat;
        }
        let is_fifty_moves = is_fifty_moves(self.rules, position);
        if !is_check && (is_fifty_moves || stand_pat >= beta) {
            return if is_fifty_moves { Score::DRAW.value() } else { stand_pat };
        }
        let before = stack.len();
        let start = before[0];
        self.code.successors(self.rules, position, MoveFilter::Tactical, &mut stack.positions);
        let end = stack.positions.len();
        let mut best = if is_check { Score::mated(ply).value() } else { stand_pat };
        if is_fifty_moves && end > start {
            best = Score::DRAW.value();
        } else {
            for index in start..end {
                alpha = alpha.max(best);
                if alpha >= beta {
                    break;
                }
                let (successor, evaluated) = stack.evaluated(self.code, index, end);
                best = best.max(-self.quiescence(&successor, evaluated, plies - 1, ply + 1, [-beta, -alpha], stack));
            }
        }
        stack.truncate(before);
        best
    }
}
