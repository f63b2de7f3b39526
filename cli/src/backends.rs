//! The backends of this binary: the one place that lists them.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use kogge_backend_opencl::platform::Device as OpenClDevice;
use kogge_backend_opencl::{OpenCl, devices as opencl_devices};
use kogge_backend_wgpu::{Device as WgpuDevice, Wgpu};
use kogge_board::tuning::planned;
use kogge_board::{Backend, BackendError, DeviceInfo, DeviceKind};
use kogge_driver::Error;
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

use crate::args::{BackendName, Common};
use crate::estimate::Estimate;
use crate::failure::Failure;
use crate::many::Devices;

/// What was asked of a backend.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Request {
    /// Which of its devices.
    pub(crate) device: Option<usize>,
    /// How many CPU threads at most.
    pub(crate) threads: Option<NonZeroUsize>,
    /// How many bytes of hash table.
    pub(crate) hash: Option<NonZeroUsize>,
    /// Which variant of the CPU backend's code.
    pub(crate) variant: Option<&'static str>,
}

impl From<&Common> for Request {
    fn from(common: &Common) -> Self {
        let device = common.device.as_ref().and_then(Devices::number);
        Self { device, threads: common.threads, hash: None, variant: None }
    }
}

/// A device as it is listed: what it is, or why it cannot be used.
pub(crate) type Listed = Result<DeviceInfo, BackendError>;

/// A backend that was opened, or why it was not.
type OpenedOr = Result<Box<dyn Backend>, BackendError>;

/// Opens a backend on a device of a kind, if it has one.
type OpenKind = fn(DeviceKind, Request) -> Option<OpenedOr>;

/// Estimates with the CPU how long work would take there.
pub(crate) type Weigh<'a> = &'a mut dyn FnMut(&mut dyn Backend) -> Result<Estimate, Error>;

/// A backend of this binary.
pub(crate) struct Entry {
    /// The name, as `--backend` takes it.
    pub(crate) name: BackendName,
    /// Opens what `auto` may choose of it.
    auto: OpenKind,
    /// Whether it counts the last two plies without making their positions, as far as it can.
    bulk: bool,
    /// Whether it can keep counts in a hash table.
    hash: bool,
    /// Its devices in the order of their numbers, or why there is none.
    list: fn() -> Result<Vec<Listed>, BackendError>,
    open: fn(Request) -> OpenedOr,
}

/// The kinds of devices that `auto` looks for, the best first. CPUs behind GPU interfaces are slower than our own code:
/// they are taken only by name.
const WANTED: [DeviceKind; 3] = [DeviceKind::DiscreteGpu, DeviceKind::IntegratedGpu, DeviceKind::Cpu];

/// All of them. Of devices of one kind, `auto` takes the first one that works, in this order: a GPU that both OpenCL and
/// wgpu offer is used through OpenCL.
pub(crate) const ENTRIES: &[Entry] = &[
    Entry {
        name: BackendName::Opencl,
        auto: auto_opencl,
        bulk: true,
        hash: false,
        list: list_opencl,
        open: open_opencl,
    },
    Entry { name: BackendName::Wgpu, auto: auto_wgpu, bulk: true, hash: false, list: list_wgpu, open: open_wgpu },
    Entry {
        name: BackendName::Cpu,
        auto: |kind, request| (kind == DeviceKind::Cpu).then(|| open_cpu(request)),
        bulk: true,
        hash: true,
        list: || Ok(vec![Cpu::new(None).map(|cpu| cpu.info().clone())]),
        open: open_cpu,
    },
    Entry {
        name: BackendName::Mailbox,
        auto: |_, _| None,
        bulk: false,
        hash: false,
        list: || Ok(vec![Ok(Mailbox::new().info().clone())]),
        open: |_| Ok(Box::new(Mailbox::new())),
    },
];

fn unavailable(name: BackendName, reason: String) -> BackendError {
    BackendError::Unavailable { backend: name.name(), reason }
}

fn boxed(backend: impl Backend + 'static) -> Box<dyn Backend> {
    Box::new(backend)
}

/// Opens the best GPU of a backend, if it has one.
fn open_gpu(auto: OpenKind, request: Request) -> Option<OpenedOr> {
    WANTED.into_iter().find_map(|kind| auto(kind, request))
}

fn open_cpu(request: Request) -> OpenedOr {
    let threads = request.threads.map(NonZeroUsize::get);
    let mut cpu = match request.variant {
        Some(name) => Cpu::with_variant(threads, name)?,
        None => Cpu::new(threads)?,
    };
    cpu.set_hash(request.hash.map_or(0, NonZeroUsize::get))?;
    Ok(boxed(cpu))
}

fn known_opencl_devices() -> Result<Vec<OpenClDevice>, BackendError> {
    opencl_devices().map_err(|error| unavailable(BackendName::Opencl, error.to_string()))
}

fn list_opencl() -> Result<Vec<Listed>, BackendError> {
    let devices = known_opencl_devices()?;
    let listed = devices.iter().map(|device| match device.unusable() {
        None => Ok(planned(device)),
        Some(reason) => Err(unavailable(BackendName::Opencl, format!("{}: {reason}", device.name))),
    });
    Ok(listed.collect())
}

fn auto_opencl(kind: DeviceKind, _: Request) -> Option<OpenedOr> {
    let devices = opencl_devices().ok()?;
    let device = devices.iter().find(|device| device.kind == kind && device.unusable().is_none())?;
    Some(OpenCl::on(device, &Default::default()).map(boxed))
}

fn no_device(name: BackendName, index: usize, count: usize) -> Failure {
    Failure::Input(format!(
        "There is no device {index} of the {} backend; it has {count}, numbered from 0. \"kogge devices\" lists them.",
        name.name()
    ))
}

fn number_alone() -> Failure {
    let text = "A device's number means something only together with its backend; give --backend as well as --device.";
    Failure::Input(text.to_owned())
}

fn open_opencl(request: Request) -> OpenedOr {
    let open = |index| OpenCl::open(index, &Default::default()).map(boxed);
    match request.device {
        Some(index) => open(index),
        None => open_gpu(auto_opencl, request).unwrap_or_else(|| open(0)),
    }
}

/// wgpu's devices. They are listed once: to do that, drivers must be loaded.
fn wgpu_devices() -> Result<&'static [WgpuDevice], BackendError> {
    static DEVICES: OnceLock<Result<Vec<WgpuDevice>, BackendError>> = OnceLock::new();
    DEVICES.get_or_init(kogge_backend_wgpu::devices).as_deref().map_err(Clone::clone)
}

fn list_wgpu() -> Result<Vec<Listed>, BackendError> {
    let listed = wgpu_devices()?.iter().map(|device| match device.unusable() {
        None => Ok(planned(device)),
        Some(reason) => Err(unavailable(BackendName::Wgpu, format!("{}: {reason}", device.name))),
    });
    Ok(listed.collect())
}

fn auto_wgpu(kind: DeviceKind, _: Request) -> Option<OpenedOr> {
    let devices = wgpu_devices().ok()?;
    let device = devices.iter().find(|device| device.kind == kind && device.unusable().is_none())?;
    Some(Wgpu::on(device, &Default::default()).map(boxed))
}

fn open_wgpu(request: Request) -> OpenedOr {
    let open = |index: usize| match wgpu_devices()?.get(index) {
        Some(device) => Wgpu::on(device, &Default::default()).map(boxed),
        None => Err(unavailable(BackendName::Wgpu, format!("there is no device {index}."))),
    };
    match request.device {
        Some(index) => open(index),
        None => open_gpu(auto_wgpu, request).unwrap_or_else(|| open(0)),
    }
}

/// A device of a backend that can be tuned.
pub(crate) enum TunableDevice {
    Opencl(OpenClDevice),
    Wgpu(WgpuDevice),
}

impl TunableDevice {
    /// Those of one backend, in the order of their numbers.
    fn list(name: BackendName) -> Result<Vec<Self>, BackendError> {
        match name {
            BackendName::Wgpu => Ok(wgpu_devices()?.iter().cloned().map(Self::Wgpu).collect()),
            _ => Ok(known_opencl_devices()?.into_iter().map(Self::Opencl).collect()),
        }
    }

    /// Whether it is of this kind and works.
    fn is_usable(&self, wanted: DeviceKind) -> bool {
        let (kind, unusable) = match self {
            Self::Opencl(device) => (device.kind, device.unusable().is_some()),
            Self::Wgpu(device) => (device.kind, device.unusable().is_some()),
        };
        kind == wanted && !unusable
    }
}

/// The device that a request to tune is about. If it names none, that is the best one, as for `auto`; without a GPU it is
/// whatever there is.
pub(crate) fn tunable(name: BackendName, request: Request) -> Result<TunableDevice, Failure> {
    let names: &[BackendName] = match name {
        BackendName::Auto if request.device.is_some() => return Err(number_alone()),
        BackendName::Auto => &[BackendName::Opencl, BackendName::Wgpu],
        BackendName::Opencl | BackendName::Wgpu => &[name],
        BackendName::Cpu | BackendName::Mailbox => {
            let name = name.name();
            return Err(Failure::Input(format!("The {name} backend has nothing to tune; only opencl and wgpu have.")));
        }
    };
    let (mut devices, mut refused) = (Vec::new(), Vec::new());
    for &name in names {
        match TunableDevice::list(name) {
            Ok(listed) => devices.extend(listed),
            Err(error) => refused.push(error.to_string()),
        }
    }
    if devices.is_empty() && !refused.is_empty() {
        return Err(Failure::Device(refused.join(" ")));
    }
    let best = |kind| devices.iter().position(|device| device.is_usable(kind));
    let index = request.device.or(WANTED.into_iter().find_map(best)).unwrap_or(0);
    let count = devices.len();
    devices.into_iter().nth(index).ok_or_else(|| no_device(name, index, count))
}

impl Entry {
    /// Its devices, numbered from 0.
    ///
    /// # Errors
    /// If there is none, with the reason.
    pub(crate) fn devices(&self) -> Result<Vec<Listed>, BackendError> {
        (self.list)()
    }

    pub(crate) fn open(&self, request: Request) -> Result<Opened, Failure> {
        if request.hash.is_some() && !self.hash {
            return Err(Failure::Input(format!(
                "The {} backend has no hash table; leave --hash out, or choose the cpu backend.",
                self.name.name()
            )));
        }
        if let Some(device) = request.device {
            let devices = self.devices()?.len();
            if device >= devices {
                return Err(no_device(self.name, device, devices));
            }
        }
        Ok(self.opened((self.open)(request)?, request))
    }

    fn opened(&self, backend: Box<dyn Backend>, request: Request) -> Opened {
        Opened { backend, bulk: self.bulk, hash: request.hash, chosen: None, refused: Vec::new() }
    }
}

/// A backend, ready to work.
pub(crate) struct Opened {
    pub(crate) backend: Box<dyn Backend>,
    /// Whether it counts the last two plies without making their positions, as far as it can.
    pub(crate) bulk: bool,
    /// How many bytes of hash table it has.
    pub(crate) hash: Option<NonZeroUsize>,
    /// Why `auto` looked for a GPU or did not, if there was work to go by.
    pub(crate) chosen: Option<String>,
    /// What `auto` would rather have taken, and why it could not.
    pub(crate) refused: Vec<String>,
}

/// Opens the backend that was asked for. If that is `auto`, small work is for the CPU, and if it is not known what work
/// there is, it is not small.
pub(crate) fn open(name: BackendName, request: Request, weigh: Option<Weigh<'_>>) -> Result<Opened, Failure> {
    choose(ENTRIES, name, request, weigh)
}

fn choose(entries: &[Entry], name: BackendName, request: Request, weigh: Option<Weigh<'_>>) -> Result<Opened, Failure> {
    if name != BackendName::Auto {
        let entry = entries
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| unavailable(name, "it is not part of this build of kogge.".to_owned()))?;
        return entry.open(request);
    }
    if request.device.is_some() {
        return Err(number_alone());
    }
    let mut refused = Vec::new();
    // What was asked for is done: without a hash table, nothing will do that should have one.
    let able = entries.iter().filter(|entry| entry.hash || request.hash.is_none());
    let on_cpu = |entry: &Entry| Some(entry.opened((entry.auto)(DeviceKind::Cpu, request)?.ok()?, request));
    let mut chosen = None;
    // A CPU that fails is heard of when it is its turn. With a hash table there is nothing to choose from.
    if let Some(weigh) = weigh.filter(|_| request.hash.is_none())
        && let Some(mut opened) = able.clone().find_map(on_cpu)
    {
        let (small, reason) = match weigh(&mut *opened.backend) {
            Ok(work) if work.is_small() => (
                true,
                format!("No GPU was looked for: {} of work for the CPU, done before a GPU has started.", work.text()),
            ),
            Ok(work) => (false, format!("A GPU was looked for: {} of work for the CPU.", work.text())),
            Err(error) => (false, format!("A GPU was looked for: how much work it is could not be told. {error}")),
        };
        chosen = Some(reason);
        if small {
            return Ok(Opened { chosen, ..opened });
        }
    }
    for (kind, entry) in WANTED.iter().flat_map(|&kind| able.clone().map(move |entry| (kind, entry))) {
        match (entry.auto)(kind, request) {
            None => {}
            Some(Ok(backend)) => return Ok(Opened { chosen, refused, ..entry.opened(backend, request) }),
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
        auto: |kind, request| (kind == DeviceKind::Cpu).then(|| broken(request)),
        bulk: true,
        hash: false,
        list: || Ok(Vec::new()),
        open: broken,
    };
    const WORKING: Entry = Entry {
        name: BackendName::Cpu,
        auto: |kind, request| (kind == DeviceKind::Cpu).then(|| working(request)),
        bulk: true,
        hash: true,
        list: || Ok(vec![Ok(Mailbox::new().info().clone())]),
        open: working,
    };
    const ANY: Request = Request { device: None, threads: None, hash: None, variant: None };
    const LAST: Entry = Entry { name: BackendName::Mailbox, auto: |_, _| None, ..WORKING };

    #[track_caller]
    fn refusal(entries: &[Entry], name: BackendName, request: Request) -> Failure {
        choose(entries, name, request, None).map(|_| ()).expect_err("a refusal")
    }

    #[test]
    fn auto_takes_the_first_that_works_and_says_what_it_passed_over() {
        let opened = choose(&[BROKEN, WORKING, LAST], BackendName::Auto, ANY, None).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(opened.refused, ["The opencl backend cannot be used: it was told to fail."]);
        let opened = choose(&[WORKING, BROKEN], BackendName::Auto, ANY, None).unwrap_or_else(|e| panic!("{e}"));
        assert!(opened.refused.is_empty());
        let failure = refusal(&[BROKEN, LAST], BackendName::Auto, ANY);
        assert!(matches!(&failure, Failure::Device(text) if text.contains("told to fail")), "{failure}");
    }

    /// A GPU that must not be opened for small work.
    const GPU: Entry = Entry {
        name: BackendName::Wgpu,
        auto: |kind, request| (kind == DeviceKind::DiscreteGpu).then(|| working(request)),
        bulk: false,
        ..LAST
    };

    #[test]
    fn auto_starts_no_gpu_for_small_work_and_says_why() {
        const UNTOUCHED: Entry = Entry {
            auto: |kind, _| if kind == DeviceKind::DiscreteGpu { panic!("nobody asked for a GPU") } else { None },
            ..GPU
        };
        let counted = |leaves| move |_: &mut dyn Backend| Estimate::tree(1, |_| Ok(leaves));
        let opened = choose(&[UNTOUCHED, WORKING], BackendName::Auto, ANY, Some(&mut counted(20)));
        let opened = opened.unwrap_or_else(|e| panic!("{e}"));
        let reason = opened.chosen.expect("a reason");
        assert!(reason.starts_with("No GPU was looked for: less than 1 ms of work"), "{reason}");
        assert!(opened.hash.is_none() && opened.refused.is_empty());
    }

    #[test]
    fn auto_takes_a_gpu_for_large_work_and_says_why() {
        let mut slow = |_: &mut dyn Backend| {
            Estimate::tree(100, |depth| {
                std::thread::sleep(std::time::Duration::from_millis(3));
                Ok(20_u128.pow(depth))
            })
        };
        let opened = choose(&[WORKING, GPU], BackendName::Auto, ANY, Some(&mut slow)).unwrap_or_else(|e| panic!("{e}"));
        assert!(!opened.bulk, "the CPU was taken");
        assert_eq!(opened.chosen.as_deref(), Some("A GPU was looked for: more than a week of work for the CPU."));
        // One that fails is passed over, which is said beside.
        const FAILING: Entry =
            Entry { auto: |kind, _| (kind == DeviceKind::DiscreteGpu).then(|| broken(ANY)), ..BROKEN };
        let opened =
            choose(&[FAILING, WORKING], BackendName::Auto, ANY, Some(&mut slow)).unwrap_or_else(|e| panic!("{e}"));
        assert!(opened.chosen.is_some());
        assert_eq!(opened.refused.len(), 1);
    }

    #[test]
    fn work_that_cannot_be_told_is_large() {
        let mut failing = |_: &mut dyn Backend| Err(Error::Overflow);
        let opened = choose(&[WORKING], BackendName::Auto, ANY, Some(&mut failing)).unwrap_or_else(|e| panic!("{e}"));
        let reason = opened.chosen.expect("a reason");
        assert!(reason.starts_with("A GPU was looked for") && reason.contains("exceeds 2^128"), "{reason}");
    }

    #[test]
    fn work_is_not_weighed_for_a_backend_that_was_named() {
        let mut weigh = |_: &mut dyn Backend| panic!("nobody asked");
        for request in [ANY, Request { device: Some(0), ..ANY }] {
            let opened = choose(&[GPU, WORKING], BackendName::Cpu, request, Some(&mut weigh));
            assert_eq!(opened.unwrap_or_else(|e| panic!("{e}")).chosen, None);
        }
    }

    #[test]
    fn auto_prefers_the_better_device_to_the_earlier_backend() {
        const SOFTWARE: Entry = Entry { auto: |kind, _| (kind == DeviceKind::Software).then(|| broken(ANY)), ..BROKEN };
        const INTEGRATED: Entry =
            Entry { auto: |kind, _| (kind == DeviceKind::IntegratedGpu).then(|| working(ANY)), bulk: false, ..WORKING };
        const DISCRETE: Entry =
            Entry { auto: |kind, _| (kind == DeviceKind::DiscreteGpu).then(|| working(ANY)), ..WORKING };
        let is_bulk = |entries: &[Entry]| {
            let opened = choose(entries, BackendName::Auto, ANY, None).unwrap_or_else(|e| panic!("{e}"));
            assert!(opened.refused.is_empty(), "{:?}", opened.refused);
            opened.bulk
        };
        assert!(is_bulk(&[SOFTWARE, INTEGRATED, DISCRETE]));
        assert!(!is_bulk(&[SOFTWARE, WORKING, INTEGRATED]));
        assert!(is_bulk(&[SOFTWARE, WORKING]));
        assert!(matches!(refusal(&[SOFTWARE], BackendName::Auto, ANY), Failure::Device(_)));
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
        assert!(choose(&[WORKING], BackendName::Cpu, request(0), None).is_ok());
        let failure = refusal(&[WORKING], BackendName::Cpu, request(1));
        assert!(matches!(&failure, Failure::Input(text) if text.contains("no device 1")), "{failure}");
        assert!(matches!(refusal(&[WORKING], BackendName::Auto, request(0)), Failure::Input(_)));
    }

    #[test]
    fn a_hash_table_is_there_or_it_is_an_error() {
        let request = Request { hash: NonZeroUsize::new(1 << 20), ..ANY };
        let failure = refusal(&[BROKEN], BackendName::Opencl, request);
        assert!(matches!(&failure, Failure::Input(text) if text.contains("no hash table")), "{failure}");
        // `auto` passes over what has none, however good it is.
        let opened = choose(&[BROKEN, WORKING], BackendName::Auto, request, None).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((opened.hash, opened.refused.len()), (request.hash, 0));
        assert!(matches!(refusal(&[BROKEN], BackendName::Auto, request), Failure::Device(_)));
    }

    #[test]
    fn every_name_is_in_this_binary() {
        use clap::ValueEnum;
        for &name in BackendName::value_variants() {
            let present = ENTRIES.iter().any(|entry| entry.name == name);
            assert!(present != (name == BackendName::Auto), "{name:?}");
        }
    }
}
