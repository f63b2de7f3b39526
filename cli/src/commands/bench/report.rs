//! The report of `kogge bench`, as JSON and as tables.

use std::io::{self, Write};

use kogge::driver::{
    bench::packing::Cost,
    bench::{self, Times},
};
use kogge::{DeviceInfo, known::KnownCounts};
use serde::Serialize;

use super::compare::{self, Counterpart, Old};
use crate::machine::Machine;
use crate::output::{Device, magnitude};

/// A row is noisy if its spread exceeds this share.
const NOISY: f64 = 0.1;

/// The whole report.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) command: &'static str,
    /// The version of kogge.
    pub(super) kogge: &'static str,
    /// Seconds since 1970.
    pub(super) began: u64,
    #[serde(flatten)]
    pub(super) machine: Machine,
    /// The seconds for the whole measurement.
    pub(super) seconds: f64,
    pub(super) repetitions: u32,
    /// The earlier file to compare with.
    pub(super) compared: Option<String>,
    pub(super) subjects: Vec<SubjectRecord>,
    pub(super) rows: Vec<Row>,
    pub(super) packing: Vec<Packing>,
    pub(super) failed: Vec<DeviceFailure>,
}

/// A device that was measured: a subject.
#[derive(Serialize)]
pub(super) struct SubjectRecord {
    #[serde(flatten)]
    device: Device,
    /// Whether the last two plies are counted in closed form.
    bulk: bool,
    /// The device and variant of its counterpart in the earlier measurement.
    pub(super) compared_with: Option<String>,
    #[serde(skip)]
    pub(super) text: String,
}

/// The count of one position by one subject.
#[derive(Serialize)]
pub(super) struct Row {
    /// Index into `subjects`.
    subject: usize,
    position: &'static str,
    fen: String,
    deduplicated: bool,
    depth: u32,
    nodes: u128,
    /// The median of the three least times.
    seconds: f64,
    spread: f64,
    noisy: bool,
    per_second: f64,
    /// The speed relative to the earlier measurement.
    ratio: Option<f64>,
    /// All times, in the order of measuring.
    times: Vec<f64>,
    /// The time of each depth from 1 on.
    climb: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    depth: u32,
    nodes: u128,
    seconds: f64,
}

/// The times of one packed format.
#[derive(Serialize)]
pub(super) struct Packing {
    format: &'static str,
    bytes: usize,
    /// Nanoseconds per position.
    pack: f64,
    pack_spread: f64,
    unpack: f64,
    unpack_spread: f64,
    /// The speed relative to the earlier measurement.
    pack_ratio: Option<f64>,
    unpack_ratio: Option<f64>,
}

/// A device that could not be opened, failed or miscounted.
#[derive(Serialize)]
pub(super) struct DeviceFailure {
    pub(super) backend: &'static str,
    pub(super) device: Option<String>,
    pub(super) variant: Option<String>,
    pub(super) reason: String,
}

impl SubjectRecord {
    pub(super) fn new(info: &DeviceInfo, bulk: bool, before: Option<(&Old, Counterpart)>) -> Self {
        let text = format!("{}: {}, {}", info.backend, info.name, info.variant);
        let compared_with = before.map(|(old, before)| old.name(before.subject));
        Self { device: Device::from(info), bulk, compared_with, text }
    }
}

impl Packing {
    pub(super) fn new(Cost { format, pack, unpack }: &Cost, old: Option<&Old>) -> Self {
        let old = old.and_then(|old| old.packing(*format));
        Self {
            format: format.name(),
            bytes: format.size(),
            pack: pack.typical(),
            pack_spread: pack.spread(),
            unpack: unpack.typical(),
            unpack_spread: unpack.spread(),
            pack_ratio: old.map(|old| old.pack / pack.typical()),
            unpack_ratio: old.map(|old| old.unpack / unpack.typical()),
        }
    }
}

impl Row {
    /// Describes a measured row; `old` is the same row of the earlier measurement.
    pub(super) fn new(row: &bench::BenchRow, known: &KnownCounts, old: Option<&compare::Row>) -> Self {
        let Times { all: times } = row.times.clone();
        let (seconds, spread) = (row.times.typical(), row.times.spread());
        let per_second = row.leaves as f64 / seconds.max(1e-9);
        let step = |(depth, &seconds)| Step { depth, nodes: known.leaves(depth).unwrap_or(0), seconds };
        Self {
            subject: row.task.subject,
            position: known.name,
            fen: known.root.to_string(),
            deduplicated: row.task.deduplicated,
            depth: row.depth,
            nodes: row.leaves,
            seconds,
            spread,
            noisy: spread > NOISY,
            per_second,
            ratio: old.filter(|old| old.depth == row.depth).map(|old| per_second / old.per_second),
            times,
            climb: (1..).zip(&row.climb).map(step).collect(),
        }
    }
}

impl Report {
    pub(super) fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let ratio = if self.compared.is_some() { "   ratio" } else { "" };
        for (index, subject) in self.subjects.iter().enumerate() {
            let rows: Vec<_> = self.rows.iter().filter(|row| row.subject == index).collect();
            if rows.is_empty() {
                continue;
            }
            writeln!(to, "{}", subject.text)?;
            writeln!(
                to,
                "{:<10}{:<8}{:>5}  {:>22}  {:>10}  {:>8}  {:>9}{ratio}",
                "position", "counted", "depth", "leaves", "seconds", "spread", "leaves/s"
            )?;
            for row in rows {
                let how = if row.deduplicated { "merged" } else { "raw" };
                let spread = if row.times.len() > 1 { format!("{:.1} %", 100.0 * row.spread) } else { "-".to_owned() };
                let ratio = self.ratio(row.ratio);
                writeln!(
                    to,
                    "{:<10}{how:<8}{:>5}  {:>22}  {:>10.6}  {spread:>8}  {:>9}{ratio}",
                    row.position,
                    row.depth,
                    row.nodes,
                    row.seconds,
                    magnitude(row.per_second)
                )?;
            }
            writeln!(to)?;
        }
        writeln!(to, "{:<10}{:>6}  {:>10}{ratio}  {:>10}{ratio}", "format", "bytes", "pack, ns", "unpack, ns")?;
        for Packing { format, bytes, pack, unpack, pack_ratio, unpack_ratio, .. } in &self.packing {
            let (packed, unpacked) = (self.ratio(*pack_ratio), self.ratio(*unpack_ratio));
            writeln!(to, "{format:<10}{bytes:>6}  {pack:>10.2}{packed}  {unpack:>10.2}{unpacked}")?;
        }
        Ok(())
    }

    /// Formats the ratio column, empty if nothing is compared.
    fn ratio(&self, ratio: Option<f64>) -> String {
        match (&self.compared, ratio) {
            (None, _) => String::new(),
            (Some(_), None) => format!("{:>8}", "-"),
            (Some(_), Some(ratio)) => format!("{ratio:>7.2}x"),
        }
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let mut warnings: Vec<_> = self.machine.busy().into_iter().collect();
        if self.repetitions == 1 {
            warnings.push("The rows were timed once each, which says nothing about noise.".to_owned());
        }
        let noisy = self.rows.iter().filter(|row| row.noisy).count();
        if noisy > 0 {
            warnings.push(format!(
                "The three least times of {noisy} of {} rows lie further apart than {:.0} %: measure again on an idle machine.",
                self.rows.len(),
                100.0 * NOISY
            ));
        }
        warnings
    }
}
