//! Merging equal positions on a device: its lists and tables, and the kernels that fill them.

use std::ops::Range;

use kogge_board::breadth_first::{MergeStages, Origin, Ply, StageError};
use kogge_board::merge::{MergeError, Partition};
use kogge_board::{BackendError, Planes32};

use crate::buffers::{self, Buffers, sizes};
use crate::kernels::{Stage, WEIGH_GROUPS};
use crate::options::{Choice, Positions};
use crate::runner::Runner;
use crate::runtime::Argument::{Buffer as Memory, Uint};
use crate::runtime::{Buffer, Failure, Packed};
use crate::stages::Session;

/// Levels that there is room for whatever the lists take: leaves are mostly counted two or three plies below.
const LEVELS: usize = 4;

/// Bytes of a multiplicity and of two places in the table. With two places for each entry, a search looks at less than
/// two places on average.
const MULTIPLICITY_AND_PLACES: u64 = 16 + 2 * 4;

/// Bytes that each candidate takes besides its position: its multiplicity, its place in the table, what it needs when it
/// is new, and a place more in the table, which must not be full before the list is.
const CANDIDATE: u64 = 16 + 4 + 4 + 4;

/// Entries are numbered with 31 bits, and the table has fewer than 2^32 places.
const MOST_ENTRIES: u64 = (1 << 31) - (1 << 24);

/// What a kernel and the host tell each other of the list.
const LEN: usize = 0;
const FULL: usize = 2;
const OVERFLOW: usize = 3;

/// The entries of a ply.
struct List {
    positions: Buffer<Packed>,
    multiplicities: Buffer<[u32; 4]>,
    room: u64,
}

impl List {
    fn bytes(&self) -> u64 {
        (self.positions.len() * size_of::<Packed>() + self.multiplicities.len() * 16) as u64
    }
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

/// What candidates need besides their positions.
struct Candidates {
    multiplicities: Buffer<[u32; 4]>,
    /// The new ones, and the places that they have taken.
    fresh: Buffer<u32>,
    fresh_places: Buffer<u32>,
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
    /// The list's length, and what went wrong.
    state: Buffer<u32>,
    sums: Buffer<[u64; 4]>,
}

/// How many bytes of so many the buffers of the stages get.
fn stages_share(choice: &Choice, table: &[[u64; 2]], memory: u64) -> u64 {
    let asked = sizes(choice, 0).map_or(0, |sizes| buffers::bytes(&sizes, LEVELS, choice.position_form, table).0);
    asked.min(choice.memory).min(memory / 2)
}

/// A position as the kernels keep it, in the form of 32 bytes.
fn planes_of(form: Positions, packed: &[Packed]) -> Planes32 {
    let words: Vec<u64> = packed.iter().flat_map(|packed| packed.words()).collect();
    match (form, &words[..]) {
        (Positions::Planes32, &[bit1, bit2, bit4, own]) => Planes32 { codes: [bit1, bit2, bit4], own },
        (Positions::Boards48, &[own, pawns, knights, bishops_queens, rooks_queens, kings]) => {
            let may_castle = pawns & 0xff00_0000_0000_00ff;
            let bit1 = pawns | bishops_queens;
            let bit2 = knights | bishops_queens & !rooks_queens | kings | may_castle;
            Planes32 { codes: [bit1, bit2, rooks_queens | kings], own }
        }
        _ => Planes32::default(),
    }
}

impl Session {
    /// Gets ready to merge in so many bytes.
    pub(crate) fn begin_merging(&mut self, memory: u64) -> Result<(), BackendError> {
        self.merging = None;
        let memory = memory.min(self.device_memory - self.device_memory / 32);
        let stages_memory = stages_share(&self.choice, &self.table, memory);
        let queue = &self.runner.queue;
        let buffers = queue.buffer(4).and_then(|state| Ok((state, queue.buffer(WEIGH_GROUPS)?)));
        let (state, sums) = buffers.map_err(|failure| self.no_room(failure))?;
        let (parents, successors, places, candidates, given) = (None, None, None, None, None);
        self.merging =
            Some(Merging { memory, stages_memory, parents, successors, places, candidates, given, state, sums });
        Ok(())
    }

    pub(crate) fn no_room(&self, failure: Failure) -> BackendError {
        let (device, doing) = (self.runner.device.clone(), "making room for positions".to_owned());
        if failure.is_out_of_memory() {
            BackendError::OutOfMemory { device, doing }
        } else {
            BackendError::Device { device, doing, reason: failure.to_string() }
        }
    }

    /// The runner, the buffers and what merging takes, if that was begun and there are so many levels and positions.
    fn merging(&mut self, levels: usize, len: usize) -> Result<(&mut Runner, &Buffers, &mut Merging), StageError> {
        self.work(levels, len, 0)?;
        let device = self.runner.device.clone();
        match (&mut self.runner, &self.buffers, &mut self.merging) {
            (runner, Some(buffers), Some(merging)) => Ok((runner, buffers, merging)),
            _ => Err(unasked(&device).into()),
        }
    }

    /// Candidates of one insertion, at most.
    fn most_candidates(&self) -> u64 {
        self.fitting(2).map_or(0, |sizes| sizes.positions as u64)
    }

    fn try_make_room(&mut self, entries: u64, candidates: u64) -> Result<(), Failure> {
        let words = self.choice.position_form.bytes() / size_of::<Packed>();
        let queue = &self.runner.queue;
        let Some(merging) = &mut self.merging else { return Ok(()) };
        (merging.successors, merging.places, merging.candidates) = (None, None, None);
        queue.clear(&merging.state, merging.state.len())?;
        // At least one place is free even if all candidates are new.
        merging.places = Some(queue.large_buffer((2 * entries + candidates + 1) as usize)?);
        merging.candidates = Some(Candidates {
            multiplicities: queue.buffer(candidates as usize)?,
            fresh: queue.buffer(candidates as usize)?,
            fresh_places: queue.buffer(candidates as usize)?,
        });
        let positions = queue.large_buffer(entries as usize * words)?;
        let multiplicities = queue.large_buffer(entries as usize)?;
        merging.successors = Some(List { positions, multiplicities, room: entries });
        Ok(())
    }

    /// Puts multiplicities where the kernels find them.
    fn give(&mut self, multiplicities: &[u128]) -> Result<(), StageError> {
        let words: Vec<[u32; 4]> =
            multiplicities.iter().map(|&number| [0, 32, 64, 96].map(|shift| (number >> shift) as u32)).collect();
        let runner = &self.runner;
        let Some(merging) = &mut self.merging else { return Ok(()) };
        let given = match merging.given.take().filter(|given| given.len() >= words.len()) {
            Some(given) => given,
            None => runner.queue.buffer(words.len()).map_err(|failure| match failure.is_out_of_memory() {
                true => StageError::OutOfMemory,
                false => runner.failed("to make room for multiplicities", failure),
            })?,
        };
        runner.write("multiplicities", &given, &words)?;
        merging.given = Some(given);
        Ok(())
    }
}

impl MergeStages for Session {
    fn most_entries(&self) -> u64 {
        let Some(merging) = &self.merging else { return 0 };
        let form = self.choice.position_form.bytes() as u64;
        let parents = merging.parents.as_ref().map_or(0, List::bytes);
        let fixed = merging.stages_memory + parents + self.most_candidates() * CANDIDATE;
        let by_memory = merging.memory.saturating_sub(fixed) / (form + MULTIPLICITY_AND_PLACES);
        by_memory.min(self.max_allocation / form).min(MOST_ENTRIES)
    }

    fn make_room(&mut self, entries: u64) -> Result<(), StageError> {
        let candidates = self.most_candidates();
        self.try_make_room(entries, candidates).map_err(|failure| match failure.is_out_of_memory() {
            true => StageError::OutOfMemory,
            false => self.runner.failed("to make room for positions", failure),
        })?;
        if let Some(Merging { places: Some(places), .. }) = &self.merging {
            let len = places.len();
            // SAFETY: there are so many places.
            unsafe { self.runner.launch(Stage::Vacate, len, &[Memory(places), Uint(len as u32)])? };
        }
        Ok(())
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
        let (runner, buffers, merging) = self.merging(1, len)?;
        let list = merging.list(ply, &entries).ok_or_else(|| unasked(&runner.device))?;
        runner.clear("the totals", &buffers.totals, len)?;
        let arguments = [
            Memory(&list.positions),
            Uint(entries.start as u32),
            Uint(len as u32),
            Memory(&buffers.levels[0].positions),
            Memory(&buffers.levels[0].roots),
        ];
        // SAFETY: the list has these entries, and the level has room for so many.
        unsafe { runner.launch(Stage::Load, len, &arguments) }
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
        let (runner, buffers, merging) = self.merging(level + 1, len)?;
        let unasked = || unasked(&runner.device);
        let Merging {
            parents,
            successors: Some(list),
            places: Some(places),
            candidates: Some(candidates),
            given,
            state,
            ..
        } = merging
        else {
            return Err(unasked().into());
        };
        let (first_root, root_multiplicities) = match origin {
            Origin::Parents(first) => (first, parents.as_ref().map(|parents| &parents.multiplicities)),
            Origin::Given(_) => (0, given.as_ref()),
        };
        let root_multiplicities = root_multiplicities.ok_or_else(unasked)?;
        if len > candidates.multiplicities.len() {
            return Err(unasked().into());
        }
        let here = &buffers.levels[level];
        let room = Uint(list.room as u32);
        let insert = [
            Memory(&here.positions),
            Memory(&here.roots),
            Memory(root_multiplicities),
            Uint(first_root as u32),
            Uint(len as u32),
            Uint(partition.index),
            Uint(partition.of),
            Uint(hash_mask),
            Memory(places),
            Uint(places.len() as u32),
            Memory(&list.positions),
            Memory(&list.multiplicities),
            Memory(&candidates.multiplicities),
            Memory(&candidates.fresh),
            Memory(&candidates.fresh_places),
            Memory(&*state),
        ];
        // SAFETY: there are so many candidates, whose roots have multiplicities; the table has more places than the list
        // has room and there are candidates, so that each search ends, and a place holds nothing but a candidate of this
        // launch or an entry of the list.
        unsafe { runner.launch(Stage::Insert, len, &insert)? };
        let append = [
            Memory(&here.positions),
            Memory(&candidates.multiplicities),
            Memory(&candidates.fresh),
            Memory(&candidates.fresh_places),
            Memory(&*state),
            room,
            Memory(places),
            Memory(&list.positions),
            Memory(&list.multiplicities),
        ];
        // SAFETY: no more candidates are new than there are, and the kernel heeds the list's room.
        unsafe { runner.launch(Stage::Append, len, &append)? };
        // SAFETY: the kernel uses the four words of the state alone.
        unsafe { runner.launch(Stage::Appended, 1, &[room, Memory(&*state)]) }
    }

    fn inserted(&mut self) -> Result<u64, MergeError> {
        let read = self.merging(0, 0).and_then(|(runner, _, merging)| {
            runner.read("how many positions there are", &merging.state, merging.state.len())
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
        let group = self.choice.group;
        let (runner, buffers, merging) = self.merging(1, len)?;
        let entries = first..first + len as u64;
        let list = merging.list(Ply::Successors, &entries).ok_or_else(|| unasked(&runner.device))?;
        let arguments = [
            Memory(&list.multiplicities),
            Uint(first as u32),
            Uint(len as u32),
            Uint(depth),
            Memory(&buffers.levels[0].counts),
            Memory(&buffers.totals),
            Memory(&merging.sums),
        ];
        // SAFETY: the list has these entries, and level 0 and the totals so many roots; there is a sum for each group.
        unsafe { runner.launch(Stage::Weigh, len, &arguments)? };
        runner.clear("the totals", &buffers.totals, len)?;
        let sums = runner.read("the sums", &merging.sums, len.div_ceil(group).min(WEIGH_GROUPS))?;
        self.check_lost()?;
        Ok(wide_sum(&sums))
    }

    fn entries(&mut self, entries: Range<u64>) -> Result<Vec<(Planes32, u128)>, BackendError> {
        let form = self.choice.position_form;
        let words = form.bytes() / size_of::<Packed>();
        let (first, len) = (entries.start as usize, entries.end.saturating_sub(entries.start) as usize);
        let read = || {
            let device = &self.runner.device;
            let list = self.merging.as_ref().and_then(|merging| merging.list(Ply::Successors, &entries));
            let list = list.ok_or_else(|| unasked(device))?;
            let runner = &self.runner;
            let positions = runner.read_from("positions", &list.positions, first * words, len * words)?;
            Ok((positions, runner.read_from("multiplicities", &list.multiplicities, first, len)?))
        };
        match read() {
            Ok((positions, multiplicities)) => {
                let planes = positions.chunks(words).map(|packed| planes_of(form, packed));
                Ok(planes.zip(multiplicities.iter().map(number)).collect())
            }
            Err(StageError::Backend(error)) => Err(error),
            Err(StageError::OutOfMemory | StageError::Again) => {
                let device = self.runner.device.clone();
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

/// The sum of numbers of 256 bits, each in four words, in eight words of half the size, the lowest first.
fn wide_sum(numbers: &[[u64; 4]]) -> [u32; 8] {
    let mut sum = [0_u32; 8];
    for number in numbers {
        let mut carry = 0;
        for (index, word) in sum.iter_mut().enumerate() {
            let added = u64::from(*word) + (number[index / 2] >> (32 * (index % 2)) & 0xffff_ffff) + carry;
            *word = added as u32;
            carry = added >> 32;
        }
    }
    sum
}
