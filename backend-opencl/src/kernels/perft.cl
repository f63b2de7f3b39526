// The last ply: each item's replies are counted, and no position is made.

// Adds to a root's total, two 32-bit words with the carry done by hand: not every device has 64-bit atomics.
INLINE void add_to_total(__global uint *totals, uint root, uint amount) {
    const uint before = atomic_add(&totals[2 * root], amount);
    if (before + amount < before) {
        atomic_inc(&totals[2 * root + 1]);
    }
}

// Adds the number of replies to each item to its root's total.
//
// The work-groups take all items in turns. A lane adds up while the root stays the same, which is mostly all the time,
// and the group adds up the lanes of its first root before it adds to the totals.
__kernel KERNEL void count_moves(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global const ulong *restrict items,
    __global const uint *restrict item_count,
    __global uint *restrict totals
) {
    __local uint group_sum;
    const uint len = *item_count;
    const uint group_first = (uint) get_group_id(0) * GROUP;
    // A group without items goes on all the same: a barrier behind a return is where compilers have been seen to fail.
    const uint first_root = group_first < len ? roots[items[group_first] >> 32] : 0;
    if (get_local_id(0) == 0) {
        group_sum = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    uint sum = 0, root = first_root;
    for (uint index = get_global_id(0); index < len; index += get_global_size(0)) {
        const ulong item = items[index];
        const uint parent = item >> 32;
        const Position child = patched(load_position(positions, parent), (uint) item);
        if (roots[parent] != root) {
            add_to_total(totals, root, sum);
            root = roots[parent];
            sum = 0;
        }
        sum += count_moves_of(TURNED(child, TURN), lines, TURN_MIRRORS);
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
