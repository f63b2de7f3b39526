//! Minimax in its plainest form, on the oracle's board: every move is made and taken back.

use kogge_board::minimax::{FIFTY_MOVES, QUIESCENCE_PLIES};
use kogge_board::{BackendError, Leaves, Quad48, Score, evaluate};

use super::backend::Report;
use super::board::Board;
use super::list_move::ListMove;

impl Board {
    pub(super) fn minimax(
        &mut self,
        depth: u32,
        leaves: Leaves,
        report: &mut Report<'_>,
    ) -> Result<Score, BackendError> {
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        if moves.is_empty() {
            return Ok(if self.is_check(self.turn) { Score::mated(0) } else { Score::DRAW });
        }
        if self.is_fifty_moves() {
            return Ok(Score::DRAW);
        }
        if depth == 0 {
            report()?;
            return Ok(match leaves {
                Leaves::Static => self.evaluation(),
                Leaves::Quiescent => self.quiescence(0, -Score::INFINITE, Score::INFINITE),
            });
        }
        let mut best = -Score::INFINITE;
        for played in moves {
            best = best.max(self.after(played, |board| board.minimax(depth - 1, leaves, report))?.one_ply_up());
        }
        Ok(best)
    }

    /// Returns the quiescence value by alpha-beta, `ply` plies beyond the leaf; distances to mate are counted from the
    /// leaf.
    fn quiescence(&mut self, ply: u32, mut alpha: Score, beta: Score) -> Score {
        if ply == QUIESCENCE_PLIES {
            return self.evaluation();
        }
        let mut moves = Vec::new();
        self.legal_moves(&mut moves);
        let is_check = self.is_check(self.turn);
        if is_check && moves.is_empty() {
            return Score::mated(ply);
        }
        if self.is_fifty_moves() {
            return Score::DRAW;
        }
        let mut best = Score::mated(ply);
        if !is_check {
            best = self.evaluation();
            moves.retain(|played| played.captured().is_some() || played.promotion().is_some());
        }
        for played in moves {
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
            best = best.max(-self.after(played, |board| board.quiescence(ply + 1, -beta, -alpha)));
        }
        best
    }

    fn after<T>(&mut self, played: ListMove, of: impl FnOnce(&mut Self) -> T) -> T {
        self.make(played);
        let found = of(self);
        self.unmake();
        found
    }

    fn is_fifty_moves(&self) -> bool {
        self.rules.halfmove_clock && self.halfmove_clock >= FIFTY_MOVES
    }

    fn evaluation(&self) -> Score {
        evaluate(&Quad48::from(&self.position()))
    }
}
