//! Zobrist keys: one random word per feature of a position, combined by exclusive or.

use kogge_board::{Color, Piece};

use super::board::Cell;

/// Where the words of each feature begin: of 12 kinds of piece on 120 cells, 2 turns, 16 sets of
/// castling rights, 10 files (the border included) of a passed cell.
const TURN: usize = 12 * 120;
const RIGHTS: usize = TURN + 2;
const PASSED: usize = RIGHTS + 16;
const COUNT: usize = PASSED + 10;

/// The word of a piece on a cell.
pub(super) fn piece(color: Color, piece: Piece, cell: Cell) -> u64 {
    word(120 * (6 * color as usize + piece as usize) + usize::from(cell))
}

/// The word of everything that is no piece; the halfmove clock counts for nothing.
pub(super) fn state(turn: Color, rights: u8, passed: Option<Cell>) -> u64 {
    word(TURN + turn as usize)
        ^ word(RIGHTS + usize::from(rights & 15))
        ^ passed.map_or(0, |cell| word(PASSED + usize::from(cell % 10)))
}

fn word(index: usize) -> u64 {
    WORDS.get(index).copied().unwrap_or_default()
}

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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_state_and_every_piece_has_its_own_word() {
        let mut words = HashSet::from([0]);
        for color in Color::ALL {
            for rights in 0..16 {
                for passed in [None].into_iter().chain((21..29).map(Some)) {
                    assert!(words.insert(state(color, rights, passed)), "{color} {rights} {passed:?}");
                }
            }
            for kind in Piece::ALL {
                for cell in 0..120 {
                    assert!(words.insert(piece(color, kind, cell)), "{color} {kind:?} {cell}");
                }
            }
        }
    }
}
