// The last ply: counts the replies to each item. No position is written.

/// Returns the number of replies to a move.
fn replies_to(parent: Position, packed_move: u32) -> u32 {
    return count_moves_of(fast_flipped(patched(parent, packed_move)), FAST_REVERSE);
}

/// Adds the number of replies to each item to its root's total. If the queue overflowed, sets the totals' header, and
/// all totals are invalid.
///
/// There are at most as many work-groups as the device can run. Each takes neighbouring items, in turns, because these mostly
/// have the same root. A lane adds up replies while the root stays the same. An item is loaded two turns before it is counted,
/// and its position one turn before.
@compute @workgroup_size(COUNT_GROUP)
fn count_replies(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let len = min(item_count[0], scalars.capacity);
    let lanes = workgroups.x * workgroups.y * COUNT_GROUP;
    let group_items = (len + lanes - 1u) / lanes * COUNT_GROUP;
    let group_first = min(group_index(workgroup, workgroups) * group_items, len);
    let end = min(group_first + group_items, len);
    let last = max(end, 1u) - 1u;
    if lane == 0u && group_first == 0u && item_count[0] > scalars.capacity {
        atomicStore(&totals[0], 1u);
    }
    clear_root_sums(lane, COUNT_GROUP);

    var index = group_first + lane;
    var sum = 0u;
    // A group without items loads the first position, which always exists, and does not count it.
    var item = vec2<u32>();
    var next = vec2<u32>();
    var first_root = 0u;
    if group_first < end {
        item = items[min(index, last)];
        next = items[min(index + COUNT_GROUP, last)];
        first_root = first_group_root(roots[items[group_first].y]);
    }
    var parent = load_position(item.y);
    var item_root = roots[item.y];
    var root = item_root;
    while index < end {
        let counted = parent;
        let packed_move = item.x;
        let counted_root = item_root;
        item = next;
        parent = load_position(item.y);
        item_root = roots[item.y];
        index += COUNT_GROUP;
        next = items[min(index + COUNT_GROUP, last)];
        if counted_root != root {
            add_to_root(first_root, root, sum);
            root = counted_root;
            sum = 0u;
        }
        sum += replies_to(counted, packed_move);
    }
    add_to_root(first_root, root, sum);
    add_root_sums(first_root, lane, COUNT_GROUP);
}
