// Counting diagrams: positions without castling rights and en passant. Equal diagrams lie in one shard.
//
// The table is empty before. A slot holds 0 if it is free, else the number, counted from 1, of the first entry that was found with its
// diagram.

// Returns a position without castling rights and en passant. The code 7 is a rook that may castle, the code 4 any other.
INLINE Position diagram_of(Position position) {
    const ulong may_castle = position.bit1 & position.bit2 & position.bit4;
    return (Position){position.bit1 & ~may_castle, position.bit2 & ~may_castle, position.bit4, position.own, 0};
}

// Finds the slot of an entry's diagram. Returns whether the entry took it, since it is the first one with this diagram.
//
// Every search ends, at the latest where it began: the table has more slots than the shard has entries.
INLINE bool take_slot(
    __global uint *restrict slots,
    __global const Packed *restrict entries,
    __global uint *restrict merge_state,
    uint slot_count,
    uint entry,
    Position diagram,
    uint hash
) {
    const uint first_slot = mul_hi(hash, slot_count);
    uint slot = first_slot;
    for (;;) {
        uint found = ((volatile __global uint *) slots)[slot];
        if (found == 0) {
            found = atomic_cmpxchg(&slots[slot], 0u, entry + 1);
        }
        if (found == 0) {
            return true;
        }
        if (same_position(diagram_of(load_position(entries, found - 1)), diagram)) {
            return false;
        }
        slot = slot + 1 == slot_count ? 0 : slot + 1;
        if (slot == first_slot) {
            merge_state[FULL] = 1;
            return false;
        }
    }
}

// Counts the diagrams of a shard's entries in one of several parts, which the second hash of a diagram chooses. The work-items take the
// entries in turns.
__kernel KERNEL void count_diagrams(
    __global uint *restrict slots,
    __global const Packed *restrict entries,
    __global uint *restrict merge_state,
    uint end,
    uint hash_mask,
    uint slot_count,
    uint part,
    uint parts
) {
    uint count = 0;
    for (uint entry = get_global_id(0); entry < end; entry += get_global_size(0)) {
        const Position diagram = diagram_of(load_position(entries, entry));
        const uint2 hash = hashes(diagram);
        if (mul_hi(hash.y, parts) == part &&
            take_slot(slots, entries, merge_state, slot_count, entry, diagram, hash.x & hash_mask)) {
            ++count;
        }
    }
    if (count > 0) {
        atomic_add(&merge_state[FRESH], count);
    }
}
