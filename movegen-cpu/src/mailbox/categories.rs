//! The kinds of moves that lead to the leaves: captures, checks, mates.

use kogge_board::{BackendError, Categories, Move, Position, Rules};

use super::backend::Report;
use super::board::Board;
use super::list_move::ListMove;

/// A legal move with its successor and its features.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The move.
    pub played: Move,
    /// The position after the move.
    pub successor: Position,
    /// The features of the move.
    pub features: Features,
}

/// The features of a move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Features {
    /// The move captures, en passant included.
    pub capture: bool,
    /// The move captures en passant.
    pub en_passant: bool,
    /// The move is castling.
    pub castling: bool,
    /// The move is a promotion, with or without capture.
    pub promotion: bool,
    /// The move gives check, mate included.
    pub check: bool,
    /// Exactly one piece gives check, and that piece has not moved; castling moves king and rook.
    pub discovered_check: bool,
    /// Two pieces give check.
    pub double_check: bool,
    /// The move mates.
    pub mate: bool,
}

/// Returns the legal moves of a position with their successors and features, in generation order.
pub fn outcomes(rules: &Rules, position: &Position) -> Vec<Outcome> {
    let mut board = Board::new(rules, position);
    let mut moves = Vec::new();
    let mut replies = Vec::new();
    board.legal_moves(&mut moves);
    let outcome = |&list_move: &ListMove| {
        let played = list_move.to_move().filter(|_| board.make(list_move))?;
        let outcome =
            Outcome { played, successor: board.position(), features: board.features(list_move, &mut replies) };
        board.unmake();
        Some(outcome)
    };
    moves.iter().filter_map(outcome).collect()
}

impl Board {
    /// Counts the leaves `depth` plies below by the kinds of moves that lead to them.
    pub(super) fn categories(
        &mut self,
        depth: u32,
        moves: &mut Vec<ListMove>,
        report: &mut Report<'_>,
    ) -> Result<Categories, BackendError> {
        if depth == 0 {
            return Ok(Categories::ROOT);
        }
        let mut totals = Categories::default();
        let mut replies = Vec::new();
        self.walk(depth, moves, |leaf, played| {
            let features = leaf.features(played, &mut replies);
            totals.nodes += 1;
            totals.captures += u128::from(features.capture);
            totals.en_passant += u128::from(features.en_passant);
            totals.castles += u128::from(features.castling);
            totals.promotions += u128::from(features.promotion);
            totals.checks += u128::from(features.check);
            totals.discovered += u128::from(features.discovered_check);
            totals.double += u128::from(features.double_check);
            totals.mates += u128::from(features.mate);
            report()
        })?;
        Ok(totals)
    }

    /// Returns the features of the move that has just been made.
    fn features(&mut self, played: ListMove, replies: &mut Vec<ListMove>) -> Features {
        let checkers = self.checkers(self.turn);
        let (first, second) = (checkers.first(), checkers.get(1));
        let castling = played.has(ListMove::CASTLE_KINGSIDE | ListMove::CASTLE_QUEENSIDE);
        // After castling, only the rook can give check, and the rook has moved.
        let has_moved = |&checker: &u8| castling || checker == played.to();
        Features {
            capture: played.captured().is_some(),
            en_passant: played.has(ListMove::EN_PASSANT),
            castling,
            promotion: played.promotion().is_some(),
            check: first.is_some(),
            discovered_check: second.is_none() && first.is_some_and(|checker| !has_moved(checker)),
            double_check: second.is_some(),
            mate: first.is_some() && self.has_no_move(replies),
        }
    }

    fn has_no_move(&mut self, moves: &mut Vec<ListMove>) -> bool {
        moves.clear();
        self.generate(moves);
        !moves.iter().any(|&played| self.is_legal(played))
    }
}
