//! Merging equal positions on all cores.
//!
//! Successors are made as planes, a register of lanes at a time. Each table holds a [range](super::ranges) of positions, and
//! parents are in the order of most of their successors. So a task expands the parents of one range, and its thread adds most
//! of their successors to the range's table, which stays in the thread's cache. The other successors, the *strays*, are sorted
//! by table, and every table collects its strays from all tasks afterwards. Only one thread at a time fills a table, so a
//! table needs no locks.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use kogge_board::merge::{Entry, Merge, MergeError, MergeOptions, Partition, add_weighted, common_turn, entry_of};
use kogge_board::{BackendError, Color, Planes32, Rules};
use rayon::prelude::*;

use super::cores::Cores;
use super::shard::{Candidate, ENTRY_BYTES, HIGH_BYTES, Ply, Shard, Sharing};
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
    /// Whether the ranges of the successors are chosen.
    has_ranges: bool,
    /// Whether the parents are lost, because memory ran out while they were put in order.
    is_lost: bool,
    /// Whether the parents are in the order of the ranges.
    is_grouped: bool,
    room: u64,
    /// The expected number of strays of a parent: the last average plus a quarter.
    strays: f64,
    /// Lists of strays that are used again: to touch new memory takes longer than to fill it.
    spare: Mutex<Vec<Vec<Candidate>>>,
}

/// What a task has done besides filling a table.
struct Expanded {
    strays: Sorted,
    /// The number of paths to the successors, in whatever partition.
    paths: u128,
    has_successors: bool,
}

/// The strays of a task, sorted by tables.
#[derive(Default)]
struct Sorted {
    candidates: Vec<Candidate>,
    /// The end of each table's strays, which begin at the previous end. Empty if there are no strays.
    ends: Vec<u32>,
}

/// The scratch memory that a thread keeps from task to task.
#[derive(Default)]
struct Scratch {
    parents: Batch,
    children: Batch,
    queue: Queue,
    hashes: Vec<u64>,
    candidates: Vec<Candidate>,
    strays: Vec<Candidate>,
    multiplicities: Vec<u128>,
    /// The number of moves of each parent.
    moves: Vec<u32>,
}

/// The greatest number of legal moves in any position.
const MOST_MOVES: f64 = 218.0;

/// The least number of strays of a parent that is expected: parents with few strays may be followed by parents with many, and
/// all strays must fit in memory.
const LEAST_STRAYS: f64 = 4.0;

/// The most successors on their way to tables at a time; each takes 128 bytes in all.
const IN_FLIGHT: u64 = 1 << 21;
const IN_FLIGHT_BYTES: u64 = 2 * size_of::<Candidate>() as u64;

/// The most parents that are expanded together.
const TOGETHER: usize = 2048;

/// The most positions that one task counts trees below.
const COUNTED_TOGETHER: u64 = 1024;

impl<'a> CpuMerge<'a> {
    pub(crate) fn new(cores: &'a Cores, rules: &Rules, options: &MergeOptions) -> Self {
        Self {
            cores,
            rules: *rules,
            options: *options,
            parents: Ply::default(),
            successors: Ply::default(),
            sharing: Sharing::new(options.hash_bits),
            has_ranges: false,
            is_lost: false,
            is_grouped: false,
            room: 0,
            strays: MOST_MOVES,
            spare: Mutex::default(),
        }
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

    /// Chooses ranges for this many successors, and puts the parents in their order if there is memory for it.
    fn group(&mut self, successors: u64) -> Result<(), MergeError> {
        let Self { cores, parents, sharing, .. } = self;
        if !std::mem::replace(&mut self.has_ranges, true) {
            let shards = Sharing::shards_for(successors, cores.pool.current_num_threads());
            sharing.ranges = parents.ranges(sharing, shards);
            // Two copies lie in memory while the parents move, and the lists of strays.
            if sharing.ranges.are_foreseen() && 3 * parents.bytes() <= self.options.memory {
                self.is_lost = cores.pool.install(|| parents.group(sharing)).is_err();
                self.is_grouped = true;
            }
        }
        if self.is_lost {
            let device = cores.info.name.clone();
            return Err(BackendError::OutOfMemory { device, doing: "ordering positions by their pawns".into() }.into());
        }
        Ok(())
    }

    fn add_entries(&mut self, entries: &[Entry]) -> Result<(), MergeError> {
        let turn = common_turn(entries, self.successors.turn)?;
        for Entry { position, multiplicity } in entries {
            let Planes(position) = Planes::from_frame(&Frame::of(&self.rules, position));
            let (shard, hash) = self.sharing.find(&position);
            if self.room == 0 {
                return Err(MergeError::Full);
            }
            let candidate = Candidate { position, multiplicity: *multiplicity, shard: shard as u32, hash };
            self.successors.shards[shard].insert_all(&self.sharing, &[candidate])?;
        }
        self.successors.turn = turn;
        self.check_room()
    }

    fn expand_parents(&mut self, parents: Range<u64>, partition: Partition) -> Result<u128, MergeError> {
        let Some(turn) = self.parents.turn.map(Color::opposite) else { return Ok(0) };
        if self.successors.turn.is_some_and(|known| known != turn) {
            return Err(MergeError::MixedTurns);
        }
        // Without tables, no successor would be found.
        if self.successors.shards.len() != self.sharing.ranges.len() {
            return Err(MergeError::Full);
        }
        let starts = self.parents.starts();
        let end = parents.end.min(self.parents.len());
        let (mut start, mut paths) = (parents.start, 0_u128);
        while start < end {
            let together = ((self.in_flight() as f64 / self.strays) as u64).max(1);
            let next = end.min(start.saturating_add(together));
            let tasks = self.expand_tasks(&starts, start..next, partition)?;
            let strays: usize = tasks.iter().map(|task| task.strays.candidates.len()).sum();
            self.strays = (1.25 * strays as f64 / (next - start) as f64).clamp(LEAST_STRAYS, MOST_MOVES);
            for task in &tasks {
                paths = paths.checked_add(task.paths).ok_or(MergeError::Overflow)?;
                if task.has_successors {
                    self.successors.turn = Some(turn);
                }
            }
            self.take_in(tasks)?;
            self.check_room()?;
            start = next;
        }
        Ok(paths)
    }

    /// Expands these parents, a task for each range of parents, and returns the strays.
    fn expand_tasks(
        &mut self,
        starts: &[u64],
        parents: Range<u64>,
        partition: Partition,
    ) -> Result<Vec<Expanded>, MergeError> {
        let Self { cores, parents: ply, successors, sharing, is_grouped, spare, .. } = self;
        let expand = |scratch: &mut Scratch, parents: (&Shard, Range<usize>), table| {
            let mut expanded = expand_task(cores, sharing, scratch, parents, partition, table)?;
            expanded.strays = Sorted::of(&scratch.strays, sharing.ranges.len(), spare)?;
            Ok(expanded)
        };
        cores.pool.install(|| {
            if !*is_grouped {
                let pieces: Vec<_> =
                    ply.pieces(starts, parents).flat_map(|(_, shard, range)| split(shard, range)).collect();
                let tasks = pieces.into_par_iter().with_max_len(1);
                return tasks.map_init(Scratch::default, |scratch, piece| expand(scratch, piece, None)).collect();
            }
            let mut tables = successors.shards.iter_mut().enumerate();
            let pieces: Vec<_> = ply
                .pieces(starts, parents)
                .filter_map(|(number, shard, range)| {
                    Some(((shard, range), tables.find(|(table, _)| *table == number)?))
                })
                .collect();
            let tasks = pieces.into_par_iter().with_max_len(1);
            tasks.map_init(Scratch::default, |scratch, (piece, table)| expand(scratch, piece, Some(table))).collect()
        })
    }

    /// Lets every table collect its strays from all tasks.
    fn take_in(&mut self, tasks: Vec<Expanded>) -> Result<(), MergeError> {
        let (pool, sharing, shards, spare) =
            (&self.cores.pool, &self.sharing, &mut self.successors.shards, &self.spare);
        if tasks.iter().all(|task| task.strays.ends.is_empty()) {
            return Ok(());
        }
        let inserted = pool.install(|| {
            shards.par_iter_mut().enumerate().try_for_each(|(number, shard)| {
                for Expanded { strays: Sorted { candidates, ends }, .. } in &tasks {
                    if let Some(&end) = ends.get(number) {
                        let start = if number == 0 { 0 } else { ends[number - 1] };
                        shard.insert_all(sharing, &candidates[start as usize..end as usize])?;
                    }
                }
                Ok(())
            })
        });
        let lists = tasks.into_iter().map(|task| task.strays.candidates);
        spare.lock().unwrap_or_else(PoisonError::into_inner).extend(lists);
        inserted
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
            for (_, shard, range) in self.successors.pieces(starts, successors.clone()) {
                positions.extend(shard.positions()[range].iter().map(|boards| boards.0));
            }
            leaves.resize(positions.len(), 0);
            let counted = tree.perft(&self.cores.code, &positions[..], depth, leaves);
            counted.ok_or(MergeError::Backend(BackendError::Overflow))?;
        }
        let mut leaves = leaves.iter();
        let mut total = 0_u128;
        for (_, shard, range) in self.successors.pieces(starts, successors) {
            for (index, &leaves) in range.zip(&mut leaves) {
                total = add_weighted(total, shard.multiplicity(index), leaves)?;
            }
        }
        Ok(total)
    }
}

/// Splits some positions of a shard into tasks.
fn split(shard: &Shard, range: Range<usize>) -> impl Iterator<Item = (&Shard, Range<usize>)> {
    range.clone().step_by(TOGETHER).map(move |start| (shard, start..range.end.min(start + TOGETHER)))
}

/// Expands these parents. Successors of the table's range go into the table, all others are the scratch's strays.
fn expand_task(
    cores: &Cores,
    sharing: &Sharing,
    scratch: &mut Scratch,
    (shard, range): (&Shard, Range<usize>),
    partition: Partition,
    table: Option<(usize, &mut Shard)>,
) -> Result<Expanded, MergeError> {
    let Scratch { parents: batch, children, queue, hashes, candidates, strays, multiplicities, moves: moves_of } =
        scratch;
    strays.clear();
    let mut expanded = Expanded { strays: Sorted::default(), paths: 0, has_successors: false };
    let (mut table, limits) = match table {
        Some((number, table)) => (Some(table), Some(sharing.ranges.limits(number))),
        None => (None, None),
    };
    for (shard, range) in split(shard, range) {
        batch.restart(range.len());
        multiplicities.clear();
        for index in range {
            batch.push(&Planes(shard.positions()[index].0), 1);
            multiplicities.push(shard.multiplicity(index));
        }
        moves_of.clear();
        moves_of.resize(multiplicities.len(), 0_u32);
        while !batch.is_expanded() {
            children.restart(0);
            let moves = cores.code.expand_register(batch, children, queue);
            cores.code.make_canonical(children);
            if partition.of > 1 {
                cores.code.partition_hashes(children, hashes);
            }
            strays.try_reserve(moves).map_err(|_| MergeError::Full)?;
            candidates.clear();
            for index in 0..moves {
                let parent = queue.origin(index);
                moves_of[parent] += 1;
                if partition.of > 1 && !partition.has(hashes[index] as u32) {
                    continue;
                }
                let (position, multiplicity) = (children.position(index), multiplicities[parent]);
                let (key, hash) = sharing.of(&position);
                match limits {
                    Some((first, next)) if first <= key && next.is_none_or(|next| key < next) => {
                        candidates.push(Candidate { position, multiplicity, shard: 0, hash });
                    }
                    _ => {
                        let shard = sharing.ranges.find(key) as u32;
                        strays.push(Candidate { position, multiplicity, shard, hash });
                    }
                }
            }
            expanded.has_successors |= !(candidates.is_empty() && strays.is_empty());
            if let Some(table) = &mut table {
                table.insert_all(sharing, candidates)?;
            }
        }
        let weights = multiplicities.iter().zip(&*moves_of);
        expanded.paths = weights
            .into_iter()
            .try_fold(expanded.paths, |sum, (&multiplicity, &moves)| add_weighted(sum, multiplicity, moves.into()))?;
    }
    Ok(expanded)
}

impl Sorted {
    /// Sorts strays by table, into a list that is used again.
    fn of(strays: &[Candidate], shards: usize, spare: &Mutex<Vec<Vec<Candidate>>>) -> Result<Self, MergeError> {
        if strays.is_empty() {
            return Ok(Self::default());
        }
        let mut ends = vec![0_u32; shards];
        strays.iter().for_each(|stray| ends[stray.shard as usize] += 1);
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end - *count;
        }
        let mut candidates = spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        candidates.clear();
        candidates.try_reserve(strays.len()).map_err(|_| MergeError::Full)?;
        candidates.resize(strays.len(), Candidate::default());
        for stray in strays {
            let end = &mut ends[stray.shard as usize];
            candidates[*end as usize] = *stray;
            *end += 1;
        }
        Ok(Self { candidates, ends })
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
        self.group(successors)?;
        self.sharing.expect(successors);
        self.successors.shards.resize_with(self.sharing.ranges.len(), Default::default);
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
        (self.room, self.strays, self.has_ranges, self.is_grouped) = (0, MOST_MOVES, false, false);
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
        let entries = pieces.flat_map(|(_, shard, range)| {
            range.map(move |index| {
                let [a, b, c, own] = shard.positions()[index].0;
                entry_of(&Planes32 { codes: [a, b, c], own }, turn, shard.multiplicity(index))
            })
        });
        Ok(entries.collect())
    }
}
