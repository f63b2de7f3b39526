//! The types of arguments, and their parsers.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread::available_parallelism;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kogge_board::{Format, Leaves};
use kogge_devices::{BackendName, NamedDevice};
use kogge_driver::MAX_DEPTH;

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

/// The files of the castling rooks, in the order of [`kogge_board::Rules::castling_files`].
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

/// Reads a number of bytes; the suffixes K, M, G and T are powers of 1024.
pub(super) fn size(text: &str) -> Result<NonZeroUsize, String> {
    let (digits, shift) = match text.as_bytes() {
        [.., b'K' | b'k'] => (&text[..text.len() - 1], 10),
        [.., b'M' | b'm'] => (&text[..text.len() - 1], 20),
        [.., b'G' | b'g'] => (&text[..text.len() - 1], 30),
        [.., b'T' | b't'] => (&text[..text.len() - 1], 40),
        _ => (text, 0),
    };
    let number = digits.parse::<usize>().ok().filter(|_| !digits.starts_with('+'));
    let bytes = number.and_then(|number| number.checked_mul(1 << shift));
    match bytes.and_then(NonZeroUsize::new) {
        Some(bytes) if bytes.get() >= MIN_SIZE => Ok(bytes),
        None if !digits.is_empty()
            && digits.bytes().all(|digit| digit.is_ascii_digit())
            && !digits.trim_matches('0').is_empty() =>
        {
            Err(format!(
                "this is more than a machine can address; expected at most {} bytes, such as 256M or 1G",
                usize::MAX
            ))
        }
        _ => Err(format!("expected a size of at least {MIN_SIZE} bytes, such as 256M or 1G")),
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
