// The last two plies: the kernels that count moves and the replies to them. These kernels write no position.

/// Counts two plies: adds the number of replies to all qualifying moves to their roots' totals, and writes the other moves as
/// items, in no particular order. If the number of items exceeds the capacity, the queue overflowed and some items are missing.
///
/// A lane counts CLOSED_FORM_TURNS positions, so that the lanes of a group rarely wait for each other. If the queue is half full,
/// the lanes empty it together before they continue.
@compute @workgroup_size(CLOSED_FORM_GROUP)
fn closed_form(id: Invocation) {
    let size = CLOSED_FORM_GROUP * CLOSED_FORM_TURNS;
    let group_first = scalars.first + group_index(id) * size;
    let group_end = min(group_first + size, scalars.end);
    // A work-group without positions reads the last position's root.
    let first_root = first_group_root(roots[min(group_first, scalars.end - 1u)]);
    clear_root_sums(id.lane, CLOSED_FORM_GROUP);
    var index = group_first + id.lane;
    for (var turn = 1u; turn <= CLOSED_FORM_TURNS; turn++) {
        if id.lane == 0u {
            atomicStore(&queued, 0u);
        }
        workgroupBarrier();
        while index < group_end && (turn == CLOSED_FORM_TURNS || atomicLoad(&queued) <= QUEUE / 2u) {
            let position = load_position(index);
            let frame = frame_of(position);
            let axes = lines_of(frame.king_square);
            var value = Numbers();
            let replies = replies_of(position, frame, axes, &value);
            let limits = limits_against(frame, axes, replies.attacked);
            let sink = Sink((index - group_first) << LANE, index);
            add_to_root(first_root, roots[index], closed_form_replies(frame, axes, limits, replies, value, sink));
            index += CLOSED_FORM_GROUP;
        }
        workgroupBarrier();
        let len = min(atomicLoad(&queued), QUEUE);
        if id.lane == 0u {
            item_base = atomicAdd(&new_item_count[0], len);
        }
        workgroupBarrier();
        for (var at = id.lane; at < len; at += CLOSED_FORM_GROUP) {
            let packed_move = queue[at];
            put_item(item_base + at, packed_move & ((1u << LANE) - 1u), group_first + (packed_move >> LANE));
        }
        workgroupBarrier();
    }
    add_root_sums(first_root, id.lane, CLOSED_FORM_GROUP);
}

fn replies_to(parent: Position, packed_move: u32) -> u32 {
    return count_moves_of(fast_flipped(patched(parent, packed_move)), FAST_REVERSE);
}

/// Adds the number of replies to each item to its root's total. If the queue overflowed, sets the totals' header; then
/// all totals are invalid.
///
/// There are at most as many work-groups as the device can run. Each group takes neighbouring items in turns, because these
/// mostly have the same root. A lane adds up replies as long as the root stays the same. An item is loaded two turns before
/// its replies are counted, and its position one turn before.
@compute @workgroup_size(COUNT_GROUP)
fn count_replies(id: Invocation) {
    let len = min(item_count[0], scalars.item_capacity);
    let lanes = id.workgroups.x * id.workgroups.y * COUNT_GROUP;
    let group_items = (len + lanes - 1u) / lanes * COUNT_GROUP;
    let group_first = min(group_index(id) * group_items, len);
    let end = min(group_first + group_items, len);
    let last = max(end, 1u) - 1u;
    if id.lane == 0u && group_first == 0u && item_count[0] > scalars.item_capacity {
        atomicStore(&totals[0], 1u);
    }
    clear_root_sums(id.lane, COUNT_GROUP);

    var index = group_first + id.lane;
    var sum = 0u;
    // A group without items loads the first position, which always exists, and ignores it.
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
    add_root_sums(first_root, id.lane, COUNT_GROUP);
}
