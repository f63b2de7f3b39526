//! The rules that make a legal move possible: a generator that misses the move breaks one of them.

use kogge_board::bits::{self, Bits};
use kogge_board::{Fen, Move, MoveKind, Piece, Square};

use super::line::pin;
use super::list::Rule;
use super::set::RuleSet;
use crate::explain::castling::{Castling, castling};

/// The halfmove clock at which a player may claim a draw.
pub(super) const FIFTY_MOVES: u16 = 100;

/// The number of legal moves that counts as many.
pub(super) const MANY_MOVES: usize = 100;

/// Returns the rules of one of the legal moves; at least one.
pub(super) fn rules(fen: &Fen, moves: &[Move], played: Move) -> RuleSet {
    let mut rules = RuleSet::default();
    if fen.halfmove_clock >= FIFTY_MOVES {
        rules.insert(Rule::FiftyMoves);
    }
    if moves.len() >= MANY_MOVES {
        rules.insert(Rule::ManyMoves);
    }
    if played.is_castling() {
        rules.insert_all(castling_rules(fen, played));
    } else if let Some((_, piece)) = fen.position.piece_at(played.from()) {
        if piece != Piece::King {
            rules.insert_all(answers(fen, moves, played, piece));
        }
        rules.insert_all(piece_rules(played, piece));
    }
    rules
}

/// Returns the rules about checks and pins, and those of en passant.
fn answers(fen: &Fen, moves: &[Move], played: Move, piece: Piece) -> RuleSet {
    let position = &fen.position;
    let (from, to, kind) = (played.from(), played.to(), played.kind());
    let checkers = position.checkers();
    let pin = pin(position, from);
    let mut rules = RuleSet::default();
    if kind == MoveKind::EnPassant {
        if checkers != 0 {
            rules.insert(Rule::EnPassantInCheck);
        }
        if moves.iter().filter(|other| other.kind() == kind).count() > 1 {
            rules.insert(Rule::EnPassantByEither);
        }
        if pin.is_some() {
            rules.insert(Rule::EnPassantUncoversDiagonal);
        }
        if rules.is_empty() {
            rules.insert(Rule::EnPassant);
        }
    } else if checkers != 0 {
        rules.insert(if checkers & to.bit() != 0 { Rule::CheckCaptured } else { Rule::CheckBlocked });
    } else if let Some(axis) = pin {
        rules.insert(if piece == Piece::Pawn { Rule::PinnedPawn } else { axis });
    }
    rules
}

/// Returns the rules of the way that a piece moves.
fn piece_rules(played: Move, piece: Piece) -> RuleSet {
    let (from, to) = (played.from(), played.to());
    let edge = bits::file(0) | bits::file(7);
    let is_long = from.file().abs_diff(to.file()).max(from.rank().abs_diff(to.rank())) == 7;
    let is_at_edge = from.bit() & edge != 0;
    let special = match (piece, played.kind()) {
        (_, MoveKind::Promotion(_) | MoveKind::CapturePromotion(_)) => return promotion(played),
        (Piece::Pawn, MoveKind::DoublePush) => return [Rule::DoublePush].into_iter().collect(),
        (Piece::Pawn, MoveKind::Capture) if is_at_edge => Some(Rule::PawnAtEdge),
        (Piece::Pawn, MoveKind::EnPassant) => return RuleSet::default(),
        (Piece::Knight, _) if is_at_edge => Some(Rule::KnightAtEdge),
        (Piece::King, _) if is_corner(from) => Some(Rule::KingInCorner),
        (Piece::Bishop | Piece::Rook | Piece::Queen, _) if is_long => Some(Rule::AcrossBoard),
        _ => None,
    };
    special.into_iter().chain([of_piece(piece, from.file() != to.file())]).collect()
}

fn promotion(played: Move) -> RuleSet {
    let (from, to) = (played.from().file(), played.to().file());
    let side = match to.cmp(&from) {
        std::cmp::Ordering::Less => Some(Rule::PromotionToFileA),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(Rule::PromotionToFileH),
    };
    let under = (played.promotion() != Some(Piece::Queen)).then_some(Rule::UnderPromotion);
    side.into_iter().chain(under).chain([Rule::Promotion]).collect()
}

/// The general rule of a piece.
pub(super) const fn of_piece(piece: Piece, is_capture_of_pawn: bool) -> Rule {
    match piece {
        Piece::Pawn if is_capture_of_pawn => Rule::PawnCapture,
        Piece::Pawn => Rule::PawnPush,
        Piece::Knight => Rule::KnightMoves,
        Piece::Bishop => Rule::BishopMoves,
        Piece::Rook => Rule::RookMoves,
        Piece::Queen => Rule::QueenMoves,
        Piece::King => Rule::KingMoves,
    }
}

pub(super) fn is_corner(square: Square) -> bool {
    matches!((square.file(), square.rank()), (0 | 7, 0 | 7))
}

/// Returns the rules of legal castling: its shape in Chess960, and what it looks like in orthodox chess.
fn castling_rules(fen: &Fen, played: Move) -> RuleSet {
    let Some(rook) = played.castling_rook(&fen.rules) else { return RuleSet::default() };
    let castling = castling(fen, played.from(), rook);
    let Castling { king, king_to, rook, rook_to, .. } = castling;
    let kingside = played.kind() == MoveKind::CastleKingside;
    let mut rules = RuleSet::default();
    if is_double(fen) {
        rules.insert(Rule::DoubleChess960);
    }
    if king.file() != 4 || rook.file() != if kingside { 7 } else { 0 } {
        let goes_over = |from, to, other| Castling::span(from, to).any(|square| square == other);
        for (holds, rule) in [
            (king == king_to, Rule::Chess960KingStays),
            (rook == rook_to, Rule::Chess960RookStays),
            (goes_over(king, king_to, rook) || goes_over(rook, rook_to, king), Rule::Chess960Passing),
            (true, Rule::Chess960Castling),
        ] {
            if holds {
                rules.insert(rule);
            }
        }
        return rules;
    }
    let them = fen.position.turn().opposite();
    let king_passes: Vec<Square> = Castling::span(king, king_to).collect();
    let is_attacked = |square| fen.position.attackers(square, them, fen.position.occupied()) != 0;
    if Castling::span(rook, rook_to).any(|square| !king_passes.contains(&square) && is_attacked(square)) {
        rules.insert(Rule::CastlingRookAttacked);
    }
    rules.insert(if kingside { Rule::CastlingKingside } else { Rule::CastlingQueenside });
    rules
}

/// Returns whether both sides may castle, with different files.
fn is_double(fen: &Fen) -> bool {
    let position = &fen.position;
    let rights = position.state.castling();
    let file = |color| position.king(color).map(Square::file);
    let [white, black] = kogge_board::Color::ALL;
    let [kingside, queenside, their_kingside, their_queenside] = fen.rules.castling_files;
    let both = Bits((rights & rights >> 2 & 3).into());
    rights & 3 != 0
        && rights >> 2 != 0
        && (file(white) != file(black)
            || both.into_iter().any(
                |right| {
                    if right == 1 { kingside != their_kingside } else { queenside != their_queenside }
                },
            ))
}
