//! Work on chess trees that any backend can do: perft, divide, statistics, distinct positions,
//! suites, and comparing two backends.
//!
//! Everything starts from a [`Frontier`], a list of positions with multiplicities, and is shared out
//! to a [`Backend`](kogge_board::Backend) in pieces that last a fraction of a second. Totals are
//! `u128` and exact: what cannot be counted to the end is an [`Error`], never a partial number. The
//! library prints nothing; an [`Observer`] hears how far the work is and can stop it.

mod attacks;
mod divide;
mod driver;
mod engine;
mod error;
mod frontier;
mod moves;
mod observer;
mod pace;
mod stats;
mod unique;
mod walk;

pub use driver::Driver;
pub use engine::EngineError;
pub use error::Error;
pub use frontier::Frontier;
pub use moves::legal_moves;
pub use observer::{Observer, Progress};
pub use stats::Stats;
