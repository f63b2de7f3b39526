//! The exceptions of the package, and the errors that become exceptions.

use kogge::{BackendError, Error, OpenError};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    kogge,
    PositionError,
    PyValueError,
    "A position is not legal or cannot be read; `index` is its number in the input, from 0."
);
pyo3::create_exception!(
    kogge,
    MoveError,
    PyValueError,
    "A move cannot be played; `index` is the number of its position, from 0."
);
pyo3::create_exception!(kogge, DeviceError, PyRuntimeError, "A device cannot be used, or it failed.");

/// The reason why a call has no answer. All texts are whole sentences.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A position is invalid: its number in the input, and the reason.
    Position(usize, String),
    /// A move is invalid: the number of its position, and the reason.
    Move(usize, String),
    /// An argument is invalid.
    Input(String),
    /// A device cannot be used.
    Device(String),
    /// A count does not fit in its type.
    Overflow(String),
    /// Memory ran out.
    Memory(String),
    /// Ctrl-C stopped the work; the sentence states the progress.
    Stopped(String),
    /// A call of Python failed.
    Python(PyErr),
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Position(index, reason) => {
                with_index(PositionError::new_err(format!("Position {index} cannot be used. {reason}")), index)
            }
            Failure::Move(index, reason) => with_index(
                MoveError::new_err(format!("The move for position {index} cannot be played. {reason}")),
                index,
            ),
            Failure::Input(sentence) => PyValueError::new_err(sentence),
            Failure::Device(sentence) => DeviceError::new_err(sentence),
            Failure::Overflow(sentence) => PyOverflowError::new_err(sentence),
            Failure::Memory(sentence) => PyMemoryError::new_err(sentence),
            Failure::Stopped(sentence) => PyKeyboardInterrupt::new_err(sentence),
            Failure::Python(error) => error,
        }
    }
}

/// Gives an exception the attribute `index`.
fn with_index(error: PyErr, index: usize) -> PyErr {
    Python::attach(|py| match error.value(py).setattr("index", index) {
        Ok(()) => error,
        Err(other) => other,
    })
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<BackendError> for Failure {
    fn from(error: BackendError) -> Self {
        let sentence = error.to_string();
        match error {
            BackendError::OutOfMemory { .. } => Self::Memory(sentence),
            BackendError::Overflow => Self::Overflow(sentence),
            BackendError::Stopped => Self::Stopped(sentence),
            BackendError::Depth(_) => Self::Input(sentence),
            BackendError::Unavailable { .. } | BackendError::Device { .. } | BackendError::WrongAnswer { .. } => {
                Self::Device(sentence)
            }
        }
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

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let sentence = error.to_string();
        match error {
            Error::Backend(error) => error.into(),
            Error::Cancelled(_) => Self::Stopped(sentence),
            Error::Overflow => Self::Overflow(sentence),
            Error::Memory { .. } => Self::Memory(sentence),
            Error::RangePlies { .. } => Self::Input(sentence),
        }
    }
}
