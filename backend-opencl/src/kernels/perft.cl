// The last ply: counts the replies to each item. No position is written.

// Returns the number of replies to a move.
INLINE uint replies_to(Position parent, uint packed_move, __global const ulong2 *restrict lines) {
    return count_moves_of(fast_flipped(patched(parent, packed_move)), lines, FAST_FLIP_MIRRORS);
}

// A lane adds its sum to the total before the sum of a whole work-group could exceed 32 bits.
#define LARGE (1u << 21)

// Adds the number of replies to each item to its root's total. If the queue overflowed, sets the totals' header, and
// all totals are invalid.
//
// There are as many work-groups as the device can run, and they take the items in turns. A lane adds up replies while
// the root stays the same, as it mostly does. The group sums the lanes of its first root before it adds to the totals.
// An item is loaded two turns before it is counted, and its position one turn before.
__kernel COUNT_KERNEL void count_replies(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global const ulong *restrict items,
    __global const uint *restrict item_count,
    __global uint *restrict totals,
    uint capacity
) {
    __local uint group_sum;
    const uint len = min(*item_count, capacity), step = get_global_size(0);
    uint index = get_global_id(0);
    // Without items the first element of the buffer is read: an earlier item, or zeros from the host.
    const uint last = max(len, 1u) - 1;
    const uint first_root = roots[items[min(index - (uint) get_local_id(0), last)] >> 32];
    if (get_local_id(0) == 0) {
        group_sum = 0;
        if (*item_count > capacity) {
            totals[0] = 1;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint sum = 0, root = first_root;
    ulong item = items[min(index, last)], next = items[min(index + step, last)];
    Position parent = load_position(positions, item >> 32);
    uint item_root = roots[item >> 32];
    while (index < len) {
        const Position counted = parent;
        const uint packed_move = (uint) item, counted_root = item_root;
        item = next;
        parent = load_position(positions, item >> 32);
        item_root = roots[item >> 32];
        index += step;
        next = items[min(index + step, last)];
        if (counted_root != root || sum >= LARGE) {
            add_to_total(totals, root, sum);
            root = counted_root;
            sum = 0;
        }
        sum += replies_to(counted, packed_move, lines);
    }
    if (root == first_root) {
        atomic_add(&group_sum, sum);
    } else {
        add_to_total(totals, root, sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && group_sum != 0) {
        add_to_total(totals, first_root, group_sum);
    }
}
