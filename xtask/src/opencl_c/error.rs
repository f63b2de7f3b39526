//! Errors of the writer.

use std::fmt;

/// What the writer cannot print, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

pub(super) type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(super) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Adds the name of the function to a sentence about a part of it.
    pub(super) fn within(self, function: &str) -> Self {
        Self(format!("In `{function}`, {}", self.0))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Returns the error for something outside of the subset, with what to do instead.
pub(super) fn unsupported<T>(what: &str, advice: &str) -> Result<T> {
    Err(Error::new(format!("{what} is not supported; {advice}.")))
}
