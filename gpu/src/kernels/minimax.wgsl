// The values of positions, as kogge-board defines them. Leaves are evaluated, and values are backed up level by level.
//
// These kernels do not know the fifty-move rule. The host searches positions close to a draw by this rule in another
// way.

/// Returns a value one ply up, from the other side's view: mates are one ply further away.
fn value_one_ply_up(value: i32) -> i32 {
    if value > MATE - LONGEST_MATE {
        return 1 - value;
    }
    if value < LONGEST_MATE - MATE {
        return -1 - value;
    }
    return -value;
}

/// Whether a side that is not in check has a legal move of a pawn or knight that is on no line with the king and
/// therefore cannot be pinned. This fast test misses other moves.
fn moves_certainly(position: Position) -> bool {
    let own = men_of(position, position.own);
    let axes = lines_of(lowest_index(own.king) & 63u);
    let free = ~(axes.file | axes.rank | axes.diagonal | axes.antidiagonal);
    return nonempty(
        (north_step(own.pawns & free) & ~occupied_of(position)) | (knight_attacks(own.knights & free) & ~position.own),
    );
}

/// Whether the side to move is stalemated.
fn is_stalemate(position: Position, check: bool) -> bool {
    if check || moves_certainly(position) {
        return false;
    }
    return count_moves_of(position, false) == 0u;
}

/// Returns the value of a position without legal moves.
fn value_without_moves(check: bool) -> i32 {
    return select(0, -MATE, check);
}

/// Evaluates positions. Positions without legal moves are mate or stalemate.
@compute @workgroup_size(GROUP)
fn evaluate(id: Invocation) {
    let index = scalars.first + group_index(id) * GROUP + id.lane;
    if index >= scalars.end {
        return;
    }
    let position = load_position(index);
    let evaluation = evaluated(position);
    var value = evaluation.value;
    if evaluation.check {
        if count_moves_of(position, false) == 0u {
            value = -MATE;
        }
    } else if is_stalemate(position, false) {
        value = 0;
    }
    values[index] = value;
}

/// A position on the path from the root to the position that a lane is searching.
struct Node {
    position: Position,
    /// The moves that are still to be searched.
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

/// Finds the values of positions `depth` plies (zero or one) above their leaves, which a quiescence search evaluates.
/// Each lane searches by alpha-beta, depth first, below one position after another, so that the best leaf so far is a
/// bound for its siblings. Every leaf is visited, but most leaves need only the evaluation.
///
/// Every step of the loop handles one position, whatever its ply, so that the lanes of a group stay together although
/// their trees differ. A lane that has finished takes the next position. After a number of steps the kernel ends, and
/// sets the second item count if a search is still running. `states` and `nodes` store the state of each lane; `states`
/// has the index of the lane's position (beyond the end if none is left) and the ply.
///
/// Each lane has room for a number of moves; if the room is too small, the kernel sets the totals' header, and all
/// values are invalid. The distance to mate is counted from the positions where the lanes begin.
@compute @workgroup_size(GROUP)
fn quiesce(id: Invocation) {
    let lane = group_index(id) * GROUP + id.lane;
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
        var here = Position();
        var alpha = -MATE - 1;
        var beta = MATE + 1;
        var top = lane * scalars.capacity;
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
        let evaluation = evaluated(here);
        let all_moves = ply < depth;
        let is_last = ply == depth + QUIESCENCE_PLIES;
        var found = evaluation.value;
        if evaluation.check && !is_last {
            found = i32(ply) - MATE;
        }
        var drawn = false;
        if ply == depth {
            drawn = is_stalemate(here, evaluation.check);
        }
        var opened = false;
        // A side that is not in check can stand pat.
        if all_moves || (!drawn && !is_last && (evaluation.check || found < beta)) {
            var out = Writer(top, (lane + 1u) * scalars.capacity, 0u);
            let frame = frame_of(here);
            let axes = lines_of(frame.king_square);
            let limits = limits_of(frame, axes);
            captures(&out, frame, axes, limits);
            if all_moves || evaluation.check {
                quiets(&out, here, frame, axes, limits);
            } else {
                push_promotions(&out, frame, limits);
            }
            if out.at == out.end {
                // Moves without room are dropped, so full room means that it may have been too small.
                atomicStore(&totals[0], 1u);
            }
            opened = out.at > top;
            if opened {
                let best = select(found, -MATE - 1, all_moves);
                store_node(first_node + ply, Node(here, top, out.at, best, max(alpha, best), beta));
                ply += 1u;
            }
        }
        if drawn || (all_moves && !opened && !evaluation.check) {
            found = 0;
        }
        // Return to the nearest position above that has moves left and no cutoff.
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

/// Finds the value of each position of some blocks: the maximum of its successors' values one ply up.
@compute @workgroup_size(GROUP)
fn back_up(id: Invocation) {
    let index = scalars.first + group_index(id) * GROUP + id.lane;
    if index >= scalars.end {
        return;
    }
    let len = counts[index];
    if len == 0u {
        values[index] = value_without_moves(evaluated(load_position(index)).check);
        return;
    }
    let at = bases[index / GROUP] - bases[scalars.first / GROUP] + offsets[index];
    var best = -MATE - 1;
    for (var successor = 0u; successor < len; successor++) {
        best = max(best, value_one_ply_up(successor_values[at + successor]));
    }
    values[index] = best;
}
