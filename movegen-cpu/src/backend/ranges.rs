//! The tables of a ply: each holds a range of positions, in the order of the pieces of the side to move.
//!
//! A move changes the pieces of the side that replies only if it captures. So positions are ordered by the pieces of the side
//! to move. Parents are in the order of most of their successors: by the pieces of the side that replies. Then nearly all
//! successors of a range of parents belong to the same range. One thread expands these parents and merges their successors in
//! a table that fits in its core's cache. (Structured duplicate detection: Zhou and Hansen, 2004.)
//!
//! If many positions have the same pieces of the side to move, for instance because this side has only a king, a hash of all
//! pieces chooses the table.
//!
//! A [`KeyRange`] is a different kind of range: the caller's filter for positions. Both orders begin with the pawns of
//! the side to move, so the positions of a [`KeyRange`] lie in few tables.

use kogge_board::merge::{Filter, KeyRange};

/// The key of a position in the order of the tables.
///
/// This is not the [key](kogge_board::merge::Key) of the caller's ranges, where the pawns of the other side come second,
/// because a move often changes these.
// From the highest bits down: the pawns of the side to move, a hash of all its pieces, a hash of the position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct TableKey(u128);

impl TableKey {
    #[inline(always)]
    pub(crate) fn new(pawns: u64, side: u32, position: u32) -> Self {
        Self(u128::from(pawns) << 64 | u128::from(side) << 32 | u128::from(position))
    }

    fn side(self) -> u128 {
        self.0 >> 32
    }
}

/// The ranges of the tables of a ply. Together the ranges cover all positions.
#[derive(Clone, Debug)]
pub(crate) struct TableRanges {
    /// The first key of each range, in order. The first range begins with the lowest key.
    first: Vec<TableKey>,
    /// The number of ranges if only the hash of the position chooses the range.
    by_hash: Option<u32>,
}

impl Default for TableRanges {
    fn default() -> Self {
        Self { first: vec![TableKey::default()], by_hash: None }
    }
}

impl TableRanges {
    /// Returns about `count` ranges of about equal size, for positions with keys like these. The hash of the position
    /// chooses the range if half of the positions would need several ranges for the same pieces of the side to move.
    pub(crate) fn for_tables(mut keys: Vec<TableKey>, count: usize) -> Self {
        keys.sort_unstable();
        let alike = keys.chunk_by(|a, b| a.side() == b.side()).map(<[_]>::len);
        let in_many: usize = alike.filter(|&len| len * count > keys.len()).sum();
        if 2 * in_many > keys.len() {
            return Self { first: Vec::new(), by_hash: Some(count as u32) };
        }
        Self::divide(keys, count)
    }

    /// Returns at most `count` ranges of about equal size, for positions with keys like these.
    pub(crate) fn divide(mut keys: Vec<TableKey>, count: usize) -> Self {
        keys.sort_unstable();
        let mut first = vec![TableKey::default()];
        for range in 1..count.min(keys.len()) {
            let key = keys[range * keys.len() / count.min(keys.len())];
            // Positions with the same pieces stay together if there are not too many of them.
            let before = keys.partition_point(|other| other.side() < key.side());
            let alike = keys[before..].partition_point(|other| other.side() == key.side());
            let key = if alike * count <= keys.len() { TableKey(key.side() << 32) } else { key };
            if first.last().is_some_and(|last| *last < key) {
                first.push(key);
            }
        }
        Self { first, by_hash: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.by_hash.map_or(self.first.len(), |ranges| ranges as usize)
    }

    /// Returns whether parents can be put in the order of their successors' ranges.
    pub(crate) fn are_foreseen(&self) -> bool {
        self.by_hash.is_none()
    }

    pub(crate) fn find(&self, key: TableKey) -> usize {
        match self.by_hash {
            None => self.first.partition_point(|first| *first <= key) - 1,
            Some(ranges) => ((u64::from(key.0 as u32) * u64::from(ranges)) >> 32) as usize,
        }
    }

    /// Returns the number of tables that may hold positions that pass the filter.
    pub(crate) fn count_for(&self, kept: Filter) -> usize {
        match kept {
            Filter::Reaching { range: KeyRange { first, last }, plies: 0, is_reversed: false }
                if self.are_foreseen() =>
            {
                let [first, last] = [(first, 0), (last, u32::MAX)]
                    .map(|(key, hash)| self.find(TableKey::new(key.pawns[0], hash, hash)));
                last + 1 - first.min(last)
            }
            _ => self.len(),
        }
    }

    /// Returns the first key of a range, and the first key of the next range.
    pub(crate) fn limits(&self, range: usize) -> (TableKey, Option<TableKey>) {
        (self.first[range], self.first.get(range + 1).copied())
    }
}

#[cfg(test)]
mod tests {
    use kogge_board::merge::Key;

    use super::*;

    #[test]
    fn every_position_is_in_one_range() {
        let hashes = || (0..40_u32).map(|index| index.wrapping_mul(0x9e37_79b9));
        let few = (1..50_u32).flat_map(|side| hashes().map(move |hash| TableKey::new(side.into(), side, hash)));
        // The last pieces occur 960 times.
        let often = (1..24_u32).flat_map(|salt| hashes().map(move |hash| TableKey::new(49, 49, hash ^ salt << 3)));
        let ranges = TableRanges::for_tables(few.clone().chain(often.clone()).collect(), 8);
        assert_eq!((ranges.len(), ranges.are_foreseen()), (8, true));
        let mut found = [0; 8];
        for key in few {
            let range = ranges.find(key);
            let (first, next) = ranges.limits(range);
            assert!(first <= key && next.is_none_or(|next| key < next));
            found[range] += 1;
        }
        assert!(found.iter().all(|&count| count > 0), "{found:?}");
        let split: std::collections::HashSet<_> = often.map(|key| ranges.find(key)).collect();
        assert!(split.len() > 1);
        assert_eq!(TableRanges::default().find(TableKey::new(u64::MAX, 0, 0)), 0);
        assert_eq!(TableRanges::for_tables(Vec::new(), 8).len(), 1);
    }

    #[test]
    fn if_all_have_the_same_pieces_the_hash_chooses_the_range() {
        let keys: Vec<_> = (0..1000_u32).map(|index| TableKey::new(0, 7, index.wrapping_mul(0x9e37_79b9))).collect();
        let ranges = TableRanges::for_tables(keys.clone(), 8);
        assert_eq!((ranges.len(), ranges.are_foreseen()), (8, false));
        let mut found = [0; 8];
        keys.iter().for_each(|key| found[ranges.find(*key)] += 1);
        assert!(found.iter().all(|&count| (100..150).contains(&count)), "{found:?}");
        assert_eq!(ranges.count_for(Filter::within(KeyRange { first: Key::MAX, last: Key::MAX })), 8);
    }

    #[test]
    fn positions_that_are_kept_lie_in_the_tables_that_were_counted() {
        let keys: Vec<_> = (0..5_000_u32).map(|hash| TableKey::new(u64::from(hash) % 50, hash, hash)).collect();
        let ranges = TableRanges::for_tables(keys.clone(), 8);
        assert_eq!((ranges.count_for(Filter::All), ranges.count_for(Filter::within(KeyRange::WHOLE))), (8, 8));
        for (first, last) in [(0, 10), (10, 12), (12, 12), (13, 49), (50, 90)] {
            let [from, to] = [first, last].map(|pawns| Key { pawns: [pawns, 5], hash: 6 });
            let kept = keys.iter().filter(|key| (first..=last).contains(&((key.0 >> 64) as u64)));
            let tables: std::collections::HashSet<_> = kept.map(|key| ranges.find(*key)).collect();
            let counted = ranges.count_for(Filter::within(KeyRange { first: from, last: to }));
            assert!((tables.len()..=tables.len() + 1).contains(&counted), "{counted}, and {tables:?}");
        }
    }

    #[test]
    fn positions_with_the_same_pieces_stay_together_if_they_are_few() {
        let keys = (1..8_u32).flat_map(|side| (0..10).map(move |hash| TableKey::new(side.into(), side, hash)));
        let ranges = TableRanges::for_tables(keys.collect(), 3);
        for side in 1..8 {
            let [first, last] = [0, u32::MAX].map(|hash| ranges.find(TableKey::new(side.into(), side, hash)));
            assert_eq!(first, last);
        }
    }
}
