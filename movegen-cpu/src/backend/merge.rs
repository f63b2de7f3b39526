//! Merging equal positions on all cores.
//!
//! Successors are made as planes, a register of lanes at a time. A task sorts the successors of its parents by table; then
//! every table collects its successors from all tasks. Only one thread at a time fills a table, so a table needs no locks
//! and stays in that thread's cache.

use std::ops::Range;

use kogge_board::merge::{Entry, Merge, MergeError, MergeOptions, Partition, add_weighted, common_turn, entry_of};
use kogge_board::{BackendError, Color, Planes32, Rules};
use rayon::prelude::*;

use super::cores::Cores;
use super::shard::{ENTRY_BYTES, HIGH_BYTES, Ply, Sharing};
use crate::lanes::batch::{Batch, Queue};
use crate::lanes::frame::Frame;
use crate::lanes::planes::Planes;
use crate::lanes::tree::Tree;

/// Two plies in tables.
pub(crate) struct CpuMerge<'a> {
    cores: &'a Cores,
    rules: Rules,
    options: MergeOptions,
    parents: Ply,
    successors: Ply,
    sharing: Sharing,
    room: u64,
    /// The expected number of successors of a parent: the last average plus a quarter.
    moves: f64,
}

/// A successor on its way to its table.
#[derive(Clone, Copy, Default)]
struct Item {
    position: [u64; 4],
    hash: u32,
    /// The number of the parent in the task.
    parent: u32,
}

/// The successors of a task's parents, sorted by tables.
struct Sorted {
    items: Vec<Item>,
    /// The end of each table's items; they begin at the previous end.
    ends: Vec<u32>,
    /// The parents' multiplicities.
    multiplicities: Vec<u128>,
    /// The number of paths to the successors, in whatever partition.
    paths: u128,
}

/// The scratch memory that a thread keeps from task to task.
#[derive(Default)]
struct Scratch {
    parents: Batch,
    children: Batch,
    queue: Queue,
    hashes: Vec<u64>,
    items: Vec<(u32, Item)>,
    /// The number of moves of each parent.
    moves: Vec<u32>,
}

/// The greatest number of legal moves in any position.
const MOST_MOVES: f64 = 218.0;

/// The most successors on their way to tables at a time; each takes 80 bytes in all.
const IN_FLIGHT: u64 = 1 << 21;
const IN_FLIGHT_BYTES: u64 = 2 * size_of::<Item>() as u64;

/// The most parents that one task expands.
const TASK: u64 = 2048;

/// The most positions that one task counts trees below.
const COUNTED_TOGETHER: u64 = 1024;

impl<'a> CpuMerge<'a> {
    pub(crate) fn new(cores: &'a Cores, rules: &Rules, options: &MergeOptions) -> Self {
        let sharing = Sharing::new(0, options.hash_bits);
        let (parents, successors) = (Ply::default(), Ply::default());
        Self { cores, rules: *rules, options: *options, parents, successors, sharing, room: 0, moves: MOST_MOVES }
    }

    /// Returns the number of successors that may be on their way at a time; they may take an eighth of the memory.
    fn in_flight(&self) -> u64 {
        (self.options.memory / 8 / IN_FLIGHT_BYTES).clamp(1, IN_FLIGHT)
    }

    /// Discards the successors if a step failed.
    fn or_forget<T>(&mut self, result: Result<T, MergeError>) -> Result<T, MergeError> {
        if result.is_err() {
            self.successors = Ply::default();
            self.room = 0;
        }
        result
    }

    /// Returns an error if the successors exceed the room or the memory.
    fn check_room(&self) -> Result<(), MergeError> {
        let bytes = self.parents.bytes() + self.successors.bytes() + self.in_flight() * IN_FLIGHT_BYTES;
        if self.successors.len() > self.room || bytes > self.options.memory { Err(MergeError::Full) } else { Ok(()) }
    }

    fn add_entries(&mut self, entries: &[Entry]) -> Result<(), MergeError> {
        let turn = common_turn(entries, self.successors.turn)?;
        for Entry { position, multiplicity } in entries {
            let Planes(position) = Planes::from_frame(&Frame::of(&self.rules, position));
            let (shard, hash) = self.sharing.of_position(&position);
            if self.room == 0 {
                return Err(MergeError::Full);
            }
            self.successors.shards[shard].insert(&self.sharing, &position, hash, *multiplicity)?;
        }
        self.successors.turn = turn;
        self.check_room()
    }

    fn expand_parents(&mut self, parents: Range<u64>, partition: Partition) -> Result<u128, MergeError> {
        let Some(turn) = self.parents.turn.map(Color::opposite) else { return Ok(0) };
        if self.successors.turn.is_some_and(|known| known != turn) {
            return Err(MergeError::MixedTurns);
        }
        let starts = self.parents.starts();
        let end = parents.end.min(self.parents.len());
        let (mut start, mut paths) = (parents.start, 0_u128);
        while start < end {
            let together = ((self.in_flight() as f64 / self.moves) as u64).max(1);
            let next = end.min(start + together);
            let sorted = self.sort(&starts, start..next, partition)?;
            if partition.of == 1 {
                let made: usize = sorted.iter().map(|sorted| sorted.items.len()).sum();
                self.moves = (1.25 * made as f64 / (next - start) as f64).clamp(2.0, MOST_MOVES);
            }
            if !sorted.iter().all(|sorted| sorted.items.is_empty()) {
                self.successors.turn = Some(turn);
            }
            self.take_in(&sorted)?;
            self.check_room()?;
            for task in &sorted {
                paths = paths.checked_add(task.paths).ok_or(MergeError::Overflow)?;
            }
            start = next;
        }
        Ok(paths)
    }

    /// Expands these parents and sorts their successors by table, task by task.
    fn sort(&self, starts: &[u64], parents: Range<u64>, partition: Partition) -> Result<Vec<Sorted>, MergeError> {
        let threads = self.cores.pool.current_num_threads() as u64;
        let task = ((parents.end - parents.start) / (4 * threads)).clamp(16, TASK);
        let tasks = (parents.end - parents.start).div_ceil(task);
        self.cores.pool.install(|| {
            let sort = |scratch: &mut Scratch, number| {
                let start = parents.start + number * task;
                self.sort_task(scratch, starts, start..parents.end.min(start + task), partition)
            };
            (0..tasks).into_par_iter().map_init(Scratch::default, sort).collect()
        })
    }

    fn sort_task(
        &self,
        scratch: &mut Scratch,
        starts: &[u64],
        parents: Range<u64>,
        partition: Partition,
    ) -> Result<Sorted, MergeError> {
        let Scratch { parents: batch, children, queue, hashes, items, moves: moves_of } = scratch;
        let (code, sharing) = (&self.cores.code, &self.sharing);
        let mut multiplicities = Vec::with_capacity((parents.end - parents.start) as usize);
        batch.restart((parents.end - parents.start) as usize);
        for (shard, range) in self.parents.pieces(starts, parents) {
            for index in range {
                batch.push(&Planes(shard.positions()[index]), 1);
                multiplicities.push(shard.multiplicity(index));
            }
        }
        let mut ends = vec![0_u32; sharing.shards()];
        items.clear();
        moves_of.clear();
        moves_of.resize(multiplicities.len(), 0);
        while !batch.is_expanded() {
            children.restart(0);
            let moves = code.expand_register(batch, children, queue);
            code.make_canonical(children, hashes);
            for (index, &hash) in hashes.iter().enumerate().take(moves) {
                let parent = queue.origin(index);
                moves_of[parent] += 1;
                if partition.has((hash >> 32) as u32) {
                    let (shard, hash) = sharing.of(hash);
                    let item = Item { position: children.position(index), hash, parent: parent as u32 };
                    items.push((shard as u32, item));
                    ends[shard] += 1;
                }
            }
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end - *count;
        }
        let mut sorted = Vec::new();
        sorted.try_reserve_exact(items.len()).map_err(|_| MergeError::Full)?;
        sorted.resize(items.len(), Item::default());
        for (shard, item) in items {
            let end = &mut ends[*shard as usize];
            sorted[*end as usize] = *item;
            *end += 1;
        }
        let weights = multiplicities.iter().zip(&*moves_of);
        let paths = weights
            .into_iter()
            .try_fold(0, |sum, (&multiplicity, &moves)| add_weighted(sum, multiplicity, moves.into()))?;
        Ok(Sorted { items: sorted, ends, multiplicities, paths })
    }

    /// Lets every table collect its successors from all tasks.
    fn take_in(&mut self, tasks: &[Sorted]) -> Result<(), MergeError> {
        let (pool, sharing, shards) = (&self.cores.pool, &self.sharing, &mut self.successors.shards);
        if tasks.iter().any(|task| task.ends.len() != shards.len() && !task.items.is_empty()) {
            return Err(MergeError::Full);
        }
        pool.install(|| {
            shards.par_iter_mut().enumerate().try_for_each(|(number, shard)| {
                for Sorted { items, ends, multiplicities, .. } in tasks {
                    let start = if number == 0 { 0 } else { ends[number - 1] };
                    for Item { position, hash, parent } in &items[start as usize..ends[number] as usize] {
                        shard.insert(sharing, position, *hash, multiplicities[*parent as usize])?;
                    }
                }
                Ok(())
            })
        })
    }

    /// Sums the leaves below some successors, weighted by multiplicity.
    fn count_task(
        &self,
        (tree, positions, leaves): &mut (Tree, Vec<[u64; 4]>, Vec<u64>),
        starts: &[u64],
        successors: Range<u64>,
        depth: u32,
    ) -> Result<u128, MergeError> {
        leaves.clear();
        if depth == 0 {
            // Every position is its own leaf, so the sum needs only the multiplicities.
            leaves.resize((successors.end - successors.start) as usize, 1);
        } else {
            positions.clear();
            for (shard, range) in self.successors.pieces(starts, successors.clone()) {
                positions.extend_from_slice(&shard.positions()[range]);
            }
            leaves.resize(positions.len(), 0);
            let counted = tree.perft(&self.cores.code, &positions[..], depth, leaves);
            counted.ok_or(MergeError::Backend(BackendError::Overflow))?;
        }
        let mut leaves = leaves.iter();
        let mut total = 0_u128;
        for (shard, range) in self.successors.pieces(starts, successors) {
            for (index, &leaves) in range.zip(&mut leaves) {
                total = add_weighted(total, shard.multiplicity(index), leaves)?;
            }
        }
        Ok(total)
    }
}

impl Merge for CpuMerge<'_> {
    fn parents(&self) -> u64 {
        self.parents.len()
    }

    fn successors(&self) -> u64 {
        self.successors.len()
    }

    fn most_successors(&self) -> u64 {
        let taken = self.parents.bytes() + self.in_flight() * IN_FLIGHT_BYTES;
        let each = ENTRY_BYTES + if self.parents.is_high() { HIGH_BYTES } else { 0 };
        self.options.memory.saturating_sub(taken) / each
    }

    fn reserve(&mut self, successors: u64) -> Result<(), MergeError> {
        self.successors = Ply::default();
        self.room = 0;
        if successors > self.most_successors() {
            return Err(MergeError::Full);
        }
        self.sharing = Sharing::new(successors, self.options.hash_bits);
        self.successors.shards.resize_with(self.sharing.shards(), Default::default);
        self.room = successors;
        Ok(())
    }

    fn add(&mut self, entries: &[Entry]) -> Result<(), MergeError> {
        let added = self.add_entries(entries);
        self.or_forget(added)
    }

    fn expand(&mut self, parents: Range<u64>, partition: Partition) -> Result<u128, MergeError> {
        let expanded = self.expand_parents(parents, partition);
        self.or_forget(expanded)
    }

    fn descend(&mut self) -> Result<(), MergeError> {
        self.parents = std::mem::take(&mut self.successors);
        self.parents.close();
        self.room = 0;
        self.moves = MOST_MOVES;
        Ok(())
    }

    fn perft(&mut self, successors: Range<u64>, depth: u32) -> Result<u128, MergeError> {
        let starts = self.successors.starts();
        let end = successors.end.min(self.successors.len());
        let start = successors.start.min(end);
        // Enough tasks for all threads, with equal numbers of positions.
        let task = ((end - start) / self.cores.tasks()).clamp(1, COUNTED_TOGETHER);
        let this = &*self;
        let counted = this.cores.pool.install(|| {
            let count = |scratch: &mut _, number: usize| {
                let start = start + number as u64 * task;
                this.count_task(scratch, &starts, start..end.min(start + task), depth)
            };
            let tasks = (0..(end - start).div_ceil(task) as usize).into_par_iter();
            let sum = |a: u128, b| a.checked_add(b).ok_or(MergeError::Overflow);
            tasks.with_max_len(1).map_init(Default::default, count).try_reduce(|| 0, sum)
        });
        self.or_forget(counted)
    }

    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<Entry>, MergeError> {
        let Some(turn) = self.successors.turn else { return Ok(Vec::new()) };
        let starts = self.successors.starts();
        let pieces = self.successors.pieces(&starts, successors);
        let entries = pieces.flat_map(|(shard, range)| {
            range.map(move |index| {
                let [a, b, c, own] = shard.positions()[index];
                entry_of(&Planes32 { codes: [a, b, c], own }, turn, shard.multiplicity(index))
            })
        });
        Ok(entries.collect())
    }
}
