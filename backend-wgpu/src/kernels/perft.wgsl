// The last ply: counts the replies to each item. No position is written.

// Returns the number of replies to a move.
fn replies_to(parent: Position, packed_move: u32) -> u32 {
    return count_moves_of(fast_flipped(patched(parent, packed_move)), true);
}

// A lane adds its sum to the total before the sum of a whole work-group could exceed 32 bits.
const LARGE: u32 = 0x200000u;

var<workgroup> group_sum: atomic<u32>;

// Adds the number of replies to each item to its root's total. If the queue overflowed, sets the totals' header, and
// all totals are invalid.
//
// There are many work-groups, which take the items in turns. A lane adds up replies while the root stays the same, as
// it mostly does. The group sums the lanes of its first root before it adds to the totals. An item is loaded two turns
// before it is counted, and its position one turn before.
@compute @workgroup_size(COUNT_GROUP)
fn count_replies(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let len = min(item_count[0], scalars.capacity);
    let group_first = group_index(workgroup, workgroups) * COUNT_GROUP;
    let step = workgroups.x * workgroups.y * COUNT_GROUP;
    // Without items, the first element of the buffer is read but not used. Its parent may not exist; indices are
    // checked.
    let last = max(len, 1u) - 1u;
    let first_root = roots[items[min(group_first, last)].y];
    if lane == 0u {
        atomicStore(&group_sum, 0u);
        if group_first == 0u && item_count[0] > scalars.capacity {
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
        let packed_move = item.x;
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
        sum += replies_to(counted, packed_move);
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
