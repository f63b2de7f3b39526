//! The positions of a ply, in tables that are filled by one thread each.

use std::ops::Range;

use kogge_board::merge::{MergeError, hashes};
use kogge_board::{Color, Planes32};

/// Tables of a ply at most, as a power of two: enough that all cores find work and a table fits into a core's cache.
const MOST_SHARDS: u32 = 12;

/// Positions that are worth a table of their own, as a power of two.
const LEAST_SHARD: u32 = 12;

/// Bytes of a position in a table, its share of the places included, and a sixteenth for what tables differ.
pub(crate) const ENTRY_BYTES: u64 = 49;

/// Bytes more where multiplicities exceed 64 bits.
pub(crate) const HIGH_BYTES: u64 = 8;

/// How a ply's positions are shared out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sharing {
    /// Bits of the hashes that are used.
    mask: u64,
    /// How many tables there are, as a power of two.
    shards: u32,
    /// Positions that each table should hold.
    expected: usize,
}

impl Sharing {
    /// For so many positions in all; `hash_bits` as in [`kogge_board::merge::MergeOptions`].
    pub(crate) fn new(positions: u64, hash_bits: u32) -> Self {
        let mask = if hash_bits >= 32 { !0 } else { (1 << hash_bits) - 1 };
        let shards = (positions >> LEAST_SHARD).checked_ilog2().unwrap_or(0).min(MOST_SHARDS);
        // A little more than the average: shards differ by a few standard deviations.
        let average = positions >> shards;
        let expected = (average + 4 * average.isqrt() + 16) as usize;
        Self { mask, shards, expected }
    }

    /// How many tables there are.
    pub(crate) fn shards(&self) -> usize {
        1 << self.shards
    }

    /// The table of a position with these hashes (place below, share above), and where to look in it.
    #[inline(always)]
    pub(crate) fn of(&self, hashes: u64) -> (usize, u32) {
        let hashes = hashes & self.mask;
        // Of the share, the lower bits: partitions have the same upper ones.
        (hashes as usize & (self.shards() - 1), (hashes >> MOST_SHARDS) as u32)
    }

    /// The same of a position.
    pub(crate) fn of_position(&self, position: &[u64; 4]) -> (usize, u32) {
        self.of(both_hashes(position))
    }
}

/// Both hashes of a position, the place below, the share above.
fn both_hashes(&[a, b, c, own]: &[u64; 4]) -> u64 {
    let [place, share] = hashes(&Planes32 { codes: [a, b, c], own });
    u64::from(place) | u64::from(share) << 32
}

/// A table of positions, each once, with multiplicities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shard {
    positions: Vec<[u64; 4]>,
    /// The lower halves of the multiplicities.
    low: Vec<u64>,
    /// The upper halves; empty while all are zero.
    high: Vec<u64>,
    /// Numbers of positions, counted from 1, by hash; 0 where there is none. A number stands at its hash's place or behind
    /// it, with no gap in between.
    places: Vec<u32>,
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

    /// Whether a multiplicity exceeds 64 bits.
    pub(crate) fn is_high(&self) -> bool {
        !self.high.is_empty()
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let words = self.positions.capacity() * 4 + self.low.capacity() + self.high.capacity();
        8 * words as u64 + 4 * self.places.capacity() as u64
    }

    /// Adds a position, or its multiplicity to what is known. `hash` is what [`Sharing::of`] says.
    #[inline(always)]
    pub(crate) fn insert(
        &mut self,
        sharing: &Sharing,
        position: &[u64; 4],
        hash: u32,
        multiplicity: u128,
    ) -> Result<(), MergeError> {
        // At most 7 of 10 places are taken, so that a search ends soon, and always at a gap.
        if self.positions.len() * 10 >= self.places.len() * 7 {
            self.grow(sharing)?;
        }
        let mut place = place_of(hash, self.places.len());
        loop {
            let number = self.places[place] as usize;
            if number == 0 {
                break;
            }
            if self.positions[number - 1] == *position {
                return self.add(number - 1, multiplicity);
            }
            place += 1;
            if place == self.places.len() {
                place = 0;
            }
        }
        self.positions.push(*position);
        self.places[place] = self.positions.len() as u32;
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

    /// Adds to the multiplicity of a position that is known.
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

    /// Makes room for more: four times as much as there was while that is little, then as much as is expected, then an
    /// eighth more.
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
        let places = capacity * 10 / 7 + 1;
        let room = self.positions.try_reserve_exact(capacity - len).and(self.low.try_reserve_exact(capacity - len));
        self.places = Vec::new();
        room.and(self.places.try_reserve_exact(places)).map_err(|_| MergeError::Full)?;
        self.places.resize(places, 0);
        for index in 0..len {
            let (_, hash) = sharing.of_position(&self.positions[index]);
            let mut place = place_of(hash, places);
            while self.places[place] != 0 {
                place = if place + 1 == places { 0 } else { place + 1 };
            }
            self.places[place] = index as u32 + 1;
        }
        Ok(())
    }

    /// Gives back what only insertions need.
    fn close(&mut self) {
        self.places = Vec::new();
        self.positions.shrink_to_fit();
        self.low.shrink_to_fit();
        self.high.shrink_to_fit();
    }
}

/// Where the search for a hash begins.
#[inline(always)]
fn place_of(hash: u32, places: usize) -> usize {
    ((u64::from(hash) * places as u64) >> 32) as usize
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

    /// Whether a multiplicity exceeds 64 bits.
    pub(crate) fn is_high(&self) -> bool {
        self.shards.iter().any(Shard::is_high)
    }

    /// Gives back what only insertions need.
    pub(crate) fn close(&mut self) {
        self.shards.iter_mut().for_each(Shard::close);
    }

    /// The number of the first position of each shard, if all were numbered in order.
    pub(crate) fn starts(&self) -> Vec<u64> {
        let mut start = 0;
        let next = |shard: &Shard| {
            start += shard.len() as u64;
            start - shard.len() as u64
        };
        self.shards.iter().map(next).collect()
    }

    /// The positions with these numbers, by shards; `starts` is [`Ply::starts`].
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
