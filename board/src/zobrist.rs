//! Zobrist keys: 64 bits that nearly always distinguish positions.
//!
//! A key is the exclusive or of one word for each piece on its square, each castling right, the en-passant file and white to move (Albert
//! Zobrist, 1970). The words are Polyglot's 781 random numbers, so that opening books and other programs know the keys. The halfmove
//! clock is not included. Different positions may have equal keys; kogge counts nothing by keys.

use crate::bits::Bits;
use crate::{Color, Piece, Position, Square};

/// The number of words for pieces: two colours, six kinds, 64 squares.
const PIECES: usize = 2 * 6 * 64;
/// The index of the first castling right's word, in the order K Q k q.
const CASTLING: usize = PIECES;
/// The index of the first en-passant file's word.
const EN_PASSANT: usize = CASTLING + 4;
/// The index of the word for white to move.
const WHITE: usize = EN_PASSANT + 8;
const COUNT: usize = WHITE + 1;

static WORDS: [u64; COUNT] = words(include_bytes!("../data/polyglot.txt"));

/// Reads the file of words: 16 hex digits and a line break for each.
const fn words(text: &[u8; 17 * COUNT]) -> [u64; COUNT] {
    let mut words = [0; COUNT];
    let mut at = 0;
    while at < text.len() {
        let digit = match text[at] {
            digit @ b'0'..=b'9' => digit - b'0',
            letter => letter.wrapping_sub(b'a' - 10),
        };
        if at % 17 < 16 {
            words[at / 17] = words[at / 17] << 4 | digit as u64;
        }
        at += 1;
    }
    words
}

/// Returns the word of a piece on a square.
#[inline]
pub fn piece(color: Color, piece: Piece, square: Square) -> u64 {
    let kind = 2 * piece as usize + usize::from(color == Color::White);
    WORDS[64 * kind + usize::from(square.index())]
}

/// Returns the word of castling rights: K Q k q as bits 0 to 3.
#[inline]
pub fn castling(rights: u8) -> u64 {
    (0..4).filter(|right| rights >> right & 1 != 0).fold(0, |key, right| key ^ WORDS[CASTLING + right])
}

/// Returns the word of an en-passant file, 0 to 7.
#[inline]
pub fn en_passant(file: u8) -> u64 {
    WORDS[EN_PASSANT + usize::from(file & 7)]
}

/// Returns the word of the side to move.
#[inline]
pub fn turn(color: Color) -> u64 {
    if color == Color::White { WORDS[WHITE] } else { 0 }
}

impl Position {
    /// Computes the Zobrist key. The en-passant file belongs to it if a capture is legal.
    ///
    /// ```
    /// assert_eq!(kogge_board::Fen::start().position.zobrist_key(), 0x463b_9618_1691_fc9c);
    /// ```
    pub fn zobrist_key(&self) -> u64 {
        let mut key = castling(self.state.castling()) ^ turn(self.turn());
        key ^= self.state.en_passant_file().map_or(0, en_passant);
        for color in Color::ALL {
            for kind in Piece::ALL {
                let squares = Bits(self.kind(kind) & self.of(color)).filter_map(Square::of);
                key = squares.fold(key, |key, square| key ^ piece(color, kind, square));
            }
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::{Fen, State};

    #[test]
    fn published_keys_are_right() {
        // The examples in the description of Polyglot's book format.
        for (fen, key) in [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0x463b_9618_1691_fc9c),
            ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", 0x823c_9b50_fd11_4196),
            ("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2", 0x0756_b944_61c5_0fb0),
            ("rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2", 0x662f_afb9_65db_29d4),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", 0x22a4_8b5a_8e47_ff78),
            ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR b kq - 0 3", 0x652a_607c_a3f2_42c1),
            ("rnbq1bnr/ppp1pkpp/8/3pPp2/8/8/PPPPKPPP/RNBQ1BNR w - - 0 4", 0x00fd_d303_c946_bdd9),
            ("rnbqkbnr/p1pppppp/8/8/PpP4P/8/1P1PPPP1/RNBQKBNR b KQkq c3 0 3", 0x3c81_23ea_7b06_7637),
            ("rnbqkbnr/p1pppppp/8/8/P6P/R1p5/1P1PPPP1/1NBQKBNR b Kkq - 0 4", 0x5c3f_9b82_9b27_9560),
        ] {
            assert_eq!(fen.parse::<Fen>().unwrap().position.zobrist_key(), key, "{fen}");
        }
    }

    #[test]
    fn every_state_has_a_key_of_its_own() {
        let base = Position::default();
        let states = (0..16).flat_map(|rights| {
            let files = (0..8).map(Some).chain([None]);
            files.flat_map(move |file| Color::ALL.map(|turn| (rights, file, turn)))
        });
        let key = |(rights, file, turn): (u8, Option<u8>, Color)| {
            let state = State::default().with_castling(rights).with_en_passant(file).with_turn(turn);
            Position { state, ..base }.zobrist_key()
        };
        assert_eq!(states.map(key).collect::<HashSet<_>>().len(), 16 * 9 * 2);
    }
}
