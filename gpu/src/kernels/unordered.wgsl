// The successors of positions, in no particular order, for inner levels of a tree and for merging.

/// The index of the first successor of the queued moves.
var<workgroup> successor_base: u32;

/// Returns the move, marked as a double push that allows an en-passant capture only if such a capture is legal.
fn marked_exactly(parent: Position, packed_move: u32) -> u32 {
    if kind_of(packed_move) == PASSING && !allows_en_passant(parent, packed_move) {
        return packed_move & ((1u << KIND) - 1u);
    }
    return packed_move;
}

/// Makes a move and writes the successor, if there is room.
fn store_successor(index: u32, packed_move: u32, at: u32) {
    if at < scalars.capacity {
        let parent = load_position(index);
        store_position(at, made(parent, marked_exactly(parent, packed_move)));
        successor_roots[at] = roots[index];
    }
}

/// Makes the successors of some positions. Counts the moves of each position and all successors; if there are more successors
/// than room, some successors are missing. If there is a filter, most successors that do not pass it are not made, and moves
/// are not counted. First each lane finds the moves of one position; then each lane makes one move per turn. Moves that do not
/// fit in the queue become items.
@compute @workgroup_size(GROUP)
fn expand_unordered(id: Invocation) {
    let group_first = scalars.first + group_index(id) * GROUP;
    let index = group_first + id.lane;
    if id.lane == 0u {
        atomicStore(&queued, 0u);
    }
    workgroupBarrier();
    let position = load_position_or_none(index);
    let frame = frame_of(position);
    let axes = lines_of(frame.king_square);
    let limits = limits_of(frame, axes);
    // A move that qualifies for the closed form is not made, and its count is not used. All other moves go to the sink.
    var nothing_known = Replies();
    nothing_known.not_to = squares_to_kept(range_of_scalars(), position);
    lane_moves = 0u;
    closed_form_replies(frame, axes, limits, nothing_known, Numbers(), Sink(id.lane << LANE, index));
    if index < scalars.end {
        new_counts[index] = lane_moves;
    }
    workgroupBarrier();
    let len = min(atomicLoad(&queued), QUEUE);
    if id.lane == 0u {
        successor_base = atomicAdd(&new_item_count[1], len);
    }
    workgroupBarrier();
    for (var at = id.lane; at < len; at += GROUP) {
        let packed_move = queue[at];
        store_successor(group_first + (packed_move >> LANE), packed_move & ((1u << LANE) - 1u), successor_base + at);
    }
}

/// Makes the successors of the items and appends them to the other successors.
@compute @workgroup_size(GROUP)
fn expand_items(id: Invocation) {
    let count = atomicLoad(&new_item_count[0]);
    let first = group_index(id) * GROUP + id.lane;
    if first == 0u && count > scalars.item_capacity {
        // Some items are missing, and so are their successors.
        atomicMax(&new_item_count[1], scalars.capacity + 1u);
    }
    let len = min(count, scalars.item_capacity);
    for (var index = first; index < len; index += id.workgroups.x * id.workgroups.y * GROUP) {
        let item = items[index];
        store_successor(item.y, item.x, atomicAdd(&new_item_count[1], 1u));
    }
}
