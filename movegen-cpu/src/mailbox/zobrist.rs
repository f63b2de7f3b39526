//! Zobrist keys: one random word per feature of a position, combined by exclusive or.

use kogge_board::{Color, Piece};

use super::board::Cell;

/// The word of a piece on a cell.
pub(super) fn piece(color: Color, piece: Piece, cell: Cell) -> u64 {
    word(usize::from(cell) + 120 * (piece as usize + 6 * color as usize))
}

/// The word of everything that is no piece.
pub(super) fn state(turn: Color, rights: u8, passed: Option<Cell>) -> u64 {
    word(1440 + turn as usize)
        ^ word(1442 + usize::from(rights & 15))
        ^ passed.map_or(0, |cell| word(1458 + usize::from(cell % 10)))
}

fn word(index: usize) -> u64 {
    WORDS.get(index).copied().unwrap_or_default()
}

/// 12 kinds of piece on 120 cells, 2 turns, 16 sets of castling rights, 10 files with their borders.
const COUNT: usize = 12 * 120 + 2 + 16 + 10;

/// The output of the splitmix64 generator, from seed 0.
static WORDS: [u64; COUNT] = {
    let mut words = [0; COUNT];
    let mut index = 0;
    while index < COUNT {
        let mut word = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        words[index] = word ^ word >> 31;
        index += 1;
    }
    words
};
