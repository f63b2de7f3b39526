//! Several devices at once: what `--device` names.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::thread::available_parallelism;

use clap::ValueEnum;
use kogge_board::{Backend, DeviceKind};

use crate::args::{BackendName, Common};
use crate::backends::{self, ENTRIES, Entry, Request};
use crate::failure::Failure;

/// Devices as `--device` names them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Devices {
    /// A device of the backend of `--backend`.
    Number(usize),
    /// All that can be used.
    All,
    /// These.
    Named(Vec<(BackendName, Option<usize>)>),
}

impl Devices {
    const EXPECTED: &str =
        "expected a device's number, or, for kogge run and kogge bench, all or a list such as cpu,opencl:0";

    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<usize> {
        match self {
            Self::Number(number) => Some(*number),
            Self::All | Self::Named(_) => None,
        }
    }
}

impl FromStr for Devices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().map(Self::Number).map_err(|_| Self::EXPECTED.to_owned());
        }
        let mut named = Vec::new();
        for part in text.split(',') {
            let (name, number) = match part.split_once(':') {
                Some((name, number)) => (name, Some(number.parse().map_err(|_| Self::EXPECTED)?)),
                None => (part, None),
            };
            let name = BackendName::from_str(name, false).map_err(|_| Self::EXPECTED)?;
            if name == BackendName::Auto || named.contains(&(name, number)) {
                return Err(format!("{part} cannot stand in a list, or stands there twice"));
            }
            named.push((name, number));
        }
        Ok(Self::Named(named))
    }
}

/// Opens all devices that were asked for, the fastest kinds first; what could not be opened is told to `note`.
///
/// `all` without a backend means every GPU once, through OpenCL where it offers one of the kind, and the CPU. Neither
/// the mailbox, which would take a core from the CPU's own code, nor emulated GPUs are among them. With a backend, it
/// means all its devices that can be used.
pub(crate) fn open(common: &Common, mut note: impl FnMut(&str)) -> Result<Vec<Box<dyn Backend>>, Failure> {
    let request = Request::from(common);
    match (&common.device, common.backend) {
        (None | Some(Devices::Number(_)), name) => {
            let opened = backends::open(name, request, None)?;
            opened.refused.iter().for_each(|refusal| note(refusal));
            Ok(vec![opened.backend])
        }
        (Some(Devices::Named(named)), BackendName::Auto) => {
            let open = |&(name, device)| Ok(backends::open(name, Request { device, ..request }, None)?.backend);
            named.iter().map(open).collect()
        }
        (Some(Devices::Named(_)), _) => {
            Err(Failure::Input("A list of devices names their backends; leave --backend out.".to_owned()))
        }
        (Some(Devices::All), BackendName::Auto) => Ok(every(request, &mut note)?),
        (Some(Devices::All), name) => {
            let entry = ENTRIES.iter().find(|entry| entry.name == name);
            let opened = entry.map_or(Vec::new(), |entry| open_of(entry, |_| true, request, &mut note));
            if opened.is_empty() {
                return Err(Failure::Device(format!("The {} backend has no device that can be used.", name.name())));
            }
            Ok(opened)
        }
    }
}

/// Every GPU once, and the CPU.
fn every(request: Request, note: &mut dyn FnMut(&str)) -> Result<Vec<Box<dyn Backend>>, Failure> {
    let mut devices = Vec::new();
    for kind in [DeviceKind::DiscreteGpu, DeviceKind::IntegratedGpu] {
        let of_kind = ENTRIES.iter().map(|entry| open_of(entry, |found| found == kind, request, note));
        let Some(mut found) = of_kind.into_iter().find(|found| !found.is_empty()) else { continue };
        // An interface that is listed beside another offers the same devices again.
        let interface = |backend: &dyn Backend| backend.info().driver.split(',').next().map(str::to_owned);
        let first = interface(&*found[0]);
        found.retain(|backend| backend.info().backend != "wgpu" || interface(&**backend) == first);
        devices.append(&mut found);
    }
    // Each GPU keeps a thread busy that gives it work.
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let left = NonZeroUsize::new(cores.saturating_sub(devices.len())).unwrap_or(NonZeroUsize::MIN);
    let threads = request.threads.or((!devices.is_empty()).then_some(left));
    match backends::open(BackendName::Cpu, Request { threads, ..request }, None) {
        Ok(opened) => devices.push(opened.backend),
        Err(failure) if devices.is_empty() => return Err(failure),
        Err(failure) => note(&failure.to_string()),
    }
    Ok(devices)
}

/// Opens all devices of a backend that can be used and are of a kind that is wanted.
fn open_of(
    entry: &Entry,
    wanted: impl Fn(DeviceKind) -> bool,
    request: Request,
    note: &mut dyn FnMut(&str),
) -> Vec<Box<dyn Backend>> {
    let listed = entry.devices().unwrap_or_default();
    let usable = (0..).zip(listed).filter(|(_, listed)| listed.as_ref().is_ok_and(|info| wanted(info.kind)));
    let mut devices = Vec::new();
    for (number, _) in usable {
        match entry.open(Request { device: Some(number), ..request }) {
            Ok(opened) => devices.push(opened.backend),
            Err(failure) => note(&failure.to_string()),
        }
    }
    devices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_numbered_named_or_all() {
        let named = |list: &[_]| Ok(Devices::Named(list.to_vec()));
        for (text, expected) in [
            ("0", Ok(Devices::Number(0))),
            ("12", Ok(Devices::Number(12))),
            ("all", Ok(Devices::All)),
            ("cpu", named(&[(BackendName::Cpu, None)])),
            ("cpu,opencl:1", named(&[(BackendName::Cpu, None), (BackendName::Opencl, Some(1))])),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
        for text in ["", "-1", "+1", "cpu,", "all,cpu", "auto", "opencl:x", "cpu,cpu", "99999999999999999999999"] {
            assert!(text.parse::<Devices>().is_err(), "{text}");
        }
    }
}
