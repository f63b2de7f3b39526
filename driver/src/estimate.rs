//! Unbiased estimates of counts that are too large for an exact count.
//!
//! The first plies are merged and exact. From then on, a *round* holds a bounded number of positions of one ply, its *lines*, each with
//! a weight, so that the expected sum of weight times leaves below is the whole count. The successors of all its positions, with the
//! weights of their parents, are the candidates for the next ply, and about one in thirty is chosen. The share of a candidate is
//! proportional to its weight times its *value*, a guess of the leaves below; the rarer its choice, the more its weight grows. The leaves
//! below the last choice are counted exactly. Any values above zero are unbiased; good ones make rounds vary less.
//!
//! The choice is stratified: the candidates lie end to end on a line, each as long as its share, and each unit of the line chooses the
//! candidate at a random place in it. A unit is a stratum of neighbours, such as the successors of one parent. At depth 9, errors of
//! independent choices were a fifth larger. At depth 12, errors of choices at equal distances were eight times as large: the distance is
//! about the number of moves, so each parent gets the same move.
//!
//! All rounds are independent and have the same expectation, so their variance gives the standard error of their mean.

use std::time::Instant;

use kogge_board::{Fen, Quad48, Random, Rules};
use rayon::prelude::*;

use crate::calls::{EXPAND_AT_ONCE, expand};
use crate::frontier::counting;
use crate::merged::{Work, root_entry};
use crate::{Driver, Error, MergeSettings};

/// The share of the time that merging the last ply may take. Reading, sorting and valuing its positions take about twice as long. At depth
/// 12, errors are a third smaller with ply 6 than with ply 5.
const MERGING_SHARE: f64 = 1.0 / 12.0;

/// The number of positions that the last merged ply may have for each line, if the number of lines is limited, and the bounds of this
/// number. The host keeps the positions, in about 128 bytes each.
const POSITIONS_A_LINE: f64 = 12.0;
const FEWEST_POSITIONS: f64 = 1.5e6;
const MOST_POSITIONS: f64 = 1.6e7;

/// The number of plies below a candidate that its value depends on: in closed form, two cost little more than one, and they see the
/// mobility of both sides.
const VALUE_PLIES: u32 = 2;

/// The number of plies below the last choice: one more choice would cost as much as counting them.
const LAST_PLIES: u32 = VALUE_PLIES + 1;

/// The fewest rounds, and the most in one batch. The standard error of fewer would be too uncertain.
const FEWEST_ROUNDS: u64 = 16;

/// Returns the value of a candidate, from the leaves [`VALUE_PLIES`] plies below it. Mobile positions stay mobile: an exponent of 1.5 gave
/// 10 to 15 % smaller errors than 1 did at depths 12 and 15.
fn value(leaves: u128) -> f64 {
    let leaves = leaves as f64;
    leaves * leaves.sqrt()
}

/// The fewest rounds of an estimate that was stopped.
const FEWEST_TO_TELL: u64 = 4;

/// The settings of an estimate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EstimateSettings {
    /// Bytes that merged positions may take on the device.
    pub memory: u64,
    /// The last merged ply; with `None`, the seconds and the number of lines decide.
    pub plies: Option<u32>,
    /// The seed of the random numbers. Equal seeds give equal estimates on every device, for equal numbers of lines from the same ply.
    pub seed: u64,
    /// The number of lines after which the estimate is done; batches are completed.
    pub lines: u64,
    /// The seconds after which the estimate is done.
    pub seconds: f64,
    /// The standard error, as a share of the estimate, at which the estimate is done.
    pub error: f64,
    /// The number of lines in a round.
    pub together: usize,
}

impl EstimateSettings {
    /// Returns the default settings within `memory` bytes: ten seconds, with seed 0.
    pub const fn with_memory(memory: u64) -> Self {
        Self { memory, plies: None, seed: 0, lines: u64::MAX, seconds: 10.0, error: 0.0, together: 2048 }
    }
}

/// An estimate of a number of leaves.
#[derive(Clone, Copy, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LeafEstimate {
    /// The estimated number of leaves.
    pub leaves: f64,
    /// The standard error: 0 if the count is exact.
    pub error: f64,
    /// The interval that contains the true number with a probability of 95 %.
    pub interval: [f64; 2],
    /// The exact number, if the tree is so small that it was counted.
    pub exact: Option<u128>,
    /// The last merged ply.
    pub ply: u32,
    /// The number of its positions.
    pub positions: u64,
    /// The number of lines.
    pub lines: u64,
    /// The number of independent rounds of lines.
    pub rounds: u64,
    /// The number of leaves that were counted at the ends of lines.
    pub counted: u128,
    /// Whether the observer stopped the estimate early.
    #[cfg_attr(feature = "serde", serde(rename = "stopped"))]
    pub is_stopped: bool,
}

impl Driver<'_> {
    /// Estimates the number of leaves `depth` plies below the root. Small trees are counted exactly.
    ///
    /// The estimate is unbiased for a number of lines or seconds. An end at a standard error favours low estimates, but hardly, because
    /// the error is tested only when the rounds have doubled. If the observer stops the work after the first rounds, the result is the estimate so far.
    ///
    /// # Errors
    /// [`Error::Memory`] if a requested ply does not fit; otherwise as [`Driver::perft`].
    pub fn estimate(&mut self, root: &Fen, depth: u32, settings: &EstimateSettings) -> Result<LeafEstimate, Error> {
        self.begin(1);
        let begin = Instant::now();
        let (ply, entries) = match self.merged_ply(root, depth, settings)? {
            Merged::Counted(estimate) => return Ok(estimate),
            Merged::Ply(ply, entries) => (ply, entries),
        };
        let rules = counting(root);
        let positions = entries.len() as u64;
        let source = Source::new(self, &rules, &entries)?;
        drop(entries);
        let (mut sample, mut next_test) = (Sample::default(), FEWEST_ROUNDS);
        let mut random = Random::new(settings.seed);
        let start = Instant::now();
        let rounds = (EXPAND_AT_ONCE / settings.together.max(1)).clamp(1, FEWEST_ROUNDS as usize);
        let is_stopped = loop {
            let (used, drawing) = (begin.elapsed().as_secs_f64(), start.elapsed().as_secs_f64());
            let share = (used / settings.seconds).max(sample.lines as f64 / settings.lines as f64).min(1.0);
            if sample.rounds >= FEWEST_ROUNDS {
                // A batch begins if most of it ends in time.
                let half = 0.5 * drawing / (sample.rounds as f64 / rounds as f64);
                // Tests after every batch would stop most often after low estimates, whose errors are small, too.
                let is_tested = settings.error > 0.0 && sample.rounds >= next_test;
                next_test = if is_tested { 2 * sample.rounds } else { next_test };
                let error = sample.error();
                let is_exact_enough = error == 0.0 || is_tested && error <= settings.error * sample.mean;
                if sample.lines >= settings.lines || used + half >= settings.seconds || is_exact_enough {
                    break false;
                }
            }
            self.progress.fraction = share;
            let batch = Batch { rules: &rules, source: &source, depth: depth - ply, together: settings.together };
            match batch.run(self, rounds, &mut random, share) {
                Ok(found) => sample.add(found, settings.together),
                Err(Error::Cancelled(_)) if sample.rounds >= FEWEST_TO_TELL => break true,
                Err(error) => return Err(error),
            }
        };
        let (error, half) = (sample.error(), sample.error() * student(sample.rounds - 1));
        Ok(LeafEstimate {
            leaves: sample.mean,
            error,
            interval: [(sample.mean - half).max(0.0), sample.mean + half],
            exact: None,
            ply,
            positions,
            lines: sample.lines,
            rounds: sample.rounds,
            counted: sample.counted,
            is_stopped,
        })
    }

    /// Merges the first plies.
    fn merged_ply(&mut self, root: &Fen, depth: u32, settings: &EstimateSettings) -> Result<Merged, Error> {
        let options = MergeSettings::with_memory(settings.memory).options();
        let mut work = Work::start(self, &counting(root), &options, depth)?;
        let root = [root_entry(root)];
        work.add(&root)?;
        let last = settings.plies.unwrap_or(u32::MAX).min(depth);
        let most = (POSITIONS_A_LINE * settings.lines as f64).clamp(FEWEST_POSITIONS, MOST_POSITIONS);
        while work.ply() < last && work.successors() > 0 {
            let next = work.next_whole();
            let fits = work.share_of_room(next.positions) <= 1.0;
            if settings.plies.is_some() && !fits {
                return Err(work.no_room());
            }
            let is_quick = next.positions <= most && next.seconds <= MERGING_SHARE * settings.seconds;
            if settings.plies.is_none() && !(fits && is_quick && depth - work.ply() > VALUE_PLIES) {
                break;
            }
            if !work.merge_whole(next)? {
                work.start_again(&root)?;
            }
        }
        let (ply, positions) = (work.ply(), work.successors());
        if depth - ply <= VALUE_PLIES || positions == 0 {
            let exact = if positions == 0 { 0 } else { work.paths_below(depth - ply)? };
            let leaves = exact as f64;
            return Ok(Merged::Counted(LeafEstimate {
                leaves,
                error: 0.0,
                interval: [leaves; 2],
                exact: Some(exact),
                ply,
                positions,
                lines: 0,
                rounds: 0,
                counted: exact,
                is_stopped: false,
            }));
        }
        let mut entries = Vec::with_capacity(positions as usize);
        for first in (0..positions).step_by(READ_AT_ONCE) {
            work.check_cancelled()?;
            let read = work.merge.entries(first..positions.min(first + READ_AT_ONCE as u64))?;
            entries.extend(read.iter().map(|entry| (entry.position, entry.multiplicity as f64)));
        }
        // Neighbours are alike, and every device has the same order.
        entries.par_sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(Merged::Ply(ply, entries))
    }
}

/// The number of merged positions that are read in one call.
const READ_AT_ONCE: usize = 1 << 18;

/// The merged plies.
enum Merged {
    /// The tree is small and was counted.
    Counted(LeafEstimate),
    /// The last merged ply.
    Ply(u32, Vec<(Quad48, f64)>),
}

/// The positions of the last merged ply, from which lines begin.
#[derive(Default)]
struct Source {
    positions: Vec<Quad48>,
    weights: Vec<f64>,
    values: Vec<f64>,
    /// The sums of the shares of each position and all before it.
    ends: Vec<f64>,
}

impl Source {
    /// Leaves out positions without leaves.
    fn new(driver: &mut Driver<'_>, rules: &Rules, entries: &[(Quad48, f64)]) -> Result<Self, Error> {
        let (mut source, mut sum) = (Self::default(), 0.0);
        for entries in entries.chunks(READ_AT_ONCE) {
            let positions: Vec<_> = entries.iter().map(|entry| entry.0).collect();
            let counts = driver.count::<u128>(rules, &positions, VALUE_PLIES, Some([0.0; 2]))?;
            for (&(position, weight), &count) in entries.iter().zip(&counts).filter(|(_, count)| **count > 0) {
                sum += weight * value(count);
                source.positions.push(position);
                source.weights.push(weight);
                source.values.push(value(count));
                source.ends.push(sum);
            }
        }
        Ok(source)
    }

    /// Chooses the positions of a round.
    fn draw(&self, wanted: usize, random: &mut Random) -> Round {
        let mut round = Round::default();
        let total = self.ends.last().copied().unwrap_or(0.0);
        if self.positions.len() <= wanted {
            round.positions.clone_from(&self.positions);
            round.weights.clone_from(&self.weights);
            return round;
        }
        let mut last = usize::MAX;
        for unit in 0..wanted {
            let place = (unit as f64 + random.unit()) / wanted as f64 * total;
            let index = self.ends.partition_point(|&end| end <= place).min(self.positions.len() - 1);
            let weight = total / (wanted as f64 * self.values[index]);
            match round.weights.last_mut() {
                Some(sum) if index == last => *sum += weight,
                _ => {
                    round.positions.push(self.positions[index]);
                    round.weights.push(weight);
                }
            }
            last = index;
        }
        round
    }
}

/// The lines of a round.
#[derive(Clone, Default)]
struct Round {
    positions: Vec<Quad48>,
    weights: Vec<f64>,
}

/// The successors of a round's positions.
struct Family<'a> {
    parents: &'a Round,
    children: &'a [Quad48],
    /// The end of each parent's successors among the successors of all rounds, and the number of successors of earlier rounds.
    ends: &'a [usize],
    first: usize,
    /// The leaves below each successor, for its value.
    below: &'a [u128],
}

impl Family<'_> {
    /// Calls `take` with the number, weight and value of each successor that has leaves below it.
    fn each(&self, mut take: impl FnMut(usize, f64, f64)) {
        let mut start = 0;
        for (&weight, &end) in self.parents.weights.iter().zip(self.ends) {
            let end = end - self.first;
            for child in (start..end).filter(|&child| self.below[child] > 0) {
                take(child, weight, value(self.below[child]));
            }
            start = end;
        }
    }

    /// Chooses the positions of the round's next ply.
    fn choose(&self, wanted: usize, mut random: Random) -> Round {
        let (mut total, mut candidates) = (0.0, 0);
        self.each(|_, weight, value| {
            total += weight * value;
            candidates += 1;
        });
        let mut next = Round::default();
        let mut take = |child: usize, weight| {
            next.positions.push(self.children[child]);
            next.weights.push(weight);
        };
        if candidates <= wanted {
            self.each(|child, weight, _| take(child, weight));
            return next;
        }
        let scale = wanted as f64 / total;
        let (mut end, mut unit, mut place) = (0.0, 0.0, random.unit());
        self.each(|child, weight, value| {
            end += weight * value * scale;
            let mut times = 0.0;
            while place < end {
                times += 1.0;
                unit += 1.0;
                place = unit + random.unit();
            }
            if times > 0.0 {
                take(child, times / (value * scale));
            }
        });
        next
    }
}

/// Rounds that advance together, in one call of the device for each step.
struct Batch<'a> {
    rules: &'a Rules,
    source: &'a Source,
    /// The number of plies below the source.
    depth: u32,
    together: usize,
}

impl Batch<'_> {
    /// Returns the estimate of each round, and the number of leaves counted.
    fn run(
        &self,
        driver: &mut Driver<'_>,
        rounds: usize,
        random: &mut Random,
        share: f64,
    ) -> Result<(Vec<f64>, u128), Error> {
        let mut rounds: Vec<_> = (0..rounds).map(|_| self.source.draw(self.together, random)).collect();
        for _ in LAST_PLIES..self.depth {
            let positions = together(&rounds);
            let successors = expand(driver.backend, self.rules, &positions)?;
            let below = driver.count::<u128>(self.rules, &successors.positions, VALUE_PLIES, Some([share; 2]))?;
            let (mut parents, mut first) = (0, 0);
            let families = rounds.iter().map(|round| {
                let ends = &successors.ends[parents..parents + round.positions.len()];
                let end = ends.last().copied().unwrap_or(first);
                let (children, below) = (&successors.positions[first..end], &below[first..end]);
                let family = Family { parents: round, children, ends, first, below };
                (parents, first) = (parents + ends.len(), end);
                (family, random.fork())
            });
            let families: Vec<_> = families.collect();
            rounds = families.into_par_iter().map(|(family, random)| family.choose(self.together, random)).collect();
        }
        let positions = together(&rounds);
        let counts = driver.count::<u128>(self.rules, &positions, LAST_PLIES, Some([share; 2]))?;
        let mut rest = counts.as_slice();
        let sums = rounds.iter().map(|round| {
            let (counts, others) = rest.split_at(round.weights.len());
            rest = others;
            round.weights.iter().zip(counts).map(|(weight, &count)| weight * count as f64).sum()
        });
        Ok((sums.collect(), counts.iter().sum()))
    }
}

/// Returns the positions of all rounds.
fn together(rounds: &[Round]) -> Vec<Quad48> {
    rounds.iter().flat_map(|round| &round.positions).copied().collect()
}

/// The rounds so far.
#[derive(Default)]
struct Sample {
    rounds: u64,
    lines: u64,
    counted: u128,
    mean: f64,
    /// The sum of the squared deviations from the mean, in units of the square of the first estimate: squares of large counts overflow.
    squares: f64,
    unit: f64,
}

impl Sample {
    fn add(&mut self, (estimates, counted): (Vec<f64>, u128), together: usize) {
        self.counted += counted;
        for estimate in estimates {
            self.rounds += 1;
            self.lines += together as u64;
            if self.unit == 0.0 {
                self.unit = estimate;
            }
            let deviation = estimate - self.mean;
            self.mean += deviation / self.rounds as f64;
            if self.unit > 0.0 {
                self.squares += deviation / self.unit * ((estimate - self.mean) / self.unit);
            }
        }
    }

    /// The standard error of the mean.
    fn error(&self) -> f64 {
        let rounds = self.rounds as f64;
        (self.squares / (rounds - 1.0) / rounds).sqrt() * self.unit
    }
}

/// Returns the quantile of Student's distribution that 97.5 % do not exceed, by the expansion of Cornish and Fisher.
fn student(freedom: u64) -> f64 {
    let (z, n) = (1.959_963_985_f64, freedom as f64);
    let terms = [
        z,
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    terms.iter().rev().fold(0.0, |sum, term| sum / n + term)
}
