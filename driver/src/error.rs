//! Errors of the driver.

use kogge_board::BackendError;
use kogge_board::merge::MergeError;
use thiserror::Error;

use crate::Progress;

/// An error of the driver. Every call returns a complete, exact result or one of these errors.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum Error {
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The observer asked to stop.
    #[error("Stopped on request: {0}; there is no result.")]
    Cancelled(Progress),
    /// Merged plies, or the positions of a count below them, do not fit in memory, not even in parts.
    #[error(
        "The positions of ply {ply} do not fit in {memory} bytes, not even in parts; give more memory, such as \
         --memory 256M (the more, the faster), or count every leaf with --raw, if the command has it."
    )]
    Memory {
        /// The number of bytes that may be used.
        memory: u64,
        /// The ply that does not fit.
        ply: u32,
    },
    /// A ply cannot be counted in ranges.
    #[error(
        "Ply {last} cannot be made in ranges: it must lie after the last whole ply, which is {whole}, and at most \
         seven plies above the leaves, which are at {depth}; at least one if leaves are counted by kinds of moves."
    )]
    RangePlies {
        /// The last whole ply.
        whole: u32,
        /// The ply to make in ranges.
        last: u32,
        /// The ply of the leaves.
        depth: u32,
    },
    /// The answer does not fit in 128 bits.
    #[error("The count exceeds 2^128 and cannot be held; choose a smaller depth.")]
    Overflow,
}

impl From<MergeError> for Error {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Overflow => Self::Overflow,
            MergeError::Backend(error) => error.into(),
            // A full list would have led to ranges before this point, and all positions of a ply have the same side to
            // move.
            MergeError::Full | MergeError::MixedTurns => BackendError::WrongAnswer {
                device: "The device".into(),
                reason: format!("it merged positions in an impossible way. {error}"),
            }
            .into(),
        }
    }
}

pub(crate) fn wrong_answer(device: &str, reason: impl Into<String>) -> Error {
    BackendError::WrongAnswer { device: device.to_owned(), reason: reason.into() }.into()
}
