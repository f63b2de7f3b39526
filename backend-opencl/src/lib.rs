//! The OpenCL backend.
//!
//! kogge does not need OpenCL to build or to start. `ocl` links against a library named OpenCL; this crate's build
//! script makes a small static one (`shim/opencl.c`) that opens the system's library when it is first called. The
//! environment variable `KOGGE_OPENCL_LIBRARY` names another library to open, for instance one vendor's driver without
//! the loader in between. (macOS has OpenCL as part of the system; there the variable means nothing.)
//!
//! [`OpenCl`] is the [`Backend`](kogge_board::Backend). [`tune`](kogge_board::tuning::tune) finds the [`Options`] that are
//! fastest on a device.
//!
//! ```no_run
//! use kogge_backend_opencl::{Options, OpenCl, devices};
//! use kogge_board::{Backend, Fen, Quad48};
//!
//! for device in devices()? {
//!     // This compiles the kernels and tests them; kogge uses no device that has not counted right.
//!     let mut backend = OpenCl::on(&device, &Options::default())?;
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

mod backend;
mod buffers;
mod judging;
mod kernels;
mod magic;
mod merge;
#[cfg(test)]
mod mutants;
mod options;
pub mod platform;
mod profile;
mod runner;
mod runtime;
mod stages;
mod tables;
mod tuning;

pub use backend::{OpenCl, devices};
pub use options::{Options, Positions, Sliders, Traversal};
pub use profile::KernelTime;
