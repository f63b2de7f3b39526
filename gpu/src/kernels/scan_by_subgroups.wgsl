// The variant of scan.wgsl for devices with sub-groups, whose lanes run in lockstep: one operation sums over a
// sub-group. The lanes of a sub-group are assumed to be consecutive in their work-group, as on all known devices;
// otherwise the self-test would find wrong counts.

/// The sums of sub-groups, each at the index of its first lane.
var<workgroup> partial_sums: array<u32, GROUP>;

/// Finds the offsets within each block of work-group size, and each block's sum.
@compute @workgroup_size(GROUP)
fn scan(
    id: Invocation,
    @builtin(subgroup_invocation_id) member: u32,
    @builtin(subgroup_size) subgroup_size: u32,
) {
    let block = group_index(id);
    let index = block * GROUP + id.lane;
    var count = 0u;
    if index < scalars.end {
        count = counts[index];
    }
    var offset = subgroupExclusiveAdd(count);
    let subgroup_sum = subgroupAdd(count);
    let subgroup_first = id.lane - member;
    if member == 0u {
        partial_sums[id.lane] = subgroup_sum;
    }
    workgroupBarrier();
    for (var first = 0u; first < subgroup_first; first += subgroup_size) {
        offset += partial_sums[first];
    }
    if index < scalars.end {
        new_offsets[index] = offset;
    }
    if id.lane == GROUP - 1u && block * GROUP < scalars.end {
        block_sums[block] = offset + count;
    }
}
