//! What a chess position is: packed formats, FEN, moves, castling rules, and the [`Backend`] trait.
//!
//! This crate is the ground floor of kogge. It depends on no device and holds no fast code but the
//! packings: positions go in as [`Fen`], are computed on as [`Quad48`], stored and compared as
//! [`Circle32`], and come back as [`Position`]. Moves are [`Move`]s; [`UndoMove`] takes them back.
//!
//! ```
//! use kogge_board::{Fen, Move, Quad48};
//!
//! let fen: Fen = "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1".parse()?;
//! assert_eq!(fen.to_string(), "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1");
//! assert_eq!(fen.position.state.en_passant_file(), Some(3));
//! let packed = Quad48::from(&fen.position);
//! assert_eq!(packed.unpack(&fen.rules)?, fen.position);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
//!
//! | for | look at |
//! |---|---|
//! | text | [`Fen`], [`Move::from_uci`], [`Move::from_san`] |
//! | what is legal | [`Position::check`], [`Rules`] |
//! | packed bytes | [`Format`], which has a table of them, and [`Packed`] |
//! | a new backend | [`Backend`], [`breadth_first`] for GPUs, [`merge`], [`self_test`] |
//! | published counts | [`known`], the six standard positions |
//! | what a position is worth | [`evaluate`], [`minimax`], [`Score`] |
//! | bitboards | [`attacks`], [`bits`], [`zobrist`] |
//!
//! # Features
//!
//! None is on by default.
//!
//! * `tuning`: finds the fastest options of a device and keeps them in a file (the module `tuning`); brings in what reads
//!   and writes JSON.
//! * `testing`: what tests of a generator need: random legal positions (`testing`), the suite that every backend must pass
//!   (`conformance`), long comparisons (`soak`), and backends that are wrong on purpose (`buggy`); brings in `proptest`.

pub mod attacks;
pub mod backend;
pub mod bits;
pub mod breadth_first;
#[cfg(feature = "testing")]
pub mod buggy;
mod circle32;
#[cfg(feature = "testing")]
pub mod conformance;
pub mod evaluation;
mod fen;
mod five42;
mod format;
pub mod known;
mod list_move;
pub mod merge;
pub mod minimax;
mod moves;
mod notation;
mod pieces;
mod planes32;
mod position;
mod quad48;
mod rules;
mod score;
mod self_test;
#[cfg(feature = "testing")]
pub mod soak;
mod square;
mod state;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "tuning")]
pub mod tuning;
mod undo;
pub mod zobrist;

pub use backend::{Backend, BackendError, DeviceInfo, DeviceKind, Successors};
pub use circle32::Circle32;
pub use evaluation::evaluate;
pub use fen::{Fen, FenError, START};
pub use five42::Five42;
pub use format::{Format, FormatError, Packed, UnpackError};
pub use list_move::ListMove;
pub use minimax::Leaves;
pub use moves::{Move, MoveKind};
pub use notation::MoveError;
pub use pieces::{Pieces38, Pieces64};
pub use planes32::Planes32;
pub use position::{Position, PositionError};
pub use quad48::Quad48;
pub use rules::Rules;
pub use score::Score;
pub use self_test::self_test;
pub use square::{Color, Piece, Square};
pub use state::State;
pub use undo::UndoMove;
