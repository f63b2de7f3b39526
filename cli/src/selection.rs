//! The devices that `--backend` and `--device` select: one for most commands, several for some.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use kogge::{BACKENDS, Backend, BackendKind, BackendName, DeviceKind, NamedDevice, OpenError, Opened, Request, open};

use crate::args::{Common, Devices};
use crate::outcome::Failure;

/// The devices that `--backend` and `--device` select.
pub(crate) enum Selection {
    /// One device, which must be usable.
    One(Request),
    /// These devices, at least two, which must all be usable.
    Named(Vec<Request>),
    /// All usable devices of one backend.
    AllOf(&'static BackendKind, Request),
    /// All usable devices.
    All(Request),
}

impl Selection {
    /// Reads the selection from the arguments.
    ///
    /// # Errors
    /// If the arguments contradict each other.
    pub(crate) fn new(common: &Common) -> Result<Self, Failure> {
        let request = Self::any(common);
        let of = |&NamedDevice { backend, number }: &NamedDevice| request.of(backend, number);
        match &common.device {
            None => Ok(Self::One(request)),
            Some(Devices::Number(number)) => Ok(Self::One(Request { device: Some(*number), ..request })),
            Some(Devices::All) => Ok(Self::all(request)),
            Some(Devices::Named(_)) if common.backend != BackendName::Auto => {
                Err(Failure::Input("--device names the backends as well; leave --backend out.".to_owned()))
            }
            Some(Devices::Named(named)) => Ok(match named.as_slice() {
                [one] => Self::One(of(one)),
                several => Self::Named(several.iter().map(of).collect()),
            }),
        }
    }

    /// Returns the request for any device of the backend, regardless of `--device`.
    pub(crate) fn any(common: &Common) -> Request {
        Request { backend: common.backend, threads: common.threads, ..Request::default() }
    }

    pub(crate) fn one(&self) -> Option<Request> {
        match self {
            Self::One(request) => Some(*request),
            Self::Named(_) | Self::AllOf(..) | Self::All(_) => None,
        }
    }

    /// Selects all devices of the request's backend, or of all backends for `auto`.
    pub(crate) fn all(request: Request) -> Self {
        match BACKENDS.iter().find(|entry| entry.name == request.backend) {
            Some(entry) => Self::AllOf(entry, request),
            None => Self::All(request),
        }
    }

    /// Opens the devices, the fastest kinds first, and passes the reason to `note` for each device that cannot be opened.
    ///
    /// [`Selection::All`] means the CPU and every GPU once: through OpenCL, if OpenCL offers a GPU of this kind. It leaves out
    /// emulated GPUs and the mailbox, which would take a core from the CPU backend. If the pieces of the work are `large`, it leaves
    /// out the CPU when there are GPUs, because the GPUs would wait for the CPU's last piece.
    pub(crate) fn open(&self, large: bool, mut note: impl FnMut(&str)) -> Result<Vec<Box<dyn Backend>>, Failure> {
        match self {
            Self::One(request) => {
                let opened = open(request, None)?;
                opened.notes.iter().for_each(|sentence| note(sentence));
                Ok(vec![opened.backend])
            }
            Self::Named(requests) => {
                let opened = requests.iter().map(|request| open(request, None)).collect::<Result<Vec<_>, _>>()?;
                opened.iter().flat_map(|opened| &opened.notes).for_each(|sentence| note(sentence));
                Ok(opened.into_iter().map(|opened| opened.backend).collect())
            }
            Self::AllOf(entry, request) => {
                let opened = open_noting(entry, |_| true, request, &mut note);
                if opened.is_empty() {
                    entry.devices()?;
                    let name = entry.name.name();
                    return Err(Failure::Device(format!("The {name} backend has no device that can be used.")));
                }
                Ok(opened)
            }
            Self::All(request) => open_each_gpu_and_the_cpu(request, large, &mut note),
        }
    }
}

fn open_each_gpu_and_the_cpu(
    request: &Request,
    large: bool,
    note: &mut dyn FnMut(&str),
) -> Result<Vec<Box<dyn Backend>>, Failure> {
    let mut devices = Vec::new();
    for kind in [DeviceKind::DiscreteGpu, DeviceKind::IntegratedGpu] {
        let mut of_kind = BACKENDS.iter().map(|entry| open_noting(entry, |found| found == kind, request, note));
        let Some(mut found) = of_kind.find(|found| !found.is_empty()) else { continue };
        // wgpu lists a GPU once for each interface, Vulkan and DX12 for example; only the first interface is used.
        let interface = |backend: &dyn Backend| backend.info().driver.split(',').next().map(str::to_owned);
        let first = interface(&*found[0]);
        found.retain(|backend| backend.info().backend != "wgpu" || interface(&**backend) == first);
        devices.append(&mut found);
    }
    if large && !devices.is_empty() {
        return Ok(devices);
    }
    // Each GPU needs one CPU thread that sends it work.
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let left = NonZeroUsize::new(cores.saturating_sub(devices.len())).unwrap_or(NonZeroUsize::MIN);
    let threads = request.threads.or((!devices.is_empty()).then_some(left));
    match open(&Request { threads, ..request.of(BackendName::Cpu, None) }, None) {
        Ok(opened) => devices.push(opened.backend),
        Err(failure) if devices.is_empty() => return Err(failure.into()),
        Err(failure) => note(&failure.to_string()),
    }
    Ok(devices)
}

/// Opens a backend's usable devices of the given kinds, and reports failures to `note`.
fn open_noting(
    entry: &BackendKind,
    is_wanted: impl Fn(DeviceKind) -> bool,
    request: &Request,
    note: &mut dyn FnMut(&str),
) -> Vec<Box<dyn Backend>> {
    let opened = open_usable(entry, is_wanted, request).into_iter();
    opened.filter_map(|opened| opened.map(|it| it.backend).map_err(|failure| note(&failure.to_string())).ok()).collect()
}

/// Opens a backend's usable devices of the given kinds. A backend without devices is not a failure.
pub(crate) fn open_usable(
    entry: &BackendKind,
    is_wanted: impl Fn(DeviceKind) -> bool,
    request: &Request,
) -> Vec<Result<Opened, OpenError>> {
    let listed = entry.devices().unwrap_or_default();
    let usable = (0..).zip(listed).filter(|(_, device)| device.is_usable() && is_wanted(device.kind()));
    usable.map(|(number, _)| entry.open(&Request { device: Some(number), ..*request })).collect()
}
