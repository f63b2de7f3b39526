//! The positions of a ply, in tables that only one thread at a time fills.

use std::collections::TryReserveError;
use std::hint::black_box;
use std::ops::Range;

use kogge_board::Color;
use kogge_board::merge::MergeError;
use rayon::prelude::*;

use super::ranges::{Key, Ranges};

/// The most tables of a ply.
const MOST_SHARDS: u64 = 1 << 14;

/// The positions of a table that fits in a core's cache.
const SHARD: u64 = 1 << 15;

/// The least number of positions for each table, to keep more threads busy.
const LEAST_SHARD: u64 = 1 << 11;

/// Candidates whose slots and positions are read together, before they are inserted.
const TOUCHED: usize = 16;

/// Parents that are looked at for each range when the ranges are chosen.
const SAMPLES: usize = 32;

/// The bytes of a position in a table with its share of the slots, plus an eighth of spare room.
pub(crate) const ENTRY_BYTES: u64 = 51;

/// The additional bytes of a position if multiplicities exceed 64 bits.
pub(crate) const HIGH_BYTES: u64 = 8;

/// The distribution of a ply's positions over tables: one for each range of pawns.
#[derive(Clone, Debug)]
pub(crate) struct Sharing {
    /// The bits of the hashes that are used.
    mask: u64,
    pub(crate) ranges: Ranges,
    /// The number of positions that a table is expected to hold.
    expected: usize,
}

impl Sharing {
    /// One range of all positions; `hash_bits` as in [`kogge_board::merge::MergeOptions`].
    pub(crate) fn new(hash_bits: u32) -> Self {
        let half = if hash_bits >= 32 { !0 } else { (1_u64 << hash_bits) - 1 };
        let mask = half << 32 | half & 0xffff_ffff;
        Self { mask, ranges: Ranges::default(), expected: 0 }
    }

    /// Returns the number of tables for this many positions that this many threads fill.
    pub(crate) fn shards_for(positions: u64, threads: usize) -> usize {
        let busy = (positions / LEAST_SHARD).min(8 * threads as u64);
        (positions / SHARD).max(busy).clamp(1, MOST_SHARDS) as usize
    }

    /// Prepares the tables for this many positions in all.
    pub(crate) fn expect(&mut self, positions: u64) {
        self.expected = (positions / self.ranges.len() as u64) as usize + 16;
    }

    /// Returns the key of a position, and the hash that finds its slot.
    #[inline(always)]
    pub(crate) fn of(&self, position: &[u64; 4]) -> (Key, u32) {
        let hash = self.hash(position);
        (Key::of(position, hash as u32), (hash >> 32) as u32)
    }

    /// Returns the number of a position's table, and the hash that finds its slot.
    pub(crate) fn find(&self, position: &[u64; 4]) -> (usize, u32) {
        let (key, hash) = self.of(position);
        (self.ranges.find(key), hash)
    }

    /// Returns the table of most successors of a parent.
    fn of_successors(&self, parent: &[u64; 4]) -> usize {
        self.ranges.find_for_successors_of(parent, || self.hash(parent) as u32)
    }

    /// Returns the hash of a position's slot, in the upper half, and the hash that orders positions with the same pawns.
    #[inline(always)]
    fn hash(&self, &[a, b, c, own]: &[u64; 4]) -> u64 {
        // Each half of a product depends on all bits of both factors.
        let mixed = |word: u64, other: u64| {
            let product = u128::from(word) * u128::from(other);
            product as u64 ^ (product >> 64) as u64
        };
        let hash = mixed(a ^ 0x9e37_79b9_7f4a_7c15, b ^ 0xd1b5_4a32_d192_ed03)
            ^ mixed(c ^ 0xaef1_7502_108e_f2d9, own ^ 0x8cb9_2ba7_2f3d_8dd7).rotate_left(29);
        hash & self.mask
    }
}

/// A successor on its way to its table.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(64))]
pub(crate) struct Candidate {
    pub(crate) position: [u64; 4],
    pub(crate) multiplicity: u128,
    pub(crate) shard: u32,
    /// The hash of the slot.
    pub(crate) hash: u32,
}

/// The planes of a position, within one line of the cache.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(32))]
pub(crate) struct Boards(pub(crate) [u64; 4]);

/// A table of positions, each once, with multiplicities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shard {
    positions: Vec<Boards>,
    /// The lower halves of the multiplicities.
    low: Vec<u64>,
    /// The upper halves of the multiplicities; empty while all are zero.
    high: Vec<u64>,
    /// Numbers of positions, counted from 1; 0 marks an empty slot. A number is in its hash's slot or after it, with no
    /// empty slot in between.
    slots: Vec<u32>,
}

impl Shard {
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(crate) fn positions(&self) -> &[Boards] {
        &self.positions
    }

    #[inline(always)]
    pub(crate) fn multiplicity(&self, index: usize) -> u128 {
        let high = if self.high.is_empty() { 0 } else { self.high[index] };
        u128::from(self.low[index]) | u128::from(high) << 64
    }

    /// Returns whether a multiplicity exceeds 64 bits.
    pub(crate) fn is_high(&self) -> bool {
        !self.high.is_empty()
    }

    /// Returns the number of bytes of the table.
    pub(crate) fn bytes(&self) -> u64 {
        let words = self.positions.capacity() * 4 + self.low.capacity() + self.high.capacity();
        8 * words as u64 + 4 * self.slots.capacity() as u64
    }

    /// Adds candidates, which belong to this shard.
    pub(crate) fn insert_all(&mut self, sharing: &Sharing, candidates: &[Candidate]) -> Result<(), MergeError> {
        for candidates in candidates.chunks(TOUCHED) {
            self.touch(candidates);
            candidates.iter().try_for_each(|candidate| self.insert(sharing, candidate))?;
        }
        Ok(())
    }

    /// Reads what insertions will read, so that memory delivers it for all candidates at the same time.
    #[inline(always)]
    fn touch(&self, candidates: &[Candidate]) {
        if self.slots.is_empty() {
            return;
        }
        let mut numbers = [0; TOUCHED];
        for (number, candidate) in numbers.iter_mut().zip(candidates) {
            *number = self.slots[slot_of(candidate.hash, self.slots.len())];
        }
        let words = numbers.map(|number| match (number as usize).checked_sub(1) {
            Some(index) => self.positions[index].0[0] ^ self.low[index],
            None => 0,
        });
        black_box(words);
    }

    /// Adds a position or, if it is known, its multiplicity.
    #[inline(always)]
    fn insert(&mut self, sharing: &Sharing, candidate: &Candidate) -> Result<(), MergeError> {
        let &Candidate { ref position, multiplicity, hash, .. } = candidate;
        // At most 7 of 10 slots are taken, so every search soon ends at an empty slot.
        if self.positions.len() * 10 >= self.slots.len() * 7 {
            self.grow(sharing)?;
        }
        let mut slot = slot_of(hash, self.slots.len());
        loop {
            let number = self.slots[slot] as usize;
            if number == 0 {
                break;
            }
            if self.positions[number - 1].0 == *position {
                return self.add(number - 1, multiplicity);
            }
            slot += 1;
            if slot == self.slots.len() {
                slot = 0;
            }
        }
        self.positions.push(Boards(*position));
        self.slots[slot] = self.positions.len() as u32;
        self.low.push(multiplicity as u64);
        let high = (multiplicity >> 64) as u64;
        if !self.high.is_empty() {
            self.high.push(high);
        } else if high != 0 {
            self.high.resize(self.low.len(), 0);
            self.high[self.low.len() - 1] = high;
        }
        Ok(())
    }

    /// Adds to the multiplicity of a known position.
    #[inline(always)]
    fn add(&mut self, index: usize, multiplicity: u128) -> Result<(), MergeError> {
        if let (true, Some(sum)) =
            (self.high.is_empty() && multiplicity >> 64 == 0, self.low[index].checked_add(multiplicity as u64))
        {
            self.low[index] = sum;
            return Ok(());
        }
        let sum = self.multiplicity(index).checked_add(multiplicity).ok_or(MergeError::Overflow)?;
        self.high.resize(self.low.len(), 0);
        self.low[index] = sum as u64;
        self.high[index] = (sum >> 64) as u64;
        Ok(())
    }

    /// Makes room for more positions: four times the number while there are few, then the expected number, then a quarter
    /// more.
    #[cold]
    fn grow(&mut self, sharing: &Sharing) -> Result<(), MergeError> {
        let len = self.positions.len();
        let wanted = (4 * len).max(16);
        let capacity = match sharing.expected {
            expected if wanted < expected => wanted,
            expected if len < expected => expected,
            _ => len + len / 4 + 16,
        };
        if capacity > u32::MAX as usize {
            return Err(MergeError::Full);
        }
        let slots = capacity * 10 / 7 + 1;
        let room = self.positions.try_reserve_exact(capacity - len).and(self.low.try_reserve_exact(capacity - len));
        self.slots = Vec::new();
        room.and(self.slots.try_reserve_exact(slots)).map_err(|_| MergeError::Full)?;
        self.slots.resize(slots, 0);
        for index in 0..len {
            let (_, hash) = sharing.of(&self.positions[index].0);
            let mut slot = slot_of(hash, slots);
            while self.slots[slot] != 0 {
                slot = if slot + 1 == slots { 0 } else { slot + 1 };
            }
            self.slots[slot] = index as u32 + 1;
        }
        Ok(())
    }

    /// Frees the memory that only insertions need.
    fn close(&mut self) {
        self.slots = Vec::new();
        self.positions.shrink_to_fit();
        self.low.shrink_to_fit();
        self.high.shrink_to_fit();
    }

    /// Makes room for this many positions that are appended.
    fn reserve(&mut self, len: usize, is_high: bool) -> Result<(), TryReserveError> {
        self.positions.try_reserve_exact(len)?;
        self.low.try_reserve_exact(len)?;
        if is_high { self.high.try_reserve_exact(len) } else { Ok(()) }
    }

    /// Appends some positions of another shard. Either both or none have multiplicities beyond 64 bits.
    fn append(&mut self, other: &Self, range: Range<usize>) {
        self.positions.extend_from_slice(&other.positions[range.clone()]);
        self.low.extend_from_slice(&other.low[range.clone()]);
        if other.is_high() {
            self.high.extend_from_slice(&other.high[range]);
        }
    }
}

/// Positions in the order of their successors' ranges.
struct Grouped {
    shard: Shard,
    /// The end of each range.
    ends: Vec<u32>,
}

impl Grouped {
    /// Groups the positions of these shards, and frees them.
    fn of(shards: &mut [Shard], sharing: &Sharing, is_high: bool) -> Result<Self, TryReserveError> {
        let mut ends = vec![0_u32; sharing.ranges.len()];
        let positions = shards.iter().flat_map(|shard| &shard.positions);
        let ranges: Vec<u16> = positions.map(|position| sharing.of_successors(&position.0) as u16).collect();
        for &range in &ranges {
            ends[usize::from(range)] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end - *count;
        }
        let mut shard = Shard::default();
        shard.reserve(ranges.len(), is_high)?;
        shard.positions.resize(ranges.len(), Boards::default());
        shard.low.resize(ranges.len(), 0);
        shard.high.resize(if is_high { ranges.len() } else { 0 }, 0);
        let mut ranges = ranges.into_iter();
        for old in shards {
            let old = std::mem::take(old);
            for (index, range) in (0..old.len()).zip(&mut ranges) {
                let end = &mut ends[usize::from(range)];
                let at = *end as usize;
                *end += 1;
                shard.positions[at] = old.positions[index];
                shard.low[at] = old.low[index];
                if is_high {
                    shard.high[at] = (old.multiplicity(index) >> 64) as u64;
                }
            }
        }
        Ok(Self { shard, ends })
    }

    fn range(&self, range: usize) -> Range<usize> {
        let start = if range == 0 { 0 } else { self.ends[range - 1] };
        start as usize..self.ends[range] as usize
    }
}

/// Returns the slot where the search for a hash begins.
#[inline(always)]
fn slot_of(hash: u32, slots: usize) -> usize {
    ((u64::from(hash) * slots as u64) >> 32) as usize
}

/// Positions of one ply with the same side to move, each once, in no particular order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ply {
    pub(crate) shards: Vec<Shard>,
    /// The side to move, if there is a position.
    pub(crate) turn: Option<Color>,
}

impl Ply {
    pub(crate) fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.len() as u64).sum()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.shards.iter().map(Shard::bytes).sum()
    }

    /// Returns whether a multiplicity exceeds 64 bits.
    pub(crate) fn is_high(&self) -> bool {
        self.shards.iter().any(Shard::is_high)
    }

    /// Frees the memory that only insertions need.
    pub(crate) fn close(&mut self) {
        self.shards.iter_mut().for_each(Shard::close);
    }

    /// Returns ranges into which the successors of the positions fall about equally.
    pub(crate) fn ranges<'a>(&'a self, sharing: &Sharing, count: usize) -> Ranges {
        if count == 1 {
            return Ranges::default();
        }
        let step = (self.len() as usize / (SAMPLES * count)).max(1);
        let sample = self.shards.iter().flat_map(|shard| shard.positions.iter().step_by(step));
        let with_hash = |boards: &'a Boards| (&boards.0, sharing.hash(&boards.0) as u32);
        Ranges::for_successors_of(sample.map(with_hash), count)
    }

    /// Puts the positions in the order of their successors' ranges, a shard for each. If memory runs out, the ply is lost.
    pub(crate) fn group(&mut self, sharing: &Sharing) -> Result<(), TryReserveError> {
        let is_high = self.is_high();
        let ranges = sharing.ranges.len();
        // Each chunk of the old shards is grouped by itself, and then freed.
        let chunk = self.shards.len().div_ceil(8 * rayon::current_num_threads()).max(1);
        let mut shards = std::mem::take(&mut self.shards);
        let chunks = shards.par_chunks_mut(chunk).map(|shards| Grouped::of(shards, sharing, is_high));
        let chunks = chunks.collect::<Result<Vec<_>, _>>()?;
        drop(shards);
        let collect = |range: usize| {
            let mut shard = Shard::default();
            shard.reserve(chunks.iter().map(|chunk| chunk.range(range).len()).sum(), is_high)?;
            chunks.iter().for_each(|chunk| shard.append(&chunk.shard, chunk.range(range)));
            Ok::<_, TryReserveError>(shard)
        };
        self.shards = (0..ranges).into_par_iter().map(collect).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Returns the number of each shard's first position, with the positions of all shards numbered in order.
    pub(crate) fn starts(&self) -> Vec<u64> {
        let mut start = 0;
        let next = |shard: &Shard| {
            start += shard.len() as u64;
            start - shard.len() as u64
        };
        self.shards.iter().map(next).collect()
    }

    /// Returns the positions with these numbers, by shards with their numbers; `starts` is [`Ply::starts`].
    pub(crate) fn pieces<'a>(
        &'a self,
        starts: &'a [u64],
        range: Range<u64>,
    ) -> impl Iterator<Item = (usize, &'a Shard, Range<usize>)> {
        let first = starts.partition_point(|&start| start <= range.start).saturating_sub(1);
        let shards = self.shards.iter().zip(starts).enumerate().skip(first);
        shards.take_while(move |&(_, (_, &start))| start < range.end).map(move |(number, (shard, &start))| {
            let within = |number: u64| number.saturating_sub(start).min(shard.len() as u64) as usize;
            (number, shard, within(range.start)..within(range.end))
        })
    }
}
