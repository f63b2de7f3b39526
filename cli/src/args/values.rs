//! The types of arguments, and their parsers.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread::available_parallelism;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kogge::{BackendName, Format, Leaves, MAX_DEPTH, NamedDevice};

/// The largest number of threads accepted: more than any machine has cores.
const MAX_THREADS: usize = 4096;

/// The number of threads that are started for each core, and on a small machine, at most: more only take turns, until nothing is
/// counted for many seconds.
const MOST_FOR_EACH_CORE: usize = 4;
const MOST_ON_FEW_CORES: usize = 64;

/// The smallest size accepted for a hash table or memory, in bytes; a smaller one could hold nothing.
const MIN_SIZE: usize = 1024;

/// The value of `--device`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Devices {
    /// One device of the backend that `--backend` names.
    Number(usize),
    /// All usable devices.
    All,
    /// One device or a list of devices, each with its backend.
    Named(Vec<NamedDevice>),
}

impl FromStr for Devices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            "expected a device such as opencl:1, or its number, or, for kogge perft, run, bench and selfcheck, all or a list such as \
             cpu,opencl:0"
                .to_owned()
        };
        if text == "all" {
            return Ok(Self::All);
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.parse().map(Self::Number).map_err(|_| expected());
        }
        let mut named = Vec::new();
        for part in text.split(',') {
            let device: NamedDevice = part.parse().map_err(|()| expected())?;
            if device.backend == BackendName::Auto {
                return Err(format!("{part} is no device; leave --device out"));
            }
            if named.contains(&device) {
                return Err(format!("{part} stands in the list twice"));
            }
            named.push(device);
        }
        Ok(Self::Named(named))
    }
}

/// The value of `--against`: the generator that a backend is compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Opponent {
    /// Another backend, or one of its devices.
    Backend(NamedDevice),
    /// The command that starts a UCI engine.
    Engine(String),
    /// The command that is called for each position.
    Script(String),
}

impl FromStr for Opponent {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text.split_once(':') {
            Some(("engine" | "script", command)) if command.trim().is_empty() => {
                Err("expected a command after the colon, such as engine:stockfish or script:./perft.sh")
            }
            Some(("engine", command)) => Ok(Self::Engine(command.to_owned())),
            Some(("script", command)) => Ok(Self::Script(command.to_owned())),
            _ => text.parse().map(Self::Backend).map_err(|()| {
                "expected a backend (cpu, mailbox, opencl, wgpu), which a device's number may follow as in opencl:1, an \
                 engine such as engine:stockfish, or a script such as script:./perft.sh"
            }),
        }
    }
}

/// The value of `--chess960`: whether a program is asked about Chess960.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Chess960 {
    Auto,
    On,
    Off,
}

impl Chess960 {
    /// Whether the program knows Chess960, if the user says so.
    pub(crate) fn known(self) -> Option<bool> {
        match self {
            Self::Auto => None,
            Self::On => Some(true),
            Self::Off => Some(false),
        }
    }
}

/// Reads an option of a UCI engine, `Name=Value`.
pub(crate) fn uci_option(text: &str) -> Result<(String, String), &'static str> {
    let option = text.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
    option.filter(|(name, _)| !name.is_empty()).ok_or("expected a name and a value, such as Hash=16")
}

/// The location of a ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LedgerLocation {
    /// A file.
    File(PathBuf),
    /// The address of a database.
    Database(String),
}

impl FromStr for LedgerLocation {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        // A mistaken address must not become a file name: it may hold a password, and errors repeat file names.
        let lower = text.trim_start().to_ascii_lowercase();
        let is_address = lower.contains("://")
            || lower.contains("password=")
            || (lower.starts_with("postgres") && lower.contains([':', '@']));
        Ok(if is_address { Self::Database(text.to_owned()) } else { Self::File(text.into()) })
    }
}

/// The value of `--quiescence`: how leaves are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Quiescence {
    /// By their quiescence value
    On,
    /// By the evaluation alone
    Off,
}

impl From<Quiescence> for Leaves {
    fn from(quiescence: Quiescence) -> Self {
        match quiescence {
            Quiescence::On => Self::Quiescent,
            Quiescence::Off => Self::Static,
        }
    }
}

/// The files of the castling rooks, in the order of [`kogge::Rules::castling_files`].
pub(crate) type CastlingFiles = [u8; 4];

pub(super) fn depth(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(depth) if depth <= MAX_DEPTH && !text.starts_with('+') => Ok(depth),
        _ => Err(format!("expected a number of plies from 0 to {MAX_DEPTH}")),
    }
}

pub(super) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(threads) if threads.get() <= MAX_THREADS && !text.starts_with('+') => Ok(threads),
        _ => Err(format!("expected a number of threads from 1 to {MAX_THREADS}")),
    }
}

/// Returns the number of threads to start, at most a few for each core.
pub(crate) fn sensible(threads: NonZeroUsize) -> NonZeroUsize {
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    threads.min(NonZeroUsize::new((MOST_FOR_EACH_CORE * cores).max(MOST_ON_FEW_CORES)).unwrap_or(threads))
}

/// Reads a number of bytes, such as 1.5G or 100mb. The units are powers of 1024 however they are written: K, KB or KiB.
pub(super) fn size(text: &str) -> Result<NonZeroUsize, String> {
    let lower = text.to_ascii_lowercase();
    let (number, unit) = lower.split_at(lower.find(|char: char| char.is_ascii_alphabetic()).unwrap_or(lower.len()));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let unit: Option<u64> = match unit {
        "" | "b" => Some(1),
        "k" | "kb" | "kib" => Some(1 << 10),
        "m" | "mb" | "mib" => Some(1 << 20),
        "g" | "gb" | "gib" => Some(1 << 30),
        "t" | "tb" | "tib" => Some(1 << 40),
        _ => None,
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some(unit) = unit.filter(|_| is_number(whole) && is_number(fraction)) else {
        return Err("expected a size such as 256M or 1G".to_owned());
    };
    let part = format!("0.{fraction}").parse::<f64>().map_or(0, |part| (part * unit as f64) as u64);
    let bytes = whole.parse::<u64>().ok().and_then(|whole| whole.checked_mul(unit)?.checked_add(part));
    match bytes.and_then(|bytes| usize::try_from(bytes).ok()).map(NonZeroUsize::new) {
        Some(Some(bytes)) if bytes.get() >= MIN_SIZE => Ok(bytes),
        Some(_) => Err(format!("expected a size of at least {MIN_SIZE} bytes, such as 256M or 1G")),
        None => Err(format!(
            "this is more than a machine can address; expected at most {} bytes, such as 256M or 1G",
            usize::MAX
        )),
    }
}

/// Reads a share of a whole, as a fraction or in percent.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    match number.parse::<f64>() {
        Ok(number) if number > 0.0 && number <= unit && number.is_finite() => Ok(number / unit),
        _ => Err("expected a share greater than 0 and at most 1, such as 0.01 or 1%".to_owned()),
    }
}

/// Reads the name of a format; completions offer all names.
pub(super) fn format() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>())
}

pub(super) fn castling_files(text: &str) -> Result<CastlingFiles, String> {
    match *text.as_bytes() {
        [k @ b'A'..=b'H', q @ b'A'..=b'H', black_k @ b'a'..=b'h', black_q @ b'a'..=b'h'] => {
            Ok([k - b'A', q - b'A', black_k - b'a', black_q - b'a'])
        }
        _ => Err("expected four files, two from A to H and two from a to h, such as HAha".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_numbered_named_or_all() {
        let named = |list: &[_]| Ok(Devices::Named(list.to_vec()));
        for (text, expected) in [
            ("0", Ok(Devices::Number(0))),
            ("12", Ok(Devices::Number(12))),
            ("all", Ok(Devices::All)),
            ("cpu", named(&[NamedDevice { backend: BackendName::Cpu, number: None }])),
            (
                "cpu,opencl:1",
                named(&[
                    NamedDevice { backend: BackendName::Cpu, number: None },
                    NamedDevice { backend: BackendName::Opencl, number: Some(1) },
                ]),
            ),
        ] {
            assert_eq!(text.parse(), expected, "{text}");
        }
        for text in ["", "-1", "+1", "cpu,", "all,cpu", "auto", "opencl:x", "cpu,cpu", "99999999999999999999999"] {
            assert!(text.parse::<Devices>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_have_binary_units_in_any_spelling() {
        for (text, bytes) in [
            ("1024", 1 << 10),
            ("2048B", 2 << 10),
            ("100M", 100 << 20),
            ("100MB", 100 << 20),
            ("100MiB", 100 << 20),
            ("100mib", 100 << 20),
            ("1g", 1 << 30),
            ("1GB", 1 << 30),
            ("1.5G", 3 << 29),
            ("0.25tb", 1 << 38),
            ("1.0009765625K", 1025),
        ] {
            assert_eq!(size(text).map(NonZeroUsize::get), Ok(bytes), "{text}");
        }
        for text in ["", "G", "-1G", "+1G", "1.G", ".5G", "1.5.2G", "1e3", "1 G", "1GBB", "1ib", "1Gb/s", "\u{661}G"] {
            assert_eq!(size(text), Err("expected a size such as 256M or 1G".to_owned()), "{text}");
        }
        for text in ["0", "0G", "1023", "0.5K", "0.0000001M"] {
            assert!(size(text).is_err_and(|error| error.contains("at least 1024 bytes")), "{text}");
        }
        for text in ["17179869184G", "99999999999999T", "99999999999999999999999999"] {
            assert!(size(text).is_err_and(|error| error.contains("at most 18446744073709551615 bytes")), "{text}");
        }
    }

    #[test]
    fn mistaken_addresses_are_no_files() {
        for text in [
            "postgres://me:secret@host/name",
            " postgres://me:secret@host/name",
            "Postgres:me:secret@host/name",
            "postgres//me:secret@host/name",
            "postgres+ssl://me:secret@host/name",
            "jdbc:postgresql://host/name?password=secret",
            "mysql://me:secret@host/name",
            "host=host user=me password=secret",
        ] {
            assert_eq!(text.parse(), Ok(LedgerLocation::Database(text.to_owned())), "{text}");
        }
        for text in ["six.ledger", "postgres.ledger", "a@b", "C:\\ledgers\\postgres", "./postgres:1", "/tmp/a:b"] {
            assert_eq!(text.parse(), Ok(LedgerLocation::File(text.into())), "{text}");
        }
    }
}
