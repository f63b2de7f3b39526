//! The errors of backends.

use thiserror::Error;

use crate::minimax::MAX_DEPTH;

/// The reason why a backend gave no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BackendError {
    /// The device does not exist, or its driver is not installed.
    #[error("The {backend} backend cannot be used: {reason}")]
    Unavailable {
        /// The backend's name.
        backend: &'static str,
        /// The reason, as a sentence.
        reason: String,
    },
    /// Memory ran out even for the smallest batch.
    #[error("{device} ran out of memory {doing}; give it less at once or choose another device.")]
    OutOfMemory {
        /// The device's name.
        device: String,
        /// The work that failed.
        doing: String,
    },
    /// The device failed or was lost.
    #[error("{device} failed {doing}: {reason}")]
    Device {
        /// The device's name.
        device: String,
        /// The work that failed.
        doing: String,
        /// The driver's message, as a sentence.
        reason: String,
    },
    /// The device gives wrong answers.
    #[error("{device} cannot be trusted: {reason}")]
    WrongAnswer {
        /// The device's name.
        device: String,
        /// The wrong answer, as a sentence.
        reason: String,
    },
    /// A count exceeds the integers of the backend, at least 64 bits for a subtree.
    #[error("The count exceeds the integers of this backend; choose a smaller depth.")]
    Overflow,
    /// The caller asked to stop.
    #[error("The count was stopped on request.")]
    Stopped,
    /// A minimax is so deep that mates at different distances could get equal scores.
    #[error("A minimax of {0} plies is too deep; it can be {max} at most.", max = MAX_DEPTH)]
    Depth(u32),
}

/// Refuses a minimax that is so deep that mates at different distances could get equal scores.
///
/// # Errors
/// [`BackendError::Depth`] beyond [`MAX_DEPTH`].
pub fn check_depth(depth: u32) -> Result<(), BackendError> {
    if depth <= MAX_DEPTH { Ok(()) } else { Err(BackendError::Depth(depth)) }
}
