//! Progress of work, and requests to stop it.

/// Watches work: receives its progress, and may ask it to stop.
///
/// The driver prints nothing. Implement this trait for a progress bar, a log or Ctrl-C. The thread that called the driver
/// also calls the observer: between calls of the backend, and several times a second within calls.
pub trait Observer: Sync {
    /// Receives the progress so far.
    fn progress(&self, progress: &Progress) {
        let _ = progress;
    }

    /// Returns whether the work should stop; this is called several times a second.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Ignores all progress and never stops anything.
impl Observer for () {}

/// An observer that forwards requests to stop, but ignores progress.
pub(crate) struct OnlyStop<'a>(pub(crate) &'a dyn Observer);

impl Observer for OnlyStop<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

/// Progress of work. None of these numbers is a result.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Progress {
    /// The number of finished entries of the frontier.
    pub done: u64,
    /// The number of all entries of the frontier.
    pub total: u64,
    /// The estimated share of the work that is done, from 0 to 1, with unfinished entries included. All entries are
    /// assumed to be equal work.
    pub fraction: f64,
    /// The leaves counted so far, or the positions if the work collects positions.
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
