// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// What stands for the shard of a candidate that is not kept.
#define NO_SHARD 0xffffffffu

// Spreads the diagrams of a range, which may differ in few bits of their hashes, over all shards.
#define SHARD_FACTOR 0x9e3779b1u

// Finds the shard of each candidate that is kept, and counts the candidates of each shard. Candidates with equal diagrams get the same
// shard. If not all are kept, `kept_counts` counts the kept candidates of each root.
__kernel KERNEL void count_shards(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global uint *restrict kept_counts,
    __global uint *restrict candidate_shards,
    __global uint *restrict new_sorted,
    uint end,
    uint shard_count,
    uint filter_kind,
    uint first_own_low,
    uint first_own_high,
    uint first_theirs_low,
    uint first_theirs_high,
    uint first_hash,
    uint last_own_low,
    uint last_own_high,
    uint last_theirs_low,
    uint last_theirs_high,
    uint last_hash
) {
    __local uint group_counts[GROUP];
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint candidate = group_index(id) * GROUP + id.lane;
    uint shard = NO_SHARD;
    if (candidate < end) {
        const uint4 first = positions[2u * candidate];
        const uint4 second = positions[2u * candidate + 1u];
        if (is_kept(range_of_scalars(first_own_low, first_own_high, first_theirs_low, first_theirs_high, first_hash,
                last_own_low, last_own_high, last_theirs_low, last_theirs_high, last_hash), position_in(first, second),
                hashes(first, second).y, filter_kind)) {
            if (filter_kind != FILTER_ALL) {
                atomic_add(&kept_counts[roots[candidate]], 1u);
            }
            const Diagram diagram = diagram_of(first, second);
            shard = share_of(hashes(diagram.first, diagram.second).y * SHARD_FACTOR, shard_count);
        }
        candidate_shards[candidate] = shard;
    }
    for (uint first_shard = 0u; first_shard < shard_count; first_shard += GROUP) {
        group_counts[id.lane] = 0u;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (shard - first_shard < GROUP) {
            atomic_add(&group_counts[shard - first_shard], 1u);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint count = group_counts[id.lane];
        if (count > 0u) {
            atomic_add(&new_sorted[first_shard + id.lane], count);
        }
    }
}

// Turns the number of each shard's candidates into the index of the first.
__kernel KERNEL void scan_shards(__global uint *restrict new_sorted, uint shard_count) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    if (id.workgroup.x == 0u && id.lane == 0u) {
        uint sum = 0u;
        for (uint shard = 0u; shard < shard_count; shard += 1u) {
            const uint count = load_atomic(&new_sorted[shard]);
            new_sorted[shard] = sum;
            sum += count;
        }
    }
}

// Sorts the candidates that are kept by shard. The index of each shard's first candidate becomes their end.
__kernel KERNEL void sort_by_shard(
    __global uint *restrict candidate_shards,
    __global uint *restrict new_sorted,
    uint end,
    uint shard_count
) {
    __local uint group_counts[GROUP];
    __local uint group_bases[GROUP];
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint candidate = group_index(id) * GROUP + id.lane;
    uint shard = NO_SHARD;
    if (candidate < end) {
        shard = candidate_shards[candidate];
    }
    for (uint first_shard = 0u; first_shard < shard_count; first_shard += GROUP) {
        const uint group_shard = shard - first_shard;
        uint rank = 0u;
        group_counts[id.lane] = 0u;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group_shard < GROUP) {
            rank = atomic_add(&group_counts[group_shard], 1u);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint count = group_counts[id.lane];
        if (count > 0u) {
            group_bases[id.lane] = atomic_add(&new_sorted[first_shard + id.lane], count);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group_shard < GROUP) {
            new_sorted[shard_count + group_bases[group_shard] + rank] = candidate;
        }
    }
}
