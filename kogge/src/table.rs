//! The table of backends.

use std::num::NonZeroUsize;
use std::time::Duration;

use kogge_board::{Backend, BackendError, DeviceKind};

use crate::device::{BackendDevice, Listed, Request};
use crate::error::OpenError;
use crate::lists::{self, List};
use crate::name::BackendName;

/// A backend.
pub struct BackendKind {
    /// Its name.
    pub name: BackendName,
    /// The kinds of devices that `auto` may choose.
    pub(crate) automatic: &'static [DeviceKind],
    /// Whether the backend counts the last two plies in closed form as far as possible.
    pub(crate) bulk: bool,
    /// Whether the backend can keep counts in a hash table.
    pub(crate) hash: bool,
    pub(crate) list: List,
}

/// The kinds of a GPU interface's devices that `auto` may choose.
const GPUS: &[DeviceKind] = &[DeviceKind::DiscreteGpu, DeviceKind::IntegratedGpu];

/// The kinds of devices that `auto` chooses, best first. Software devices (CPUs behind GPU interfaces) are slower than
/// the CPU backend and are used only if the user names one.
pub(crate) const PREFERRED: [DeviceKind; 3] = [DeviceKind::DiscreteGpu, DeviceKind::IntegratedGpu, DeviceKind::Cpu];

/// All backends. Among devices of one kind, `auto` takes the first one that works, in this order: a GPU that both OpenCL and
/// wgpu offer is used through OpenCL.
pub const BACKENDS: &[BackendKind] = &[
    BackendKind { name: BackendName::Opencl, automatic: GPUS, bulk: true, hash: false, list: lists::OPENCL },
    BackendKind { name: BackendName::Wgpu, automatic: GPUS, bulk: true, hash: false, list: lists::WGPU },
    BackendKind { name: BackendName::Cpu, automatic: &[DeviceKind::Cpu], bulk: true, hash: true, list: lists::CPU },
    BackendKind { name: BackendName::Mailbox, automatic: &[], bulk: false, hash: false, list: lists::MAILBOX },
];

/// A backend, ready to work.
pub struct Opened {
    /// The open device.
    pub backend: Box<dyn Backend>,
    /// Whether it counts the last two plies in closed form as far as possible.
    pub bulk: bool,
    /// The size of the backend's hash table in bytes.
    pub hash: Option<NonZeroUsize>,
    /// The options of a GPU, as in [`Request::variant`].
    pub options: Option<&'static str>,
    /// The reason why `auto` tried GPUs or did not, if the work could be estimated.
    pub chosen: Option<String>,
    /// Sentences for the user: why `auto` could not use a better device, or that a software device is used although there
    /// are GPUs.
    pub notes: Vec<String>,
    /// The time that it took to choose and to open the device, with the compilation of its kernels.
    pub opening: Duration,
}

impl Opened {
    /// Wraps a device of a backend's list.
    ///
    /// ```
    /// use kogge::{Cpu, Opened};
    /// let opened = Opened::listed(Box::new(Cpu::new(None)?));
    /// assert!(opened.bulk, "the CPU backend counts the last two plies in closed form");
    /// # Ok::<(), kogge::BackendError>(())
    /// ```
    pub fn listed(backend: Box<dyn Backend>) -> Self {
        let entry = BACKENDS.iter().find(|entry| entry.name.name() == backend.info().backend);
        let bulk = entry.is_some_and(|entry| entry.bulk);
        Self { backend, bulk, hash: None, options: None, chosen: None, notes: Vec::new(), opening: Duration::ZERO }
    }
}

impl BackendKind {
    /// Whether this is a GPU interface.
    ///
    /// ```
    /// use kogge::{BACKENDS, BackendName};
    /// let gpus = BACKENDS.iter().filter(|backend| backend.is_gpu()).map(|backend| backend.name);
    /// assert!(gpus.eq([BackendName::Opencl, BackendName::Wgpu]));
    /// ```
    pub fn is_gpu(&self) -> bool {
        self.automatic.contains(&DeviceKind::DiscreteGpu)
    }

    /// Lists the devices, numbered from 0.
    ///
    /// ```no_run
    /// for backend in kogge::BACKENDS {
    ///     match backend.devices() {
    ///         Ok(devices) => println!("{}: {} devices", backend.name.name(), devices.len()),
    ///         Err(reason) => println!("{reason}"),
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// If the backend has no devices, or if this build lacks it, with the reason.
    pub fn devices(&self) -> Listed {
        self.list.ok_or_else(|| absent(self.name))?()
    }

    /// Opens the device with the requested number, or the best one.
    ///
    /// ```
    /// use std::num::NonZeroUsize;
    /// use kogge::{BACKENDS, BackendName, OpenError, Request};
    /// let request = Request { hash: NonZeroUsize::new(1 << 20), ..Request::default() };
    /// for backend in BACKENDS.iter().filter(|backend| backend.name != BackendName::Cpu) {
    ///     assert!(matches!(backend.open(&request), Err(OpenError::Request(_))), "only the CPU backend has a hash table");
    /// }
    /// ```
    pub fn open(&self, request: &Request) -> Result<Opened, OpenError> {
        if request.hash.is_some() && !self.hash {
            return Err(OpenError::Request(format!(
                "The {} backend has no hash table; leave --hash out, or choose the cpu backend.",
                self.name.name()
            )));
        }
        let devices = self.devices()?;
        let device = &devices[pick(&devices, self.name, request.device)?];
        let opened = self.opened(device.open(request)?, request);
        let notes = request.device.and_then(|_| beside_gpus(&devices, device, self.name)).into_iter().collect();
        Ok(Opened { notes, ..opened })
    }

    /// Wraps an open device of this backend.
    pub(crate) fn opened(&self, backend: Box<dyn Backend>, request: &Request) -> Opened {
        let options = request.variant.filter(|_| self.is_gpu());
        Opened { bulk: self.bulk, hash: request.hash, options, ..Opened::listed(backend) }
    }
}

/// Returns the error for a backend that this build lacks.
pub(crate) fn absent(name: BackendName) -> BackendError {
    let backend = name.name();
    // Built again with the feature, a static program would still find no driver.
    let reason = match cfg!(all(target_env = "musl", target_feature = "crt-static")) {
        true => "this kogge is a static program, which cannot open the driver of a GPU and counts on the CPU only; use the archive \
                 for linux-gnu, or build kogge for a target with glibc."
            .to_owned(),
        false => format!("this {}", built_without("it", backend)),
    };
    BackendError::Unavailable { backend, reason }
}

/// Returns the end of a sentence about something that this build lacks, after "This": how to get it.
#[doc(hidden)]
pub fn built_without(what: &str, feature: &str) -> String {
    format!(
        "kogge was built without {what}; build it with Cargo's feature \"{feature}\" (cargo build --release --features {feature}), or \
         use a kogge from an archive, which has all features."
    )
}

/// Returns a warning if the device that the user has chosen runs on the CPU although its backend has GPUs.
fn beside_gpus(devices: &[BackendDevice], chosen: &BackendDevice, name: BackendName) -> Option<String> {
    let is_gpu = |kind| matches!(kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu);
    let gpu = devices.iter().position(|device| is_gpu(device.kind()) && device.is_usable())?;
    let name = name.name();
    (chosen.kind() == DeviceKind::Software).then(|| {
        format!(
            "The chosen device is software, which emulates a GPU on the CPU and is slower than the cpu backend; device {gpu} of the \
             {name} backend is a GPU (--device {name}:{gpu})."
        )
    })
}

/// Returns the index of the device with this number. Without a number, returns the index of the best usable device, or
/// 0 if none is usable.
pub(crate) fn pick(devices: &[BackendDevice], name: BackendName, number: Option<usize>) -> Result<usize, OpenError> {
    let best = |kind| devices.iter().position(|device| device.kind() == kind && device.is_usable());
    let (name, count) = (name.name(), devices.len());
    match number.or_else(|| PREFERRED.into_iter().find_map(best)).unwrap_or(0) {
        index if index < count => Ok(index),
        index if number.is_some() => Err(OpenError::Request(format!(
            "There is no device {index} of the {name} backend; it has {count}, numbered from 0. \"kogge devices\" lists them."
        ))),
        _ => Err(BackendError::Unavailable { backend: name, reason: "it has no device.".to_owned() }.into()),
    }
}

/// Returns the error for a device number without a backend.
#[doc(hidden)]
pub fn number_without_backend() -> OpenError {
    OpenError::Request(
        "A device number has a meaning only together with its backend; name both, such as --device opencl:1."
            .to_owned(),
    )
}
