//! Making and unmaking moves.

use kogge_board::{Color, Piece};

use super::board::{Board, Cell, Content, Undo, forward, step};
use super::generate::Castling;
use super::list_move::ListMove;
use super::order;

impl Board {
    /// Makes a pseudo-legal move. Returns whether it is legal; if not, unmakes it.
    pub(super) fn make(&mut self, played: ListMove) -> bool {
        let mut undo = Undo {
            played,
            captured_index: 0,
            pawn_index: 0,
            rights: self.rights,
            passed: self.passed,
            halfmove_clock: self.halfmove_clock,
            key: self.key,
        };
        let mover = self.turn;
        let (from, to) = (played.from(), played.to());
        self.key ^= self.state_key();
        let is_king = self.content(from) == Content::Piece(mover, Piece::King);
        if self.rights != 0 {
            self.rights &= !self.rights_lost(is_king, from, to);
        }
        if played.has(ListMove::CASTLE_KINGSIDE | ListMove::CASTLE_QUEENSIDE) {
            let Castling { rook, king_to, rook_to, .. } = self.castling_cells(played.flags());
            self.castle([(from, king_to), (rook, rook_to)]);
        } else {
            if played.captured().is_some() {
                undo.captured_index = self.remove(self.captured_cell(played));
            }
            match played.promotion() {
                None => self.shift(from, to),
                Some(piece) => {
                    undo.pawn_index = self.remove(from);
                    self.add(mover, piece, to);
                }
            }
        }
        self.halfmove_clock = match self.rules.halfmove_clock {
            true if !played.has(ListMove::PAWN) && played.captured().is_none() => (self.halfmove_clock + 1).min(127),
            _ => 0,
        };
        self.passed = None;
        self.turn = mover.opposite();
        self.history.push(undo);
        if self.is_check(mover) {
            self.unmake();
            return false;
        }
        if played.has(ListMove::DOUBLE_PUSH) && self.can_capture_en_passant(to) {
            self.passed = Some(step(from, forward(mover)));
        }
        self.key ^= self.state_key();
        true
    }

    pub(super) fn unmake(&mut self) {
        let Some(undo) = self.history.pop() else { return };
        let played = undo.played;
        let (from, to) = (played.from(), played.to());
        self.turn = self.turn.opposite();
        if played.has(ListMove::CASTLE_KINGSIDE | ListMove::CASTLE_QUEENSIDE) {
            let Castling { rook, king_to, rook_to, .. } = self.castling_cells(played.flags());
            self.castle([(king_to, from), (rook_to, rook)]);
        } else {
            if played.promotion().is_some() {
                self.remove(to);
                self.insert(self.turn, Piece::Pawn, from, undo.pawn_index);
            } else {
                self.shift(to, from);
            }
            if let Some(victim) = played.captured() {
                self.insert(self.turn.opposite(), victim, self.captured_cell(played), undo.captured_index);
            }
        }
        self.rights = undo.rights;
        self.passed = undo.passed;
        self.halfmove_clock = undo.halfmove_clock;
        self.key = undo.key;
    }

    /// Moves king and rook. Both leave the board before either is put down: in Chess960 one may go to the
    /// other's square.
    fn castle(&mut self, [(king, king_to), (rook, rook_to)]: [(Cell, Cell); 2]) {
        let king_index = self.remove(king);
        let rook_index = self.remove(rook);
        self.insert(self.turn, Piece::King, king_to, king_index);
        self.insert(self.turn, Piece::Rook, rook_to, rook_index);
    }

    /// Returns the cell of the captured piece; in en passant, it is behind the target.
    fn captured_cell(&self, played: ListMove) -> Cell {
        if played.has(ListMove::EN_PASSANT) { step(played.to(), -forward(self.turn)) } else { played.to() }
    }

    /// Returns the castling rights that a move ends: both rights of a king that moves, and the right of a rook that
    /// moves or is captured.
    fn rights_lost(&self, is_king: bool, from: Cell, to: Cell) -> u8 {
        let mut lost = match (is_king, self.turn) {
            (false, _) => 0,
            (true, Color::White) => 0b0011,
            (true, Color::Black) => 0b1100,
        };
        for (right, file) in self.rules.castling_files.into_iter().enumerate() {
            let rook = (file & 7) + if right < 2 { 21 } else { 91 };
            if from == rook || to == rook {
                lost |= 1 << right;
            }
        }
        lost
    }

    /// Returns whether the side to move can legally capture en passant the pawn that has just been pushed to a
    /// cell. Tries the capture on the board, like every other move.
    fn can_capture_en_passant(&mut self, pushed: Cell) -> bool {
        let to = step(pushed, forward(self.turn));
        for from in [step(pushed, -1), step(pushed, 1)] {
            if self.content(from) != Content::Piece(self.turn, Piece::Pawn) {
                continue;
            }
            let capture = ListMove::new(from, to).with_captured(Piece::Pawn).with_order(order::EN_PASSANT);
            if self.make(capture.with_flags(ListMove::PAWN | ListMove::EN_PASSANT)) {
                self.unmake();
                return true;
            }
        }
        false
    }
}
