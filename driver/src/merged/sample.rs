//! Samples of plies that do not fit in memory.

use kogge_board::Planes32;
use kogge_board::merge::{Filter, Key, KeyRange};

use super::work::{StepError, Work};
use crate::Error;

/// The parents that a sample expands for each range that it is meant for, and the least and the greatest number of them.
const PARENTS_EACH: u64 = 64;
const LEAST_PARENTS: u64 = 1 << 11;
const MOST_PARENTS: u64 = 1 << 16;

/// The positions that one call reads from the device. With an eighth of them, or with their keys found and sorted by all cores, samples saved
/// milliseconds on an H200, but counts in 600 MB, which have many samples, took 3 % longer.
const AT_ONCE: u64 = 1 << 16;

/// The most positions of a ply between that are remembered, one ply before the last: looking through them takes about a millisecond. With
/// each ply more, a position takes longer.
const MOST_BETWEEN: usize = 1 << 14;
const LEAST_BETWEEN: usize = 1 << 11;

/// The factor by which the successors of a sample may exceed the estimate.
const SPARE: f64 = 1.5;

/// Positions of the last ply, and of the plies between the parents and the last ply, for a range or for all keys.
pub(super) struct Sample {
    /// The keys of some positions of the last ply, in order.
    pub(super) keys: Vec<Key>,
    /// The number of positions that each of them stands for, if no other parents had led to them.
    pub(super) each_key: f64,
    /// The plies between, the first one first.
    pub(super) between: Vec<SampledPly>,
    /// Returns the key of a position.
    pub(super) key: fn(&Planes32) -> Key,
}

/// Some positions of a ply between.
#[derive(Default)]
pub(super) struct SampledPly {
    pub(super) positions: Vec<Planes32>,
    /// The number of positions that each of them stands for, if no other parents had led to them.
    pub(super) each: f64,
}

impl Sample {
    /// Samples the next plies: some plies between, and the last one. `filters` has a filter for each of these plies. The sample is meant for a
    /// number of ranges of these keys.
    pub(super) fn of(
        work: &mut Work<'_>,
        ply: u32,
        filters: &[Filter],
        key: fn(&Planes32) -> Key,
        ranges: u32,
    ) -> Result<Self, Error> {
        let between = filters.iter().skip(1).map(|_| SampledPly::default()).collect();
        let mut sample = Self { keys: Vec::new(), each_key: 1.0, between, key };
        sample.take(work, ply, filters, 1.0, parents(ranges))?;
        for (before, sampled) in sample.between.iter_mut().rev().enumerate() {
            let most = (MOST_BETWEEN >> before.min(8)).max(LEAST_BETWEEN);
            let stride = sampled.positions.len().div_ceil(most).max(1);
            sampled.positions = std::mem::take(&mut sampled.positions).into_iter().step_by(stride).collect();
            sampled.each *= stride as f64;
        }
        sample.keys.sort_unstable();
        Ok(sample)
    }

    /// Samples the keys of the last ply, below these plies between. The keys are meant for a number of ranges.
    fn keys_below(
        work: &mut Work<'_>,
        between: u32,
        key: fn(&Planes32) -> Key,
        ranges: u32,
    ) -> Result<Vec<Key>, Error> {
        let mut sample = Self { keys: Vec::new(), each_key: 1.0, between: Vec::new(), key };
        let filters = vec![Filter::All; between as usize + 1];
        sample.take(work, work.next_ply(), &filters, 1.0, parents(ranges))?;
        Ok(sample.keys)
    }

    /// Samples the successors of about this number of parents, and all plies after them. Each parent stands for `each`. Plies between that the
    /// sample does not have are made but not read.
    fn take(
        &mut self,
        work: &mut Work<'_>,
        ply: u32,
        filters: &[Filter],
        each: f64,
        parents: u64,
    ) -> Result<(), Error> {
        let Some((&filter, later)) = filters.split_first() else { return Ok(()) };
        let all = work.merge.parents() as f64;
        if later.is_empty() {
            let sampled = work.sample(ply, filter, parents, &mut |work, _| {
                self.keys.extend(work.read()?.iter().map(self.key));
                Ok(())
            })?;
            self.each_key = each * all / (sampled as f64).max(1.0);
            return Ok(());
        }
        let index = self.between.len().checked_sub(later.len());
        let first = parents.min(MOST_PARENTS / 4);
        let each_later = each * (all / (first as f64).max(1.0)).max(1.0);
        let sampled = work.sample(ply, filter, first, &mut |work, share| {
            if let Some(index) = index {
                self.between[index].positions.extend(work.read()?);
            }
            work.merge.descend(true)?;
            let sampled = self.take(work, ply + 1, later, each_later, (share * parents as f64).ceil() as u64);
            // The ply before becomes the parents again, even if the work was stopped.
            work.merge.ascend()?;
            sampled
        })?;
        if let Some(index) = index {
            self.between[index].each = each * all / (sampled as f64).max(1.0);
        }
        Ok(())
    }

    /// Returns the number of sampled keys in a range.
    pub(super) fn keys_in(&self, range: &KeyRange) -> f64 {
        self.slice(range).len() as f64
    }

    /// Returns the sampled keys in a range.
    pub(super) fn slice(&self, range: &KeyRange) -> &[Key] {
        let start = self.keys.partition_point(|&key| key < range.first);
        let end = self.keys.partition_point(|&key| key <= range.last);
        &self.keys[start..end.max(start)]
    }
}

/// Returns the number of parents that a sample for a number of ranges expands.
fn parents(ranges: u32) -> u64 {
    (u64::from(ranges) * PARENTS_EACH).clamp(LEAST_PARENTS, MOST_PARENTS)
}

/// Takes a part of a sample, the successors on the device, with their share of the sample.
type Take<'f> = &'f mut dyn FnMut(&mut Work<'_>, f64) -> Result<(), Error>;

impl Work<'_> {
    /// Chooses ranges that cover the ply below these plies between, at most one for each weight. Their numbers of positions are about their
    /// shares of the weights.
    pub(crate) fn borders(&mut self, between: u32, is_reversed: bool, weights: &[u64]) -> Result<Vec<KeyRange>, Error> {
        let key = if is_reversed { Key::reversed } else { Key::of };
        let mut keys = Sample::keys_below(self, between, key, weights.len() as u32)?;
        Ok(KeyRange::divide_by(&mut keys, weights))
    }

    /// Samples the successors of the parents that belong to `kept`: expands at least `parents` parents, evenly spread because neighbours have
    /// similar pawns, or all of them. The successors belong to this ply.
    ///
    /// If they do not fit in half of the room, the sample has several parts, and some positions occur in more than one. Returns the number of
    /// parents that were expanded.
    pub(super) fn sample(&mut self, ply: u32, kept: Filter, parents: u64, take: Take<'_>) -> Result<u64, Error> {
        let all = self.merge.parents();
        let most = self.merge.sizes().capacity / 2;
        let each = SPARE * self.estimates.moves;
        let stride = (all / parents.max(1)).max(1);
        let total = all.div_ceil(stride);
        let parts = (total as f64 * each / most.max(1) as f64).ceil().clamp(1.0, total.max(1) as f64) as u64;
        // Each part begins at one of these parents, and has a stride.
        let mut parts: Vec<_> = (0..parts).rev().map(|part| (part * stride, parts * stride)).collect();
        let mut sampled = 0;
        while let Some((first, stride)) = parts.pop().filter(|&(first, _)| first < all) {
            self.check_cancelled()?;
            let expanded = (all - first).div_ceil(stride);
            let room = ((expanded as f64 * each) as u64 + AT_ONCE).min(most.max(1));
            let paths = self.merge.reserve(room, kept).and_then(|()| self.merge.expand_every(stride, first..all));
            match paths.map_err(StepError::from) {
                Ok(paths) => {
                    self.conserve(ply, paths)?;
                    take(self, expanded as f64 / total as f64)?;
                    sampled += expanded;
                }
                Err(StepError::Full) if expanded > 1 => {
                    parts.extend([(first + stride, 2 * stride), (first, 2 * stride)])
                }
                Err(StepError::Full) => return Err(self.no_room_for(ply)),
                Err(StepError::Other(error)) => return Err(error),
            }
        }
        Ok(sampled)
    }

    /// Reads all successors.
    pub(super) fn read(&mut self) -> Result<Vec<Planes32>, Error> {
        let len = self.merge.successors();
        let mut positions = Vec::new();
        for start in (0..len).step_by(AT_ONCE as usize) {
            let entries = self.merge.entries(start..len.min(start + AT_ONCE))?;
            positions.extend(entries.iter().map(|entry| self.planes(entry)));
        }
        Ok(positions)
    }
}
