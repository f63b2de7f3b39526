// The index of each position's first move: an exclusive scan of the counts.

var<workgroup> partial_sums: array<u32, GROUP>;

/// Finds the offsets within each block of work-group size, and each block's sum.
@compute @workgroup_size(GROUP)
fn scan(id: Invocation) {
    let block = group_index(id);
    let index = block * GROUP + id.lane;
    var count = 0u;
    if index < scalars.end {
        count = counts[index];
    }
    // Each step adds to every sum the sum that is `distance` before it.
    var sum = count;
    for (var distance = 1u; distance < GROUP; distance *= 2u) {
        partial_sums[id.lane] = sum;
        workgroupBarrier();
        if id.lane >= distance {
            sum += partial_sums[id.lane - distance];
        }
        workgroupBarrier();
    }
    if index < scalars.end {
        new_offsets[index] = sum - count;
    }
    if id.lane == GROUP - 1u && block * GROUP < scalars.end {
        block_sums[block] = sum;
    }
}
