//! The rules of illegal moves that look legal to a generator that forgets one rule, and of positions as a whole.

use kogge_board::attacks::{
    bishop_attacks_from, king_attacks, knight_attacks, pawn_attacks_down, pawn_attacks_up, rook_attacks_from,
};
use kogge_board::bits::{self, Bits};
use kogge_board::{Color, Fen, Move, MoveKind, Piece, Position, Square};

use super::list::Rule;
use super::listed::{exposed, is_too_late, of_obstacle};
use super::missing::{FIFTY_MOVES, is_corner};
use super::set::RuleSet;
use crate::explain::castling::castling;
use crate::explain::words::Text;

/// Files a, b, g and h, where knights jump over the edge.
const OUTER_FILES: u64 = bits::file(0) | bits::file(1) | bits::file(6) | bits::file(7);

pub(super) fn rules(fen: &Fen, moves: &[Move]) -> RuleSet {
    let (position, turn) = (&fen.position, fen.position.turn());
    let mut rules = RuleSet::default();
    let mut legal = [0; 64];
    for played in moves.iter().filter(|played| !played.is_castling()) {
        legal[usize::from(played.from().index())] |= played.to().bit();
    }
    for from in Bits(position.of(turn)).filter_map(Square::of) {
        let illegal = targets(fen, from) & !legal[usize::from(from.index())];
        for to in Bits(illegal).filter_map(Square::of) {
            rules.insert(exposed(fen, Text { from, to, promotion: None }, None));
        }
    }
    // The clock reaches the fifty moves within two plies.
    for (holds, rule) in [
        (moves.is_empty(), Rule::GameOver),
        (fen.halfmove_clock >= FIFTY_MOVES - 2, Rule::FiftyMoves),
        (position.king(turn).is_some_and(is_corner), Rule::KingInCorner),
        (position.knights & position.of(turn) & OUTER_FILES != 0, Rule::KnightAtEdge),
    ] {
        if holds {
            rules.insert(rule);
        }
    }
    rules.insert_all(pawn_rules(fen, moves));
    rules.insert_all(castling_rules(fen));
    rules
}

/// Returns the squares that a piece reaches if its king's safety is no matter; castling excluded.
fn targets(fen: &Fen, from: Square) -> u64 {
    let (position, turn, occupied) = (&fen.position, fen.position.turn(), fen.position.occupied());
    let reached = match position.piece_at(from) {
        Some((_, Piece::Pawn)) => return pawn_targets(fen, from),
        Some((_, Piece::Knight)) => knight_attacks(from.bit()),
        Some((_, Piece::Bishop)) => bishop_attacks_from(from, occupied),
        Some((_, Piece::Rook)) => rook_attacks_from(from, occupied),
        Some((_, Piece::Queen)) => bishop_attacks_from(from, occupied) | rook_attacks_from(from, occupied),
        Some((_, Piece::King)) => king_attacks(from.bit()),
        None => 0,
    };
    reached & !position.of(turn)
}

fn pawn_targets(fen: &Fen, from: Square) -> u64 {
    let (position, turn) = (&fen.position, fen.position.turn());
    let (pawn, empty) = (from.bit(), !position.occupied());
    let (attacked, push, start) = match turn {
        Color::White => (pawn_attacks_up(pawn), pawn << 8, 1),
        Color::Black => (pawn_attacks_down(pawn), pawn >> 8, 6),
    };
    let push = push & empty;
    let double = if turn == Color::White { push << 8 } else { push >> 8 };
    let double = if from.rank() == start { double & empty } else { 0 };
    let passed = fen.passed.map_or(0, Square::bit) & empty;
    attacked & (position.of(turn.opposite()) | passed) | push | double
}

/// Returns the rules of moves that pawns cannot make: captures over the edge, double pushes, and en passant too late.
fn pawn_rules(fen: &Fen, moves: &[Move]) -> RuleSet {
    let (position, turn) = (&fen.position, fen.position.turn());
    let pawns = position.pawns & position.of(turn);
    let mut rules = RuleSet::default();
    if pawns != 0 {
        rules.insert(Rule::DoublePush);
    }
    if wraps(position, turn) & position.of(turn.opposite()) != 0 {
        rules.insert(Rule::PawnAtEdge);
    }
    let side = if turn == Color::White { 1 } else { -1 };
    let steps =
        |from: Square| [-1, 1].into_iter().filter_map(move |file| from.offset((file, side)).map(|to| (from, to)));
    let late = Bits(pawns).filter_map(Square::of).flat_map(steps).any(|(from, to)| is_too_late(fen, from, to));
    // The right ends with any other move.
    let ends = moves.iter().any(|played| played.kind() == MoveKind::EnPassant)
        && moves.iter().any(|played| played.kind() != MoveKind::EnPassant);
    if late || ends {
        rules.insert(Rule::EnPassantTooLate);
    }
    rules
}

/// Returns the squares on which pawns capture if the edge of the board does not stop them: on the other edge, on their own rank or two
/// ranks ahead, as the squares are numbered.
fn wraps(position: &Position, turn: Color) -> u64 {
    let pawns = position.pawns & position.of(turn);
    let (left, right) = (pawns & bits::file(0), pawns & bits::file(7));
    let beside = left << 7 | right >> 7;
    beside | if turn == Color::White { beside << 16 } else { beside >> 16 }
}

/// Returns the rules that alone forbid to castle.
fn castling_rules(fen: &Fen) -> RuleSet {
    let (position, turn) = (&fen.position, fen.position.turn());
    let first = if turn == Color::White { 0 } else { 2 };
    let Some(king) = position.king(turn).filter(|king| king.rank() == turn.home_rank()) else {
        return RuleSet::default();
    };
    let own_rooks = position.kind(Piece::Rook) & position.of(turn);
    let sides = [first, first + 1].into_iter().filter_map(|right| {
        let rook = Square::at(fen.rules.castling_files[right], turn.home_rank());
        let has_right = position.state.castling() >> right & 1 != 0;
        // Without the right, only king and rook at home look as if they might castle.
        let looks_so = own_rooks & rook.bit() != 0 && (has_right || king.file() == 4);
        let castling = looks_so.then(|| castling(fen, king, rook)).filter(|castling| castling.right == right)?;
        match &castling.obstacles(fen)[..] {
            [obstacle] => Some(of_obstacle(obstacle, &castling)),
            _ => None,
        }
    });
    sides.collect()
}
