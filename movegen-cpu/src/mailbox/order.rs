//! The generation order, as a sort key.
//!
//! The 6-bit order of a [`ListMove`] is its class: most valuable victim first, then least valuable attacker; then the
//! classes of quiet moves. Within a class, moves are ordered by direction, then by distance (quiet sliders only), then
//! by target square, then by promotion, all as the mover sees the board.

use kogge_board::{Color, Piece};

use super::board::Cell;
use super::list_move::ListMove;

/// The order of en-passant captures: after captures of pawns by pawns.
pub(super) const EN_PASSANT: u8 = 25;
/// The order of promotions without capture: after captures, before other quiet moves.
pub(super) const PROMOTION: u8 = 31;
pub(super) const SINGLE_PUSH: u8 = 32;
pub(super) const DOUBLE_PUSH: u8 = 33;
pub(super) const KNIGHT: u8 = 34;
pub(super) const DIAGONAL: u8 = 35;
pub(super) const ORTHOGONAL: u8 = 36;
pub(super) const KING: u8 = 37;

pub(super) fn capture(victim: Piece, attacker: Piece) -> u8 {
    let victim = match victim {
        Piece::Queen | Piece::King => 0,
        Piece::Rook => 1,
        Piece::Bishop => 2,
        Piece::Knight => 3,
        Piece::Pawn => 4,
    };
    let order = 6 * victim + attacker as u8;
    if order < EN_PASSANT { order } else { order + 1 }
}

pub(super) fn castling(side: u8) -> u8 {
    if side == ListMove::CASTLE_KINGSIDE { 38 } else { 39 }
}

pub(super) fn key(turn: Color, played: ListMove) -> (u8, u8, u8, Cell, u8) {
    let file = |cell: Cell| (cell % 10) as i8;
    let rank = |cell: Cell| if turn == Color::White { (cell / 10) as i8 } else { 11 - (cell / 10) as i8 };
    let (from, to) = (played.from(), played.to());
    let (files, ranks) = (file(to) - file(from), rank(to) - rank(from));
    let is_quiet_slide = played.order() == DIAGONAL || played.order() == ORTHOGONAL;
    (
        played.order(),
        if played.has(ListMove::PAWN) { pawn_direction(files) } else { direction(files, ranks) },
        if is_quiet_slide { files.abs().max(ranks.abs()) as u8 } else { 0 },
        10 * rank(to) as u8 + file(to) as u8,
        played.promotion().map_or(0, |piece| Piece::Queen as u8 - piece as u8),
    )
}

/// Returns the rank of a pawn's direction: captures towards file a come before captures towards file h.
fn pawn_direction(files: i8) -> u8 {
    if files <= 0 { 0 } else { 1 }
}

/// Returns the rank of a direction: N S E W NE NW SE SW; for knights, the leap with the greatest change of the square's
/// index comes first.
fn direction(files: i8, ranks: i8) -> u8 {
    match (files, ranks) {
        (1, 2) => 0,
        (-1, 2) => 1,
        (2, 1) => 2,
        (-2, 1) => 3,
        (2, -1) => 4,
        (-2, -1) => 5,
        (1, -2) => 6,
        (-1, -2) => 7,
        _ => match (files.signum(), ranks.signum()) {
            (0, 1) => 0,
            (0, -1) => 1,
            (1, 0) => 2,
            (-1, 0) => 3,
            (1, 1) => 4,
            (-1, 1) => 5,
            (1, -1) => 6,
            _ => 7,
        },
    }
}
