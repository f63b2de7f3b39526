// The last ply: each item's replies are counted, and no position is made.

// Adds to a root's total, two 32-bit words with the carry done by hand: few devices have 64-bit atomics.
fn add_to_total(root: u32, amount: u32) {
    let before = atomicAdd(&totals[2u * root + 2u], amount);
    if before + amount < before {
        atomicAdd(&totals[2u * root + 3u], 1u);
    }
}

var<workgroup> group_sum: atomic<u32>;

// Adds the number of replies to each item to its root's total. Items for which there was no room are not looked at: no
// total will be used then.
//
// The work-groups take all items in turns. A lane adds up while the root stays the same, which is mostly all the time,
// and the group adds up the lanes of its first root before it adds to the totals.
@compute @workgroup_size(COUNT_GROUP)
fn count_moves(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let len = min(item_count[0], arrayLength(&items));
    let group_first = group_index(workgroup, workgroups) * COUNT_GROUP;
    // A group without items goes on all the same: barriers are for all work-items.
    var first_root = 0u;
    if group_first < len {
        first_root = roots[items[group_first].y];
    }
    if lane == 0u {
        atomicStore(&group_sum, 0u);
    }
    workgroupBarrier();

    var sum = 0u;
    var root = first_root;
    for (var index = group_first + lane; index < len; index += workgroups.x * workgroups.y * COUNT_GROUP) {
        let item = items[index];
        let child = patched(load_position(item.y), item.x);
        if roots[item.y] != root {
            add_to_total(root, sum);
            root = roots[item.y];
            sum = 0u;
        }
        sum += count_moves_of(reversed(child), true);
    }
    if root == first_root {
        atomicAdd(&group_sum, sum);
    } else {
        add_to_total(root, sum);
    }
    workgroupBarrier();
    if lane == 0u {
        let sums = atomicLoad(&group_sum);
        if sums != 0u {
            add_to_total(first_root, sums);
        }
    }
}
