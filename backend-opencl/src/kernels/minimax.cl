// The values of positions, as kogge-board defines them. Leaves are evaluated, and values are backed up level by level.
//
// These kernels do not know the fifty-move rule. The host searches positions near it in another way.

// Returns a value one ply earlier, from the other side's view: mates are a ply further away.
INLINE int value_one_ply_up(int value) {
    return value > MATE - LONGEST_MATE ? 1 - value : value < LONGEST_MATE - MATE ? -1 - value : -value;
}

// Whether a side that is not in check has a legal move of a pawn or knight that is on no line with the king and so
// cannot be pinned. A fast test that misses other moves.
INLINE bool moves_certainly(Position position, __global const ulong2 *restrict lines_table) {
    const Men own = men_of(position, position.own);
    const Lines lines = lines_of(lines_table, lowest_index(own.king) & 63);
    const ulong free = ~(lines.file | lines.rank | lines.diagonal | lines.antidiagonal);
    return ((north_step(own.pawns & free) & ~occupied_of(position)) |
            (knight_attacks(own.knights & free) & ~position.own)) != 0;
}

// Whether the side to move is stalemated.
INLINE bool is_stalemate(Position position, bool check, __global const ulong2 *restrict lines) {
    return !check && !moves_certainly(position, lines) && count_moves_of(position, lines, false) == 0;
}

// Returns the value of a position without legal moves.
INLINE int value_without_moves(bool check) {
    return check ? -MATE : 0;
}

// Evaluates positions. Positions without legal moves are mate or stalemate.
__kernel KERNEL void evaluate(
    __global const Packed *restrict positions,
    __global const ulong2 *restrict lines,
    __global int *restrict values,
    uint first,
    uint end
) {
    const uint index = first + (uint) get_global_id(0);
    if (index >= end) {
        return;
    }
    const Position position = load_position(positions, index);
    const Evaluated evaluation = evaluated(position);
    const bool moves = (!evaluation.check && moves_certainly(position, lines)) ||
                       count_moves_of(position, lines, false) != 0;
    values[index] = moves ? evaluation.value : value_without_moves(evaluation.check);
}

// A position on the path from the root to the position that a lane searches.
typedef struct {
    Position position;
    // The moves still to come.
    uint at, end;
    int best, alpha, beta;
} Node;

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
    __global const Packed *restrict positions,
    __global const ulong2 *restrict lines,
    __global ulong *restrict new_items,
    __global uint *restrict new_item_count,
    __global uint *restrict totals,
    __global int *restrict values,
    __global Node *restrict nodes,
    __global uint *restrict states,
    uint end,
    uint room,
    uint depth,
    uint lanes,
    uint steps
) {
    const uint lane = get_global_id(0);
    if (lane >= lanes) {
        return;
    }
    __global Node *path = nodes + lane * (QUIESCENCE_PLIES + 1);
    uint index = states[2 * lane], ply = states[2 * lane + 1];
    if (index >= end) {
        return;
    }
    for (uint step = 0; step < steps; ++step) {
        Position here;
        int alpha = -MATE - 1, beta = MATE + 1;
        if (ply > 0) {
            const Node parent = path[ply - 1];
            path[ply - 1].at = parent.at + 1;
            alpha = -parent.beta;
            beta = -parent.alpha;
            here = made(parent.position, (uint) new_items[parent.at]);
        } else {
            index = atomic_inc(&new_item_count[0]);
            if (index >= end) {
                states[2 * lane] = index;
                return;
            }
            here = load_position(positions, index);
        }
        const Evaluated evaluation = evaluated(here);
        const bool all_moves = ply < depth, is_leaf = ply == depth, is_last = ply == depth + QUIESCENCE_PLIES;
        int found = evaluation.check && !is_last ? (int) ply - MATE : evaluation.value;
        const bool drawn = is_leaf && is_stalemate(here, evaluation.check, lines);
        bool opened = false;
        // A side that is not in check can stand pat.
        if (all_moves || (!drawn && !is_last && (evaluation.check || found < beta))) {
            const uint top = ply == 0 ? lane * room : path[ply - 1].end;
            Writer out = {new_items, top, (lane + 1) * room, 0};
            const Frame frame = frame_of(here);
            const Lines king_lines = lines_of(lines, frame.king_square);
            const Limits limits = limits_of(frame, king_lines, lines);
            captures(&out, frame, king_lines, limits);
            if (all_moves || evaluation.check) {
                quiets(&out, here, frame, king_lines, limits, lines);
            } else {
                push_promotions(&out, frame, limits);
            }
            if (out.at == out.end) {
                // Moves beyond the room are left out, so a full room may be too small.
                totals[0] = 1;
            }
            opened = out.at > top;
            if (opened) {
                const int best = all_moves ? -MATE - 1 : found;
                path[ply] = (Node){here, top, out.at, best, max(alpha, best), beta};
                ply += 1;
            }
        }
        if (drawn || (all_moves && !opened && !evaluation.check)) {
            found = 0;
        }
        // Go back up to a position that has moves left and no cutoff.
        for (;;) {
            if (opened || ply == 0) {
                break;
            }
            __global Node *parent = path + (ply - 1);
            const int best = max(parent->best, -found), alpha = max(parent->alpha, best);
            parent->best = best;
            parent->alpha = alpha;
            opened = alpha < parent->beta && parent->at < parent->end;
            if (!opened) {
                found = best;
                ply -= 1;
            }
        }
        if (!opened) {
            values[index] = found;
        }
    }
    states[2 * lane] = index;
    states[2 * lane + 1] = ply;
    new_item_count[1] = 1;
}

// Finds the value of each position of some blocks: the maximum of its successors' values one ply earlier.
__kernel KERNEL void back_up(
    __global const Packed *restrict positions,
    __global const uint *restrict counts,
    __global const uint *restrict offsets,
    __global const uint *restrict bases,
    __global const int *restrict successor_values,
    __global int *restrict values,
    uint first,
    uint end
) {
    const uint index = first + (uint) get_global_id(0);
    if (index >= end) {
        return;
    }
    const uint len = counts[index];
    if (len == 0) {
        values[index] = value_without_moves(evaluated(load_position(positions, index)).check);
        return;
    }
    const uint at = bases[index / GROUP] - bases[first / GROUP] + offsets[index];
    int best = -MATE - 1;
    for (uint successor = 0; successor < len; ++successor) {
        best = max(best, value_one_ply_up(successor_values[at + successor]));
    }
    values[index] = best;
}
