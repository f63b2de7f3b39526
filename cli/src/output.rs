//! What is printed: text for people, or JSON.

use std::io::{self, BufWriter, Stdout, Write, stderr, stdout};
use std::num::NonZeroUsize;
use std::time::Duration;

use kogge_board::DeviceInfo;
use kogge_driver::PlannedPly;
use serde::Serialize;

use crate::backends::Opened;

/// Standard output, as text or as JSON. Nothing is printed but through this, so that a closed pipe is
/// an error that can be handled.
pub(crate) struct Output {
    to: BufWriter<Stdout>,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool) -> Self {
        Self { to: BufWriter::new(stdout()), json, quiet }
    }

    /// Prints one JSON object on a line of its own if JSON is asked for, else what `text` writes.
    pub(crate) fn print(
        &mut self,
        value: &impl Serialize,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.json {
            serde_json::to_writer(&mut self.to, value)?;
            writeln!(self.to)?;
        } else {
            text(&mut self.to)?;
        }
        self.to.flush()
    }

    /// Prints something that is not for people and not JSON either.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        self.to.flush()
    }

    /// Prints a line for people beside the answer: times and rates. Not if quiet.
    pub(crate) fn aside(&mut self, text: &str) -> io::Result<()> {
        if !self.json && !self.quiet {
            writeln!(self.to, "{text}")?;
            self.to.flush()?;
        }
        Ok(())
    }

    /// Says something on standard error, unless quiet.
    pub(crate) fn note(&self, sentence: &str) {
        if !self.quiet {
            // A closed standard error means that nobody wants to know.
            let _ = writeln!(stderr(), "note: {sentence}");
        }
    }

    /// Says what is wrong on standard error.
    pub(crate) fn complain(&self, sentence: &str) {
        let _ = writeln!(stderr(), "error: {sentence}");
    }
}

/// Who computed.
#[derive(Serialize)]
pub(crate) struct Device {
    backend: &'static str,
    device: String,
    driver: String,
    kind: String,
    variant: String,
    memory: Option<u64>,
}

impl From<&DeviceInfo> for Device {
    fn from(info: &DeviceInfo) -> Self {
        Self {
            backend: info.backend,
            device: info.name.clone(),
            driver: info.driver.clone(),
            kind: info.kind.to_string(),
            variant: info.variant.clone(),
            memory: info.memory,
        }
    }
}

/// How a tree was or would be counted by merged plies.
#[derive(Serialize)]
pub(crate) struct Plan {
    /// Bytes that may be used.
    memory: u64,
    plies: Vec<Ply>,
    below: u32,
    below_seconds: f64,
    raw_seconds: Option<f64>,
}

#[derive(Serialize)]
struct Ply {
    ply: u32,
    positions: u64,
    measured: bool,
    bytes: u64,
    partitions: u32,
    seconds: f64,
}

impl From<kogge_driver::Plan> for Plan {
    fn from(plan: kogge_driver::Plan) -> Self {
        let kogge_driver::Plan { memory, plies, below, below_seconds, raw_seconds, .. } = plan;
        let plies = plies.into_iter().map(|ply| {
            let PlannedPly { ply, positions, measured, bytes, partitions, seconds } = ply;
            Ply { ply, positions, measured, bytes, partitions, seconds }
        });
        Self { memory, plies: plies.collect(), below, below_seconds, raw_seconds }
    }
}

/// How long counting took, and by whom.
#[derive(Serialize)]
pub(crate) struct Effort {
    seconds: f64,
    per_second: f64,
    /// Whether the last two plies were counted without making their positions, as far as possible.
    bulk: bool,
    /// Whether equal positions were merged.
    pub(crate) deduplicated: bool,
    /// Bytes of the hash table; the text has it in the variant.
    hash: Option<NonZeroUsize>,
    /// Why `auto` looked for a GPU or did not.
    chosen: Option<String>,
    #[serde(flatten)]
    device: Device,
}

impl Effort {
    /// Counting, as fast as the backend can.
    pub(crate) fn counting(opened: &Opened, counted: u128, elapsed: Duration) -> Self {
        Self { bulk: opened.bulk, hash: opened.hash, ..Self::making(opened, counted, elapsed, false) }
    }

    /// Making every position.
    pub(crate) fn making(opened: &Opened, counted: u128, elapsed: Duration, deduplicated: bool) -> Self {
        let per_second = counted as f64 / elapsed.as_secs_f64().max(1e-9);
        let device = opened.backend.info().into();
        let chosen = opened.chosen.clone();
        Self { seconds: elapsed.as_secs_f64(), per_second, bulk: false, deduplicated, hash: None, chosen, device }
    }

    /// `4.12 s, 775 M leaves/s (...); cpu: CPU, 2 threads, avx2`, and on a line of its own why.
    pub(crate) fn text(&self, unit: &str) -> String {
        self.text_with(unit, "")
    }

    /// The same with how it was done, before why.
    pub(crate) fn text_with(&self, unit: &str, how: &str) -> String {
        let bulk = if self.bulk { "last two plies in closed form" } else { "every leaf made" };
        let merged = if self.deduplicated { "equal positions merged" } else { "not deduplicated" };
        let Device { backend, device, variant, .. } = &self.device;
        let chosen = self.chosen.as_ref().map_or(String::new(), |reason| format!("\n{reason}"));
        format!(
            "{:.3} s, {} {unit}/s ({bulk}, {merged}); {backend}: {device}, {variant}{how}{chosen}",
            self.seconds,
            magnitude(self.per_second)
        )
    }
}

/// How many a second: `775 M`.
pub(crate) fn rate(counted: u128, elapsed: Duration) -> String {
    magnitude(counted as f64 / elapsed.as_secs_f64().max(1e-9))
}

/// Three digits and a prefix, or a power of ten beyond those that people know.
pub(crate) fn magnitude(number: f64) -> String {
    let (scale, prefix) = match number {
        1e15.. => return format!("{number:.2e}"),
        1e12.. => (1e12, "T"),
        1e9.. => (1e9, "G"),
        1e6.. => (1e6, "M"),
        1e3.. => (1e3, "k"),
        _ => (1.0, ""),
    };
    let scaled = number / scale;
    let digits = match scaled {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{scaled:.digits$} {prefix}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_three_digits() {
        for (counted, text) in [(0, "0.00"), (7, "7.00"), (12_345, "12.3 k"), (3_195_901_860, "3.20 G")] {
            assert_eq!(rate(counted, Duration::from_secs(1)), text);
        }
        assert_eq!(rate(5_000_000_000_000, Duration::from_secs(2)), "2.50 T");
        assert_eq!(rate(2_198_670_980_161_442_470_610_996_153_951_315, Duration::from_secs(1)), "2.20e33");
    }
}
