//! Backends with deliberate bugs, which every check must find.

use std::ops::Range;
use std::sync::Arc;

use kogge_board::host::sum_entries;
use kogge_board::merge::{Filter, Merge, MergeError, MergeSizes, Summand, WeightedPosition, add_weighted};
use kogge_board::{Backend, Categories, Planes32, Position, Quad48, Rules, Successors, unwatched};

use crate::wrapped::Wrapped;

/// Changes a successor: returns it, replaces it or drops it.
pub type Bug = fn(parent: &Position, child: Position) -> Option<Position>;

/// Adds a bug in making moves to a backend.
pub fn buggy<B: Backend>(backend: B, bug: Bug) -> Wrapped<'static, B> {
    Wrapped::new(backend).expand(move |backend, rules, positions| {
        let mut all = Successors::default();
        for (parent, children) in positions.iter().zip(backend.expand(rules, positions)?.iter()) {
            let parent = parent.unpack_unchecked();
            let children = children.iter().filter_map(|child| bug(&parent, child.unpack_unchecked()));
            all.positions.extend(children.map(|child| Quad48::from(&child)));
            all.ends.push(all.positions.len());
        }
        Ok(all)
    })
}

/// Drops black's castling queenside.
pub fn no_black_queenside(parent: &Position, child: Position) -> Option<Position> {
    let castled = parent.kings & 1 << 60 != 0 && child.kings & 1 << 58 != 0;
    (!castled).then_some(child)
}

/// Decides whether two positions are treated as equal.
pub type Equality = Box<dyn Fn(&Planes32, &Planes32) -> bool + Send + Sync>;

/// The parts of a plain merge in the host's memory; tests replace one part by a wrong one.
pub struct MergeBug {
    /// Decides whether two positions are treated as equal.
    pub same: Equality,
    /// Adds two multiplicities; `None` if the sum does not fit.
    pub sum: fn(u128, u128) -> Option<u128>,
    /// Decides by its number whether a successor is kept.
    pub keeps: fn(usize) -> bool,
    /// Decides whether a successor is kept.
    pub has: fn(Filter, &Planes32) -> bool,
    /// Whether a list that is too short causes an error.
    pub says_full: bool,
    /// Weights the leaves below an entry by its multiplicity.
    pub weighted: fn(u128, u128) -> Option<u128>,
}

impl Default for MergeBug {
    fn default() -> Self {
        Self {
            same: Box::new(|a, b| a == b),
            sum: u128::checked_add,
            keeps: |_| true,
            has: |kept, successor| kept.has(successor),
            says_full: true,
            weighted: |multiplicity, leaves| multiplicity.checked_mul(leaves),
        }
    }
}

/// Adds a bug in merging to a backend.
pub fn merges_wrong<B: Backend + 'static>(backend: B, bug: MergeBug) -> Wrapped<'static, B> {
    let bug = Arc::new(bug);
    Wrapped::new(backend).merge(move |backend, rules, _| {
        Ok(Box::new(WrongMerge {
            backend,
            bug: Arc::clone(&bug),
            rules: rules.with_halfmove_clock(false),
            parents: Vec::new(),
            successors: Vec::new(),
            ancestors: Vec::new(),
            room: 0,
            kept: Filter::All,
        }))
    })
}

/// Two plies in lists that are searched linearly.
struct WrongMerge<'a> {
    backend: &'a mut dyn Backend,
    bug: Arc<MergeBug>,
    rules: Rules,
    parents: Vec<WeightedPosition>,
    successors: Vec<(Planes32, WeightedPosition)>,
    ancestors: Vec<Vec<WeightedPosition>>,
    room: u64,
    kept: Filter,
}

impl WrongMerge<'_> {
    /// Adds an entry if it passes the filter, and returns whether it does.
    fn insert(&mut self, entry: WeightedPosition, kept: Filter) -> Result<bool, MergeError> {
        let planes = Planes32::pack(&self.rules, &entry.position.unpack_unchecked());
        if !(self.bug.has)(kept, &planes) {
            return Ok(false);
        }
        if let Some((_, known)) = self.successors.iter_mut().find(|(known, _)| (self.bug.same)(known, &planes)) {
            let sum = (self.bug.sum)(known.multiplicity, entry.multiplicity);
            known.multiplicity = sum.ok_or(MergeError::Overflow)?;
        } else if (self.successors.len() as u64) < self.room {
            if (self.bug.keeps)(self.successors.len()) {
                self.successors.push((planes, entry));
            }
        } else if self.bug.says_full {
            return Err(MergeError::Full);
        }
        Ok(true)
    }
}

impl Merge for WrongMerge<'_> {
    fn sizes(&self) -> MergeSizes {
        let (parents, successors) = (self.parents.len() as u64, self.successors.len() as u64);
        MergeSizes { parents, successors, capacity: u64::MAX }
    }

    fn reserve(&mut self, successors: u64, kept: Filter) -> Result<(), MergeError> {
        self.successors.clear();
        (self.room, self.kept) = (successors, kept);
        Ok(())
    }

    fn add(&mut self, entries: &[WeightedPosition]) -> Result<(), MergeError> {
        entries.iter().try_for_each(|&entry| self.insert(entry, Filter::All).map(drop))
    }

    fn expand_every(&mut self, stride: u64, parents: Range<u64>) -> Result<u128, MergeError> {
        let (mut paths, kept) = (0, self.kept);
        let parents = &self.parents[parents.start as usize..parents.end as usize];
        let parents: Vec<_> = parents.iter().step_by(stride as usize).copied().collect();
        let positions: Vec<_> = parents.iter().map(|entry| entry.position).collect();
        let successors = self.backend.expand(&self.rules, &positions)?;
        for (WeightedPosition { multiplicity, .. }, positions) in parents.into_iter().zip(successors.iter()) {
            for &position in positions {
                let is_kept = self.insert(WeightedPosition { position, multiplicity }, kept)?;
                paths = add_weighted(paths, multiplicity, is_kept.into())?;
            }
        }
        Ok(paths)
    }

    fn descend(&mut self, keep: bool) -> Result<(), MergeError> {
        let successors = self.successors.drain(..).map(|(_, entry)| entry).collect();
        let parents = std::mem::replace(&mut self.parents, successors);
        if keep {
            self.ancestors.push(parents);
        }
        self.reserve(0, Filter::All)
    }

    fn ascend(&mut self) -> Result<(), MergeError> {
        self.parents = self.ancestors.pop().unwrap_or_default();
        self.reserve(0, Filter::All)
    }

    fn sum(&mut self, successors: Range<u64>, summand: Summand) -> Result<Categories, MergeError> {
        let entries = self.entries(successors)?;
        let Summand::Leaves(depth) = summand else {
            return sum_entries(&mut *self.backend, &self.rules, &entries, summand);
        };
        let positions: Vec<_> = entries.iter().map(|entry| entry.position).collect();
        let leaves = self.backend.perft(&self.rules, &positions, depth, &mut unwatched)?;
        let products =
            entries.iter().zip(leaves).map(|(entry, leaves)| (self.bug.weighted)(entry.multiplicity, leaves));
        let nodes = products.into_iter().try_fold(0_u128, |sum, product| sum.checked_add(product?));
        Ok(Categories { nodes: nodes.ok_or(MergeError::Overflow)?, ..Categories::default() })
    }

    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<WeightedPosition>, MergeError> {
        let entries = &self.successors[successors.start as usize..successors.end as usize];
        Ok(entries.iter().map(|(_, entry)| *entry).collect())
    }
}
