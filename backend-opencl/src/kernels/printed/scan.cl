// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// Finds the offsets within each block of work-group size, and each block's sum.
__kernel KERNEL void scan(
    __global const uint *restrict counts,
    __global uint *restrict new_offsets,
    __global uint *restrict block_sums,
    uint end
) {
    __local uint partial_sums[GROUP];
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint block = group_index(id);
    const uint index = block * GROUP + id.lane;
    uint count = 0u;
    if (index < end) {
        count = counts[index];
    }
    uint sum = count;
    for (uint distance = 1u; distance < GROUP; distance *= 2u) {
        partial_sums[id.lane] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id.lane >= distance) {
            sum += partial_sums[id.lane - distance];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (index < end) {
        new_offsets[index] = sum - count;
    }
    if (id.lane == GROUP - 1u && block * GROUP < end) {
        block_sums[block] = sum;
    }
}
