//! Reads an earlier measurement to compare with.

use std::fs;
use std::path::Path;

use kogge::{DeviceInfo, Format};
use serde::Deserialize;

use crate::outcome::Failure;

/// The part of the JSON that the comparison needs.
#[derive(Deserialize)]
pub(super) struct Old {
    command: String,
    /// The name of the CPU, if it was known.
    pub(super) processor: Option<String>,
    subjects: Vec<Subject>,
    rows: Vec<Row>,
    #[serde(default)]
    packing: Vec<Packing>,
}

#[derive(Deserialize)]
struct Subject {
    backend: String,
    device: String,
    variant: String,
}

/// The count of one position by one subject.
#[derive(Deserialize)]
pub(super) struct Row {
    subject: usize,
    position: String,
    deduplicated: bool,
    pub(super) depth: u32,
    pub(super) per_second: f64,
}

/// The times of one packed format, in nanoseconds.
#[derive(Deserialize)]
pub(super) struct Packing {
    format: String,
    pub(super) pack: f64,
    pub(super) unpack: f64,
}

/// The earlier subject that a current one is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Counterpart {
    /// The index of the earlier subject.
    pub(super) subject: usize,
    /// Whether it is the same device and variant.
    pub(super) is_same: bool,
}

impl Old {
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let name = file.display();
        let text =
            fs::read_to_string(file).map_err(|error| Failure::Input(format!("{name} could not be read: {error}.")))?;
        Self::parse(&text).map_err(|reason| Failure::Input(format!("{name} {reason}")))
    }

    /// Reads the output of `kogge bench --json`, either alone or within the result file of a bundle's script. The error
    /// completes a sentence that begins with the file's name.
    fn parse(text: &str) -> Result<Self, String> {
        let expected = "is not what kogge bench --json prints";
        let whole: serde_json::Value = serde_json::from_str(text).map_err(|error| format!("{expected}: {error}."))?;
        let bench = whole.get("bench").unwrap_or(&whole);
        if bench.is_null() {
            return Err("has no measurement: on that machine, the bench was left out or failed.".to_owned());
        }
        let old = Self::deserialize(bench).map_err(|error| format!("{expected}: {error}."))?;
        if old.command != "bench" {
            return Err(format!("{expected}, but what kogge {} does.", old.command));
        }
        let is_measured = |number: f64| number.is_finite() && number > 0.0;
        if let Some(Row { position, per_second, .. }) = old.rows.iter().find(|row| !is_measured(row.per_second)) {
            return Err(format!("is damaged: it says that {position} was counted at {per_second} leaves a second."));
        }
        let costs = |cost: &&Packing| !is_measured(cost.pack) || !is_measured(cost.unpack);
        if let Some(Packing { format, pack, unpack }) = old.packing.iter().find(costs) {
            return Err(format!(
                "is damaged: it says that {format} was packed in {pack} ns and unpacked in {unpack} ns."
            ));
        }
        Ok(old)
    }

    /// Finds the counterpart of each subject: the first unmatched one with the same device and variant. If a backend
    /// then has exactly one unmatched subject in each measurement, these two are counterparts.
    pub(super) fn counterparts(&self, subjects: &[DeviceInfo]) -> Vec<Option<Counterpart>> {
        let mut found = vec![None; subjects.len()];
        let mut left: Vec<usize> = (0..self.subjects.len()).collect();
        for (info, found) in subjects.iter().zip(&mut found) {
            if let Some(index) = left.iter().position(|&old| self.subjects[old].is(info)) {
                *found = Some(Counterpart { subject: left.remove(index), is_same: true });
            }
        }
        let alone: Vec<usize> = (0..subjects.len()).filter(|&new| found[new].is_none()).collect();
        for &new in &alone {
            let backend = subjects[new].backend;
            let mut others = left.iter().filter(|&&old| self.subjects[old].backend == backend);
            let is_only = alone.iter().all(|&other| other == new || subjects[other].backend != backend);
            if let (true, Some(&subject), None) = (is_only, others.next(), others.next()) {
                found[new] = Some(Counterpart { subject, is_same: false });
            }
        }
        found
    }

    /// Formats the device and variant of a subject.
    pub(super) fn name(&self, subject: usize) -> String {
        let Subject { device, variant, .. } = &self.subjects[subject];
        format!("{device}, {variant}")
    }

    pub(super) fn row(&self, subject: usize, position: &str, deduplicated: bool) -> Option<&Row> {
        let is_same =
            |row: &&Row| row.subject == subject && row.position == position && row.deduplicated == deduplicated;
        self.rows.iter().find(is_same)
    }

    pub(super) fn packing(&self, format: Format) -> Option<&Packing> {
        self.packing.iter().find(|cost| cost.format == format.name())
    }
}

impl Subject {
    fn is(&self, info: &DeviceInfo) -> bool {
        self.backend == info.backend && self.device == info.name && self.variant == info.variant
    }
}

#[cfg(test)]
mod tests {
    use kogge::Backend;
    use kogge::movegen_cpu::mailbox::Mailbox;

    use super::*;

    fn old(subjects: &[[&str; 3]]) -> Old {
        let subject = |&[backend, device, variant]: &[&str; 3]| Subject {
            backend: backend.to_owned(),
            device: device.to_owned(),
            variant: variant.to_owned(),
        };
        let subjects = subjects.iter().map(subject).collect();
        Old { command: "bench".to_owned(), processor: None, subjects, rows: Vec::new(), packing: Vec::new() }
    }

    /// Returns the index of each counterpart, and whether it has the same device and variant.
    fn found(old: &Old, subjects: &[[&'static str; 3]]) -> Vec<Option<(usize, bool)>> {
        let info = |&[backend, name, variant]: &[&'static str; 3]| {
            let info = Mailbox::new().info().clone();
            DeviceInfo { backend, name: name.to_owned(), variant: variant.to_owned(), ..info }
        };
        let infos: Vec<_> = subjects.iter().map(info).collect();
        let counterparts = old.counterparts(&infos);
        counterparts.into_iter().map(|found| found.map(|found| (found.subject, found.is_same))).collect()
    }

    #[test]
    fn a_subject_is_compared_with_the_same_or_the_only_one() {
        let old = old(&[["cpu", "2 threads", "portable"], ["cpu", "2 threads", "avx2"], ["wgpu", "A", "x"]]);
        assert_eq!(found(&old, &[["cpu", "2 threads", "avx2"]]), [Some((1, true))]);
        assert_eq!(found(&old, &[["cpu", "4 threads", "avx2"]]), [None]);
        assert_eq!(found(&old, &[["wgpu", "B", "y"], ["mailbox", "A", "x"]]), [Some((2, false)), None]);
        // The first pair matches; then one subject is left in each measurement.
        let variants = [["cpu", "2 threads", "avx512"], ["cpu", "2 threads", "portable"]];
        assert_eq!(found(&old, &variants), [Some((1, false)), Some((0, true))]);
        assert_eq!(found(&old, &[["wgpu", "B", "y"], ["wgpu", "C", "y"]]), [None, None]);
        assert_eq!(old.name(2), "A, x");
    }

    #[test]
    fn equal_devices_are_compared_one_to_one() {
        let (a, b) = (["opencl", "A", "x"], ["opencl", "B", "x"]);
        assert_eq!(found(&old(&[a, b, a]), &[a, a, b]), [Some((0, true)), Some((2, true)), Some((1, true))]);
        assert_eq!(found(&old(&[a]), &[a, a]), [Some((0, true)), None]);
    }

    #[test]
    fn the_result_file_of_a_bundle_is_read() {
        let bench = r#"{"command":"bench","processor":"P","subjects":[],"rows":[]}"#;
        let bundle = format!(r#"{{"kogge":"kogge 0.1.0","devices":[],"suites":[],"bench":{bench}}}"#);
        for text in [bench, bundle.as_str()] {
            let processor = Old::parse(text).map(|old| old.processor);
            assert_eq!(processor, Ok(Some("P".to_owned())), "{text}");
        }
        let reason = Old::parse(r#"{"kogge":"kogge 0.1.0","bench":null}"#).err();
        assert!(reason.as_ref().is_some_and(|reason| reason.starts_with("has no measurement")), "{reason:?}");
    }

    #[test]
    fn impossible_numbers_are_refused() {
        for (rate, cost, reason) in [
            ("0", "1", "counted at 0 leaves a second."),
            ("-2.5", "1", "counted at -2.5 leaves a second."),
            ("1e999", "1", "number out of range"),
            ("null", "1", "invalid type: null"),
            ("5", "0", "that quad48 was packed in 1.5 ns and unpacked in 0 ns."),
            ("5", "-1", "unpacked in -1 ns."),
        ] {
            let text = format!(
                r#"{{"command":"bench","subjects":[],"rows":[{{"subject":0,"position":"pos3","deduplicated":true,"depth":2,
                "per_second":{rate}}}],"packing":[{{"format":"quad48","pack":1.5,"unpack":{cost}}}]}}"#
            );
            let found = Old::parse(&text).err();
            assert!(found.as_ref().is_some_and(|found| found.contains(reason)), "{found:?}");
        }
    }
}
