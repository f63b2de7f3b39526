//! Attacks, checks and pins, by walking from a square.

use super::board::{
    BISHOP, Board, EMPTY, KING, KNIGHT, OFF, PAWN, Piece, QUEEN, ROOK, Square, is_of, kind, man, step, up,
};
use super::faults::Fault;

pub(super) const KNIGHT_STEPS: [i8; 8] = [21, 19, 12, 8, -8, -12, -19, -21];
/// The king's steps: straight, then diagonal.
pub(super) const KING_STEPS: [i8; 8] = [10, -10, 1, -1, 11, 9, -9, -11];

pub(super) const fn is_diagonal(by: i8) -> bool {
    by % 10 != 0 && by != 1 && by != -1
}

const fn bit(square: Square) -> u128 {
    1 << square
}

/// The checks to the side to move, and its pinned pieces.
pub(super) struct Checks {
    pub(super) count: u32,
    /// The first checking piece.
    pub(super) checker: Square,
    /// The squares on which a piece ends the check: all squares if there is no check.
    evasions: u128,
    pinned: u128,
    /// The pinned pieces, each with the direction from the king.
    pins: [(Square, i8); 8],
    pin_count: usize,
}

impl Checks {
    /// Returns whether a piece on this square would end every check.
    pub(super) const fn ended_on(&self, square: Square) -> bool {
        self.evasions & bit(square) != 0
    }

    /// The direction from the king in which a piece is pinned, or 0.
    pub(super) fn pin(&self, square: Square) -> i8 {
        if self.pinned & bit(square) == 0 {
            return 0;
        }
        self.pins[..self.pin_count].iter().find(|pin| pin.0 == square).map_or(0, |pin| pin.1)
    }

    fn add(&mut self, checker: Square, evasions: u128) {
        if self.count == 0 {
            self.checker = checker;
        }
        self.count += 1;
        self.evasions |= evasions | bit(checker);
    }
}

impl Board {
    /// Walks from a square to the first piece.
    fn first_piece(&self, from: Square, by: i8) -> (Square, Piece) {
        let mut at = step(from, by);
        while self.at(at) == EMPTY {
            at = step(at, by);
        }
        (at, self.at(at))
    }

    /// Returns whether a piece of this colour slides in this direction.
    fn slides(piece: Piece, color: usize, by: i8) -> bool {
        let kind_of = kind(piece);
        piece != OFF
            && is_of(piece, color)
            && (kind_of == QUEEN || kind_of == if is_diagonal(by) { BISHOP } else { ROOK })
    }

    /// Returns whether a slider of this colour attacks a square from this direction.
    pub(super) fn slider_attacks(&self, square: Square, by: i8, color: usize) -> bool {
        Self::slides(self.first_piece(square, by).1, color, by)
    }

    /// Returns whether a pawn or a knight of this colour attacks a square.
    pub(super) fn leaper_attacks(&self, square: Square, color: usize) -> bool {
        let down = -up(color);
        [down - 1, down + 1].iter().any(|&by| self.at(step(square, by)) == man(PAWN, color))
            || KNIGHT_STEPS.iter().any(|&by| self.at(step(square, by)) == man(KNIGHT, color))
    }

    /// Returns whether any piece of this colour attacks a square.
    pub(super) fn is_attacked(&self, square: Square, color: usize) -> bool {
        let king = man(KING, color);
        let kings_touch = || KING_STEPS.iter().any(|&by| self.at(step(square, by)) == king);
        KING_STEPS.iter().any(|&by| self.slider_attacks(square, by, color))
            || self.leaper_attacks(square, color)
            || !self.faults.has(Fault::KingsMayTouch) && kings_touch()
    }

    /// Finds the checks and the pins.
    pub(super) fn checks(&self) -> Checks {
        let (us, them, king) = (self.side, self.side ^ 1, self.kings[self.side]);
        let mut checks = Checks { count: 0, checker: 0, evasions: 0, pinned: 0, pins: [(0, 0); 8], pin_count: 0 };
        for by in KING_STEPS {
            let (mut at, mut evasions) = (step(king, by), 0);
            while self.at(at) == EMPTY {
                evasions |= bit(at);
                at = step(at, by);
            }
            let first = self.at(at);
            if Self::slides(first, them, by) {
                checks.add(at, evasions);
            } else if first != OFF && is_of(first, us) && Self::slides(self.first_piece(at, by).1, them, by) {
                checks.pinned |= bit(at);
                checks.pins[checks.pin_count] = (at, by);
                checks.pin_count += 1;
            }
        }
        for by in KNIGHT_STEPS {
            if self.at(step(king, by)) == man(KNIGHT, them) {
                checks.add(step(king, by), 0);
            }
        }
        for by in [up(us) - 1, up(us) + 1] {
            if self.at(step(king, by)) == man(PAWN, them) {
                checks.add(step(king, by), 0);
            }
        }
        if checks.count == 0 {
            checks.evasions = u128::MAX;
        }
        checks
    }
}
