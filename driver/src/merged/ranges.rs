//! Makes the last ply in ranges, beside a whole ply or below a ply between.

use std::collections::VecDeque;
use std::time::Instant;

use kogge_board::Categories;
use kogge_board::merge::{Filter, Key, KeyRange};

use super::route::{BETWEEN_SHARE, FILL};
use super::sample::Sample;
use super::work::Work;
use crate::Error;

/// The share of the room that a ply between may take at most, if it turns out larger than estimated.
const MOST_BETWEEN_SHARE: f64 = 0.85;

/// The same share for the ply before a range whose parts would all need the same ply between.
const LAST_BETWEEN_SHARE: f64 = 0.8;

/// A range with fewer sampled keys than this is sampled again before it is split.
const FEW_KEYS: usize = 16;

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
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Done {
    /// How often the ply between was made, and the most positions of it at once.
    pub(crate) groups: u32,
    pub(crate) largest_group: u64,
    /// The ranges of the last ply, after some were split, and the most positions of one.
    pub(crate) ranges: u32,
    pub(crate) largest_range: u64,
    /// Seconds for making the ply between, for making the ranges, and for counting below them.
    pub(crate) between_seconds: f64,
    pub(crate) range_seconds: f64,
    pub(crate) below_seconds: f64,
}

/// Makes ranges of the last ply, one after the other.
///
/// The parents are the last whole ply. If there is a ply between, consecutive ranges form a group. For each group, the positions of
/// the ply between that may have successors in its ranges become the parents.
pub(crate) struct Ranges {
    sample: Sample,
    /// Whether there is a ply between.
    has_between: bool,
    /// Whether the ranges are those of reversed keys.
    is_reversed: bool,
    /// The number of the last ply.
    ply: u32,
    /// The estimated positions of the last ply for each sampled key, and of the ply between for each of its sampled positions.
    each_key: f64,
    each_between: f64,
    /// All positions of the ply between that may have successors in this range are the parents.
    group: Option<KeyRange>,
    /// The diagrams so far, if they are wanted. Then ranges are not split between positions with the same pawns, so that equal diagrams
    /// lie in one range. If such positions do not fit together, diagrams are given up.
    pub(crate) diagrams: Option<u64>,
    pub(crate) done: Done,
}

/// A range, or a piece of one that was split.
#[derive(Clone, Copy)]
struct Piece {
    /// The number of the range.
    number: usize,
    range: KeyRange,
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
    /// Samples the plies. The last whole ply must have [become the parents](Work::descend).
    pub(crate) fn of(work: &mut Work<'_>, has_between: bool, ranges: u32) -> Result<Self, Error> {
        Self::with_keys(work, has_between, false, ranges)
    }

    /// Samples the next ply for ranges of [reversed](Key::reversed) keys. The last whole ply must have [become the parents](Work::descend).
    pub(crate) fn reversed(work: &mut Work<'_>, ranges: u32) -> Result<Self, Error> {
        Self::with_keys(work, false, true, ranges)
    }

    fn with_keys(work: &mut Work<'_>, has_between: bool, is_reversed: bool, ranges: u32) -> Result<Self, Error> {
        let key = if is_reversed { Key::reversed } else { Key::of };
        let sample = Sample::of(work, has_between, key, ranges)?;
        let plies = 1 + u32::from(has_between);
        let sizes = work.estimates.next_sizes(plies);
        let each = |positions: f64, sampled: f64| positions / sampled.max(1.0);
        let each_key = each(sizes[plies as usize - 1], sample.keys.len() as f64);
        let each_between = each(sizes[0], sample.between());
        let ply = work.next_ply() + plies - 1;
        let diagrams = work.diagram_bytes.map(|_| 0);
        let (group, done) = (None, Done::default());
        Ok(Self { sample, has_between, is_reversed, ply, each_key, each_between, group, diagrams, done })
    }

    /// Samples the plies again for a number of ranges, unless the sample is large enough.
    pub(crate) fn sample_again(&mut self, work: &mut Work<'_>, ranges: u32) -> Result<(), Error> {
        if Sample::parents(ranges) > Sample::parents(1) {
            self.leave_group(work)?;
            let done = self.done;
            *self = Self { done, ..Self::with_keys(work, self.has_between, self.is_reversed, ranges)? };
        }
        Ok(())
    }

    /// Samples the plies again, for ranges of [reversed](Key::reversed) keys.
    pub(crate) fn reverse(&mut self, work: &mut Work<'_>) -> Result<(), Error> {
        self.leave_group(work)?;
        *self = Self::with_keys(work, self.has_between, true, 1)?;
        Ok(())
    }

    /// Makes the last whole ply the parents again.
    fn leave_group(&mut self, work: &mut Work<'_>) -> Result<(), Error> {
        if self.group.take().is_some() {
            work.merge.ascend()?;
        }
        Ok(())
    }

    /// The number of the ply that is made in ranges.
    pub(crate) fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns ranges that cover the last ply, at most `count`, with about equally many positions each.
    pub(crate) fn divide(&self, count: usize) -> Vec<KeyRange> {
        let mut borders: Vec<_> = self.sample.keys.iter().map(|&key| self.border_at(key)).collect();
        KeyRange::divide(&mut borders, count)
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
            if self.has_between && !self.group.is_some_and(|group| covers(&group, &piece.range)) {
                self.make_between(work, &mut rest, &pacer)?;
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

    /// The filter with which an expansion of the parents makes a range.
    fn kept(&self, range: KeyRange) -> Filter {
        if self.is_reversed { Filter::WithinReversed(range) } else { Filter::Within(range) }
    }

    fn weight(&self, range: &KeyRange) -> f64 {
        self.sample.keys_in(range) + 1.0
    }

    /// Makes the positions of the ply between that may have successors in the next pieces the parents. If not even those for one
    /// piece fit, splits this piece.
    fn make_between(&mut self, work: &mut Work<'_>, rest: &mut VecDeque<Piece>, pacer: &Pacer) -> Result<(), Error> {
        let begin = Instant::now();
        self.leave_group(work)?;
        let most = work.merge.sizes().capacity as f64;
        let estimate = |count: usize| {
            let group = union(rest.iter().take(count));
            (group, self.sample.between_before(&group))
        };
        // As many pieces as should fit: more pieces never need fewer positions.
        let (mut fitting, mut too_many) = (1, rest.len() + 1);
        while too_many - fitting > 1 {
            let middle = fitting.midpoint(too_many);
            let fits = estimate(middle).1 * self.each_between <= FILL * BETWEEN_SHARE * most;
            *(if fits { &mut fitting } else { &mut too_many }) = middle;
        }
        loop {
            let (group, sampled) = estimate(fitting);
            let positions = sampled * self.each_between;
            // Pieces of a range with the same pawns need the same positions of the ply between.
            let is_last = fitting == 1 && group.first.pawns == group.last.pawns;
            let limit = most * if is_last { LAST_BETWEEN_SHARE } else { MOST_BETWEEN_SHARE };
            let is_hopeless = fitting == 1 && !is_last && positions > limit;
            let seconds = pacer.seconds(self.weight(&group)) / 4.0;
            work.rest = pacer.seconds(pacer.weight - pacer.done);
            let made = if is_hopeless {
                None
            } else {
                work.expand(Filter::Before(group), positions / FILL, limit as u64, seconds)?
            };
            if let Some(paths) = made {
                work.conserve(self.ply - 1, paths)?;
                let found = work.successors();
                self.done.groups += 1;
                self.done.largest_group = self.done.largest_group.max(found);
                if sampled > 0.0 {
                    self.each_between = self.each_between.midpoint(found as f64 / sampled);
                }
                work.merge.descend(true)?;
                self.group = Some(group);
                break;
            }
            if is_last {
                return Err(work.no_room_for(self.ply - 1));
            }
            if fitting == 1 {
                self.split_by_pawns(rest);
                break;
            }
            fitting /= 2;
        }
        self.done.between_seconds += begin.elapsed().as_secs_f64();
        Ok(())
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
        let sampled = self.sample.keys_in(range);
        let expected = sampled * self.each_key;
        if expected > work.merge.sizes().capacity as f64 && self.is_divisible(range) {
            return Ok(None);
        }
        let weight = self.weight(range);
        let seconds = pacer.seconds(weight);
        let [making, counting] = if below.is_some() { [seconds / 2.0; 2] } else { [seconds, 0.0] };
        let rest = pacer.seconds((pacer.weight - pacer.done - weight).max(0.0));
        work.rest = rest + counting;
        let made = work.expand(self.kept(*range), expected / FILL, u64::MAX, making)?;
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
        if sampled > 0.0 {
            self.each_key = self.each_key.midpoint(positions as f64 / sampled);
        }
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
        let mut sampled = self.sample.slice(&range).to_vec();
        if sampled.len() < FEW_KEYS {
            sampled.clear();
            work.sample(self.ply, self.kept(range), SAMPLED_AGAIN, &mut |_, positions, _| {
                sampled.extend(positions.iter().map(self.sample.key));
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
            let sampled = self.sample.slice(&range);
            split_at(between_pawns(&range, sampled.get(sampled.len() / 2)), rest);
        }
    }
}

/// Returns a key of the range that is not its first, at which to split it between pawn structures. `median` is a key of a
/// position in the range, if one is known. The range has more than one key.
///
/// Ranges whose positions have the same pawns of the side to move need far fewer parents than others, so these are split off first.
fn between_pawns(range: &KeyRange, median: Option<&Key>) -> Key {
    let start = |own| Key { pawns: [own, 0], hash: 0 };
    let end = |own| Key { pawns: [own, u64::MAX], hash: u32::MAX };
    let [least, greatest] = [range.first, range.last].map(|key| key.pawns[0]);
    let borders = match median {
        Some(&Key { pawns: [own, _], .. }) if least < greatest => [start(own), start(own.saturating_add(1))],
        Some(&key) => [Key { hash: 0, ..key }, Key { pawns: [key.pawns[0], key.pawns[1].saturating_add(1)], hash: 0 }],
        // A range that begins or ends within a pawn structure loses this part first.
        None if least < greatest && range.first > start(least) => [start(least.saturating_add(1)); 2],
        None if least < greatest && range.last != end(greatest) => [start(greatest); 2],
        None => return middle(range),
    };
    let is_inside = |border: &Key| range.first < *border && *border <= range.last;
    borders.into_iter().find(is_inside).unwrap_or_else(|| middle(range))
}

/// Splits the first piece in two; the second begins with this key.
fn split_at(border: Key, rest: &mut VecDeque<Piece>) {
    if let Some(Piece { number, range }) = rest.pop_front() {
        rest.push_front(Piece { number, range: KeyRange { first: border, ..range } });
        rest.push_front(Piece { number, range: KeyRange { last: border.before(), ..range } });
    }
}

/// Returns a key of the range that is not its first, about in its middle. The range has more than one key.
fn middle(range: &KeyRange) -> Key {
    let pawns = |key: Key| u128::from(key.pawns[0]) << 64 | u128::from(key.pawns[1]);
    let [first, last] = [range.first, range.last].map(pawns);
    if first == last {
        let hash = range.first.hash + (range.last.hash - range.first.hash).div_ceil(2);
        return Key { hash, ..range.first };
    }
    let middle = first + (last - first).div_ceil(2);
    Key { pawns: [(middle >> 64) as u64, middle as u64], hash: 0 }
}

fn covers(outer: &KeyRange, inner: &KeyRange) -> bool {
    outer.first <= inner.first && inner.last <= outer.last
}

fn union<'p>(pieces: impl Iterator<Item = &'p Piece>) -> KeyRange {
    let none = KeyRange { first: Key::MAX, last: Key::MIN };
    pieces.fold(none, |union, Piece { range, .. }| KeyRange {
        first: union.first.min(range.first),
        last: union.last.max(range.last),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_split_between_its_keys() {
        let key = |own, theirs, hash| Key { pawns: [own, theirs], hash };
        for (first, last) in [
            (Key::MIN, Key::MAX),
            (key(0, 0, 5), key(0, 0, 6)),
            (key(0, 0, 5), key(0, 0, u32::MAX)),
            (key(0, u64::MAX, u32::MAX), key(1, 0, 0)),
            (key(3, 7, 9), key(3, 8, 0)),
        ] {
            let range = KeyRange { first, last };
            let borders = [middle(&range), between_pawns(&range, None), between_pawns(&range, Some(&first))];
            for border in borders.into_iter().chain([between_pawns(&range, Some(&last))]) {
                assert!(first < border && border <= last, "{range:?}: {border:?}");
            }
        }
    }
}
