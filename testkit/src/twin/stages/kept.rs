//! The ranges of which the stages keep the successors.

use kogge_board::merge::{Kept, Key, KeyRange};
use kogge_board::{Planes32, Quad48, Rules};
use kogge_gpu::Interface;
use kogge_gpu::kernels::Scalar;

use super::super::generate::packed_moves;
use super::super::make::made;
use super::super::position::Seen;
use super::Stages;

/// The maximum number of ranges with the pawns of one position.
const SINGLE_RANGES: usize = 60;

impl<I: Interface> Stages<I> {
    /// Sets the scalars that tell what is kept.
    pub(super) fn set_kept(&mut self, kept: Kept) {
        let (kept, KeyRange { first, last }) = match kept {
            Kept::All => (0, KeyRange::WHOLE),
            Kept::Within(range) => (1, range),
            Kept::Before(range) => (2, range),
            Kept::WithinReversed(range) => (3, range),
        };
        let low = |board: u64| board as u32;
        let high = |board: u64| (board >> 32) as u32;
        for (scalar, value) in [
            (Scalar::kept, kept),
            (Scalar::first_own_low, low(first.pawns[0])),
            (Scalar::first_own_high, high(first.pawns[0])),
            (Scalar::first_theirs_low, low(first.pawns[1])),
            (Scalar::first_theirs_high, high(first.pawns[1])),
            (Scalar::first_hash, first.hash),
            (Scalar::last_own_low, low(last.pawns[0])),
            (Scalar::last_own_high, high(last.pawns[0])),
            (Scalar::last_theirs_low, low(last.pawns[1])),
            (Scalar::last_theirs_high, high(last.pawns[1])),
            (Scalar::last_hash, last.hash),
        ] {
            self.scalar(scalar, value);
        }
    }
}

/// Returns what to keep of the successors: ranges of their pawns, and the positions before ranges of later pawns.
pub(super) fn kept_after(positions: &[Quad48], rules: &Rules) -> Vec<Kept> {
    let pawns = pawns_after(positions, rules);
    let before = ranges_among(later(&pawns)).into_iter().map(Kept::Before);
    within(pawns).into_iter().chain(before).collect()
}

/// Returns what to keep of the successors of the successors: ranges of their pawns.
pub(super) fn kept_later(positions: &[Quad48], rules: &Rules) -> Vec<Kept> {
    within(later(&pawns_after(positions, rules)))
}

/// Returns the structures of pawns of all successors.
fn pawns_after(positions: &[Quad48], rules: &Rules) -> Vec<[u64; 2]> {
    let mut pawns: Vec<_> = positions
        .iter()
        .flat_map(|position| {
            let seen = Seen::from(&Planes32::pack(rules, &position.unpack_unchecked()));
            packed_moves(&seen).into_iter().map(move |packed| Key::of(&made(&seen, packed)).pawns)
        })
        .collect();
    // Each structure of pawns counts once, so most of them result from moves of pawns.
    pawns.sort_unstable();
    pawns.dedup();
    pawns
}

/// Returns these structures after a move without pawns, when they are seen upside down.
fn later(pawns: &[[u64; 2]]) -> Vec<[u64; 2]> {
    pawns.iter().map(|&[own, theirs]| [theirs, own].map(u64::swap_bytes)).collect()
}

/// Returns ranges among these structures, and ranges of reversed keys.
fn within(pawns: Vec<[u64; 2]>) -> Vec<Kept> {
    let reversed = pawns.iter().map(|&[own, theirs]| [theirs, own]).collect();
    let ranges = ranges_among(pawns).into_iter().map(Kept::Within);
    ranges.chain(ranges_among(reversed).into_iter().map(Kept::WithinReversed)).collect()
}

/// Returns a range from one third to two thirds of positions with these pawns, some ranges each with the pawns of one position, and
/// half of such a range.
fn ranges_among(mut pawns: Vec<[u64; 2]>) -> Vec<KeyRange> {
    pawns.sort_unstable();
    let range = |first: usize, last: usize, hash| KeyRange {
        first: Key { pawns: pawns[first], hash: 0 },
        last: Key { pawns: pawns[last], hash },
    };
    let (len, Some(most)) = (pawns.len(), pawns.len().checked_sub(1)) else { return Vec::new() };
    let single = (0..len).step_by(len.div_ceil(SINGLE_RANGES)).map(|index| range(index, index, u32::MAX));
    single.chain([range(len / 3, most.min(2 * len / 3), u32::MAX), range(len / 2, len / 2, 1 << 31)]).collect()
}
