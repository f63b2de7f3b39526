//! Pseudo-legal generation from the piece lists.
//!
//! A pseudo-legal move may leave the king attacked; only castling looks for attacks beforehand, because
//! the king may not pass an attacked square. The opponent's king is never captured: a position where it can be
//! captured is not legal.

use kogge_board::{Color, Piece};

use super::board::{Board, Cell, Content, DIAGONAL, KING, KNIGHT, ORTHOGONAL, forward, step};
use super::list_move::ListMove;
use super::order;

impl Board {
    /// Appends all pseudo-legal moves, piece by piece.
    pub(super) fn generate(&self, moves: &mut Vec<ListMove>) {
        for &from in self.pieces(self.turn, Piece::Pawn) {
            self.pawn_moves(from, moves);
        }
        for &from in self.pieces(self.turn, Piece::Knight) {
            self.steps(Piece::Knight, from, &KNIGHT, order::KNIGHT, moves);
        }
        for &from in self.pieces(self.turn, Piece::Bishop) {
            self.slides(Piece::Bishop, from, &DIAGONAL, order::DIAGONAL, moves);
        }
        for &from in self.pieces(self.turn, Piece::Rook) {
            self.slides(Piece::Rook, from, &ORTHOGONAL, order::ORTHOGONAL, moves);
        }
        for &from in self.pieces(self.turn, Piece::Queen) {
            self.slides(Piece::Queen, from, &ORTHOGONAL, order::ORTHOGONAL, moves);
            self.slides(Piece::Queen, from, &DIAGONAL, order::DIAGONAL, moves);
        }
        for &from in self.pieces(self.turn, Piece::King) {
            self.steps(Piece::King, from, &KING, order::KING, moves);
            self.castling(from, moves);
        }
    }

    /// Appends the moves of a piece by one of these steps. Moves without capture have the given order.
    fn steps(&self, piece: Piece, from: Cell, steps: &[i8], quiet: u8, moves: &mut Vec<ListMove>) {
        for &direction in steps {
            let to = step(from, direction);
            if self.content(to) == Content::Empty {
                moves.push(ListMove::new(from, to).with_order(quiet));
            } else {
                self.capture(piece, from, to, moves);
            }
        }
    }

    /// Appends the moves of a piece by any number of one of these steps. Moves without capture have the given order.
    fn slides(&self, piece: Piece, from: Cell, steps: &[i8], quiet: u8, moves: &mut Vec<ListMove>) {
        for &direction in steps {
            let mut to = step(from, direction);
            while self.content(to) == Content::Empty {
                moves.push(ListMove::new(from, to).with_order(quiet));
                to = step(to, direction);
            }
            self.capture(piece, from, to, moves);
        }
    }

    /// Appends the capture by a piece other than a pawn on a cell that is not empty, if there is something to capture.
    fn capture(&self, piece: Piece, from: Cell, to: Cell, moves: &mut Vec<ListMove>) {
        if let Content::Piece(color, victim) = self.content(to)
            && color != self.turn
            && victim != Piece::King
        {
            let order = order::capture(victim, piece);
            moves.push(ListMove::new(from, to).with_captured(victim).with_order(order));
        }
    }

    fn pawn_moves(&self, from: Cell, moves: &mut Vec<ListMove>) {
        let forward = forward(self.turn);
        for to in [step(from, forward - 1), step(from, forward + 1)] {
            let capture = ListMove::new(from, to);
            if self.passed == Some(to) {
                let capture = capture.with_captured(Piece::Pawn).with_order(order::EN_PASSANT);
                moves.push(capture.with_flags(ListMove::PAWN | ListMove::EN_PASSANT));
            } else if let Content::Piece(color, victim) = self.content(to)
                && color != self.turn
                && victim != Piece::King
            {
                let order = order::capture(victim, Piece::Pawn);
                self.pawn_move(capture.with_captured(victim).with_order(order), moves);
            }
        }
        let to = step(from, forward);
        if self.content(to) != Content::Empty {
            return;
        }
        let push = ListMove::new(from, to);
        let order = if self.is_last_rank(to) { order::PROMOTION } else { order::SINGLE_PUSH };
        self.pawn_move(push.with_order(order), moves);
        let twice = step(to, forward);
        if self.is_pawn_rank(from) && self.content(twice) == Content::Empty {
            let push = ListMove::new(from, twice).with_order(order::DOUBLE_PUSH);
            moves.push(push.with_flags(ListMove::PAWN | ListMove::DOUBLE_PUSH));
        }
    }

    /// Appends an ordinary pawn move, or on the last rank one move for each promotion.
    fn pawn_move(&self, pawn_move: ListMove, moves: &mut Vec<ListMove>) {
        let pawn_move = pawn_move.with_flags(ListMove::PAWN);
        if self.is_last_rank(pawn_move.to()) {
            moves.extend(Piece::PROMOTIONS.map(|piece| pawn_move.with_promotion(piece)));
        } else {
            moves.push(pawn_move);
        }
    }

    fn is_last_rank(&self, cell: Cell) -> bool {
        cell / 10 == if self.turn == Color::White { 9 } else { 2 }
    }

    fn is_pawn_rank(&self, cell: Cell) -> bool {
        cell / 10 == if self.turn == Color::White { 3 } else { 8 }
    }

    /// Appends castling to both sides, if no other piece is on the squares that king and rook pass or reach and no
    /// square on the king's path, both ends included, is attacked.
    fn castling(&self, king: Cell, moves: &mut Vec<ListMove>) {
        for side in [ListMove::CASTLE_KINGSIDE, ListMove::CASTLE_QUEENSIDE] {
            let Castling { right, rook, king_to, rook_to } = self.castling_cells(side);
            let home = king / 10 == rook / 10 && (king < rook) == (side == ListMove::CASTLE_KINGSIDE);
            let is_rook = self.content(rook) == Content::Piece(self.turn, Piece::Rook);
            if self.rights & right == 0 || !home || !is_rook {
                continue;
            }
            let ends = [king, rook, king_to, rook_to];
            let (first, last) = ends.into_iter().fold((king, king), |(a, b), end| (a.min(end), b.max(end)));
            let is_free = |cell| cell == king || cell == rook || self.content(cell) == Content::Empty;
            let is_safe = |cell| !self.is_attacked(cell, self.turn.opposite());
            if (first..=last).all(is_free) && (king.min(king_to)..=king.max(king_to)).all(is_safe) {
                let order = order::castling(side);
                moves.push(ListMove::new(king, king_to).with_flags(side).with_order(order));
            }
        }
    }

    pub(super) fn castling_cells(&self, side: u8) -> Castling {
        let (color, home) = if self.turn == Color::White { (0, 21) } else { (2, 91) };
        let (right, king_to, rook_to) =
            if side == ListMove::CASTLE_KINGSIDE { (color, 6, 5) } else { (color + 1, 2, 3) };
        Castling {
            right: 1 << right,
            rook: home + (self.rules.castling_files[right] & 7),
            king_to: home + king_to,
            rook_to: home + rook_to,
        }
    }
}

/// The right and the cells of one castling.
pub(super) struct Castling {
    /// The bit in [`Board::rights`].
    pub(super) right: u8,
    pub(super) rook: Cell,
    pub(super) king_to: Cell,
    pub(super) rook_to: Cell,
}
