//! The devices of all backends: lists them, chooses one, and opens it. Programs get their backends from here.
//!
//! [`BACKENDS`] lists the backends, each with its [`BackendDevice`]s; only `gpu.rs` knows the libraries of the GPU interfaces.
//! [`open`] opens the device that a [`Request`] names or that `auto` chooses for an [`Estimate`] of the work. [`memory`]
//! returns the memory that merged plies may take on a device, and [`costs`] stores the measured costs of merging.
//!
//! ```
//! use kogge_board::{unwatched, Fen, Quad48};
//! use kogge_devices::{BackendName, Request, open};
//!
//! let request = Request { backend: BackendName::Cpu, ..Request::default() };
//! let mut opened = open(&request, None)?;
//! let start = Fen::start();
//! assert_eq!(opened.backend.perft(&start.rules, &[Quad48::from(&start.position)], 1, &mut unwatched)?, [20]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! * `clap`: [`BackendName`] implements `clap::ValueEnum`, for command lines.

mod choice;
pub mod costs;
mod device;
mod error;
mod estimate;
mod gpu;
mod host;
pub mod memory;
mod name;
mod table;

pub use choice::{Estimator, open, preferred, tunable};
pub use device::{BackendDevice, Listed, Profile, Request, Tunable, Tuned};
pub use error::OpenError;
pub use estimate::Estimate;
pub use name::{BackendName, NamedDevice};
pub use table::{BACKENDS, BackendKind, Opened, number_without_backend};
