//! How long work is watched and stopped.

/// Watches work from outside: hears how far it is and may ask it to stop.
///
/// The driver prints nothing; whoever wants a progress bar, a log or Ctrl-C implements this. Calls
/// come from the thread that called the driver, between calls of the backend.
pub trait Observer: Sync {
    /// The work is this far.
    fn progress(&self, progress: &Progress) {
        let _ = progress;
    }

    /// Whether the work should stop; asked between calls of the backend, several times a second.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Watches nothing and never stops anything.
impl Observer for () {}

/// How far work is. None of these numbers is a result.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Progress {
    /// Frontier entries that are done.
    pub done: u64,
    /// Frontier entries in all.
    pub total: u64,
    /// The share of the work that is done, 0 to 1, unfinished entries included; an estimate, since
    /// entries are taken to be equal.
    pub fraction: f64,
    /// Leaves (or, where positions are collected, positions) counted so far.
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
