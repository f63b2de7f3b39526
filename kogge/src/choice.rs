//! Opens one device: the named one, or the one that `auto` chooses.

use std::cell::LazyCell;
use std::time::Instant;

use kogge_board::{Backend, DeviceKind};
use kogge_driver::Error;

use crate::device::{BackendDevice, Request};
use crate::error::OpenError;
use crate::estimate::Estimate;
use crate::name::{BackendName, NamedDevice};
use crate::table::{BACKENDS, BackendKind, Opened, PREFERRED, absent, number_without_backend};

/// Estimates the time that the CPU would need for the work.
pub type Estimator<'a> = &'a mut dyn FnMut(&mut dyn Backend) -> Result<Estimate, Error>;

/// Opens the requested device. `auto` gives small work to the CPU; without an estimator, the work counts as large.
///
/// ```
/// use kogge::{Backend, Driver, Estimate, Fen, Request, open};
/// let start = Fen::start();
/// let mut work = |cpu: &mut dyn Backend| {
///     let mut driver = Driver::new(cpu, &());
///     Estimate::tree(4, |depth| driver.perft(&start, depth))
/// };
/// assert_eq!(open(&Request::default(), Some(&mut work))?.backend.info().backend, "cpu");
/// # Ok::<(), kogge::OpenError>(())
/// ```
pub fn open(request: &Request, estimator: Option<Estimator<'_>>) -> Result<Opened, OpenError> {
    let start = Instant::now();
    let opened = open_from(BACKENDS, request, estimator)?;
    Ok(Opened { opening: start.elapsed(), ..opened })
}

/// Returns the device that `auto` takes for large work if it can be opened.
///
/// ```no_run
/// if let Some(device) = kogge::preferred() {
///     println!("{}:{}", device.backend.name(), device.number.unwrap_or_default());
/// }
/// ```
pub fn preferred() -> Option<NamedDevice> {
    let listed: Vec<_> = BACKENDS.iter().map(|entry| (entry, entry.devices().unwrap_or_default())).collect();
    PREFERRED.into_iter().find_map(|kind| {
        listed.iter().filter(|(entry, _)| entry.automatic.contains(&kind)).find_map(|(entry, devices)| {
            let number = devices.iter().position(|device| device.kind() == kind && device.is_usable())?;
            Some(NamedDevice { backend: entry.name, number: Some(number) })
        })
    })
}

fn open_from(
    entries: &[BackendKind],
    request: &Request,
    estimator: Option<Estimator<'_>>,
) -> Result<Opened, OpenError> {
    let name = request.backend;
    if name == BackendName::Auto {
        return choose(entries, request, estimator);
    }
    let entry = entries.iter().find(|entry| entry.name == name);
    entry.ok_or_else(|| absent(name))?.open(request)
}

/// Opens a device of the best kind that works.
fn choose(entries: &[BackendKind], request: &Request, estimator: Option<Estimator<'_>>) -> Result<Opened, OpenError> {
    if request.device.is_some() {
        return Err(number_without_backend());
    }
    // A device without the requested hash table is no choice.
    let able = || entries.iter().filter(|entry| entry.hash || request.hash.is_none());
    let cpu = || able().find(|entry| entry.automatic.contains(&DeviceKind::Cpu))?.open(request).ok();
    let mut chosen = None;
    // Only the CPU has a hash table. If the CPU cannot be opened here, the error is reported below, when the CPU is
    // tried last. Without GPUs, there is nothing to choose.
    if let Some(estimator) = estimator.filter(|_| able().any(|entry| entry.is_gpu() && entry.list.is_some()))
        && let Some(mut opened) = cpu()
    {
        let (is_small, reason) = match estimator(&mut *opened.backend) {
            Ok(work) if work.is_small() => (
                true,
                format!("No GPU was tried: the CPU needs {} and finishes before a GPU has started.", work.text()),
            ),
            Ok(work) => (
                false,
                format!("GPUs were tried first: without merging equal positions, the CPU would need {}.", work.text()),
            ),
            Err(error) => (false, format!("GPUs were tried first: the CPU's time could not be estimated. {error}")),
        };
        chosen = Some(reason);
        if is_small {
            return Ok(Opened { chosen, ..opened });
        }
    }
    let listed: Vec<_> = able().map(|entry| (entry, LazyCell::new(|| entry.devices().unwrap_or_default()))).collect();
    let mut notes = Vec::new();
    for kind in PREFERRED {
        for (entry, devices) in listed.iter().filter(|(entry, _)| entry.automatic.contains(&kind)) {
            match devices.iter().find(|device| device.kind() == kind && device.is_usable()).map(|it| it.open(request)) {
                None => {}
                Some(Ok(backend)) => {
                    if kind == DeviceKind::Cpu {
                        chosen = with_software(chosen, &listed);
                    }
                    return Ok(Opened { chosen, notes, ..entry.opened(backend, request) });
                }
                Some(Err(error)) => notes.push(error.to_string()),
            }
        }
    }
    let software = software(&listed).map_or(String::new(), |sentence| format!(" {sentence}"));
    Err(OpenError::NoDevice(format!("No backend can be used. {}{software}", notes.join(" "))))
}

/// The devices of a backend, listed when they are first needed.
type Lazy<'a, F> = (&'a BackendKind, LazyCell<Vec<BackendDevice>, F>);

/// Names the software devices, which `auto` leaves out.
fn software<F: FnOnce() -> Vec<BackendDevice>>(listed: &[Lazy<'_, F>]) -> Option<String> {
    let of_entry = |(entry, devices): &Lazy<'_, F>| {
        let numbered = (0..).zip(devices.iter()).filter(|(_, device)| device.kind() == DeviceKind::Software);
        numbered.map(|(number, _): (usize, _)| format!("{}:{number}", entry.name.name())).collect::<Vec<_>>()
    };
    let names: Vec<_> = listed.iter().flat_map(of_entry).collect();
    (!names.is_empty()).then(|| {
        format!("Software devices are used only by name, since they emulate GPUs on the CPU: {}.", names.join(", "))
    })
}

/// Adds the software devices to the reason for the CPU.
fn with_software<F: FnOnce() -> Vec<BackendDevice>>(chosen: Option<String>, listed: &[Lazy<'_, F>]) -> Option<String> {
    let sentences: Vec<_> = chosen.into_iter().chain(software(listed)).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

#[cfg(test)]
mod tests {
    use kogge_board::BackendError;
    use kogge_movegen_cpu::mailbox::Mailbox;

    use super::*;
    use crate::device::Listed;
    use crate::table::pick;

    fn working(_: &Request) -> Result<Box<dyn Backend>, BackendError> {
        Ok(Box::new(Mailbox::new()))
    }

    fn failing(_: &Request) -> Result<Box<dyn Backend>, BackendError> {
        Err(BackendError::Unavailable { backend: "opencl", reason: "it was told to fail.".to_owned() })
    }

    fn listed(kind: DeviceKind, works: bool) -> Listed {
        Ok(vec![BackendDevice::Host { kind, open: if works { working } else { failing } }])
    }

    const ALL: &[DeviceKind] = &PREFERRED;
    const BROKEN: BackendKind = BackendKind {
        name: BackendName::Opencl,
        automatic: ALL,
        bulk: true,
        hash: false,
        list: Some(|| listed(DeviceKind::Cpu, false)),
    };
    const WORKING: BackendKind = BackendKind {
        name: BackendName::Cpu,
        automatic: ALL,
        bulk: true,
        hash: true,
        list: Some(|| listed(DeviceKind::Cpu, true)),
    };
    const ANY: Request = Request { backend: BackendName::Auto, device: None, threads: None, hash: None, variant: None };
    const LAST: BackendKind = BackendKind { name: BackendName::Mailbox, automatic: &[], ..WORKING };

    /// A GPU that must not be opened for small work.
    const GPU: BackendKind = BackendKind {
        name: BackendName::Wgpu,
        automatic: &[DeviceKind::DiscreteGpu],
        bulk: false,
        list: Some(|| listed(DeviceKind::DiscreteGpu, true)),
        ..LAST
    };

    #[track_caller]
    fn opened(entries: &[BackendKind], request: &Request, estimator: Option<Estimator<'_>>) -> Opened {
        open_from(entries, request, estimator).unwrap_or_else(|failure| panic!("{failure}"))
    }

    #[track_caller]
    fn refusal(entries: &[BackendKind], request: &Request) -> OpenError {
        open_from(entries, request, None).map(|_| ()).expect_err("a refusal")
    }

    #[test]
    fn auto_takes_the_first_that_works_and_names_those_it_skipped() {
        let found = opened(&[BROKEN, WORKING, LAST], &ANY, None);
        assert_eq!(found.notes, ["The opencl backend cannot be used: it was told to fail."]);
        assert!(opened(&[WORKING, BROKEN], &ANY, None).notes.is_empty());
        let failure = refusal(&[BROKEN, LAST], &ANY);
        assert!(matches!(&failure, OpenError::NoDevice(text) if text.contains("told to fail")), "{failure}");
    }

    #[test]
    fn auto_lists_no_gpu_for_small_work_and_says_why() {
        const UNTOUCHED: BackendKind = BackendKind { list: Some(|| panic!("nobody asked for a GPU")), ..GPU };
        let mut small = |_: &mut dyn Backend| Estimate::tree(1, |_| Ok(20));
        let found = opened(&[UNTOUCHED, WORKING], &ANY, Some(&mut small));
        let reason = found.chosen.expect("a reason");
        assert!(reason.starts_with("No GPU was tried: the CPU needs less than 1 ms"), "{reason}");
        assert!(found.hash.is_none() && found.notes.is_empty());
    }

    #[test]
    fn auto_takes_a_gpu_for_large_work_and_says_why() {
        let mut slow = |_: &mut dyn Backend| {
            Estimate::tree(100, |depth| {
                std::thread::sleep(std::time::Duration::from_millis(u64::from(depth * depth)));
                Ok(20_u128.pow(depth))
            })
        };
        let found = opened(&[WORKING, GPU], &ANY, Some(&mut slow));
        assert!(!found.bulk, "the CPU was taken");
        assert_eq!(
            found.chosen.as_deref(),
            Some("GPUs were tried first: without merging equal positions, the CPU would need more than a week.")
        );
        // A GPU that fails is skipped, and its failure is reported.
        const FAILING: BackendKind = BackendKind { list: Some(|| listed(DeviceKind::DiscreteGpu, false)), ..GPU };
        let found = opened(&[FAILING, WORKING], &ANY, Some(&mut slow));
        assert!(found.chosen.is_some() && found.bulk);
        assert_eq!(found.notes.len(), 1);
    }

    #[test]
    fn work_that_cannot_be_estimated_is_large() {
        let mut failing = |_: &mut dyn Backend| Err(Error::Overflow);
        let reason = opened(&[WORKING], &ANY, Some(&mut failing)).chosen.expect("a reason");
        assert!(reason.starts_with("GPUs were tried first") && reason.contains("exceeds 2^128"), "{reason}");
    }

    #[test]
    fn work_is_not_estimated_for_a_named_backend() {
        let mut unasked = |_: &mut dyn Backend| panic!("nobody asked");
        for device in [None, Some(0)] {
            let request = ANY.of(BackendName::Cpu, device);
            assert_eq!(opened(&[GPU, WORKING], &request, Some(&mut unasked)).chosen, None);
        }
    }

    #[test]
    fn auto_prefers_the_better_device_to_the_earlier_backend() {
        const SOFTWARE: BackendKind = BackendKind { list: Some(|| listed(DeviceKind::Software, false)), ..BROKEN };
        const INTEGRATED: BackendKind =
            BackendKind { list: Some(|| listed(DeviceKind::IntegratedGpu, true)), bulk: false, ..WORKING };
        const DISCRETE: BackendKind = BackendKind { list: Some(|| listed(DeviceKind::DiscreteGpu, true)), ..WORKING };
        let is_bulk = |entries: &[BackendKind]| {
            let found = opened(entries, &ANY, None);
            assert!(found.notes.is_empty(), "{:?}", found.notes);
            found.bulk
        };
        assert!(is_bulk(&[SOFTWARE, INTEGRATED, DISCRETE]));
        assert!(!is_bulk(&[SOFTWARE, WORKING, INTEGRATED]));
        assert!(is_bulk(&[SOFTWARE, WORKING]));
        // The notes name the devices that are left out, unless a GPU is used.
        let failure = refusal(&[SOFTWARE], &ANY);
        assert!(matches!(&failure, OpenError::NoDevice(text) if text.contains(": opencl:0.")), "{failure}");
        let reason = opened(&[SOFTWARE, WORKING], &ANY, None).chosen.expect("a reason");
        assert!(
            reason.starts_with("Software devices are used only by name") && reason.ends_with(": opencl:0."),
            "{reason}"
        );
        assert_eq!(opened(&[SOFTWARE, DISCRETE], &ANY, None).chosen, None);
    }

    #[test]
    fn software_beside_a_gpu_causes_a_warning() {
        fn both() -> Listed {
            let mut devices = listed(DeviceKind::Software, true)?;
            devices.append(&mut listed(DeviceKind::IntegratedGpu, true)?);
            Ok(devices)
        }
        const BOTH: BackendKind = BackendKind { list: Some(both), ..BROKEN };
        const SOFTWARE: BackendKind = BackendKind { list: Some(|| listed(DeviceKind::Software, true)), ..BROKEN };
        let notes = |entry: BackendKind, device| opened(&[entry], &ANY.of(BackendName::Opencl, device), None).notes;
        let warning = &notes(BOTH, Some(0))[..];
        assert!(matches!(warning, [text] if text.contains("--device opencl:1")), "{warning:?}");
        for (entry, device) in [(BOTH, Some(1)), (BOTH, None), (SOFTWARE, Some(0)), (SOFTWARE, None)] {
            assert_eq!(notes(entry, device), [""; 0]);
        }
    }

    #[test]
    fn a_named_backend_opens_its_best_device_or_its_first() {
        let picked = |kinds: &[DeviceKind]| {
            let devices: Vec<_> = kinds.iter().flat_map(|&kind| listed(kind, true).unwrap_or_default()).collect();
            pick(&devices, BackendName::Opencl, None).ok()
        };
        let [software, integrated, discrete] =
            [DeviceKind::Software, DeviceKind::IntegratedGpu, DeviceKind::DiscreteGpu];
        assert_eq!(picked(&[software, integrated, discrete]), Some(2));
        assert_eq!(picked(&[software, integrated]), Some(1));
        assert_eq!(picked(&[software, software]), Some(0));
        assert_eq!(picked(&[]), None);
    }

    #[test]
    fn a_named_backend_is_opened_or_it_is_an_error() {
        let entries = [BROKEN, WORKING];
        let failure = refusal(&entries, &ANY.of(BackendName::Opencl, None));
        assert!(
            matches!(&failure, OpenError::Backend(BackendError::Unavailable { backend: "opencl", .. })),
            "{failure}"
        );
        let failure = refusal(&entries, &ANY.of(BackendName::Wgpu, None));
        assert!(
            matches!(&failure, OpenError::Backend(BackendError::Unavailable { reason, .. }) if reason.contains("Cargo's feature \"wgpu\"")),
            "{failure}"
        );
    }

    #[test]
    fn devices_are_numbered_within_a_backend() {
        opened(&[WORKING], &ANY.of(BackendName::Cpu, Some(0)), None);
        let failure = refusal(&[WORKING], &ANY.of(BackendName::Cpu, Some(1)));
        assert!(matches!(&failure, OpenError::Request(text) if text.contains("no device 1")), "{failure}");
        assert!(matches!(refusal(&[WORKING], &ANY.of(BackendName::Auto, Some(0))), OpenError::Request(_)));
    }

    #[test]
    fn a_hash_table_is_there_or_it_is_an_error() {
        let request = Request { hash: std::num::NonZeroUsize::new(1 << 20), ..ANY };
        let failure = refusal(&[BROKEN], &Request { backend: BackendName::Opencl, ..request });
        assert!(matches!(&failure, OpenError::Request(text) if text.contains("no hash table")), "{failure}");
        // `auto` skips backends without a hash table, even if they are faster.
        let found = opened(&[BROKEN, WORKING], &request, None);
        assert_eq!((found.hash, found.notes.len()), (request.hash, 0));
        assert!(matches!(refusal(&[BROKEN], &request), OpenError::NoDevice(_)));
    }

    #[test]
    fn every_name_is_in_the_table() {
        for name in BackendName::ALL {
            let present = BACKENDS.iter().any(|entry| entry.name == name);
            assert!(present != (name == BackendName::Auto), "{name:?}");
        }
    }
}
