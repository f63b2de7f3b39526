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
// A work-group takes ITEMS_PER_LANE times its size of consecutive items. Their roots ascend, and are mostly one root,
// so the group adds up by itself before it adds to the totals.
__kernel KERNEL void count_moves(
    __global const ulong4 *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global const ulong *restrict items,
    uint len,
    __global uint *restrict totals
) {
    __local uint sums[GROUP];
    const uint local_index = get_local_id(0);
    const uint first = (uint) get_group_id(0) * (GROUP * ITEMS_PER_LANE);
    const uint end = min(first + GROUP * ITEMS_PER_LANE, len);
    const uint first_root = roots[items[first] >> 32];
    const uint more_roots = roots[items[end - 1] >> 32] - first_root;
    sums[local_index] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint sum = 0;
    for (uint index = first + local_index; index < end; index += GROUP) {
        const ulong item = items[index];
        const uint parent = item >> 32;
        const Position child = patched(load_position(positions, parent), (uint) item);
        const uint replies = count_moves_of(TURNED(child, TURN), lines, TURN_MIRRORS);
        if (more_roots == 0) {
            sum += replies;
        } else {
            const uint root = roots[parent];
            if (root - first_root < GROUP) {
                atomic_add(&sums[root - first_root], replies);
            } else {
                add_to_total(totals, root, replies);
            }
        }
    }
    if (more_roots == 0) {
        atomic_add(&sums[0], sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (sums[local_index] != 0) {
        add_to_total(totals, first_root + local_index, sums[local_index]);
    }
}
