//! Leaves by the kinds of moves that lead to them: captures, castlings, checks and so on.

use kogge_board::{Categories, Fen};

use crate::{Driver, Error, MergeSettings, MergedCount, Quantity};

impl Driver<'_> {
    /// Counts the leaves `depth` plies below the root by the moves that lead to them. At depth 0, there is one leaf and no
    /// move. Equal positions are not merged.
    ///
    /// # Errors
    /// As [`Driver::perft`], or if the backend cannot distinguish the kinds of moves.
    pub fn stats(&mut self, root: &Fen, depth: u32) -> Result<Categories, Error> {
        self.tally(root, depth)
    }

    /// Counts the leaves `depth` plies below the root by the moves that lead to them, by merged plies. The result's
    /// [`categories`](MergedCount::categories) are set.
    ///
    /// # Errors
    /// As [`Driver::perft_merged`], or if the backend cannot distinguish the kinds of moves.
    pub fn stats_merged(&mut self, root: &Fen, depth: u32, settings: &MergeSettings) -> Result<MergedCount, Error> {
        self.count_merged(root, depth, settings, Quantity::Categories)
    }
}
