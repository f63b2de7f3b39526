//! Merging in the host's memory, with any backend.

use std::collections::HashMap;
use std::ops::Range;

use crate::merge::{
    Filter, Merge, MergeError, MergeOptions, MergeSizes, Summand, WeightedPosition, add_categories, add_weighted,
    common_turn, hashes,
};
use crate::{Backend, BackendError, Categories, Planes32, Quad48, Rules, unwatched};

/// Two plies in the host's memory; the backend expands and counts.
pub struct HostMerge<'a, B: Backend + ?Sized> {
    backend: &'a mut B,
    rules: Rules,
    options: MergeOptions,
    parents: Vec<WeightedPosition>,
    successors: Vec<WeightedPosition>,
    /// Earlier plies that were saved for [`Merge::ascend`], the most recent one last.
    ancestors: Vec<Vec<WeightedPosition>>,
    /// The filter for successors.
    kept: Filter,
    room: u64,
    /// The indices of the successors with each hash. Positions are compared in full.
    slots: HashMap<u32, Vec<u32>>,
}

/// The maximum number of bytes for an entry: the entry itself and its slot, both with the spare capacity after growing.
const HOST_BYTES: u64 = 2 * size_of::<WeightedPosition>() as u64 + 64;

/// The number of parents that are expanded together.
const HOST_AT_ONCE: usize = 1 << 12;

impl<'a, B: Backend + ?Sized> HostMerge<'a, B> {
    /// Returns two empty plies.
    pub fn new(backend: &'a mut B, rules: &Rules, options: MergeOptions) -> Self {
        let rules = rules.with_halfmove_clock(false);
        let (parents, successors, ancestors) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            backend,
            rules,
            options,
            parents,
            successors,
            ancestors,
            kept: Filter::All,
            room: 0,
            slots: HashMap::new(),
        }
    }

    /// Adds a position if it passes the filter, and returns whether it passes.
    fn insert(&mut self, position: Quad48, multiplicity: u128, kept: Filter) -> Result<bool, MergeError> {
        let planes = Planes32::pack(&self.rules, &position.unpack_unchecked());
        if !kept.has(&planes) {
            return Ok(false);
        }
        let [hash, _] = hashes(&planes);
        let hash = u64::from(hash) & ((1 << self.options.hash_bits.min(32)) - 1);
        let same_hash = self.slots.entry(hash as u32).or_default();
        for &index in &*same_hash {
            let known = &mut self.successors[index as usize];
            if known.position == position {
                known.multiplicity = known.multiplicity.checked_add(multiplicity).ok_or(MergeError::Overflow)?;
                return Ok(true);
            }
        }
        if self.successors.len() as u64 >= self.room {
            return Err(MergeError::Full);
        }
        same_hash.push(self.successors.len() as u32);
        self.successors.push(WeightedPosition { position, multiplicity });
        Ok(true)
    }
}

/// Converts a range to indices, cut off at the end.
fn within(range: &Range<u64>, len: usize) -> Range<usize> {
    let [start, end] = [range.start, range.end].map(|index| index.min(len as u64) as usize);
    start.min(end)..end
}

impl<B: Backend + ?Sized> Merge for HostMerge<'_, B> {
    fn sizes(&self) -> MergeSizes {
        let plies = self.ancestors.iter().chain([&self.parents]);
        let parents = plies.map(|ply| ply.len() as u64).sum::<u64>() * HOST_BYTES;
        MergeSizes {
            parents: self.parents.len() as u64,
            successors: self.successors.len() as u64,
            capacity: (self.options.memory.saturating_sub(parents) / HOST_BYTES).min(u32::MAX.into()),
        }
    }

    fn reserve(&mut self, successors: u64, kept: Filter) -> Result<(), MergeError> {
        self.successors = Vec::new();
        self.kept = kept;
        self.slots = HashMap::new();
        self.room = 0;
        if successors > self.sizes().capacity {
            return Err(MergeError::Full);
        }
        self.room = successors;
        Ok(())
    }

    fn add(&mut self, entries: &[WeightedPosition]) -> Result<(), MergeError> {
        common_turn(entries, common_turn(&self.successors, None)?)?;
        entries.iter().try_for_each(|entry| {
            self.insert(entry.position.with_halfmove_clock(0), entry.multiplicity, Filter::All).map(drop)
        })
    }

    fn expand_every(&mut self, stride: u64, parents: Range<u64>) -> Result<u128, MergeError> {
        let (mut paths, kept) = (0, self.kept);
        let stride = stride.clamp(1, self.parents.len().max(1) as u64) as usize;
        let parents = &self.parents[within(&parents, self.parents.len())];
        let parents: Vec<_> = parents.iter().step_by(stride).copied().collect();
        for parents in parents.chunks(HOST_AT_ONCE) {
            let positions: Vec<_> = parents.iter().map(|entry| entry.position).collect();
            let successors = self.backend.expand(&self.rules, &positions)?;
            check_answers(&*self.backend, successors.ends.len(), positions.len())?;
            for (parent, positions) in parents.iter().zip(successors.iter()) {
                for &position in positions {
                    let is_kept = self.insert(position, parent.multiplicity, kept)?;
                    paths = add_weighted(paths, parent.multiplicity, is_kept.into())?;
                }
            }
        }
        Ok(paths)
    }

    fn descend(&mut self, keep: bool) -> Result<(), MergeError> {
        let parents = std::mem::replace(&mut self.parents, std::mem::take(&mut self.successors));
        self.parents.shrink_to_fit();
        if keep {
            self.ancestors.push(parents);
        }
        self.reserve(0, Filter::All)
    }

    fn ascend(&mut self) -> Result<(), MergeError> {
        let Some(parents) = self.ancestors.pop() else { return Ok(()) };
        self.parents = parents;
        self.reserve(0, Filter::All)
    }

    fn sum(&mut self, successors: Range<u64>, summand: Summand) -> Result<Categories, MergeError> {
        let entries = &self.successors[within(&successors, self.successors.len())];
        sum_entries(&mut *self.backend, &self.rules, entries, summand)
    }

    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<WeightedPosition>, MergeError> {
        Ok(self.successors[within(&successors, self.successors.len())].to_vec())
    }
}

/// Sums a number over entries as [`Merge::sum`] does; the backend counts the leaves.
///
/// # Errors
/// As [`Merge::sum`].
pub fn sum_entries<B: Backend + ?Sized>(
    backend: &mut B,
    rules: &Rules,
    entries: &[WeightedPosition],
    summand: Summand,
) -> Result<Categories, MergeError> {
    let positions: Vec<_> = entries.iter().map(|entry| entry.position).collect();
    let nodes = match summand {
        Summand::Leaves(depth) => {
            let leaves = backend.perft(rules, &positions, depth, &mut unwatched)?;
            check_answers(backend, leaves.len(), positions.len())?;
            entries
                .iter()
                .zip(leaves)
                .try_fold(0, |sum, (entry, leaves)| add_weighted(sum, entry.multiplicity, leaves))?
        }
        Summand::Kinds(depth) => {
            let found = backend.categories(rules, &positions, depth, &mut unwatched)?;
            check_answers(backend, found.len(), positions.len())?;
            return entries.iter().zip(&found).try_fold(Categories::default(), |sum, (entry, categories)| {
                add_categories(&sum, entry.multiplicity, categories)
            });
        }
        Summand::Once => entries.iter().filter(|entry| entry.multiplicity == 1).count() as u128,
    };
    Ok(Categories { nodes, ..Categories::default() })
}

/// Checks that a backend has answered for each position: a missing answer would go unnoticed, because it only makes the
/// sum too small.
fn check_answers<B: Backend + ?Sized>(backend: &B, answers: usize, positions: usize) -> Result<(), BackendError> {
    if answers == positions {
        return Ok(());
    }
    let device = backend.info().name.clone();
    Err(BackendError::WrongAnswer { device, reason: format!("it answered for {answers} of {positions} positions.") })
}
