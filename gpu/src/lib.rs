//! The host of every GPU interface.
//!
//! A GPU counts breadth first, in parts (`counting.rs`), merges equal positions (`merging.rs`), and searches
//! (`minimax.rs`). The host plans this work, splits it to fit the device's memory, and launches kernels. It is written
//! once, over the small trait [`Interface`]: make, write, read and clear a buffer, compile, launch. OpenCL and wgpu
//! implement this trait, each with the same kernels in its own language; [`kernels`] has the table of all kernels.
//!
//! | for | look at |
//! |---|---|
//! | a backend | [`Gpu`], over a [`Device`]; [`AnyDevice`] is a device of any interface |
//! | a new interface | [`Device`], [`Interface`], [`kernels`] |
//! | options | [`GpuOptions`], [`Parameter`], [`GpuSettings`] |
//! | the fastest options of a device | [`tuning`] |
//! | measurements | [`KernelTime`], [`Opening`] |
//!
//! The host is asynchronous, because a browser cannot wait for its device; only `blocking.rs` makes a thread wait. Callers
//! that cannot wait use `awaiting.rs`.
//! Before a device counts, merges or searches, it must pass the [self-test](kogge_board::self_test) of this work.

// A page only counts; the callers of merging and minimax are in `blocking.rs`, which is left out.
#![cfg_attr(target_family = "wasm", allow(dead_code))]

#[cfg(not(target_family = "wasm"))]
mod any;
mod arguments;
mod awaiting;
#[cfg(not(target_family = "wasm"))]
mod blocking;
mod buffer;
mod categories;
mod counting;
mod device;
mod expansion;
pub mod interface;
pub mod kernels;
mod levels;
pub mod lines;
mod lists;
mod merging;
mod minimax;
mod parameters;
mod parts;
mod profile;
mod runner;
mod session;
mod settings;
pub mod source;
mod spare;
pub mod tuning;
mod variants;
mod watching;

#[cfg(not(target_family = "wasm"))]
pub use any::{AnyDevice, Profile};
pub use device::{Device, Gpu};
pub use interface::{Failure, Interface};
pub use parameters::{Parameter, Values};
pub use profile::{KernelTime, Opening};
pub use settings::{
    Capabilities, GpuOptions, GpuSettings, Mutation, REACHED_ONCE, Runs, Unordered, WEIGHTED_SUMS_GROUP,
    WEIGHTED_SUMS_GROUPS,
};
pub use variants::Variants;

/// An upper bound of the legal moves of a position: fifteen queens with 27 moves each and a king with ten have 415.
pub const MOST_MOVES: u32 = 512;

/// Returns how a capture, and the capture of a pawn by a pawn, changes the number of replies that the closed form counts.
///
/// The kernels that distinguish the kinds of moves use the same code to count moves. There, a capture adds 2^16, so that moves
/// and captures fit in one word.
pub const fn capture_changes(classifying: bool) -> [u32; 2] {
    if classifying { [1 << 16, 0] } else { [7, 1] }
}
