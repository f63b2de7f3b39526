//! The successors of positions, in any order.

use kogge_board::Planes32;
use kogge_board::merge::Filter;
use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;
use super::closed_form::{is_queued, queue};
use super::generate::packed_moves;
use super::make::made;
use super::position::{load_position, store_position};
use super::range::kept_of_scalars;

fn store_successor(arguments: &Arguments<'_>, parent: usize, successor: &Planes32) {
    let at = arguments.add(Binding::new_item_count, 1, 1);
    if at < arguments.scalar(Scalar::capacity) {
        store_position(arguments, Binding::successors, at as usize, successor);
        let root = arguments.word(Binding::roots, parent);
        arguments.set(Binding::successor_roots, at as usize, root);
    }
}

/// Makes and counts the successors of each position, last move first; some moves become items. If there is a filter,
/// successors that do not pass it are left out, and moves are not counted.
pub(super) fn expand_unordered(arguments: &Arguments<'_>) {
    let kept = kept_of_scalars(arguments);
    for index in arguments.indices(arguments.scalar(Scalar::first), arguments.scalar(Scalar::end)) {
        let seen = load_position(arguments, Binding::positions, index);
        let moves = packed_moves(&seen);
        if kept == Filter::All {
            arguments.set(Binding::new_counts, index, moves.len() as u32);
        }
        for (number, &packed) in moves.iter().enumerate().rev() {
            let successor = made(&seen, packed);
            if !kept.has(&successor) {
                continue;
            }
            if is_queued(arguments, number) {
                queue(arguments, packed, index);
            } else {
                store_successor(arguments, index, &successor);
            }
        }
    }
}

pub(super) fn expand_items(arguments: &Arguments<'_>) {
    let (len, capacity) = (arguments.word(Binding::new_item_count, 0), arguments.scalar(Scalar::item_capacity));
    if len > capacity {
        let successors = arguments.word(Binding::new_item_count, 1);
        arguments.set(Binding::new_item_count, 1, successors.max(arguments.scalar(Scalar::capacity) + 1));
    }
    for index in 0..len.min(capacity) as usize {
        let [packed, parent] = arguments.read(Binding::items, index);
        let seen = load_position(arguments, Binding::positions, parent as usize);
        store_successor(arguments, parent as usize, &made(&seen, packed));
    }
}
