//! The OpenCL backend.
//!
//! kogge does not need OpenCL to build or to start. `ocl` links against a library named OpenCL; this crate's build
//! script makes a small static one (`shim/opencl.c`) that opens the system's library when it is first called. The
//! environment variable `KOGGE_OPENCL_LIBRARY` names another library to open, for instance one vendor's driver without
//! the loader in between. (macOS has OpenCL as part of the system; there the variable means nothing.)
//!
//! [`OpenCl`] is the [`Backend`](kogge_board::Backend). [`tune`](kogge_board::tuning::tune) finds the [`Options`] that are
//! fastest on a device.
#![doc = include_str!("../MEASUREMENTS.md")]

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
