//! `Pieces38` and `Pieces64`: a position as a list of its pieces.
//!
//! Both hold 32 entries of 9 bits: the square in bits 0 to 5, the kind (0 pawn to 5 king, in the
//! order of [`Piece`]) in bits 6 to 8. The first 16 entries are White's pieces, the others Black's,
//! each by ascending square; unused entries have square 0 and kind 7.

use std::array;

use bytemuck::{Pod, Zeroable};

use crate::bits::Bits;
use crate::{Color, Format, PackedPosition, Piece, Position, State};

/// The number of bits of an entry.
const ENTRY: usize = 9;
/// The bits of an entry.
const ENTRY_MASK: u16 = 0x1ff;
/// The entry that holds no piece.
const UNUSED: u16 = 7 << 6;

/// Returns the 32 entries of a position; pieces beyond 16 a side are dropped.
fn entries(position: &Position) -> [u16; 32] {
    // The bits of the kinds' numbers as boards, so that no search is needed to find a piece's kind.
    let [knights, bishops, rooks, queens] =
        [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen].map(|piece| position.kind(piece));
    let planes = [knights | rooks | position.kings, bishops | rooks, queens | position.kings];
    let mut entries = [UNUSED; 32];
    let (white, black) = entries.split_at_mut(16);
    for (side, color) in [(white, Color::White), (black, Color::Black)] {
        for (entry, bit) in side.iter_mut().zip(Bits(position.of(color))) {
            let square = bit.trailing_zeros() as u16;
            let plane = |index: usize| (planes[index] >> square & 1) as u16;
            *entry = square | plane(0) << 6 | plane(1) << 7 | plane(2) << 8;
        }
    }
    entries
}

/// Returns the pieces of 32 entries; ignores other bits and invalid kinds.
fn position(entries: [u16; 32], state: State) -> Position {
    let mut planes = [0; 3];
    let mut occupied = [0; 2];
    for (index, entry) in entries.into_iter().enumerate() {
        let kind = u64::from(entry >> 6 & 7);
        let bit = u64::from(kind < 6) << (entry & 63);
        occupied[index / 16] |= bit;
        for (number, plane) in planes.iter_mut().enumerate() {
            *plane |= bit & (kind >> number & 1).wrapping_neg();
        }
    }
    let [odd, high, royal] = planes;
    Position {
        white: occupied[0],
        pawns: (occupied[0] | occupied[1]) & !(odd | high | royal),
        knights: odd & !high & !royal,
        bishops_queens: !odd & (high | royal),
        rooks_queens: odd & high | !odd & royal,
        kings: odd & royal,
        state,
    }
}

/// 32 entries of 9 bits, then state bits 0 to 8 (turn, castling rights, en passant): 297 bits from the lowest bit of
/// the first byte on. The last 7 bits are zero.
///
/// There is no room for the halfmove clock, which unpacks as 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct Pieces38(pub [u8; 38]);

const _: () = assert!(size_of::<Pieces38>() == 38);

impl Default for Pieces38 {
    fn default() -> Self {
        Self([0; 38])
    }
}

impl PackedPosition for Pieces38 {
    const FORMAT: Format = Format::Pieces38;

    fn pack(position: &Position) -> Self {
        let state = position.state.0 & !State::HALFMOVE_CLOCK;
        let mut words = [0; 5];
        for (index, entry) in entries(position).into_iter().chain([state]).enumerate() {
            let (word, bit) = (index * ENTRY / 64, index * ENTRY % 64);
            words[word] |= u64::from(entry) << bit;
            if bit + ENTRY > 64 {
                words[word + 1] |= u64::from(entry) >> (64 - bit);
            }
        }
        let mut bytes = [0; 38];
        bytes.copy_from_slice(&bytemuck::bytes_of(&words)[..38]);
        Self(bytes)
    }

    fn unpack_unchecked(&self) -> Position {
        // An entry spans two bytes; the state is the last one, in bytes 36 and 37.
        let entry = |index: usize| {
            let first = index * ENTRY;
            u16::from_le_bytes([self.0[first / 8], self.0[first / 8 + 1]]) >> (first % 8) & ENTRY_MASK
        };
        position(array::from_fn(entry), State(entry(32)))
    }
}

/// 32 words of 16 bits, an entry in the lower 9 bits of each. State bit `i` is the highest bit of
/// word `i`; all other bits are zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Pod, Zeroable)]
#[repr(transparent)]
pub struct Pieces64(pub [u16; 32]);

const _: () = assert!(size_of::<Pieces64>() == 64);

impl PackedPosition for Pieces64 {
    const FORMAT: Format = Format::Pieces64;

    fn pack(position: &Position) -> Self {
        let mut words = entries(position);
        for (bit, word) in words[..16].iter_mut().enumerate() {
            *word |= (position.state.0 >> bit & 1) << 15;
        }
        Self(words)
    }

    fn unpack_unchecked(&self) -> Position {
        let state = (0..16).map(|bit| (self.0[bit] >> 15) << bit).sum();
        position(self.0, State(state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fen, Rules, UnpackError};

    const KINGS: &str = "8/8/8/8/8/1k6/7P/K7 b - - 5 1";

    #[test]
    fn the_words_of_pieces64_are_those_of_the_format() {
        let fen: Fen = KINGS.parse().unwrap();
        let mut expected = [7 << 6; 32];
        expected[0] = 5 << 6;
        expected[1] = 15;
        expected[16] = 17 | 5 << 6;
        // Black to move, and 5 = 0b101 in the halfmove clock from bit 9.
        for bit in [0, 9, 11] {
            expected[bit] |= 1 << 15;
        }
        assert_eq!(Pieces64::pack(&fen.position), Pieces64(expected));
    }

    #[test]
    fn the_bits_of_pieces38_are_those_of_the_format() {
        let fen: Fen = KINGS.parse().unwrap();
        let packed = Pieces38::pack(&fen.position);
        let bit = |index: usize| u16::from(packed.0[index / 8] >> (index % 8) & 1);
        let entry = |index: usize| (0..9).map(|at| bit(index * 9 + at) << at).sum::<u16>();
        assert_eq!([entry(0), entry(1), entry(2), entry(15)], [5 << 6, 15, 7 << 6, 7 << 6]);
        assert_eq!([entry(16), entry(17), entry(31), entry(32)], [17 | 5 << 6, 7 << 6, 7 << 6, 1]);
        assert_eq!(packed.0[37] >> 1, 0);
    }

    #[test]
    fn other_ways_to_write_a_position_are_refused() {
        let fen: Fen = KINGS.parse().unwrap();
        let Pieces64(words) = Pieces64::pack(&fen.position);
        assert_eq!(Pieces64(words).unpack(&Rules::STANDARD), Ok(fen.position));
        let refused = |change: fn(&mut [u16; 32])| {
            let mut changed = words;
            change(&mut changed);
            Pieces64(changed).unpack(&Rules::STANDARD) == Err(UnpackError::NotCanonical(Format::Pieces64))
        };
        let not_ascending = |words: &mut [u16; 32]| {
            let both = (words[0] ^ words[1]) & ENTRY_MASK;
            words[..2].iter_mut().for_each(|word| *word ^= both);
        };
        assert!(refused(not_ascending), "not ascending");
        assert!(refused(|words| words.swap(1, 2)), "a gap");
        assert!(refused(|words| words[2] = 15), "a piece twice");
        assert!(refused(|words| words[2] |= 1), "a square without piece");
        assert!(refused(|words| words[2] = 6 << 6), "a kind that is none");
        assert!(refused(|words| words[20] |= 1 << 15), "a state bit that is none");
        assert!(refused(|words| words[3] |= 1 << 9), "a bit between");
        let Pieces38(mut bytes) = Pieces38::pack(&fen.position);
        bytes[37] |= 0x80;
        assert_eq!(Pieces38(bytes).unpack(&Rules::STANDARD), Err(UnpackError::NotCanonical(Format::Pieces38)));
    }
}
