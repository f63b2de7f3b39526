//! The wgpu backend: Vulkan, Metal and DX12.
//!
//! The kernels are in WGSL, file by file and name by name those of `kogge-backend-opencl`, and in the words of the
//! reference, `kogge-movegen-cpu`. There is one source for two forms of a board, which a prelude each defines: a 64-bit
//! integer, where the device has them, and two 32-bit integers, which every device has, browsers included.
//!
//! [`Wgpu`] is the [`Backend`](kogge_board::Backend). [`tune`](kogge_board::tuning::tune) finds the [`Options`] that are
//! fastest on a device.
//!
//! ```no_run
//! use kogge_backend_wgpu::{Options, Wgpu, devices};
//! use kogge_board::{Backend, Fen, Quad48};
//!
//! for device in devices()? {
//!     // This compiles the kernels and tests them; kogge uses no device that has not counted right.
//!     let mut backend = Wgpu::on(&device, &Options::default())?;
//!     let start = Fen::start();
//!     let leaves = backend.perft(&start.rules, &[Quad48::from(&start.position)], 7)?;
//!     println!("{}: {leaves:?}", device.name);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How fast it is, and what was tried: [`measurements`].

/// Not code, but a page.
#[cfg(doc)]
pub mod measurements {
    #![doc = include_str!("../MEASUREMENTS.md")]
}

mod adapters;
mod backend;
mod buffers;
mod judging;
mod kernels;
mod merge;
mod options;
mod profile;
mod runner;
mod runtime;
mod stages;
mod tuning;

pub use adapters::{Device, devices};
pub use backend::Wgpu;
pub use options::{Options, Sliders, Word};
pub use profile::{KernelTime, Opening};
