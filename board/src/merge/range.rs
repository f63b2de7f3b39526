//! Ranges of positions with similar pawns.

use super::hashes;
use crate::Planes32;

/// The place of a position in the order of its ply: by the pawns of the side to move, then by the pawns of the other side, then
/// by hash.
///
/// A move changes the pawns of the side that replies only if it takes one, which about 3 % of all moves do. So the successors
/// of few parents lie in a [`KeyRange`]. (Structured duplicate detection: Zhou and Hansen, 2004, in heuristic search.)
///
/// A [reversed](Self::reversed) key has the pawns of the other side first. A range of such keys has the successors of several times as
/// many parents, but nearly all positions with equal successors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// The pawns of the side to move, and the pawns of the other side; the other way round in a reversed key. The side to move moves up.
    pub pawns: [u64; 2],
    /// The second of the position's two [`hashes`].
    pub hash: u32,
}

impl Key {
    /// The least key.
    pub const MIN: Self = Self { pawns: [0; 2], hash: 0 };
    /// The greatest key.
    pub const MAX: Self = Self { pawns: [u64::MAX; 2], hash: u32::MAX };

    /// Returns the key of a position.
    pub fn of(planes: &Planes32) -> Self {
        let (pawns, own) = (planes.pawns(), planes.own);
        Self { pawns: [pawns & own, pawns & !own], hash: hashes(planes)[1] }
    }

    /// Returns the reversed key of a position.
    pub fn reversed(planes: &Planes32) -> Self {
        Self::of(planes).turned()
    }

    /// Returns this key with its pawns the other way round.
    const fn turned(self) -> Self {
        let Self { pawns: [own, theirs], hash } = self;
        Self { pawns: [theirs, own], hash }
    }

    /// Returns the greatest key less than this one, or the least key if there is none.
    pub const fn before(self) -> Self {
        let Self { pawns: [own, theirs], hash } = self;
        match (own, theirs, hash) {
            (0, 0, 0) => Self::MIN,
            (_, 0, 0) => Self { pawns: [own - 1, u64::MAX], hash: u32::MAX },
            (_, _, 0) => Self { pawns: [own, theirs - 1], hash: u32::MAX },
            _ => Self { hash: hash - 1, ..self },
        }
    }
}

/// All keys from one to another, both included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KeyRange {
    /// The least key.
    pub first: Key,
    /// The greatest key.
    pub last: Key,
}

impl KeyRange {
    /// All keys.
    pub const WHOLE: Self = Self { first: Key::MIN, last: Key::MAX };

    /// Returns ranges that cover all keys, at most `count`, such that about equally many of these keys lie in each. The keys are sorted.
    pub fn divide(keys: &mut [Key], count: usize) -> Vec<Self> {
        Self::divide_by(keys, &vec![1; count])
    }

    /// Returns ranges that cover all keys, at most one for each weight, such that about as many of these keys lie in each range as its share of
    /// the weights. The keys are sorted.
    pub fn divide_by(keys: &mut [Key], weights: &[u64]) -> Vec<Self> {
        keys.sort_unstable();
        let total = weights.iter().map(|&weight| u128::from(weight)).sum::<u128>().max(1);
        let ends = weights.iter().scan(0, |end, &weight| {
            *end += u128::from(weight);
            Some(*end * keys.len() as u128 / total)
        });
        let (mut ranges, mut rest) = (Vec::new(), Self::WHOLE);
        // The last range ends with the last key.
        for &border in ends.take(weights.len().saturating_sub(1)).filter_map(|end| keys.get(end as usize)) {
            if rest.first < border {
                ranges.push(Self { last: border.before(), ..rest });
                rest.first = border;
            }
        }
        ranges.push(rest);
        ranges
    }

    /// Returns whether the range has this key.
    pub fn has(&self, key: Key) -> bool {
        self.first <= key && key <= self.last
    }

    /// Returns whether the range has the keys with these pawns, if the hash does not matter.
    pub(super) fn has_pawns(&self, pawns: [u64; 2]) -> Option<bool> {
        let (first, last) = (self.first.pawns, self.last.pawns);
        if first < pawns && pawns < last { Some(true) } else { (pawns < first || last < pawns).then_some(false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn key(own: u64, theirs: u64, hash: u32) -> Key {
        Key { pawns: [own, theirs], hash }
    }

    #[test]
    fn the_key_before_is_the_next_smaller_one() {
        assert_eq!(key(5, 7, 9).before(), key(5, 7, 8));
        assert_eq!(key(5, 7, 0).before(), key(5, 6, u32::MAX));
        assert_eq!(key(5, 0, 0).before(), key(4, u64::MAX, u32::MAX));
        assert_eq!(Key::MIN.before(), Key::MIN);
    }

    #[test]
    fn ranges_cover_all_keys_once() {
        let keys: Vec<_> = (0..1000_u32).map(|index| key(u64::from(index % 3), u64::from(index % 7), index)).collect();
        for count in [0, 1, 2, 10, 400, 5000] {
            let ranges = KeyRange::divide(&mut keys.clone(), count);
            assert!((1..=count.max(1)).contains(&ranges.len()));
            assert_eq!((ranges[0].first, ranges[ranges.len() - 1].last), (Key::MIN, Key::MAX));
            assert!(
                ranges.windows(2).all(|pair| pair[1].first.before() == pair[0].last && pair[0].last < pair[1].first)
            );
            for range in &ranges {
                let inside = keys.iter().filter(|&&key| range.has(key)).count();
                assert!(inside <= 2000 / count.max(1) + 1, "{inside} of 1000 keys in one of {count} ranges");
            }
        }
        let mut sorted = keys.clone();
        let found = KeyRange::divide_by(&mut sorted, &[5, 0, 3, 2]);
        let inside = found.iter().map(|range| keys.iter().filter(|&&key| range.has(key)).count());
        assert_eq!(inside.collect::<Vec<_>>(), [500, 300, 200]);
        assert_eq!(KeyRange::divide_by(&mut sorted, &[u64::MAX; 4]), KeyRange::divide_by(&mut keys.clone(), &[1; 4]));
        assert_eq!(KeyRange::divide_by(&mut sorted, &[]), [KeyRange::WHOLE]);
        assert_eq!(KeyRange::divide(&mut [], 9), [KeyRange::WHOLE]);
        assert_eq!(KeyRange::divide(&mut [key(1, 1, 1); 50], 9).len(), 2);
    }
}
