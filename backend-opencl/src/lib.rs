//! The OpenCL backend.
//!
//! kogge needs no OpenCL to build or to start. `ocl` links against a library named OpenCL; this crate's build script
//! makes a small static library of this name (`shim/opencl.c`), which opens the system's library at the first call. The
//! environment variable `KOGGE_OPENCL_LIBRARY` names another library to open, for instance one vendor's driver without
//! the loader. (On macOS, OpenCL is part of the system, and the variable is ignored.)
//!
//! [`OpenCl`] is the [`Backend`](kogge_board::Backend): the GPU host, `kogge-gpu`, over this crate's interface and kernels.
//! [`tune`](kogge_gpu::tuning::tune) finds the fastest [`GpuOptions`] of a device.
//!
//! ```no_run
//! use kogge_backend_opencl::{GpuOptions, OpenCl, devices};
//! use kogge_board::{unwatched, Backend, Fen, Quad48};
//!
//! for device in devices()? {
//!     // This compiles the kernels and tests them; kogge uses no device that has counted wrong.
//!     let mut backend = OpenCl::on(&device, &GpuOptions::default())?;
//!     let start = Fen::start();
//!     let leaves = backend.perft(&start.rules, &[Quad48::from(&start.position)], 7, &mut unwatched)?;
//!     println!("{}: {leaves:?}", device.name);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`measurements`] has the measurements and the ideas that were tried.

/// A page of measurements.
#[cfg(doc)]
pub mod measurements {
    #![doc = include_str!("../MEASUREMENTS.md")]
}

mod device;
mod interface;
mod kernels;
mod opencl_c;
pub mod platform;
mod runtime;
mod variants;

pub use device::{OpenCl, any_devices, devices};
pub use interface::OpenClInterface;
pub use kogge_gpu::GpuOptions;
pub use platform::OpenClDevice;
pub use runtime::OpenClBuffer;
