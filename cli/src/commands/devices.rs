//! `kogge devices`.

use kogge::{BACKENDS, BackendError, DeviceInfo, NamedDevice, preferred};
use serde::Serialize;

use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::{Device, bare_name, record};

/// Lists every device of every backend.
pub(super) struct List;

/// A device, or a backend without devices.
#[derive(Serialize)]
struct Row {
    backend: &'static str,
    /// The number to give to `--device`.
    number: Option<usize>,
    usable: bool,
    /// Whether a large count takes this device by itself.
    preferred: bool,
    /// The reason why the device is not usable.
    reason: Option<String>,
    /// The device's description, if it is usable.
    info: Option<Device>,
    /// The text, and the text with `--verbose`.
    #[serde(skip)]
    text: (String, String),
}

impl Job for List {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let mut devices = Vec::new();
        let best = preferred();
        for entry in BACKENDS {
            let backend = entry.name.name();
            match entry.devices() {
                Ok(listed) => {
                    let numbered = (0..).zip(listed);
                    devices.extend(numbered.map(|(number, device)| {
                        let preferred = best == Some(NamedDevice { backend: entry.name, number: Some(number) });
                        Row { preferred, ..Row::new(backend, Some(number), device.info()) }
                    }));
                }
                Err(error) => devices.push(Row::new(backend, None, Err(error))),
            }
        }
        let report = record! { command: "devices", devices };
        let verbose = context.output.verbose;
        context.output.print(&report, |to| {
            writeln!(to, "{:<8}  {:>6}  device", "backend", "number")?;
            report.devices.iter().try_for_each(|Row { backend, number, text, preferred, .. }| {
                let number = number.map_or("-".to_owned(), |number| number.to_string());
                let (brief, full) = text;
                let mark = if *preferred { "; used for large counts" } else { "" };
                writeln!(to, "{backend:<8}  {number:>6}  {}{mark}", if verbose { full } else { brief })
            })
        })?;
        Ok(Answer::Done)
    }
}

impl Row {
    fn new(backend: &'static str, number: Option<usize>, info: Result<DeviceInfo, BackendError>) -> Self {
        let row = Self {
            backend,
            number,
            usable: info.is_ok(),
            preferred: false,
            reason: None,
            info: None,
            text: Default::default(),
        };
        match info {
            Ok(info) => Self { text: describe(&info), info: Some(Device::from(&info)), ..row },
            Err(error) => Self { text: (error.to_string(), error.to_string()), reason: Some(error.to_string()), ..row },
        }
    }
}

/// Describes a device in a few words, and in full.
fn describe(info: &DeviceInfo) -> (String, String) {
    let DeviceInfo { backend, name, driver, kind, memory, variant, .. } = info;
    let memory = memory.map_or(String::new(), |bytes| format!(", {} MiB", bytes >> 20));
    let kind = format!("({kind}{memory})");
    // wgpu lists a GPU once for each interface.
    let interface =
        driver.split(',').next().filter(|_| *backend == "wgpu").map_or(String::new(), |it| format!(", {it}"));
    (format!("{} {kind}{interface}", bare_name(name)), format!("{name} {kind}; {driver}; {variant}"))
}
