//! The legal moves. A piece is tried on every square that it reaches; checks and pins are known beforehand.

use super::attacks::{Checks, KING_STEPS, KNIGHT_STEPS, is_diagonal};
use super::board::{
    BISHOP, BLACK, Board, EMPTY, H8, KING, KNIGHT, OFF, PAWN, QUEEN, ROOK, SQUARES, Square, file, is_of, kind, man,
    rank, square, step, up,
};
use super::faults::Fault;
use super::make::{Move, castling_targets};

/// The length of the list that is too short, and of the list of queens that is too short.
const SHORT_LIST: usize = 200;
const FEW_QUEENS: u32 = 8;

impl Board {
    /// Adds the legal moves to a list.
    pub(super) fn add_moves(&mut self, list: &mut Vec<Move>) {
        let start = list.len();
        let checks = self.checks();
        if self.castling != 0 && (checks.count == 0 || self.faults.has(Fault::CastlesOutOfCheck)) {
            self.add_castling(list);
        }
        if checks.count < 2 || self.faults.has(Fault::DoubleCheckIgnored) {
            self.add_piece_moves(&checks, list);
            self.add_en_passant(&checks, list);
        }
        self.add_king_moves(list);
        if self.faults.has(Fault::ShortMoveList) {
            list.truncate(start + SHORT_LIST);
        }
    }

    fn add_piece_moves(&self, checks: &Checks, list: &mut Vec<Move>) {
        let mut queens = 0;
        for from in SQUARES {
            let piece = self.at(from);
            if !is_of(piece, self.side) {
                continue;
            }
            match kind(piece) {
                PAWN => self.add_pawn_moves(from, checks, list),
                KNIGHT => self.add_knight_moves(from, checks, list),
                BISHOP => self.add_slides(from, &KING_STEPS[4..], checks, list),
                ROOK => self.add_slides(from, &KING_STEPS[..4], checks, list),
                QUEEN => {
                    queens += 1;
                    if queens <= FEW_QUEENS || !self.faults.has(Fault::ShortQueenList) {
                        self.add_slides(from, &KING_STEPS, checks, list);
                    }
                }
                _ => {}
            }
        }
    }

    /// The direction from the king in which a piece other than a pawn is held, or 0.
    fn pin_of_piece(&self, from: Square, checks: &Checks) -> i8 {
        match checks.pin(from) {
            pin if is_diagonal(pin) && self.faults.has(Fault::LeavesDiagonalPin) => 0,
            pin => pin,
        }
    }

    /// Returns whether a piece may go to a square or capture there. No move captures a king.
    fn may_enter(&self, to: Square) -> bool {
        let piece = self.at(to);
        piece == EMPTY || piece != OFF && is_of(piece, self.side ^ 1) && kind(piece) != KING
    }

    fn add_knight_moves(&self, from: Square, checks: &Checks, list: &mut Vec<Move>) {
        if self.pin_of_piece(from, checks) != 0 {
            return;
        }
        for by in KNIGHT_STEPS {
            let mut to = step(from, by);
            if self.at(to) == OFF && self.faults.has(Fault::KnightWraps) {
                to = around(from, by);
            }
            if self.may_enter(to) && checks.ended_on(to) {
                list.push(Move::plain(from, to));
            }
        }
    }

    fn add_slides(&self, from: Square, steps: &[i8], checks: &Checks, list: &mut Vec<Move>) {
        let pin = self.pin_of_piece(from, checks);
        let is_short = self.faults.has(Fault::BishopStopsShort) && kind(self.at(from)) == BISHOP;
        for &by in steps {
            if pin != 0 && by != pin && by != -pin {
                continue;
            }
            let mut to = step(from, by);
            let mut reach = if is_short { 6 } else { 7 };
            while reach > 0 && self.may_enter(to) {
                if checks.ended_on(to) {
                    list.push(Move::plain(from, to));
                }
                if self.at(to) != EMPTY {
                    break;
                }
                to = step(to, by);
                reach -= 1;
            }
        }
    }

    fn add_pawn_moves(&self, from: Square, checks: &Checks, list: &mut Vec<Move>) {
        let (up, pin) = (up(self.side), checks.pin(from));
        if pin == 0 || pin == up || pin == -up {
            let (once, twice) = (step(from, up), step(from, 2 * up));
            let is_free = self.at(once) == EMPTY;
            if is_free && checks.ended_on(once) {
                self.add_pawn_move(from, once, list);
            }
            let jumps = self.faults.has(Fault::DoublePushJumps);
            if self.may_push_twice(from) && (is_free || jumps) && self.at(twice) == EMPTY && checks.ended_on(twice) {
                list.push(Move::plain(from, twice));
            }
        }
        for side in [-1, 1] {
            let by = up + side;
            if pin != 0 && by != pin && by != -pin && !self.faults.has(Fault::PinnedPawnCaptures) {
                continue;
            }
            let mut to = step(from, by);
            if self.at(to) == OFF && side == -1 && self.faults.has(Fault::PawnWraps) {
                to = around(from, by);
            }
            if self.at(to) != EMPTY && self.may_enter(to) && checks.ended_on(to) {
                self.add_pawn_move(from, to, list);
            }
        }
    }

    /// Adds a pawn's move, four times if it promotes.
    fn add_pawn_move(&self, from: Square, to: Square, list: &mut Vec<Move>) {
        if rank(to) != 0 && rank(to) != 7 {
            list.push(Move::plain(from, to));
            return;
        }
        if file(to) < file(from) && self.faults.has(Fault::PromotionToLeftMissing) {
            return;
        }
        for promotion in [QUEEN, ROOK, BISHOP, KNIGHT] {
            let is_missing = promotion == KNIGHT && self.faults.has(Fault::KnightPromotionMissing)
                || promotion == ROOK && self.faults.has(Fault::RookPromotionMissing);
            if !is_missing {
                list.push(Move { promotion, ..Move::plain(from, to) });
            }
        }
    }

    fn add_en_passant(&mut self, checks: &Checks, list: &mut Vec<Move>) {
        if self.passed == 0 {
            return;
        }
        let (to, up) = (self.passed, up(self.side));
        let captured_on = step(to, -up);
        if self.at(captured_on) != man(PAWN, self.side ^ 1) || self.at(to) != EMPTY {
            return;
        }
        if checks.count > 0 && checks.checker == captured_on && self.faults.has(Fault::EnPassantEvasionMissing) {
            return;
        }
        for from in [step(captured_on, -1), step(captured_on, 1)] {
            if self.at(from) == man(PAWN, self.side) && self.en_passant_is_legal(from, to, captured_on) {
                list.push(Move::plain(from, to));
                if self.faults.has(Fault::SecondEnPassantMissing) {
                    return;
                }
            }
        }
    }

    /// Makes the capture on the board, and looks for attacks on the king.
    fn en_passant_is_legal(&mut self, from: Square, to: Square, captured_on: Square) -> bool {
        let (king, them) = (self.kings[self.side], self.side ^ 1);
        let [pawn, captured] = [from, captured_on].map(|square| self.at(square));
        let mut set = |square: Square, piece| self.squares[usize::from(square)] = piece;
        set(from, EMPTY);
        set(captured_on, EMPTY);
        set(to, pawn);
        let is_legal = !self.leaper_attacks(king, them)
            && KING_STEPS.iter().all(|&by| {
                !self.slider_attacks(king, by, them)
                    || matches!(by, 1 | -1) && self.faults.has(Fault::EnPassantUncoversRank)
                    || matches!(by, 10 | -10) && self.faults.has(Fault::EnPassantUncoversFile)
                    || is_diagonal(by) && self.faults.has(Fault::EnPassantUncoversDiagonal)
            });
        let mut set = |square: Square, piece| self.squares[usize::from(square)] = piece;
        set(from, pawn);
        set(captured_on, captured);
        set(to, EMPTY);
        is_legal
    }

    fn add_king_moves(&mut self, list: &mut Vec<Move>) {
        let (king, them) = (self.kings[self.side], self.side ^ 1);
        let piece = self.at(king);
        // The king must not hide the squares behind it.
        if !self.faults.has(Fault::KingStepsBack) {
            self.squares[usize::from(king)] = EMPTY;
        }
        for by in KING_STEPS {
            let to = step(king, by);
            let is_lost = to == H8 && self.side == BLACK && self.faults.has(Fault::KingMissesCorner);
            if !self.may_enter(to) || is_lost {
                continue;
            }
            let is_careless = self.at(to) != EMPTY && self.faults.has(Fault::KingCapturesProtected);
            if is_careless || !self.is_attacked(to, them) {
                list.push(Move::plain(king, to));
            }
        }
        self.squares[usize::from(king)] = piece;
    }

    fn add_castling(&mut self, list: &mut Vec<Move>) {
        let king = self.kings[self.side];
        if king != self.king_homes[self.side] {
            return;
        }
        for right in [2 * self.side, 2 * self.side + 1] {
            let target = castling_targets(right).0;
            if self.castling >> right & 1 != 0
                && self.castling_is_free(king, right)
                && self.castling_is_safe(king, right)
            {
                list.push(Move::castle(king, target, right));
            }
        }
    }

    /// Returns whether no other piece stands in the way of king and rook. The right stands for the rook itself.
    fn castling_is_free(&self, king: Square, right: usize) -> bool {
        let rook = self.rook_homes[right];
        let (king_to, rook_to) = castling_targets(right);
        let all = [king, rook, king_to, rook_to];
        let (low, high) = all.iter().fold((u8::MAX, 0), |(low, high), &at| (low.min(at), high.max(at)));
        let is_queenside = right % 2 == 1;
        (low..=high).all(|at| {
            let is_ignored = is_queenside && file(at) == 1 && self.faults.has(Fault::CastlesOverB);
            at == king || at == rook || self.at(at) == EMPTY || is_ignored && at != rook_to && at != king_to
        }) && kind(self.at(rook)) != KING
    }

    /// Returns whether no square of the king's way is attacked.
    fn castling_is_safe(&mut self, king: Square, right: usize) -> bool {
        let (rook, them) = (self.rook_homes[right], self.side ^ 1);
        let target = castling_targets(right).0;
        let saved = [king, rook].map(|square| self.at(square));
        [king, rook].iter().for_each(|&square| self.squares[usize::from(square)] = EMPTY);
        let mut way = king.min(target)..=king.max(target);
        let is_safe = way.all(|at| {
            let is_ignored = match at {
                _ if at == king => self.faults.has(Fault::CastlesOutOfCheck),
                _ if at == target => self.faults.has(Fault::CastlesIntoCheck),
                _ => self.faults.has(Fault::CastlesThroughCheck),
            };
            is_ignored || !self.is_attacked(at, them)
        });
        let b = square(1, rank(king));
        let is_timid = right % 2 == 1 && self.faults.has(Fault::CastlingFearsB) && self.is_attacked(b, them);
        [king, rook].iter().zip(saved).for_each(|(&square, piece)| self.squares[usize::from(square)] = piece);
        is_safe && !is_timid
    }
}

/// The square that a step reaches on a board of 64 numbers, where the next number after file h is file a; the square itself if
/// the step leaves the numbers.
fn around(from: Square, by: i8) -> Square {
    let ranks = (by + 5).div_euclid(10);
    let files = by - 10 * ranks;
    let index = 8 * (rank(from) as i8 + ranks) + file(from) as i8 + files;
    if (0..64).contains(&index) { SQUARES[index as usize] } else { from }
}
