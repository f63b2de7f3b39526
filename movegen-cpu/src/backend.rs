//! The CPU backend: the generator and the counter on all cores.

use kogge_board::merge::{Merge, MergeOptions};
use kogge_board::{Backend, BackendError, DeviceInfo, DeviceKind, Leaves, Quad48, Rules, Score, Successors, minimax};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::code::Code;
use crate::frame::Frame;
use crate::hash::Table;
use crate::merge::CpuMerge;
use crate::minimax::Minimax;
use crate::planes::Planes;
use crate::tree::Tree;

/// All of a CPU's cores, or as many threads as asked for.
///
/// Memory: a thread keeps the successors of the positions on its way down, about 2 KiB a ply; a
/// batch of fewer positions than the threads can share is expanded until there are 64 for each.
/// Neither grows with the size of the tree.
#[derive(Debug)]
pub struct Cpu {
    info: DeviceInfo,
    pub(crate) pool: ThreadPool,
    pub(crate) code: Code,
    table: Option<Table>,
}

/// What a thread keeps from position to position.
#[derive(Debug, Default)]
struct Scratch {
    tree: Tree,
    /// Successors of the positions on the way down.
    stack: Vec<Quad48>,
    /// Positions that were not in the table, and the leaves below each.
    unknown: Vec<[u64; 4]>,
    leaves: Vec<u64>,
}

/// The least depth that is looked up: below it, counting is faster than the table's memory.
const LEAST_HASHED: u32 = 3;

/// How many tasks a thread should find in a batch, so that the last ones end at about the same time.
const TASKS_PER_THREAD: usize = 64;

/// Positions that one task of a shallow batch takes together.
const SHALLOW_TASK: usize = 256;

impl Cpu {
    /// A backend with this many threads, or with one per core, in the best variant that this CPU can
    /// run, or in the one that the environment variable `KOGGE_CPU` names.
    ///
    /// # Errors
    /// If the threads cannot be started, or if this CPU cannot run the variant named.
    pub fn new(threads: Option<usize>) -> Result<Self, BackendError> {
        Self::with_code(threads, Code::chosen()?)
    }

    /// The same in the variant of this name, one of [`Cpu::variants`].
    ///
    /// # Errors
    /// If the threads cannot be started, or if this CPU cannot run the variant.
    pub fn with_variant(threads: Option<usize>, name: &str) -> Result<Self, BackendError> {
        Self::with_code(threads, Code::named(name)?)
    }

    /// The names of the variants of the code that this CPU can run, the best one last.
    ///
    /// All give the same answers. They differ in the instructions that they use.
    ///
    /// ```
    /// use kogge_movegen_cpu::Cpu;
    /// assert_eq!(Cpu::variants()[0], "portable");
    /// ```
    pub fn variants() -> Vec<&'static str> {
        Code::usable().into_iter().map(|code| code.name).collect()
    }

    fn with_code(threads: Option<usize>, code: Code) -> Result<Self, BackendError> {
        let unavailable = |reason: String| BackendError::Unavailable { backend: "cpu", reason };
        if threads == Some(0) {
            return Err(unavailable("it needs at least one thread, and 0 were asked for.".into()));
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .thread_name(|index| format!("kogge-{index}"))
            .build()
            .map_err(|error| unavailable(format!("its threads could not be started ({error}).")))?;
        let threads = pool.current_num_threads();
        let info = DeviceInfo {
            backend: "cpu",
            name: format!("CPU, {threads} thread{}", if threads == 1 { "" } else { "s" }),
            driver: format!("kogge {}", env!("CARGO_PKG_VERSION")),
            kind: DeviceKind::Cpu,
            memory: None,
            batch: threads * TASKS_PER_THREAD,
            variant: code.name.into(),
        };
        Ok(Self { info, pool, code, table: None })
    }

    /// Keeps counts in a table of this many bytes, shared by all threads, so that positions reached in
    /// several ways are counted once. Counts stay exact: positions are compared in full. The table is
    /// kept from call to call; 0 bytes removes it.
    ///
    /// # Errors
    /// If there is not so much memory, or if it is too little for one entry.
    pub fn set_hash(&mut self, bytes: usize) -> Result<(), BackendError> {
        self.table = None;
        if bytes > 0 {
            let table = Table::new(bytes).ok_or_else(|| BackendError::OutOfMemory {
                device: self.info.name.clone(),
                doing: format!("making a hash table of {bytes} bytes"),
            })?;
            self.table = Some(table);
        }
        self.info.variant = match self.table {
            Some(_) => format!("{}, hash table of {bytes} bytes", self.code.name),
            None => self.code.name.into(),
        };
        Ok(())
    }

    /// How many tasks a batch should be cut into.
    pub(crate) fn tasks(&self) -> u64 {
        self.info.batch as u64
    }

    /// Leaves below a position, looked up where possible.
    fn perft_hashed(
        &self,
        table: &Table,
        rules: &Rules,
        position: &Quad48,
        depth: u32,
        scratch: &mut Scratch,
    ) -> Option<u64> {
        let planes = Planes::from_frame(&Frame::of(rules, position)).0;
        if let Some(leaves) = table.get(&planes, depth) {
            return Some(leaves);
        }
        let mut leaves = 0_u64;
        let start = scratch.stack.len();
        if depth <= LEAST_HASHED {
            self.code.perft(rules, &[*position], depth, std::slice::from_mut(&mut leaves), &mut scratch.tree)?;
        } else {
            self.code.expand(rules, position, &mut scratch.stack);
            if depth == LEAST_HASHED + 1 {
                leaves = self.perft_family(table, rules, start, scratch)?;
            } else {
                for index in start..scratch.stack.len() {
                    let successor = scratch.stack[index];
                    let below = self.perft_hashed(table, rules, &successor, depth - 1, scratch)?;
                    leaves = leaves.checked_add(below)?;
                }
            }
        }
        scratch.stack.truncate(start);
        table.put(&planes, depth, leaves);
        Some(leaves)
    }

    /// Leaves [`LEAST_HASHED`] plies below the positions on the stack from `start` on, together. Those
    /// that are not in the table are counted in one batch, which fills the registers better than one
    /// by one.
    fn perft_family(&self, table: &Table, rules: &Rules, start: usize, scratch: &mut Scratch) -> Option<u64> {
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
        self.code.perft(rules, &stack[start..kept], LEAST_HASHED, leaves, tree)?;
        for (planes, &leaves) in unknown.iter().zip(&*leaves) {
            table.put(planes, LEAST_HASHED, leaves);
            total = total.checked_add(leaves)?;
        }
        Some(total)
    }

    /// Expands positions until there are enough for all threads, or until two plies are left. Each
    /// comes with the number of the position that it descends from.
    fn spread(&self, rules: &Rules, positions: &[Quad48], depth: u32) -> (Vec<usize>, Vec<Quad48>, u32) {
        let mut origins: Vec<usize> = (0..positions.len()).collect();
        let mut frontier = positions.to_vec();
        let mut depth = depth;
        while depth > 3 && !frontier.is_empty() && frontier.len() < self.info.batch {
            let mut successors = Vec::new();
            let mut next = Vec::new();
            for (origin, position) in origins.into_iter().zip(frontier) {
                self.code.expand(rules, &position, &mut successors);
                next.resize(successors.len(), origin);
            }
            (origins, frontier) = (next, successors);
            depth -= 1;
        }
        (origins, frontier, depth)
    }
}

impl Backend for Cpu {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn count(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
        // A position has a few hundred moves at most.
        Ok(self.perft(rules, positions, 1)?.into_iter().map(|moves| moves as u32).collect())
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
        // Counting is far faster than writing. Then every thread knows where its successors belong.
        let counts = self.perft(rules, positions, 1)?;
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
            device: self.info.name.clone(),
            doing: format!("writing the successors of {} positions", positions.len()),
        })?;
        let mut rest = &mut successors.spare_capacity_mut()[..end];
        let mut tasks = Vec::new();
        for (positions, counts) in positions.chunks(SHALLOW_TASK).zip(counts.chunks(SHALLOW_TASK)) {
            let (places, after) = rest.split_at_mut(counts.iter().sum::<u64>() as usize);
            tasks.push((positions, counts, places));
            rest = after;
        }
        let written = self.pool.install(|| {
            tasks.into_par_iter().all(|(positions, counts, mut places)| {
                let mut family = Vec::new();
                for (position, &count) in positions.iter().zip(counts) {
                    family.clear();
                    self.code.expand(rules, position, &mut family);
                    if family.len() as u64 != count {
                        return false;
                    }
                    let (here, after) = places.split_at_mut(family.len());
                    here.write_copy_of_slice(&family);
                    places = after;
                }
                true
            })
        });
        if !written {
            return Err(BackendError::WrongAnswer {
                device: self.info.name.clone(),
                reason: "it counted other moves than it made; a position is not legal.".into(),
            });
        }
        // SAFETY: every task has filled its places, one for each move counted, and together they are the
        // first `end`.
        unsafe { successors.set_len(end) };
        Ok(Successors { positions: successors, ends })
    }

    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
        let (origins, frontier, depth) = self.spread(rules, positions, depth);
        let task = if depth > 2 { 1 } else { SHALLOW_TASK };
        // Rayon would split work only as far as it thinks good, and a piece that a thread has begun can no
        // longer be shared: of trees of uneven size, the last piece could keep one thread busy and all others
        // waiting. So no piece is larger than the share of a thread that has many.
        let most = (frontier.len().div_ceil(task) / self.info.batch).max(1);
        let mut leaves = vec![0; frontier.len()];
        let counted: Option<()> = self.pool.install(|| {
            frontier.par_chunks(task).zip(leaves.par_chunks_mut(task)).with_max_len(most).try_for_each_init(
                Scratch::default,
                |scratch, (positions, leaves)| match &self.table {
                    Some(table) if depth >= LEAST_HASHED => {
                        for (position, leaves) in positions.iter().zip(leaves) {
                            *leaves = self.perft_hashed(table, rules, position, depth, scratch)?;
                        }
                        Some(())
                    }
                    _ => self.code.perft(rules, positions, depth, leaves, &mut scratch.tree),
                },
            )
        });
        counted.ok_or(BackendError::Overflow)?;
        let mut totals = vec![0_u64; positions.len()];
        for (leaves, origin) in leaves.into_iter().zip(origins) {
            totals[origin] = totals[origin].checked_add(leaves).ok_or(BackendError::Overflow)?;
        }
        Ok(totals)
    }

    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>, BackendError> {
        Ok(Box::new(CpuMerge::new(self, rules, options)))
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
    ) -> Result<Vec<Score>, BackendError> {
        minimax::check_depth(depth)?;
        let minimax = Minimax { code: &self.code, rules, leaves };
        Ok(self.pool.install(|| minimax.scores(positions, depth)))
    }
}
