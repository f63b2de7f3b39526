//! The backends of this binary: the one place that lists them.

use std::num::NonZeroUsize;

use kogge_backend_opencl::{OpenCl, Options, devices as opencl_devices};
use kogge_board::{Backend, BackendError, DeviceInfo, DeviceKind};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

use crate::args::{BackendName, Common};
use crate::failure::Failure;

/// What was asked of a backend.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// Which of its devices.
    pub(crate) device: Option<usize>,
    /// How many CPU threads at most.
    pub(crate) threads: Option<NonZeroUsize>,
}

impl From<&Common> for Request {
    fn from(common: &Common) -> Self {
        Self { device: common.device, threads: common.threads }
    }
}

/// A device as it is listed: what it is, or why it cannot be used.
pub(crate) type Listed = Result<DeviceInfo, BackendError>;

/// Opens a backend.
type Open = fn(Request) -> Result<Box<dyn Backend>, BackendError>;

/// Opens a backend if there is anything to open.
type OpenIfAny = fn(Request) -> Option<Result<Box<dyn Backend>, BackendError>>;

/// A backend of this binary.
pub(crate) struct Entry {
    /// The name, as `--backend` takes it.
    pub(crate) name: BackendName,
    /// Opens what `auto` may choose of it; `None` if there is nothing of the kind.
    auto: OpenIfAny,
    /// Whether it counts the last ply without making its positions.
    bulk: bool,
    /// Its devices in the order of their numbers. A single error speaks for the whole backend.
    list: fn() -> Vec<Listed>,
    open: Open,
}

/// All of them, in the order in which `auto` tries those that it may choose.
pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: BackendName::Opencl,
        auto: open_opencl_gpu,
        bulk: true,
        list: list_opencl,
        open: |request| match (request.device, open_opencl_gpu(request)) {
            (None, Some(opened)) => opened,
            (device, _) => Ok(Box::new(OpenCl::open(device.unwrap_or(0), &Options::default())?)),
        },
    },
    Entry {
        name: BackendName::Cpu,
        auto: |request| Some(open_cpu(request)),
        bulk: true,
        list: list_cpu,
        open: open_cpu,
    },
    Entry {
        name: BackendName::Mailbox,
        auto: |_| None,
        bulk: false,
        list: || vec![Ok(Mailbox::new().info().clone())],
        open: |_| Ok(Box::new(Mailbox::new())),
    },
];

fn list_cpu() -> Vec<Listed> {
    vec![Cpu::new(None).map(|cpu| cpu.info().clone())]
}

fn open_cpu(request: Request) -> Result<Box<dyn Backend>, BackendError> {
    Ok(Box::new(Cpu::new(request.threads.map(NonZeroUsize::get))?))
}

fn unavailable_opencl(reason: String) -> BackendError {
    BackendError::Unavailable { backend: BackendName::Opencl.name(), reason }
}

fn list_opencl() -> Vec<Listed> {
    match opencl_devices() {
        Ok(devices) => devices
            .iter()
            .map(|device| match device.unusable() {
                None => Ok(device.info()),
                Some(reason) => Err(unavailable_opencl(format!("{}: {reason}", device.name))),
            })
            .collect(),
        Err(error) => vec![Err(unavailable_opencl(error.to_string()))],
    }
}

/// The first usable GPU. CPUs behind OpenCL are slower than our own code and are taken only by number.
fn open_opencl_gpu(_: Request) -> Option<Result<Box<dyn Backend>, BackendError>> {
    let gpu = opencl_devices().ok()?.into_iter().find(|device| {
        matches!(device.kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu) && device.unusable().is_none()
    })?;
    Some(OpenCl::on(&gpu, &Options::default()).map(|opened| Box::new(opened) as Box<dyn Backend>))
}

/// Backends that exist but are not in this binary.
pub(crate) const ABSENT: [BackendName; 1] = [BackendName::Wgpu];

/// Why a backend that is not in this binary cannot be used.
pub(crate) fn absent(name: BackendName) -> BackendError {
    BackendError::Unavailable { backend: name.name(), reason: "it is not part of this build of kogge.".to_owned() }
}

impl Entry {
    /// Its devices, numbered from 0.
    pub(crate) fn devices(&self) -> Vec<Listed> {
        (self.list)()
    }

    fn open(&self, request: Request) -> Result<Opened, Failure> {
        if let Some(device) = request.device {
            let devices = self.devices().len();
            if device >= devices {
                return Err(Failure::Input(format!(
                    "There is no device {device} of the {} backend; it has {devices}, numbered from 0. \
                     \"kogge devices\" lists them.",
                    self.name.name()
                )));
            }
        }
        Ok(self.opened((self.open)(request)?))
    }

    fn opened(&self, backend: Box<dyn Backend>) -> Opened {
        Opened { backend, bulk: self.bulk, refused: Vec::new() }
    }
}

/// A backend, ready to work.
pub(crate) struct Opened {
    pub(crate) backend: Box<dyn Backend>,
    /// Whether it counts the last ply without making its positions.
    pub(crate) bulk: bool,
    /// What `auto` would rather have taken, and why it could not.
    pub(crate) refused: Vec<String>,
}

/// Opens the backend that was asked for.
pub(crate) fn open(name: BackendName, request: Request) -> Result<Opened, Failure> {
    choose(ENTRIES, name, request)
}

fn choose(entries: &[Entry], name: BackendName, request: Request) -> Result<Opened, Failure> {
    if name != BackendName::Auto {
        let entry = entries.iter().find(|entry| entry.name == name).ok_or_else(|| absent(name))?;
        return entry.open(request);
    }
    if request.device.is_some() {
        return Err(Failure::Input(
            "A device's number means something only together with its backend; give --backend as well as --device."
                .to_owned(),
        ));
    }
    let mut refused = Vec::new();
    for entry in entries {
        match (entry.auto)(request) {
            None => {}
            Some(Ok(backend)) => return Ok(Opened { refused, ..entry.opened(backend) }),
            Some(Err(error)) => refused.push(error.to_string()),
        }
    }
    Err(Failure::Device(format!("No backend can be used. {}", refused.join(" "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(_: Request) -> Result<Box<dyn Backend>, BackendError> {
        Err(BackendError::Unavailable { backend: "opencl", reason: "it was told to fail.".to_owned() })
    }

    fn working(_: Request) -> Result<Box<dyn Backend>, BackendError> {
        Ok(Box::new(Mailbox::new()))
    }

    const BROKEN: Entry = Entry {
        name: BackendName::Opencl,
        auto: |request| Some(broken(request)),
        bulk: true,
        list: Vec::new,
        open: broken,
    };
    const WORKING: Entry = Entry {
        name: BackendName::Cpu,
        auto: |request| Some(working(request)),
        bulk: true,
        list: || vec![Ok(Mailbox::new().info().clone())],
        open: working,
    };
    const ANY: Request = Request { device: None, threads: None };
    const LAST: Entry = Entry { name: BackendName::Mailbox, auto: |_| None, ..WORKING };

    #[track_caller]
    fn refusal(entries: &[Entry], name: BackendName, request: Request) -> Failure {
        choose(entries, name, request).map(|_| ()).expect_err("a refusal")
    }

    #[test]
    fn auto_takes_the_first_that_works_and_says_what_it_passed_over() {
        let opened = choose(&[BROKEN, WORKING, LAST], BackendName::Auto, ANY).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(opened.refused, ["The opencl backend cannot be used: it was told to fail."]);
        let opened = choose(&[WORKING, BROKEN], BackendName::Auto, ANY).unwrap_or_else(|e| panic!("{e}"));
        assert!(opened.refused.is_empty());
        let failure = refusal(&[BROKEN, LAST], BackendName::Auto, ANY);
        assert!(matches!(&failure, Failure::Device(text) if text.contains("told to fail")), "{failure}");
    }

    #[test]
    fn a_named_backend_is_that_one_or_an_error() {
        let entries = [BROKEN, WORKING];
        let failure = refusal(&entries, BackendName::Opencl, ANY);
        assert!(matches!(&failure, Failure::Device(text) if text.contains("told to fail")), "{failure}");
        let failure = refusal(&entries, BackendName::Wgpu, ANY);
        assert!(matches!(&failure, Failure::Device(text) if text.contains("not part of this build")), "{failure}");
    }

    #[test]
    fn devices_are_numbered_within_a_backend() {
        let request = |device| Request { device: Some(device), ..ANY };
        assert!(choose(&[WORKING], BackendName::Cpu, request(0)).is_ok());
        let failure = refusal(&[WORKING], BackendName::Cpu, request(1));
        assert!(matches!(&failure, Failure::Input(text) if text.contains("no device 1")), "{failure}");
        assert!(matches!(refusal(&[WORKING], BackendName::Auto, request(0)), Failure::Input(_)));
    }

    #[test]
    fn every_name_is_either_in_this_binary_or_known_to_be_absent() {
        use clap::ValueEnum;
        for &name in BackendName::value_variants() {
            let present = ENTRIES.iter().any(|entry| entry.name == name);
            assert!(name == BackendName::Auto || present != ABSENT.contains(&name), "{name:?}");
        }
    }
}
