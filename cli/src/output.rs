//! The output: text, or JSON.

use std::io::{self, BufWriter, Stdout, Write, stderr, stdout};
use std::num::NonZeroUsize;
use std::time::Duration;

use kogge::{DeviceInfo, Opened};
use serde::Serialize;

use crate::args::Common;
use crate::printing::printing;

/// Makes a record for the JSON: a structure with these fields, in this order.
macro_rules! record {
    ($($(#[$attribute:meta])* $field:ident $(: $value:expr)?),* $(,)?) => {{
        // Each field has a type parameter with the field's name.
        #[allow(non_camel_case_types)]
        let record = {
            #[derive(serde::Serialize)]
            struct Record<$($field),*> {
                $($(#[$attribute])* $field: $field,)*
            }
            Record { $($field $(: $value)?),* }
        };
        record
    }};
}
pub(crate) use record;

/// Writes standard output, as text or as JSON. All output goes through this type, so that a closed pipe becomes an
/// error that `main` handles.
pub(crate) struct Output {
    to: BufWriter<Stdout>,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
}

/// Lines below an answer, such as the time and the rate.
pub(crate) struct Aside {
    /// The usual text.
    brief: String,
    /// The text with `--verbose`.
    full: String,
}

impl Aside {
    pub(crate) fn new(brief: String, full: String) -> Self {
        Self { brief, full }
    }
}

impl From<String> for Aside {
    fn from(text: String) -> Self {
        Self::new(text.clone(), text)
    }
}

impl Output {
    pub(crate) fn new(common: &Common) -> Self {
        let &Common { json, quiet, verbose, .. } = common;
        Self { to: BufWriter::new(stdout()), json, quiet, verbose }
    }

    /// Prints the value as one line of JSON, or the text that `text` writes.
    pub(crate) fn print(
        &mut self,
        value: &impl Serialize,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        printing(|| {
            if self.json {
                serde_json::to_writer(&mut self.to, value)?;
                writeln!(self.to)?;
            } else {
                text(&mut Printable(&mut self.to))?;
            }
            self.to.flush()
        })
    }

    /// Prints bytes as they are, such as a script or a man page.
    pub(crate) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)?;
        self.to.flush()
    }

    /// Prints lines below the answer, unless `--json` or `--quiet` is set.
    pub(crate) fn aside(&mut self, Aside { brief, full }: &Aside) -> io::Result<()> {
        if !self.json && !self.quiet {
            printing(|| {
                writeln!(Printable(&mut self.to), "{}", if self.verbose { full } else { brief })?;
                self.to.flush()
            })?;
        }
        Ok(())
    }

    /// Prints a note on standard error, unless `--quiet` is set.
    pub(crate) fn note(&self, sentence: &str) {
        if !self.quiet {
            // If standard error is closed, the note has no reader.
            let _ = writeln!(stderr(), "note: {}", printable(sentence));
        }
    }

    /// Prints an error on standard error.
    pub(crate) fn complain(&self, sentence: &str) {
        let _ = writeln!(stderr(), "error: {}", printable(sentence));
    }
}

/// The device that did the work.
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

/// Returns a device's name without the properties that drivers add in parentheses.
pub(crate) fn bare_name(device: &str) -> &str {
    device.split(" (").next().unwrap_or(device)
}

/// Names a device in a few words, such as `cpu: CPU, 2 threads`.
pub(crate) fn brief(backend: &str, device: &str) -> String {
    format!("{backend}: {}", bare_name(device))
}

impl Device {
    /// Names the device with its driver and its variant.
    pub(crate) fn full(&self) -> String {
        format!("{}; {}; {}", self.device, self.driver, self.variant)
    }

    /// Names the device in a few words.
    pub(crate) fn brief(&self) -> String {
        brief(self.backend, &self.device)
    }
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}, {}", self.backend, self.device, self.variant)
    }
}

/// The time that counting took, and the device that did it.
#[derive(Serialize)]
pub(crate) struct Effort {
    seconds: f64,
    /// The time before that, in which the device was opened.
    #[serde(skip)]
    opening: Duration,
    per_second: f64,
    /// Whether the last two plies were counted in closed form as far as possible.
    bulk: bool,
    /// Whether equal positions were merged.
    pub(crate) deduplicated: bool,
    /// The size of the hash table in bytes; the text shows it as part of the variant.
    hash: Option<NonZeroUsize>,
    /// The reason why `auto` tried GPUs or did not.
    chosen: Option<String>,
    #[serde(flatten)]
    device: Device,
}

impl Effort {
    /// Returns the effort of counting with the backend's fastest method.
    pub(crate) fn counting(opened: &Opened, counted: u128, elapsed: Duration) -> Self {
        Self { bulk: opened.bulk, hash: opened.hash, ..Self::making(opened, counted, elapsed, false) }
    }

    /// Returns the effort of work that makes every position instead of counting in closed form.
    pub(crate) fn making(opened: &Opened, counted: u128, elapsed: Duration, deduplicated: bool) -> Self {
        let per_second = per_second(counted, elapsed);
        let device = opened.backend.info().into();
        let chosen = opened.chosen.clone();
        Self {
            seconds: elapsed.as_secs_f64(),
            opening: opened.opening,
            per_second,
            bulk: false,
            deduplicated,
            hash: None,
            chosen,
            device,
        }
    }

    /// Formats the effort as `4.12 s, 775 M leaves/s; cpu: CPU, 2 threads`. The full text also names the way of counting;
    /// its second line gives the reason for the choice of the device.
    pub(crate) fn text(&self, unit: &str) -> Aside {
        self.text_with(unit, "")
    }

    /// Formats the effort, with `how` before the reason.
    pub(crate) fn text_with(&self, unit: &str, how: &str) -> Aside {
        let bulk = if self.bulk { "last two plies in closed form" } else { "every leaf made" };
        let merged = if self.deduplicated { "equal positions merged" } else { "equal positions not merged" };
        let Device { backend, device, variant, .. } = &self.device;
        let chosen = self.chosen.as_ref().map_or(String::new(), |reason| format!("\n{reason}"));
        // A short time is part of starting any program.
        let opening = match self.opening.as_secs_f64() {
            seconds @ 0.5.. => format!(", after {seconds:.1} s to open the device"),
            _ => String::new(),
        };
        let rate = format!("{:.3} s{opening}, {} {unit}/s", self.seconds, magnitude(self.per_second));
        let full = format!("{rate} ({bulk}, {merged}); {backend}: {device}, {variant}{how}{chosen}");
        Aside::new(format!("{rate}; {}", self.device.brief()), full)
    }
}

/// Writes [printable] text.
struct Printable<'a>(&'a mut dyn Write);

impl Write for Printable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Formats a number of things, such as `1 entry` or `7 entries`.
pub(crate) fn number_of(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Escapes control characters other than ends of lines and tabs, with which a name from a file or a program could change what the terminal shows.
pub(crate) fn printable(text: &str) -> String {
    let escape = |letter: char| match letter.is_control() && !matches!(letter, '\n' | '\t') {
        true => letter.escape_default().to_string(),
        false => letter.to_string(),
    };
    text.chars().map(escape).collect()
}

pub(crate) fn per_second(counted: u128, elapsed: Duration) -> f64 {
    counted as f64 / elapsed.as_secs_f64().max(1e-9)
}

/// Formats a rate per second, such as `775 M`.
pub(crate) fn rate(counted: u128, elapsed: Duration) -> String {
    magnitude(per_second(counted, elapsed))
}

/// Formats a number with three digits and a prefix, or with a power of ten for numbers beyond T.
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
    fn text_has_no_control_characters_but_line_ends_and_tabs() {
        let mut written = Vec::new();
        write!(Printable(&mut written), "a\tb\n\u{1b}[31mé\u{7f}\u{9b}\r\n").unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "a\tb\n\\u{1b}[31mé\\u{7f}\\u{9b}\\r\n");
    }

    #[test]
    fn rates_have_three_digits() {
        for (counted, text) in [(0, "0.00"), (7, "7.00"), (12_345, "12.3 k"), (3_195_901_860, "3.20 G")] {
            assert_eq!(rate(counted, Duration::from_secs(1)), text);
        }
        assert_eq!(rate(5_000_000_000_000, Duration::from_secs(2)), "2.50 T");
        assert_eq!(rate(2_198_670_980_161_442_470_610_996_153_951_315, Duration::from_secs(1)), "2.20e33");
    }
}
