// The successors of positions, in no particular order: what inner levels of a tree and merging need.

// A move whose mark says that it allows an en-passant capture only if that is legal.
fn marked_exactly(parent: Position, word: u32) -> u32 {
    if kind_of(word) == PASSING && !allows_en_passant(parent, word) {
        return word & ((1u << KIND) - 1u);
    }
    return word;
}

// Puts the successor by a move at a place, if there is room.
fn store_successor(at: u32, index: u32, word: u32) {
    if at < arrayLength(&successor_roots) {
        let parent = load_position(index);
        store_position(at, made(parent, marked_exactly(parent, word)));
        successor_roots[at] = roots[index];
    }
}

// Makes the successors of some positions and counts them in the second word of `new_item_count`; if there are more than
// there is room for, some are missing. Moves are found a position to a lane, and made a move to a lane. Moves for which
// the queue has no room become items.
@compute @workgroup_size(SPREAD_GROUP)
fn spread(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let group_first = scalars.first + group_index(workgroup, workgroups) * SPREAD_GROUP;
    let index = group_first + lane;
    if lane == 0u {
        atomicStore(&queued, 0u);
    }
    workgroupBarrier();
    if index < scalars.end {
        all_steps(load_position(index), Sink(lane << LANE, index));
    }
    workgroupBarrier();
    let len = min(atomicLoad(&queued), QUEUE);
    if lane == 0u {
        place = atomicAdd(&new_item_count[1], len);
    }
    workgroupBarrier();
    for (var at = lane; at < len; at += SPREAD_GROUP) {
        let word = queue[at];
        store_successor(place + at, group_first + (word >> LANE), word & ((1u << LANE) - 1u));
    }
}

// Makes the successors that items stand for, behind those that there are already.
@compute @workgroup_size(GROUP)
fn spread_items(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let first = group_index(workgroup, workgroups) * GROUP + lane;
    let item_count = atomicLoad(&new_item_count[0]);
    if first == 0u && item_count > arrayLength(&items) {
        // Some items are missing, and so are successors.
        atomicMax(&new_item_count[1], arrayLength(&successor_roots) + 1u);
    }
    let len = min(item_count, arrayLength(&items));
    for (var index = first; index < len; index += workgroups.x * workgroups.y * GROUP) {
        let item = items[index];
        store_successor(atomicAdd(&new_item_count[1], 1u), item.y, item.x);
    }
}
