//! The moves of a position, in generation order.

use std::rc::Rc;

use kogge_gpu::kernels::{Binding, Scalar};
use kogge_movegen_cpu::mailbox::legal_moves;

use super::arguments::Arguments;
use super::make::packed_move;
use super::memo::Memo;
use super::position::{View, load_position};

/// Returns the legal moves in packed form, in generation order.
pub(super) fn packed_moves(seen: &View) -> Rc<[u32]> {
    thread_local! {
        static MOVES: Memo<u32> = Memo::new();
    }
    let find = |seen: &View| {
        legal_moves(&seen.rules, &seen.position).into_iter().map(|played| packed_move(seen, played)).collect()
    };
    MOVES.with(|moves| moves.get(seen, find))
}

/// Writes the moves of each position of some blocks.
pub(super) fn write_moves(arguments: &Arguments<'_>) {
    let (first, end, block) = (arguments.scalar(Scalar::first), arguments.scalar(Scalar::end), arguments.group_size);
    for index in arguments.indices(first, end) {
        let base = |index: usize| arguments.word(Binding::bases, index / block);
        let offset = arguments.word(Binding::offsets, index);
        let at = base(index).wrapping_sub(base(first as usize)).wrapping_add(offset) as usize;
        let moves = packed_moves(&load_position(arguments, Binding::positions, index));
        for number in 0..arguments.word(Binding::counts, index) as usize {
            // If more moves were counted than exist, knight moves from a1 to a1 fill the rest.
            let packed = moves.get(number).copied().unwrap_or(2 << 12);
            arguments.write(Binding::new_items, at + number, [packed, index as u32]);
        }
    }
}
