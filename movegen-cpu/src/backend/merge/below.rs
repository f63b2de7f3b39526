//! Counts below merged positions: leaves, or leaves by the kinds of moves.
//!
//! Leaves three or more plies below are counted in much the same way as plies are merged: each task merges the successors of its
//! positions in a small table. The table finds most equal successors, because positions with the same pieces of the side that
//! replies have adjacent numbers.
//!
//! If there are too few positions for the threads, their merged successors are counted below instead, or those successors' successors.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use kogge_board::merge::{Filter, MergeError, add_categories, add_weighted};
use kogge_board::{BackendError, Categories};
use rayon::prelude::*;

use super::scratch::{Pool, Scratch, ScratchBelow, TreeScratch};
use super::{CpuMerge, IN_FLIGHT_BYTES, LEAST_MERGED, MERGED_TOGETHER, MOVES, expand_task};
use crate::backend::shard::{ENTRY_BYTES, Index, Ply, Shard, Sharing};
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

/// The positions below which leaves are counted, and their numbers.
struct Tops<'t> {
    shards: &'t [Shard],
    index: &'t Index,
}

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

    /// Merges the plies below some successors until there is a batch of positions, so that trees are divided among the threads even below a
    /// single position. Returns the positions and the plies below them, or `None` if there are enough positions.
    ///
    /// The positions take at most half of the memory for successors in flight.
    fn divide(&self, tops: &Tops<'_>, range: Range<u64>, depth: u32) -> Option<(Ply, Index, u32)> {
        let most = self.in_flight() * IN_FLIGHT_BYTES / 2 / (MOVES * ENTRY_BYTES);
        let is_few = |len: u64| (1..(self.cores.info.batch as u64).min(most)).contains(&len);
        let (mut below, mut len, mut depth) = (None::<Ply>, range.end - range.start, depth);
        let mut scratch = Scratch::default();
        while is_few(len) && depth > LEAST_MERGED {
            let mut table = Shard::default();
            let sharing = Sharing::new(u32::BITS);
            let pieces: Vec<_> = match &below {
                Some(ply) => ply.shards.iter().map(|shard| (shard, 0..shard.len())).collect(),
                None => tops.index.pieces(range.clone()).map(|(number, range)| (&tops.shards[number], range)).collect(),
            };
            // If multiplicities overflow, the sum of the leaves may still fit.
            expand_task(self.cores, &sharing, &mut scratch, pieces.into_iter(), Filter::All, Some((0, &mut table)))
                .ok()?;
            (len, depth) = (table.len() as u64, depth - 1);
            below = Some(Ply { shards: vec![table], turn: None });
        }
        let mut ply = below?;
        let arranged = ply.arrange(&Sharing::new(u32::BITS), (self.merged_in_a_task(len) / 4).max(1));
        Some((ply, arranged.ok()?, depth))
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
        tops: &Tops<'_>,
        range: Range<u64>,
        depth: u32,
    ) -> Result<B::Sum, MergeError> {
        if depth >= LEAST_MERGED {
            // If multiplicities overflow or memory runs out, the plain count may still succeed.
            if let Ok(total) = self.count_merged(scratch, tops, range.clone(), depth) {
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
            for (number, range) in tops.index.pieces(range.clone()) {
                positions.extend(tops.shards[number].positions()[range].iter().map(|boards| boards.0));
            }
            count_trees(&self.cores.code, tree, positions, depth, below)?;
        }
        let mut below = below.iter();
        let mut total = B::Sum::default();
        for (number, range) in tops.index.pieces(range) {
            for (index, below) in range.zip(&mut below) {
                total = below.add_to(total, tops.shards[number].multiplicity(index))?;
            }
        }
        Ok(total)
    }

    /// Does the same as `sums_below`, but merges the successors of these successors first.
    fn count_merged<B: Below>(
        &self,
        scratch: &mut TreeScratch<B>,
        tops: &Tops<'_>,
        range: Range<u64>,
        depth: u32,
    ) -> Result<B::Sum, MergeError> {
        let TreeScratch { tree, positions, below, expansion, table } = scratch;
        // The options may ask for few bits of the hash, which make tables slow, but they apply only to plies.
        let mut sharing = Sharing::new(u32::BITS);
        sharing.expect(MOVES / 2 * (range.end - range.start), Filter::All);
        let pieces = tops.index.pieces(range).map(|(number, range)| (&tops.shards[number], range));
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
        let range = successors.start.min(end)..end;
        let tops = Tops { shards: &self.successors.shards, index: &index };
        let counted = match self.cores.pool.install(|| self.divide(&tops, range.clone(), depth)) {
            Some((Ply { shards, .. }, index, depth)) => {
                let len = shards.iter().map(|shard| shard.len() as u64).sum();
                self.sum_tops::<B>(&Tops { shards: &shards, index: &index }, 0..len, depth)
            }
            None => self.sum_tops::<B>(&tops, range, depth),
        };
        self.index = Some(index);
        self.or_forget(counted)
    }

    /// Does the same in tasks of all threads.
    fn sum_tops<B: Below>(&self, tops: &Tops<'_>, range: Range<u64>, depth: u32) -> Result<B::Sum, MergeError> {
        let len = range.end - range.start;
        // There are enough tasks for all threads.
        let together = if depth < LEAST_MERGED {
            (len / self.cores.info.batch as u64).clamp(1, COUNTED_TOGETHER)
        } else {
            self.merged_in_a_task(len)
        };
        let tasks = self.tasks(tops.index, range, together);
        let pool = B::scratch(&self.scratch);
        // Threads take the tasks in order, so the small tasks come last. A task may take less than a microsecond, so a lock
        // around the tasks would cost more.
        let next = AtomicUsize::new(0);
        let count = |_thread| {
            let mut scratch = pool.take();
            let mut sum = Ok(B::Sum::default());
            while let (Ok(before), Some(task)) = (&sum, tasks.get(next.fetch_add(1, Ordering::Relaxed))) {
                let counted = self.count_task::<B>(&mut scratch, tops, task.clone(), depth);
                sum = counted.and_then(|counted| B::join(*before, counted));
                if sum.is_err() {
                    next.store(tasks.len(), Ordering::Relaxed);
                }
            }
            pool.give_back(scratch);
            sum
        };
        let threads = self.cores.pool.current_num_threads().min(tasks.len());
        self.cores.pool.install(|| {
            let sums = (0..threads).into_par_iter().with_max_len(1).map(count);
            sums.try_reduce(B::Sum::default, B::join)
        })
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

#[cfg(test)]
mod tests {
    use kogge_board::merge::{Merge, MergeOptions, WeightedPosition};
    use kogge_board::{Fen, Quad48};

    use super::*;
    use crate::backend::cores::Cores;

    /// Merges plies of Kiwipete, and passes the last one on.
    fn at_ply(plies: u32, memory: u64, test: impl FnOnce(CpuMerge<'_>)) {
        let fen: Fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse().unwrap();
        let cores = Cores::new(Some(2), Code::chosen().unwrap()).unwrap();
        let mut merge = CpuMerge::new(&cores, &fen.rules, &MergeOptions::with_memory(memory));
        merge.reserve(1, Filter::All).unwrap();
        merge.add(&[WeightedPosition { position: Quad48::from(&fen.position), multiplicity: 3 }]).unwrap();
        for _ in 0..plies {
            merge.descend(false).unwrap();
            merge.reserve(5_000, Filter::All).unwrap();
            merge.expand_every(1, 0..u64::MAX).unwrap();
        }
        test(merge);
    }

    /// Returns the plies below the divided positions, and the number of positions in each task.
    fn tasks(merge: &mut CpuMerge<'_>, range: Range<u64>, depth: u32) -> Option<(u32, Vec<u64>)> {
        let index = merge.number().unwrap();
        let divided = merge.divide(&Tops { shards: &merge.successors.shards, index: &index }, range, depth)?;
        let (ply, index, depth) = divided;
        let together = merge.merged_in_a_task(ply.len());
        let tasks = merge.tasks(&index, 0..ply.len(), together);
        assert_eq!(tasks.iter().map(|task| task.end - task.start).sum::<u64>(), ply.len());
        Some((depth, tasks.iter().map(|task| task.end - task.start).collect()))
    }

    #[test]
    fn work_below_few_positions_is_divided_among_the_threads() {
        at_ply(1, 1 << 26, |mut merge| {
            // A single position, and all of them.
            for (range, plies) in [(20..21, 2), (0..48, 1)] {
                let (depth, tasks) = tasks(&mut merge, range, 6).unwrap();
                let positions: u64 = tasks.iter().sum();
                assert_eq!(depth, 6 - plies);
                assert!(positions >= 128 && tasks.iter().all(|&task| task <= positions / 4), "{tasks:?}");
            }
            // Below so few plies, there is little work.
            assert!(tasks(&mut merge, 0..48, LEAST_MERGED).is_none());
            assert_eq!(tasks(&mut merge, 20..21, LEAST_MERGED + 1).unwrap().0, LEAST_MERGED);
            assert!(tasks(&mut merge, 7..7, 6).is_none());
            assert_eq!(merge.sum_below::<u64>(0..48, 4), Ok(3 * 193_690_690));
            let each: u128 = (0..48).map(|top| merge.sum_below::<u64>(top..top + 1, 4).unwrap()).sum();
            assert_eq!(each, 3 * 193_690_690);
        });
        at_ply(2, 1 << 26, |mut merge| assert!(tasks(&mut merge, 0..2_038, 5).is_none(), "there is enough work"));
        at_ply(1, 1 << 19, |mut merge| assert!(tasks(&mut merge, 0..48, 6).is_none(), "there is no room"));
    }
}
