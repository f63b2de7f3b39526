//! Chess positions, moves and trees: counts and searches, exactly, on CPUs and GPUs.
//!
//! ```
//! use kogge::{Game, Status};
//!
//! let mut game: Game = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse()?;
//! game.play_line(&["O-O", "h3g2"])?;
//! for legal in game.legal_moves() {
//!     println!("{} or {}", game.uci(legal), game.san(legal));
//! }
//! assert_eq!(game.status(), Status::Ongoing);
//! assert_eq!(kogge::perft(&game, 4)?, 4_681_551);
//! println!("{}", kogge::best(&game, 2)?.score);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The example [`tour`](https://docs.rs/crate/kogge/latest/source/examples/tour.rs) shows more.
//!
//! # Contents
//!
//! | subject | items |
//! |---|---|
//! | games | a [`Game`] has legal moves, a [`Status`], SAN, a hash, and takes moves back |
//! | games in PGN | [`pgn`] reads files of any size |
//! | positions | [`Fen`] reads and prints a [`Position`] with its [`Rules`]; [`Square`], [`Piece`], [`Color`] |
//! | moves | [`LegalMoves`] finds them, [`Position::play`] plays one |
//! | packed positions | [`Quad48`] for computing, [`Circle32`] for storing and comparing; [`Format`] has a table of all formats |
//! | one answer, on the best device | [`perft`], [`divide`], [`stats`], [`best`] |
//! | longer work, which can be watched and stopped | [`Driver`], over any [`Backend`] |
//! | devices | [`open`], [`Request`]; [`BACKENDS`] lists the backends, each with its [`BackendDevice`]s |
//! | memory and costs of merged plies | [`memory`], [`costs`] |
//! | published counts | [`known`] |
//! | everything else | [`board`], [`driver`] and [`movegen_cpu`], the crates that this one is made of |
//!
//! # Devices
//!
//! [`open`] opens the device that a [`Request`] names, or the one that finishes first: small work stays on the CPU.
//!
//! ```
//! use kogge::{BackendName, Driver, Fen, Request, open};
//!
//! let request = Request { backend: BackendName::Cpu, ..Request::default() };
//! let mut opened = open(&request, None)?;
//! let mut driver = Driver::new(&mut *opened.backend, &());
//! assert_eq!(driver.perft(&Fen::start(), 5)?, 4_865_609);
//! assert_eq!(driver.unique(&Fen::start(), 3, 1 << 28, false)?[3].positions, 5362);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! * `gpu`, on by default: GPUs, by `opencl` and `wgpu`, which can also be chosen alone.
//! * `ledger`: counts that take days, in the module `ledger`; `parquet` and `postgres` are its features.
//! * `search`: the search that plays, in the module `search`.
//! * `tuning`: the fastest options of GPUs, in the module `tuning`, and costs of merging that are kept for later runs; part of
//!   `opencl` and `wgpu`.
//! * `clap`: [`BackendName`] implements `clap::ValueEnum`, for command lines.
//! * `serde`: results implement `serde::Serialize`.

mod choice;
#[cfg_attr(not(feature = "tuning"), path = "no_costs.rs")]
pub mod costs;
mod counts;
mod device;
mod error;
mod estimate;
#[cfg(feature = "tuning")]
mod gpu;
mod lists;
pub mod memory;
mod name;
pub mod pgn;
#[cfg(target_os = "macos")]
mod sysctl;
mod table;
#[cfg(feature = "tuning")]
pub mod tuning;

#[cfg(feature = "ledger")]
pub use kogge_ledger as ledger;
#[cfg(feature = "search")]
pub use kogge_search as search;

pub use {kogge_board as board, kogge_driver as driver, kogge_movegen_cpu as movegen_cpu};

pub use kogge_board::{
    Backend, BackendError, Categories, Circle32, Color, DeviceInfo, DeviceKind, Fen, FenError, Five42, Format,
    FormatError, GameResult, Leaves, Move, MoveError, MoveKind, PackedPosition, Piece, Pieces38, Pieces64, Planes32,
    Position, PositionError, Quad48, Rules, Score, Square, State, Successors, Tally, UndoMove, UnpackError, Watch,
    evaluate, known, unwatched,
};
pub use kogge_driver::{
    Best, Distinct, Division, DivisionRequest, Driver, Error, EstimateSettings, LeafEstimate, MAX_DEPTH, MergeCosts,
    MergeDevice, MergeSettings, MergedCount, Observer, Plan, PlannedPly, Progress, Quantity,
};
pub use kogge_movegen_cpu::{Cpu, Game, LegalMoves, LineError, PieceMoves, Status};

pub use choice::{Estimator, open, preferred};
pub use counts::{LEAST_MERGED_SECONDS, best, divide, perft, stats};
pub use device::{BackendDevice, Listed, Request};
pub use error::{OpenError, TreeError};
pub use estimate::Estimate;
#[cfg(feature = "tuning")]
pub use gpu::GpuDevice;
pub use name::{BackendName, NamedDevice};
#[cfg(target_os = "macos")]
#[doc(hidden)]
pub use sysctl::sysctl;
pub use table::{BACKENDS, BackendKind, Opened, built_without, number_without_backend};
