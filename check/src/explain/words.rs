//! The parts of an explanation: reasons, the text of a move, and pieces, squares and lines in words.

use kogge_board::bits::Bits;
use kogge_board::{Piece, Position, Square};

/// A reason: a text, and the squares that the text mentions.
pub(crate) struct Reason {
    pub(super) text: String,
    pub(super) squares: Vec<Square>,
}

impl Reason {
    pub(super) fn new(text: impl Into<String>, squares: impl Into<Vec<Square>>) -> Self {
        Self { text: text.into(), squares: squares.into() }
    }
}

/// The parts of a move's text.
#[derive(Clone, Copy)]
pub(crate) struct Text {
    pub(crate) from: Square,
    pub(crate) to: Square,
    pub(crate) promotion: Option<Piece>,
}

impl Text {
    pub(crate) fn parse(uci: &str) -> Option<Self> {
        let square = |at: usize| uci.get(at..at + 2)?.parse().ok();
        let promotion = match uci.get(4..)? {
            "" => None,
            letter @ ("q" | "r" | "b" | "n" | "k" | "p") => Piece::from_letter(letter.chars().next()?),
            _ => return None,
        };
        Some(Self { from: square(0)?, to: square(2)?, promotion })
    }
}

/// Names a piece by its kind and square: `the knight on g1`.
pub(super) fn piece_on(position: &Position, square: Square) -> String {
    match position.piece_at(square) {
        Some((_, piece)) => format!("the {} on {square}", name(piece)),
        None => format!("the empty square {square}"),
    }
}

pub(super) fn pieces_on(position: &Position, squares: u64) -> String {
    let names: Vec<String> = of(squares).iter().map(|&square| piece_on(position, square)).collect();
    names.join(" and ")
}

pub(super) fn name(piece: Piece) -> &'static str {
    match piece {
        Piece::Pawn => "pawn",
        Piece::Knight => "knight",
        Piece::Bishop => "bishop",
        Piece::Rook => "rook",
        Piece::Queen => "queen",
        Piece::King => "king",
    }
}

/// Names the line that two squares lie on.
pub(super) fn line(one: Square, other: Square) -> String {
    if one.file() == other.file() {
        format!("the {}-file", char::from(b'a' + one.file()))
    } else if one.rank() == other.rank() {
        format!("rank {}", one.rank() + 1)
    } else {
        "the diagonal".to_owned()
    }
}

pub(crate) fn of(board: u64) -> Vec<Square> {
    Bits(board).filter_map(Square::of).collect()
}

/// Returns the squares strictly between two squares of a line; none if they lie on no line.
pub(crate) fn between(one: Square, other: Square) -> Vec<Square> {
    let step = |from: u8, to: u8| (to as i8 - from as i8).signum();
    let (files, ranks) = (one.file().abs_diff(other.file()), one.rank().abs_diff(other.rank()));
    if files != ranks && files != 0 && ranks != 0 {
        return Vec::new();
    }
    let step = (step(one.file(), other.file()), step(one.rank(), other.rank()));
    let squares = std::iter::successors(one.offset(step), |square| square.offset(step));
    squares.take_while(|&square| square != other).take(files.max(ranks) as usize).collect()
}

pub(super) fn begin_with_capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
