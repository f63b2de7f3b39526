//! Plain alpha-beta, which gives the minimax value: it tests the generator, the evaluation and the order of moves without
//! the selective search.

use kogge_board::minimax::{QUIESCENCE_PLIES, is_fifty_moves};
use kogge_board::{BackendError, Leaves, Quad48, Rules, Score, check_depth};
use kogge_movegen_cpu::{Code, MoveFilter};

const INFINITE: i32 = Score::INFINITE.value();

/// Returns the minimax value of a position (defined in [`kogge_board::minimax`]) by alpha-beta without other
/// pruning, and the number of visited positions.
///
/// # Errors
/// If the depth exceeds [`kogge_board::minimax::MAX_DEPTH`], or if the environment variable `KOGGE_CPU`
/// names code that this CPU cannot run.
pub(crate) fn alpha_beta(
    rules: &Rules,
    position: &Quad48,
    depth: u32,
    leaves: Leaves,
) -> Result<(Score, u64), BackendError> {
    check_depth(depth)?;
    let mut plain = Plain { code: Code::chosen()?, rules, leaves, stack: Vec::new(), nodes: 0 };
    let value = plain.search(position, depth, 0, [-INFINITE, INFINITE]);
    Ok((Score::from_value(value), plain.nodes))
}

struct Plain<'a> {
    code: Code,
    rules: &'a Rules,
    leaves: Leaves,
    stack: Vec<Quad48>,
    nodes: u64,
}

impl Plain<'_> {
    /// Returns the value of a position if the value is within the window, else a bound.
    fn search(&mut self, position: &Quad48, depth: u32, ply: u32, [mut alpha, beta]: [i32; 2]) -> i32 {
        self.nodes += 1;
        let start = self.stack.len();
        let is_check = self.code.successors(self.rules, position, MoveFilter::All, &mut self.stack);
        let count = self.stack.len() - start;
        let mut best = -INFINITE;
        if count == 0 {
            best = if is_check { Score::mated(ply) } else { Score::DRAW }.value();
        } else if is_fifty_moves(self.rules, position) {
            best = Score::DRAW.value();
        } else if depth > 0 {
            for index in start..start + count {
                let successor = self.stack[index];
                best = best.max(-self.search(&successor, depth - 1, ply + 1, [-beta, -alpha]));
                alpha = alpha.max(best);
                if alpha >= beta {
                    break;
                }
            }
        }
        self.stack.truncate(start);
        match self.leaves {
            _ if best > -INFINITE => best,
            Leaves::Static => self.code.evaluate(position).value(),
            Leaves::Quiescent => self.quiescence(position, QUIESCENCE_PLIES, ply, [alpha, beta]),
        }
    }

    /// Returns the quiescence value, at most `plies` plies ahead, if it is within the window, else a bound.
    fn quiescence(&mut self, position: &Quad48, plies: u32, ply: u32, [mut alpha, beta]: [i32; 2]) -> i32 {
        self.nodes += 1;
        if plies == 0 {
            return self.code.evaluate(position).value();
        }
        let start = self.stack.len();
        let is_check = self.code.successors(self.rules, position, MoveFilter::Tactical, &mut self.stack);
        let count = self.stack.len() - start;
        let mut best = if is_check { Score::mated(ply) } else { self.code.evaluate(position) }.value();
        if is_fifty_moves(self.rules, position) && (count > 0 || !is_check) {
            best = Score::DRAW.value();
        } else {
            for index in start..start + count {
                alpha = alpha.max(best);
                if alpha >= beta {
                    break;
                }
                let successor = self.stack[index];
                best = best.max(-self.quiescence(&successor, plies - 1, ply + 1, [-beta, -alpha]));
            }
        }
        self.stack.truncate(start);
        best
    }
}
