//! Makes the last ply in ranges, beside a whole ply or below plies between.

use std::collections::VecDeque;
use std::time::Instant;

use kogge_board::Categories;
use kogge_board::merge::{Filter, Key, KeyRange};

use super::pieces::{Piece, between_pawns, covers, middle, split_at, union};
use super::route::{FILL, GROUP_FILL, between_share};
use super::sample::Sample;
use super::work::Work;
use crate::Error;

/// The factor by which a ply between may exceed its share of the capacity, if it turns out larger than estimated.
const EXCESS: f64 = 1.13;

/// The same factor before a range whose parts would all need the same positions.
const LAST_EXCESS: f64 = 1.07;

/// A range with fewer sampled keys than this is sampled again before it is split.
const FEW_KEYS: usize = 16;

/// The size of a part of a ply says little about other parts if the part has fewer positions.
const FEW_POSITIONS: u64 = 1 << 10;

/// The parents that are expanded to sample a single range.
const SAMPLED_AGAIN: u64 = 1 << 14;

/// What was counted in a range of a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RangeCount {
    /// The range.
    pub range: KeyRange,
    /// The leaves below its positions: the sum of leaves times paths.
    pub leaves: u128,
    /// These leaves by the moves that lead to them, if they are counted by kind.
    pub categories: Option<Categories>,
    /// Its distinct positions.
    pub positions: u64,
    /// The paths from the root to its positions.
    pub paths: u128,
}

impl RangeCount {
    /// Returns the count of a range before anything was counted.
    pub(crate) const fn none(range: KeyRange) -> Self {
        Self { range, leaves: 0, categories: None, positions: 0, paths: 0 }
    }

    /// Adds what was counted in another range.
    pub(crate) fn add(&mut self, other: &Self) -> Result<(), Error> {
        self.leaves = self.leaves.checked_add(other.leaves).ok_or(Error::Overflow)?;
        self.paths = self.paths.checked_add(other.paths).ok_or(Error::Overflow)?;
        self.positions += other.positions;
        if let Some(more) = other.categories {
            self.categories = Some(self.categories.unwrap_or_default().plus(&more).ok_or(Error::Overflow)?);
        }
        Ok(())
    }
}

/// What was done in ranges so far.
#[derive(Clone, Default, Debug)]
pub(crate) struct Done {
    /// The plies between, the first one first.
    pub(crate) between: Vec<DoneBetween>,
    /// The ranges of the last ply, after some were split, and the most positions of one.
    pub(crate) ranges: u32,
    pub(crate) largest_range: u64,
    /// Seconds for making the ranges, and for counting below them.
    pub(crate) range_seconds: f64,
    pub(crate) below_seconds: f64,
}

/// What was done in a ply between.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct DoneBetween {
    /// How often positions of it were made, the most of them at once, and the seconds for all of them.
    pub(crate) groups: u32,
    pub(crate) largest_group: u64,
    pub(crate) seconds: f64,
}

/// Makes ranges of the last ply, one after the other.
///
/// The last whole ply stays in memory. Of each ply between, only the positions that may lead into the next ranges, a group, are in memory;
/// their parents are the positions of the ply before it, which is made in the same way, for a larger group.
pub(crate) struct Ranges {
    /// A sample below the last whole ply, and one below each group in memory, for the range of the group.
    samples: Vec<Sample>,
    /// For each ply between, the first one first, the range that its positions in memory may lead into.
    groups: Vec<Option<KeyRange>>,
    /// For each of these plies and the last ply, the factor that corrects a sample of its parents: other parents lead to some of the sampled
    /// positions, too.
    merged: Vec<f64>,
    /// Whether the ranges are those of reversed keys.
    is_reversed: bool,
    /// The number of the last ply.
    ply: u32,
    /// The diagrams so far, if they are wanted. Then ranges are not split between positions with the same pawns, so that equal diagrams
    /// lie in one range. If such positions do not fit together, diagrams are given up.
    pub(crate) diagrams: Option<u64>,
    pub(crate) done: Done,
}

/// The time that pieces take, for progress. Pieces weigh as much as they have sampled keys.
struct Pacer {
    begin: Instant,
    weight: f64,
    done: f64,
    /// The estimated seconds for all pieces.
    seconds: f64,
}

impl Pacer {
    /// Estimates the seconds for a weight from the finished pieces.
    fn seconds(&self, weight: f64) -> f64 {
        let each =
            if self.done > 0.0 { self.begin.elapsed().as_secs_f64() / self.done } else { self.seconds / self.weight };
        if weight > 0.0 { weight * each } else { 0.0 }
    }
}

impl Ranges {
    /// Samples the plies after the last whole one, which must have [become the parents](Work::descend): some plies between, and the last
    /// one, for a number of ranges of its keys, which may be [reversed](Key::reversed).
    pub(crate) fn of(work: &mut Work<'_>, between: u32, is_reversed: bool, ranges: u32) -> Result<Self, Error> {
        let key = if is_reversed { Key::reversed } else { Key::of };
        let filters = vec![Filter::All; between as usize + 1];
        let sample = Sample::of(work, work.next_ply(), &filters, key, ranges)?;
        let sizes = work.estimates.next_sizes(between + 1);
        let sampled = sample.between.iter().map(|ply| ply.positions.len() as f64 * ply.each);
        let sampled = sampled.chain([sample.keys.len() as f64 * sample.each_key]);
        // A ply below a sample of parents is overestimated as far as its parents are, and then by its own share.
        let mut before = 1.0;
        let merged = sampled.zip(sizes).map(|(sampled, size)| {
            let share = size / sampled.max(1.0);
            share / std::mem::replace(&mut before, share)
        });
        let merged = merged.collect();
        let ply = work.next_ply() + between;
        let diagrams = work.diagram_bytes.map(|_| 0);
        let done = Done { between: vec![DoneBetween::default(); between as usize], ..Done::default() };
        Ok(Self {
            samples: vec![sample],
            groups: vec![None; between as usize],
            merged,
            is_reversed,
            ply,
            diagrams,
            done,
        })
    }

    /// Discards the positions of this ply between and of all after it. The ply before it becomes the parents again.
    pub(crate) fn leave_groups(&mut self, work: &mut Work<'_>, first: usize) -> Result<(), Error> {
        for group in self.groups[first..].iter_mut().rev() {
            if group.take().is_some() {
                work.merge.ascend()?;
            }
        }
        self.samples.truncate(first + 1);
        Ok(())
    }

    /// The number of the ply that is made in ranges.
    pub(crate) fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns ranges that cover the last ply, at most one for each weight, with about as many positions as their shares of the weights.
    pub(crate) fn divide(&self, weights: &[u64]) -> Vec<KeyRange> {
        let mut borders: Vec<_> = self.samples[0].keys.iter().map(|&key| self.border_at(key)).collect();
        KeyRange::divide_by(&mut borders, weights)
    }

    /// Returns the key at which a range may begin so that it has the position with this key.
    fn border_at(&self, key: Key) -> Key {
        if self.diagrams.is_some() { Key { hash: 0, ..key } } else { key }
    }

    fn is_divisible(&self, KeyRange { first, last }: &KeyRange) -> bool {
        self.border_at(*last) > *first
    }

    /// Counts in each of these ranges, which follow each other, and calls `done` after each. Leaves are counted `below` plies below, if
    /// that is given. `seconds` is the estimated time for all of it.
    pub(crate) fn count(
        &mut self,
        work: &mut Work<'_>,
        ranges: &[KeyRange],
        below: Option<u32>,
        seconds: f64,
        done: &mut dyn FnMut(&mut Work<'_>, &RangeCount) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut rest: VecDeque<_> = ranges.iter().enumerate().map(|(number, &range)| Piece { number, range }).collect();
        let weight = ranges.iter().map(|range| self.weight(range)).sum();
        let mut pacer = Pacer { begin: Instant::now(), weight, done: 0.0, seconds };
        let mut sum = None;
        while let Some(&piece) = rest.front() {
            work.check_cancelled()?;
            let range = ranges[piece.number];
            let is_in = |group: &Option<KeyRange>| group.is_some_and(|group| covers(&group, &piece.range));
            if let Some(index) = self.groups.iter().position(|group| !is_in(group)) {
                self.make_group(work, index, &mut rest, &pacer)?;
                continue;
            }
            let Some(found) = self.count_piece(work, &piece.range, below, &pacer)? else {
                self.split_by_size(work, &mut rest)?;
                continue;
            };
            rest.pop_front();
            pacer.done += self.weight(&piece.range);
            let sum_so_far = sum.get_or_insert(RangeCount::none(range));
            sum_so_far.add(&found)?;
            if rest.front().is_none_or(|next| next.number != piece.number) {
                done(work, sum_so_far)?;
                sum = None;
            }
        }
        Ok(())
    }

    /// The filter for the positions this number of plies before the last that may lead into a range.
    fn filter(&self, range: KeyRange, plies: u32) -> Filter {
        let within = if self.is_reversed { Filter::within_reversed } else { Filter::within };
        within(range).before(plies)
    }

    fn weight(&self, range: &KeyRange) -> f64 {
        self.samples[0].keys_in(range) + 1.0
    }

    /// The last sample, and the estimated positions of the last ply for each of its keys.
    fn keys(&self) -> (&Sample, f64) {
        let index = self.samples.len() - 1;
        let sample = &self.samples[index];
        (sample, sample.each_key * self.merged[index..].iter().product::<f64>())
    }

    /// Returns the range of the first pieces, and estimates the positions of a ply between that may lead into it.
    fn group_of(&self, index: usize, pieces: &VecDeque<Piece>, count: usize) -> (KeyRange, f64) {
        let group = union(pieces.iter().take(count));
        let filter = self.filter(group, (self.groups.len() - index) as u32);
        let ply = &self.samples[index].between[0];
        let sampled = ply.positions.iter().filter(|planes| filter.has(planes)).count();
        (group, sampled as f64 * ply.each * self.merged[index])
    }

    /// Makes the positions of a ply between that may lead into the next pieces, and makes them the parents. If not even the positions for
    /// one piece fit, splits this piece.
    fn make_group(
        &mut self,
        work: &mut Work<'_>,
        index: usize,
        rest: &mut VecDeque<Piece>,
        pacer: &Pacer,
    ) -> Result<(), Error> {
        let begin = Instant::now();
        self.leave_groups(work, index)?;
        let plies = (self.groups.len() - index) as u32;
        let ply = self.ply - plies;
        let capacity = work.merge.sizes().capacity as f64;
        let share = between_share(plies, self.is_reversed) * capacity;
        // A single piece that needs more is made nevertheless, if its range may still fit beside it.
        let largest = between_share(plies, false) * capacity;
        let before = index.checked_sub(1).and_then(|before| self.groups[before]);
        let is_reachable = |piece: &&Piece| before.is_none_or(|group| covers(&group, &piece.range));
        let most = rest.iter().take_while(is_reachable).count();
        // As many pieces as should fit: more pieces never need fewer positions.
        let fits = |count: usize| self.group_of(index, rest, count).1 <= GROUP_FILL * share;
        let mut fitting = 1;
        while 2 * fitting <= most && fits(2 * fitting) {
            fitting *= 2;
        }
        let mut too_many = (2 * fitting).min(most + 1);
        while too_many - fitting > 1 {
            let middle = fitting.midpoint(too_many);
            *(if fits(middle) { &mut fitting } else { &mut too_many }) = middle;
        }
        loop {
            let (group, positions) = self.group_of(index, rest, fitting);
            // Pieces of a range with the same pawns need the same positions.
            let is_last = fitting == 1 && group.first.pawns == group.last.pawns;
            let limit = if fitting == 1 { largest } else { share } * if is_last { LAST_EXCESS } else { EXCESS };
            let is_hopeless = fitting == 1 && !is_last && positions > limit;
            let seconds = pacer.seconds(self.weight(&group)) / 4.0;
            work.rest = pacer.seconds(pacer.weight - pacer.done);
            let made = if is_hopeless {
                None
            } else {
                work.expand(self.filter(group, plies), positions / GROUP_FILL, limit as u64, seconds)?
            };
            if let Some(paths) = made {
                work.conserve(ply, paths)?;
                let found = work.successors();
                let done = &mut self.done.between[index];
                done.groups += 1;
                done.largest_group = done.largest_group.max(found);
                self.note_size(index, positions, found);
                work.merge.descend(true)?;
                self.groups[index] = Some(group);
                let filters: Vec<_> = (0..plies).rev().map(|plies| self.filter(group, plies)).collect();
                match Sample::of(work, ply + 1, &filters, self.samples[0].key, 1) {
                    Ok(sample) => self.samples.push(sample),
                    Err(error) => {
                        self.leave_groups(work, index)?;
                        return Err(error);
                    }
                }
                break;
            }
            if is_last {
                return Err(work.no_room_for(ply));
            }
            if fitting == 1 {
                self.split_by_pawns(rest);
                break;
            }
            fitting /= 2;
        }
        self.done.between[index].seconds += begin.elapsed().as_secs_f64();
        Ok(())
    }

    /// Corrects the estimates of a ply after a part of it was made.
    fn note_size(&mut self, index: usize, expected: f64, found: u64) {
        if expected > 0.0 && found > FEW_POSITIONS {
            self.merged[index] *= 1.0_f64.midpoint(found as f64 / expected);
        }
    }

    /// Makes the positions of a range, and counts the leaves below them if `below` is given, else the positions that are reached once,
    /// and diagrams if they are wanted. Returns `None` if they do not fit.
    fn count_piece(
        &mut self,
        work: &mut Work<'_>,
        range: &KeyRange,
        below: Option<u32>,
        pacer: &Pacer,
    ) -> Result<Option<RangeCount>, Error> {
        let begin = Instant::now();
        let (sample, each) = self.keys();
        let expected = sample.keys_in(range) * each;
        if expected > work.merge.sizes().capacity as f64 && self.is_divisible(range) {
            return Ok(None);
        }
        let weight = self.weight(range);
        let seconds = pacer.seconds(weight);
        let [making, counting] = if below.is_some() { [seconds / 2.0; 2] } else { [seconds, 0.0] };
        let rest = pacer.seconds((pacer.weight - pacer.done - weight).max(0.0));
        work.rest = rest + counting;
        let made = work.expand(self.filter(*range, 0), expected / FILL, u64::MAX, making)?;
        if let Some(paths) = made {
            work.conserve(self.ply, paths)?;
        }
        self.done.range_seconds += begin.elapsed().as_secs_f64();
        let Some(paths) = made else { return Ok(None) };
        let begin = Instant::now();
        work.rest = rest;
        let (leaves, categories) = match below {
            Some(depth) => work.count_below(depth, counting)?,
            None => {
                work.note_once()?;
                if let Some(sum) = self.diagrams {
                    self.diagrams = work.diagrams(self.ply)?.map(|more| sum + more);
                }
                (0, None)
            }
        };
        self.done.below_seconds += begin.elapsed().as_secs_f64();
        let positions = work.successors();
        self.done.ranges += 1;
        self.done.largest_range = self.done.largest_range.max(positions);
        self.note_size(self.groups.len(), expected, positions);
        Ok(Some(RangeCount { range: *range, leaves, categories, positions, paths }))
    }

    /// Splits the first piece in two of about the same size, because it does not fit. The parents belong to the ply before the last.
    fn split_by_size(&mut self, work: &mut Work<'_>, rest: &mut VecDeque<Piece>) -> Result<(), Error> {
        let Some(&Piece { range, .. }) = rest.front() else { return Ok(()) };
        if range.first >= range.last {
            return Err(work.no_room_for(self.ply));
        }
        if !self.is_divisible(&range) {
            self.diagrams = None;
        }
        let mut sampled = self.keys().0.slice(&range).to_vec();
        if sampled.len() < FEW_KEYS {
            sampled.clear();
            work.sample(self.ply, self.filter(range, 0), SAMPLED_AGAIN, &mut |work, _| {
                sampled.extend(work.read()?.iter().map(self.samples[0].key));
                Ok(())
            })?;
            sampled.sort_unstable();
        }
        let after_first = &sampled[sampled.partition_point(|&key| self.border_at(key) <= range.first)..];
        let median = after_first.get(after_first.len() / 2).map(|&key| self.border_at(key));
        let border = median.unwrap_or_else(|| middle(&range));
        split_at(border, rest);
        Ok(())
    }

    /// Splits the first piece between two pawn structures, because the ply between does not fit.
    fn split_by_pawns(&self, rest: &mut VecDeque<Piece>) {
        if let Some(&Piece { range, .. }) = rest.front() {
            let sampled = self.keys().0.slice(&range);
            split_at(between_pawns(&range, sampled.get(sampled.len() / 2)), rest);
        }
    }
}
