//! Making and undoing moves, with a stack of what cannot be computed back.

use super::board::{
    A1, BLACK, Board, EMPTY, H8, KEYS, KING, PAWN, Past, Piece, QUEEN, Square, file, kind, man, rank, square, step, up,
};
use super::faults::Fault;

/// A move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Move {
    pub(super) from: Square,
    /// The target; for castling, the king's.
    pub(super) to: Square,
    /// The kind of the new piece, or 0.
    pub(super) promotion: u8,
    /// For castling, one more than the right's index; else 0.
    pub(super) castling: u8,
}

impl Move {
    pub(super) const fn plain(from: Square, to: Square) -> Self {
        Self { from, to, promotion: 0, castling: 0 }
    }

    pub(super) const fn castle(from: Square, to: Square, right: usize) -> Self {
        Self { from, to, promotion: 0, castling: right as u8 + 1 }
    }

    /// The index of the right with which the king castles.
    pub(super) const fn right(self) -> Option<usize> {
        if self.castling == 0 { None } else { Some(self.castling as usize - 1) }
    }
}

/// The king's and the rook's targets for a right.
pub(super) const fn castling_targets(right: usize) -> (Square, Square) {
    let home = 7 * (right as u8 / 2);
    if right.is_multiple_of(2) { (square(6, home), square(5, home)) } else { (square(2, home), square(3, home)) }
}

impl Board {
    pub(super) fn at(&self, square: Square) -> Piece {
        self.squares[usize::from(square)]
    }

    fn put(&mut self, square: Square, piece: Piece) {
        let at = usize::from(square);
        let old = std::mem::replace(&mut self.squares[at], piece);
        self.key ^= KEYS.pieces[usize::from(old)][at] ^ KEYS.pieces[usize::from(piece)][at];
    }

    /// Returns whether the move is an en-passant capture in this position.
    pub(super) fn is_en_passant(&self, made: Move) -> bool {
        made.to == self.passed && kind(self.at(made.from)) == PAWN && file(made.from) != file(made.to)
    }

    /// Makes a move.
    pub(super) fn make(&mut self, made: Move) {
        let piece = self.at(made.from);
        let captured_on = if self.is_en_passant(made) { step(made.to, -up(self.side)) } else { made.to };
        let captured = if made.right().is_some() { EMPTY } else { self.at(captured_on) };
        self.past.push(Past { castling: self.castling, passed: self.passed, captured, captured_on, key: self.key });
        self.key ^= self.state_key() ^ KEYS.black;
        if let Some(right) = made.right() {
            let rook = self.rook_homes[right];
            let moved_along = self.at(rook);
            self.put(made.from, EMPTY);
            self.put(rook, EMPTY);
            self.put(made.to, piece);
            self.put(castling_targets(right).1, moved_along);
        } else {
            if captured != EMPTY {
                self.put(captured_on, EMPTY);
            }
            self.put(made.from, EMPTY);
            self.put(made.to, if made.promotion == 0 { piece } else { man(made.promotion, self.side) });
        }
        if kind(piece) == KING {
            self.kings[self.side] = made.to;
        }
        if self.castling != 0 {
            self.castling &= !self.lost_rights(made, piece);
        }
        self.passed = self.passed_square(made, piece);
        self.key ^= self.state_key();
        self.side ^= 1;
    }

    /// The rights that end with a move.
    fn lost_rights(&self, made: Move, piece: Piece) -> u8 {
        let mut lost = 0;
        if kind(piece) == KING && !(self.side == BLACK && self.faults.has(Fault::KingKeepsRights)) {
            lost |= 0b11 << (2 * self.side);
        }
        for (right, &rook) in self.rook_homes.iter().enumerate() {
            let leaves = made.from == rook && !(rook == A1 && self.faults.has(Fault::RookKeepsRight));
            let is_captured = made.to == rook
                && !(rook == H8 && self.faults.has(Fault::CapturedRookKeepsRight))
                && !(made.promotion != 0 && self.faults.has(Fault::PromotionKeepsRight));
            if leaves || is_captured {
                lost |= 1 << right;
            }
        }
        lost
    }

    /// The square on which the other side may capture en passant after a move.
    fn passed_square(&self, made: Move, piece: Piece) -> Square {
        let behind = step(made.to, -up(self.side));
        let is_push = kind(piece) == PAWN && file(made.from) == file(made.to) && made.promotion == 0;
        if is_push && (behind != made.from || self.faults.has(Fault::SinglePushIsPassed)) {
            behind
        } else if self.faults.has(Fault::PassedSquareStays) {
            self.passed
        } else {
            0
        }
    }

    /// Undoes the last move, which was this one.
    pub(super) fn undo(&mut self, made: Move) {
        let Some(past) = self.past.pop() else { return };
        self.side ^= 1;
        let piece = self.at(made.to);
        if let Some(right) = made.right() {
            let target = castling_targets(right).1;
            let moved_along = self.at(target);
            self.put(made.to, EMPTY);
            self.put(target, EMPTY);
            self.put(made.from, piece);
            self.put(self.rook_homes[right], moved_along);
        } else {
            let unpromoted = match made.promotion {
                0 => piece,
                _ if self.faults.has(Fault::UndoLeavesQueen) => man(QUEEN, self.side),
                _ => man(PAWN, self.side),
            };
            self.put(made.to, EMPTY);
            self.put(made.from, unpromoted);
            if past.captured != EMPTY {
                let is_en_passant = past.captured_on != made.to;
                let is_wrong = is_en_passant && self.side == BLACK && self.faults.has(Fault::UndoMisplacesPawn);
                self.put(if is_wrong { made.to } else { past.captured_on }, past.captured);
            }
        }
        if kind(piece) == KING {
            self.kings[self.side] = made.from;
        }
        self.castling = past.castling;
        if let Some(right) = made.right()
            && self.faults.has(Fault::UndoForgetsRight)
        {
            self.castling &= !(1 << right);
        }
        if !self.faults.has(Fault::UndoForgetsPassedSquare) {
            self.passed = past.passed;
        }
        self.key = past.key;
    }

    /// Returns whether a pawn of the side to move may push twice from this square.
    pub(super) fn may_push_twice(&self, from: Square) -> bool {
        match rank(from) {
            1 => self.side != BLACK,
            5 => self.side == BLACK && self.faults.has(Fault::DoublePushFromSixth),
            6 => self.side == BLACK,
            _ => false,
        }
    }
}
