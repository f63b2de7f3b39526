// The values of positions, as kogge-board defines them: leaves judged, and values backed up level by level.
//
// The fifty-move rule is not known here; what could come into its reach is left to others.

// A value as it is a move earlier, to the other side: mates are a ply further away.
fn a_move_earlier(value: i32) -> i32 {
    if value > MATE - LONGEST_MATE {
        return 1 - value;
    }
    if value < LONGEST_MATE - MATE {
        return -1 - value;
    }
    return -value;
}

// Whether a side that is not in check has a legal move that can be seen without looking for pins: a pawn or a knight that
// stands on no line with the king.
fn moves_certainly(position: Position) -> bool {
    let own = men_of(position, position.own);
    let axes = lines_of(lowest_index(own.king) & 63u);
    let free = ~(axes.file | axes.rank | axes.diagonal | axes.antidiagonal);
    return nonempty(
        (north_step(own.pawns & free) & ~occupied_of(position)) | (knight_attacks(own.knights & free) & ~position.own),
    );
}

// Whether a position is one of stalemate.
fn is_stalemate(position: Position, check: bool) -> bool {
    if check || moves_certainly(position) {
        return false;
    }
    return count_moves_of(position, false) == 0u;
}

// Judges positions by the evaluation.
@compute @workgroup_size(GROUP)
fn judge(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = scalars.first + group_index(workgroup, workgroups) * GROUP + lane;
    if index >= scalars.end {
        return;
    }
    let position = load_position(index);
    let judgement = judgement_of(position);
    var value = judgement.value;
    if judgement.check {
        if count_moves_of(position, false) == 0u {
            value = -MATE;
        }
    } else if is_stalemate(position, false) {
        value = 0;
    }
    values[index] = value;
}

// A position whose moves are looked at one after the other.
struct Node {
    position: Position,
    // The moves still to come.
    at: u32,
    end: u32,
    best: i32,
    alpha: i32,
    beta: i32,
}

fn load_node(index: u32) -> Node {
    let first = nodes[4u * index];
    let second = nodes[4u * index + 1u];
    let third = nodes[4u * index + 2u];
    let fourth = bitcast<vec4<i32>>(nodes[4u * index + 3u]);
    let position = Position(
        join(first.x, first.y),
        join(first.z, first.w),
        join(second.x, second.y),
        join(second.z, second.w),
        join(third.x, third.y),
    );
    return Node(position, third.z, third.w, fourth.x, fourth.y, fourth.z);
}

fn store_node(index: u32, node: Node) {
    let position = node.position;
    nodes[4u * index] = vec4<u32>(low(position.bit1), high(position.bit1), low(position.bit2), high(position.bit2));
    nodes[4u * index + 1u] = vec4<u32>(low(position.bit4), high(position.bit4), low(position.own), high(position.own));
    nodes[4u * index + 2u] = vec4<u32>(low(position.en_passant), high(position.en_passant), node.at, node.end);
    nodes[4u * index + 3u] = bitcast<vec4<u32>>(vec4<i32>(node.best, node.alpha, node.beta, 0));
}

// Finds the values of positions `depth` plies (none or one) above their leaves, which are judged by quiescence. Each
// work-item does alpha-beta, depth first, below one position after the other: so the best leaf is a bound for its
// brothers. No leaf is left out, but most need no more than the evaluation.
//
// Every step looks at one position, whichever ply it is on, so that the work-items of a group stay together although
// their trees differ. Who is done takes the next position. After so many steps the kernel ends, and says in the second item
// count whether there is more to do; where each work-item is, `states` (the index of its position, none
// if that is no longer one, and the ply) and `nodes` keep.
//
// Each has room for so many moves; if that is not enough, the first of the totals is set, and no value is of any use. Mates
// are counted from where the work-item begins.
@compute @workgroup_size(GROUP)
fn quiesce(
    @builtin(local_invocation_index) local_lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let lane = group_index(workgroup, workgroups) * GROUP + local_lane;
    if lane >= scalars.lanes {
        return;
    }
    let depth = scalars.depth;
    let first_node = lane * (QUIESCENCE_PLIES + 1u);
    var index = states[lane].x;
    var ply = states[lane].y;
    if index >= scalars.end {
        return;
    }
    for (var step = 0u; step < scalars.steps; step++) {
        var here: Position;
        var alpha = -MATE - 1;
        var beta = MATE + 1;
        var top = lane * scalars.room;
        if ply > 0u {
            let parent = load_node(first_node + ply - 1u);
            nodes[4u * (first_node + ply - 1u) + 2u].z = parent.at + 1u;
            alpha = -parent.beta;
            beta = -parent.alpha;
            top = parent.end;
            here = made(parent.position, new_items[parent.at].x);
        } else {
            index = atomicAdd(&new_item_count[0], 1u);
            if index >= scalars.end {
                states[lane].x = index;
                return;
            }
            here = load_position(index);
        }
        let judgement = judgement_of(here);
        let all_moves = ply < depth;
        let is_last = ply == depth + QUIESCENCE_PLIES;
        var found = judgement.value;
        if judgement.check && !is_last {
            found = i32(ply) - MATE;
        }
        var drawn = false;
        if ply == depth {
            drawn = is_stalemate(here, judgement.check);
        }
        var opened = false;
        // Who is not in check can stand pat.
        if all_moves || (!drawn && !is_last && (judgement.check || found < beta)) {
            var out = Writer(top, (lane + 1u) * scalars.room, 0u);
            let frame = frame_of(here);
            let axes = lines_of(frame.king_square);
            let limits = limits_of(frame, axes);
            captures(&out, frame, axes, limits);
            if all_moves || judgement.check {
                quiets(&out, here, frame, axes, limits);
            } else {
                push_promotions(&out, frame, limits);
            }
            if out.at == out.end {
                // What there is no room for is left out, so that a full room may be one that is too small.
                atomicStore(&totals[0], 1u);
            }
            opened = out.at > top;
            if opened {
                let best = select(found, -MATE - 1, all_moves);
                store_node(first_node + ply, Node(here, top, out.at, best, max(alpha, best), beta));
                ply += 1u;
            }
        }
        if drawn || (all_moves && !opened && !judgement.check) {
            found = 0;
        }
        // Goes back up to a position that has moves left and no cutoff.
        while !opened && ply > 0u {
            let parent = first_node + ply - 1u;
            let moves = nodes[4u * parent + 2u].zw;
            var bounds = bitcast<vec4<i32>>(nodes[4u * parent + 3u]);
            bounds.x = max(bounds.x, -found);
            bounds.y = max(bounds.y, bounds.x);
            nodes[4u * parent + 3u] = bitcast<vec4<u32>>(bounds);
            opened = bounds.y < bounds.z && moves.x < moves.y;
            if !opened {
                found = bounds.x;
                ply -= 1u;
            }
        }
        if !opened {
            values[index] = found;
        }
    }
    states[lane] = vec2<u32>(index, ply);
    atomicStore(&new_item_count[1], 1u);
}

// Gives the positions of some blocks the values that their successors have: the greatest of these.
@compute @workgroup_size(GROUP)
fn back_up(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = scalars.first + group_index(workgroup, workgroups) * GROUP + lane;
    if index >= scalars.end {
        return;
    }
    let len = counts[index];
    if len == 0u {
        values[index] = select(0, -MATE, judgement_of(load_position(index)).check);
        return;
    }
    let at = bases[index / GROUP] - bases[scalars.first / GROUP] + offsets[index];
    var best = -MATE - 1;
    for (var successor = 0u; successor < len; successor++) {
        best = max(best, a_move_earlier(successor_values[at + successor]));
    }
    values[index] = best;
}
