//! Ranges of positions with similar pawns.

use super::hashes;
use crate::Planes32;
use crate::bits::{Bits, FILE_A, FILE_H, RANK_8, flip, rank};

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

    /// Returns ranges that cover all keys, at most `count`, such that about equally many of these keys lie in each.
    pub fn divide(keys: &mut [Key], count: usize) -> Vec<Self> {
        Self::WHOLE.divided(keys, count)
    }

    /// Returns ranges that cover this range, at most `count`, such that about equally many of these keys lie in each. The keys
    /// are sorted.
    pub fn divided(self, keys: &mut [Key], count: usize) -> Vec<Self> {
        keys.sort_unstable();
        let keys = &keys[keys.partition_point(|&key| key < self.first)..keys.partition_point(|&key| key <= self.last)];
        let count = count.max(1);
        let (mut ranges, mut rest) = (Vec::new(), self);
        for &border in (1..count).filter_map(|index| keys.get(index * keys.len() / count)) {
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

    /// Returns whether the range has the key of this position. The hash is computed only if the pawns do not decide.
    pub fn has_position(&self, planes: &Planes32) -> bool {
        let (pawns, own) = (planes.pawns(), planes.own);
        self.has_pawns([pawns & own, pawns & !own]).unwrap_or_else(|| self.has(Key::of(planes)))
    }

    /// Returns whether the range has the [reversed](Key::reversed) key of this position.
    pub fn has_reversed(&self, planes: &Planes32) -> bool {
        let (pawns, own) = (planes.pawns(), planes.own);
        self.has_pawns([pawns & !own, pawns & own]).unwrap_or_else(|| self.has(Key::reversed(planes)))
    }

    /// Returns whether the range has the keys with these pawns, if the hash does not matter.
    fn has_pawns(&self, pawns: [u64; 2]) -> Option<bool> {
        let (first, last) = (self.first.pawns, self.last.pawns);
        if first < pawns && pawns < last { Some(true) } else { (pawns < first || last < pawns).then_some(false) }
    }

    /// Returns whether a move may lead from this position into the range. The answer is yes for every position with a
    /// successor in the range, and for some others: only pawns are looked at, and checks and pins are not.
    ///
    /// The kernels compute the same.
    pub fn may_follow(&self, parent: &Planes32) -> bool {
        let theirs = parent.pawns() & !parent.own;
        // The board is flipped after the move. A move takes at most one pawn.
        let [least, greatest] = [self.first.pawns[0], self.last.pawns[0]];
        let mut taken = std::iter::once(0).chain(Bits(theirs));
        if !taken.any(|pawn| (least..=greatest).contains(&flip(theirs ^ pawn))) {
            return false;
        }
        if least < greatest {
            return true;
        }
        // All positions of the range have the same pawns of the side to move. The other side moves at most one pawn.
        let (least, greatest) = (self.first.pawns[1], self.last.pawns[1]);
        pawns_after(parent).any(|pawns| (least..=greatest).contains(&pawns))
    }

    /// Returns whether a move may lead from this position to one whose [reversed](Key::reversed) key is in the range. The answer is as in
    /// [`KeyRange::may_follow`].
    ///
    /// The kernels compute the same.
    pub fn may_follow_reversed(&self, parent: &Planes32) -> bool {
        let [least, greatest] = [self.first.pawns[0], self.last.pawns[0]];
        pawns_after(parent).any(|pawns| (least..=greatest).contains(&pawns))
    }
}

/// Returns the pawns of the side to move as they are, and after each of its pawns' moves, seen by the side that replies. A pawn that gets
/// to the last rank becomes another piece.
fn pawns_after(parent: &Planes32) -> impl Iterator<Item = u64> {
    let Planes32 { codes: [bit1, bit2, bit4], own } = *parent;
    let (occupied, mine) = (bit1 | bit2 | bit4, parent.pawns() & own);
    let targets = (occupied & !own) | (own & !occupied);
    let pushed = mine << 8 & !occupied;
    let pushed_twice = (pushed & rank(2)) << 8 & !occupied;
    let moves =
        [(pushed, 8), (pushed_twice, 16), ((mine & !FILE_A) << 7 & targets, 7), ((mine & !FILE_H) << 9 & targets, 9)];
    let changes = moves
        .into_iter()
        .flat_map(|(squares, distance)| Bits(squares).map(move |square| square >> distance | square & !RANK_8));
    std::iter::once(0).chain(changes).map(move |change| flip(mine ^ change))
}

/// The successors that an expansion keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Filter {
    /// All successors.
    All,
    /// The successors whose keys lie in the range.
    Within(KeyRange),
    /// The successors whose [reversed](Key::reversed) keys lie in the range.
    WithinReversed(KeyRange),
    /// The successors from which a move [may lead](KeyRange::may_follow) into the range.
    Before(KeyRange),
}

impl Filter {
    /// Returns whether a successor is kept.
    pub fn has(&self, successor: &Planes32) -> bool {
        match self {
            Self::All => true,
            Self::Within(range) => range.has_position(successor),
            Self::WithinReversed(range) => range.has_reversed(successor),
            Self::Before(range) => range.may_follow(successor),
        }
    }

    /// Returns whether a parent may have a successor that is kept.
    pub fn needs(&self, parent: &Planes32) -> bool {
        match self {
            Self::Within(range) => range.may_follow(parent),
            Self::WithinReversed(range) => range.may_follow_reversed(parent),
            Self::All | Self::Before(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fen;

    const fn key(own: u64, theirs: u64, hash: u32) -> Key {
        Key { pawns: [own, theirs], hash }
    }

    fn planes(fen: &str) -> Planes32 {
        let fen: Fen = fen.parse().unwrap();
        Planes32::pack(&fen.rules, &fen.position)
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
        assert_eq!(KeyRange::divide(&mut [], 9), [KeyRange::WHOLE]);
        assert_eq!(KeyRange::divide(&mut [key(1, 1, 1); 50], 9).len(), 2);
    }

    #[test]
    fn only_pawns_decide_what_may_follow() {
        let parent = planes("4k3/1P5p/2p5/3P4/8/8/4P3/4K3 w - - 0 1");
        let exactly = |fen: &str| {
            let Key { pawns, .. } = Key::of(&planes(fen));
            KeyRange { first: Key { pawns, hash: 0 }, last: Key { pawns, hash: u32::MAX } }
        };
        let exactly_reversed = |fen: &str| {
            let KeyRange { first, last } = exactly(fen);
            KeyRange { first: first.turned(), last: last.turned() }
        };
        for may in [
            "4k3/1P5p/2p5/3P4/8/8/4P3/3K4 b - - 0 1",
            "4k3/1P5p/2p5/3P4/8/4P3/8/4K3 b - - 0 1",
            "4k3/1P5p/2p5/3P4/4P3/8/8/4K3 b - - 0 1",
            "4k3/1P5p/2P5/8/8/8/4P3/4K3 b - - 0 1",
            "1Q2k3/7p/2p5/3P4/8/8/4P3/4K3 b - - 0 1",
        ] {
            assert!(exactly(may).may_follow(&parent), "{may}");
            assert!(exactly_reversed(may).may_follow_reversed(&parent), "{may}");
        }
        // Pawns of the other side do not matter in ranges of reversed keys.
        let changed = "4k3/1P6/2p4p/3P4/8/8/4P3/4K3 b - - 0 1";
        assert!(!exactly(changed).may_follow(&parent) && exactly_reversed(changed).may_follow_reversed(&parent));
        let taken_twice = "4k3/1P6/8/3P4/8/8/4P3/4K3 b - - 0 1";
        assert!(
            !exactly(taken_twice).may_follow(&parent) && exactly_reversed(taken_twice).may_follow_reversed(&parent)
        );
        for may_not in [
            // A pawn has moved sideways without a capture, or as far as no pawn can.
            "4k3/1P5p/2p1P3/8/8/8/4P3/4K3 b - - 0 1",
            "4k3/1P5p/2p5/3P4/8/8/8/4K3 b - - 0 1",
        ] {
            assert!(!exactly(may_not).may_follow(&parent), "{may_not}");
            assert!(!exactly_reversed(may_not).may_follow_reversed(&parent), "{may_not}");
        }
        let en_passant = planes("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
        for (pawn, may) in [("3P4", true), ("5P2", false)] {
            let fen = format!("4k3/8/{pawn}/8/8/8/8/4K3 b - - 0 1");
            assert_eq!(exactly(&fen).may_follow(&en_passant), may);
            assert_eq!(exactly_reversed(&fen).may_follow_reversed(&en_passant), may);
        }
        assert!(KeyRange::WHOLE.may_follow(&parent));
    }
}
