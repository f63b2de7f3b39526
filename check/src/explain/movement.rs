//! Obstacles before the king's safety: the square, the way that the piece moves, the pieces in between.

use kogge_board::{Color, Fen, Piece, Position, Square};

use super::words::{Reason, Text, between, name, piece_on};

/// Returns the reason why a piece of the side to move cannot go to the square, apart from its king's safety. The move is not
/// castling.
pub(crate) fn obstacle(fen: &Fen, text: Text, piece: Piece) -> Option<Reason> {
    let (position, Text { from, to, promotion }) = (&fen.position, text);
    if from == to {
        return Some(Reason::new("the piece does not move", []));
    }
    if position.of(position.turn()) & to.bit() != 0 {
        return Some(Reason::new(format!("{} is of the same side", piece_on(position, to)), [to]));
    }
    if piece == Piece::Pawn {
        return pawn(fen, text);
    }
    if promotion.is_some() {
        return Some(Reason::new(format!("only pawns are promoted, and on {from} stands a {}", name(piece)), []));
    }
    let (files, ranks) = (from.file().abs_diff(to.file()), from.rank().abs_diff(to.rank()));
    let (straight, diagonal) = (files == 0 || ranks == 0, files == ranks);
    let moves_so = match piece {
        Piece::Knight => files * ranks == 2,
        Piece::Bishop => diagonal,
        Piece::Rook => straight,
        Piece::Queen => straight || diagonal,
        Piece::King | Piece::Pawn => files.max(ranks) == 1,
    };
    if !moves_so {
        return Some(Reason::new(format!("a {} cannot move from {from} to {to}", name(piece)), []));
    }
    let in_the_way = |square: &Square| position.occupied() & square.bit() != 0;
    let blocker = between(from, to).into_iter().find(in_the_way).filter(|_| piece != Piece::Knight);
    blocker.map(|square| {
        Reason::new(format!("{} is in the way of the {} on {from}", piece_on(position, square), name(piece)), [square])
    })
}

/// Returns the reason why a pawn cannot go to a square that is not occupied by its own side.
fn pawn(fen: &Fen, Text { from, to, promotion }: Text) -> Option<Reason> {
    let (position, turn) = (&fen.position, fen.position.turn());
    let (side, start, last) = match turn {
        Color::White => (1, 1, 7),
        Color::Black => (-1, 6, 0),
    };
    let steps = (to.rank() as i8 - from.rank() as i8) * side;
    let is_occupied = |square: Square| position.occupied() & square.bit() != 0;
    let way = match (from.file().abs_diff(to.file()), steps) {
        (0, 1) if is_occupied(to) => blocked(position, from, to),
        (0, 2) if from.rank() != start => {
            let text = format!("a pawn can move two squares only from rank {}, and this one is on {from}", start + 1);
            Some(Reason::new(text, []))
        }
        (0, 2) => {
            let way = [from.offset((0, side)).unwrap_or(to), to];
            way.into_iter().find(|&square| is_occupied(square)).and_then(|square| blocked(position, from, square))
        }
        (1, 1) if !is_occupied(to) && position.state.en_passant_square() != Some(to) => no_victim(fen, from, to),
        (0 | 1, 1) => None,
        (1, -1) | (0, -1 | -2) => Some(Reason::new("pawns do not move backwards", [])),
        _ => Some(Reason::new(format!("a pawn cannot move from {from} to {to}"), [])),
    };
    way.or_else(|| match promotion {
        None if to.rank() == last => {
            let text = "a pawn that reaches the last rank must be promoted to a queen, rook, bishop or knight";
            Some(Reason::new(format!("{text}, such as {from}{to}q"), []))
        }
        Some(piece) if to.rank() != last => {
            Some(Reason::new(format!("a pawn becomes a {} only on the last rank", name(piece)), []))
        }
        Some(piece @ (Piece::King | Piece::Pawn)) => {
            Some(Reason::new(format!("a pawn cannot become a {}", name(piece)), []))
        }
        _ => None,
    })
}

fn blocked(position: &Position, from: Square, by: Square) -> Option<Reason> {
    Some(Reason::new(format!("{} blocks the pawn on {from}", piece_on(position, by)), [by]))
}

/// Explains why a pawn captures nothing on an empty square.
fn no_victim(fen: &Fen, from: Square, to: Square) -> Option<Reason> {
    let (position, turn) = (&fen.position, fen.position.turn());
    let passed = Square::at(to.file(), from.rank());
    let is_beside = position.pawns & position.of(turn.opposite()) & passed.bit() != 0;
    let en_passant_rank = if turn == Color::White { 5 } else { 2 };
    if fen.passed == Some(to) {
        // The capture is not legal, because it exposes the king: `king` explains this.
        return None;
    }
    Some(match fen.passed {
        Some(square) if is_beside && to.rank() == en_passant_rank => Reason::new(
            format!(
                "the pawn on {passed} cannot be captured en passant, because the last move was the double step over {square}"
            ),
            [passed],
        ),
        None if is_beside && to.rank() == en_passant_rank => Reason::new(
            format!(
                "the pawn on {passed} cannot be captured en passant, because the last move was not its double step (the \
                 FEN has no en-passant square)"
            ),
            [passed],
        ),
        _ => Reason::new(format!("a pawn moves diagonally only to capture, and {to} is empty"), []),
    })
}
