//! `kogge devices`.

use kogge_board::DeviceInfo;
use serde::Serialize;

use super::Context;
use crate::Answer;
use crate::backends::ENTRIES;
use crate::failure::Failure;
use crate::output::Device;

#[derive(Serialize)]
struct Report {
    command: &'static str,
    devices: Vec<Row>,
}

/// A device, or a backend without any.
#[derive(Serialize)]
struct Row {
    backend: &'static str,
    /// The number that `--device` takes.
    number: Option<usize>,
    usable: bool,
    /// Why it is not usable.
    reason: Option<String>,
    /// What it is, if it is usable.
    info: Option<Device>,
    #[serde(skip)]
    text: String,
}

pub(super) fn run(context: &mut Context) -> Result<Answer, Failure> {
    let mut devices = Vec::new();
    for entry in ENTRIES {
        let backend = entry.name.name();
        let listed = match entry.devices() {
            Ok(listed) => listed,
            Err(error) => {
                devices.push(unusable(backend, None, error.to_string()));
                continue;
            }
        };
        for (number, listed) in listed.into_iter().enumerate() {
            let number = Some(number);
            devices.push(match listed {
                Ok(info) => Row {
                    backend,
                    number,
                    usable: true,
                    reason: None,
                    text: describe(&info),
                    info: Some(Device::from(&info)),
                },
                Err(error) => unusable(backend, number, error.to_string()),
            });
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

fn unusable(backend: &'static str, number: Option<usize>, reason: String) -> Row {
    Row { backend, number, usable: false, text: reason.clone(), reason: Some(reason), info: None }
}

fn describe(info: &DeviceInfo) -> String {
    let DeviceInfo { name, driver, kind, memory, variant, .. } = info;
    let memory = memory.map_or(String::new(), |bytes| format!(", {} MiB", bytes >> 20));
    format!("{name} ({kind}{memory}); {driver}; {variant}")
}
