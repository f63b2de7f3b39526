//! Chess positions: packed formats, FEN, moves, castling rules, evaluation, and the [`Backend`] trait.
//!
//! Every other crate of kogge builds on this one. It depends on no device, and only its packings are fast code.
//! [`Fen`] reads a position, [`Quad48`] is its form for computing, [`Circle32`] its form for storing and comparing, and
//! [`Position`] its unpacked form. An [`UndoMove`] takes a [`Move`] back.
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
//! # Contents
//!
//! | subject | items |
//! |---|---|
//! | text | [`Fen`], [`Move::from_uci`], [`Move::from_san`] |
//! | legality | [`Position::check`], [`Rules`] |
//! | packed bytes | [`Format`] (with a table of all formats), [`PackedPosition`] |
//! | a new backend | [`Backend`], [`merge`], [`host`], [`self_test`]; for GPUs, the crate `kogge-gpu` |
//! | published counts | [`known`] |
//! | random positions, and comparing backends on them | [`placements`], [`soak`] |
//! | kinds of moves | [`Categories`] |
//! | the value of a position | [`evaluate`], [`minimax`], [`Score`] |
//! | bitboards | [`attacks`], [`bits`] |

pub mod attacks;
pub mod backend;
pub mod bits;
mod categories;
mod circle32;
mod error;
pub mod evaluation;
mod fen;
mod fills;
mod five42;
mod format;
pub mod host;
pub mod known;
pub mod merge;
mod moves;
mod notation;
mod pace;
mod packed;
mod pieces;
pub mod placements;
mod planes32;
mod position;
mod quad48;
mod random;
mod result;
mod rules;
mod score;
pub mod self_test;
pub mod soak;
mod square;
mod state;
mod undo;
pub mod zobrist;

pub use backend::{Backend, DeviceInfo, DeviceKind, Successors, Tally, Watch, report, unwatched};
pub use categories::Categories;
pub use circle32::Circle32;
pub use error::{BackendError, check_depth};
pub use evaluation::minimax::Leaves;
pub use evaluation::{evaluate, minimax};
#[doc(hidden)]
pub use fen::quote;
pub use fen::{Fen, FenError, START};
pub use five42::Five42;
pub use format::FormatError;
pub use moves::{Move, MoveKind};
pub use notation::MoveError;
pub use pace::Pace;
pub use packed::{Format, PackedPosition, UnpackError};
pub use pieces::{Pieces38, Pieces64};
pub use planes32::Planes32;
pub use position::{Position, PositionError};
pub use quad48::Quad48;
pub use random::Random;
pub use result::GameResult;
pub use rules::Rules;
pub use score::Score;
pub use square::{Color, Piece, Square};
pub use state::State;
pub use undo::UndoMove;
