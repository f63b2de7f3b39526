//! Counting diagrams: positions without castling rights and en passant.

use kogge_board::Planes32;
use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;
use super::merge::{FRESH, FULL, hashes, mul_hi};
use super::position::load_planes;

pub(super) fn diagram_of(position: &Planes32) -> Planes32 {
    let mut diagram = *position;
    let [one, two, four] = position.codes;
    let rooks_with_rights = one & two & four;
    diagram.codes[0] ^= rooks_with_rights;
    diagram.codes[1] ^= rooks_with_rights;
    diagram.own &= one | two | four;
    diagram
}

/// Finds the slot of an entry's diagram. Returns whether the entry took the slot.
fn take_slot(arguments: &Arguments<'_>, entry: usize, diagram: &Planes32, hash: u32) -> bool {
    let slot_count = arguments.scalar(Scalar::slot_count);
    let first_slot = mul_hi(hash, slot_count) as usize;
    for slot in (first_slot..slot_count as usize).chain(0..first_slot) {
        let found = arguments.word(Binding::slots, slot);
        if found == 0 {
            arguments.set(Binding::slots, slot, entry as u32 + 1);
            return true;
        }
        if diagram_of(&load_planes(arguments, Binding::entries, found as usize - 1)) == *diagram {
            return false;
        }
    }
    arguments.set(Binding::merge_state, FULL, 1);
    false
}

/// Counts the diagrams of a shard's entries in one of several parts; the number of work-items does not matter.
pub(super) fn count_diagrams(arguments: &Arguments<'_>) {
    for entry in 0..arguments.scalar(Scalar::end) as usize {
        let diagram = diagram_of(&load_planes(arguments, Binding::entries, entry));
        let [slot, share] = hashes(&diagram);
        let is_in_part = mul_hi(share, arguments.scalar(Scalar::parts)) == arguments.scalar(Scalar::part);
        if is_in_part && take_slot(arguments, entry, &diagram, slot & arguments.scalar(Scalar::hash_mask)) {
            arguments.add(Binding::merge_state, FRESH, 1);
        }
    }
}
