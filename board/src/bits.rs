//! Bitboards: one bit per square, a1 = bit 0, b1 = bit 1, h8 = bit 63.

/// All squares of file a.
pub const FILE_A: u64 = 0x0101_0101_0101_0101;
/// All squares of file h.
pub const FILE_H: u64 = FILE_A << 7;
/// All squares except file a: a step towards file h may land here.
pub const NOT_FILE_A: u64 = !FILE_A;
/// All squares except file h: a step towards file a may land here.
pub const NOT_FILE_H: u64 = !FILE_H;
/// All squares of rank 1.
pub const RANK_1: u64 = 0xff;
/// All squares of rank 8.
pub const RANK_8: u64 = RANK_1 << 56;
/// Ranks 2 to 7: the only squares where a pawn can stand.
pub const PAWN_RANKS: u64 = !(RANK_1 | RANK_8);

/// Returns all squares of the rank with index `rank` (0 to 7).
#[inline]
pub const fn rank(rank: u8) -> u64 {
    RANK_1 << (8 * (rank & 7))
}

/// Returns all squares of the file with index `file` (0 to 7).
#[inline]
pub const fn file(file: u8) -> u64 {
    FILE_A << (file & 7)
}

/// Flips a board upside down: rank 1 becomes rank 8, files stay.
#[inline]
pub const fn flip(board: u64) -> u64 {
    board.swap_bytes()
}

/// Returns the board with only the lowest set bit; 0 for the empty board.
#[inline]
pub const fn lowest(board: u64) -> u64 {
    board & board.wrapping_neg()
}

/// Iterates over the set bits of a board, lowest first; each bit is returned as a board.
#[derive(Clone, Copy, Debug)]
pub struct Bits(pub u64);

impl Iterator for Bits {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let bit = lowest(self.0);
        self.0 ^= bit;
        (bit != 0).then_some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_lowest_first() {
        assert_eq!(Bits(0b1011).collect::<Vec<_>>(), [1, 2, 8]);
        assert_eq!(Bits(0).next(), None);
    }

    #[test]
    fn ranks_and_files() {
        assert_eq!(rank(0), RANK_1);
        assert_eq!(rank(7), RANK_8);
        assert_eq!(file(7), FILE_H);
        assert_eq!(flip(RANK_1), RANK_8);
    }
}
