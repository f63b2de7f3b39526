//! Zobrist keys: 64 bits that nearly always distinguish positions.
//!
//! A key is the exclusive or of one random word for each piece on its square, each castling right,
//! the en-passant file and black to move; a move changes a few words. The halfmove clock is not
//! included. Different positions may have equal keys.

use kogge_board::bits::Bits;
use kogge_board::{Color, Piece, Position, Square, State};

use super::list_move::ListMove;

/// The index of the first castling right's word, after the words of 6 white and 6 black kinds on 64 squares each.
const CASTLING: usize = 2 * 6 * 64;
/// The index of the first en-passant file's word.
const EN_PASSANT: usize = CASTLING + 4;
/// The index of the word of black to move.
const BLACK: usize = EN_PASSANT + 8;

static WORDS: [u64; BLACK + 1] = words();

/// Returns the first outputs of SplitMix64 from seed 0.
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

/// The word of each piece on each cell of the mailbox; zero on the border.
static PIECES: [[u64; 128]; 12] = pieces();

const fn pieces() -> [[u64; 128]; 12] {
    let words = words();
    let mut pieces = [[0; 128]; 12];
    let mut index = 0;
    while index < CASTLING {
        let square = index % 64;
        pieces[index / 64][21 + square % 8 + square / 8 * 10] = words[index];
        index += 1;
    }
    pieces
}

/// The words of each set of castling rights.
static RIGHTS: [u64; 16] = rights();

const fn rights() -> [u64; 16] {
    let words = words();
    let mut rights = [0; 16];
    let mut index = 0;
    while index < 64 {
        if (index / 4) >> (index % 4) & 1 == 1 {
            rights[index / 4] ^= words[CASTLING + index % 4];
        }
        index += 1;
    }
    rights
}

#[inline]
pub(super) fn piece(color: Color, piece: Piece, cell: u8) -> u64 {
    PIECES[color as usize * 6 + piece as usize][usize::from(cell & 127)]
}

/// Returns the words of a state: side to move, castling rights and the file of an en-passant capture.
///
/// A change of the state changes the key by the exclusive or of the two states' words.
#[inline]
pub(super) fn state_words(turn: Color, rights: u8, en_passant: Option<u8>) -> u64 {
    let passed = en_passant.map_or(0, |file| WORDS[EN_PASSANT + usize::from(file & 7)]);
    let black = if turn == Color::Black { WORDS[BLACK] } else { 0 };
    RIGHTS[usize::from(rights & 15)] ^ passed ^ black
}

pub(super) fn state(state: State) -> u64 {
    state_words(state.turn(), state.castling(), state.en_passant_file())
}

/// Computes the Zobrist key of a position from scratch.
pub(super) fn key(position: &Position) -> u64 {
    let mut key = state(position.state);
    for color in Color::ALL {
        for kind in Piece::ALL {
            for square in Bits(position.of(color) & position.kind(kind)).filter_map(Square::of) {
                key ^= piece(color, kind, ListMove::mailbox(square));
            }
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use kogge_testkit::placement;
    use proptest::prelude::*;

    use super::*;

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

    proptest! {
        #[test]
        fn keys_tell_positions_apart((_, one) in placement(), (_, other) in placement()) {
            let clockless = |position: Position| Position { state: position.state.with_halfmove_clock(0), ..position };
            prop_assert_eq!(key(&one) == key(&other), clockless(one) == clockless(other));
            prop_assert_eq!(key(&clockless(one)), key(&one));
        }
    }
}
