//! The rules that all positions of a tree share.

use crate::bits::{RANK_1, RANK_8};

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
    ///
    /// ```
    /// use kogge_board::{Fen, Move, MoveKind, Rules, Square};
    /// let knight = Move::new(Square::at(6, 0), Square::at(5, 2), MoveKind::Quiet);
    /// let clock = |rules: Rules| Fen::start().position.play(&rules, knight).state.halfmove_clock();
    /// assert_eq!((clock(Rules::STANDARD), clock(Rules::STANDARD.with_halfmove_clock(true))), (0, 1));
    /// ```
    #[must_use]
    pub const fn with_halfmove_clock(self, keep: bool) -> Self {
        Self { halfmove_clock: keep, ..self }
    }

    /// Returns the castling rights, K Q k q as bits 0 to 3, that end if pieces leave or reach these squares. `kings` has the moving
    /// king, if it is on its home rank, and `men` has at least the kings and rooks.
    #[inline]
    pub(crate) const fn lost_rights(&self, kings: u64, men: u64, squares: u64) -> u8 {
        let outer = squares & men & (RANK_1 | RANK_8);
        if outer == 0 {
            return 0;
        }
        let mut lost = 0;
        let mut right = 0;
        while right < 4 {
            let square = self.castling_files[right] & 7 | if right < 2 { 0 } else { 56 };
            lost |= ((outer >> square & 1) as u8) << right;
            right += 1;
        }
        let white = if outer & kings & RANK_1 != 0 { 0b0011 } else { 0 };
        let black = if outer & kings & RANK_8 != 0 { 0b1100 } else { 0 };
        lost | white | black
    }

    /// Returns the squares of the four castling rooks as boards, in the order K Q k q.
    ///
    /// ```
    /// use kogge_board::{Rules, Square};
    /// let corners = [(7, 0), (0, 0), (7, 7), (0, 7)].map(|(file, rank)| Square::at(file, rank).bit());
    /// assert_eq!(Rules::STANDARD.castling_rooks(), corners);
    /// ```
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
