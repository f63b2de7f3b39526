//! Leases, and those that only a wrong clock can have made.

use std::time::Duration;

/// The longest lease of a worker whose name does not tell the length: a day, the most that `kogge run` accepts.
const LONGEST: Duration = Duration::from_secs(86_400);
/// The time that a clock may be set back before the leases of workers at work are taken for wrong ones.
const TOLERANCE: Duration = Duration::from_secs(60);

/// The leases of a worker, a device of some process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lease {
    /// The name of the worker.
    pub worker: String,
    /// The number of leased entries.
    pub entries: u64,
    /// The time until the last of these leases ends, unless it is extended.
    pub ends_in: Duration,
}

/// Names a device of a process. The name ends with the length of its leases, by which others recognise leases that no right clock
/// has made.
pub(crate) fn worker(process: &str, device: usize, lease: Duration) -> String {
    format!("{process}/{device} {}s", lease.as_secs_f64())
}

impl Lease {
    /// Returns whether the leases end at most a minute later than leases that begin now. Others were made while the clock was ahead: to wait for
    /// them could take years.
    pub(crate) fn is_real(&self) -> bool {
        let named = self.worker.rsplit_once(' ').and_then(|(_, length)| length.strip_suffix('s')?.parse().ok());
        let length = named.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(LONGEST);
        self.ends_in <= length.saturating_add(TOLERANCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_longer_than_their_length_are_not_real() {
        let lease = |worker: &str, seconds| Lease {
            worker: worker.to_owned(),
            entries: 1,
            ends_in: Duration::from_secs(seconds),
        };
        let named = worker("host/1/2", 0, Duration::from_secs(10));
        assert!(lease(&named, 70).is_real() && !lease(&named, 72).is_real());
        assert!(lease("another", 86_400).is_real() && !lease("another", 86_462).is_real());
        assert!(lease(&worker("kogge", 3, Duration::from_secs(1 << 30)), 1 << 30).is_real());
    }
}
