// The last ply: each item's replies are counted, and no position is made.

// Adds to a root's total, two 32-bit words with the carry done by hand: few devices have 64-bit atomics.
fn add_to_total(root: u32, amount: u32) {
    let before = atomicAdd(&totals[2u * root], amount);
    if before + amount < before {
        atomicAdd(&totals[2u * root + 1u], 1u);
    }
}

// Sums by root, counted from the group's first one. They are zero when a group begins.
var<workgroup> sums: array<atomic<u32>, GROUP>;

// Adds the number of replies to each item to its root's total.
//
// A work-group takes ITEMS_PER_LANE times its size of consecutive items. Their roots ascend, and are mostly one root,
// so the group adds up by itself before it adds to the totals.
@compute @workgroup_size(GROUP)
fn count_moves(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let first = min(group_index(workgroup, workgroups) * (GROUP * ITEMS_PER_LANE), scalars.end);
    let end = min(first + GROUP * ITEMS_PER_LANE, scalars.end);
    // A group that is not needed has no items; it looks at the last one instead of its own.
    let first_root = roots[items[min(first, scalars.end - 1u)].y];
    let more_roots = roots[items[end - 1u].y] - first_root;

    var sum = 0u;
    for (var index = first + lane; index < end; index += GROUP) {
        let item = items[index];
        let replies = count_moves_of(reversed(patched(load_position(item.y), item.x)), true);
        if more_roots == 0u {
            sum += replies;
        } else {
            let root = roots[item.y];
            if root - first_root < GROUP {
                atomicAdd(&sums[root - first_root], replies);
            } else {
                add_to_total(root, replies);
            }
        }
    }
    if more_roots == 0u {
        atomicAdd(&sums[0], sum);
    }
    workgroupBarrier();
    let group_sum = atomicLoad(&sums[lane]);
    if group_sum != 0u {
        add_to_total(first_root + lane, group_sum);
    }
}
