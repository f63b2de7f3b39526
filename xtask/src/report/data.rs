//! The data of a report: measurements by `kogge bench --json`, alone or in the result of a bundle, and the rates of other
//! programs.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde::Deserialize;

use crate::Result;

/// An answer of `kogge bench --json`; `cli/JSON.md` describes the fields.
#[derive(Deserialize)]
pub(super) struct Bench {
    /// The name of the file without its extension.
    #[serde(skip)]
    pub(super) name: String,
    /// A note for readers.
    #[serde(skip)]
    pub(super) note: Option<String>,
    command: String,
    pub(super) kogge: String,
    pub(super) system: String,
    pub(super) processor: Option<String>,
    pub(super) cores: usize,
    pub(super) load: Option<f64>,
    pub(super) seconds: f64,
    pub(super) repetitions: u32,
    pub(super) subjects: Vec<Subject>,
    pub(super) rows: Vec<Row>,
    pub(super) packing: Vec<Packing>,
}

#[derive(Deserialize)]
pub(super) struct Subject {
    pub(super) backend: String,
    pub(super) device: String,
    pub(super) driver: String,
    pub(super) kind: String,
    pub(super) variant: String,
}

#[derive(Deserialize)]
pub(super) struct Row {
    pub(super) subject: usize,
    pub(super) position: String,
    pub(super) deduplicated: bool,
    pub(super) depth: u32,
    pub(super) seconds: f64,
    pub(super) spread: f64,
    pub(super) noisy: bool,
    pub(super) per_second: f64,
    pub(super) climb: Vec<Step>,
}

#[derive(Deserialize)]
pub(super) struct Step {
    pub(super) depth: u32,
    /// The number of leaves, rounded beyond 2^64: no picture shows the difference.
    pub(super) nodes: f64,
    pub(super) seconds: f64,
}

#[derive(Deserialize)]
pub(super) struct Packing {
    pub(super) format: String,
    pub(super) bytes: u32,
    pub(super) pack: f64,
    pub(super) unpack: f64,
}

/// The class of a device: only devices of one class are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// GPUs.
    Gpu,
    /// CPUs on all cores.
    Cores,
    /// One core of a CPU: one thread.
    Core,
}

impl Bench {
    pub(super) fn read(file: &Path) -> Result<Self> {
        let name = file.display();
        let text = fs::read_to_string(file).map_err(|error| format!("{name} could not be read: {error}."))?;
        let mut bench =
            Self::parse(&text).map_err(|error| format!("{name} is not an answer of kogge bench --json: {error}."))?;
        if bench.command != "bench" {
            return Err(format!("{name} is an answer of kogge {}, not of kogge bench --json.", bench.command).into());
        }
        if bench.rows.iter().any(|row| row.subject >= bench.subjects.len()) {
            return Err(format!("{name} is damaged: a row is about a subject that is not there.").into());
        }
        bench.name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(bench)
    }

    /// Reads an answer, or the answer in the field `bench` of a bundle's result.
    pub(super) fn parse(text: &str) -> serde_json::Result<Self> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        Self::deserialize(value.get("bench").unwrap_or(&value))
    }

    /// Returns the rows of a subject for one way of counting.
    pub(super) fn rows(&self, subject: usize, deduplicated: bool) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.subject == subject && row.deduplicated == deduplicated)
    }
}

impl Subject {
    /// Returns the label for a legend.
    pub(super) fn label(&self) -> String {
        match self.backend.as_str() {
            "cpu" => format!("cpu, {}, {}", self.device.trim_start_matches("CPU, "), self.variant),
            backend => format!("{backend}, {}", self.device),
        }
    }

    /// Returns the class, or `None` for GPU emulators and for the mailbox, which only checks others: no picture shows
    /// them.
    pub(super) fn class(&self) -> Option<Class> {
        match self.kind.as_str() {
            "GPU" | "integrated GPU" => Some(Class::Gpu),
            _ if self.backend == "mailbox" => None,
            "CPU" if self.device == "CPU, 1 thread" => Some(Class::Core),
            "CPU" => Some(Class::Cores),
            _ => None,
        }
    }
}

impl Row {
    /// Returns the seconds by depth, with the latest value for the measured depth.
    pub(super) fn seconds(&self) -> Vec<(u32, f64)> {
        let seconds = |step: &Step| if step.depth == self.depth { self.seconds } else { step.seconds };
        self.climb.iter().map(|step| (step.depth, seconds(step))).collect()
    }

    /// Returns the nanoseconds per leaf by depth.
    pub(super) fn nanoseconds(&self) -> Vec<(u32, f64)> {
        let leaves = |depth| self.climb.iter().find(|step| step.depth == depth).map_or(1.0, |step| step.nodes);
        self.seconds().into_iter().map(|(depth, seconds)| (depth, 1e9 * seconds / leaves(depth))).collect()
    }
}

/// A line of `rivals.tsv`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rival {
    pub(super) program: String,
    pub(super) device: String,
    pub(super) counting: String,
    pub(super) position: String,
    pub(super) depth: u32,
    pub(super) seconds: Option<f64>,
    pub(super) per_second: Option<f64>,
    pub(super) note: String,
    pub(super) source: String,
}

impl Rival {
    pub(super) fn read(file: &Path) -> Result<Vec<Self>> {
        let name = file.display();
        let text = fs::read_to_string(file).map_err(|error| format!("{name} could not be read: {error}."))?;
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#'));
        lines
            .map(|(number, line)| {
                Self::parse(line).ok_or_else(|| {
                    format!("Line {number} of {name} does not have the fields that the head of the file describes.")
                        .into()
                })
            })
            .collect()
    }

    /// Reads a line, which must have a source.
    fn parse(line: &str) -> Option<Self> {
        let [program, device, counting, position, depth, seconds, per_second, note, source] =
            *line.split('\t').collect::<Vec<_>>()
        else {
            return None;
        };
        let number = |text: &str| if text == "-" { Some(None) } else { text.parse().ok().map(Some) };
        let known = ["raw", "core", "hashed"].contains(&counting);
        (known && source.starts_with("https://")).then_some(())?;
        Some(Self {
            program: program.to_owned(),
            device: device.to_owned(),
            counting: counting.to_owned(),
            position: position.to_owned(),
            depth: depth.parse().ok()?,
            seconds: number(seconds)?,
            per_second: number(per_second)?,
            note: note.to_owned(),
            source: source.to_owned(),
        })
    }

    pub(super) fn label(&self) -> String {
        format!("{}, {}", self.program, self.device)
    }
}

/// A line of `deep.tsv`: a merged count of the start position that takes too long for `kogge bench`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Deep {
    /// The backend and the device, as in [`Subject::label`].
    pub(super) label: String,
    pub(super) depth: u32,
    pub(super) seconds: f64,
}

impl Deep {
    /// Reads the file, which may be missing.
    pub(super) fn read(file: &Path) -> Result<Vec<Self>> {
        let name = file.display();
        let text = match fs::read_to_string(file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            text => text.map_err(|error| format!("{name} could not be read: {error}."))?,
        };
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#'));
        let parse = |line: &str| {
            let [backend, device, depth, seconds] = *line.split('\t').collect::<Vec<_>>() else { return None };
            let (depth, seconds) = (depth.parse().ok()?, seconds.parse().ok()?);
            Some(Self { label: format!("{backend}, {device}"), depth, seconds })
        };
        lines
            .map(|(number, line)| {
                let wrong =
                    format!("Line {number} of {name} does not have the fields that the head of the file describes.");
                parse(line).ok_or_else(|| wrong.into())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rival_without_a_source_is_refused() {
        let line = "A\tB\traw\tstartpos\t9\t3.68\t6.63e11\t\thttps://example.org, run here";
        let rival = Rival::parse(line).expect("a rival");
        assert_eq!((rival.label().as_str(), rival.per_second, rival.depth), ("A, B", Some(6.63e11), 9));
        for wrong in
            [line.replace("https://example.org, run here", ""), line.replace("raw", "cooked"), "A\tB".to_owned()]
        {
            assert_eq!(Rival::parse(&wrong), None, "{wrong}");
        }
    }
}
