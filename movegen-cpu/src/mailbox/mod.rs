//! The oracle: a mailbox move generator that shares no rules with the bitboard code.
//!
//! It is written to be obviously correct rather than fast. The board is an array of 10 x 12 cells whose border stops
//! every piece. Each side has a list of squares for each kind of piece, and each cell stores its index in its list, so
//! a removed piece is replaced by the list's last entry. Moves are generated pseudo-legally as 32-bit list moves, made,
//! and unmade again if they leave the king attacked. One history entry per ply takes a move back exactly, down to the
//! order within the lists. The position's Zobrist key is kept up to date along the way.
//!
//! The generation order is only a sort key here (`order.rs`): moves are generated piece by piece and sorted
//! afterwards. Everything runs on one thread, and leaves are made one by one, never counted in
//! bulk. Use it to check other backends, or to find the move on which they disagree.
//!
//! ```
//! use kogge_board::Fen;
//! use kogge_movegen_cpu::mailbox;
//!
//! let fen: Fen = "4k3/8/8/8/8/8/4r3/4K2R w K - 0 1".parse()?;
//! let moves = mailbox::legal_moves(&fen.rules, &fen.position);
//! assert_eq!(format!("{moves:?}"), "[e1e2, e1f1, e1d1]");
//! # Ok::<(), kogge_board::FenError>(())
//! ```

mod backend;
mod board;
mod categories;
mod generate;
mod list_move;
mod make;
mod minimax;
mod order;
#[cfg(test)]
mod tests;
mod walk;

pub use backend::Mailbox;
pub use categories::{Features, Outcome, outcomes};

use kogge_board::{Move, Position, Rules};

use board::Board;
use list_move::ListMove;

/// Returns the legal moves of a position, in generation order.
///
/// The position must be legal ([`Position::check`]); otherwise the answer is meaningless.
pub fn legal_moves(rules: &Rules, position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    Board::new(rules, position).legal_moves(&mut moves);
    moves.into_iter().filter_map(ListMove::to_move).collect()
}
