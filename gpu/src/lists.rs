//! The lists of merged positions in device memory, and the kernels that fill and read them.

use std::ops::Range;

use kogge_board::merge::{MergeError, Partition};
use kogge_board::{BackendError, Planes32};

use crate::arguments::{Append, Insert, LoadEntries, NoteAppended, WeightedSums};
use crate::buffer::Buffer;
use crate::interface::{Failure, Interface};
use crate::kernels::Part;
use crate::levels::{Buffers, Sizes};
use crate::runner::{Halt, Runner};
use crate::session::Session;
use crate::settings::{HostSettings, WEIGHTED_SUMS_GROUPS, weighted_sums_groups};
use crate::variants::planes_of;

/// The number of levels that always fit. Leaves are mostly counted two or three plies below a merged ply.
pub(crate) const LEVELS: usize = 4;

/// Bytes of a multiplicity and of two slots. With two slots for each entry, a search looks at fewer than two slots on
/// average.
const MULTIPLICITY_AND_SLOTS: u64 = 16 + 2 * 4;

/// Bytes of a candidate besides its position: its multiplicity, its element of `fresh`, and another slot in the table.
const CANDIDATE: u64 = 16 + 8 + 4;

/// The maximum number of entries. Their numbers have 31 bits; the first and the last number have other meanings.
const MOST_ENTRIES: u64 = (1 << 31) - 2;

/// The number of entries in the self-test of sums: several for each work-item of a group, and several groups.
const SELF_TEST_ENTRIES: usize = 3000;

/// Bytes for the self-test's lists, far more than they need.
const SELF_TEST_MEMORY: u64 = 1 << 28;

/// The words of `merge_state`.
const LEN: usize = 0;
const FULL: usize = 2;
const OVERFLOW: usize = 3;
const STATE: usize = 4;

/// One of the two plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ply {
    Parents,
    Successors,
}

/// Where the multiplicities of candidates come from.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'a> {
    /// The candidates are successors of the parents that were loaded last, beginning with this parent.
    Parents(u64),
    /// The candidates are the roots themselves, with these multiplicities.
    Given(&'a [u128]),
}

/// The entries of a ply.
struct List<I: Interface> {
    positions: Buffer<I, Part>,
    multiplicities: Buffer<I, [u32; 4]>,
    room: u64,
}

/// The hash table, and the data of the candidates besides their positions.
struct Table<I: Interface> {
    slots: Buffer<I, u32>,
    candidate_multiplicities: Buffer<I, [u32; 4]>,
    fresh: Buffer<I, [u32; 2]>,
}

/// The lists of both plies, and all memory of a merge.
pub(crate) struct Lists<I: Interface> {
    /// Bytes that the merge may use.
    memory: u64,
    /// Bytes of the levels' buffers.
    levels_memory: u64,
    parents: Option<List<I>>,
    successors: Option<List<I>>,
    table: Option<Table<I>>,
    /// Multiplicities of positions from the host.
    given: Option<Buffer<I, [u32; 4]>>,
    state: Buffer<I, u32>,
    sums: Buffer<I, [u32; 8]>,
}

impl<I: Interface> Lists<I> {
    /// Returns the list of a ply, if it has room for these entries.
    fn list(&self, ply: Ply, entries: &Range<u64>) -> Option<&List<I>> {
        let list = match ply {
            Ply::Parents => &self.parents,
            Ply::Successors => &self.successors,
        };
        list.as_ref().filter(|list| entries.start <= entries.end && entries.end <= list.room)
    }

    /// Frees the successors and makes room for `entries` new ones.
    pub(crate) async fn make_room(&mut self, session: &mut Session<I>, entries: u64) -> Result<(), Halt> {
        let candidates = session.fitting(2)?.positions;
        let runner = &mut session.runner;
        (self.successors, self.table) = (None, None);
        let (room, parts) = (entries as usize, runner.settings.form.parts());
        let interface = &mut runner.interface;
        let made = async {
            interface.finish().await?;
            // At least one slot is free even if all candidates are fresh.
            let slots = Buffer::new(interface, "slots", 2 * room + candidates + 1).await?;
            let candidate_multiplicities = Buffer::new(interface, "candidate_multiplicities", candidates).await?;
            let fresh = Buffer::new(interface, "fresh", candidates).await?;
            let positions = Buffer::new(interface, "entries", room * parts).await?;
            let multiplicities = Buffer::new(interface, "multiplicities", room).await?;
            let table = Table { slots, candidate_multiplicities, fresh };
            Ok((table, List { positions, multiplicities, room: entries }))
        };
        let (table, list) = made.await.map_err(|failure| runner.halt("to make room for positions", failure))?;
        runner.clear("the hash table", &table.slots, table.slots.len())?;
        let candidates = &table.candidate_multiplicities;
        runner.clear("the multiplicities of candidates", candidates, candidates.len())?;
        runner.clear("the state of the list", &self.state, STATE)?;
        (self.successors, self.table) = (Some(list), Some(table));
        Ok(())
    }

    /// Writes multiplicities from the host.
    async fn give(&mut self, runner: &mut Runner<I>, multiplicities: &[u128]) -> Result<(), Halt> {
        let words: Vec<[u32; 4]> = multiplicities.iter().map(words).collect();
        let given = match self.given.take().filter(|given| given.len() >= words.len()) {
            Some(given) => given,
            None => Buffer::new(&mut runner.interface, "root_multiplicities", words.len())
                .await
                .map_err(|failure| runner.halt("to make room for multiplicities", failure))?,
        };
        runner.write("multiplicities", &given, &words)?;
        self.given = Some(given);
        Ok(())
    }

    /// Makes the successors the parents, and frees the former parents and the hash table.
    pub(crate) fn descend(&mut self) {
        self.parents = self.successors.take();
        self.table = None;
    }

    /// Begins a merge in `memory` bytes, without entries.
    pub(crate) async fn new(session: &mut Session<I>, memory: u64) -> Result<Self, BackendError> {
        let Session { runner, buffers, sizes, .. } = &mut *session;
        let device_memory = runner.settings.device_memory;
        let memory = memory.min(device_memory - device_memory / 32);
        let levels_memory = levels_share(&runner.settings, memory);
        // The levels of earlier counts are freed, unless they fit in their share.
        let bytes = |buffers: &Buffers<I>| sizes.bytes(buffers.levels.len(), &runner.settings).0;
        if buffers.as_ref().is_some_and(|buffers| bytes(buffers) > levels_memory) {
            *buffers = None;
        }
        let interface = &mut runner.interface;
        let made = async {
            let state = Buffer::new(interface, "merge_state", STATE).await?;
            Ok((state, Buffer::new(interface, "sums", WEIGHTED_SUMS_GROUPS).await?))
        };
        let (state, sums) = made.await.map_err(|failure| runner.error("to make room for positions", failure))?;
        let (parents, successors, table, given) = (None, None, None, None);
        session.merge_memory = Some(levels_memory);
        Ok(Self { memory, levels_memory, parents, successors, table, given, state, sums })
    }

    /// Returns the maximum number of successors that fit beside the parents.
    pub(crate) fn most_entries(&self, session: &Session<I>) -> u64 {
        let form = session.runner.settings.form.bytes() as u64;
        let candidates = session.fitting(2).map_or(0, |sizes| sizes.positions as u64);
        let parents =
            self.parents.as_ref().map_or(0, |parents| parents.positions.bytes() + parents.multiplicities.bytes());
        let fixed = self.levels_memory + parents + candidates * CANDIDATE;
        let by_memory = self.memory.saturating_sub(fixed) / (form + MULTIPLICITY_AND_SLOTS);
        // Slots are numbered with 32 bits.
        let by_slots = (u64::from(u32::MAX) - 1).saturating_sub(candidates) / 2;
        by_memory.min(session.runner.settings.max_buffer / form).min(by_slots).min(MOST_ENTRIES)
    }

    /// Loads entries into level 0, each a root of its own, and clears all totals.
    pub(crate) async fn load(&self, session: &mut Session<I>, ply: Ply, entries: Range<u64>) -> Result<(), Halt> {
        let len = (entries.end - entries.start) as usize;
        let (runner, buffers) = session.work(1, len, 0)?;
        let list = self.list(ply, &entries).ok_or_else(|| runner.unasked())?;
        runner.clear("the totals", &buffers.totals, len + 1)?;
        let arguments = LoadEntries {
            entries: &list.positions,
            successors: &buffers.levels[0].positions,
            successor_roots: &buffers.levels[0].roots,
            first: entries.start as u32,
            end: len as u32,
        };
        // SAFETY: the list has these entries, and the level has room for as many.
        unsafe { runner.launch(len, arguments) }.await
    }

    /// Adds some of the first `len` positions of a level to the successors: the positions of the partition. Each has
    /// the multiplicity of its root. The table uses only these bits of the hash to find a slot.
    pub(crate) async fn insert(
        &mut self,
        session: &mut Session<I>,
        level: usize,
        len: usize,
        origin: Origin<'_>,
        partition: Partition,
        hash_mask: u32,
    ) -> Result<(), Halt> {
        let (runner, buffers) = session.work(level + 1, len, 0)?;
        if let Origin::Given(multiplicities) = origin {
            self.give(runner, multiplicities).await?;
        }
        let Self { parents, successors: Some(list), table: Some(table), given, state, .. } = self else {
            return Err(runner.unasked());
        };
        let (first, root_multiplicities) = match origin {
            Origin::Parents(first) => (first, parents.as_ref().map(|parents| &parents.multiplicities)),
            Origin::Given(_) => (0, given.as_ref()),
        };
        let Some(root_multiplicities) = root_multiplicities.filter(|_| len <= table.fresh.len()) else {
            return Err(runner.unasked());
        };
        let (candidates, room) = (&buffers.levels[level], list.room as u32);
        let Table { slots, candidate_multiplicities, fresh } = table;
        let insert = Insert {
            positions: &candidates.positions,
            roots: &candidates.roots,
            root_multiplicities,
            slots,
            entries: &list.positions,
            multiplicities: &list.multiplicities,
            candidate_multiplicities,
            fresh,
            merge_state: state,
            first: first as u32,
            end: len as u32,
            partition_index: partition.index,
            partition_of: partition.of,
            hash_mask,
            slot_count: slots.len() as u32,
        };
        // SAFETY: there are as many candidates, whose roots have multiplicities. A slot holds a candidate of this launch or
        // an entry of the list, since `append` frees the slots of candidates that did not fit.
        unsafe { runner.launch(len, insert) }.await?;
        let append = Append {
            positions: &candidates.positions,
            candidate_multiplicities,
            fresh,
            slots,
            successors: &list.positions,
            multiplicities: &list.multiplicities,
            merge_state: state,
            room,
        };
        // SAFETY: only candidates are fresh, and the kernel writes no more entries than the list has room for.
        unsafe { runner.launch(len, append) }.await?;
        // SAFETY: the kernel accesses only the words of the state.
        unsafe { runner.launch(1, NoteAppended { merge_state: state, room }) }.await
    }

    /// Waits for all insertions and returns the number of successors.
    pub(crate) async fn inserted(&self, session: &mut Session<I>) -> Result<u64, MergeError> {
        let state = match session.runner.read("the number of positions", &self.state, 0, STATE).await {
            Ok(state) => state,
            Err(Halt::Error(error)) => return Err(error.into()),
            Err(Halt::OutOfMemory | Halt::Overflow) => return Err(MergeError::Full),
        };
        match (state[OVERFLOW], state[FULL]) {
            (0, 0) => Ok(state[LEN].into()),
            (0, _) => Err(MergeError::Full),
            _ => Err(MergeError::Overflow),
        }
    }

    /// Sums the leaves of the first `len` roots, weighted by the multiplicities of the successors from `first` on, and
    /// clears the totals. Returns `None` if the sum does not fit in 128 bits.
    pub(crate) async fn weighted_sum(
        &self,
        session: &mut Session<I>,
        first: u64,
        len: usize,
        depth: u32,
    ) -> Result<Option<u128>, Halt> {
        self.clear_sums(session)?;
        self.add_weighted(session, Ply::Successors, first, len, depth).await?;
        let sum = self.sum(session, weighted_sums_groups(len)).await?;
        if depth > 1 {
            let (runner, buffers) = session.work(1, len, 0)?;
            let header = runner.read("the overflow", &buffers.totals, 0, 1).await?;
            runner.clear("the totals", &buffers.totals, len + 1)?;
            session.check_overflow(header.first())?;
        }
        Ok(low_half(sum))
    }

    /// Sets all sums to zero.
    pub(crate) fn clear_sums(&self, session: &mut Session<I>) -> Result<(), Halt> {
        session.runner.clear("the sums", &self.sums, self.sums.len())
    }

    /// Adds to the sums the leaves of the first `len` roots, weighted by the multiplicities of a ply from `first` on. A root
    /// has one leaf at depth 0, its count of level 0 at depth 1, and its total at other depths.
    pub(crate) async fn add_weighted(
        &self,
        session: &mut Session<I>,
        ply: Ply,
        first: u64,
        len: usize,
        depth: u32,
    ) -> Result<(), Halt> {
        let (runner, buffers) = session.work(1, if depth > 0 { len } else { 0 }, 0)?;
        let list = self.list(ply, &(first..first + len as u64)).ok_or_else(|| runner.unasked())?;
        let arguments = WeightedSums {
            root_multiplicities: &list.multiplicities,
            counts: &buffers.levels[0].counts,
            known_totals: &buffers.totals,
            sums: &self.sums,
            first: first as u32,
            end: len as u32,
            depth,
        };
        // SAFETY: the list has these entries; level 0 and the totals have as many roots, or are not read at depth 0; each
        // group has a sum.
        unsafe { runner.launch(len, arguments) }.await
    }

    /// Returns the sum of the first `groups` sums, in 256 bits.
    async fn sum(&self, session: &mut Session<I>, groups: usize) -> Result<[u32; 8], Halt> {
        Ok(wide_sum(session.runner.read("the sums", &self.sums, 0, groups).await?))
    }

    /// Returns the sum of all sums, or `None` if it does not fit in 128 bits.
    pub(crate) async fn sum_of_sums(&self, session: &mut Session<I>) -> Result<Option<u128>, Halt> {
        Ok(low_half(self.sum(session, self.sums.len()).await?))
    }

    /// Checks the kernel `weighted_sums` with multiplicities and leaves of all sizes, which counts would take too long to
    /// reach.
    ///
    /// # Errors
    /// [`BackendError::WrongAnswer`] if a sum is wrong, or if the device fails.
    pub(crate) async fn self_test(session: &mut Session<I>) -> Result<(), BackendError> {
        let tested = async {
            session.prepare(2).await?;
            let mut lists = Self::new(session, SELF_TEST_MEMORY).await?;
            session.prepare(2).await?;
            let entries = SELF_TEST_ENTRIES.min(session.sizes.roots);
            lists.make_room(session, entries as u64).await?;
            lists.check_sums(session, entries).await
        };
        let tested = tested.await;
        session.merge_memory = None;
        tested.map_err(|halt| match halt {
            Halt::Error(error) => error,
            Halt::OutOfMemory | Halt::Overflow => {
                session.runner.error("testing its sums of leaves", Failure::OutOfMemory)
            }
        })
    }

    async fn check_sums(&self, session: &mut Session<I>, entries: usize) -> Result<(), Halt> {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random
        };
        let multiplicities: Vec<u128> =
            (0..entries).map(|_| (u128::from(next()) << 64 | u128::from(next())) >> (next() % 128)).collect();
        let totals: Vec<u64> = (0..entries).map(|_| next() >> (next() % 64)).collect();
        let counts: Vec<u32> = (0..entries).map(|_| next() as u32).collect();
        let (runner, buffers) = session.work(1, entries, 0)?;
        let list = self.successors.as_ref().ok_or_else(|| runner.unasked())?;
        runner.write("multiplicities", &list.multiplicities, &multiplicities.iter().map(words).collect::<Vec<_>>())?;
        let halves = totals.iter().map(|&total| [total as u32, (total >> 32) as u32]);
        runner.write("totals", &buffers.totals, &[[0, 0]].into_iter().chain(halves).collect::<Vec<_>>())?;
        runner.write("counts", &buffers.levels[0].counts, &counts)?;
        for depth in 0..=2 {
            let leaves = |index: usize| match depth {
                0 => 1,
                1 => counts[index].into(),
                _ => totals[index],
            };
            // One sum leaves out the first entry, so that sums begin elsewhere too.
            for first in 0..2 {
                let weighted = multiplicities[first..].iter().enumerate();
                let expected = wide_sum(weighted.map(|(root, &multiplicity)| product(multiplicity, leaves(root))));
                let len = entries - first;
                self.clear_sums(session)?;
                // Sums are added to earlier sums.
                self.add_weighted(session, Ply::Successors, first as u64, len, depth).await?;
                let once = self.sum(session, self.sums.len()).await?;
                self.add_weighted(session, Ply::Successors, first as u64, len, depth).await?;
                let twice = self.sum(session, self.sums.len()).await?;
                if once != expected || twice != wide_sum([expected; 2]) {
                    let reason =
                        format!("it summed {len} products of multiplicities and leaves wrong at depth {depth}.");
                    return Err(session.runner.wrong(reason));
                }
            }
        }
        Ok(())
    }

    /// Reads some successors.
    pub(crate) async fn read(
        &self,
        session: &mut Session<I>,
        entries: Range<u64>,
    ) -> Result<Vec<(Planes32, u128)>, BackendError> {
        let runner = &mut session.runner;
        let (form, parts) = (runner.settings.form, runner.settings.form.parts());
        let (first, len) = (entries.start as usize, entries.end.saturating_sub(entries.start) as usize);
        let read = async {
            let list = self.list(Ply::Successors, &entries).ok_or_else(|| runner.unasked())?;
            let positions = runner.read("positions", &list.positions, first * parts, len * parts).await?;
            Ok((positions, runner.read("multiplicities", &list.multiplicities, first, len).await?))
        };
        match read.await {
            Ok((positions, multiplicities)) => {
                let planes = positions.chunks(parts).map(|parts| planes_of(form, parts));
                Ok(planes.zip(multiplicities.iter().map(number)).collect())
            }
            Err(Halt::Error(error)) => Err(error),
            Err(Halt::OutOfMemory | Halt::Overflow) => {
                let device = runner.device.clone();
                Err(BackendError::OutOfMemory { device, doing: "giving back positions".to_owned() })
            }
        }
    }
}

/// Returns the bytes of the levels' buffers in a merge of `memory` bytes.
fn levels_share(settings: &HostSettings, memory: u64) -> u64 {
    let asked = Sizes::halved(settings, 0).map_or(0, |sizes| sizes.bytes(LEVELS, settings).0);
    asked.min(settings.memory).min(memory / 2)
}

/// Returns four words, the lowest first, as a number.
fn number(words: &[u32; 4]) -> u128 {
    words.iter().rev().fold(0, |number, &word| number << 32 | u128::from(word))
}

/// Returns a number as four words, the lowest first.
fn words(number: &u128) -> [u32; 4] {
    [0, 32, 64, 96].map(|shift| (number >> shift) as u32)
}

/// Sums numbers of eight words, the lowest first, modulo 2^256.
fn wide_sum(numbers: impl IntoIterator<Item = [u32; 8]>) -> [u32; 8] {
    let mut sum = [0_u32; 8];
    for number in numbers {
        let mut carry = 0;
        for (word, more) in sum.iter_mut().zip(number) {
            let added = u64::from(*word) + u64::from(more) + carry;
            *word = added as u32;
            carry = added >> 32;
        }
    }
    sum
}

/// Returns the product of two numbers in eight words, the lowest first.
fn product(multiplicity: u128, leaves: u64) -> [u32; 8] {
    let mut product = [0; 8];
    let (mut carry, leaves) = (0, u128::from(leaves));
    for (index, word) in words(&multiplicity).into_iter().enumerate() {
        let sum = u128::from(word) * leaves + carry;
        product[index] = sum as u32;
        carry = sum >> 32;
    }
    product[4..].copy_from_slice(&words(&carry));
    product
}

/// Returns eight words as a number, if it fits in 128 bits.
fn low_half(words: [u32; 8]) -> Option<u128> {
    let [low @ .., _, _, _, _] = words;
    (words[4..] == [0; 4]).then(|| number(&low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_sums_carry_into_every_word() {
        assert_eq!(product(u128::MAX, u64::MAX), [1, 0, u32::MAX, u32::MAX, u32::MAX - 1, u32::MAX, 0, 0]);
        assert_eq!(product(3 << 96, 1 << 63), [0, 0, 0, 0, 0x8000_0000, 1, 0, 0]);
        assert_eq!(wide_sum([[u32::MAX; 8], product(1, 1)]), [0; 8]);
        assert_eq!(low_half(product(u128::MAX, 1)), Some(u128::MAX));
        assert_eq!(low_half(product(1 << 127, 2)), None);
    }
}
