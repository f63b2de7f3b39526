// The index of each position's first move: an exclusive scan of the counts.

// One step of a scan over a work-group: adds to every sum the sum `distance` before it.
#define SCAN_STEP(distance)                                                                                           \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                     \
    before = local_index >= distance ? partial_sums[local_index - distance] : 0;                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                     \
    partial_sums[local_index] += before;

// Finds the offsets within each block of work-group size, and each block's sum. The steps are written out, since some
// compilers fail on barriers in loops.
__kernel KERNEL void scan(
    __global const uint *restrict counts,
    __global uint *restrict new_offsets,
    __global uint *restrict block_sums,
    uint end
) {
    __local uint partial_sums[GROUP];
    const uint index = get_global_id(0), local_index = get_local_id(0);
    const uint count = index < end ? counts[index] : 0;
    uint before;
    partial_sums[local_index] = count;
    SCAN_STEP(1)
#if GROUP > 2
    SCAN_STEP(2)
#endif
#if GROUP > 4
    SCAN_STEP(4)
#endif
#if GROUP > 8
    SCAN_STEP(8)
#endif
#if GROUP > 16
    SCAN_STEP(16)
#endif
#if GROUP > 32
    SCAN_STEP(32)
#endif
#if GROUP > 64
    SCAN_STEP(64)
#endif
#if GROUP > 128
    SCAN_STEP(128)
#endif
#if GROUP > 256
    SCAN_STEP(256)
#endif
#if GROUP > 512
    SCAN_STEP(512)
#endif
    if (index < end) {
        new_offsets[index] = partial_sums[local_index] - count;
    }
    if (local_index == GROUP - 1) {
        block_sums[get_group_id(0)] = partial_sums[local_index];
    }
}
