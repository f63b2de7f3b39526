//! A table of counts that all threads share, so that transpositions are counted once.
//!
//! An entry is one cache line: the position's four planes in full, the depth, and the count. An entry is used only if
//! position and depth are equal; no count relies on a hash.
//!
//! The table is lock-free. Every entry has a sequence number that is odd while the entry is written; a reader uses the
//! entry only if the number was even, and the same before and after reading. A writer skips an entry that is being
//! written. Operating systems call this technique a sequence lock.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// An entry: sequence number, planes, depth, count.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Entry {
    sequence: AtomicU64,
    planes: [AtomicU64; 4],
    depth: AtomicU64,
    count: AtomicU64,
}

const _: () = assert!(size_of::<Entry>() == 64);

/// A table of fixed size; entries in the same slot replace each other.
#[derive(Debug)]
pub(crate) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// Returns a table of at most `bytes` bytes, or `None` if it would have no entry or memory runs out.
    pub(crate) fn new(bytes: usize) -> Option<Self> {
        let len = bytes / size_of::<Entry>();
        let mut entries = Vec::new();
        entries.try_reserve_exact(len).ok()?;
        entries.resize_with(len, Entry::default);
        (len > 0).then_some(Self { entries })
    }

    /// Returns the entry in the slot of a position. Any function would be correct; this one distributes positions well.
    #[inline]
    fn entry(&self, planes: &[u64; 4], depth: u32) -> &Entry {
        let mut hash = u64::from(depth);
        for plane in planes {
            let product = u128::from(hash ^ plane) * 0x9e37_79b9_7f4a_7c15;
            hash = ((product >> 64) as u64 ^ product as u64).rotate_left(29);
        }
        let index = (u128::from(hash) * self.entries.len() as u128) >> 64;
        &self.entries[index as usize]
    }

    #[inline]
    pub(crate) fn get(&self, planes: &[u64; 4], depth: u32) -> Option<u64> {
        let entry = self.entry(planes, depth);
        let before = entry.sequence.load(Ordering::Acquire);
        let same = entry.planes.iter().zip(planes).all(|(known, plane)| known.load(Ordering::Relaxed) == *plane);
        let depth_known = entry.depth.load(Ordering::Relaxed);
        let count = entry.count.load(Ordering::Relaxed);
        // This fence keeps the loads above before the second load of the sequence number.
        fence(Ordering::Acquire);
        let after = entry.sequence.load(Ordering::Relaxed);
        (same && depth_known == u64::from(depth) && before == after && before & 1 == 0 && before != 0).then_some(count)
    }

    #[inline]
    pub(crate) fn put(&self, planes: &[u64; 4], depth: u32, count: u64) {
        let entry = self.entry(planes, depth);
        let sequence = entry.sequence.load(Ordering::Relaxed);
        if sequence & 1 != 0
            || entry.sequence.compare_exchange(sequence, sequence + 1, Ordering::Acquire, Ordering::Relaxed).is_err()
        {
            return;
        }
        // This fence keeps the stores below after the store that makes the sequence number odd.
        fence(Ordering::Release);
        for (known, plane) in entry.planes.iter().zip(planes) {
            known.store(*plane, Ordering::Relaxed);
        }
        entry.depth.store(depth.into(), Ordering::Relaxed);
        entry.count.store(count, Ordering::Relaxed);
        entry.sequence.store(sequence + 2, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_put_is_found() {
        let table = Table::new(1 << 12).unwrap();
        assert_eq!(table.get(&[0; 4], 0), None, "an empty entry is nobody's");
        table.put(&[1, 2, 3, 4], 5, 6);
        assert_eq!(table.get(&[1, 2, 3, 4], 5), Some(6));
        assert_eq!(table.get(&[1, 2, 3, 4], 4), None);
        assert_eq!(table.get(&[1, 2, 3, 5], 5), None);
        assert!(Table::new(63).is_none());
    }

    /// A table of one entry, which all positions share, returns only correct counts.
    #[test]
    fn collisions_and_races_give_no_wrong_answer() {
        let table = Table::new(64).unwrap();
        let planes = |key: u64| [key, key.wrapping_mul(3), !key, key << 7];
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let table = &table;
                scope.spawn(move || {
                    for round in 0..100_000_u64 {
                        let key = (round + thread) % 16;
                        if let Some(count) = table.get(&planes(key), 3) {
                            assert_eq!(count, key * 1_000_003);
                        }
                        table.put(&planes(key), 3, key * 1_000_003);
                    }
                });
            }
        });
    }
}
