// The values of positions, as kogge-board defines them: leaves judged, and values backed up level by level.
//
// The fifty-move rule is not known here; what could come into its reach is left to others.

// A value as it is a move earlier, to the other side: mates are a ply further away.
INLINE int before(int value) {
    return value > MATE - LONGEST_MATE ? 1 - value : value < LONGEST_MATE - MATE ? -1 - value : -value;
}

// Whether a side that is not in check has a legal move that can be seen without looking for pins: a pawn or a knight that
// stands on no line with the king.
INLINE bool moves_certainly(Position position, __global const ulong2 *restrict lines_table) {
    const Men own = men_of(position, position.own);
    const Lines lines = lines_of(lines_table, lowest_index(own.king) & 63);
    const ulong free = ~(lines.file | lines.rank | lines.diagonal | lines.antidiagonal);
    return ((north_step(own.pawns & free) & ~occupied_of(position)) |
            (knight_attacks(own.knights & free) & ~position.own)) != 0;
}

// The value of a position without legal moves.
INLINE int without_moves(bool check) {
    return check ? -MATE : 0;
}

// Judges positions by the evaluation.
__kernel KERNEL void judge(
    __global const Packed *restrict positions,
    __global const ulong2 *restrict lines,
    uint first,
    uint end,
    __global uint *restrict values
) {
    const uint index = first + (uint) get_global_id(0);
    if (index >= end) {
        return;
    }
    const Position position = load_position(positions, index);
    const Judgement judgement = judgement_of(position);
    const bool moves = (!judgement.check && moves_certainly(position, lines)) ||
                       count_moves_of(position, lines, false) != 0;
    values[index] = moves ? judgement.value : without_moves(judgement.check);
}

// Whether a position is one of stalemate.
INLINE bool is_stalemate(Position position, bool check, __global const ulong2 *restrict lines) {
    return !check && !moves_certainly(position, lines) && count_moves_of(position, lines, false) == 0;
}

// A position whose moves are looked at one after the other.
typedef struct {
    Position position;
    // The moves still to come.
    uint at, end;
    int best, alpha, beta;
} Node;

// Finds the values of positions `depth` plies (none or one) above their leaves, which are judged by quiescence. Each
// work-item does alpha-beta, depth first, below one position after the other: so the best leaf is a bound for its
// brothers. No leaf is left out, but most need no more than the evaluation.
//
// Every step looks at one position, whichever ply it is on, so that the work-items of a group stay together although
// their trees differ. Who is done takes the next position. After so many steps the kernel ends, and says in `running`
// whether there is more to do; where each work-item is, `states` (the index of its position, none if that is no longer one,
// and the ply) and `nodes` keep.
//
// Each has room for so many moves; if that is not enough, `lost` is set, and no value is of any use. Mates are counted
// from where the work-item begins.
__kernel KERNEL void quiesce(
    __global const Packed *restrict positions,
    __global const ulong2 *restrict lines,
    uint len,
    uint depth,
    uint steps,
    uint lanes,
    uint room,
    __global ulong *restrict items,
    __global Node *restrict all_nodes,
    __global uint *restrict states,
    __global uint *restrict taken,
    __global uint *restrict running,
    __global uint *restrict lost,
    __global uint *restrict values
) {
    const uint lane = get_global_id(0);
    if (lane >= lanes) {
        return;
    }
    __global Node *nodes = all_nodes + lane * (QUIESCENCE_PLIES + 1);
    uint index = states[2 * lane], ply = states[2 * lane + 1];
    if (index >= len) {
        return;
    }
    for (uint step = 0; step < steps; ++step) {
        Position here;
        int alpha = -MATE - 1, beta = MATE + 1;
        if (ply > 0) {
            const Node parent = nodes[ply - 1];
            nodes[ply - 1].at = parent.at + 1;
            alpha = -parent.beta;
            beta = -parent.alpha;
            here = made(parent.position, (uint) items[parent.at]);
        } else {
            index = atomic_inc(taken);
            if (index >= len) {
                states[2 * lane] = index;
                return;
            }
            here = load_position(positions, index);
        }
        const Judgement judgement = judgement_of(here);
        const bool all_moves = ply < depth, is_leaf = ply == depth, is_last = ply == depth + QUIESCENCE_PLIES;
        int found = judgement.check && !is_last ? (int) ply - MATE : judgement.value;
        const bool drawn = is_leaf && is_stalemate(here, judgement.check, lines);
        bool opened = false;
        // Who is not in check can stand pat.
        if (all_moves || (!drawn && !is_last && (judgement.check || found < beta))) {
            const uint top = ply == 0 ? lane * room : nodes[ply - 1].end;
            Writer out = {items, top, (lane + 1) * room, 0};
            const Frame frame = frame_of(here);
            const Lines king_lines = lines_of(lines, frame.king_square);
            const Limits limits = limits_of(frame, king_lines, lines);
            captures(&out, frame, king_lines, limits);
            if (all_moves || judgement.check) {
                quiets(&out, here, frame, king_lines, limits, lines);
            } else {
                push_promotions(&out, frame, limits);
            }
            if (out.at == out.end) {
                // What there is no room for is left out, so that a full room may be one that is too small.
                *lost = 1;
            }
            opened = out.at > top;
            if (opened) {
                const int best = all_moves ? -MATE - 1 : found;
                nodes[ply] = (Node){here, top, out.at, best, max(alpha, best), beta};
                ply += 1;
            }
        }
        if (drawn || (all_moves && !opened && !judgement.check)) {
            found = 0;
        }
        // Goes back up to a position that has moves left and no cutoff.
        for (;;) {
            if (opened || ply == 0) {
                break;
            }
            __global Node *parent = nodes + (ply - 1);
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
    *running = 1;
}

// Gives the positions of some blocks the values that their successors have: the greatest of these.
__kernel KERNEL void back_up(
    __global const Packed *restrict positions,
    __global const uint *restrict counts,
    __global const uint *restrict offsets,
    __global const uint *restrict bases,
    uint first,
    uint end,
    __global const uint *restrict successor_values,
    __global uint *restrict values
) {
    const uint index = first + (uint) get_global_id(0);
    if (index >= end) {
        return;
    }
    const uint len = counts[index];
    if (len == 0) {
        values[index] = without_moves(judgement_of(load_position(positions, index)).check);
        return;
    }
    const uint at = bases[index / GROUP] - bases[first / GROUP] + offsets[index];
    int best = -MATE - 1;
    for (uint successor = 0; successor < len; ++successor) {
        best = max(best, before((int) successor_values[at + successor]));
    }
    values[index] = best;
}
