//! The reason why a move is legal or illegal, in sentences for the author of a move generator.
//!
//! The code looks at the board square by square, and asks the mailbox generator whether the move is legal. If the move is
//! illegal, the reason names the first obstacle in this order: the text, the piece, the way that the piece moves, the
//! king.

pub(crate) mod castling;
mod king;
pub(crate) mod movement;
pub(crate) mod words;

use kogge_board::{Color, Fen, Move, MoveKind, Piece, Square};
use kogge_movegen_cpu::LegalMoves;
use words::{Reason, Text, name, piece_on};

/// Whether a move is legal, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Explanation {
    /// Whether the move is legal.
    pub legal: bool,
    /// The reason.
    pub text: String,
    /// Squares that the reason mentions, besides the squares of the move.
    pub squares: Vec<String>,
}

/// Explains a move in UCI notation.
pub fn explain(fen: &Fen, uci: &str) -> Explanation {
    let played = LegalMoves::of(&fen.rules, &fen.position).parse_uci(uci).ok();
    let Reason { text, squares } = match played {
        Some(played) => why_legal(fen, uci, played),
        None => why_not(fen, uci),
    };
    Explanation { legal: played.is_some(), text, squares: squares.iter().map(ToString::to_string).collect() }
}

/// Explains why a move is illegal.
fn why_not(fen: &Fen, uci: &str) -> Reason {
    let Some(text) = Text::parse(uci) else {
        let text = format!("{uci:?} is not a move; expected two squares such as e2e4, or e7e8q for a promotion.");
        return Reason::new(text, []);
    };
    let (position, turn) = (&fen.position, fen.position.turn());
    let Text { from, to, .. } = text;
    let piece = match position.piece_at(from) {
        None => return Reason::new(format!("{uci} is illegal: there is no piece on {from}."), []),
        Some((color, piece)) if color != turn => {
            let text = format!("{uci} is illegal: the {} on {from} is {color}, and it is {turn}'s turn.", name(piece));
            return Reason::new(text, []);
        }
        Some((_, piece)) => piece,
    };
    if piece == Piece::King && castling::is_meant(fen, from, to) {
        let Reason { text, squares } = castling::why_not(fen, from, to);
        return Reason::new(format!("{uci} is illegal: {text}."), squares);
    }
    if let Some(Reason { text, squares }) = movement::obstacle(fen, text, piece) {
        return Reason::new(format!("{uci} is illegal: {text}."), squares);
    }
    let Reason { text, squares } = king::exposed(fen, text, piece);
    Reason::new(format!("{uci} is illegal: {text}."), squares)
}

/// Explains why a legal move is legal: its effect, and the reason why the king is safe.
fn why_legal(fen: &Fen, uci: &str, played: Move) -> Reason {
    let (position, turn) = (&fen.position, fen.position.turn());
    let (from, to) = (played.from(), played.to());
    let mover = piece_on(position, from);
    let side = if turn == Color::White { 1 } else { -1 };
    let action = match played.kind() {
        MoveKind::CastleKingside | MoveKind::CastleQueenside => {
            let Reason { text, squares } = castling::why_legal(fen, played);
            return Reason::new(format!("{uci} is legal: {text}."), squares);
        }
        MoveKind::EnPassant => {
            let captured = Square::at(to.file(), from.rank());
            let origin = to.offset((0, side)).unwrap_or(to);
            format!(
                "{mover} captures the pawn on {captured} en passant, because this pawn has just moved from {origin}"
            )
        }
        MoveKind::Capture => format!("{mover} captures {}", piece_on(position, to)),
        MoveKind::Promotion(piece) => format!("{mover} reaches the last rank and becomes a {}", name(piece)),
        MoveKind::CapturePromotion(piece) => {
            format!("{mover} captures {} and becomes a {}", piece_on(position, to), name(piece))
        }
        MoveKind::DoublePush => format!("{mover} has not moved yet and goes two squares, both empty"),
        MoveKind::Quiet => format!("{mover} goes to {to}, which is empty"),
    };
    let Reason { text, squares } = king::safe(fen, played);
    Reason::new(format!("{uci} is legal: {action}{text}."), squares)
}

#[cfg(test)]
mod tests;
