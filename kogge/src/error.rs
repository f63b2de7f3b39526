//! The reasons why a device cannot be opened, and why work on a tree ends without an answer.

use kogge_board::BackendError;
use thiserror::Error;

/// The reason why no device was opened, as a sentence.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OpenError {
    /// The request asks for something that does not exist.
    #[error("{0}")]
    Request(String),
    /// None of the possible devices can be used.
    #[error("{0}")]
    NoDevice(String),
    /// The device cannot be used.
    #[error(transparent)]
    Backend(#[from] BackendError),
}

impl OpenError {
    /// Returns whether the device was opened but failed its self-test.
    pub fn is_wrong_answer(&self) -> bool {
        matches!(self, Self::Backend(BackendError::WrongAnswer { .. }))
    }
}

/// The reason why a tree was not counted or searched, as a sentence.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum TreeError {
    /// No device was opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The work failed.
    #[error(transparent)]
    Driver(#[from] kogge_driver::Error),
}
