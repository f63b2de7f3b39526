//! The CPU backend: the generator and the counter on all cores.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use kogge_board::merge::{Merge, MergeOptions};
use kogge_board::{
    Backend, BackendError, Categories, DeviceInfo, Leaves, Quad48, Rules, Score, Successors, Watch, check_depth,
    self_test,
};
use rayon::prelude::*;

use super::cores::Cores;
use super::hash::Table;
use super::merge::CpuMerge;
use super::minimax::Minimax;
use crate::lanes::categories::Numbers;
use crate::lanes::code::Code;
use crate::lanes::frame::Frame;
use crate::lanes::planes::Planes;
use crate::lanes::tree::Tree;
use crate::watched::Report;

/// The backend on all cores of a CPU, or on fewer threads.
///
/// Memory: a thread stores the successors of the positions on its current path, about 2 KiB per ply. If a batch has too
/// few positions for the threads, it is expanded until there are 64 positions for each thread. Memory does not grow
/// with the size of the tree.
#[derive(Debug)]
pub struct Cpu {
    cores: Cores,
    table: Option<Table>,
    /// Whether the self-test of merging is running; the self-test itself also merges.
    is_testing: bool,
}

/// The results of the self-test of merging, by the names of the variants.
static VERDICTS: Mutex<BTreeMap<&str, Result<(), BackendError>>> = Mutex::new(BTreeMap::new());

/// The scratch memory that a thread keeps from position to position.
#[derive(Debug, Default)]
struct Scratch {
    tree: Tree,
    /// The successors of the positions on the current path.
    stack: Vec<Quad48>,
    /// The positions that were not in the table.
    unknown: Vec<[u64; 4]>,
    leaves: Vec<u64>,
}

/// The minimum depth of the counts in the table; at lower depths, counting is faster than a look-up.
const LEAST_HASHED: u32 = 3;

/// Trees are expanded to at least this number of positions, so that the share of finished positions measures the
/// progress.
const LEAST_TREES: usize = 1 << 12;

/// The number of positions in one task of a shallow batch.
const SHALLOW_TASK: usize = 256;

impl Cpu {
    /// Starts a backend with `threads` threads, or with one per core. It uses the variant that the environment variable
    /// `KOGGE_CPU` names, or else the best one that this CPU can run.
    ///
    /// # Errors
    /// If the threads cannot be started, or if this CPU cannot run the named variant.
    pub fn new(threads: Option<usize>) -> Result<Self, BackendError> {
        Self::with_code(threads, Code::chosen()?)
    }

    /// Starts a backend in the variant of this name, one of [`Cpu::variants`].
    ///
    /// # Errors
    /// If the threads cannot be started, or if this CPU cannot run the variant.
    pub fn with_variant(threads: Option<usize>, name: &str) -> Result<Self, BackendError> {
        Self::with_code(threads, Code::named(name)?)
    }

    /// Returns the names of the variants of the code that this CPU can run, the best one last.
    ///
    /// All variants give equal answers; they differ in their CPU instructions.
    ///
    /// ```
    /// use kogge_movegen_cpu::Cpu;
    /// assert_eq!(Cpu::variants()[0], "portable");
    /// ```
    pub fn variants() -> Vec<&'static str> {
        Code::usable().into_iter().map(|code| code.name).collect()
    }

    fn with_code(threads: Option<usize>, code: Code) -> Result<Self, BackendError> {
        Ok(Self { cores: Cores::new(threads, code)?, table: None, is_testing: false })
    }

    /// Keeps counts in a table of at most `bytes` bytes, which all threads share, so that transpositions are counted
    /// once. Counts stay exact: positions are compared in full. The table is kept from call to call; 0 bytes
    /// removes it.
    ///
    /// # Errors
    /// If the memory is not available, or if it is too little for one entry.
    pub fn set_hash(&mut self, bytes: usize) -> Result<(), BackendError> {
        self.table = None;
        if bytes > 0 {
            let table = Table::new(bytes).ok_or_else(|| BackendError::OutOfMemory {
                device: self.cores.info.name.clone(),
                doing: format!("making a hash table of {bytes} bytes"),
            })?;
            self.table = Some(table);
        }
        self.cores.info.variant = match self.table {
            Some(_) => format!("{}, hash table of {bytes} bytes", self.cores.code.name),
            None => self.cores.code.name.into(),
        };
        Ok(())
    }

    /// Runs the self-test of merging, once per process for each variant of the code.
    fn test_merging(&mut self) -> Result<(), BackendError> {
        if self.is_testing {
            return Ok(());
        }
        let mut verdicts = VERDICTS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(verdict) = verdicts.get(self.cores.code.name) {
            return verdict.clone();
        }
        self.is_testing = true;
        let verdict = self_test::merging(self);
        self.is_testing = false;
        verdicts.insert(self.cores.code.name, verdict.clone());
        verdict
    }

    /// Counts the leaves below a position, with the table.
    fn perft_hashed(
        &self,
        table: &Table,
        rules: &Rules,
        position: &Quad48,
        depth: u32,
        scratch: &mut Scratch,
        report: &Report,
    ) -> Option<u64> {
        report.go_on()?;
        let planes = Planes::from_frame(&Frame::of(rules, position)).0;
        if let Some(leaves) = table.get(&planes, depth) {
            return Some(leaves);
        }
        let mut leaves = 0_u64;
        let start = scratch.stack.len();
        if depth <= LEAST_HASHED {
            let positions = (rules, &[*position][..]);
            scratch.tree.perft(&self.cores.code, &positions, depth, std::slice::from_mut(&mut leaves), report)?;
        } else {
            self.cores.code.expand(rules, position, &mut scratch.stack);
            if depth == LEAST_HASHED + 1 {
                leaves = self.perft_family(table, rules, start, scratch, report)?;
            } else {
                for index in start..scratch.stack.len() {
                    let successor = scratch.stack[index];
                    let below = self.perft_hashed(table, rules, &successor, depth - 1, scratch, report)?;
                    leaves = leaves.checked_add(below)?;
                }
            }
        }
        scratch.stack.truncate(start);
        table.put(&planes, depth, leaves);
        Some(leaves)
    }

    /// Counts the leaves [`LEAST_HASHED`] plies below the positions on the stack from `start` on, all together.
    /// Positions that are not in the table are counted in one batch, which fills the registers better.
    fn perft_family(
        &self,
        table: &Table,
        rules: &Rules,
        start: usize,
        scratch: &mut Scratch,
        report: &Report,
    ) -> Option<u64> {
        let Scratch { tree, stack, unknown, leaves } = scratch;
        let mut total = 0_u64;
        unknown.clear();
        let mut kept = start;
        for index in start..stack.len() {
            let planes = Planes::from_frame(&Frame::of(rules, &stack[index])).0;
            match table.get(&planes, LEAST_HASHED) {
                Some(leaves) => total = total.checked_add(leaves)?,
                None => {
                    unknown.push(planes);
                    stack[kept] = stack[index];
                    kept += 1;
                }
            }
        }
        leaves.resize(unknown.len(), 0);
        tree.perft(&self.cores.code, &(rules, &stack[start..kept]), LEAST_HASHED, leaves, report)?;
        for (planes, &leaves) in unknown.iter().zip(&*leaves) {
            table.put(planes, LEAST_HASHED, leaves);
            total = total.checked_add(leaves)?;
        }
        Some(total)
    }

    /// Expands positions until there are enough for all threads, or until two plies are left. Returns the numbers of
    /// the positions' ancestors, the positions, and the plies left.
    fn expand_for_threads(&self, rules: &Rules, positions: &[Quad48], depth: u32) -> (Vec<usize>, Vec<Quad48>, u32) {
        let mut origins: Vec<usize> = (0..positions.len()).collect();
        let mut frontier = positions.to_vec();
        let mut depth = depth;
        let enough = self.cores.info.batch.max(LEAST_TREES);
        while depth > 3 && !frontier.is_empty() && frontier.len() < enough {
            let mut successors = Vec::new();
            let mut next = Vec::new();
            for (origin, position) in origins.into_iter().zip(frontier) {
                self.cores.code.expand(rules, &position, &mut successors);
                next.resize(successors.len(), origin);
            }
            (origins, frontier) = (next, successors);
            depth -= 1;
        }
        (origins, frontier, depth)
    }

    /// Counts below each position, on all threads. Positions are counted one by one if their trees are deep, else many
    /// together.
    fn count_trees<T: Clone + Default + Send>(
        &self,
        positions: &[Quad48],
        is_deep: bool,
        watch: &mut Watch<'_>,
        count: impl Fn(&mut Scratch, &[Quad48], &mut [T], &Report) -> Option<()> + Sync,
    ) -> Result<Vec<T>, BackendError> {
        let task = if is_deep { 1 } else { SHALLOW_TASK };
        // Rayon splits work only as far as it expects splitting to pay, and cannot split a piece that a thread has
        // begun: with trees of uneven size, the last piece could keep one thread busy while all others wait. Many small
        // pieces for each thread prevent this.
        let most = (positions.len().div_ceil(task) / self.cores.info.batch).max(1);
        let share = task as f64 / positions.len() as f64;
        let mut counts = vec![T::default(); positions.len()];
        let counted = Report::watch(&self.cores.pool, watch, |report| {
            let tasks = positions.par_chunks(task).zip(counts.par_chunks_mut(task)).with_max_len(most);
            tasks.try_for_each_init(Scratch::default, |scratch, (positions, counts)| {
                count(scratch, positions, counts, report)?;
                report.done(share);
                Some(())
            })
        })?;
        counted.map(|()| counts).ok_or(BackendError::Overflow)
    }
}

impl Backend for Cpu {
    fn info(&self) -> &DeviceInfo {
        &self.cores.info
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
        // Counting is far faster than writing successors, and the counts tell every thread where to write its successors.
        let mut counts = vec![0; positions.len()];
        let tasks = positions.par_chunks(SHALLOW_TASK).zip(counts.par_chunks_mut(SHALLOW_TASK));
        self.cores.pool.install(|| {
            tasks.for_each_init(Tree::default, |tree, (positions, counts)| {
                // The number of moves of a position always fits, and this call cannot be asked to stop.
                let _ = tree.perft(&self.cores.code, &(rules, positions), 1, counts, &Report::default());
            });
        });
        let mut end = 0;
        let ends: Vec<usize> = counts
            .iter()
            .map(|&count| {
                end += count as usize;
                end
            })
            .collect();
        let mut successors = Vec::new();
        successors.try_reserve_exact(end).map_err(|_| BackendError::OutOfMemory {
            device: self.cores.info.name.clone(),
            doing: format!("writing the successors of {} positions", positions.len()),
        })?;
        let mut rest = &mut successors.spare_capacity_mut()[..end];
        let mut tasks = Vec::new();
        for (positions, counts) in positions.chunks(SHALLOW_TASK).zip(counts.chunks(SHALLOW_TASK)) {
            let (slots, after) = rest.split_at_mut(counts.iter().sum::<u64>() as usize);
            tasks.push((positions, counts, slots));
            rest = after;
        }
        let written = self.cores.pool.install(|| {
            tasks.into_par_iter().all(|(positions, counts, mut slots)| {
                let mut family = Vec::new();
                for (position, &count) in positions.iter().zip(counts) {
                    family.clear();
                    self.cores.code.expand(rules, position, &mut family);
                    if family.len() as u64 != count {
                        return false;
                    }
                    let (here, after) = slots.split_at_mut(family.len());
                    here.write_copy_of_slice(&family);
                    slots = after;
                }
                true
            })
        });
        if !written {
            return Err(BackendError::WrongAnswer {
                device: self.cores.info.name.clone(),
                reason: "it made another number of moves than it counted; a position is not legal.".into(),
            });
        }
        // SAFETY: every task has filled its slots, one for each counted move, and together these are the first `end`
        // slots.
        unsafe { successors.set_len(end) };
        Ok(Successors { positions: successors, ends })
    }

    fn perft(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u128>, BackendError> {
        let (origins, frontier, depth) = self.expand_for_threads(rules, positions, depth);
        let leaves =
            self.count_trees(&frontier, depth > 2, watch, |scratch, positions, leaves, report| match &self.table {
                Some(table) if depth >= LEAST_HASHED => {
                    for (position, leaves) in positions.iter().zip(leaves) {
                        *leaves = self.perft_hashed(table, rules, position, depth, scratch, report)?;
                    }
                    Some(())
                }
                _ => scratch.tree.perft(&self.cores.code, &(rules, positions), depth, leaves, report),
            })?;
        let mut totals = vec![0; positions.len()];
        for (leaves, origin) in leaves.into_iter().zip(origins) {
            totals[origin] += u128::from(leaves);
        }
        Ok(totals)
    }

    fn categories(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Categories>, BackendError> {
        let (origins, frontier, depth) = self.expand_for_threads(rules, positions, depth);
        let numbers: Vec<Numbers> =
            self.count_trees(&frontier, depth > 1, watch, |scratch, positions, numbers, report| {
                scratch.tree.categories(&self.cores.code, &(rules, positions), depth, numbers, report)
            })?;
        let mut totals = vec![Categories::default(); positions.len()];
        for (numbers, origin) in numbers.into_iter().zip(origins) {
            let categories = Categories::from_array(numbers.map(u128::from));
            totals[origin] = totals[origin].plus(&categories).ok_or(BackendError::Overflow)?;
        }
        Ok(totals)
    }

    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>, BackendError> {
        self.test_merging()?;
        Ok(Box::new(CpuMerge::new(&self.cores, rules, options)))
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Score>, BackendError> {
        check_depth(depth)?;
        Report::watch(&self.cores.pool, watch, |report| {
            Minimax { code: &self.cores.code, rules, leaves, report }.scores(positions, depth)
        })
    }
}
