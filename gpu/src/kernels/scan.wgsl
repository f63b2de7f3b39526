// The index of each position's first move: an exclusive scan of the counts.

var<workgroup> partial_sums: array<u32, GROUP>;

/// Finds the offsets within each block of work-group size, and each block's sum.
@compute @workgroup_size(GROUP)
fn scan(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let block = group_index(workgroup, workgroups);
    let index = block * GROUP + lane;
    var count = 0u;
    if index < scalars.end {
        count = counts[index];
    }
    // Each step adds to every sum the sum `distance` before it.
    var sum = count;
    for (var distance = 1u; distance < GROUP; distance *= 2u) {
        partial_sums[lane] = sum;
        workgroupBarrier();
        if lane >= distance {
            sum += partial_sums[lane - distance];
        }
        workgroupBarrier();
    }
    if index < scalars.end {
        new_offsets[index] = sum - count;
    }
    if lane == GROUP - 1u && block * GROUP < scalars.end {
        block_sums[block] = sum;
    }
}
