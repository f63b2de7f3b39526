//! The rule that forbids a move: a generator that lists the move breaks it.

use kogge_board::{Color, Fen, Move, Piece, Rules, Square};

use super::later;
use super::line::on;
use super::list::Rule;
use super::missing::{is_corner, of_piece};
use crate::explain::castling::{self, Castling, Obstacle};
use crate::explain::movement;
use crate::explain::words::Text;

/// The position one ply earlier, and the move that was played there.
type Before<'f> = Option<(&'f Fen, Move)>;

/// Returns the rule that forbids a move in UCI notation.
pub(super) fn rule(fen: &Fen, uci: &str, has_moves: bool, before: Before<'_>) -> Rule {
    let Some(text) = Text::parse(uci) else {
        // Programs write 0000 or (none) where there is no move.
        return if has_moves { Rule::Notation } else { Rule::GameOver };
    };
    let (position, Text { from, to, .. }) = (&fen.position, text);
    let piece = match position.piece_at(from) {
        Some((color, piece)) if color == position.turn() => piece,
        _ => return Rule::WrongPiece,
    };
    if piece == Piece::King && castling::is_meant(fen, from, to) {
        return castle(fen, &castling::castling(fen, from, to), before);
    }
    if movement::obstacle(fen, text, piece).is_some() {
        moves_wrong(fen, text, piece)
    } else {
        exposed(fen, text, before)
    }
}

/// Returns the rule that forbids to castle.
fn castle(fen: &Fen, castling: &Castling, before: Before<'_>) -> Rule {
    match castling.obstacles(fen).first() {
        Some(Obstacle::NoRight) => no_right(fen, castling, before),
        Some(obstacle) => of_obstacle(obstacle, castling),
        None => Rule::Notation,
    }
}

/// Returns the rule of an obstacle to castling.
pub(super) fn of_obstacle(obstacle: &Obstacle, castling: &Castling) -> Rule {
    match obstacle {
        Obstacle::NoRight => Rule::CastlingWithoutRight,
        Obstacle::Piece(_) => Rule::CastlingBlocked,
        Obstacle::Check(_) => Rule::CastlingOutOfCheck,
        Obstacle::Attack(square, _) if *square == castling.king_to => Rule::CastlingIntoCheck,
        Obstacle::Attack(..) => Rule::CastlingThroughCheck,
        Obstacle::Uncovered(_) => Rule::Chess960RookUncovers,
    }
}

/// Returns the way in which the right to castle was lost, as far as the move before or the board shows it.
fn no_right(fen: &Fen, castling: &Castling, before: Before<'_>) -> Rule {
    let &Castling { king, rook, right, .. } = castling;
    if let Some((parent, played)) = before
        && parent.position.state.castling() >> right & 1 != 0
    {
        let is_capture = Color::ALL[right / 2] != parent.position.turn();
        if is_capture && played.promotion().is_some() {
            return Rule::PromotionTakesRight;
        }
        if let Some(rule) = later::lost_right(parent, played, right) {
            return rule;
        }
    }
    let turn = fen.position.turn();
    let [moved, captured] = match right & 1 {
        0 => [Rule::RightLostByKingsideRook, Rule::KingsideRookCaptured],
        _ => [Rule::RightLostByQueensideRook, Rule::QueensideRookCaptured],
    };
    match fen.position.piece_at(rook) {
        // Chess960 has no home file of the king.
        _ if king.file() != 4 && fen.rules.castling_files == Rules::STANDARD.castling_files => Rule::RightLostByKing,
        Some((color, Piece::Rook)) if color == turn => Rule::CastlingWithoutRight,
        Some((color, _)) if color != turn => captured,
        _ => moved,
    }
}

/// Returns the rule of a move that the piece cannot make, whether or not the king is safe.
fn moves_wrong(fen: &Fen, Text { from, to, promotion }: Text, piece: Piece) -> Rule {
    let files = from.file().abs_diff(to.file());
    match piece {
        Piece::Pawn if files == 7 => Rule::PawnAtEdge,
        Piece::Pawn if files == 0 && from.rank().abs_diff(to.rank()) == 2 => Rule::DoublePush,
        Piece::Pawn if is_too_late(fen, from, to) => Rule::EnPassantTooLate,
        Piece::Pawn if promotion.is_some() || matches!(to.rank(), 0 | 7) => Rule::Promotion,
        Piece::Knight if files > 2 => Rule::KnightAtEdge,
        Piece::King if files == 7 && is_corner(from) => Rule::KingInCorner,
        _ if promotion.is_some() => Rule::Notation,
        _ => of_piece(piece, files != 0),
    }
}

/// Returns whether a pawn's move would be en passant if the last move had been the double push.
pub(super) fn is_too_late(fen: &Fen, from: Square, to: Square) -> bool {
    let (position, turn) = (&fen.position, fen.position.turn());
    let (side, rank) = if turn == Color::White { (1, 5) } else { (-1, 2) };
    let their_pawns = position.pawns & position.of(turn.opposite());
    let is_step =
        from.file().abs_diff(to.file()) == 1 && from.offset((0, side)).is_some_and(|ahead| ahead.rank() == rank);
    is_step
        && to.rank() == rank
        && their_pawns & Square::at(to.file(), from.rank()).bit() != 0
        && position.occupied() & to.bit() == 0
        && fen.passed != Some(to)
}

/// Returns the rule of a move that the piece can make, but that leaves the king in check.
pub(super) fn exposed(fen: &Fen, Text { from, to, .. }: Text, before: Before<'_>) -> Rule {
    let (position, turn) = (&fen.position, fen.position.turn());
    let them = turn.opposite();
    let Some(king) = position.king(turn) else { return Rule::Notation };
    if from == king {
        return king_exposed(fen, king, to);
    }
    let is_pawn = position.pawns & from.bit() != 0;
    let en_passant = is_pawn && from.file() != to.file() && position.occupied() & to.bit() == 0;
    let captured = if en_passant { Square::at(to.file(), from.rank()) } else { to };
    let occupied = position.occupied() & !from.bit() & !captured.bit() | to.bit();
    let attackers = position.attackers(king, them, occupied) & !captured.bit();
    let checkers = position.checkers();
    if checkers.count_ones() > 1 {
        return Rule::DoubleCheck;
    }
    if checkers & attackers != 0 {
        let discovered = before.and_then(|(parent, played)| later::discovery(parent, played));
        return match discovered {
            Some(rule) => rule,
            None if en_passant => Rule::EnPassantInCheck,
            None => Rule::CheckIgnored,
        };
    }
    let Some(attacker) = Square::of(attackers) else { return Rule::Notation };
    let lines = match en_passant {
        true => [Rule::EnPassantUncoversFile, Rule::EnPassantUncoversRank, Rule::EnPassantUncoversDiagonal],
        false => [Rule::PinOnFile, Rule::PinOnRank, Rule::PinOnDiagonal],
    };
    on(lines, king, attacker)
}

/// Returns the rule of a king's step to an attacked square.
fn king_exposed(fen: &Fen, king: Square, to: Square) -> Rule {
    let position = &fen.position;
    let them = position.turn().opposite();
    let attackers = |occupied: u64| position.attackers(to, them, occupied | to.bit()) & !to.bit();
    if attackers(position.occupied()) == 0 {
        Rule::KingStaysOnLine
    } else if position.of(them) & to.bit() != 0 {
        Rule::KingTakesProtected
    } else if attackers(position.occupied() & !king.bit()) & !position.kings == 0 {
        Rule::KingsTouch
    } else {
        Rule::KingIntoAttack
    }
}
