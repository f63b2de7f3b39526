//! Work on chess trees with any backend: perft, divide, statistics, distinct positions, suites, the best move by minimax, measurements of speed ([`mod@bench`]), and checks of
//! devices ([`selfcheck`]).
//!
//! All work starts from a [`Frontier`], a list of positions with multiplicities. A [`Backend`](kogge_board::Backend) gets
//! each batch of trees in one call. Totals are `u128` and exact: a count that cannot be finished is an [`Error`], never a
//! partial number. The library prints nothing; an [`Observer`] receives its progress and can stop it.
//!
//! [`Driver::perft`] counts every leaf. [`Driver::perft_merged`] makes the plies of a tree one after the other, within a given
//! memory, and merges as many plies as pays off. It stores each distinct position once, with the number of paths to it.
//! [`Driver::stats`] and, with [`Quantity::Categories`], [`Driver::perft_merged`] count leaves by the kinds of moves that lead to
//! them. [`Driver::unique`] counts the distinct positions of each ply. [`Driver::estimate`] estimates counts that are too large. A
//! [`RangeCounter`] counts single ranges of a ply, for work that is divided among devices and machines.
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
//! let ply = driver.unique(&start, 3, 1 << 28, true)?[3];
//! assert_eq!((ply.positions, ply.once, ply.diagrams), (5362, 1862, Some(5362)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bench;
mod best;
mod calls;
mod divide;
mod division;
mod driver;
pub mod epd;
mod error;
mod estimate;
mod frontier;
mod merged;
mod moves;
mod observer;
mod plan;
pub mod selfcheck;
mod suite;
mod unique;

pub use best::Best;
pub use division::{Division, DivisionRequest, MergeDevice};
pub use driver::Driver;
pub use error::Error;
pub use estimate::{EstimateSettings, LeafEstimate};
pub use frontier::Frontier;
pub use merged::{MergeCosts, MergeSettings, MergedCount, Quantity, RangeCount, RangeCounter, RangePlies};
pub use moves::legal_moves;
pub use observer::{Observer, Progress};
pub use plan::{Plan, PlannedPly};
pub use suite::{Caps, LineVerdict};
pub use unique::Distinct;

/// The greatest depth that the command line and suites accept. With only two moves per position, 128 plies already
/// exceed 128 bits.
pub const MAX_DEPTH: u32 = 128;

/// The least depth at which merging can pay off. In shallower trees, counting every leaf is faster.
pub const LEAST_MERGED_DEPTH: u32 = 5;
