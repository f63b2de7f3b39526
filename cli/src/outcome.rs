//! The outcome of a command: an answer, or a failure with its exit code.

use std::fmt;
use std::io;

use kogge::{BackendError, Error, LineError, OpenError};
use kogge_check::CheckError;

/// Exit code for the answer "no".
pub(crate) const EXIT_NO: u8 = 1;
/// Exit code for a wrong call or wrong input; clap uses it too.
const EXIT_INPUT: u8 = 2;
/// Exit code for a failed device, engine or output.
const EXIT_DEVICE: u8 = 3;
/// Exit code after Ctrl-C: 128 + SIGINT, the convention of shells.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

/// The answer of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// The work is done, or the answer is yes.
    Done,
    /// The answer is no: a suite line failed, or a difference was found.
    No,
}

/// The reason why a command gave no answer. All texts are whole sentences.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The answer is no, for the reason in this sentence.
    No(String),
    /// The call or the input was wrong.
    Input(String),
    /// A backend or an engine failed.
    Device(String),
    /// Ctrl-C stopped the work; the sentence states the progress.
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
            Error::Backend(_) => Self::Device(error.to_string()),
            Error::Cancelled(_) => Self::Interrupted(error.to_string()),
            Error::Overflow | Error::Memory { .. } | Error::RangePlies { .. } => Self::Input(error.to_string()),
        }
    }
}

impl From<CheckError> for Failure {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Count(error) => error.into(),
            CheckError::Program(error) => Self::Device(error.to_string()),
        }
    }
}

impl From<BackendError> for Failure {
    fn from(error: BackendError) -> Self {
        Self::Device(error.to_string())
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Request(sentence) => Self::Input(sentence),
            OpenError::NoDevice(sentence) => Self::Device(sentence),
            OpenError::Backend(error) => error.into(),
        }
    }
}

impl From<LineError> for Failure {
    fn from(error: LineError) -> Self {
        Self::Input(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
