// The successors of positions, in no particular order, for inner levels of a tree and for merging.

// The number of moves that fit in the queue of a work-group. Further moves become items.
#define UNORDERED_ROOM (GROUP * UNORDERED_PER_LANE)

// Returns the move, marked as a double push that allows an en-passant capture only if such a capture is legal.
INLINE uint marked_exactly(Position parent, uint packed_move, __global const ulong2 *restrict lines) {
    const bool passing = (packed_move >> KIND & 3) == PASSING;
    return passing && !allows_en_passant(parent, lines, packed_move) ? packed_move & ((1u << KIND) - 1) : packed_move;
}

// Makes a move and writes the successor, if there is room.
INLINE void store_successor(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    uint index,
    uint packed_move,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    uint at,
    uint room
) {
    if (at < room) {
        const Position parent = load_position(positions, index);
        store_position(successors, at, made(parent, marked_exactly(parent, packed_move, lines)));
        successor_roots[at] = roots[index];
    }
}

// Makes the successors of some positions. Counts the moves of each position and all successors; if there are more successors
// than room, some are missing. If only the successors in a range are kept, most others are not made. First each lane finds the moves of one position; then each lane makes one move at a time. Moves
// that do not fit in the queue become items.
__kernel KERNEL void expand_unordered(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global uint *restrict new_counts,
    __global ulong *restrict new_items,
    __global uint *restrict new_item_count,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    uint first,
    uint end,
    uint kept,
    uint room,
    uint capacity,
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
    __local uint queue[UNORDERED_ROOM];
    __local uint queued, base;
    const uint local_index = get_local_id(0);
    const uint group_first = first + (uint) get_group_id(0) * GROUP, index = group_first + local_index;
    if (local_index == 0) {
        queued = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint moves = 0;
    const Sink sink = {queue, &queued, UNORDERED_ROOM, new_items, new_item_count, capacity, local_index << LANE, (ulong) index << 32, &moves};
    // All lanes must reach the barriers. Lanes without a position get an empty board, which has no moves.
    const Position none = {0, 0, 0, 0, 0};
    const Position position = index < end ? load_position(positions, index) : none;
    const Frame frame = frame_of(position);
    const Lines king_lines = lines_of(lines, frame.king_square);
    const Limits limits = limits_of(frame, king_lines, lines);
    // A move that qualifies for the closed form is counted for nothing, and not made. All others go to the sink.
    Replies nothing_known = {0};
    const KeyRange range = RANGE_OF_SCALARS;
    nothing_known.not_to = squares_to_kept(kept, range, position);
    closed_form_replies(frame, king_lines, limits, nothing_known, sink, lines);
    if (index < end) {
        new_counts[index] = moves;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint len = min(queued, (uint) UNORDERED_ROOM);
    if (local_index == 0) {
        base = atomic_add(&new_item_count[1], len);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = local_index; at < len; at += GROUP) {
        const uint parent = group_first + (queue[at] >> LANE), packed_move = queue[at] & ((1u << LANE) - 1);
        store_successor(positions, roots, lines, parent, packed_move, successors, successor_roots, base + at, room);
    }
}

// Makes the successors of the items and appends them to the other successors.
__kernel KERNEL void expand_items(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global const ulong *restrict items,
    __global uint *restrict new_item_count,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    uint room,
    uint capacity
) {
    if (get_global_id(0) == 0 && new_item_count[0] > capacity) {
        // Some items are missing, and therefore their successors.
        atomic_max(&new_item_count[1], room + 1);
    }
    const uint len = min(new_item_count[0], capacity);
    for (uint index = get_global_id(0); index < len; index += get_global_size(0)) {
        const uint at = atomic_inc(&new_item_count[1]), packed_move = (uint) items[index];
        store_successor(positions, roots, lines, items[index] >> 32, packed_move, successors, successor_roots, at, room);
    }
}
