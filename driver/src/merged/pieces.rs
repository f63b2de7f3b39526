//! Ranges that are made one after the other, and how one that does not fit is split.

use std::collections::VecDeque;

use kogge_board::merge::{Key, KeyRange};

/// A range, or a piece of one that was split.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    /// The number of the range.
    pub(super) number: usize,
    pub(super) range: KeyRange,
}

/// Returns a key of the range that is not its first, at which to split it between pawn structures. `median` is a key of a
/// position in the range, if one is known. The range has more than one key.
///
/// Ranges whose positions have the same pawns of the side to move need far fewer parents than others, so these are split off first.
pub(super) fn between_pawns(range: &KeyRange, median: Option<&Key>) -> Key {
    let start = |own| Key { pawns: [own, 0], hash: 0 };
    let end = |own| Key { pawns: [own, u64::MAX], hash: u32::MAX };
    let [least, greatest] = [range.first, range.last].map(|key| key.pawns[0]);
    let borders = match median {
        Some(&Key { pawns: [own, _], .. }) if least < greatest => [start(own), start(own.saturating_add(1))],
        Some(&key) => [Key { hash: 0, ..key }, Key { pawns: [key.pawns[0], key.pawns[1].saturating_add(1)], hash: 0 }],
        // A range that begins or ends within a pawn structure loses this part first.
        None if least < greatest && range.first > start(least) => [start(least.saturating_add(1)); 2],
        None if least < greatest && range.last != end(greatest) => [start(greatest); 2],
        None => return middle(range),
    };
    let is_inside = |border: &Key| range.first < *border && *border <= range.last;
    borders.into_iter().find(is_inside).unwrap_or_else(|| middle(range))
}

/// Splits the first piece in two; the second begins with this key.
pub(super) fn split_at(border: Key, rest: &mut VecDeque<Piece>) {
    if let Some(Piece { number, range }) = rest.pop_front() {
        rest.push_front(Piece { number, range: KeyRange { first: border, ..range } });
        rest.push_front(Piece { number, range: KeyRange { last: border.before(), ..range } });
    }
}

/// Returns a key of the range that is not its first, about in its middle. The range has more than one key.
pub(super) fn middle(range: &KeyRange) -> Key {
    let pawns = |key: Key| u128::from(key.pawns[0]) << 64 | u128::from(key.pawns[1]);
    let [first, last] = [range.first, range.last].map(pawns);
    if first == last {
        let hash = range.first.hash + (range.last.hash - range.first.hash).div_ceil(2);
        return Key { hash, ..range.first };
    }
    let middle = first + (last - first).div_ceil(2);
    Key { pawns: [(middle >> 64) as u64, middle as u64], hash: 0 }
}

pub(super) fn covers(outer: &KeyRange, inner: &KeyRange) -> bool {
    outer.first <= inner.first && inner.last <= outer.last
}

pub(super) fn union<'p>(pieces: impl Iterator<Item = &'p Piece>) -> KeyRange {
    let none = KeyRange { first: Key::MAX, last: Key::MIN };
    pieces.fold(none, |union, Piece { range, .. }| KeyRange {
        first: union.first.min(range.first),
        last: union.last.max(range.last),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_split_between_its_keys() {
        let key = |own, theirs, hash| Key { pawns: [own, theirs], hash };
        for (first, last) in [
            (Key::MIN, Key::MAX),
            (key(0, 0, 5), key(0, 0, 6)),
            (key(0, 0, 5), key(0, 0, u32::MAX)),
            (key(0, u64::MAX, u32::MAX), key(1, 0, 0)),
            (key(3, 7, 9), key(3, 8, 0)),
        ] {
            let range = KeyRange { first, last };
            let borders = [middle(&range), between_pawns(&range, None), between_pawns(&range, Some(&first))];
            for border in borders.into_iter().chain([between_pawns(&range, Some(&last))]) {
                assert!(first < border && border <= last, "{range:?}: {border:?}");
            }
        }
    }
}
