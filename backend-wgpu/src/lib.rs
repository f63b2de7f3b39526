//! The wgpu backend: Vulkan, Metal and DX12.
//!
//! The kernels are in WGSL. Files and functions have the names of the OpenCL kernels. One source serves two
//! representations of a board, each defined by a prelude: a 64-bit integer, on devices that have them, and two 32-bit
//! integers, on every device, browsers included.
//!
//! [`Wgpu`] is the [`Backend`](kogge_board::Backend): the GPU host, `kogge-gpu`, over this crate's interface and kernels.
//! [`tune`](kogge_gpu::tuning::tune) finds the fastest [`GpuOptions`] of a device.
//!
//! ```no_run
//! use kogge_backend_wgpu::{GpuOptions, Wgpu, devices};
//! use kogge_board::{unwatched, Backend, Fen, Quad48};
//!
//! for device in devices()? {
//!     // This compiles the kernels and tests them; kogge uses no device that has counted wrong.
//!     let mut backend = Wgpu::on(&device, &GpuOptions::default())?;
//!     let start = Fen::start();
//!     let leaves = backend.perft(&start.rules, &[Quad48::from(&start.position)], 7, &mut unwatched)?;
//!     println!("{}: {leaves:?}", device.name);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A build for browsers has only the kernels and their settings; the page brings its own interface.
//!
//! [`measurements`] lists the measurements and the ideas that were tried.

/// A page of measurements.
#[cfg(doc)]
pub mod measurements {
    #![doc = include_str!("../MEASUREMENTS.md")]
}

#[cfg(not(target_family = "wasm"))]
mod adapters;
#[cfg(not(target_family = "wasm"))]
mod buffer;
#[cfg(not(target_family = "wasm"))]
mod clearing;
#[cfg(not(target_family = "wasm"))]
mod device;
#[cfg(not(target_family = "wasm"))]
mod interface;
mod kernels;
#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod memory;
mod options;
#[cfg(not(target_family = "wasm"))]
mod recording;
#[cfg(not(target_family = "wasm"))]
mod runtime;
#[cfg(not(target_family = "wasm"))]
mod timer;

#[cfg(not(target_family = "wasm"))]
pub use adapters::{WgpuDevice, devices};
#[cfg(not(target_family = "wasm"))]
pub use buffer::WgpuBuffer;
#[cfg(not(target_family = "wasm"))]
pub use device::{Wgpu, any_devices};
#[cfg(not(target_family = "wasm"))]
pub use interface::WgpuInterface;
pub use kernels::{SCALARS, SCALARS_BINDING, binding_of, fingerprint, source};
pub use kogge_gpu::GpuOptions;
pub use options::Properties;
