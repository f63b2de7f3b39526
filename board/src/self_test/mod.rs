//! Self-tests of a backend: counting, merging and minimax against known answers.

mod counting;
mod merging;
mod minimax;

pub use counting::counting;
pub use merging::merging;
pub use minimax::minimax;
