// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// Returns the move, marked as a double push that allows an en-passant capture only if such a capture is legal.
INLINE uint marked_exactly(Position parent, uint packed_move, __global const uint4 *restrict lines) {
    if (kind_of(packed_move) == PASSING && !allows_en_passant(parent, packed_move, lines)) {
        return packed_move & 0x7fffu;
    }
    return packed_move;
}

// Makes a move and writes the successor, if there is room.
INLINE void store_successor(
    uint index,
    uint packed_move,
    uint at,
    __global const uint4 *restrict positions,
    __global uint4 *restrict successors,
    __global const uint *restrict roots,
    __global uint *restrict successor_roots,
    __global const uint4 *restrict lines,
    uint capacity
) {
    if (at < capacity) {
        const Position parent = load_position(index, positions);
        store_position(at, made(parent, marked_exactly(parent, packed_move, lines)), successors);
        successor_roots[at] = roots[index];
    }
}

// Makes the successors of some positions. Counts the moves of each position and all successors; if there are more successors
// than room, some are missing. If not all successors are kept, most others are not made, and moves are not counted. First each
// lane finds the moves of one position; then each lane makes one move at a time. Moves that do not fit in the queue become
// items.
__kernel KERNEL void expand_unordered(
    __global const uint4 *restrict positions,
    __global uint4 *restrict successors,
    __global const uint *restrict roots,
    __global uint *restrict successor_roots,
    __global uint *restrict new_counts,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global const uint4 *restrict lines,
    uint first,
    uint end,
    uint filter_kind,
    uint capacity,
    uint item_capacity,
    uint first_own_low,
    uint first_own_high,
    uint first_theirs_low,
    uint first_theirs_high,
    uint first_hash,
    uint last_own_low,
    uint last_own_high,
    uint last_theirs_low,
    uint last_theirs_high,
    uint last_hash
) {
    __local uint queue[QUEUE];
    __local uint queued[1];
    uint lane_moves[1] = {0};
    __local uint successor_base[1];
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint group_first = first + group_index(id) * GROUP;
    const uint index = group_first + id.lane;
    if (id.lane == 0u) {
        *queued = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const Position position = load_position_or_none(index, positions, end);
    const Frame frame = frame_of(position);
    const Lines axes = lines_of(frame.king_square, lines);
    const Limits limits = limits_of(frame, axes, lines);
    Replies nothing_known = {0};
    nothing_known.not_to = squares_to_kept(range_of_scalars(first_own_low, first_own_high, first_theirs_low,
        first_theirs_high, first_hash, last_own_low, last_own_high, last_theirs_low, last_theirs_high, last_hash),
        position, filter_kind);
    *lane_moves = 0u;
    closed_form_replies(frame, axes, limits, nothing_known, (Numbers){0}, (Sink){id.lane << LANE, index}, new_items,
        new_item_count, lines, queue, queued, lane_moves, item_capacity);
    if (index < end) {
        new_counts[index] = *lane_moves;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint len = min(*queued, QUEUE);
    if (id.lane == 0u) {
        *successor_base = atomic_add(&new_item_count[1], len);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = id.lane; at < len; at += GROUP) {
        const uint packed_move = queue[at];
        store_successor(group_first + (packed_move >> LANE), packed_move & 0x1ffffu, *successor_base + at, positions,
            successors, roots, successor_roots, lines, capacity);
    }
}

// Makes the successors of the items and appends them to the other successors.
__kernel KERNEL void expand_items(
    __global const uint4 *restrict positions,
    __global uint4 *restrict successors,
    __global const uint *restrict roots,
    __global uint *restrict successor_roots,
    __global const uint2 *restrict items,
    __global uint *restrict new_item_count,
    __global const uint4 *restrict lines,
    uint capacity,
    uint item_capacity
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint count = load_atomic(&new_item_count[0]);
    const uint first = group_index(id) * GROUP + id.lane;
    if (first == 0u && count > item_capacity) {
        atomic_max(&new_item_count[1], capacity + 1u);
    }
    const uint len = min(count, item_capacity);
    for (uint index = first; index < len; index += id.workgroups.x * id.workgroups.y * GROUP) {
        const uint2 item = items[index];
        const uint result = atomic_add(&new_item_count[1], 1u);
        store_successor(item.y, item.x, result, positions, successors, roots, successor_roots, lines, capacity);
    }
}
