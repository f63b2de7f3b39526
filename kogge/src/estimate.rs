//! Estimates how long work would take on the CPU, so that `auto` chooses the device that finishes first.
//!
//! Before a GPU can count, kogge must find and open it, compile its kernels and test them. The CPU finishes most
//! everyday work in that time. So the CPU counts the first plies of a tree for a few milliseconds, and kogge
//! extrapolates the time for the rest.

use std::time::Instant;

use kogge_driver::Error;

/// The approximate time until a GPU can begin, in seconds: measured times are 0.5 to 1.5 s, and longer when the driver has
/// not compiled the kernels before.
const START_UP: f64 = 1.0;
/// The approximate overhead of a call of a GPU, in seconds.
const LATENCY: f64 = 0.002;
/// The least seconds and leaves of a ply for a reliable estimate: the system may delay a thread by 2 ms.
const ENOUGH: f64 = 0.002;
const ENOUGH_LEAVES: f64 = 1e5;
/// An estimate of more than a day is worth a longer measurement, in which counting takes several times as long as a call of the
/// device: by the time of short calls, a fast GPU would need days for what it counts in minutes.
const DAY: f64 = 86_400.0;
const CALLS: f64 = 4.0;

/// An estimate of an amount of work.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// The time that the CPU would need.
    seconds: f64,
    /// The number of calls that a GPU would need.
    calls: usize,
}

/// The time for counting one ply.
struct Sample {
    depth: u32,
    counted: f64,
    /// The mean growth of the count with one more ply, in the last two: the sides may have very different numbers of moves.
    growth: f64,
    seconds: f64,
}

impl Sample {
    /// Counts the tree to greater and greater depths until a count gives a reliable estimate, but never to the full depth.
    fn take(of: u32, mut count: impl FnMut(u32) -> Result<u128, Error>) -> Result<Self, Error> {
        // The first count may include work that is done only once, such as a self-test.
        count(0)?;
        let mut timed = |depth| {
            let start = Instant::now();
            count(depth).map(|counted| (counted as f64, start.elapsed().as_secs_f64()))
        };
        let mut sample = Self { depth: 0, counted: 1.0, growth: 1.0, seconds: 0.0 };
        let (mut before, mut call) = (0.0, f64::INFINITY);
        for depth in 1..of.max(2) {
            let (counted, mut seconds) = timed(depth)?;
            if (ENOUGH..10.0 * ENOUGH).contains(&seconds) {
                seconds = seconds.min(timed(depth)?.1);
            }
            let growth = if before > 0.0 { (counted / before).sqrt() } else { counted };
            before = sample.counted;
            sample = Self { depth, counted, growth, seconds };
            call = seconds.min(call);
            let is_enough = counted >= ENOUGH_LEAVES && seconds >= ENOUGH;
            if counted == 0.0 || is_enough && (seconds >= CALLS * call || sample.seconds_to(of) <= DAY) {
                break;
            }
        }
        Ok(sample)
    }

    /// Returns the seconds of counting to this depth.
    fn seconds_to(&self, depth: u32) -> f64 {
        let deeper = depth.saturating_sub(self.depth).try_into().unwrap_or(i32::MAX);
        self.seconds * self.growth.powi(deeper)
    }
}

impl Estimate {
    /// Returns the seconds that the device that counted would need.
    ///
    /// ```
    /// use kogge::{Cpu, Driver, Estimate, Fen};
    /// let mut cpu = Cpu::new(None)?;
    /// let mut driver = Driver::new(&mut cpu, &());
    /// let day = Estimate::tree(12, |depth| driver.perft(&Fen::start(), depth))?;
    /// assert!(day.seconds() > 3600.0, "there are 6 * 10^16 leaves");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Estimates the work on one tree; `count` counts the tree to any given depth.
    ///
    /// ```
    /// use kogge::{Error, Estimate};
    /// let mut counted = Vec::new();
    /// Estimate::tree(4, |depth| {
    ///     counted.push(depth);
    ///     Ok(20_u128.pow(depth))
    /// })?;
    /// assert_eq!(counted, [0, 1, 2, 3], "never the full depth");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn tree(depth: u32, count: impl FnMut(u32) -> Result<u128, Error>) -> Result<Self, Error> {
        Ok(Self { seconds: Sample::take(depth, count)?.seconds_to(depth), calls: 1 })
    }

    /// Estimates the work on many trees, which takes several calls, from the total number of leaves. `count` counts some
    /// large tree to any given depth.
    ///
    /// ```
    /// use kogge::{Cpu, Driver, Estimate, Fen};
    /// let mut cpu = Cpu::new(None)?;
    /// let mut driver = Driver::new(&mut cpu, &());
    /// let suite = Estimate::calls(126, 10_u128.pow(15), |depth| driver.perft(&Fen::start(), depth))?;
    /// assert!(!suite.is_small());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn calls(calls: usize, leaves: u128, count: impl FnMut(u32) -> Result<u128, Error>) -> Result<Self, Error> {
        let sample = Sample::take(u32::MAX, count)?;
        Ok(Self { seconds: leaves as f64 * sample.seconds / sample.counted.max(1.0), calls })
    }

    /// Whether the CPU would finish before a GPU.
    ///
    /// ```
    /// use kogge::{Cpu, Driver, Estimate, Fen};
    /// let mut cpu = Cpu::new(None)?;
    /// let mut driver = Driver::new(&mut cpu, &());
    /// assert!(Estimate::tree(3, |depth| driver.perft(&Fen::start(), depth))?.is_small());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_small(&self) -> bool {
        self.seconds < START_UP + LATENCY * self.calls as f64
    }

    /// Describes the time that the CPU needs.
    ///
    /// ```
    /// use kogge::{Cpu, Driver, Estimate, Fen};
    /// let mut cpu = Cpu::new(None)?;
    /// let mut driver = Driver::new(&mut cpu, &());
    /// let estimate = Estimate::tree(15, |depth| driver.perft(&Fen::start(), depth))?;
    /// assert_eq!(estimate.text(), "more than a week");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn text(&self) -> String {
        match self.seconds {
            ..0.001 => "less than 1 ms".to_owned(),
            ..1.0 => format!("about {:.0} ms", self.seconds * 1e3),
            ..1e6 => format!("about {:.0} s", self.seconds),
            _ => "more than a week".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    /// Returns a `count` for a tree with this many moves in each position, with this time for each leaf.
    fn counting(moves: u32, each: Duration) -> impl FnMut(u32) -> Result<u128, Error> {
        move |depth| {
            let leaves = moves.pow(depth);
            sleep(each * leaves);
            Ok(leaves.into())
        }
    }

    #[test]
    fn a_deep_tree_is_estimated_from_its_first_plies() {
        // 10^6 leaves of 100 µs.
        let estimate = Estimate::tree(6, counting(10, Duration::from_micros(100))).unwrap();
        assert!(estimate.seconds > 99.0, "{estimate:?}");
        assert!(!estimate.is_small() && estimate.text().starts_with("about "), "{estimate:?}");
    }

    #[test]
    fn days_are_not_estimated_from_the_cost_of_calls() {
        let (call, each) = (Duration::from_millis(5), Duration::from_nanos(10));
        let mut deepest = 0;
        let mut estimate = |depth| {
            let mut count = counting(10, each);
            let estimate = Estimate::tree(depth, |ply| {
                deepest = ply;
                sleep(call);
                count(ply)
            });
            (estimate.unwrap().seconds, deepest)
        };
        // 10^14 leaves take 10^6 s; the calls that suffice for less work suggest six times as much.
        let (seconds, deepest) = estimate(14);
        assert!(deepest >= 7 && (9e5..2e6).contains(&seconds), "{seconds} s from {deepest} plies");
        assert_eq!(estimate(9).1, 5);
    }

    #[test]
    fn the_last_ply_is_never_counted_for_an_estimate() {
        for depth in [0, 1, 2, 3] {
            let mut deepest = 0;
            let estimate = Estimate::tree(depth, |ply| {
                deepest = deepest.max(ply);
                Ok(2_u128.pow(ply))
            });
            assert!(estimate.unwrap().is_small());
            assert_eq!(deepest, depth.saturating_sub(1).max(1));
        }
    }

    #[test]
    fn a_game_that_is_over_is_no_work() {
        let estimate = Estimate::tree(128, |_| Ok(0)).unwrap();
        assert!(estimate.is_small() && estimate.text() == "less than 1 ms", "{estimate:?}");
    }

    #[test]
    fn many_small_calls_are_small_work() {
        let each = Duration::from_micros(10);
        let estimate = Estimate::calls(1000, 400_000, counting(20, each)).unwrap();
        // At least 4 s on the CPU, and 3 s for 1000 calls of a GPU.
        assert!(!estimate.is_small(), "{estimate:?}");
        let estimate = Estimate { calls: 1000, seconds: 2.5 };
        assert!(estimate.is_small());
        assert!(!Estimate { calls: 1, ..estimate }.is_small());
    }

    #[test]
    fn work_that_cannot_be_counted_cannot_be_estimated() {
        assert_eq!(Estimate::tree(3, |_| Err(Error::Overflow)), Err(Error::Overflow));
    }

    #[test]
    fn estimates_read_well() {
        for (seconds, text) in [
            (0.0, "less than 1 ms"),
            (0.0123, "about 12 ms"),
            (75.3, "about 75 s"),
            (1e7, "more than a week"),
            (f64::INFINITY, "more than a week"),
        ] {
            assert_eq!(Estimate { seconds, calls: 1 }.text(), text);
        }
    }
}
