//! The positions of a ply, in tables that only one thread at a time fills.

use std::ops::Range;

use kogge_board::merge::{MergeError, hashes};
use kogge_board::{Color, Planes32};

/// The most tables of a ply, as a power of two: enough for all cores, and a table fits into a core's cache.
const MOST_SHARDS: u32 = 12;

/// The least number of positions for each table, as a power of two.
const LEAST_SHARD: u32 = 12;

/// The bytes of a position in a table with its share of the slots, plus a sixteenth because tables differ in size.
pub(crate) const ENTRY_BYTES: u64 = 49;

/// The additional bytes of a position if multiplicities exceed 64 bits.
pub(crate) const HIGH_BYTES: u64 = 8;

/// The distribution of a ply's positions over tables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    /// The bits of the hashes that are used.
    mask: u64,
    /// The number of tables, as a power of two.
    shards: u32,
    /// The number of positions that a table is expected to hold.
    expected: usize,
}

impl Sharing {
    /// Prepares tables for this many positions in all; `hash_bits` as in [`kogge_board::merge::MergeOptions`].
    pub(crate) fn new(positions: u64, hash_bits: u32) -> Self {
        let mask = if hash_bits >= 32 { !0 } else { (1 << hash_bits) - 1 };
        let shards = (positions >> LEAST_SHARD).checked_ilog2().unwrap_or(0).min(MOST_SHARDS);
        // A little more than the average: shards differ by a few standard deviations.
        let average = positions >> shards;
        let expected = (average + 4 * average.isqrt() + 16) as usize;
        Self { mask, shards, expected }
    }

    /// Returns the number of tables.
    pub(crate) fn shards(&self) -> usize {
        1 << self.shards
    }

    /// Returns the table of a position with these hashes (the slot's in the lower half, the partition's in the upper
    /// half), and the hash that finds the position in this table.
    #[inline(always)]
    pub(crate) fn of(&self, hashes: u64) -> (usize, u32) {
        let hashes = hashes & self.mask;
        // The lower bits choose the table; the positions of a partition share the upper bits.
        (hashes as usize & (self.shards() - 1), (hashes >> MOST_SHARDS) as u32)
    }

    /// Returns the table and the hash of a position.
    pub(crate) fn of_position(&self, position: &[u64; 4]) -> (usize, u32) {
        self.of(both_hashes(position))
    }
}

/// Returns both hashes of a position, the slot's in the lower half, the partition's in the upper half.
fn both_hashes(&[a, b, c, own]: &[u64; 4]) -> u64 {
    let [slot, partition] = hashes(&Planes32 { codes: [a, b, c], own });
    u64::from(slot) | u64::from(partition) << 32
}

/// A table of positions, each once, with multiplicities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shard {
    positions: Vec<[u64; 4]>,
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

    pub(crate) fn positions(&self) -> &[[u64; 4]] {
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

    /// Adds a position or, if it is known, its multiplicity. `hash` comes from [`Sharing::of`].
    #[inline(always)]
    pub(crate) fn insert(
        &mut self,
        sharing: &Sharing,
        position: &[u64; 4],
        hash: u32,
        multiplicity: u128,
    ) -> Result<(), MergeError> {
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
            if self.positions[number - 1] == *position {
                return self.add(number - 1, multiplicity);
            }
            slot += 1;
            if slot == self.slots.len() {
                slot = 0;
            }
        }
        self.positions.push(*position);
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

    /// Makes room for more positions: four times the number while there are few, then the expected number, then an eighth
    /// more.
    #[cold]
    fn grow(&mut self, sharing: &Sharing) -> Result<(), MergeError> {
        let len = self.positions.len();
        let wanted = (4 * len).max(16);
        let capacity = match sharing.expected {
            expected if wanted < expected => wanted,
            expected if len < expected => expected,
            _ => len + len / 8 + 16,
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
            let (_, hash) = sharing.of_position(&self.positions[index]);
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

    /// Returns the number of each shard's first position, with the positions of all shards numbered in order.
    pub(crate) fn starts(&self) -> Vec<u64> {
        let mut start = 0;
        let next = |shard: &Shard| {
            start += shard.len() as u64;
            start - shard.len() as u64
        };
        self.shards.iter().map(next).collect()
    }

    /// Returns the positions with these numbers, by shards; `starts` is [`Ply::starts`].
    pub(crate) fn pieces<'a>(
        &'a self,
        starts: &'a [u64],
        range: Range<u64>,
    ) -> impl Iterator<Item = (&'a Shard, Range<usize>)> {
        let first = starts.partition_point(|&start| start <= range.start).saturating_sub(1);
        let shards = self.shards[first.min(self.shards.len())..].iter().zip(&starts[first.min(starts.len())..]);
        shards.take_while(move |&(_, &start)| start < range.end).map(move |(shard, &start)| {
            let within = |number: u64| number.saturating_sub(start).min(shard.len() as u64) as usize;
            (shard, within(range.start)..within(range.end))
        })
    }
}
