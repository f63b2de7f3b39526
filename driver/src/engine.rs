//! Other chess engines, spoken to in UCI.

use std::time::Duration;

use thiserror::Error;

/// Why an engine did not answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EngineError {
    /// It could not be started.
    #[error("The engine {command:?} could not be started: {reason}.")]
    Start {
        /// The command.
        command: String,
        /// What the system said.
        reason: String,
    },
    /// It ended, or closed its output.
    #[error("The engine {command:?} ended {doing}.")]
    Ended {
        /// The command.
        command: String,
        /// What it was asked to do.
        doing: String,
    },
    /// It said nothing for too long.
    #[error("The engine {command:?} said nothing for {} s {doing}.", .waited.as_secs_f32())]
    Silent {
        /// The command.
        command: String,
        /// What it was asked to do.
        doing: String,
        /// For how long.
        waited: Duration,
    },
    /// It said something that cannot be right.
    #[error("The engine {command:?} cannot be compared with: {reason}.")]
    Answer {
        /// The command.
        command: String,
        /// What is wrong.
        reason: String,
    },
}
