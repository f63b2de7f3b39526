//! Why the driver could not answer.

use kogge_board::BackendError;
use thiserror::Error;

use crate::{EngineError, Progress};

/// Why there is no result. A result is complete and exact, or it is one of these.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Error {
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The engine that was to be compared failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The observer asked to stop.
    #[error("Stopped on request: {0}; there is no result.")]
    Cancelled(Progress),
    /// Merged plies do not fit in memory, also in parts.
    #[error(
        "The distinct positions of ply {ply} do not fit in {memory} bytes, also in parts; give more memory, or choose a \
         smaller depth."
    )]
    Memory {
        /// Bytes that may be used.
        memory: u64,
        /// Which ply.
        ply: u32,
    },
    /// The answer does not fit in 128 bits.
    #[error("The count exceeds 2^128 and cannot be held; choose a smaller depth.")]
    Overflow,
}

/// The backend gave an answer that cannot be right.
pub(crate) fn wrong_answer(device: &str, reason: impl Into<String>) -> Error {
    BackendError::WrongAnswer { device: device.to_owned(), reason: reason.into() }.into()
}
