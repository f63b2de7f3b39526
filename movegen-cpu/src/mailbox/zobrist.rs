//! Zobrist keys: 64 bits that nearly always distinguish positions.
//!
//! A key is the exclusive or of one random word for each piece on its square, each castling right,
//! the en-passant file and black to move; a move changes a few words. The halfmove clock is not
//! included. Different positions may have equal keys.

use kogge_board::bits::Bits;
use kogge_board::{Color, Piece, Position, Square, State};

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

/// Returns the word of a piece on a square.
#[inline]
pub(super) fn piece(color: Color, piece: Piece, square: Square) -> u64 {
    WORDS[(color as usize * 6 + piece as usize) * 64 + square.index() as usize]
}

/// Returns the words of a state: side to move, castling rights and en passant.
///
/// A change of the state changes the key by the exclusive or of the two states' words.
#[inline]
pub(super) fn state(state: State) -> u64 {
    let mut key = 0;
    for right in 0..4 {
        key ^= WORDS[CASTLING + right] & u64::from(state.castling() >> right & 1).wrapping_neg();
    }
    if let Some(file) = state.en_passant_file() {
        key ^= WORDS[EN_PASSANT + file as usize];
    }
    key ^ WORDS[BLACK] & u64::from(state.0 & State::BLACK).wrapping_neg()
}

/// Computes the Zobrist key of a position from scratch.
pub(super) fn key(position: &Position) -> u64 {
    let mut key = state(position.state);
    for color in Color::ALL {
        for kind in Piece::ALL {
            for square in Bits(position.of(color) & position.kind(kind)).filter_map(Square::of) {
                key ^= piece(color, kind, square);
            }
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use kogge_board::{Move, MoveKind};
    use kogge_testkit::placement;
    use proptest::prelude::*;

    use super::*;
    use crate::mailbox::legal_moves;

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

    /// Returns the key after a move, from the key before it and the words of the changes.
    fn updated_key(before: &Position, after: &Position, played: Move) -> u64 {
        let turn = before.turn();
        let mut updated = key(before) ^ state(before.state) ^ state(after.state);
        let mut change = |color, kind, square| updated ^= piece(color, kind, square);
        let (_, moved) = before.piece_at(played.from()).expect("a piece moves");
        change(turn, moved, played.from());
        change(turn, played.promotion().unwrap_or(moved), played.to());
        if let Some((color, captured)) = before.piece_at(played.to()).filter(|_| played.is_capture()) {
            change(color, captured, played.to());
        }
        if played.kind() == MoveKind::EnPassant {
            change(turn.opposite(), Piece::Pawn, Square::at(played.to().file(), played.from().rank()));
        }
        if played.is_castling() {
            let rooks = |position: &Position| position.kind(Piece::Rook) & position.of(turn);
            for rook in [rooks(before), rooks(after)] {
                Bits(rook).filter_map(Square::of).for_each(|square| change(turn, Piece::Rook, square));
            }
        }
        updated
    }

    proptest! {
        #[test]
        fn keys_follow_the_moves((rules, position) in placement()) {
            for played in legal_moves(&rules, &position) {
                let after = position.play(&rules, played);
                prop_assert_eq!(key(&after), updated_key(&position, &after, played), "{:?}", played);
                prop_assert_ne!(key(&after), key(&position));
            }
        }

        #[test]
        fn keys_tell_positions_apart((_, one) in placement(), (_, other) in placement()) {
            let clockless = |position: Position| Position { state: position.state.with_halfmove_clock(0), ..position };
            prop_assert_eq!(key(&one) == key(&other), clockless(one) == clockless(other));
            prop_assert_eq!(key(&clockless(one)), key(&one));
        }
    }
}
