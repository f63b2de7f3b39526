//! Walking a tree, and listing the legal moves of one position.

use kogge_board::BackendError;

use super::backend::Report;
use super::board::Board;
use super::list_move::ListMove;
use super::order;

impl Board {
    /// Replaces `moves` by the legal moves, in generation order.
    pub(super) fn legal_moves(&mut self, moves: &mut Vec<ListMove>) {
        moves.clear();
        self.generate(moves);
        moves.retain(|&played| self.is_legal(played));
        moves.sort_by_cached_key(|&played| order::key(self.turn, played));
    }

    pub(super) fn is_legal(&mut self, played: ListMove) -> bool {
        let is_legal = self.make(played);
        if is_legal {
            self.unmake();
        }
        is_legal
    }

    /// Makes the moves to every leaf `depth` plies below, and visits it with the last move. At depth 0, the root is not
    /// visited, because no move leads to it.
    ///
    /// The walk is a loop over one stack of moves, so no depth can overflow the call stack.
    ///
    /// # Errors
    /// The error of `visit`, which ends the walk.
    pub(super) fn walk(
        &mut self,
        depth: u32,
        moves: &mut Vec<ListMove>,
        mut visit: impl FnMut(&mut Self, ListMove) -> Result<(), BackendError>,
    ) -> Result<(), BackendError> {
        moves.clear();
        // The stack index of each ply's first move.
        let mut plies = Vec::new();
        if depth > 0 {
            self.generate(moves);
            plies.push(0);
        }
        while let Some(&begin) = plies.last() {
            if moves.len() == begin {
                plies.pop();
                if !plies.is_empty() {
                    self.unmake();
                }
                continue;
            }
            let Some(played) = moves.pop() else { break };
            if !self.make(played) {
                continue;
            }
            if plies.len() == depth as usize {
                visit(self, played)?;
                self.unmake();
            } else {
                plies.push(moves.len());
                self.generate(moves);
            }
        }
        Ok(())
    }

    pub(super) fn perft(
        &mut self,
        depth: u32,
        moves: &mut Vec<ListMove>,
        report: &mut Report<'_>,
    ) -> Result<u128, BackendError> {
        if depth == 0 {
            return Ok(1);
        }
        let mut leaves = 0;
        self.walk(depth, moves, |_, _| {
            leaves += 1;
            report()
        })?;
        Ok(leaves)
    }
}
