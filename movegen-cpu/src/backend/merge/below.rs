//! Counts below merged positions: leaves, or leaves by the kinds of moves.
//!
//! Leaves three or more plies below are counted in much the same way as plies are merged: each task merges the successors of its
//! positions in a small table. The table finds most equal successors, because positions with the same pieces of the side that
//! replies have adjacent numbers.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use kogge_board::merge::{Filter, MergeError, add_categories, add_weighted};
use kogge_board::{BackendError, Categories};
use rayon::prelude::*;

use super::scratch::{Pool, ScratchBelow, TreeScratch};
use super::{CpuMerge, IN_FLIGHT_BYTES, LEAST_MERGED, MERGED_TOGETHER, MOVES, expand_task};
use crate::backend::shard::{ENTRY_BYTES, Index, Sharing};
use crate::lanes::categories::{Numbers, ROOT};
use crate::lanes::code::Code;
use crate::lanes::tree::Tree;
use crate::watched::Report;

/// The maximum number of positions per task.
const COUNTED_TOGETHER: u64 = 1024;

/// The last [`LAST_TASKS`] tasks of each thread are divided into tasks that are [`LAST_TASKS_SMALLER`] times smaller, so that no
/// thread waits long at the end. If all tasks were so small, they would find fewer equal successors.
const LAST_TASKS: u64 = 1;
const LAST_TASKS_SMALLER: u64 = 4;

impl CpuMerge<'_> {
    /// The maximum number of positions whose successors one task may merge while it counts. These successors take at most
    /// half of the memory for successors in flight.
    fn merged_together(&self) -> u64 {
        let successors = self.in_flight() * IN_FLIGHT_BYTES / 2 / ENTRY_BYTES;
        (successors / (MOVES * self.cores.pool.current_num_threads() as u64)).clamp(1, MERGED_TOGETHER)
    }

    /// Returns the number of positions whose successors one task merges, if trees below `successors` positions are
    /// counted. Every thread gets several tasks.
    pub(super) fn merged_in_a_task(&self, successors: u64) -> u64 {
        (successors / (4 * self.cores.pool.current_num_threads() as u64)).clamp(1, self.merged_together())
    }

    /// Divides these numbers into tasks of about `together` numbers, and into smaller tasks at the end.
    fn tasks(&self, index: &Index, range: Range<u64>, together: u64) -> Vec<Range<u64>> {
        let last = LAST_TASKS * self.cores.pool.current_num_threads() as u64 * together;
        let middle = range.end - last.min(range.end - range.start);
        let mut tasks = index.cut(range.start..middle, together);
        tasks.extend(index.cut(middle..range.end, (together / LAST_TASKS_SMALLER).max(1)));
        tasks
    }

    /// Sums the counts below some successors, weighted by multiplicity.
    fn count_task<B: Below>(
        &self,
        scratch: &mut TreeScratch<B>,
        index: &Index,
        range: Range<u64>,
        depth: u32,
    ) -> Result<B::Sum, MergeError> {
        if depth >= LEAST_MERGED {
            // If multiplicities overflow or memory runs out, the plain count may still succeed.
            if let Ok(total) = self.count_merged(scratch, index, range.clone(), depth) {
                return Ok(total);
            }
        }
        let TreeScratch { tree, positions, below, .. } = scratch;
        below.clear();
        if depth == 0 {
            // Every position is its own leaf, so the sum needs only the multiplicities.
            below.resize((range.end - range.start) as usize, B::ROOT);
        } else {
            positions.clear();
            for (number, range) in index.pieces(range.clone()) {
                positions.extend(self.successors.shards[number].positions()[range].iter().map(|boards| boards.0));
            }
            count_trees(&self.cores.code, tree, positions, depth, below)?;
        }
        let mut below = below.iter();
        let mut total = B::Sum::default();
        for (number, range) in index.pieces(range) {
            for (index, below) in range.zip(&mut below) {
                total = below.add_to(total, self.successors.shards[number].multiplicity(index))?;
            }
        }
        Ok(total)
    }

    /// Does the same as `sums_below`, but merges the successors of these successors first.
    fn count_merged<B: Below>(
        &self,
        scratch: &mut TreeScratch<B>,
        index: &Index,
        range: Range<u64>,
        depth: u32,
    ) -> Result<B::Sum, MergeError> {
        let TreeScratch { tree, positions, below, expansion, table } = scratch;
        // The options may ask for few bits of the hash, which make tables slow, but they apply only to plies.
        let mut sharing = Sharing::new(u32::BITS);
        sharing.expect(MOVES / 2 * (range.end - range.start), Filter::All);
        let pieces = index.pieces(range).map(|(number, range)| (&self.successors.shards[number], range));
        table.clear();
        expand_task(self.cores, &sharing, expansion, pieces, Filter::All, Some((0, &mut *table)))?;
        let mut total = B::Sum::default();
        for start in (0..table.len()).step_by(COUNTED_TOGETHER as usize) {
            let end = table.len().min(start + COUNTED_TOGETHER as usize);
            positions.clear();
            positions.extend(table.positions()[start..end].iter().map(|boards| boards.0));
            count_trees(&self.cores.code, tree, positions, depth - 1, below)?;
            for (index, below) in (start..end).zip(&*below) {
                total = below.add_to(total, table.multiplicity(index))?;
            }
        }
        Ok(total)
    }

    /// Sums the counts `depth` plies below some successors, weighted by multiplicity.
    pub(super) fn sum_below<B: Below>(&mut self, successors: Range<u64>, depth: u32) -> Result<B::Sum, MergeError> {
        let numbered = self.number();
        let index = self.or_forget(numbered)?;
        let end = successors.end.min(self.successors.len());
        let start = successors.start.min(end);
        // There are enough tasks for all threads.
        let together = if depth < LEAST_MERGED {
            ((end - start) / self.cores.info.batch as u64).clamp(1, COUNTED_TOGETHER)
        } else {
            self.merged_in_a_task(end - start)
        };
        let tasks = self.tasks(&index, start..end, together);
        let (this, pool) = (&*self, B::scratch(&self.scratch));
        // Threads take the tasks in order, so the small tasks come last. A task may take less than a microsecond, so a lock
        // around the tasks would cost more.
        let next = AtomicUsize::new(0);
        let count = |_thread| {
            let mut scratch = pool.take();
            let mut sum = Ok(B::Sum::default());
            while let (Ok(before), Some(task)) = (&sum, tasks.get(next.fetch_add(1, Ordering::Relaxed))) {
                let counted = this.count_task::<B>(&mut scratch, &index, task.clone(), depth);
                sum = counted.and_then(|counted| B::join(*before, counted));
                if sum.is_err() {
                    next.store(tasks.len(), Ordering::Relaxed);
                }
            }
            pool.give_back(scratch);
            sum
        };
        let threads = this.cores.pool.current_num_threads().min(tasks.len());
        let counted = this.cores.pool.install(|| {
            let sums = (0..threads).into_par_iter().with_max_len(1).map(count);
            sums.try_reduce(B::Sum::default, B::join)
        });
        self.index = Some(index);
        self.or_forget(counted)
    }
}

/// The quantity that is counted below a position.
pub(super) trait Below: Copy + Default + Send {
    /// A sum over many positions.
    type Sum: Copy + Default + Send;

    /// The count at depth 0.
    const ROOT: Self;

    fn scratch(scratch: &ScratchBelow) -> &Pool<TreeScratch<Self>>;

    /// Counts below each position.
    fn count(tree: &mut Tree, code: &Code, positions: &[[u64; 4]], depth: u32, below: &mut [Self]) -> Option<()>;

    /// Adds this count to a sum, weighted by multiplicity.
    fn add_to(self, sum: Self::Sum, multiplicity: u128) -> Result<Self::Sum, MergeError>;

    /// Adds two sums.
    fn join(a: Self::Sum, b: Self::Sum) -> Result<Self::Sum, MergeError>;
}

/// Leaves.
impl Below for u64 {
    type Sum = u128;

    const ROOT: Self = 1;

    fn scratch(scratch: &ScratchBelow) -> &Pool<TreeScratch<Self>> {
        &scratch.leaves
    }

    fn count(tree: &mut Tree, code: &Code, positions: &[[u64; 4]], depth: u32, below: &mut [Self]) -> Option<()> {
        tree.perft(code, positions, depth, below, &Report::default())
    }

    fn add_to(self, sum: u128, multiplicity: u128) -> Result<u128, MergeError> {
        add_weighted(sum, multiplicity, self.into())
    }

    fn join(a: u128, b: u128) -> Result<u128, MergeError> {
        a.checked_add(b).ok_or(MergeError::Overflow)
    }
}

/// Leaves by kind.
impl Below for Numbers {
    type Sum = Categories;

    const ROOT: Self = ROOT;

    fn scratch(scratch: &ScratchBelow) -> &Pool<TreeScratch<Self>> {
        &scratch.kinds
    }

    fn count(tree: &mut Tree, code: &Code, positions: &[[u64; 4]], depth: u32, below: &mut [Self]) -> Option<()> {
        tree.categories(code, positions, depth, below, &Report::default())
    }

    fn add_to(self, sum: Categories, multiplicity: u128) -> Result<Categories, MergeError> {
        add_categories(&sum, multiplicity, &Categories::from_array(self.map(u128::from)))
    }

    fn join(a: Categories, b: Categories) -> Result<Categories, MergeError> {
        a.plus(&b).ok_or(MergeError::Overflow)
    }
}

fn count_trees<B: Below>(
    code: &Code,
    tree: &mut Tree,
    positions: &[[u64; 4]],
    depth: u32,
    below: &mut Vec<B>,
) -> Result<(), MergeError> {
    below.clear();
    below.resize(positions.len(), B::default());
    B::count(tree, code, positions, depth, below).ok_or(MergeError::Backend(BackendError::Overflow))
}
