//! What `kogge bench` measures.

use kogge_board::DeviceKind;
use kogge_movegen_cpu::Cpu;

use crate::args::BackendName;
use crate::backends::{self, ENTRIES, Entry, Opened, Request};
use crate::commands::Context;
use crate::failure::Failure;
use crate::many::Devices;

/// All that is asked for, opened, and what could not be opened, with the reason.
///
/// What is named is opened, or it is an error. Without names, that is every device of every backend, but for emulated GPUs.
pub(super) fn open(context: &Context, variants: &[String]) -> Result<(Vec<Opened>, Vec<Refused>), Failure> {
    let common = &context.common;
    let request = Request::from(common);
    let variants = named_variants(variants)?;
    let mut all = All { opened: Vec::new(), refused: Vec::new(), variants: &variants };
    match (&common.device, common.backend) {
        (Some(Devices::Named(named)), BackendName::Auto) => {
            for &(name, device) in named {
                all.open(name, Request { device, ..request })?;
            }
        }
        (Some(Devices::Named(_)), _) => {
            let reason = "A list of devices names their backends; leave --backend out.";
            return Err(Failure::Input(reason.to_owned()));
        }
        (Some(Devices::Number(_)), name) => all.open(name, request)?,
        (None | Some(Devices::All), BackendName::Auto) => {
            ENTRIES.iter().for_each(|entry| all.open_of(entry, request, |kind| kind != DeviceKind::Software));
        }
        (None | Some(Devices::All), name) => {
            let entry = ENTRIES.iter().filter(|entry| entry.name == name);
            entry.for_each(|entry| all.open_of(entry, request, |_| true));
        }
    }
    if !variants.is_empty() && all.opened.iter().all(|opened| opened.backend.info().backend != "cpu") {
        let reason = "Only the cpu backend has variants to choose from; name it, or leave --variant out.";
        return Err(Failure::Input(reason.to_owned()));
    }
    if all.opened.is_empty() {
        let reasons: Vec<_> = all.refused.into_iter().map(|refused| refused.reason).collect();
        return Err(Failure::Device(format!("There is nothing to measure. {}", reasons.join(" "))));
    }
    Ok((all.opened, all.refused))
}

/// A device that is listed as usable, and why it could not be opened.
pub(super) struct Refused {
    pub(super) backend: &'static str,
    pub(super) reason: String,
}

/// The variants of the CPU code with these names.
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

struct All<'a> {
    opened: Vec<Opened>,
    refused: Vec<Refused>,
    variants: &'a [&'static str],
}

impl All<'_> {
    /// Opens what was named.
    fn open(&mut self, name: BackendName, request: Request) -> Result<(), Failure> {
        if name == BackendName::Cpu && !self.variants.is_empty() {
            for variant in self.variants {
                self.opened.push(backends::open(name, Request { variant: Some(variant), ..request }, None)?);
            }
        } else {
            self.opened.push(backends::open(name, request, None)?);
        }
        Ok(())
    }

    /// Opens all devices of a backend that are listed as usable and of a kind that is wanted.
    fn open_of(&mut self, entry: &Entry, request: Request, wanted: impl Fn(DeviceKind) -> bool) {
        let listed = match entry.devices() {
            Ok(listed) => listed,
            // A backend without devices has nothing to measure; that is no failure.
            Err(_) => return,
        };
        let usable = (0..).zip(listed).filter(|(_, listed)| listed.as_ref().is_ok_and(|info| wanted(info.kind)));
        for (number, _) in usable {
            if let Err(failure) = self.open(entry.name, Request { device: Some(number), ..request }) {
                self.refused.push(Refused { backend: entry.name.name(), reason: failure.to_string() });
            }
        }
    }
}
