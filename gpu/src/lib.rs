//! The host of every GPU interface.
//!
//! A GPU counts breadth first, in parts (`counting.rs`), merges equal positions (`merging.rs`), and searches
//! (`minimax.rs`). The host plans this work, splits it to fit the device's memory, and launches kernels. It is written
//! once, over the small trait [`Interface`]: make, write, read and clear a buffer, compile, launch. OpenCL and wgpu
//! implement this trait, each with the same kernels in its own language; [`kernels`] has the table of all kernels.
//!
//! | for | look at |
//! |---|---|
//! | a backend | [`Gpu`], over a [`Device`] |
//! | a new interface | [`Device`], [`Interface`], [`kernels`] |
//! | options | [`HostOptions`], [`HostSettings`] |
//! | the fastest options of a device | [`tuning`] |
//! | measurements | [`KernelTime`], [`Opening`] |
//!
//! The host is asynchronous, because a browser cannot wait for its device; only `blocking.rs` makes a thread wait.
//! Before a device counts, merges or searches, it must pass the [self-test](kogge_board::self_test) of this work.

mod arguments;
mod blocking;
mod buffer;
mod counting;
mod device;
mod families;
pub mod interface;
pub mod kernels;
mod levels;
pub mod lines;
mod lists;
mod merging;
mod minimax;
mod parts;
mod profile;
mod range_scalars;
mod runner;
mod session;
mod settings;
mod stages;
pub mod tuning;
mod variants;
mod watching;

pub use device::{Device, Gpu};
pub use interface::{Failure, Interface};
pub use profile::{KernelTime, Opening};
pub use settings::{
    Defaults, HostOptions, HostSettings, LastPlies, Limits, Mutation, PositionForm, Unordered, WEIGHTED_SUMS_GROUP,
};

/// An upper bound of the legal moves of a position: fifteen queens with 27 moves each and a king with ten have 415.
pub const MOST_MOVES: u32 = 512;

/// The maximum number of plies that a kernel counts depth first. The leaves below a position then fit in its total.
pub const MOST_LAST_PLIES: u32 = 6;
