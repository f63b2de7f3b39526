//! What is constant in a tree.

/// What every position of one tree has in common: where castling rooks start, and whether the
/// halfmove clock is kept.
///
/// A castling right in a position's [`State`](crate::State) says that king and rook have not moved;
/// the king's file is read off the position, the rook's file is here. Both colours have their own
/// files, since Chess960 suites hold positions where they differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rules {
    /// Files (0 to 7) of the rooks that the rights K, Q, k and q speak of.
    pub castling_files: [u8; 4],
    /// Whether successors carry the halfmove clock. Counting leaves it out (all zero), so that
    /// equal positions have equal bytes; play and search keep it.
    pub halfmove_clock: bool,
}

impl Rules {
    /// Orthodox chess, counting: rooks on files h and a, no halfmove clock.
    pub const STANDARD: Self = Self { castling_files: [7, 0, 7, 0], halfmove_clock: false };

    /// The same with the halfmove clock kept or not.
    #[must_use]
    pub const fn with_halfmove_clock(self, keep: bool) -> Self {
        Self { halfmove_clock: keep, ..self }
    }

    /// The boards of the four castling rooks' squares, in the order K Q k q.
    pub const fn castling_rooks(&self) -> [u64; 4] {
        let [a, b, c, d] = self.castling_files;
        [1 << (a & 7), 1 << (b & 7), 1 << (56 + (c & 7)), 1 << (56 + (d & 7))]
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::STANDARD
    }
}
