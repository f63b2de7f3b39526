//! A board as text.

use kogge::{Color, Fen, Square};

/// Draws the board from white's side: eight ranks, and the letters of the files.
pub(crate) fn rows(fen: &Fen) -> [String; 9] {
    std::array::from_fn(|row| {
        if row == 8 {
            return "  a b c d e f g h".to_owned();
        }
        let rank = 7 - row as u8;
        let mut text = (rank + 1).to_string();
        for file in 0..8 {
            text.push(' ');
            text.push(match fen.position.piece_at(Square::at(file, rank)) {
                Some((Color::White, piece)) => piece.letter().to_ascii_uppercase(),
                Some((Color::Black, piece)) => piece.letter(),
                None => '.',
            });
        }
        text
    })
}
