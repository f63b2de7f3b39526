//! The king's safety: checks, double checks, pins, and captures en passant that open a line.

use kogge_board::{Fen, Move, MoveKind, Piece, Position, Square};

use super::words::{Reason, Text, begin_with_capital, between, line, of, piece_on, pieces_on};

/// Explains why a move that is otherwise possible leaves the king in check.
pub(super) fn exposed(fen: &Fen, text: Text, piece: Piece) -> Reason {
    let (position, turn) = (&fen.position, fen.position.turn());
    let Text { from, to, .. } = text;
    let them = turn.opposite();
    let Some(king) = position.king(turn) else { return Reason::new("there is no king", []) };
    if piece == Piece::King {
        return king_moves(position, king, to);
    }
    let en_passant = piece == Piece::Pawn && from.file() != to.file() && position.occupied() & to.bit() == 0;
    let captured = if en_passant { Square::at(to.file(), from.rank()) } else { to };
    let occupied = position.occupied() & !from.bit() & !captured.bit() | to.bit();
    let attackers = position.attackers(king, them, occupied) & !captured.bit();
    let checkers = position.checkers();
    let marked = |attackers: u64| of(attackers | king.bit());
    if checkers.count_ones() > 1 {
        let text = format!("{} give check together, so only the king can move", pieces_on(position, checkers));
        return Reason::new(text, marked(checkers));
    }
    if checkers & attackers != 0 {
        let pieces = pieces_on(position, checkers);
        let blocks = if between(king, of(checkers)[0]).is_empty() { "" } else { " or stand in its way" };
        let text = format!("the king on {king} is in check from {pieces}, and the move does not capture it{blocks}");
        return Reason::new(text, marked(checkers));
    }
    let Some(&attacker) = of(attackers).first() else { return Reason::new("no move of this piece leads there", []) };
    let (by, open) = (piece_on(position, attacker), line(king, attacker));
    if en_passant {
        // The captured pawn alone cannot have been the shield, because the king would have been in check before the
        // double step.
        let gone = if between(king, attacker).contains(&captured) { "both pawns leave" } else { "the pawn leaves" };
        let text = format!("it is en passant and leaves the king on {king} in check from {by}, because {gone} {open}");
        return Reason::new(text, marked(attackers));
    }
    let mover = piece_on(position, from);
    let text = format!("{mover} is pinned to the king on {king} by {by} and must stay on {open}");
    Reason::new(text, marked(attackers))
}

/// Explains why the king cannot step to a square.
fn king_moves(position: &Position, king: Square, to: Square) -> Reason {
    let them = position.turn().opposite();
    let captures = position.of(them) & to.bit() != 0;
    let attackers = position.attackers(to, them, position.occupied() & !king.bit() | to.bit()) & !to.bit();
    let seen = position.attackers(to, them, position.occupied() | to.bit()) & !to.bit();
    let marked = of(attackers);
    if seen == 0
        && let Some(&attacker) = marked.first()
    {
        let (by, line) = (piece_on(position, attacker), line(king, attacker));
        return Reason::new(format!("the king would stay on {line}, where {by} gives check"), marked);
    }
    let by = pieces_on(position, attackers);
    let verb = if attackers.count_ones() > 1 { "" } else { "s" };
    let text = match captures {
        true => format!("{by} protect{verb} {}", piece_on(position, to)),
        false => format!("{by} attack{verb} {to}"),
    };
    Reason::new(format!("the king cannot go to {to}, because {text}"), marked)
}

/// Explains why the king is safe after a legal move that is not castling; returns the rest of a sentence.
pub(super) fn safe(fen: &Fen, played: Move) -> Reason {
    let (position, turn) = (&fen.position, fen.position.turn());
    let Some(king) = position.king(turn) else { return Reason::new("", []) };
    let (from, to) = (played.from(), played.to());
    let them = turn.opposite();
    if from == king {
        return Reason::new(format!(", and no piece of the other side attacks {to}"), []);
    }
    let checkers = position.checkers();
    if let [checker] = of(checkers)[..] {
        let pieces = begin_with_capital(&piece_on(position, checker));
        let captured = if played.kind() == MoveKind::EnPassant { Square::at(to.file(), from.rank()) } else { to };
        let how = if captured == checker { "is captured" } else { "can no longer reach the king" };
        return Reason::new(format!(". {pieces}, which gives check to the king on {king}, {how}"), [checker, king]);
    }
    // A piece is pinned if the king would be attacked without it.
    let without = position.occupied() & !from.bit();
    if let Some(&pinner) = of(position.attackers(king, them, without) & !checkers).first() {
        let (by, on) = (piece_on(position, pinner), line(king, pinner));
        let text = match to == pinner {
            true => format!(", which pins it to the king on {king}"),
            false => format!(". It is pinned to the king on {king} by {by}, but stays on {on}"),
        };
        return Reason::new(text, [pinner, king]);
    }
    Reason::new(format!(", and the king on {king} is not in check afterwards"), [])
}
