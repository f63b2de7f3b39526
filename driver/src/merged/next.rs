//! Decides how a count continues from its last ply.

use std::ops::Range;
use std::time::Instant;

use super::route::{NextPly, Route};
use super::settings::MergeSettings;
use super::work::Work;
use crate::Error;
use crate::calls::MAX_CALL_DEPTH;
use crate::plan::{Plan, PlannedPly};

/// A ply that takes less time than this, in seconds, is merged without measuring whether merging pays off; half of it if only three plies
/// are left, since counting them takes little longer.
const CHEAP_SECONDS: f64 = 0.01;
/// The ply below fewer positions than this is also merged without measuring.
const FEW: f64 = 1_000.0;

/// A ply that takes at most this share of its room is merged whole without measuring, if the other reasons allow it.
const OBVIOUS_SHARE: f64 = 0.25;

/// The share of the time for merging the next ply that a sample may take, and the least and the greatest such time, in seconds.
/// But a sample takes at least [`CALLS`] times as long as the quickest call of the device.
const SAMPLE_SHARE: f64 = 0.02;
const LEAST_SAMPLE: f64 = 0.001;
const LONGEST_SAMPLE: f64 = 0.1;
const CALLS: f64 = 10.0;

/// The factor by which a sample is enlarged, as long as it then takes less than its time. A device reaches full speed only with
/// enough work.
const ENLARGED: u64 = 4;

/// A depth is not sampled if its smallest sample would exceed its time by this factor.
const LONG: f64 = 3.0;

/// The least number of samples of a depth; the quickest counts. On a busy machine, a thread may wait a thousand times as long as it
/// works. Counting would then look so slow that plies would be merged instead, for minutes and in gigabytes.
const SAMPLES: usize = 2;

/// The share by which counting takes longer each time that half as many positions are expanded together. On two cores, trees of
/// 0.06 to 4 s took 1.12 to 2.0 times as long in samples, in which up to 500 times fewer positions were together.
const FEWER_FOUND: f64 = 0.11;

/// The factor by which runs shorten a count that is too long for a sample. On one H100, counts of 0.02 to 0.16 s took 0.45 to 0.75 times as
/// long as the numbers of moves and samples one ply deeper said.
const IN_RUNS: f64 = 0.6;

/// The number of plies above the leaves from which on merging never pays: to merge a position's successors takes longer than to
/// count their moves.
const LAST_PLIES: u32 = 2;

/// The next task of a count.
pub(super) enum Next {
    /// Count the leaves.
    Count(Route),
    /// Merge a ply.
    Merge(Route),
    /// Split the positions of the ply into parts.
    Split,
}

impl Next {
    fn of(route: Route) -> Self {
        if route.plies.is_empty() { Self::Count(route) } else { Self::Merge(route) }
    }

    /// Returns the rest of the count, as far as it is known.
    pub(super) fn route(self) -> Route {
        match self {
            Self::Count(route) | Self::Merge(route) => route,
            Self::Split => Route::unknown(),
        }
    }
}

impl Work<'_> {
    fn middle(&self, sample: u64) -> Range<u64> {
        let first = (self.merge.successors() - sample) / 2;
        first..first + sample
    }

    /// Joins the finished plies and the planned plies.
    pub(super) fn plan(&self, route: &Route) -> Plan {
        let mut plies = self.plies.clone();
        let mut parents = self.last_size();
        for &NextPly { positions, ranges, at_once, seconds } in &route.plies {
            let bytes = self.bytes(at_once, parents);
            let ply = plies.len() as u32;
            plies.push(PlannedPly { ply, positions: positions as u64, measured: false, bytes, ranges, seconds });
            // Below plies between, the plies before stay in memory.
            parents = if ranges > 1 { parents + at_once } else { at_once };
        }
        let below = self.depth + 1 - plies.len() as u32;
        let remaining = self.estimates.remaining;
        let called = remaining.min(MAX_CALL_DEPTH);
        let raw = self.paths as f64
            * self.estimates.count_each[called as usize]
            * self.estimates.moves.powi((remaining - called) as i32);
        let raw_seconds = Some(raw).filter(|&seconds| seconds > 0.0);
        let (depth, memory) = (self.depth, self.memory);
        let &Route { is_reversed, below_seconds, .. } = route;
        Plan { depth, memory, plies, below, is_reversed, below_seconds, raw_seconds }
    }

    /// Merges the whole next ply, if it should fit in this share of the room. Nobody knows yet how long the rest of the count will
    /// take.
    fn whole_if_it_fits(&self, share: f64) -> Option<Next> {
        let ply = self.next_whole();
        let fits = self.share_of_room(ply.positions) <= share;
        fits.then(|| Next::Merge(Route { plies: vec![ply], ..Route::unknown() }))
    }

    /// Returns the least and the greatest number of plies still to merge, and the number of ranges that the last must have. The moves
    /// to leaves that are merged have no kinds any more.
    fn plies_to_merge(&self, settings: &MergeSettings) -> (u32, u32, Option<u32>) {
        let unmerged = self.counted.least_below();
        let (least, most) = match settings.plies {
            None => (0, self.estimates.remaining.saturating_sub(unmerged)),
            Some(plies) => {
                let deepest = self.depth.saturating_sub(unmerged);
                let plies = plies.max(self.depth.saturating_sub(MAX_CALL_DEPTH)).min(deepest);
                let left = plies.saturating_sub(self.ply());
                (left, left)
            }
        };
        (least, most, settings.ranges.filter(|_| most > 0))
    }

    /// Decides how to continue from the last ply.
    pub(super) fn next(&mut self, settings: &MergeSettings) -> Result<Next, Error> {
        let positions = self.last_size();
        let (least, most, ranges) = self.plies_to_merge(settings);
        let remaining = self.estimates.remaining;
        if least == 0 && (most == 0 || remaining <= LAST_PLIES) && ranges.is_none() {
            let below_seconds = positions * self.estimates.count_each[remaining.min(MAX_CALL_DEPTH) as usize];
            if below_seconds > 0.0 {
                return Ok(Next::Count(Route { below_seconds, ..Route::unknown() }));
            }
        }
        let is_obvious = match settings.plies {
            // Only the last merged plies are made in ranges, and only the plan for the leaves needs measurements.
            Some(_) => least > 1 || least == 1 && ranges.is_none(),
            // Measuring whether merging pays would take as long as merging. With few positions, the time of the last
            // ply proves nothing, because other work of the machine dominates it.
            None if remaining > LAST_PLIES && ranges.is_none() => {
                let cheap = if remaining == LAST_PLIES + 1 { 0.5 * CHEAP_SECONDS } else { CHEAP_SECONDS };
                positions <= FEW || positions * self.estimates.merge_each(self.next_whole().positions) < cheap
            }
            None => false,
        };
        // A ply that leaves little room for the next may be made as a ply between.
        let share = if least > 2 || least == 1 { 1.0 } else { OBVIOUS_SHARE };
        match self.whole_if_it_fits(share).filter(|_| is_obvious) {
            Some(next) => Ok(next),
            None => self.measured_next(settings),
        }
    }

    /// Decides how to continue from the last ply, by measurements.
    pub(super) fn measured_next(&mut self, settings: &MergeSettings) -> Result<Next, Error> {
        let (least, most, ranges) = self.plies_to_merge(settings);
        self.measure()?;
        let choose = |least| self.estimates.choose(least, most, ranges).map(Next::of);
        // Distant plies are overestimated. If no route seems to fit, the next ply is merged, which makes the estimates
        // better.
        let next = choose(least).or_else(|| self.whole_if_it_fits(1.0).filter(|_| most > 0));
        Ok(next.or_else(|| choose(0)).unwrap_or(Next::Split))
    }

    /// Estimates the factor by which counting below a position of a sample takes longer than in the whole count, because fewer equal
    /// successors are found.
    fn fewer_found(&self, below: u32, sample: u64) -> f64 {
        let [whole, sample] =
            [self.merge.successors(), sample].map(|successors| self.merge.advice(below, successors).together as f64);
        1.0 + FEWER_FOUND * (whole / sample).log2().max(0.0)
    }

    /// Measures on some of the positions how long counting below them takes, and how many moves they have.
    fn measure(&mut self) -> Result<(), Error> {
        let len = self.merge.successors();
        let deepest = self.estimates.remaining.min(MAX_CALL_DEPTH);
        let mut most = (SAMPLE_SHARE * self.next_whole().seconds).clamp(LEAST_SAMPLE, LONGEST_SAMPLE);
        let least = self.batch.max(64).min(len);
        let (mut sample, mut below, mut fewer_found) = (least, 1, 1.0);
        while below <= deepest && len > 0 {
            if self.merge.advice(below, len).in_runs {
                // The first call puts all positions in order; later calls find them so.
                self.leaves(self.middle(1), below)?;
            }
            let (mut each, mut samples) = (f64::INFINITY, 0);
            let leaves = loop {
                self.check_cancelled()?;
                let begin = Instant::now();
                let leaves = self.leaves(self.middle(sample), below)?;
                let seconds = begin.elapsed().as_secs_f64();
                each = (seconds / sample as f64).min(each);
                samples += 1;
                if below == 1 && sample == least {
                    most = most.max((CALLS * seconds).min(LONGEST_SAMPLE));
                }
                if sample < len && seconds * ENLARGED as f64 <= most {
                    sample = sample.saturating_mul(ENLARGED).min(len);
                } else if samples >= SAMPLES || seconds > LONGEST_SAMPLE {
                    break leaves;
                }
            };
            if below == 1 {
                let paths = if sample == len { self.paths } else { self.merge.perft(self.middle(sample), 0)? };
                self.estimates.moves = (leaves as f64 / (paths as f64).max(1.0)).max(1.01);
            }
            self.estimates.count_each[below as usize] = each;
            if below == self.estimates.least_in_runs {
                fewer_found = self.fewer_found(below, sample);
            }
            below += 1;
            // The next depth begins with a smaller sample, which takes about as long.
            sample = ((sample as f64 / self.estimates.moves) as u64).clamp(least, len);
            if each * self.estimates.moves * sample as f64 > LONG * most {
                break;
            }
        }
        self.estimates.deepest_sample = below - 1;
        for below in below..=MAX_CALL_DEPTH {
            let in_runs = if below == self.estimates.least_in_runs { IN_RUNS } else { 1.0 };
            let each = self.estimates.count_each[below as usize - 1] * self.estimates.moves * in_runs;
            self.estimates.count_each[below as usize] = each;
        }
        // Deeper below, samples took as long as the count.
        if let Some(each) = self.estimates.count_each.get_mut(self.estimates.least_in_runs as usize) {
            *each /= fewer_found;
        }
        Ok(())
    }
}
