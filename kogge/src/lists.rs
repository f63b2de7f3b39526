//! The devices of each backend. The CPU backend and the mailbox always exist, with one device each.

use std::num::NonZeroUsize;

use kogge_board::DeviceKind;
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

use crate::device::{BackendDevice, Listed};

/// Lists the devices of a backend; `None` if this build does not have the backend.
pub(crate) type List = Option<fn() -> Listed>;

pub(crate) const CPU: List = Some(|| {
    let open = |request: &crate::Request| {
        let threads = request.threads.map(NonZeroUsize::get);
        let mut cpu = match request.variant {
            Some(name) => Cpu::with_variant(threads, name)?,
            None => Cpu::new(threads)?,
        };
        cpu.set_hash(request.hash.map_or(0, NonZeroUsize::get))?;
        Ok(Box::new(cpu) as _)
    };
    Ok(vec![BackendDevice::Host { kind: DeviceKind::Cpu, open }])
});

pub(crate) const MAILBOX: List =
    Some(|| Ok(vec![BackendDevice::Host { kind: DeviceKind::Cpu, open: |_| Ok(Box::new(Mailbox::new())) }]));

#[cfg(not(feature = "opencl"))]
pub(crate) const OPENCL: List = None;
#[cfg(feature = "opencl")]
pub(crate) const OPENCL: List = Some(|| {
    Ok(kogge_backend_opencl::any_devices()?
        .into_iter()
        .map(|device| BackendDevice::Gpu(crate::GpuDevice(device)))
        .collect())
});

#[cfg(not(feature = "wgpu"))]
pub(crate) const WGPU: List = None;
#[cfg(feature = "wgpu")]
pub(crate) const WGPU: List = Some(|| {
    Ok(kogge_backend_wgpu::any_devices()?
        .into_iter()
        .map(|device| BackendDevice::Gpu(crate::GpuDevice(device)))
        .collect())
});
