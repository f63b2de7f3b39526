//! Errors of comparisons with other programs.

use std::time::Duration;

use kogge_driver::Progress;
use thiserror::Error;

/// The reason why a comparison has no result.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum CheckError {
    /// Counting failed, or was stopped.
    #[error(transparent)]
    Count(#[from] kogge_driver::Error),
    /// The other program failed.
    #[error(transparent)]
    Program(#[from] EngineError),
}

impl CheckError {
    /// Returns the error of work that was stopped before anything was counted.
    pub(crate) fn stopped() -> Self {
        kogge_driver::Error::Cancelled(Progress::default()).into()
    }
}

/// An error of another chess program.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EngineError {
    /// It could not be started.
    #[error("The program `{command}` could not be started: {reason}.")]
    Start {
        /// The command.
        command: String,
        /// The system's message.
        reason: String,
    },
    /// It ended, or closed its output.
    #[error("The program `{command}` ended {doing}{}.", .how.as_deref().map(|how| format!(" ({how})")).unwrap_or_default())]
    Ended {
        /// The command.
        command: String,
        /// The request.
        doing: String,
        /// The exit code or the signal, if the system tells it.
        how: Option<String>,
    },
    /// It was silent for too long.
    #[error("The program `{command}` said nothing for {} s {doing}; give it more time with --patience if it needs it.", .waited.as_secs_f32())]
    Silent {
        /// The command.
        command: String,
        /// The request.
        doing: String,
        /// The time that it was silent.
        waited: Duration,
    },
    /// It said much, but gave no answer.
    #[error(
        "The program `{command}` talked for {} s without a count {doing}; give it more time with --patience if it needs it.",
        .waited.as_secs_f32()
    )]
    Endless {
        /// The command.
        command: String,
        /// The request.
        doing: String,
        /// The time that it talked.
        waited: Duration,
    },
    /// Its answer cannot be right.
    #[error("The program `{command}` gives no answer to compare with: {reason}")]
    Answer {
        /// The command.
        command: String,
        /// The mistake, as a sentence.
        reason: String,
    },
    /// It answers none of the known requests.
    #[error(
        "The program `{command}` lists no moves with counts when it is asked with {}; {heard} Say how to ask it with --ask, as in --ask \
         \"divide {{depth}}\".",
        .asked.join(", ")
    )]
    Unknown {
        /// The command.
        command: String,
        /// The requests, each in quotation marks.
        asked: Vec<String>,
        /// The sentence that quotes its last lines.
        heard: String,
    },
}
