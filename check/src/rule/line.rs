//! Lines between a king and a slider.

use kogge_board::bits::lowest;
use kogge_board::{Piece, Position, Square};

use super::list::Rule;

/// Returns the rule about the pin of a piece of the side to move to its king, if it is pinned.
pub(super) fn pin(position: &Position, from: Square) -> Option<Rule> {
    let turn = position.turn();
    let king = position.king(turn)?;
    if position.piece_at(from)?.1 == Piece::King {
        return None;
    }
    let without = position.occupied() & !from.bit();
    let pinners = position.attackers(king, turn.opposite(), without) & !position.checkers();
    Square::of(lowest(pinners)).map(|pinner| on([Rule::PinOnFile, Rule::PinOnRank, Rule::PinOnDiagonal], king, pinner))
}

/// Chooses among rules about files, ranks and diagonals.
pub(super) fn on([file, rank, diagonal]: [Rule; 3], king: Square, slider: Square) -> Rule {
    if king.file() == slider.file() {
        file
    } else if king.rank() == slider.rank() {
        rank
    } else {
        diagonal
    }
}
