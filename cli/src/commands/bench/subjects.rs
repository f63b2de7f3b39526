//! The devices that `kogge bench` measures.

use kogge::{BACKENDS, BackendKind, BackendName, Cpu, DeviceKind, Opened, Request, open};

use super::report::DeviceFailure;
use crate::args::Common;
use crate::outcome::Failure;
use crate::selection::{Selection, open_usable};

/// The selected devices, the variants of the CPU code, and the options of GPUs.
pub(super) struct Subjects {
    selection: Selection,
    /// The variants of the CPU code to measure; if empty, the best one.
    variants: Vec<&'static str>,
    /// The options of GPUs to measure.
    options: Vec<&'static str>,
}

impl Subjects {
    /// Reads the selection from the arguments. Without `--device`, these are all devices of the backend, or of all
    /// backends.
    pub(super) fn new(common: &Common, variants: &[String], options: Vec<&'static str>) -> Result<Self, Failure> {
        let selection = match common.device {
            None => Selection::all(Selection::any(common)),
            Some(_) => Selection::new(common)?,
        };
        Ok(Self { selection, variants: named_variants(variants)?, options })
    }

    /// Opens the devices, and also returns the devices that the list calls usable but that cannot be opened.
    ///
    /// # Errors
    /// If a device that the user named cannot be opened.
    pub(super) fn open(&self) -> Result<(Vec<Opened>, Vec<DeviceFailure>), Failure> {
        let (mut opened, mut failed) = (Vec::new(), Vec::new());
        let mut open_all = |entry: &BackendKind, request, is_wanted: fn(DeviceKind) -> bool| {
            for request in self.with_variants(Request { backend: entry.name, ..request }) {
                for result in open_usable(entry, is_wanted, &request) {
                    match result {
                        Ok(device) => opened.push(device),
                        Err(failure) => failed.push(DeviceFailure {
                            backend: entry.name.name(),
                            device: None,
                            variant: None,
                            reason: failure.to_string(),
                        }),
                    }
                }
            }
        };
        match &self.selection {
            Selection::AllOf(entry, request) => {
                entry.devices()?;
                open_all(entry, *request, |_| true);
            }
            Selection::All(request) => {
                BACKENDS.iter().for_each(|entry| open_all(entry, *request, |kind| kind != DeviceKind::Software));
            }
            Selection::One(request) => opened = self.open_named(std::slice::from_ref(request))?,
            Selection::Named(requests) => opened = self.open_named(requests)?,
        }
        if !self.variants.is_empty() && opened.iter().all(|opened| opened.backend.info().backend != "cpu") {
            let reason = "Only the cpu backend has variants to choose from; name it, or leave --variant out.";
            return Err(Failure::Input(reason.to_owned()));
        }
        let has_options = |opened: &Opened| ["opencl", "wgpu"].contains(&opened.backend.info().backend);
        let is_asked = self.options.iter().any(|options| !options.is_empty());
        if is_asked && failed.is_empty() && !opened.iter().any(has_options) {
            let reason = "Only the backends opencl and wgpu have options; name one, or leave --option out.";
            return Err(Failure::Input(reason.to_owned()));
        }
        if opened.is_empty() {
            let reasons: Vec<_> = failed.into_iter().map(|failed| failed.reason).collect();
            return Err(Failure::Device(format!("There is nothing to measure. {}", reasons.join(" "))));
        }
        Ok((opened, failed))
    }

    fn open_named(&self, requests: &[Request]) -> Result<Vec<Opened>, Failure> {
        requests
            .iter()
            .flat_map(|request| self.with_variants(*request))
            .map(|request| Ok(open(&request, None)?))
            .collect()
    }

    /// Returns one request for each variant of the CPU code, or for each choice of a GPU's options.
    fn with_variants(&self, request: Request) -> Vec<Request> {
        let variants = match request.backend {
            BackendName::Cpu if !self.variants.is_empty() => &self.variants,
            BackendName::Opencl | BackendName::Wgpu => &self.options,
            _ => return vec![request],
        };
        variants.iter().map(|&variant| Request { variant: Some(variant), ..request }).collect()
    }
}

/// Finds the variants of the CPU code with these names.
fn named_variants(names: &[String]) -> Result<Vec<&'static str>, Failure> {
    let usable = Cpu::variants();
    if names == ["all"] {
        return Ok(usable);
    }
    let find = |name: &String| {
        usable.iter().copied().find(|variant| variant == name).ok_or_else(|| {
            Failure::Input(format!(
                "There is no variant {name:?} that this CPU can run; expected all, or some of {}.",
                usable.join(", ")
            ))
        })
    };
    names.iter().map(find).collect()
}
