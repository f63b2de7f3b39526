//! The last ply: the replies to each item are counted.

use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;
use super::count::{add_to_total, count_moves_of};
use super::make::made;
use super::position::{View, load_position};

pub(super) fn replies_to(seen: &View, packed: u32) -> u32 {
    count_moves_of(&View::from(&made(seen, packed)))
}

/// Adds the number of replies to each item to its root's total.
pub(super) fn count_replies(arguments: &Arguments<'_>) {
    let (len, capacity) = (arguments.word(Binding::item_count, 0), arguments.scalar(Scalar::item_capacity));
    if len > capacity {
        arguments.set(Binding::totals, 0, 1);
    }
    for index in 0..len.min(capacity) as usize {
        let [packed, parent] = arguments.read(Binding::items, index);
        let seen = load_position(arguments, Binding::positions, parent as usize);
        let root = arguments.word(Binding::roots, parent as usize);
        add_to_total(arguments, root, replies_to(&seen, packed));
    }
}
