//! `kogge devices`.

use kogge_board::{BackendError, DeviceInfo};
use serde::Serialize;

use crate::context::{Context, Job};
use crate::devices::BACKENDS;
use crate::outcome::{Answer, Failure};
use crate::output::Device;

/// Lists every device of every backend.
pub(super) struct List;

#[derive(Serialize)]
struct Report {
    command: &'static str,
    devices: Vec<Row>,
}

/// A device, or a backend without devices.
#[derive(Serialize)]
struct Row {
    backend: &'static str,
    /// The number that `--device` takes.
    number: Option<usize>,
    usable: bool,
    /// The reason why it is not usable.
    reason: Option<String>,
    /// Its description, if it is usable.
    info: Option<Device>,
    #[serde(skip)]
    text: String,
}

impl Job for List {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let mut devices = Vec::new();
        for entry in BACKENDS {
            let backend = entry.name.name();
            match entry.devices() {
                Ok(listed) => {
                    let numbered = (0..).zip(listed);
                    devices.extend(numbered.map(|(number, device)| Row::new(backend, Some(number), device.info())));
                }
                Err(error) => devices.push(Row::new(backend, None, Err(error))),
            }
        }
        let report = Report { command: "devices", devices };
        context.output.print(&report, |to| {
            writeln!(to, "{:<8}  {:>6}  device", "backend", "number")?;
            report.devices.iter().try_for_each(|Row { backend, number, text, .. }| {
                let number = number.map_or("-".to_owned(), |number| number.to_string());
                writeln!(to, "{backend:<8}  {number:>6}  {text}")
            })
        })?;
        Ok(Answer::Done)
    }
}

impl Row {
    fn new(backend: &'static str, number: Option<usize>, info: Result<DeviceInfo, BackendError>) -> Self {
        let row = Self { backend, number, usable: info.is_ok(), reason: None, info: None, text: String::new() };
        match info {
            Ok(info) => Self { text: describe(&info), info: Some(Device::from(&info)), ..row },
            Err(error) => Self { text: error.to_string(), reason: Some(error.to_string()), ..row },
        }
    }
}

fn describe(info: &DeviceInfo) -> String {
    let DeviceInfo { name, driver, kind, memory, variant, .. } = info;
    let memory = memory.map_or(String::new(), |bytes| format!(", {} MiB", bytes >> 20));
    format!("{name} ({kind}{memory}); {driver}; {variant}")
}
