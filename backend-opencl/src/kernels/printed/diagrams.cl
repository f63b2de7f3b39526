// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// A diagram as a position in memory.
typedef struct {
    uint4 first;
    uint4 second;
} Diagram;

// Returns a position without castling rights and en passant. The code 7 is a rook that may castle, the code 4 any other.
INLINE Diagram diagram_of(uint4 first, uint4 second) {
    const uint2 may_castle = first.xy & first.zw & second.xy;
    const uint2 occupied = first.xy | first.zw | second.xy;
    return (Diagram){first & ~(uint4)(may_castle, may_castle), (uint4)(second.xy, second.zw & occupied)};
}

// Finds the slot of an entry's diagram. Returns whether the entry took it, since it is the first one with this diagram.
//
// Every search ends, at the latest where it began: the table has more slots than the shard has entries.
INLINE bool take_slot(
    uint entry,
    Diagram diagram,
    uint hash,
    __global const uint4 *restrict entries,
    __global uint *restrict slots,
    __global uint *restrict merge_state,
    uint slot_count
) {
    const uint first_slot = share_of(hash, slot_count);
    uint slot = first_slot;
    bool is_new = false;
    for (;;) {
        const uint found = load_atomic(&slots[slot]);
        if (found == 0u) {
            const Exchange exchange = compare_exchange(&slots[slot], 0u, entry + 1u);
            is_new = exchange.exchanged;
            if (is_new) {
                break;
            }
        } else {
            const Diagram known = diagram_of(entries[2u * (found - 1u)], entries[2u * (found - 1u) + 1u]);
            if (all(known.first == diagram.first) && all(known.second == diagram.second)) {
                break;
            }
            slot = slot + 1u == slot_count ? 0u : slot + 1u;
            if (slot == first_slot) {
                merge_state[2] = 1u;
                break;
            }
        }
    }
    return is_new;
}

// Counts the diagrams of a shard's entries in one of several parts, which the second hash of a diagram chooses. The work-items take the
// entries in turns.
__kernel KERNEL void count_diagrams(
    __global const uint4 *restrict entries,
    __global uint *restrict slots,
    __global uint *restrict merge_state,
    uint end,
    uint hash_mask,
    uint slot_count,
    uint part,
    uint parts
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint step = id.workgroups.x * id.workgroups.y * GROUP;
    uint count = 0u;
    for (uint entry = group_index(id) * GROUP + id.lane; entry < end; entry += step) {
        const Diagram diagram = diagram_of(entries[2u * entry], entries[2u * entry + 1u]);
        const uint2 hash = hashes(diagram.first, diagram.second);
        if (share_of(hash.y, parts) == part) {
            const uint value = count;
            const bool result = take_slot(entry, diagram, hash.x & hash_mask, entries, slots, merge_state, slot_count);
            count = value + (result ? 1u : 0u);
        }
    }
    if (count > 0u) {
        atomic_add(&merge_state[1], count);
    }
}
