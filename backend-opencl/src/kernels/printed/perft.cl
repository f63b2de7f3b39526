// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

INLINE uint replies_to(Position parent, uint packed_move, __global const uint4 *restrict lines) {
    return count_moves_of(fast_flipped(patched(parent, packed_move)), FAST_REVERSE, lines);
}

// Counts two plies: adds the replies to all moves that qualify to their roots' totals, and writes the other moves as items,
// in no particular order. If their number exceeds the capacity, the queue overflowed and some items are missing.
//
// A lane counts CLOSED_FORM_TURNS positions, so that the lanes of a group rarely wait for each other. If the queue is half full, the
// lanes empty it together before they go on.
__kernel CLOSED_FORM_KERNEL void closed_form(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global uint *restrict totals,
    __global const uint4 *restrict lines,
    uint first,
    uint end,
    uint item_capacity
) {
    __local uint root_sums[CLOSED_FORM_GROUP];
    __local uint queue[QUEUE];
    __local uint queued[1];
    __local uint item_base[1];
    uint lane_moves[1] = {0};
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint size = CLOSED_FORM_GROUP * CLOSED_FORM_TURNS;
    const uint group_first = first + group_index(id) * size;
    const uint group_end = min(group_first + size, end);
    const uint first_root = first_group_root(roots[min(group_first, end - 1u)]);
    clear_root_sums(id.lane, CLOSED_FORM_GROUP, root_sums);
    uint index = group_first + id.lane;
    for (uint turn = 1u; turn <= CLOSED_FORM_TURNS; turn += 1u) {
        if (id.lane == 0u) {
            *queued = 0u;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        while (index < group_end && (turn == CLOSED_FORM_TURNS || *queued <= QUEUE / 2u)) {
            const Position position = load_position(index, positions);
            const Frame frame = frame_of(position);
            const Lines axes = lines_of(frame.king_square, lines);
            Numbers value = {0};
            const Replies replies = replies_of(position, frame, axes, &value, lines);
            const Limits limits = limits_against(frame, axes, replies.attacked, lines);
            const Sink sink = {(index - group_first) << LANE, index};
            const uint value_1 = index;
            const uint result = closed_form_replies(frame, axes, limits, replies, value, sink, new_items,
                new_item_count, lines, queue, queued, lane_moves, item_capacity);
            add_to_root(first_root, roots[value_1], result, totals, root_sums);
            index += CLOSED_FORM_GROUP;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint len = min(*queued, QUEUE);
        if (id.lane == 0u) {
            *item_base = atomic_add(&new_item_count[0], len);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint at = id.lane; at < len; at += CLOSED_FORM_GROUP) {
            const uint packed_move = queue[at];
            put_item(*item_base + at, packed_move & 0x1ffffu, group_first + (packed_move >> LANE), new_items,
                item_capacity);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    add_root_sums(first_root, id.lane, CLOSED_FORM_GROUP, totals, root_sums);
}

// Adds the number of replies to each item to its root's total. If the queue overflowed, sets the totals' header, and
// all totals are invalid.
//
// There are at most as many work-groups as the device can run. Each takes neighbouring items, in turns, because these mostly
// have the same root. A lane adds up replies while the root stays the same. An item is loaded two turns before it is counted,
// and its position one turn before.
__kernel COUNT_KERNEL void count_replies(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global const uint2 *restrict items,
    __global const uint *restrict item_count,
    __global uint *restrict totals,
    __global const uint4 *restrict lines,
    uint item_capacity
) {
    __local uint root_sums[CLOSED_FORM_GROUP];
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint len = min(item_count[0], item_capacity);
    const uint lanes = id.workgroups.x * id.workgroups.y * COUNT_GROUP;
    const uint group_items = (len + lanes - 1u) / lanes * COUNT_GROUP;
    const uint group_first = min(group_index(id) * group_items, len);
    const uint end = min(group_first + group_items, len);
    const uint last = max(end, 1u) - 1u;
    if (id.lane == 0u && group_first == 0u && item_count[0] > item_capacity) {
        totals[0] = 1u;
    }
    clear_root_sums(id.lane, COUNT_GROUP, root_sums);
    uint index = group_first + id.lane;
    uint sum = 0u;
    uint2 item = (uint2)(0);
    uint2 next = (uint2)(0);
    uint first_root = 0u;
    if (group_first < end) {
        item = items[min(index, last)];
        next = items[min(index + COUNT_GROUP, last)];
        first_root = first_group_root(roots[items[group_first].y]);
    }
    Position parent = load_position(item.y, positions);
    uint item_root = roots[item.y];
    uint root = item_root;
    while (index < end) {
        const Position counted = parent;
        const uint packed_move = item.x;
        const uint counted_root = item_root;
        item = next;
        parent = load_position(item.y, positions);
        item_root = roots[item.y];
        index += COUNT_GROUP;
        next = items[min(index + COUNT_GROUP, last)];
        if (counted_root != root) {
            add_to_root(first_root, root, sum, totals, root_sums);
            root = counted_root;
            sum = 0u;
        }
        sum += replies_to(counted, packed_move, lines);
    }
    add_to_root(first_root, root, sum, totals, root_sums);
    add_root_sums(first_root, id.lane, COUNT_GROUP, totals, root_sums);
}
