//! The last two plies. The twin has no closed form: it counts the replies to all moves that do not become items.

use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;
use super::count::add_to_total;
use super::device::Queues;
use super::generate::packed_moves;
use super::perft::replies_to;
use super::position::load_position;

/// Returns whether a move becomes an item.
pub(super) fn is_queued(arguments: &Arguments<'_>, number: usize) -> bool {
    match arguments.queues {
        Queues::Half => number % 2 == 1,
        Queues::None => false,
        Queues::All => true,
    }
}

/// Counts an item, and appends it if there is room.
pub(super) fn queue(arguments: &Arguments<'_>, packed: u32, index: usize) {
    let at = arguments.add(Binding::new_item_count, 0, 1);
    if at < arguments.scalar(Scalar::item_capacity) {
        arguments.write(Binding::new_items, at as usize, [packed, index as u32]);
    }
}

/// Adds the number of replies to some moves of each position to the totals; the other moves become items.
pub(super) fn closed_form(arguments: &Arguments<'_>) {
    for index in arguments.indices(arguments.scalar(Scalar::first), arguments.scalar(Scalar::end)) {
        let seen = load_position(arguments, Binding::positions, index);
        let mut sum = 0;
        for (number, packed) in packed_moves(&seen).iter().copied().enumerate() {
            if is_queued(arguments, number) {
                queue(arguments, packed, index);
            } else {
                sum += replies_to(&seen, packed);
            }
        }
        add_to_total(arguments, arguments.word(Binding::roots, index), sum);
    }
}
