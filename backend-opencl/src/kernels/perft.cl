// The last ply: counts the replies to each item. No position is written.

// Returns the number of replies to a move.
INLINE uint replies_to(Position parent, uint packed_move, __global const ulong2 *restrict lines) {
    return count_moves_of(fast_flipped(patched(parent, packed_move)), lines, FAST_FLIP_MIRRORS);
}

// Adds the number of replies to each item to its root's total. If the queue overflowed, sets the totals' header, and
// all totals are invalid.
//
// There are at most as many work-groups as the device can run. Each takes neighbouring items, in turns, because these mostly
// have the same root. A lane adds up replies while the root stays the same. An item is loaded two turns before it is counted,
// and its position one turn before.
__kernel COUNT_KERNEL void count_replies(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global const ulong *restrict items,
    __global const uint *restrict item_count,
    __global uint *restrict totals,
    uint capacity
) {
    __local uint root_sums[GROUP_ROOTS];
    const uint len = min(*item_count, capacity), lanes = get_global_size(0);
    const uint group_items = (len + lanes - 1) / lanes * COUNT_GROUP;
    const uint group_first = min((uint) get_group_id(0) * group_items, len), end = min(group_first + group_items, len);
    // Without items the first element of the buffer is read: an earlier item, or zeros from the host.
    const uint last = max(end, 1u) - 1;
    const uint first_root = first_group_root(roots[items[min(group_first, last)] >> 32]);
    if (get_global_id(0) == 0 && *item_count > capacity) {
        totals[0] = 1;
    }
    clear_root_sums(root_sums);

    uint index = group_first + (uint) get_local_id(0), sum = 0;
    ulong item = items[min(index, last)], next = items[min(index + COUNT_GROUP, last)];
    Position parent = load_position(positions, item >> 32);
    uint item_root = roots[item >> 32], root = item_root;
    while (index < end) {
        const Position counted = parent;
        const uint packed_move = (uint) item, counted_root = item_root;
        item = next;
        parent = load_position(positions, item >> 32);
        item_root = roots[item >> 32];
        index += COUNT_GROUP;
        next = items[min(index + COUNT_GROUP, last)];
        if (counted_root != root) {
            add_to_root(root_sums, first_root, totals, root, sum);
            root = counted_root;
            sum = 0;
        }
        sum += replies_to(counted, packed_move, lines);
    }
    add_to_root(root_sums, first_root, totals, root, sum);
    add_root_sums(root_sums, first_root, totals);
}
