//! The search that plays: it finds the best move within the given time.
//!
//! [`kogge_board::minimax`] searches every line. This search is selective: alpha-beta with iterative deepening, on all
//! cores. [`Searcher`] searches a [`Game`] within [`Limits`].
//!
//! ```
//! use kogge_search::{Game, Limits, Searcher, Signals};
//!
//! let game: Game = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1".parse()?;
//! let mut searcher = Searcher::new()?;
//! let limits = Limits { depth: Some(4), ..Limits::default() };
//! let found = searcher.search(&game, &limits, &Signals::default(), &mut |_| ());
//! assert_eq!(found.score.to_string(), "mate in 1");
//! assert_eq!(game.san(found.line[0]), "Ra8#");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Positions come from the table-free generator of `kogge-movegen-cpu`, which writes all successors of
//! a position at once. Moves are not made and unmade: a move is the index of its successor.

mod corrections;
mod exchange;
mod limits;
mod order;
mod root;
mod searcher;
mod table;
pub mod uci;
mod worker;

pub use kogge_movegen_cpu::Game;
pub use limits::{Clock, Limits, Signals};
pub use searcher::{Info, SearchResult, Searcher};
