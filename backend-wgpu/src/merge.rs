//! Merging equal positions on a device: its lists and tables, and the kernels that fill them.

use std::ops::Range;

use kogge_board::breadth_first::{MergeStages, Origin, Ply, StageError};
use kogge_board::merge::{MergeError, Partition};
use kogge_board::{BackendError, Planes32};

use crate::buffers::{self, Buffers, sizes};
use crate::kernels::{Stage, WEIGH_GROUP, WEIGH_GROUPS};
use crate::options::Choice;
use crate::runner::{Runner, Scalars};
use crate::runtime::{Buffer, Failure};
use crate::stages::Session;

/// Levels that there is room for whatever the lists take: leaves are mostly counted two or three plies below.
const LEVELS: usize = 4;

/// Bytes of an entry: its position, its multiplicity, and two places in the table, so that a search looks at less than two
/// places on average.
const POSITION: u64 = size_of::<Planes32>() as u64;
const ENTRY: u64 = POSITION + 16 + 2 * 4;

/// Bytes that each candidate takes besides its position: its multiplicity, what it needs when it is new, and a place more
/// in the table, which must not be full before the list is.
const CANDIDATE: u64 = 16 + 8 + 4;

/// Entries are numbered with 31 bits, and 0 and the last have other meanings.
const MOST_ENTRIES: u64 = (1 << 31) - 2;

/// What a kernel and the host tell each other of the list, in as many words before the new candidates.
const LEN: usize = 0;
const FULL: usize = 2;
const OVERFLOW: usize = 3;
const STATE: usize = 4;

/// The entries of a ply.
struct List {
    positions: Buffer<Planes32>,
    multiplicities: Buffer<[u32; 4]>,
    room: u64,
}

/// What candidates need besides their positions.
struct Candidates {
    multiplicities: Buffer<[u32; 4]>,
    /// The list's length and what went wrong, and the candidates that are new with the places that they have taken.
    fresh: Buffer<u32>,
    /// How many there is room for.
    room: usize,
}

/// All memory that merging takes.
pub(crate) struct Merging {
    /// Bytes for all of it, and how many of them for the buffers of the stages.
    memory: u64,
    pub(crate) stages_memory: u64,
    parents: Option<List>,
    successors: Option<List>,
    places: Option<Buffer<u32>>,
    candidates: Option<Candidates>,
    /// Multiplicities of positions that come from the host.
    given: Option<Buffer<[u32; 4]>>,
    sums: Buffer<[u32; 8]>,
}

impl Merging {
    /// The list of a ply, if it has room for these entries.
    fn list(&self, ply: Ply, entries: &Range<u64>) -> Option<&List> {
        let list = match ply {
            Ply::Parents => &self.parents,
            Ply::Successors => &self.successors,
        };
        list.as_ref().filter(|list| entries.start <= entries.end && entries.end <= list.room)
    }
}

/// How many bytes of so many the buffers of the stages get.
fn stages_share(choice: &Choice, memory: u64) -> u64 {
    let asked = sizes(choice, 0).map_or(0, |sizes| buffers::bytes(&sizes, LEVELS).0);
    asked.min(choice.memory).min(memory / 2)
}

impl Session {
    /// Gets ready to merge in so many bytes.
    pub(crate) fn begin_merging(&mut self, memory: u64) -> Result<(), BackendError> {
        self.merging = None;
        let memory = memory.min(self.device_memory - self.device_memory / 32);
        let stages_memory = stages_share(&self.choice, memory);
        let sums = self.runner.gpu.buffer("sums", WEIGH_GROUPS).map_err(|failure| match failure {
            Failure::OutOfMemory => {
                let (device, doing) = (self.runner.device.clone(), "making room for positions".to_owned());
                BackendError::OutOfMemory { device, doing }
            }
            failure => self.runner.error("to make room for positions", failure),
        })?;
        let (parents, successors, places, candidates, given) = (None, None, None, None, None);
        self.merging = Some(Merging { memory, stages_memory, parents, successors, places, candidates, given, sums });
        Ok(())
    }

    /// The runner, the buffers and what merging takes, if that was begun and there are so many levels and positions.
    fn merging(&mut self, levels: usize, len: usize) -> Result<(&mut Runner, &Buffers, &mut Merging), StageError> {
        self.work(levels, len, 0)?;
        match (&mut self.runner, &self.buffers, &mut self.merging) {
            (runner, Some(buffers), Some(merging)) => Ok((runner, buffers, merging)),
            (runner, ..) => Err(unasked(&runner.device).into()),
        }
    }

    /// Candidates of one insertion, at most.
    fn most_candidates(&self) -> u64 {
        self.fitting(2).map_or(0, |sizes| sizes.positions as u64)
    }

    fn try_make_room(&mut self, entries: u64, candidates: usize) -> Result<(), Failure> {
        let Some(merging) = &mut self.merging else { return Ok(()) };
        // What there is must go before there is room for what is to come.
        (merging.successors, merging.places, merging.candidates) = (None, None, None);
        let gpu = &self.runner.gpu;
        gpu.wait()?;
        let room = entries as usize;
        // At least one place is free even if all candidates are new.
        merging.places = Some(gpu.buffer("places", 2 * room + candidates + 1)?);
        merging.candidates = Some(Candidates {
            multiplicities: gpu.buffer("multiplicities of candidates", candidates)?,
            fresh: gpu.buffer("new candidates", STATE + 2 * candidates)?,
            room: candidates,
        });
        let positions = gpu.buffer("merged positions", room)?;
        let multiplicities = gpu.buffer("multiplicities", room)?;
        merging.successors = Some(List { positions, multiplicities, room: entries });
        Ok(())
    }

    /// Puts multiplicities where the kernels find them.
    fn give(&mut self, multiplicities: &[u128]) -> Result<(), StageError> {
        let words: Vec<[u32; 4]> =
            multiplicities.iter().map(|&number| [0, 32, 64, 96].map(|shift| (number >> shift) as u32)).collect();
        let runner = &mut self.runner;
        let Some(merging) = &mut self.merging else { return Ok(()) };
        let given = match merging.given.take().filter(|given| given.len() >= words.len()) {
            Some(given) => given,
            None => {
                let made = runner.gpu.buffer("given multiplicities", words.len());
                made.map_err(|failure| runner.failed("to make room for multiplicities", failure))?
            }
        };
        runner.write("multiplicities", &given, &words)?;
        merging.given = Some(given);
        Ok(())
    }
}

impl MergeStages for Session {
    fn most_entries(&self) -> u64 {
        let Some(merging) = &self.merging else { return 0 };
        let parents = merging.parents.as_ref().map_or(0, |parents| parents.room * (POSITION + 16));
        let fixed = merging.stages_memory + parents + self.most_candidates() * CANDIDATE;
        let by_memory = merging.memory.saturating_sub(fixed) / ENTRY;
        by_memory.min(self.max_binding / POSITION).min(MOST_ENTRIES)
    }

    fn make_room(&mut self, entries: u64) -> Result<(), StageError> {
        let candidates = self.most_candidates() as usize;
        let made = self.try_make_room(entries, candidates);
        made.map_err(|failure| self.runner.failed("to make room for positions", failure))
    }

    fn descend(&mut self) {
        if let Some(merging) = &mut self.merging {
            merging.parents = merging.successors.take();
            merging.places = None;
        }
    }

    fn forget(&mut self) {
        self.merging = None;
    }

    fn load(&mut self, ply: Ply, entries: Range<u64>) -> Result<(), StageError> {
        let len = (entries.end - entries.start) as usize;
        let group = self.choice.group;
        let (runner, buffers, merging) = self.merging(1, len)?;
        let list = merging.list(ply, &entries).ok_or_else(|| unasked(&runner.device))?;
        runner.clear(&buffers.totals, len + 1);
        let scalars = Scalars { first: entries.start as u32, end: len as u32, ..Scalars::default() };
        let roots = &buffers.levels[0];
        let bound = [&list.positions.raw, &roots.positions.raw, &roots.roots.raw];
        runner.launch(Stage::Load, len, group, scalars, &bound)
    }

    fn insert(
        &mut self,
        level: usize,
        len: usize,
        origin: Origin<'_>,
        partition: Partition,
        hash_mask: u32,
    ) -> Result<(), StageError> {
        if let Origin::Given(multiplicities) = origin {
            self.give(multiplicities)?;
        }
        let group = self.choice.group;
        let (runner, buffers, merging) = self.merging(level + 1, len)?;
        let unasked = unasked(&runner.device);
        let Merging {
            parents, successors: Some(list), places: Some(places), candidates: Some(candidates), given, ..
        } = merging
        else {
            return Err(unasked.into());
        };
        let (first_root, root_multiplicities) = match origin {
            Origin::Parents(first) => (first, parents.as_ref().map(|parents| &parents.multiplicities)),
            Origin::Given(_) => (0, given.as_ref()),
        };
        let Some(root_multiplicities) = root_multiplicities.filter(|_| len <= candidates.room) else {
            return Err(unasked.into());
        };
        let here = &buffers.levels[level];
        let scalars = Scalars {
            first: first_root as u32,
            end: len as u32,
            partition_index: partition.index,
            partition_of: partition.of,
            hash_mask,
            room: list.room as u32,
            ..Scalars::default()
        };
        let insert = [
            &here.positions.raw,
            &here.roots.raw,
            &root_multiplicities.raw,
            &places.raw,
            &list.positions.raw,
            &list.multiplicities.raw,
            &candidates.multiplicities.raw,
            &candidates.fresh.raw,
        ];
        runner.launch(Stage::Insert, len, group, scalars, &insert)?;
        let append = [
            &here.positions.raw,
            &candidates.multiplicities.raw,
            &candidates.fresh.raw,
            &places.raw,
            &list.positions.raw,
            &list.multiplicities.raw,
        ];
        runner.launch(Stage::Append, len, group, scalars, &append)?;
        runner.launch(Stage::Appended, 1, 1, scalars, &[&candidates.fresh.raw])
    }

    fn inserted(&mut self) -> Result<u64, MergeError> {
        let read = self.merging(0, 0).and_then(|(runner, _, merging)| {
            let candidates = merging.candidates.as_ref().ok_or_else(|| unasked(&runner.device))?;
            runner.read("how many positions there are", &candidates.fresh, STATE)
        });
        let state = match read {
            Ok(state) => state,
            Err(StageError::Backend(error)) => return Err(error.into()),
            Err(StageError::OutOfMemory | StageError::Again) => return Err(MergeError::Full),
        };
        match (state[OVERFLOW], state[FULL]) {
            (0, 0) => Ok(state[LEN].into()),
            (0, _) => Err(MergeError::Full),
            _ => Err(MergeError::Overflow),
        }
    }

    fn weigh(&mut self, first: u64, len: usize, depth: u32) -> Result<[u32; 8], StageError> {
        let (runner, buffers, merging) = self.merging(1, len)?;
        let list = merging.list(Ply::Successors, &(first..first + len as u64));
        let list = list.ok_or_else(|| unasked(&runner.device))?;
        let scalars = Scalars { first: first as u32, end: len as u32, depth, ..Scalars::default() };
        let bound = [&list.multiplicities.raw, &buffers.levels[0].counts.raw, &buffers.totals.raw, &merging.sums.raw];
        let per_group = WEIGH_GROUP.max(len.div_ceil(WEIGH_GROUPS));
        runner.launch(Stage::Weigh, len, per_group, scalars, &bound)?;
        let sums = runner.read("the sums", &merging.sums, len.div_ceil(per_group))?;
        self.check_lost(len)?;
        Ok(wide_sum(&sums))
    }

    fn entries(&mut self, entries: Range<u64>) -> Result<Vec<(Planes32, u128)>, BackendError> {
        let (first, len) = (entries.start as usize, entries.end.saturating_sub(entries.start) as usize);
        let Self { runner, merging, .. } = self;
        let list = merging.as_ref().and_then(|merging| merging.list(Ply::Successors, &entries));
        let list = list.ok_or_else(|| unasked(&runner.device))?;
        let positions = runner.read_from("positions", &list.positions, first, len);
        let read = positions
            .and_then(|found| Ok((found, runner.read_from("multiplicities", &list.multiplicities, first, len)?)));
        match read {
            Ok((positions, multiplicities)) => {
                Ok(positions.into_iter().zip(multiplicities.iter().map(number)).collect())
            }
            Err(StageError::Backend(error)) => Err(error),
            Err(StageError::OutOfMemory | StageError::Again) => {
                let device = runner.device.clone();
                Err(BackendError::OutOfMemory { device, doing: "giving back positions".to_owned() })
            }
        }
    }
}

/// The error that can only come of a mistake in this crate.
fn unasked(device: &str) -> BackendError {
    let reason = "it was asked for positions that it does not have.".to_owned();
    BackendError::WrongAnswer { device: device.to_owned(), reason }
}

/// Four words as a number, the lowest first.
fn number(words: &[u32; 4]) -> u128 {
    words.iter().rev().fold(0, |number, &word| number << 32 | u128::from(word))
}

/// The sum of numbers of 256 bits, modulo 2^256, each in eight words, the lowest first.
fn wide_sum(numbers: &[[u32; 8]]) -> [u32; 8] {
    let mut sum = [0_u32; 8];
    for number in numbers {
        let mut carry = 0;
        for (word, &more) in sum.iter_mut().zip(number) {
            let added = u64::from(*word) + u64::from(more) + carry;
            *word = added as u32;
            carry = added >> 32;
        }
    }
    sum
}
