//! The last plies, depth first.

use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;
use super::count::{add_to_total, count_moves_of};
use super::generate::packed_moves;
use super::make::made;
use super::position::{View, load_position};

fn leaves(seen: &View, depth: u32) -> u64 {
    match depth {
        1 => count_moves_of(seen).into(),
        _ => packed_moves(seen).iter().map(|&packed| leaves(&View::from(&made(seen, packed)), depth - 1)).sum(),
    }
}

/// Adds the leaves below each position to its root's total.
pub(super) fn depth_first(arguments: &Arguments<'_>) {
    for index in arguments.indices(arguments.scalar(Scalar::first), arguments.scalar(Scalar::end)) {
        let seen = load_position(arguments, Binding::positions, index);
        let (mut rest, root) = (leaves(&seen, arguments.scalar(Scalar::depth)), arguments.word(Binding::roots, index));
        while rest > 0 {
            let amount = rest.min(u64::from(u32::MAX));
            add_to_total(arguments, root, amount as u32);
            rest -= amount;
        }
    }
}
