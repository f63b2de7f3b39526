//! Zobrist keys: 64 bits that tell positions apart nearly always.
//!
//! A key is the exclusive or of one random word for each piece on its square, each castling right,
//! the en-passant file and Black to move; so a move changes it by a few words. The halfmove clock is
//! not in it. Different positions may have the same key: it finds a place in a table, and the
//! position found there must be compared in full.
//!
//! ```
//! use kogge_board::{Color, Fen, Piece, Square, zobrist};
//! let mut position = Fen::start().position;
//! let key = position.zobrist();
//! position.put(Color::White, Piece::Queen, Square::at(4, 3));
//! assert_eq!(position.zobrist(), key ^ zobrist::piece(Color::White, Piece::Queen, Square::at(4, 3)));
//! ```

use crate::bits::Bits;
use crate::{Color, Piece, Position, Square, State};

/// Where the words of the castling rights begin; before them are those of the pieces, 6 kinds of white
/// and 6 of black on 64 squares each.
const CASTLING: usize = 2 * 6 * 64;
/// Then those of the eight en-passant files.
const EN_PASSANT: usize = CASTLING + 4;
/// Then that of Black to move.
const BLACK: usize = EN_PASSANT + 8;

static WORDS: [u64; BLACK + 1] = words();

/// The first outputs of SplitMix64 from seed 0.
const fn words() -> [u64; BLACK + 1] {
    let mut words = [0; BLACK + 1];
    let mut seed = 0u64;
    let mut index = 0;
    while index < words.len() {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        words[index] = word ^ word >> 31;
        index += 1;
    }
    words
}

/// The word of a piece on a square.
#[inline]
pub fn piece(color: Color, piece: Piece, square: Square) -> u64 {
    WORDS[(color as usize * 6 + piece as usize) * 64 + square.index() as usize]
}

/// The words of a state: side to move, castling rights and en passant.
///
/// Where only a part of the state changes, the exclusive or of this for the states before and after
/// is what the key changes by.
#[inline]
pub fn state(state: State) -> u64 {
    let mut key = 0;
    for right in 0..4 {
        key ^= WORDS[CASTLING + right] & u64::from(state.castling() >> right & 1).wrapping_neg();
    }
    if let Some(file) = state.en_passant_file() {
        key ^= WORDS[EN_PASSANT + file as usize];
    }
    key ^ WORDS[BLACK] & u64::from(state.0 & State::BLACK).wrapping_neg()
}

impl Position {
    /// The Zobrist key, computed anew.
    pub fn zobrist(&self) -> u64 {
        let mut key = state(self.state);
        for color in Color::ALL {
            for kind in Piece::ALL {
                for square in Bits(self.of(color) & self.kind(kind)).filter_map(Square::of) {
                    key ^= piece(color, kind, square);
                }
            }
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn words_are_those_of_splitmix64_and_all_different() {
        // The generator's published test values for seed 0.
        assert_eq!(WORDS[..3], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
        assert_eq!(WORDS.iter().collect::<HashSet<_>>().len(), 781);
    }

    #[test]
    fn every_part_of_the_state_but_the_clock_counts() {
        let base = State::default();
        let states = (0..4).map(|right| base.with_castling(1 << right));
        let states = states.chain((0..8).map(|file| base.with_en_passant(Some(file))));
        let keys: HashSet<_> = states.chain([base, base.with_turn(Color::Black)]).map(state).collect();
        assert_eq!(keys.len(), 14);
        assert_eq!(state(base.with_halfmove_clock(99)), state(base));
    }
}
