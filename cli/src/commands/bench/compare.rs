//! An earlier measurement, to compare with.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::failure::Failure;

/// What is needed of the JSON.
#[derive(Deserialize)]
pub(super) struct Old {
    command: String,
    subjects: Vec<Subject>,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Subject {
    backend: String,
    device: String,
    variant: String,
}

/// A row.
#[derive(Deserialize)]
pub(super) struct Row {
    subject: usize,
    position: String,
    deduplicated: bool,
    pub(super) depth: u32,
    pub(super) per_second: f64,
}

impl Old {
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let name = file.display();
        let text =
            fs::read_to_string(file).map_err(|error| Failure::Input(format!("{name} could not be read: {error}.")))?;
        let expected = format!("{name} is not what kogge bench --json prints");
        let old: Self = serde_json::from_str(&text).map_err(|error| Failure::Input(format!("{expected}: {error}.")))?;
        match old.command.as_str() {
            "bench" => Ok(old),
            other => Err(Failure::Input(format!("{expected}, but what kogge {other} does."))),
        }
    }

    /// Which subject of the earlier measurement a subject is compared with: the same device and variant, or else the only
    /// one of the same backend.
    pub(super) fn subject(&self, backend: &str, device: &str, variant: &str) -> Option<usize> {
        let all = || self.subjects.iter().enumerate().filter(|(_, old)| old.backend == backend);
        if let Some((same, _)) = all().find(|(_, old)| old.device == device && old.variant == variant) {
            return Some(same);
        }
        let mut others = all().map(|(index, _)| index);
        others.next().filter(|_| others.next().is_none())
    }

    /// The row of a subject about this position.
    pub(super) fn row(&self, subject: usize, position: &str, deduplicated: bool) -> Option<&Row> {
        let is_same =
            |row: &&Row| row.subject == subject && row.position == position && row.deduplicated == deduplicated;
        self.rows.iter().find(is_same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_compared_with_the_same_or_the_only_one() {
        let subject = |backend: &str, device: &str, variant: &str| Subject {
            backend: backend.to_owned(),
            device: device.to_owned(),
            variant: variant.to_owned(),
        };
        let subjects =
            vec![subject("cpu", "2 threads", "bmi"), subject("cpu", "2 threads", "avx2"), subject("wgpu", "A", "x")];
        let old = Old { command: "bench".to_owned(), subjects, rows: Vec::new() };
        assert_eq!(old.subject("cpu", "2 threads", "avx2"), Some(1));
        assert_eq!(old.subject("cpu", "4 threads", "avx2"), None);
        assert_eq!(old.subject("wgpu", "B", "y"), Some(2));
        assert_eq!(old.subject("mailbox", "A", "x"), None);
    }
}
