// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// A position on the path from the root to the position that a lane searches.
typedef struct {
    Position position;
    // The moves still to come.
    uint at;
    uint end;
    int best;
    int alpha;
    int beta;
} Node;

// Returns a value one ply earlier, from the other side's view: mates are a ply further away.
INLINE int value_one_ply_up(int value) {
    if (value > 31000) {
        return 1 - value;
    }
    if (value < -31000) {
        return -1 - value;
    }
    return -value;
}

// Whether a side that is not in check has a legal move of a pawn or knight that is on no line with the king and so
// cannot be pinned. A fast test that misses other moves.
INLINE bool moves_certainly(Position position, __global const uint4 *restrict lines) {
    const Men own = men_of(position, position.own);
    const Lines axes = lines_of(lowest_index(own.king) & 63u, lines);
    const ulong free = ~(axes.file | axes.rank | axes.diagonal | axes.antidiagonal);
    return nonempty((north_step(own.pawns & free) & ~occupied_of(position))
        | (knight_attacks(own.knights & free) & ~position.own));
}

// Whether the side to move is stalemated.
INLINE bool is_stalemate(Position position, bool check, __global const uint4 *restrict lines) {
    if (check || moves_certainly(position, lines)) {
        return false;
    }
    return count_moves_of(position, false, lines) == 0u;
}

// Returns the value of a position without legal moves.
INLINE int value_without_moves(bool check) {
    return check ? -32000 : 0;
}

INLINE Node load_node(uint index, __global uint4 *restrict nodes) {
    const uint4 first = nodes[4u * index];
    const uint4 second = nodes[4u * index + 1u];
    const uint4 third = nodes[4u * index + 2u];
    const int4 fourth = as_int4(nodes[4u * index + 3u]);
    const Position position = {join(first.x, first.y), join(first.z, first.w), join(second.x, second.y),
        join(second.z, second.w), join(third.x, third.y)};
    return (Node){position, third.z, third.w, fourth.x, fourth.y, fourth.z};
}

INLINE void store_node(uint index, Node node, __global uint4 *restrict nodes) {
    const Position position = node.position;
    nodes[4u * index] = (uint4)(low(position.bit1), high(position.bit1), low(position.bit2), high(position.bit2));
    nodes[4u * index + 1u] = (uint4)(low(position.bit4), high(position.bit4), low(position.own), high(position.own));
    nodes[4u * index + 2u] = (uint4)(low(position.en_passant), high(position.en_passant), node.at, node.end);
    nodes[4u * index + 3u] = as_uint4((int4)(node.best, node.alpha, node.beta, 0));
}

// Evaluates positions. Positions without legal moves are mate or stalemate.
__kernel KERNEL void evaluate(
    __global const uint4 *restrict positions,
    __global const uint4 *restrict lines,
    __global int *restrict values,
    uint first,
    uint end
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = first + group_index(id) * GROUP + id.lane;
    if (index >= end) {
        return;
    }
    const Position position = load_position(index, positions);
    const Evaluation evaluation = evaluated(position);
    int value = evaluation.value;
    if (evaluation.check) {
        if (count_moves_of(position, false, lines) == 0u) {
            value = -32000;
        }
    } else if (is_stalemate(position, false, lines)) {
        value = 0;
    }
    values[index] = value;
}

// Finds the values of positions `depth` plies (none or one) above their leaves, which a quiescence search evaluates.
// Each lane does alpha-beta, depth first, below one position after another, so that the best leaf is a bound for its
// siblings. No leaf is left out, but most leaves need only the evaluation.
//
// Every step handles one position of any ply, so that the lanes of a group stay together although their trees differ. A
// lane that has finished takes the next position. After a number of steps the kernel ends, and sets the second item
// count if a search is still running. `states` (the index of the lane's position, beyond the end if none is left, and
// the ply) and `nodes` store the state of each lane.
//
// Each lane has room for some moves; if the room is too small, the kernel sets the totals' header, and all values are
// invalid. The distance to mate is counted from the positions that the lanes begin with.
__kernel KERNEL void quiesce(
    __global const uint4 *restrict positions,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global uint *restrict totals,
    __global const uint4 *restrict lines,
    __global int *restrict values,
    __global uint4 *restrict nodes,
    __global uint2 *restrict states,
    uint end,
    uint capacity,
    uint depth,
    uint lanes,
    uint steps
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint lane = group_index(id) * GROUP + id.lane;
    if (lane >= lanes) {
        return;
    }
    const uint depth_1 = depth;
    const uint first_node = lane * 7u;
    uint index = states[lane].x;
    uint ply = states[lane].y;
    if (index >= end) {
        return;
    }
    for (uint step = 0u; step < steps; step += 1u) {
        Position here = {0};
        int alpha = -32001;
        int beta = 32001;
        uint top = lane * capacity;
        if (ply > 0u) {
            const Node parent = load_node(first_node + ply - 1u, nodes);
            nodes[4u * (first_node + ply - 1u) + 2u].z = parent.at + 1u;
            alpha = -parent.beta;
            beta = -parent.alpha;
            top = parent.end;
            here = made(parent.position, new_items[parent.at].x);
        } else {
            index = atomic_add(&new_item_count[0], 1u);
            if (index >= end) {
                states[lane].x = index;
                return;
            }
            here = load_position(index, positions);
        }
        const Evaluation evaluation = evaluated(here);
        const bool all_moves = ply < depth_1;
        const bool is_last = ply == depth_1 + QUIESCENCE_PLIES;
        int found = evaluation.value;
        if (evaluation.check && !is_last) {
            found = (int) ply - MATE;
        }
        bool drawn = false;
        if (ply == depth_1) {
            drawn = is_stalemate(here, evaluation.check, lines);
        }
        bool opened = false;
        if (all_moves || (!drawn && !is_last && (evaluation.check || found < beta))) {
            Writer out = {top, (lane + 1u) * capacity, 0u};
            const Frame frame = frame_of(here);
            const Lines axes = lines_of(frame.king_square, lines);
            const Limits limits = limits_of(frame, axes, lines);
            captures(&out, frame, axes, limits, new_items);
            if (all_moves || evaluation.check) {
                quiets(&out, here, frame, axes, limits, new_items, lines);
            } else {
                push_promotions(&out, frame, limits, new_items);
            }
            if (out.at == out.end) {
                totals[0] = 1u;
            }
            opened = out.at > top;
            if (opened) {
                const int best = all_moves ? -32001 : found;
                store_node(first_node + ply, (Node){here, top, out.at, best, max(alpha, best), beta}, nodes);
                ply += 1u;
            }
        }
        if (drawn || (all_moves && !opened && !evaluation.check)) {
            found = 0;
        }
        while (!opened && ply > 0u) {
            const uint parent = first_node + ply - 1u;
            const uint2 moves = nodes[4u * parent + 2u].zw;
            int4 bounds = as_int4(nodes[4u * parent + 3u]);
            bounds.x = max(bounds.x, -found);
            bounds.y = max(bounds.y, bounds.x);
            nodes[4u * parent + 3u] = as_uint4(bounds);
            opened = bounds.y < bounds.z && moves.x < moves.y;
            if (!opened) {
                found = bounds.x;
                ply -= 1u;
            }
        }
        if (!opened) {
            values[index] = found;
        }
    }
    states[lane] = (uint2)(index, ply);
    new_item_count[1] = 1u;
}

// Finds the value of each position of some blocks: the maximum of its successors' values one ply earlier.
__kernel KERNEL void back_up(
    __global const uint4 *restrict positions,
    __global const uint *restrict counts,
    __global const uint *restrict offsets,
    __global const uint *restrict bases,
    __global int *restrict values,
    __global const int *restrict successor_values,
    uint first,
    uint end
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = first + group_index(id) * GROUP + id.lane;
    if (index >= end) {
        return;
    }
    const uint len = counts[index];
    if (len == 0u) {
        values[index] = value_without_moves(evaluated(load_position(index, positions)).check);
        return;
    }
    const uint at = bases[index / GROUP] - bases[first / GROUP] + offsets[index];
    int best = -32001;
    for (uint successor = 0u; successor < len; successor += 1u) {
        best = max(best, value_one_ply_up(successor_values[at + successor]));
    }
    values[index] = best;
}
