//! TableRanges of positions in the order of their pawns.
//!
//! A move changes the pawns of the side that replies only if it takes one; about 3 % of all moves do. So positions are
//! ordered by the pawns of the side to move, then by the pawns of the other side, and parents in the order of most of their
//! successors. Then most successors of a range of parents belong to the same range. One thread expands these parents and
//! merges their successors in a table that fits in its core's cache. (Structured duplicate detection: Zhou and Hansen,
//! 2004.)
//!
//! Where there are few pawns, as in endgames, many positions have the same pawns. Then a hash alone chooses the table.
//!
//! A [`KeyRange`] is something else: the caller's choice of the positions that are kept. It is in the same order, so its
//! positions lie in few tables. Both use the same pawns, but different hashes.

use kogge_board::merge::{Kept, KeyRange};

/// Where a position lies in the order of the tables. Positions with the same pawns are ordered by hash.
///
/// This is not the [key](kogge_board::merge::Key) of the caller's ranges. Every successor needs this one, and its hash is half
/// of a hash that the tables need anyway.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct TableKey {
    /// The pawns of the side to move in the upper half, the pawns of the other side in the lower half.
    pawns: u128,
    hash: u32,
}

impl TableKey {
    /// Returns the key of a position with this hash.
    #[inline(always)]
    pub(crate) fn of(&[a, b, c, own]: &[u64; 4], hash: u32) -> Self {
        let pawns = a & !(b | c);
        Self { pawns: u128::from(pawns & own) << 64 | u128::from(pawns & !own), hash }
    }

    /// Returns the key of the position after a move that neither moves nor takes a pawn, with this hash.
    fn after_quiet_move(&[a, b, c, own]: &[u64; 4], hash: u32) -> Self {
        let pawns = a & !(b | c);
        // The board is flipped after each move.
        let [mine, theirs] = [pawns & own, pawns & !own].map(u64::swap_bytes);
        Self { pawns: u128::from(theirs) << 64 | u128::from(mine), hash }
    }
}

/// TableRanges that cover all positions.
#[derive(Clone, Debug)]
pub(crate) struct TableRanges {
    /// The first key of each range, in order. The first range begins with the least key.
    first: Vec<TableKey>,
    /// The number of ranges if the hash alone chooses the range.
    by_hash: Option<u32>,
}

impl Default for TableRanges {
    /// Returns one range of all positions.
    fn default() -> Self {
        Self { first: vec![TableKey::default()], by_hash: None }
    }
}

impl TableRanges {
    /// Returns about `count` ranges, into which the successors of these parents fall about equally.
    pub(crate) fn for_successors_of<'a>(parents: impl Iterator<Item = (&'a [u64; 4], u32)>, count: usize) -> Self {
        let mut keys: Vec<_> = parents.map(|(position, hash)| TableKey::after_quiet_move(position, hash)).collect();
        keys.sort_unstable();
        let alike = keys.chunk_by(|a, b| a.pawns == b.pawns).map(<[_]>::len);
        let in_many: usize = alike.filter(|&len| len * count > keys.len()).sum();
        if 2 * in_many > keys.len() {
            return Self { first: Vec::new(), by_hash: Some(count as u32) };
        }
        let mut first = vec![TableKey::default()];
        for range in 1..count.min(keys.len()) {
            let key = keys[range * keys.len() / count.min(keys.len())];
            // The successors of positions with the same pawns stay together if they are not too many.
            let together = keys.partition_point(|other| other.pawns < key.pawns);
            let rest = keys[together..].partition_point(|other| other.pawns == key.pawns);
            let hash = if rest * count <= keys.len() { 0 } else { key.hash };
            let key = TableKey { hash, ..key };
            if first.last().is_some_and(|last| *last < key) {
                first.push(key);
            }
        }
        Self { first, by_hash: None }
    }

    /// Returns the number of ranges.
    pub(crate) fn len(&self) -> usize {
        self.by_hash.map_or(self.first.len(), |ranges| ranges as usize)
    }

    /// Returns whether parents can be put in the order of their successors' ranges.
    pub(crate) fn are_foreseen(&self) -> bool {
        self.by_hash.is_none()
    }

    /// Returns the range of a position with this key.
    pub(crate) fn find(&self, key: TableKey) -> usize {
        match self.by_hash {
            None => self.first.partition_point(|first| *first <= key) - 1,
            Some(ranges) => ((u64::from(key.hash) * u64::from(ranges)) >> 32) as usize,
        }
    }

    /// Returns the range of most successors of a parent, if it can be foreseen. The hash is needed only for positions with
    /// the same pawns.
    pub(crate) fn find_for_successors_of(&self, parent: &[u64; 4], hash: impl FnOnce() -> u32) -> usize {
        let key = TableKey::after_quiet_move(parent, 0);
        let found = self.find(key);
        match self.first.get(found + 1) {
            Some(next) if next.pawns == key.pawns => self.find(TableKey { hash: hash(), ..key }),
            _ => found,
        }
    }

    /// Returns the number of tables that may hold positions that are kept.
    pub(crate) fn count_for(&self, kept: Kept) -> usize {
        match kept {
            Kept::Within(KeyRange { first, last }) if self.are_foreseen() => {
                let [first, last] = [(first, 0), (last, u32::MAX)].map(|(key, hash)| {
                    let [own, theirs] = key.pawns.map(u128::from);
                    self.find(TableKey { pawns: own << 64 | theirs, hash })
                });
                last + 1 - first.min(last)
            }
            _ => self.len(),
        }
    }

    /// Returns the first key of a range, and the first key after it.
    pub(crate) fn limits(&self, range: usize) -> (TableKey, Option<TableKey>) {
        (self.first[range], self.first.get(range + 1).copied())
    }
}

#[cfg(test)]
mod tests {
    use kogge_board::merge::Key;
    use kogge_board::{Fen, Planes32};

    use super::*;

    fn planes(fen: &str) -> [u64; 4] {
        let fen: Fen = fen.parse().unwrap();
        let Planes32 { codes: [a, b, c], own } = Planes32::pack(&fen.rules, &fen.position);
        [a, b, c, own]
    }

    #[test]
    fn a_quiet_move_leads_to_the_key_that_was_foreseen() {
        let before = planes("4k3/pp4p1/8/2P5/8/8/P5PP/4KN2 w - - 0 1");
        let after = planes("4k3/pp4p1/8/2P5/8/6N1/P5PP/4K3 b - - 1 1");
        assert_eq!(TableKey::after_quiet_move(&before, 7), TableKey::of(&after, 7));
        let capture = planes("4k3/pp4N1/8/2P5/8/8/P5PP/4K3 b - - 0 1");
        assert!(TableKey::after_quiet_move(&before, 7) != TableKey::of(&capture, 7));
        // The pawns of the side that replies come first.
        let push = planes("4k3/pp4p1/2P5/8/8/8/P5PP/4KN2 b - - 0 1");
        assert_eq!(TableKey::of(&push, 7).pawns >> 64, TableKey::of(&after, 7).pawns >> 64);
    }

    #[test]
    fn every_position_is_in_one_range() {
        let pawns: Vec<_> = (1..50_u64).map(|index| [index << 8, 0, 0, index << 8 & 0xff00]).collect();
        let hashes = || (0..40_u32).map(|index| index.wrapping_mul(0x9e37_79b9));
        // The last pawns occur 960 times.
        let often = || (0..24_u32).flat_map(move |salt| hashes().map(move |hash| hash ^ salt << 3));
        let few = pawns.iter().flat_map(|position| hashes().map(move |hash| (position, hash)));
        let ranges = TableRanges::for_successors_of(few.chain(often().map(|hash| (&pawns[48], hash))), 8);
        assert_eq!((ranges.len(), ranges.are_foreseen()), (8, true));
        let mut found = [0; 8];
        for position in &pawns {
            for hash in hashes() {
                let key = TableKey::after_quiet_move(position, hash);
                let range = ranges.find(key);
                assert_eq!(ranges.find_for_successors_of(position, || hash), range);
                let (first, next) = ranges.limits(range);
                assert!(first <= key && next.is_none_or(|next| key < next));
                found[range] += 1;
            }
        }
        assert_eq!(found.iter().sum::<u32>(), 49 * 40);
        let split = hashes().map(|hash| ranges.find(TableKey::after_quiet_move(&pawns[48], hash)));
        assert!(split.collect::<std::collections::HashSet<_>>().len() > 1);
        assert_eq!(TableRanges::default().find(TableKey::of(&pawns[0], u32::MAX)), 0);
        assert_eq!(TableRanges::for_successors_of(std::iter::empty(), 8).len(), 1);
    }

    #[test]
    fn without_pawns_the_hash_chooses_the_range() {
        let kings = planes("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
        let hashes = || (0..1000_u32).map(|index| index.wrapping_mul(0x9e37_79b9));
        let ranges = TableRanges::for_successors_of(hashes().map(|hash| (&kings, hash)), 8);
        assert_eq!((ranges.len(), ranges.are_foreseen()), (8, false));
        let mut found = [0; 8];
        hashes().for_each(|hash| found[ranges.find(TableKey::of(&kings, hash))] += 1);
        assert!(found.iter().all(|&count| (100..150).contains(&count)), "{found:?}");
    }

    #[test]
    fn positions_that_are_kept_lie_in_the_tables_that_were_counted() {
        let pawns: Vec<_> = (1..50_u64).map(|index| [index << 8, 0, 0, index << 8 & 0xff00]).collect();
        let ranges = TableRanges::for_successors_of(pawns.iter().map(|position| (position, 0)), 8);
        // Successors, with the board flipped.
        let successors: Vec<_> = pawns.iter().map(|[a, _, _, own]| [*a, 0, 0, a & !own].map(u64::swap_bytes)).collect();
        let planes = |&[a, b, c, own]: &[u64; 4]| Planes32 { codes: [a, b, c], own };
        let mut keys: Vec<_> = successors.iter().map(|position| Key::of(&planes(position))).collect();
        assert_eq!((ranges.count_for(Kept::All), ranges.count_for(Kept::Within(KeyRange::WHOLE))), (8, 8));
        for count in [2, 5, 20] {
            for range in KeyRange::divide(&mut keys, count) {
                let kept = successors.iter().filter(|position| range.has_position(&planes(position)));
                let tables: std::collections::HashSet<_> =
                    kept.map(|position| ranges.find(TableKey::of(position, 7))).collect();
                let counted = ranges.count_for(Kept::Within(range));
                assert!((tables.len()..=tables.len() + 2).contains(&counted), "{counted}, and {tables:?}");
            }
        }
        let by_hash = TableRanges { first: Vec::new(), by_hash: Some(9) };
        assert_eq!(by_hash.count_for(Kept::Within(KeyRange { first: Key::MAX, last: Key::MAX })), 9);
    }

    #[test]
    fn positions_with_the_same_pawns_stay_together_if_they_are_few() {
        let pawns: Vec<_> = (1..8_u64).map(|rank| [1 << (8 * rank), 0, 0, 0]).collect();
        let sample = pawns.iter().flat_map(|position| (0..10).map(move |hash| (position, hash)));
        let ranges = TableRanges::for_successors_of(sample, 3);
        for position in &pawns {
            assert_eq!(
                ranges.find(TableKey::after_quiet_move(position, 0)),
                ranges.find(TableKey::after_quiet_move(position, 9))
            );
        }
    }
}
