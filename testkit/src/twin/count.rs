//! Counting legal moves.

use kogge_gpu::MOST_MOVES;
use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;
use super::generate::packed_moves;
use super::position::{View, load_position};

pub(super) fn count_moves_of(seen: &View) -> u32 {
    packed_moves(seen).len() as u32
}

/// Adds to a root's total; element 0 of the totals is their header.
pub(super) fn add_to_total(arguments: &Arguments<'_>, root: u32, amount: u32) {
    let element = root as usize + 1;
    let before = arguments.add(Binding::totals, 2 * element, amount);
    if before.checked_add(amount).is_none() {
        arguments.add(Binding::totals, 2 * element + 1, 1);
    }
    let [low, high] = arguments.read(Binding::totals, element);
    let (total, most) = (u64::from(high) << 32 | u64::from(low), arguments.settings.most_total);
    assert!(total <= most, "The total of root {root} is {total}, and the host has promised at most {most}.");
}

pub(super) fn count(arguments: &Arguments<'_>) {
    for index in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let moves = count_moves_of(&load_position(arguments, Binding::positions, index));
        arguments.set(Binding::new_counts, index, moves.min(MOST_MOVES));
    }
}
