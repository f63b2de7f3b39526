//! The report of `kogge selfcheck`, made to be pasted.

use std::io::{self, Write};

use kogge::board::soak::ComparisonCounts;
use kogge::driver::selfcheck::{Checked, Verdict};
use kogge::{Cpu, DeviceInfo, OpenError};
use serde::Serialize;

use crate::machine::Machine;
use crate::outcome::{Answer, Failure};
use crate::output::{Device, magnitude};

#[derive(Serialize)]
pub(super) struct Report {
    command: &'static str,
    kogge: &'static str,
    #[serde(flatten)]
    machine: Machine,
    /// The variants of the CPU code that this CPU can run.
    variants: Vec<&'static str>,
    /// The duration of the comparison in seconds, and the seed of its positions.
    seconds: u32,
    seed: u64,
    devices: Vec<Row>,
}

/// The result of one device.
#[derive(Default, Serialize)]
pub(super) struct Row {
    backend: &'static str,
    /// The number to give to `--device`.
    number: Option<usize>,
    result: Outcome,
    /// The wrong answer, or the reason why the device failed or was not checked.
    reason: Option<String>,
    info: Option<Device>,
    self_tests: u32,
    known_counts: u32,
    known_leaves: u128,
    /// Leaves per second in the fastest published count, if one took long enough to tell.
    per_second: Option<f64>,
    positions: u64,
    /// The number of positions that were also compared three plies deep.
    deeper: u64,
    /// The number of positions whose values were compared.
    searched: u64,
    leaves: u128,
}

/// The reason why a device is not checked.
pub(super) enum Absence {
    /// The device does not exist, or lacks a feature that kogge needs.
    Absent(String),
    /// The device exists but cannot be opened.
    Broken(OpenError),
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    #[default]
    Right,
    Wrong,
    Failed,
    Absent,
}

impl Report {
    pub(super) fn new(machine: Machine, seconds: u32, seed: u64, devices: Vec<Row>) -> Self {
        let kogge = env!("CARGO_PKG_VERSION");
        Self { command: "selfcheck", kogge, machine, variants: Cpu::variants(), seconds, seed, devices }
    }

    fn count(&self, outcome: Outcome) -> usize {
        self.devices.iter().filter(|row| row.result == outcome).count()
    }

    pub(super) fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let Self { kogge, machine, variants, seconds, seed, devices, .. } = self;
        let processor = machine.processor.as_deref().unwrap_or("unknown");
        writeln!(to, "{:<10} {kogge}, selfcheck --seconds {seconds} --seed {seed}", "kogge")?;
        writeln!(to, "{:<10} {}, {} threads", "system", machine.system, machine.cores)?;
        writeln!(to, "{:<10} {processor}, variants {}", "CPU", variants.join(", "))?;
        for row in devices {
            writeln!(to)?;
            row.write(to)?;
        }
        writeln!(to, "\n{}", self.summary())
    }

    fn summary(&self) -> String {
        let checked = self.devices.len() - self.count(Outcome::Absent);
        match (self.count(Outcome::Wrong), self.count(Outcome::Failed)) {
            (0, 0) if checked == 0 => "There is no device to check.".to_owned(),
            (0, 0) => "Everything agrees.".to_owned(),
            (0, failed) => format!("{failed} of {checked} devices failed."),
            (1, _) => format!("1 of {checked} devices is wrong."),
            (wrong, _) => format!("{wrong} of {checked} devices are wrong."),
        }
    }

    /// Returns the answer "no" if a device is wrong.
    ///
    /// # Errors
    /// If a device failed, or if there is none.
    pub(super) fn answer(&self) -> Result<Answer, Failure> {
        if self.count(Outcome::Wrong) > 0 {
            return Ok(Answer::No);
        }
        if self.count(Outcome::Right) == 0 || self.count(Outcome::Failed) > 0 {
            return Err(Failure::Device(self.summary()));
        }
        Ok(Answer::Done)
    }
}

impl Row {
    pub(super) fn new(backend: &'static str, number: Option<usize>) -> Self {
        Self { backend, number, ..Self::default() }
    }

    pub(super) fn missing(backend: &'static str, number: Option<usize>, missing: Absence) -> Self {
        let (result, reason) = match missing {
            Absence::Absent(reason) => (Outcome::Absent, reason),
            Absence::Broken(error) if error.is_wrong_answer() => (Outcome::Wrong, error.to_string()),
            Absence::Broken(error) => (Outcome::Failed, error.to_string()),
        };
        Self { result, reason: Some(reason), ..Self::new(backend, number) }
    }

    /// Adds the result of a device.
    pub(super) fn fill(&mut self, info: &DeviceInfo, checked: Checked) {
        let Checked { self_tests, known, known_leaves, rate, random, verdict } = checked;
        let ComparisonCounts { two_plies, three_plies, searched, leaves } = random;
        self.info = Some(info.into());
        self.per_second = (rate > 0.0).then_some(rate);
        (self.self_tests, self.known_counts, self.known_leaves) = (self_tests, known, known_leaves);
        (self.positions, self.deeper, self.searched, self.leaves) = (two_plies, three_plies, searched, leaves);
        (self.result, self.reason) = match verdict {
            Verdict::Right => (Outcome::Right, None),
            Verdict::Wrong(reason) => (Outcome::Wrong, Some(reason)),
            Verdict::Failed(reason) => (Outcome::Failed, Some(reason)),
        };
    }

    fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let name = self.number.map_or(self.backend.to_owned(), |number| format!("{}:{number}", self.backend));
        let reason = self.reason.as_deref().unwrap_or_default();
        let work = || {
            let random = match self.backend {
                "mailbox" => "the reference of the comparison".to_owned(),
                _ => format!(
                    "{} random positions ({} leaves; {} searched)",
                    self.positions,
                    magnitude(self.leaves as f64),
                    self.searched
                ),
            };
            let known = magnitude(self.known_leaves as f64);
            let rate = self.per_second.map_or(String::new(), |rate| format!(", up to {} leaves/s", magnitude(rate)));
            format!(
                "{} self-tests, {} published counts ({known} leaves{rate}), {random}",
                self.self_tests, self.known_counts
            )
        };
        let result = match self.result {
            Outcome::Right => format!("right: {}", work()),
            Outcome::Wrong if self.info.is_some() => format!("WRONG: {reason}\nafter {}", work()),
            Outcome::Failed if self.info.is_some() => format!("FAILED: {reason}\nafter {}", work()),
            Outcome::Wrong => format!("WRONG: {reason}"),
            Outcome::Failed => format!("FAILED: {reason}"),
            Outcome::Absent => format!("not there: {reason}"),
        };
        let device = self.info.as_ref().map(Device::full);
        let mut margin = format!("{name:<10} ");
        for line in device.iter().flat_map(|text| text.lines()).chain(result.lines()) {
            writeln!(to, "{margin}{line}")?;
            margin = " ".repeat(11);
        }
        Ok(())
    }
}
