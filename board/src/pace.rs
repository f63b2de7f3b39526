//! The size of the steps of long work: each step should take about the same time.

use std::time::Duration;

/// The number of items of the next step, from the times of the steps so far.
///
/// ```
/// use std::time::Duration;
/// use kogge_board::Pace;
///
/// // A step should take a second. The first has 10 items, and a step has at most 4 times as many as the step before.
/// let mut pace = Pace::new(10, Duration::from_secs(1), 4);
/// assert_eq!(pace.next(u64::MAX), 10);
/// pace.saw(10, Duration::from_millis(100));
/// assert_eq!(pace.next(u64::MAX), 40);
/// pace.saw(40, Duration::from_millis(500));
/// assert_eq!(pace.next(u64::MAX), 80);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    size: u64,
    time: Duration,
    growth: u32,
}

impl Pace {
    /// Returns the pace for steps that should take `time`. The first step has `first` items. From step to step, the number
    /// changes by a factor of at most `growth`, because a single slow step may be an accident.
    pub const fn new(first: u64, time: Duration, growth: u32) -> Self {
        Self { size: first, time, growth }
    }

    /// Returns the number of items of the next step: at least one, and at most `most`.
    pub fn next(&self, most: u64) -> u64 {
        self.size.min(most).max(1)
    }

    /// Notes the time of a step of `done` items.
    pub fn saw(&mut self, done: u64, time: Duration) {
        let factor = self.time.as_secs_f64() / time.as_secs_f64().max(1e-9);
        let factor = factor.clamp(1.0 / f64::from(self.growth), self.growth.into());
        // A quick step that was smaller than planned does not predict the time of larger ones.
        if done >= self.size || factor < 1.0 {
            self.size = ((done as f64 * factor) as u64).max(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn steps_grow_until_they_take_the_time_or_have_all_items() {
        for seconds_each in [1e-7, 1e-4, 0.3, 20.0] {
            let mut pace = Pace::new(1, SECOND, 2);
            for _ in 0..40 {
                let done = pace.next(1 << 20);
                pace.saw(done, Duration::from_secs_f64(seconds_each * done as f64));
            }
            let expected = (1.0 / seconds_each).clamp(1.0, f64::from(1 << 20));
            assert!((pace.next(1 << 20) as f64 - expected).abs() <= 1.0, "{pace:?}");
        }
    }

    #[test]
    fn a_slow_step_shrinks_the_next_and_a_small_one_changes_nothing() {
        let mut pace = Pace::new(1000, SECOND, 2);
        pace.saw(10, SECOND / 100);
        assert_eq!(pace.next(u64::MAX), 1000);
        pace.saw(100, 4 * SECOND);
        assert_eq!(pace.next(u64::MAX), 50);
        pace.saw(50, 1000 * SECOND);
        assert_eq!((pace.next(u64::MAX), pace.next(1), pace.next(0)), (25, 1, 1));
    }
}
