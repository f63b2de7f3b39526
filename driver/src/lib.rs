//! Work on chess trees that any backend can do: perft, divide, statistics, distinct positions,
//! suites, comparing two backends, the best move by minimax, and how fast all of it is ([`mod@bench`]).
//!
//! Everything starts from a [`Frontier`], a list of positions with multiplicities, and is shared out
//! to a [`Backend`](kogge_board::Backend) in pieces that last a fraction of a second. Totals are
//! `u128` and exact: what cannot be counted to the end is an [`Error`], never a partial number. The
//! library prints nothing; an [`Observer`] hears how far the work is and can stop it.
//!
//! [`Driver::perft`] counts every leaf. [`Driver::perft_merged`] makes a tree's plies one after the other, each position
//! once with the number of paths to it, in a given memory and as far as it pays; [`Driver::unique`] counts such plies.
//!
//! ```
//! use kogge_board::Fen;
//! use kogge_driver::{Driver, MergeSettings};
//! use kogge_movegen_cpu::Cpu;
//!
//! let mut cpu = Cpu::new(None)?;
//! let mut driver = Driver::new(&mut cpu, &());
//! let start = Fen::start();
//! assert_eq!(driver.perft(&start, 5)?, 4_865_609);
//! assert_eq!(driver.perft_merged(&start, 6, &MergeSettings::with_memory(1 << 28))?.leaves, 119_060_324);
//! assert_eq!(driver.unique(&start, 3, 1 << 28)?, [1, 20, 400, 5362]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! * `ledger`, on by default: counts that take weeks, in SQLite files and PostgreSQL databases (the module `ledger`).
//!   Without it, neither database is built.

mod attacks;
pub mod bench;
mod best;
mod diff;
mod divide;
mod driver;
mod engine;
pub mod epd;
mod error;
mod frontier;
#[cfg(feature = "ledger")]
pub mod ledger;
mod merged;
mod moves;
mod observer;
mod pace;
mod plan;
mod stats;
mod suite;
mod unique;
mod walk;

pub use best::Best;
pub use diff::{Diff, Difference, Divider};
pub use driver::Driver;
pub use engine::{Engine, EngineError};
pub use error::Error;
pub use frontier::Frontier;
pub use merged::{MergeSettings, Merged};
pub use moves::{LineError, legal_moves, play_line};
pub use observer::{Observer, Progress};
pub use plan::{Plan, PlannedPly};
pub use stats::Stats;
pub use suite::{Caps, Verdict};

/// The greatest depth that the command line and suites accept. With only two moves a position, 128
/// plies already exceed what 128 bits hold.
pub const MAX_DEPTH: u32 = 128;

/// Trees of fewer plies are counted leaf by leaf sooner than anything can be merged.
pub const LEAST_MERGED_DEPTH: u32 = 5;
