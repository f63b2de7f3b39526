//! Self-tests of a backend: counting, kinds of moves, merging and minimax against known answers.

mod categories;
mod counting;
mod merging;
mod minimax;

pub use categories::{KindsQuestion, categories, questions_by_kind};
pub use counting::{Question, Way, counting, questions};
pub use merging::merging;
pub use minimax::minimax;
