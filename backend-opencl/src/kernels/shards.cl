// Sorting candidates by shard, if a list has several: a counting sort. Each candidate is read once, and a shard's kernel gets
// only its own candidates.
//
// `new_sorted` begins with a word for each shard: first the number of its candidates, then the index of the first one, and
// after the sort the end of them. The candidates follow.

// What stands for the shard of a candidate that is not kept.
#define NO_SHARD 0xffffffffu

// Spreads the diagrams of a range, which may differ in few bits of their hashes, over all shards.
#define SHARD_FACTOR 0x9e3779b1u

// Finds the shard of each candidate that is kept, and counts the candidates of each shard. Candidates with equal diagrams get the same
// shard. If not all are kept, `kept_counts` counts the kept candidates of each root.
__kernel KERNEL void count_shards(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global uint *restrict kept_counts,
    __global uint *restrict candidate_shards,
    __global uint *restrict new_sorted,
    uint end,
    uint shard_count,
    uint kept,
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
    const KeyRange range = RANGE_OF_SCALARS;
    const uint candidate = get_global_id(0), local_index = get_local_id(0);
    uint shard = NO_SHARD;
    if (candidate < end) {
        const Position position = load_position(positions, candidate);
        if (is_kept(kept, range, position, hashes(position).y)) {
            if (kept != KEPT_ALL) {
                atomic_inc(&kept_counts[roots[candidate]]);
            }
            shard = mul_hi(hashes(diagram_of(position)).y * SHARD_FACTOR, shard_count);
        }
        candidate_shards[candidate] = shard;
    }
    // The group counts as many shards at a time as it has work-items.
    for (uint first_shard = 0; first_shard < shard_count; first_shard += GROUP) {
        group_counts[local_index] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (shard - first_shard < GROUP) {
            atomic_inc(&group_counts[shard - first_shard]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group_counts[local_index] > 0) {
            atomic_add(&new_sorted[first_shard + local_index], group_counts[local_index]);
        }
    }
}

// Turns the number of each shard's candidates into the index of the first.
__kernel KERNEL void scan_shards(__global uint *restrict new_sorted, uint shard_count) {
    if (get_global_id(0) == 0) {
        uint sum = 0;
        for (uint shard = 0; shard < shard_count; ++shard) {
            const uint count = new_sorted[shard];
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
    __local uint group_counts[GROUP], group_bases[GROUP];
    const uint candidate = get_global_id(0), local_index = get_local_id(0);
    const uint shard = candidate < end ? candidate_shards[candidate] : NO_SHARD;
    for (uint first_shard = 0; first_shard < shard_count; first_shard += GROUP) {
        const uint group_shard = shard - first_shard;
        uint rank = 0;
        group_counts[local_index] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group_shard < GROUP) {
            rank = atomic_inc(&group_counts[group_shard]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group_counts[local_index] > 0) {
            group_bases[local_index] = atomic_add(&new_sorted[first_shard + local_index], group_counts[local_index]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group_shard < GROUP) {
            new_sorted[shard_count + group_bases[group_shard] + rank] = candidate;
        }
    }
}
