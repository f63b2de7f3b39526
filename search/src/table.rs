//! The transposition table: what is known of positions that were searched before, shared by all
//! threads without locks.
//!
//! An entry is two words: the data, and the position's whole 64-bit key combined with the data by
//! exclusive or. A reader takes an entry only if both words fit together and to its position; words
//! that two threads wrote at the same time do not (Hyatt and Mann's lockless table). What remains is
//! that two positions share a key, about once in 10^19 pairs: then a score may be wrong, but never a
//! move, since a move is an index into the successors that the position itself has.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use kogge_board::{Quad48, State};

/// What a score says about the position's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    /// The value is at most that.
    Upper = 1,
    /// The value is at least that.
    Lower = 2,
    /// The value is that.
    Exact = 3,
}

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Known {
    /// The best move, as an index into the successors.
    pub(crate) best: Option<u16>,
    /// Mates are counted from this position.
    pub(crate) score: i32,
    /// Of the position itself; meaningless in check.
    pub(crate) evaluation: i32,
    /// How deep it was searched, 0 for quiescence.
    pub(crate) depth: u8,
    pub(crate) bound: Bound,
}

const NO_MOVE: u16 = u16::MAX;

impl Known {
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

/// How much deeper something was searched that a new bound does not replace.
const DEEPER: u8 = 4;

/// Searches that ages tell apart.
const AGES: u8 = 64;

#[derive(Debug, Default)]
struct Entry {
    check: AtomicU64,
    data: AtomicU64,
}

/// The entries among which a position's place is: a cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Entry; 4]);

/// The table.
#[derive(Debug)]
pub(crate) struct Table {
    buckets: Vec<Bucket>,
    age: AtomicU8,
}

impl Table {
    /// A table of this many bytes, at least one bucket; `None` if memory runs out.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let len = (bytes / size_of::<Bucket>()).max(1);
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(len).ok()?;
        buckets.resize_with(len, Bucket::default);
        Some(Self { buckets, age: AtomicU8::new(0) })
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        for entry in self.buckets.iter().flat_map(|bucket| &bucket.0) {
            entry.check.store(0, Ordering::Relaxed);
            entry.data.store(0, Ordering::Relaxed);
        }
        self.age.store(0, Ordering::Relaxed);
    }

    /// A new search begins: what older ones left is replaced first.
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

    /// What is known of the position with this key.
    pub(crate) fn get(&self, key: u64) -> Option<Known> {
        for entry in &self.bucket(key).0 {
            let data = entry.data.load(Ordering::Relaxed);
            if entry.check.load(Ordering::Relaxed) ^ data == key {
                return Known::unpack(data);
            }
        }
        None
    }

    /// Remembers what is known of the position with this key, in place of what is worth least: what
    /// was known of it, or the shallowest, of older searches first. A bound does not take the place of what this
    /// search found much deeper.
    pub(crate) fn put(&self, key: u64, mut known: Known) {
        let now = self.age();
        let mut place = 0;
        let mut least = i32::MAX;
        let bucket = &self.bucket(key).0;
        for (index, entry) in bucket.iter().enumerate() {
            let data = entry.data.load(Ordering::Relaxed);
            if entry.check.load(Ordering::Relaxed) ^ data == key {
                let Some(old) = Known::unpack(data) else { break };
                let is_new = (data >> 58) as u8 == now;
                if is_new && known.bound != Bound::Exact && known.depth.saturating_add(DEEPER) < old.depth {
                    return;
                }
                place = index;
                known.best = known.best.or(old.best);
                break;
            }
            let age = (now + AGES - (data >> 58) as u8) % AGES;
            let worth = if data == 0 { i32::MIN } else { (data >> 48) as u8 as i32 - 8 * i32::from(age) };
            if worth < least {
                (place, least) = (index, worth);
            }
        }
        let data = known.pack(now);
        bucket[place].check.store(key ^ data, Ordering::Relaxed);
        bucket[place].data.store(data, Ordering::Relaxed);
    }

    /// Remembers what is known of the position with this key, unless it is known as deep already.
    pub(crate) fn offer(&self, key: u64, known: Known) {
        if self.get(key).is_none_or(|old| old.depth < known.depth) {
            self.put(key, known);
        }
    }

    /// How full the table is with this search's entries, in thousandths, by a sample.
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

/// The key of a position: a hash of its six words, without the halfmove clock.
#[inline]
pub(crate) fn key(position: &Quad48) -> u64 {
    /// The clock's bits within the pawn word.
    const CLOCK: u64 = Quad48::state_bits(State(State::HALFMOVE_CLOCK));
    // Odd numbers with bits all over: the hexadecimal digits of pi.
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

    fn known(best: Option<u16>, depth: u8) -> Known {
        Known { best, score: -31_998, evaluation: 57, depth, bound: Bound::Lower }
    }

    #[test]
    fn what_was_put_comes_back() {
        let table = Table::new(1 << 16).unwrap();
        assert_eq!(table.get(0), None);
        for bound in [Bound::Upper, Bound::Lower, Bound::Exact] {
            let entry = Known { best: Some(217), score: 31_999, evaluation: -30_000, depth: 127, bound };
            table.put(1 << 60, entry);
            assert_eq!(table.get(1 << 60), Some(entry));
        }
        let deep = table.get(1 << 60);
        table.put(1 << 60, known(None, 3));
        assert_eq!(table.get(1 << 60), deep, "a bound found much less deep says less");
        table.grow_older();
        table.put(1 << 60, known(None, 3));
        assert_eq!(table.get(1 << 60), Some(known(Some(217), 3)), "the move is kept");
        let exact = Known { bound: Bound::Exact, ..known(Some(217), 1) };
        table.put(1 << 60, Known { depth: 127, ..exact });
        table.put(1 << 60, exact);
        assert_eq!(table.get(1 << 60), Some(exact), "but a value is a value");
        table.put(1 << 60, known(None, 3));
        for (depth, best) in [(2, 217), (3, 217), (4, 5)] {
            table.offer(1 << 60, known(Some(5), depth));
            assert_eq!(table.get(1 << 60), Some(known(Some(best), depth.max(3))), "only what is deeper is taken");
        }
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
