//! The rules of what a legal move leaves behind: lost castling rights, and checks that it discovers. They show in the position after it.

use kogge_board::bits::Bits;
use kogge_board::{Color, Fen, Move, MoveKind, Piece, Square};

use super::list::Rule;
use super::set::RuleSet;

pub(super) fn rules(fen: &Fen, played: Move) -> RuleSet {
    let rights = fen.position.state.castling() & !fen.position.play(&fen.rules, played).state.castling();
    let lost = Bits(rights.into()).filter_map(|right| lost_right(fen, played, right.trailing_zeros() as usize));
    let promotes =
        rights >> if fen.position.turn() == Color::White { 2 } else { 0 } & 3 != 0 && played.promotion().is_some();
    lost.chain(promotes.then_some(Rule::PromotionTakesRight)).chain(discovery(fen, played)).collect()
}

/// Returns the rule by which a move takes a right. Castling itself is no rule of its own.
pub(super) fn lost_right(fen: &Fen, played: Move, right: usize) -> Option<Rule> {
    let color = Color::ALL[right / 2];
    let rook = Square::at(fen.rules.castling_files[right], color.home_rank());
    let kingside = right & 1 == 0;
    let king = fen.position.king(color);
    if color != fen.position.turn() {
        let rule = if kingside { Rule::KingsideRookCaptured } else { Rule::QueensideRookCaptured };
        return (played.to() == rook).then_some(rule);
    }
    if played.is_castling() {
        None
    } else if king == Some(played.from()) {
        Some(Rule::RightLostByKing)
    } else {
        let rule = if kingside { Rule::RightLostByKingsideRook } else { Rule::RightLostByQueensideRook };
        (played.from() == rook).then_some(rule)
    }
}

/// Returns the rule about the check that a move discovers, or that castling gives.
pub(super) fn discovery(fen: &Fen, played: Move) -> Option<Rule> {
    let checkers = fen.position.play(&fen.rules, played).checkers();
    let discovered = checkers & !played.to().bit() != 0;
    match fen.position.piece_at(played.from()) {
        _ if !discovered => None,
        _ if played.is_castling() => Some(Rule::CastlingGivesCheck),
        _ if played.kind() == MoveKind::EnPassant => Some(Rule::EnPassantGivesCheck),
        Some((_, Piece::King)) => Some(Rule::DiscoveredCheckByKing),
        _ => Some(Rule::DiscoveredCheck),
    }
}
