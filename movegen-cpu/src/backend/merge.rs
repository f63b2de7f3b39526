//! Merging equal positions on all cores.
//!
//! Successors are made as planes, one register of lanes after another. Each table holds a [range](super::ranges) of positions,
//! and parents are in the order of the ranges that most of their successors fall into. So a task expands the parents of one
//! range, and its thread adds most of their successors to the range's table, which stays in the thread's cache. The other
//! successors, the *strays*, are sorted by table, and afterwards every table collects its strays from all tasks. Only one
//! thread at a time fills a table, so a table needs no locks.
//!
//! `below.rs` counts leaves below a ply.

mod below;
mod scratch;
mod spare;

use std::ops::Range;

use kogge_board::merge::{
    DiagramPart, Filter, Merge, MergeAdvice, MergeError, MergeOptions, MergeSizes, Summand, WeightedPosition,
    add_weighted, common_turn, entry_of,
};
use kogge_board::{BackendError, Categories, Color, Rules};
use rayon::prelude::*;

use self::scratch::{Pool, Scratch, ScratchBelow};
use self::spare::Spare;
use super::cores::Cores;
use super::shard::{Boards, Candidate, ENTRY_BYTES, HIGH_BYTES, Index, Ply, Shard, Sharing, planes32};
use crate::lanes::categories::Numbers;
use crate::lanes::frame::Frame;
use crate::lanes::planes::Planes;

/// Two plies in tables, and the earlier plies that are saved.
pub(crate) struct CpuMerge<'a> {
    cores: &'a Cores,
    rules: Rules,
    options: MergeOptions,
    parents: Parents,
    /// The earlier plies that were saved, the most recent one last.
    ancestors: Vec<Parents>,
    successors: Ply,
    /// The numbering of the successors; `None` until it is needed.
    index: Option<Index>,
    /// The filter for successors.
    kept: Filter,
    room: u64,
    /// Lists of strays, for reuse.
    spare: Spare,
    /// The scratch memory of counts below the successors; empty until there are any.
    scratch: ScratchBelow,
}

/// A ply to expand.
struct Parents {
    ply: Ply,
    /// The tables of the parents' successors.
    sharing: Sharing,
    /// Whether the tables' ranges have been chosen.
    has_ranges: bool,
    /// Whether the parents are in the order of these ranges.
    is_grouped: bool,
    /// Whether the parents are lost, because memory ran out while they were reordered.
    is_lost: bool,
    /// The expected number of strays per parent: the most recent average plus a quarter.
    strays: f64,
}

/// The result of a task, besides the successors in its table.
struct Expansion {
    strays: StrayLists,
    /// The number of paths to the successors that pass the filter.
    paths: u128,
    /// The number of parents that were expanded.
    parents: u64,
    has_successors: bool,
}

/// The strays of a task, sorted by tables.
#[derive(Default)]
struct StrayLists {
    candidates: Vec<Candidate>,
    /// The end of each table's strays; they begin at the end of the previous table's strays. Empty if there are no strays.
    ends: Vec<u32>,
}

/// A number of legal moves that few positions exceed by much; it is used only for the sizes of tables and tasks.
const MOVES: u64 = 32;

/// The maximum number of legal moves in any position.
const MOST_MOVES: f64 = 218.0;

/// The minimum of the expected number of strays per parent. With a smaller number, parents with many strays could exceed the
/// memory if they follow parents with few strays.
const LEAST_STRAYS: f64 = 4.0;

/// The maximum number of successors in flight, on their way to tables; each takes 128 bytes in all.
const IN_FLIGHT: u64 = 1 << 21;
const IN_FLIGHT_BYTES: u64 = 2 * size_of::<Candidate>() as u64;

/// The maximum number of successors in flight: they take at most an eighth of the memory.
fn in_flight(memory: u64) -> u64 {
    (memory / 8 / IN_FLIGHT_BYTES).clamp(1, IN_FLIGHT)
}

/// The maximum number of parents that are expanded together: their batch should stay in a core's cache.
const TOGETHER: usize = 2048;

/// The minimum depth of trees that are merged at their first ply: only within a task, in a table that fits in a core's cache.
const LEAST_MERGED: u32 = 3;

/// The maximum number of positions whose successors are merged in one task that counts trees below them.
const MERGED_TOGETHER: u64 = 1 << 12;

impl Parents {
    fn new(ply: Ply, hash_bits: u32) -> Self {
        let sharing = Sharing::new(hash_bits);
        Self { ply, sharing, has_ranges: false, is_grouped: false, is_lost: false, strays: MOST_MOVES }
    }

    /// Chooses the tables' ranges for `successors` expected successors, and puts the parents in the order of the ranges if
    /// there is memory for it. Only the first call has an effect.
    fn group(&mut self, cores: &Cores, successors: u64, kept: Filter, memory: u64) {
        if std::mem::replace(&mut self.has_ranges, true) {
            return;
        }
        let Self { ply, sharing, .. } = self;
        let all = (successors as f64 / ply.share(kept)).min(MOST_MOVES * ply.len() as f64);
        let shards = Sharing::shards_for(successors.max(all as u64), cores.pool.current_num_threads());
        sharing.ranges = ply.ranges(sharing, shards);
        // While the parents are reordered, memory holds two copies of them and the lists of strays.
        if sharing.ranges.are_foreseen() && 3 * ply.bytes() <= memory {
            self.is_lost = cores.pool.install(|| ply.group(sharing)).is_err();
            self.is_grouped = true;
        }
    }

    fn check(&self, cores: &Cores) -> Result<(), MergeError> {
        if self.is_lost { Err(out_of_memory(cores)) } else { Ok(()) }
    }
}

fn out_of_memory(cores: &Cores) -> MergeError {
    let device = cores.info.name.clone();
    BackendError::OutOfMemory { device, doing: "ordering positions by their pieces".into() }.into()
}

impl<'a> CpuMerge<'a> {
    pub(crate) fn new(cores: &'a Cores, rules: &Rules, options: &MergeOptions) -> Self {
        Self {
            cores,
            rules: *rules,
            options: *options,
            parents: Parents::new(Ply::default(), options.hash_bits),
            ancestors: Vec::new(),
            successors: Ply::default(),
            index: None,
            kept: Filter::All,
            room: 0,
            spare: Spare::new(in_flight(options.memory)),
            scratch: ScratchBelow::default(),
        }
    }

    fn in_flight(&self) -> u64 {
        in_flight(self.options.memory)
    }

    fn ancestors_bytes(&self) -> u64 {
        self.ancestors.iter().map(|parents| parents.ply.bytes()).sum()
    }

    /// The bytes that are left for successors.
    fn free(&self) -> u64 {
        let taken = self.ancestors_bytes() + self.parents.ply.bytes() + self.in_flight() * IN_FLIGHT_BYTES;
        self.options.memory.saturating_sub(taken)
    }

    /// Discards the successors and frees their memory.
    fn forget(&mut self) {
        self.successors = Ply::default();
        self.index = None;
        self.room = 0;
        self.scratch = ScratchBelow::default();
    }

    /// Discards the successors if a step failed.
    fn or_forget<T>(&mut self, result: Result<T, MergeError>) -> Result<T, MergeError> {
        if result.is_err() {
            self.forget();
        }
        result
    }

    fn check_room(&self) -> Result<(), MergeError> {
        let is_full = self.successors.len() > self.room || self.successors.bytes() > self.free();
        if is_full { Err(MergeError::Full) } else { Ok(()) }
    }

    /// Numbers the successors, so that positions with similar successors have adjacent numbers.
    fn number(&mut self) -> Result<Index, MergeError> {
        if let Some(index) = self.index.take() {
            return Ok(index);
        }
        let Self { cores, parents, successors, .. } = self;
        let arranged = cores.pool.install(|| successors.arrange(&parents.sharing, MERGED_TOGETHER / 4));
        arranged.map_err(|_| out_of_memory(cores))
    }

    /// Makes the successors the parents, and returns the former parents.
    fn replace_parents(&mut self) -> Result<Parents, MergeError> {
        self.parents.check(self.cores)?;
        let mut ply = std::mem::take(&mut self.successors);
        ply.close();
        self.forget();
        Ok(std::mem::replace(&mut self.parents, Parents::new(ply, self.options.hash_bits)))
    }

    fn add_entries(&mut self, entries: &[WeightedPosition]) -> Result<(), MergeError> {
        self.index = None;
        let turn = common_turn(entries, self.successors.turn)?;
        for WeightedPosition { position, multiplicity } in entries {
            let Planes(position) = Planes::from_frame(&Frame::of(&self.rules, position));
            let (shard, hash) = self.parents.sharing.find(&position);
            if self.room == 0 {
                return Err(MergeError::Full);
            }
            let candidate = Candidate { position, multiplicity: *multiplicity, shard: shard as u32, hash };
            self.successors.shards[shard].insert_all(&self.parents.sharing, &[candidate])?;
        }
        self.successors.turn = turn;
        self.check_room()
    }

    fn expand_parents(&mut self, stride: u64, range: Range<u64>) -> Result<u128, MergeError> {
        let Some(turn) = self.parents.ply.turn.map(Color::opposite) else { return Ok(0) };
        if self.successors.turn.is_some_and(|known| known != turn) {
            return Err(MergeError::MixedTurns);
        }
        // Without a table, no successor would be found.
        if self.successors.shards.len() != self.parents.sharing.ranges.len() {
            return Err(MergeError::Full);
        }
        self.index = None;
        let index = Index::of(&self.parents.ply);
        let end = range.end.min(self.parents.ply.len());
        let (mut start, mut paths) = (range.start, 0_u128);
        while start < end {
            // All of these parents may have to be expanded.
            let together = ((self.in_flight() as f64 / self.parents.strays) as u64).max(1);
            let next = end.min(start.saturating_add(together.saturating_mul(stride)));
            let tasks = self.expand_tasks(&index, stride, start..next)?;
            let strays: usize = tasks.iter().map(|task| task.strays.candidates.len()).sum();
            let parents: u64 = tasks.iter().map(|task| task.parents).sum();
            if parents > 0 {
                self.parents.strays = (1.25 * strays as f64 / parents as f64).clamp(LEAST_STRAYS, MOST_MOVES);
            }
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

    /// Expands every `stride`-th of these parents, with one task for each range of parents, and returns the strays.
    fn expand_tasks(&mut self, index: &Index, stride: u64, range: Range<u64>) -> Result<Vec<Expansion>, MergeError> {
        let Self { cores, parents, successors, kept, spare, .. } = self;
        let Parents { ply, sharing, is_grouped, .. } = parents;
        let pool = Pool::default();
        let expand = |(shard, range): (&Shard, Range<usize>), table| {
            let mut scratch: Scratch = pool.take();
            let pieces = std::iter::once((shard, range.step_by(stride as usize)));
            let mut expanded = expand_task(cores, sharing, &mut scratch, pieces, *kept, table)?;
            expanded.strays = StrayLists::of(&scratch.strays, sharing.ranges.len(), spare)?;
            pool.give_back(scratch);
            Ok(expanded)
        };
        cores.pool.install(|| {
            let mut before = 0;
            // Each piece begins with the next parent to expand.
            let pieces = index.pieces(range).map(|(number, range)| {
                let first = range.start + (before as u64).next_multiple_of(stride) as usize - before;
                before += range.len();
                (number, first.min(range.end)..range.end)
            });
            if !*is_grouped {
                let together = TOGETHER.saturating_mul(stride as usize);
                let pieces = pieces.flat_map(|(number, range)| split(&ply.shards[number], range, together));
                let pieces: Vec<_> = pieces.collect();
                let tasks = pieces.into_par_iter().with_max_len(1);
                return tasks.map(|piece| expand(piece, None)).collect();
            }
            let mut tables = successors.shards.iter_mut().enumerate();
            let pieces: Vec<_> = pieces
                .filter_map(|(number, range)| {
                    Some(((&ply.shards[number], range), tables.find(|(table, _)| *table == number)?))
                })
                .collect();
            let tasks = pieces.into_par_iter().with_max_len(1);
            tasks.map(|(piece, table)| expand(piece, Some(table))).collect()
        })
    }

    /// Lets every table collect its strays from all tasks.
    fn take_in(&mut self, tasks: Vec<Expansion>) -> Result<(), MergeError> {
        let (pool, sharing, shards, spare) =
            (&self.cores.pool, &self.parents.sharing, &mut self.successors.shards, &self.spare);
        if tasks.iter().all(|task| task.strays.ends.is_empty()) {
            return Ok(());
        }
        let inserted = pool.install(|| {
            shards.par_iter_mut().enumerate().try_for_each(|(number, shard)| {
                for Expansion { strays: StrayLists { candidates, ends }, .. } in &tasks {
                    if let Some(&end) = ends.get(number) {
                        let start = if number == 0 { 0 } else { ends[number - 1] };
                        shard.insert_all(sharing, &candidates[start as usize..end as usize])?;
                    }
                }
                Ok(())
            })
        });
        tasks.into_iter().for_each(|task| spare.give_back(task.strays.candidates));
        inserted
    }
}

/// Splits some positions of a shard into ranges of at most this length.
fn split(shard: &Shard, range: Range<usize>, together: usize) -> impl Iterator<Item = (&Shard, Range<usize>)> {
    range.clone().step_by(together).map(move |start| (shard, start..range.end.min(start.saturating_add(together))))
}

/// Expands the positions that may have successors that pass the filter. Successors that pass the filter go into the
/// table if they are in its range; the others become strays in the scratch memory.
fn expand_task<'p>(
    cores: &Cores,
    sharing: &Sharing,
    scratch: &mut Scratch,
    pieces: impl Iterator<Item = (&'p Shard, impl Iterator<Item = usize>)>,
    kept: Filter,
    table: Option<(usize, &mut Shard)>,
) -> Result<Expansion, MergeError> {
    let Scratch { parents: batch, children, queue, candidates, strays, multiplicities, kept_of } = scratch;
    strays.clear();
    let mut expanded = Expansion { strays: StrayLists::default(), paths: 0, parents: 0, has_successors: false };
    let (mut table, limits) = match table {
        Some((number, table)) => (Some(table), Some(sharing.ranges.limits(number))),
        None => (None, None),
    };
    let keeps_all = kept == Filter::All;
    let mut positions = pieces
        .flat_map(|(shard, indices)| indices.map(move |index| (shard.positions()[index].0, shard.multiplicity(index))))
        .filter(|(position, _)| kept.needs(&planes32(position)));
    loop {
        batch.restart(TOGETHER);
        multiplicities.clear();
        for (position, multiplicity) in positions.by_ref().take(TOGETHER) {
            batch.push(&Planes(position), 1);
            multiplicities.push(multiplicity);
        }
        if multiplicities.is_empty() {
            return Ok(expanded);
        }
        kept_of.clear();
        kept_of.resize(multiplicities.len(), 0_u32);
        while !batch.is_expanded() {
            children.restart(0);
            let moves = cores.code.expand_register(batch, children, queue);
            cores.code.make_canonical(children);
            strays.try_reserve(moves).map_err(|_| MergeError::Full)?;
            candidates.clear();
            for index in 0..moves {
                let position = children.position(index);
                if !keeps_all && !kept.has(&planes32(&position)) {
                    continue;
                }
                let parent = queue.origin(index);
                kept_of[parent] += 1;
                let multiplicity = multiplicities[parent];
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
        expanded.parents += multiplicities.len() as u64;
        let mut weights = multiplicities.iter().zip(&*kept_of);
        expanded.paths = weights
            .try_fold(expanded.paths, |sum, (&multiplicity, &kept)| add_weighted(sum, multiplicity, kept.into()))?;
    }
}

impl StrayLists {
    /// Sorts strays by table, into a reused list.
    fn of(strays: &[Candidate], shards: usize, spare: &Spare) -> Result<Self, MergeError> {
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
        let mut candidates = spare.take(strays.len());
        candidates.try_reserve_exact(strays.len()).map_err(|_| MergeError::Full)?;
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
    fn sizes(&self) -> MergeSizes {
        let each = ENTRY_BYTES + if self.parents.ply.is_high() { HIGH_BYTES } else { 0 };
        let capacity = self.free() / each;
        MergeSizes { parents: self.parents.ply.len(), successors: self.successors.len(), capacity }
    }

    fn advice(&self, depth: u32, successors: u64) -> MergeAdvice {
        let in_runs = depth >= LEAST_MERGED;
        let together = if in_runs { self.merged_in_a_task(successors) } else { 1 };
        MergeAdvice { in_runs, together, ..MergeAdvice::default() }
    }

    fn reserve(&mut self, successors: u64, kept: Filter) -> Result<(), MergeError> {
        self.forget();
        if successors > self.sizes().capacity {
            return Err(MergeError::Full);
        }
        let memory = self.options.memory.saturating_sub(self.ancestors_bytes());
        self.parents.group(self.cores, successors, kept, memory);
        self.parents.check(self.cores)?;
        let sharing = &mut self.parents.sharing;
        sharing.expect(successors, kept);
        self.successors.shards.resize_with(sharing.ranges.len(), Default::default);
        (self.room, self.kept) = (successors, kept);
        Ok(())
    }

    fn add(&mut self, entries: &[WeightedPosition]) -> Result<(), MergeError> {
        let added = self.add_entries(entries);
        self.or_forget(added)
    }

    fn expand_every(&mut self, stride: u64, parents: Range<u64>) -> Result<u128, MergeError> {
        let expanded = self.expand_parents(stride.clamp(1, self.parents.ply.len().max(1)), parents);
        self.or_forget(expanded)
    }

    fn descend(&mut self, keep: bool) -> Result<(), MergeError> {
        let parents = self.replace_parents()?;
        if keep {
            self.ancestors.push(parents);
        }
        Ok(())
    }

    fn ascend(&mut self) -> Result<(), MergeError> {
        if let Some(parents) = self.ancestors.pop() {
            self.forget();
            self.parents = parents;
        }
        Ok(())
    }

    fn sum(&mut self, successors: Range<u64>, summand: Summand) -> Result<Categories, MergeError> {
        let nodes = match summand {
            Summand::Leaves(depth) => self.sum_below::<u64>(successors, depth)?,
            Summand::Kinds(depth) => return self.sum_below::<Numbers>(successors, depth),
            Summand::Once => {
                let numbered = self.number();
                let index = self.or_forget(numbered)?;
                let once = index.pieces(successors).map(|(number, range)| {
                    let shard = &self.successors.shards[number];
                    range.filter(|&index| shard.multiplicity(index) == 1).count() as u128
                });
                let once = once.sum();
                self.index = Some(index);
                once
            }
        };
        Ok(Categories { nodes, ..Categories::default() })
    }

    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<WeightedPosition>, MergeError> {
        let Some(turn) = self.successors.turn else { return Ok(Vec::new()) };
        let numbered = self.number();
        let index = self.or_forget(numbered)?;
        let entries = index.pieces(successors).flat_map(|(number, range)| {
            let shard = &self.successors.shards[number];
            range.map(move |index| entry_of(&planes32(&shard.positions()[index].0), turn, shard.multiplicity(index)))
        });
        let entries = entries.collect();
        self.index = Some(index);
        Ok(entries)
    }

    fn diagrams(&mut self, part: u32, parts: u32) -> Result<u64, MergeError> {
        // Each thread reads all positions and counts those in its share of this part.
        let (pool, shards, len) = (&self.cores.pool, &self.successors.shards, self.successors.len());
        let threads = pool.current_num_threads() as u32;
        let count = |thread| {
            let mut diagrams = DiagramPart::new(part * threads + thread, parts * threads, len)?;
            for Boards(position) in shards.iter().flat_map(|shard| shard.positions()) {
                diagrams.add(&planes32(position))?;
            }
            Ok(diagrams.len() as u64)
        };
        pool.install(|| (0..threads).into_par_iter().with_max_len(1).map(count).sum())
    }
}
