//! The table of backends.

use std::num::NonZeroUsize;

use kogge_board::{Backend, BackendError, DeviceKind};

use super::device::{Device, Listed, Request};
use super::{gpu, host};
use crate::args::BackendName;
use crate::outcome::Failure;

/// A backend of this binary.
pub(crate) struct Entry {
    pub(crate) name: BackendName,
    /// The kinds of devices that `auto` may choose.
    pub(super) automatic: &'static [DeviceKind],
    /// Whether the backend counts the last two plies in closed form as far as possible.
    pub(super) bulk: bool,
    /// Whether the backend can keep counts in a hash table.
    pub(super) hash: bool,
    pub(super) list: fn() -> Listed,
}

/// The kinds of a GPU interface's devices that `auto` may choose.
const GPUS: &[DeviceKind] = &[DeviceKind::DiscreteGpu, DeviceKind::IntegratedGpu];

/// The kinds of devices that `auto` chooses, best first. Software devices, the CPUs behind GPU interfaces, are slower
/// than the CPU backend and are used only by name.
pub(super) const PREFERRED: [DeviceKind; 3] = [DeviceKind::DiscreteGpu, DeviceKind::IntegratedGpu, DeviceKind::Cpu];

/// All backends. Among devices of one kind, `auto` takes the first one that works, in this order: a GPU that both OpenCL and
/// wgpu offer is used through OpenCL.
pub(crate) const BACKENDS: &[Entry] = &[
    Entry { name: BackendName::Opencl, automatic: GPUS, bulk: true, hash: false, list: gpu::opencl },
    Entry { name: BackendName::Wgpu, automatic: GPUS, bulk: true, hash: false, list: gpu::wgpu },
    Entry { name: BackendName::Cpu, automatic: &[DeviceKind::Cpu], bulk: true, hash: true, list: host::cpu },
    Entry { name: BackendName::Mailbox, automatic: &[], bulk: false, hash: false, list: host::mailbox },
];

/// A backend, ready to work.
pub(crate) struct Opened {
    pub(crate) backend: Box<dyn Backend>,
    /// Whether it counts the last two plies in closed form as far as possible.
    pub(crate) bulk: bool,
    /// The size of its hash table in bytes.
    pub(crate) hash: Option<NonZeroUsize>,
    /// Why `auto` tried GPUs or did not, if the work could be estimated.
    pub(crate) chosen: Option<String>,
    /// The reasons why `auto` could not use devices that it prefers.
    pub(crate) refused: Vec<String>,
}

impl Opened {
    /// Wraps a device that a list named.
    pub(crate) fn listed(backend: Box<dyn Backend>) -> Self {
        let entry = BACKENDS.iter().find(|entry| entry.name.name() == backend.info().backend);
        let bulk = entry.is_some_and(|entry| entry.bulk);
        Self { backend, bulk, hash: None, chosen: None, refused: Vec::new() }
    }
}

impl Entry {
    /// Whether this is a GPU interface.
    pub(crate) fn is_gpu(&self) -> bool {
        self.automatic.contains(&DeviceKind::DiscreteGpu)
    }

    /// Lists the devices, numbered from 0.
    ///
    /// # Errors
    /// If there are none, with the reason.
    pub(crate) fn devices(&self) -> Listed {
        (self.list)()
    }

    /// Opens the device with the requested number, or the best one.
    pub(crate) fn open(&self, request: &Request) -> Result<Opened, Failure> {
        if request.hash.is_some() && !self.hash {
            return Err(Failure::Input(format!(
                "The {} backend has no hash table; leave --hash out, or choose the cpu backend.",
                self.name.name()
            )));
        }
        let devices = self.devices()?;
        let device = &devices[pick(&devices, self.name, request.device)?];
        Ok(self.opened(device.open(request)?, request))
    }

    /// Wraps an open device of this backend.
    pub(super) fn opened(&self, backend: Box<dyn Backend>, request: &Request) -> Opened {
        Opened { backend, bulk: self.bulk, hash: request.hash, chosen: None, refused: Vec::new() }
    }
}

/// Returns the index of the device with this number. Without a number, returns the index of the best usable device, or
/// 0 if none is usable.
pub(super) fn pick(devices: &[Box<dyn Device>], name: BackendName, number: Option<usize>) -> Result<usize, Failure> {
    let best = |kind| devices.iter().position(|device| device.kind() == kind && device.is_usable());
    let (name, count) = (name.name(), devices.len());
    match number.or_else(|| PREFERRED.into_iter().find_map(best)).unwrap_or(0) {
        index if index < count => Ok(index),
        index if number.is_some() => Err(Failure::Input(format!(
            "There is no device {index} of the {name} backend; it has {count}, numbered from 0. \"kogge devices\" lists them."
        ))),
        _ => Err(BackendError::Unavailable { backend: name, reason: "it has no device.".to_owned() }.into()),
    }
}

/// Returns the failure for a device number without a backend.
pub(super) fn number_without_backend() -> Failure {
    Failure::Input(
        "A device number has a meaning only together with its backend; give --backend as well as --device.".to_owned(),
    )
}
