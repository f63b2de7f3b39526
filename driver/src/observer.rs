//! Progress of work, and requests to stop it.

/// Watches work: gets its progress and may ask it to stop.
///
/// The driver prints nothing. Implement this for a progress bar, a log or Ctrl-C. The thread that called the driver calls
/// the observer between calls of the backend and several times a second within calls.
pub trait Observer: Sync {
    /// Gets the progress so far.
    fn progress(&self, progress: &Progress) {
        let _ = progress;
    }

    /// Returns whether the work should stop; called several times a second.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Watches nothing and never stops anything.
impl Observer for () {}

/// An observer that passes on requests to stop, but no progress.
pub(crate) struct OnlyStop<'a>(pub(crate) &'a dyn Observer);

impl Observer for OnlyStop<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// Progress of work. None of these numbers is a result.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Progress {
    /// Finished entries of the frontier.
    pub done: u64,
    /// All entries of the frontier.
    pub total: u64,
    /// The estimated share of the work that is done, 0 to 1, unfinished entries included. All entries count as equal work.
    pub fraction: f64,
    /// Leaves counted so far, or positions if the work collects positions.
    pub counted: u128,
}

impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { done, total, fraction, counted } = self;
        if *total == 0 {
            return f.write_str("no part of the work was done");
        }
        write!(f, "{done} of {total} frontier entries were done ({:.1} %), {counted} counted", 100.0 * fraction)
    }
}
