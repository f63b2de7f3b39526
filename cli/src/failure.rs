//! Why a command gave no answer, and the exit code that says so.

use std::fmt;
use std::io;

use kogge_board::BackendError;
use kogge_driver::ledger::LedgerError;
use kogge_driver::{Error, LineError};

/// The answer is no.
pub(crate) const EXIT_NO: u8 = 1;
/// The call or the input was wrong; also clap's.
const EXIT_INPUT: u8 = 2;
/// A device failed: a backend's, an engine, or what the output was written to.
const EXIT_DEVICE: u8 = 3;
/// Stopped with Ctrl-C: 128 + SIGINT, as shells have it.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

/// Why a command gave no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The answer is no; a sentence that says why there is no other.
    No(String),
    /// The call or the input was wrong; a sentence.
    Input(String),
    /// A backend or an engine failed; a sentence.
    Device(String),
    /// Ctrl-C; a sentence that says how far the work was.
    Interrupted(String),
    /// The output could not be written.
    Output(io::Error),
}

impl Failure {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::No(_) => EXIT_NO,
            Self::Input(_) => EXIT_INPUT,
            Self::Device(_) | Self::Output(_) => EXIT_DEVICE,
            Self::Interrupted(_) => EXIT_INTERRUPTED,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::No(sentence) | Self::Input(sentence) | Self::Device(sentence) | Self::Interrupted(sentence) => {
                f.write_str(sentence)
            }
            Self::Output(error) => write!(f, "The output could not be written: {error}."),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Backend(_) | Error::Engine(_) => Self::Device(error.to_string()),
            Error::Cancelled(_) => Self::Interrupted(error.to_string()),
            Error::Overflow | Error::Memory { .. } => Self::Input(error.to_string()),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        let sentence = error.to_string();
        match error {
            LedgerError::Driver(error) => error.into(),
            LedgerError::Disputed { .. } => Self::No(sentence),
            LedgerError::Stopped { .. } => Self::Interrupted(sentence),
            LedgerError::Full { .. }
            | LedgerError::Storage { .. }
            | LedgerError::NoDevice(_)
            | LedgerError::Export { .. } => Self::Device(sentence),
            LedgerError::Address { .. }
            | LedgerError::NoLedger { .. }
            | LedgerError::NotALedger { .. }
            | LedgerError::Format { .. }
            | LedgerError::Other { .. }
            | LedgerError::Damaged { .. }
            | LedgerError::Ply { .. }
            | LedgerError::TooMany { .. } => Self::Input(sentence),
        }
    }
}

impl From<BackendError> for Failure {
    fn from(error: BackendError) -> Self {
        Self::Device(error.to_string())
    }
}

impl From<LineError> for Failure {
    fn from(error: LineError) -> Self {
        match error {
            LineError::Move { .. } => Self::Input(error.to_string()),
            LineError::Driver(error) => error.into(),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
