//! Counting through WebGPU: the browser's device under the GPU host, with the kernels of the wgpu backend in words of 32 bits.

mod bindings;
mod device;
mod interface;

pub use bindings::{GpuCounter, stop};
pub use device::BrowserGpu;
pub use interface::WebGpu;
