//! The rules that all positions of a tree share.

/// The rules that all positions of a tree share: the files of the castling rooks, and whether the
/// halfmove clock is kept.
///
/// A castling right in a position's [`State`](crate::State) means that king and rook have not moved; the position gives
/// the king's file, and these rules give the rook's file. Each colour has its own files, because they differ in some
/// positions of Chess960 suites.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rules {
    /// The files (0 to 7) of the rooks of the rights K, Q, k and q.
    pub castling_files: [u8; 4],
    /// Whether successors carry the halfmove clock. Counting sets the clock to zero, so that equal positions have equal
    /// bytes; play and search keep it.
    pub halfmove_clock: bool,
}

impl Rules {
    /// The rules for counting orthodox chess: rooks on files h and a, no halfmove clock.
    pub const STANDARD: Self = Self { castling_files: [7, 0, 7, 0], halfmove_clock: false };

    /// Sets whether the halfmove clock is kept.
    #[must_use]
    pub const fn with_halfmove_clock(self, keep: bool) -> Self {
        Self { halfmove_clock: keep, ..self }
    }

    /// Returns the squares of the four castling rooks as boards, in the order K Q k q.
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
