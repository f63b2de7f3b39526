// The successors of positions, in no particular order: what inner levels of a tree and merging need.

// Moves that a work-group queues in local memory, per work-item; those beyond become items.
#define SPREAD_ROOM (GROUP * SPREAD_PER_LANE)

// A move whose mark says that it allows an en-passant capture only if that is legal.
INLINE uint marked_exactly(Position parent, uint word, __global const ulong2 *restrict lines) {
    const bool passing = (word >> KIND & 3) == PASSING;
    return passing && !allows_en_passant(parent, lines, word) ? word & ((1u << KIND) - 1) : word;
}

// Puts the successor by a move at a place, if there is room.
INLINE void store_successor(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    uint index,
    uint word,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    uint at,
    uint room
) {
    if (at < room) {
        const Position parent = load_position(positions, index);
        store_position(successors, at, made(parent, marked_exactly(parent, word, lines)));
        successor_roots[at] = roots[index];
    }
}

// Makes the successors of some positions and counts them; if there are more than there is room for, some are missing.
// Moves are found a position to a lane, and made a move to a lane. Moves for which local memory has no room become items.
__kernel KERNEL void spread(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    uint first,
    uint end,
    __global ulong *restrict items,
    __global uint *restrict item_count,
    uint capacity,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    uint room,
    __global uint *restrict successor_count
) {
    __local uint words[SPREAD_ROOM];
    __local uint queued, place;
    const uint local_index = get_local_id(0);
    const uint group_first = first + (uint) get_group_id(0) * GROUP, index = group_first + local_index;
    if (local_index == 0) {
        queued = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const Sink sink = {words, &queued, SPREAD_ROOM, items, item_count, capacity, local_index << LANE, (ulong) index << 32};
    // All lanes go on, for barriers; those without a position have an empty board, which has no moves.
    const Position none = {0, 0, 0, 0, 0};
    const Position position = index < end ? load_position(positions, index) : none;
    const Frame frame = frame_of(position);
    const Lines king_lines = lines_of(lines, frame.king_square);
    const Limits limits = limits_of(frame, king_lines, lines);
    // No move qualifies for the closed form: all go to the sink.
    Replies nothing_known = {0};
    nothing_known.not_to = ~0UL;
    replies_or_steps(frame, king_lines, limits, nothing_known, sink, lines);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint len = min(queued, (uint) SPREAD_ROOM);
    if (local_index == 0) {
        place = atomic_add(successor_count, len);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = local_index; at < len; at += GROUP) {
        const uint parent = group_first + (words[at] >> LANE), word = words[at] & ((1u << LANE) - 1);
        store_successor(positions, roots, lines, parent, word, successors, successor_roots, place + at, room);
    }
}

// Makes the successors that items stand for, behind those that there are already.
__kernel KERNEL void spread_items(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global const ulong *restrict items,
    __global const uint *restrict item_count,
    uint capacity,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    uint room,
    __global uint *restrict successor_count
) {
    if (get_global_id(0) == 0 && *item_count > capacity) {
        // Some items are missing, and so are successors.
        atomic_max(successor_count, room + 1);
    }
    const uint len = min(*item_count, capacity);
    for (uint index = get_global_id(0); index < len; index += get_global_size(0)) {
        const uint at = atomic_inc(successor_count), word = (uint) items[index];
        store_successor(positions, roots, lines, items[index] >> 32, word, successors, successor_roots, at, room);
    }
}
