//! The positions of a ply, in tables that only one thread at a time fills.

use std::collections::TryReserveError;
use std::hint::black_box;
use std::ops::Range;

use kogge_board::merge::{Filter, MergeError};
use kogge_board::{Color, Planes32};
use rayon::prelude::*;

use super::ranges::{TableKey, TableRanges};

/// The maximum number of tables for a ply. With more tables, the ends of each task's stray lists would exceed 64 KiB.
const MOST_SHARDS: u64 = 1 << 14;

/// The number of positions in a table that fits in a core's cache; a larger table waits for memory at every insertion.
const SHARD: u64 = 1 << 15;

/// The minimum number of positions per table, before more tables are made to keep threads busy.
const LEAST_SHARD: u64 = 1 << 11;

/// The number of candidates whose slots and positions are read together before the candidates are inserted.
const TOUCHED: usize = 16;

/// The maximum number of ranges of successors by which positions are numbered: so few that each range has many positions
/// of a table.
const MOST_ARRANGED: u64 = 2048;

/// The number of parents that are sampled per range when the ranges are chosen. With fewer, the sizes of the ranges
/// would differ more.
const SAMPLES: usize = 32;

/// The number of parents that are sampled to estimate the share of successors that pass the filter.
const SHARE_SAMPLES: usize = 1 << 14;

/// The bytes of a position in a table with its share of the slots, plus an eighth of spare room.
pub(crate) const ENTRY_BYTES: u64 = 51;

/// The additional bytes of a position if multiplicities exceed 64 bits, also with an eighth of spare room.
pub(crate) const HIGH_BYTES: u64 = 9;

/// The distribution of a ply's positions over tables.
#[derive(Clone, Debug)]
pub(crate) struct Sharing {
    /// The bits of the hashes that are used.
    mask: u64,
    pub(crate) ranges: TableRanges,
    /// The expected number of positions in a table.
    expected: usize,
}

impl Sharing {
    /// One range of all positions; `hash_bits` as in [`kogge_board::merge::MergeOptions`].
    pub(crate) fn new(hash_bits: u32) -> Self {
        let half = if hash_bits >= 32 { !0 } else { (1_u64 << hash_bits) - 1 };
        let mask = half << 32 | half & 0xffff_ffff;
        Self { mask, ranges: TableRanges::default(), expected: 0 }
    }

    /// Returns the number of tables that `threads` threads fill with `positions` positions.
    pub(crate) fn shards_for(positions: u64, threads: usize) -> usize {
        let busy = (positions / LEAST_SHARD).min(8 * threads as u64);
        (positions / SHARD).max(busy).clamp(1, MOST_SHARDS) as usize
    }

    /// Prepares all tables for a total of `positions` positions.
    pub(crate) fn expect(&mut self, positions: u64, kept: Filter) {
        self.expected = (positions / self.ranges.count_for(kept) as u64) as usize + 16;
    }

    /// Returns the key of a position, and the hash that finds its slot.
    #[inline(always)]
    pub(crate) fn of(&self, &[a, b, c, own]: &[u64; 4]) -> (TableKey, u32) {
        // Each half of a product depends on all bits of both factors.
        let mixed = |word: u64, other: u64| {
            let product = u128::from(word) * u128::from(other);
            product as u64 ^ (product >> 64) as u64
        };
        let occupied = a | b | c;
        let (mine, theirs) = (own & occupied, occupied & !own);
        let side = mixed(mixed(a & mine ^ 0x9e37_79b9_7f4a_7c15, b & mine ^ 0xd1b5_4a32_d192_ed03) ^ c & mine, MIXER);
        // Besides the pieces, `own` contains the target of an en-passant capture.
        let other = mixed(a & theirs ^ 0xaef1_7502_108e_f2d9, b & theirs ^ 0x8cb9_2ba7_2f3d_8dd7) ^ c & theirs;
        let position = (side ^ mixed(other, MIXER ^ own & !occupied)) & self.mask;
        let pawns = a & mine & !(b | c);
        (TableKey::new(pawns, ((side & self.mask) >> 32) as u32, position as u32), (position >> 32) as u32)
    }

    pub(crate) fn find(&self, position: &[u64; 4]) -> (usize, u32) {
        let (key, hash) = self.of(position);
        (self.ranges.find(key), hash)
    }

    /// Returns the key of most successors of a parent, except for the hash of the position.
    fn of_successors(&self, parent: &[u64; 4]) -> TableKey {
        self.of(&after_pass(parent)).0
    }
}

/// A factor with many bits.
const MIXER: u64 = 0xff51_afd7_ed55_8ccd;

/// Returns the position after a pass, which moves no piece. Most moves lead to positions with the same pieces of the side
/// that replies.
fn after_pass(&[a, b, c, own]: &[u64; 4]) -> [u64; 4] {
    // The board is flipped after each move.
    [a, b, c, (a | b | c) & !own].map(u64::swap_bytes)
}

/// A successor on its way to its table.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(64))]
pub(crate) struct Candidate {
    pub(crate) position: [u64; 4],
    pub(crate) multiplicity: u128,
    pub(crate) shard: u32,
    /// The hash that finds the slot.
    pub(crate) hash: u32,
}

/// The planes of a position, aligned so that they lie in one cache line.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(32))]
pub(crate) struct Boards(pub(crate) [u64; 4]);

/// Returns a position in the form of the caller's ranges.
#[inline(always)]
pub(crate) fn planes32(&[a, b, c, own]: &[u64; 4]) -> Planes32 {
    Planes32 { codes: [a, b, c], own }
}

/// A table of positions, each once, with multiplicities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shard {
    positions: Vec<Boards>,
    /// The lower halves of the multiplicities.
    low: Vec<u64>,
    /// The upper halves of the multiplicities; empty while all are zero.
    high: Vec<u64>,
    /// The numbers of positions, counted from 1; 0 marks an empty slot. The number of a position is in the slot of its
    /// hash or after it, with no empty slot in between.
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

    /// Removes all positions and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.positions.clear();
        self.low.clear();
        self.high.clear();
        self.slots.fill(0);
    }

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

    /// Reads the memory that insertions will read, so that memory delivers it for all candidates at the same time.
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

    /// Adds a position; if the position is known already, adds only its multiplicity.
    #[inline(always)]
    fn insert(&mut self, sharing: &Sharing, candidate: &Candidate) -> Result<(), MergeError> {
        let &Candidate { ref position, multiplicity, hash, .. } = candidate;
        // At most 7 of 10 slots are used, so every search soon ends at an empty slot.
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
            self.widen()?;
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
        self.widen()?;
        self.low[index] = sum as u64;
        self.high[index] = (sum >> 64) as u64;
        Ok(())
    }

    /// Makes room for the upper halves of the multiplicities.
    #[cold]
    fn widen(&mut self) -> Result<(), MergeError> {
        let room = self.high.try_reserve_exact(self.low.capacity() - self.high.len());
        room.map_err(|_| MergeError::Full)?;
        self.high.resize(self.low.len(), 0);
        Ok(())
    }

    /// Makes room for more positions: four times as many while there are few, then the expected number, then a quarter more.
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
        // The number is rounded down, so that the table grows before its lists grow by themselves, which would double them.
        let slots = capacity * 10 / 7;
        let room = self.positions.try_reserve_exact(capacity - len).and(self.low.try_reserve_exact(capacity - len));
        let room = if self.is_high() { room.and(self.high.try_reserve_exact(capacity - len)) } else { room };
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

    fn reserve(&mut self, len: usize, is_high: bool) -> Result<(), TryReserveError> {
        self.positions.try_reserve_exact(len)?;
        self.low.try_reserve_exact(len)?;
        if is_high { self.high.try_reserve_exact(len) } else { Ok(()) }
    }

    /// Appends some positions of another shard. Either both shards or none have multiplicities beyond 64 bits.
    fn append(&mut self, other: &Self, range: Range<usize>) {
        self.positions.extend_from_slice(&other.positions[range.clone()]);
        self.low.extend_from_slice(&other.low[range.clone()]);
        if other.is_high() {
            self.high.extend_from_slice(&other.high[range]);
        }
    }
}

/// Positions in the order of their successors' ranges.
struct Grouping {
    shard: Shard,
    /// The end of each range.
    ends: Vec<u32>,
}

impl Grouping {
    /// Groups the positions of these shards, and frees them.
    fn of(shards: &mut [Shard], sharing: &Sharing, is_high: bool) -> Result<Self, TryReserveError> {
        let mut ends = vec![0_u32; sharing.ranges.len()];
        let positions = shards.iter().flat_map(|shard| &shard.positions);
        let ranges: Vec<u16> =
            positions.map(|position| sharing.ranges.find(sharing.of_successors(&position.0)) as u16).collect();
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

#[inline(always)]
fn slot_of(hash: u32, slots: usize) -> usize {
    ((u64::from(hash) * slots as u64) >> 32) as usize
}

/// Positions of one ply with the same side to move, each once, in no particular order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ply {
    pub(crate) shards: Vec<Shard>,
    /// The side to move, if there are positions.
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

    /// Estimates the share of the positions' successors that pass the filter. A pass represents most moves, because it
    /// changes no pawn.
    pub(crate) fn share(&self, kept: Filter) -> f64 {
        let step = self.len().div_ceil(SHARE_SAMPLES as u64).max(1) as usize;
        let sample = self.shards.iter().flat_map(|shard| shard.positions.iter().step_by(step));
        let (mut looked_at, mut found) = (0_u64, 0_u64);
        for Boards(position) in sample {
            looked_at += 1;
            found += u64::from(kept.has(&planes32(&after_pass(position))));
        }
        // A position outside the sample may pass the filter.
        (found as f64).max(0.5) / (looked_at as f64).max(1.0)
    }

    /// Returns the keys of most successors of a sample of the positions, so many that `ranges` ranges can be chosen.
    fn sample(&self, sharing: &Sharing, ranges: usize) -> Vec<TableKey> {
        let step = (self.len() as usize / (SAMPLES * ranges)).max(1);
        let sample = self.shards.iter().flat_map(|shard| shard.positions.iter().step_by(step));
        sample.map(|position| sharing.of_successors(&position.0)).collect()
    }

    /// Returns ranges of about equal size for the successors of the positions.
    pub(crate) fn ranges(&self, sharing: &Sharing, count: usize) -> TableRanges {
        if count == 1 {
            return TableRanges::default();
        }
        TableRanges::for_tables(self.sample(sharing, count), count)
    }

    /// Puts the positions in the order of their successors' ranges, with a shard for each range. If memory runs out, the
    /// ply is lost.
    pub(crate) fn group(&mut self, sharing: &Sharing) -> Result<(), TryReserveError> {
        let is_high = self.is_high();
        let ranges = sharing.ranges.len();
        // Each chunk of the old shards is grouped separately, and then freed.
        let chunk = self.shards.len().div_ceil(8 * rayon::current_num_threads()).max(1);
        let mut shards = std::mem::take(&mut self.shards);
        let chunks = shards.par_chunks_mut(chunk).map(|shards| Grouping::of(shards, sharing, is_high));
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

    /// Puts the positions of each shard in the order of most of their successors. Then numbers the positions of all shards in this
    /// order: in ranges of about `together` positions, and in each range shard by shard. If memory runs out, the ply is lost.
    pub(crate) fn arrange(&mut self, sharing: &Sharing, together: u64) -> Result<Index, TryReserveError> {
        let count = (self.len() / together).clamp(1, MOST_ARRANGED) as usize;
        if count == 1 {
            return Ok(Index::of(self));
        }
        let ranges = TableRanges::divide(self.sample(sharing, count), count);
        let sharing = Sharing { ranges, ..*sharing };
        let group = |shard: &mut Shard| {
            let is_high = shard.is_high();
            let Grouping { shard: grouped, ends } = Grouping::of(std::slice::from_mut(shard), &sharing, is_high)?;
            *shard = grouped;
            Ok::<_, TryReserveError>(ends)
        };
        let ends: Vec<_> = self.shards.par_iter_mut().map(group).collect::<Result<_, _>>()?;
        let mut index = Index::default();
        for range in 0..sharing.ranges.len() {
            index.borders.push(index.len);
            for (number, ends) in ends.iter().enumerate() {
                let start = if range == 0 { 0 } else { ends[range - 1] };
                index.push(number, start..ends[range]);
            }
        }
        Ok(index)
    }
}

/// The numbering of a ply's positions: pieces of shards, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    /// The number of each piece's first position.
    starts: Vec<u64>,
    /// The shard of each piece and the piece's positions in it; no piece is empty.
    pieces: Vec<(u32, Range<u32>)>,
    /// The first number of each range, if the positions are numbered in ranges.
    borders: Vec<u64>,
    len: u64,
}

impl Index {
    /// Numbers the positions of all shards in order.
    pub(crate) fn of(ply: &Ply) -> Self {
        let mut index = Self::default();
        ply.shards.iter().enumerate().for_each(|(number, shard)| index.push(number, 0..shard.len() as u32));
        index
    }

    fn push(&mut self, shard: usize, range: Range<u32>) {
        if !range.is_empty() {
            self.starts.push(self.len);
            self.len += range.len() as u64;
            self.pieces.push((shard as u32, range));
        }
    }

    /// Divides these numbers into pieces of about `together` numbers, at most twice as many. The cuts are at borders of ranges
    /// where possible, so that most positions with equal successors are in the same piece.
    pub(crate) fn cut(&self, range: Range<u64>, together: u64) -> Vec<Range<u64>> {
        let mut cuts = Vec::new();
        let mut start = range.start;
        while start < range.end {
            let aim = start + together;
            let next = self.borders.partition_point(|&border| border < aim);
            let near = self.borders[next.saturating_sub(1)..].iter().take(2);
            let near = near.filter(|&&border| border > start && border <= aim + together);
            let end = near.copied().min_by_key(|border| border.abs_diff(aim)).unwrap_or(aim).min(range.end);
            cuts.push(start..end);
            start = end;
        }
        cuts
    }

    /// Returns the positions with these numbers, as shards and positions in them.
    pub(crate) fn pieces(&self, range: Range<u64>) -> impl Iterator<Item = (usize, Range<usize>)> {
        let first = self.starts.partition_point(|&start| start <= range.start).saturating_sub(1);
        let pieces = self.starts.iter().zip(&self.pieces).skip(first);
        pieces.take_while(move |&(&start, _)| start < range.end).map(
            move |(&start, &(shard, Range { start: at, end }))| {
                let within = |number: u64| at as usize + number.saturating_sub(start).min((end - at).into()) as usize;
                (shard as usize, within(range.start)..within(range.end))
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use kogge_board::merge::{Key, KeyRange};

    use super::*;

    fn table(sharing: &Sharing, positions: u64) -> Shard {
        let mut table = Shard::default();
        for index in 0..positions {
            let position = [index, 0, 0, index & 1];
            let (_, hash) = sharing.of(&position);
            table.insert_all(sharing, &[Candidate { position, multiplicity: 1, shard: 0, hash }]).unwrap();
        }
        table
    }

    #[test]
    fn a_table_of_the_expected_size_has_no_spare_memory() {
        let mut sharing = Sharing::new(32);
        for expected in [100, 1_000, 4_520, 50_000] {
            sharing.expect(expected, Filter::All);
            let full = table(&sharing, expected + 16);
            assert!(full.bytes() <= 46 * (expected + 16), "{} bytes of {expected} positions", full.bytes());
            let beyond = table(&sharing, expected + 17);
            assert!(beyond.bytes() <= 58 * (expected + 32), "{} bytes of {expected} positions", beyond.bytes());
        }
    }

    #[test]
    fn numbers_are_cut_at_borders_where_possible() {
        let index = Index { borders: vec![0, 90, 130, 300, 800], len: 1000, ..Index::default() };
        let cuts = [0..90, 90..130, 130..300, 300..400, 400..500, 500..600, 600..800, 800..900, 900..1000];
        assert_eq!(index.cut(0..1000, 100), cuts);
        assert_eq!(index.cut(20..310, 100), [20..130, 130..300, 300..310]);
        assert_eq!(index.cut(5..5, 100), []);
        assert_eq!(Index::default().cut(0..25, 10), [0..10, 10..20, 20..25]);
    }

    #[test]
    fn the_share_that_is_kept_is_that_of_positions_after_a_pass() {
        let ply = Ply { shards: vec![table(&Sharing::new(32), 1_000)], turn: Some(Color::White) };
        assert_eq!(ply.share(Filter::All), 1.0);
        assert_eq!(ply.share(Filter::within(KeyRange::WHOLE)), 1.0);
        let mut keys: Vec<_> =
            (0..1_000_u64).map(|index| Key::of(&planes32(&[index, 0, 0, index & !1].map(u64::swap_bytes)))).collect();
        for range in KeyRange::divide(&mut keys, 10) {
            let share = ply.share(Filter::within(range));
            assert!((0.09..0.11).contains(&share), "{share}");
        }
        let nothing = KeyRange { first: Key::MAX, last: Key::MAX };
        assert_eq!(ply.share(Filter::within(nothing)), 0.000_5);
        assert_eq!(Ply::default().share(Filter::All), 0.5);
    }
}
