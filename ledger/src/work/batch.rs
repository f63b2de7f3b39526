//! The number of entries that a device takes at once.

use std::time::Duration;

use crate::Kind;

/// The time that a batch of positions should take, in seconds. A killed process loses this much work; writing the answers takes
/// much less time.
const SECONDS: f64 = 1.0;
/// The time that a batch of ranges should take. Each answer is written as soon as it is known, and the ply above the ranges is made
/// for each batch.
const SECONDS_OF_RANGES: f64 = 30.0;
/// The factor by which a batch may exceed the one before.
const GROWTH: usize = 8;
/// The most entries that are leased at once.
const MOST: usize = 1 << 14;
/// A device takes at most its share of the remaining entries divided by this number, so that at the end no device waits
/// long for another.
const PARTS: u64 = 4;

/// The size of the next batch.
pub(crate) struct Batch {
    size: usize,
    /// The seconds that it should take.
    seconds: f64,
}

impl Batch {
    pub(crate) fn new(kind: Kind) -> Self {
        let seconds = match kind {
            Kind::Positions => SECONDS,
            Kind::Ranges => SECONDS_OF_RANGES,
        };
        Self { size: 1, seconds }
    }

    /// Returns the number of entries to take, if this many are left for all devices.
    pub(crate) fn next(&self, left: u64, devices: usize) -> usize {
        let share = left / (PARTS * devices.max(1) as u64);
        self.size.min(usize::try_from(share).unwrap_or(MOST)).max(1)
    }

    /// Notes the time of a batch.
    pub(crate) fn saw(&mut self, entries: usize, elapsed: Duration) {
        let wanted = entries as f64 * self.seconds / elapsed.as_secs_f64().max(1e-6);
        self.size = (wanted as usize).clamp(1, entries.saturating_mul(GROWTH).min(MOST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_last_about_a_second_whatever_the_device() {
        for seconds_each in [1e-4, 1e-3, 0.3, 20.0] {
            let mut batch = Batch::new(Kind::Positions);
            for _ in 0..10 {
                let entries = batch.next(1_000_000, 2);
                batch.saw(entries, Duration::from_secs_f64(seconds_each * entries as f64));
            }
            let entries = batch.next(1_000_000, 2);
            let expected = (SECONDS / seconds_each).max(1.0);
            assert!((expected - entries as f64).abs() <= 1.0, "{entries} of {seconds_each} s");
        }
    }

    #[test]
    fn the_first_batch_is_small_and_the_last_ones_are_shared() {
        let mut batch = Batch::new(Kind::Ranges);
        assert_eq!(batch.next(1_000_000, 1), 1);
        batch.saw(1, Duration::ZERO);
        assert_eq!(batch.next(1_000_000, 1), GROWTH);
        assert_eq!(batch.next(16, 2), 2);
        assert_eq!(batch.next(0, 2), 1);
    }
}
