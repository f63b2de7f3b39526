//! The transposition table: results of searched positions, shared by all threads without locks.
//!
//! An entry is two words: the data, and the position's whole 64-bit key combined with the data by
//! exclusive or. A reader uses an entry only if both words match each other and its position; words
//! of two threads that wrote at the same time do not match (Hyatt and Mann's lockless table). Two positions may still share
//! a key, about once in 10^19 pairs. Then a score may be wrong, but a move is always legal, because it is an index into the
//! position's own successors.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use kogge_board::{Quad48, State};

/// The relation of a score to the value of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// The value is at most the score.
    Upper = 1,
    /// The value is at least the score.
    Lower = 2,
    /// The value is the score.
    Exact = 3,
}

/// The stored result of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TableEntry {
    /// The best move, as an index into the successors.
    pub(crate) best: Option<u16>,
    /// The score, with mates counted from this position.
    pub(crate) score: i32,
    /// The evaluation of the position itself; meaningless in check.
    pub(crate) evaluation: i32,
    /// The depth of the search, 0 for quiescence.
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
}

const NO_MOVE: u16 = u16::MAX;

impl TableEntry {
    fn pack(&self, age: u8) -> u64 {
        u64::from(self.best.unwrap_or(NO_MOVE))
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(self.evaluation as i16 as u16) << 32
            | u64::from(self.depth) << 48
            | (self.bound as u64) << 56
            | u64::from(age) << 58
    }

    fn unpack(data: u64) -> Option<Self> {
        let bound = match data >> 56 & 3 {
            1 => Bound::Upper,
            2 => Bound::Lower,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Self {
            best: Some(data as u16).filter(|&best| best != NO_MOVE),
            score: (data >> 16) as i16 as i32,
            evaluation: (data >> 32) as i16 as i32,
            depth: (data >> 48) as u8,
            bound,
        })
    }
}

/// The greatest number of plies by which a new bound may be shallower than the result that it replaces.
const DEEPER: u8 = 4;

/// The number of searches that ages distinguish.
const AGES: u8 = 64;

#[derive(Debug, Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// The entries that may hold a position; they fill a cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; 4]);

/// The table.
#[derive(Debug)]
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    age: AtomicU8,
}

impl Table {
    /// Creates a table of `bytes` bytes, but with at least one bucket; `None` if memory runs out.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let len = (bytes / size_of::<Bucket>()).max(1);
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(len).ok()?;
        buckets.resize_with(len, Bucket::default);
        Some(Self { buckets, age: AtomicU8::new(0) })
    }

    pub(crate) fn clear(&self) {
        for entry in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            entry.check.store(0, Ordering::Relaxed);
            entry.data.store(0, Ordering::Relaxed);
        }
        self.age.store(0, Ordering::Relaxed);
    }

    /// Starts a new search; entries of older searches are replaced first.
    pub(crate) fn grow_older(&self) {
        self.age.store((self.age() + 1) % AGES, Ordering::Relaxed);
    }

    #[inline]
    fn age(&self) -> u8 {
        self.age.load(Ordering::Relaxed)
    }

    fn bucket(&self, key: u64) -> &Bucket {
        &self.buckets[((u128::from(key) * self.buckets.len() as u128) >> 64) as usize]
    }

    pub(crate) fn get(&self, key: u64) -> Option<TableEntry> {
        for entry in &self.bucket(key).0 {
            let data = entry.data.load(Ordering::Relaxed);
            if entry.check.load(Ordering::Relaxed) ^ data == key {
                return TableEntry::unpack(data);
            }
        }
        None
    }

    /// Stores the result for the position with this key. It replaces the position's older result, or else the shallowest
    /// entry; entries of older searches count as shallower. A bound does not replace a much deeper result of this search.
    pub(crate) fn put(&self, key: u64, mut known: TableEntry) {
        let now = self.age();
        let mut slot = 0;
        let mut least = i32::MAX;
        let bucket = &self.bucket(key).0;
        for (index, entry) in bucket.iter().enumerate() {
            let data = entry.data.load(Ordering::Relaxed);
            if entry.check.load(Ordering::Relaxed) ^ data == key {
                let Some(old) = TableEntry::unpack(data) else { break };
                let is_new = (data >> 58) as u8 == now;
                if is_new && known.bound != Bound::Exact && known.depth.saturating_add(DEEPER) < old.depth {
                    return;
                }
                slot = index;
                known.best = known.best.or(old.best);
                break;
            }
            let age = (now + AGES - (data >> 58) as u8) % AGES;
            let worth = if data == 0 { i32::MIN } else { (data >> 48) as u8 as i32 - 8 * i32::from(age) };
            if worth < least {
                (slot, least) = (index, worth);
            }
        }
        let data = known.pack(now);
        bucket[slot].check.store(key ^ data, Ordering::Relaxed);
        bucket[slot].data.store(data, Ordering::Relaxed);
    }

    /// Estimates from a sample the part of the table that this search has filled, in thousandths.
    pub(crate) fn fullness(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(250)];
        let entries = sample.iter().flat_map(|bucket| &bucket.0);
        let now = self.age();
        let used = entries.filter(|entry| {
            let data = entry.data.load(Ordering::Relaxed);
            data != 0 && (data >> 58) as u8 == now
        });
        (used.count() * 1000 / (4 * sample.len())) as u32
    }
}

/// Returns the key of a position: a hash of its six boards, without the halfmove clock.
#[inline]
pub(crate) fn key(position: &Quad48) -> u64 {
    /// The bits of the clock in the board of pawns.
    const CLOCK: u64 = Quad48::state_bits(State(State::HALFMOVE_CLOCK));
    // Odd numbers with well-mixed bits: hexadecimal digits of pi.
    let fold = |a: u64, b: u64| {
        let product = u128::from(a ^ 0x243f_6a88_85a3_08d3) * u128::from(b ^ 0x1319_8a2e_0370_7345);
        (product >> 64) as u64 ^ product as u64
    };
    let a = fold(position.white, position.pawns & !CLOCK);
    let b = fold(position.knights ^ 0xa409_3822_299f_31d0, position.bishops_queens);
    let c = fold(position.rooks_queens ^ 0x082e_fa98_ec4e_6c89, position.kings);
    fold(a.rotate_left(21) ^ b, c.rotate_left(42) ^ a)
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use kogge_board::{Backend, Fen, Rules};
    use kogge_movegen_cpu::Cpu;

    use super::*;

    fn known(best: Option<u16>, depth: u8) -> TableEntry {
        TableEntry { best, score: -31_998, evaluation: 57, depth, bound: Bound::Lower }
    }

    #[test]
    fn what_was_put_comes_back() {
        let table = Table::new(1 << 16).unwrap();
        assert_eq!(table.get(0), None);
        for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
            let entry = TableEntry { best: Some(217), score: 31_999, evaluation: -30_000, depth: 127, bound };
            table.put(1 << 60, entry);
            assert_eq!(table.get(1 << 60), Some(entry));
        }
        let deep = table.get(1 << 60);
        table.put(1 << 60, known(None, 3));
        assert_eq!(table.get(1 << 60), deep, "a bound found much less deep says less");
        table.grow_older();
        table.put(1 << 60, known(None, 3));
        assert_eq!(table.get(1 << 60), Some(known(Some(217), 3)), "the move is kept");
        let exact = TableEntry { bound: Bound::Exact, ..known(Some(217), 1) };
        table.put(1 << 60, TableEntry { depth: 127, ..exact });
        table.put(1 << 60, exact);
        assert_eq!(table.get(1 << 60), Some(exact), "but a value is a value");
        table.clear();
        assert_eq!(table.get(1 << 60), None);
    }

    #[test]
    fn shallow_and_old_entries_go_first() {
        let table = Table::new(0).unwrap();
        for key in 1..=4 {
            table.put(key, known(None, 10 * key as u8));
        }
        table.put(5, known(None, 1));
        assert_eq!(table.get(1), None);
        assert!((2..=5).all(|key| table.get(key).is_some()));
        assert_eq!(table.fullness(), 1000);
        for _ in 0..6 {
            table.grow_older();
        }
        table.put(2, known(None, 2));
        table.put(6, known(None, 2));
        table.put(7, known(None, 2));
        assert!(table.get(2).is_some() && table.get(4).is_some() && table.get(5).is_none());
    }

    #[test]
    fn different_positions_have_different_keys() {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let mut keys: HashMap<u64, Quad48> = HashMap::new();
        let mut frontier = vec![Quad48::from(&Fen::start().position)];
        let mut distinct = HashSet::new();
        for _ in 0..4 {
            frontier = cpu.expand(&Rules::STANDARD, &frontier).unwrap().positions;
            for position in &frontier {
                distinct.insert(*position);
                assert_eq!(*keys.entry(key(position)).or_insert(*position), *position);
            }
        }
        assert_eq!(keys.len(), distinct.len());
    }

    #[test]
    fn the_clock_is_not_in_the_key_but_turn_and_rights_are() {
        let position = Quad48::from(&Fen::start().position);
        assert_eq!(key(&position), key(&position.with_halfmove_clock(99)));
        for bit in 0..9 {
            let other = Quad48 { pawns: position.pawns ^ Quad48::state_bits(State(1 << bit)), ..position };
            assert_ne!(key(&position), key(&other), "bit {bit} of the state");
        }
    }
}
