// The last ply: each item's replies are counted, and no position is made.

// Adds to a root's total, two 32-bit words with the carry done by hand: not every device has 64-bit atomics.
INLINE void add_to_total(__global uint *totals, uint root, uint amount) {
    const uint before = atomic_add(&totals[2 * root], amount);
    if (before + amount < before) {
        atomic_inc(&totals[2 * root + 1]);
    }
}

// The replies to one move.
INLINE uint count_replies(Position parent, uint word, __global const ulong2 *restrict lines) {
    const Position child = patched(parent, word);
    return count_moves_of(TURNED(child, TURN), lines, TURN_MIRRORS);
}

// A lane's sum is added to the total before a whole work-group's could exceed 32 bits.
#define LARGE (1u << 21)

// Adds the number of replies to each item to its root's total. `item_count` may be more than there is room for; then
// `lost` is set, and no total is of any use.
//
// There are as many work-groups as the device can run, and they take all items in turns. A lane adds up while the root
// stays the same, which is mostly all the time, and the group adds up the lanes of its first root before it adds to the
// totals. An item is on its way two turns before it is counted, its position one.
__kernel COUNT_KERNEL void count_moves(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global const ulong *restrict items,
    __global const uint *restrict item_count,
    uint capacity,
    __global uint *restrict lost,
    __global uint *restrict totals
) {
    __local uint group_sum;
    const uint len = min(*item_count, capacity), step = get_global_size(0);
    uint index = get_global_id(0);
    // Without items the first of the buffer is read, and not used.
    const uint last = max(len, 1u) - 1;
    const uint first_root = roots[items[min(index - (uint) get_local_id(0), last)] >> 32];
    if (get_local_id(0) == 0) {
        group_sum = 0;
        if (*item_count > capacity) {
            *lost = 1;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint sum = 0, root = first_root;
    ulong item = items[min(index, last)], next = items[min(index + step, last)];
    Position parent = load_position(positions, item >> 32);
    uint item_root = roots[item >> 32];
    while (index < len) {
        const Position counted = parent;
        const uint word = (uint) item, counted_root = item_root;
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
        sum += count_replies(counted, word, lines);
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
