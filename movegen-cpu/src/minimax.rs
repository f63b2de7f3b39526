//! Exhaustive minimax on all cores, by making every position.
//!
//! Depth first, with one stack of successors for each task; brothers are judged together, one in each lane of a register.
//! Every leaf is judged; only in quiescence,
//! beyond the leaves, alpha-beta leaves out what cannot change the value, and there the best leaf found
//! so far among its brothers is a bound. What the values are is said in [`kogge_board::minimax`].

use kogge_board::minimax::{QUIESCENCE_PLIES, is_fifty_moves, without_moves};
use kogge_board::{Leaves, Quad48, Rules, Score};
use rayon::prelude::*;

use crate::code::Code;
use crate::generate::Wanted;
use crate::judge::Judgement;
use crate::word::MOST_LANES;

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

/// The positions that are being looked at, with their brothers still to come, and what is known of these.
#[derive(Default)]
struct Stack {
    positions: Vec<Quad48>,
    judgements: Vec<Judgement>,
}

impl Stack {
    /// The position at an index and what is known of it. Brothers up to `end` are judged together, as many as fit in a
    /// register.
    fn judged(&mut self, code: &Code, index: usize, end: usize) -> (Quad48, Judgement) {
        if self.judgements.len() <= index {
            let next = end.min(index + MOST_LANES);
            self.judgements.resize(index, Judgement::default());
            code.judge(&self.positions[index..next], &mut self.judgements);
        }
        (self.positions[index], self.judgements[index])
    }

    /// How much there is.
    fn len(&self) -> [usize; 2] {
        [self.positions.len(), self.judgements.len()]
    }

    /// Forgets what came after that.
    fn truncate(&mut self, [positions, judgements]: [usize; 2]) {
        self.positions.truncate(positions);
        self.judgements.truncate(judgements);
    }
}

impl Minimax<'_> {
    /// The scores of positions. To be called in the pool of threads that shall do it.
    pub(crate) fn scores(&self, positions: &[Quad48], depth: u32) -> Vec<Score> {
        let score = |stack: &mut Stack, position: &Quad48| Score::from_value(self.shared(position, depth, 0, stack));
        positions.par_iter().map_init(Stack::default, score).collect()
    }

    /// The value of a position, its moves shared out if there is enough to do. Mates are counted from
    /// `ply` plies before it.
    fn shared(&self, position: &Quad48, depth: u32, ply: u32, stack: &mut Stack) -> i32 {
        if depth < SHARED {
            return self.value(position, depth, ply, stack);
        }
        let mut successors = Vec::new();
        self.code.expand(self.rules, position, &mut successors);
        if let Some(end) = self.end_of_game(position, successors.len(), ply) {
            return end;
        }
        let value = |stack: &mut Stack, successor| -self.shared(successor, depth - 1, ply + 1, stack);
        successors.par_iter().map_init(Stack::default, value).max().unwrap_or(-INFINITE)
    }

    /// The same on this thread.
    fn value(&self, position: &Quad48, depth: u32, ply: u32, stack: &mut Stack) -> i32 {
        let before = stack.len();
        let start = before[0];
        if depth == 0 {
            stack.positions.push(*position);
            let (_, judgement) = stack.judged(self.code, start, start + 1);
            let value = self.leaf(position, judgement, ply, INFINITE, stack);
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
                    let (successor, judgement) = stack.judged(self.code, index, end);
                    -self.leaf(&successor, judgement, ply + 1, -best, stack)
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

    /// The value of a leaf; if that is `beta` or more, any value that is.
    fn leaf(&self, position: &Quad48, judgement: Judgement, ply: u32, beta: i32, stack: &mut Stack) -> i32 {
        let moves = if judgement.has_moves { 1 } else { self.code.count(self.rules, position) as usize };
        if let Some(end) = self.end_of_game(position, moves, ply) {
            return end;
        }
        match self.leaves {
            Leaves::Static => judgement.value,
            Leaves::Quiescent => self.quiescence(position, judgement, QUIESCENCE_PLIES, ply, [-INFINITE, beta], stack),
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
        judgement: Judgement,
        plies: u32,
        ply: u32,
        [mut alpha, beta]: [i32; 2],
        stack: &mut Stack,
    ) -> i32 {
        let Judgement { value: stand_pat, is_check, .. } = judgement;
        if plies == 0 {
            return stand_pat;
        }
        let is_fifty_moves = is_fifty_moves(self.rules, position);
        if !is_check && (is_fifty_moves || stand_pat >= beta) {
            return if is_fifty_moves { Score::DRAW.value() } else { stand_pat };
        }
        let before = stack.len();
        let start = before[0];
        self.code.successors(self.rules, position, Wanted::Tactical, &mut stack.positions);
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
                let (successor, judgement) = stack.judged(self.code, index, end);
                best = best.max(-self.quiescence(&successor, judgement, plies - 1, ply + 1, [-beta, -alpha], stack));
            }
        }
        stack.truncate(before);
        best
    }
}
