// The last ply: each item's replies are counted, and no position is made.

// Adds to a root's total, two 32-bit words with the carry done by hand: few devices have 64-bit atomics.
fn add_to_total(root: u32, amount: u32) {
    let before = atomicAdd(&totals[2u * root + 2u], amount);
    if before + amount < before {
        atomicAdd(&totals[2u * root + 3u], 1u);
    }
}

// A lane's sum is added to the total before a whole work-group's could exceed 32 bits.
const LARGE: u32 = 0x200000u;

var<workgroup> group_sum: atomic<u32>;

// Adds the number of replies to each item to its root's total. If there was no room for some items, that is noted, and no
// total will be used.
//
// There are many work-groups, and they take all items in turns. A lane adds up while the root stays the same, which is
// mostly all the time, and the group adds up the lanes of its first root before it adds to the totals. An item is on its
// way two turns before it is counted, its position one.
@compute @workgroup_size(COUNT_GROUP)
fn count_moves(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let len = min(item_count[0], arrayLength(&items));
    let group_first = group_index(workgroup, workgroups) * COUNT_GROUP;
    let step = workgroups.x * workgroups.y * COUNT_GROUP;
    // Without items the first of the buffer is read, and not used.
    let last = max(len, 1u) - 1u;
    let first_root = roots[items[min(group_first, last)].y];
    if lane == 0u {
        atomicStore(&group_sum, 0u);
        if group_first == 0u && item_count[0] > arrayLength(&items) {
            atomicStore(&totals[0], 1u);
        }
    }
    workgroupBarrier();

    var sum = 0u;
    var root = first_root;
    var index = group_first + lane;
    var item = items[min(index, last)];
    var next = items[min(index + step, last)];
    var parent = load_position(item.y);
    var item_root = roots[item.y];
    while index < len {
        let counted = parent;
        let word = item.x;
        let counted_root = item_root;
        item = next;
        parent = load_position(item.y);
        item_root = roots[item.y];
        index += step;
        next = items[min(index + step, last)];
        if counted_root != root || sum >= LARGE {
            add_to_total(root, sum);
            root = counted_root;
            sum = 0u;
        }
        sum += count_moves_of(reversed(patched(counted, word)), true);
    }
    if root != first_root {
        add_to_total(root, sum);
        sum = 0u;
    }
    add_to_group_sum(sum);
    workgroupBarrier();
    if lane == 0u {
        let sums = atomicLoad(&group_sum);
        if sums != 0u {
            add_to_total(first_root, sums);
        }
    }
}
