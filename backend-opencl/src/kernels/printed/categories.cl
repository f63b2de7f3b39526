// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define NODES 0u
#define CAPTURES 1u
#define EN_PASSANTS 2u
#define CASTLES 3u
#define PROMOTIONS 4u
#define CHECKS 5u
#define DISCOVERED 6u
#define DOUBLE 7u
#define MATES 8u
#define KINDS 9u

// Sets the sums of a work-group to zero.
INLINE void clear_kind_sums(uint lane, __local uint *kind_sums) {
    for (uint at = lane; at < KINDS * GROUP; at += GROUP) {
        kind_sums[at] = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Adds to the sum of a root and a kind, or to their total if the group has no sum for the root. A kind has `stride` totals.
INLINE void add_to_kind(
    uint first_root,
    uint root,
    uint kind,
    uint amount,
    __global uint *restrict totals,
    __local uint *kind_sums,
    uint stride
) {
    const uint at = root - first_root;
    if (amount == 0u) {
        return;
    }
    if (at < GROUP) {
        atomic_add(&kind_sums[kind * GROUP + at], amount);
    } else {
        add_to_total(kind * stride + root, amount, totals);
    }
}

// Adds the sums of a work-group to the totals.
INLINE void add_kind_sums(
    uint first_root,
    uint lane,
    __global uint *restrict totals,
    __local uint *kind_sums,
    uint stride
) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = lane; at < KINDS * GROUP; at += GROUP) {
        const uint sum = kind_sums[at];
        if (sum != 0u) {
            add_to_total(at / GROUP * stride + first_root + at % GROUP, sum, totals);
        }
    }
}

// Returns what the closed form needs to count ordinary moves and their captures. Moves that may check do not qualify: moves to a
// square from which the piece attacks the other king, and all moves of a piece between a slider and the king.
INLINE Replies ordinary_moves(Frame frame, __global const uint4 *restrict lines) {
    const Lines axes = lines_of(lowest_index(frame.their_king) & 63u, lines);
    const Sight sight = sight_of(axes, ~frame.empty, frame.their_king);
    const Sight attacks = sights_of(frame.rooks_queens & frame.own, frame.bishops_queens & frame.own, frame.empty);
    Replies ordinary = {0};
    ordinary.base = 1u;
    ordinary.not_from = ((attacks.file & sight.file) | (attacks.rank & sight.rank) | (attacks.diagonal & sight.diagonal)
        | (attacks.antidiagonal & sight.antidiagonal)) & frame.own;
    ordinary.not_to_knight = axes.knight;
    ordinary.not_to_orthogonal = sight.file | sight.rank;
    ordinary.not_to_diagonal = sight.diagonal | sight.antidiagonal;
    ordinary.not_to_pawn = pawn_attacks_down(frame.their_king);
    return ordinary;
}

// Returns the pieces of the side that has moved which attack the other side's king.
INLINE ulong checkers_of(Frame frame, __global const uint4 *restrict lines) {
    const Lines axes = lines_of(lowest_index(frame.their_king) & 63u, lines);
    const Sight sight = sight_of(axes, ~frame.empty, frame.their_king);
    const ulong checkers = ((sight.file | sight.rank) & frame.rooks_queens)
        | ((sight.diagonal | sight.antidiagonal) & frame.bishops_queens) | (axes.knight & frame.knights)
        | (pawn_attacks_down(frame.their_king) & frame.pawns);
    return checkers & frame.own;
}

// Counts the ordinary moves of positions, and those that capture, for their roots. All other moves become items, in no particular
// order. If their number exceeds the capacity, the queue overflowed and some items are missing.
__kernel KERNEL void classify_moves(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global uint *restrict totals,
    __global const uint4 *restrict lines,
    uint first,
    uint end,
    uint item_capacity,
    uint stride
) {
    __local uint queue[QUEUE];
    __local uint queued[1];
    __local uint item_base[1];
    uint lane_moves[1] = {0};
    __local uint kind_sums[9u * GROUP];
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint group_first = first + group_index(id) * GROUP;
    const uint index = group_first + id.lane;
    const uint first_root = first_group_root(roots[min(group_first, end - 1u)]);
    if (id.lane == 0u) {
        *queued = 0u;
    }
    clear_kind_sums(id.lane, kind_sums);
    const Frame frame = frame_of(load_position_or_none(index, positions, end));
    const Lines axes = lines_of(frame.king_square, lines);
    const Limits limits = limits_of(frame, axes, lines);
    const Replies ordinary = ordinary_moves(frame, lines);
    const uint counted = closed_form_replies(frame, axes, limits, ordinary, (Numbers){0},
        (Sink){id.lane << LANE, index}, new_items, new_item_count, lines, queue, queued, lane_moves, item_capacity);
    if (index < end) {
        add_to_kind(first_root, roots[index], NODES, counted % CAPTURE_CHANGE, totals, kind_sums, stride);
        add_to_kind(first_root, roots[index], CAPTURES, counted / CAPTURE_CHANGE, totals, kind_sums, stride);
    }
    add_kind_sums(first_root, id.lane, totals, kind_sums, stride);
    const uint len = min(*queued, QUEUE);
    if (id.lane == 0u) {
        *item_base = atomic_add(&new_item_count[0], len);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = id.lane; at < len; at += GROUP) {
        const uint packed_move = queue[at];
        put_item(*item_base + at, packed_move & 0x1ffffu, group_first + (packed_move >> LANE), new_items,
            item_capacity);
    }
}

// Makes the moves of items, and counts them by kind for their roots. If the queue overflowed, sets the totals' header, and all
// totals are invalid. Each work-group takes neighbouring items, because these mostly have the same root.
__kernel KERNEL void classify_items(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global const uint2 *restrict items,
    __global const uint *restrict item_count,
    __global uint *restrict totals,
    __global const uint4 *restrict lines,
    uint item_capacity,
    uint stride
) {
    __local uint kind_sums[9u * GROUP];
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint len = min(item_count[0], item_capacity);
    const uint lanes = id.workgroups.x * id.workgroups.y * GROUP;
    const uint group_items = (len + lanes - 1u) / lanes * GROUP;
    const uint group_first = min(group_index(id) * group_items, len);
    const uint end = min(group_first + group_items, len);
    uint first_root = 0u;
    if (group_first < end) {
        first_root = first_group_root(roots[items[group_first].y]);
    }
    if (id.lane == 0u && group_first == 0u && item_count[0] > item_capacity) {
        totals[0] = 1u;
    }
    clear_kind_sums(id.lane, kind_sums);
    for (uint index = group_first + id.lane; index < end; index += GROUP) {
        const uint packed_move = items[index].x;
        const Position parent = load_position(items[index].y, positions);
        const uint root = roots[items[index].y];
        const ulong origin = bit(from_of(packed_move));
        const ulong to = bit(to_of(packed_move));
        const bool en_passant = kind_of(packed_move) == EN_PASSANT;
        const bool castling = kind_of(packed_move) == CASTLING;
        const bool is_capture = en_passant || (!castling && nonempty(occupied_of(parent) & ~parent.own & to));
        const bool pawn = nonempty(parent.bit1 & ~(parent.bit2 | parent.bit4) & origin);
        add_to_kind(first_root, root, NODES, 1u, totals, kind_sums, stride);
        add_to_kind(first_root, root, CAPTURES, (uint) is_capture, totals, kind_sums, stride);
        add_to_kind(first_root, root, EN_PASSANTS, (uint) en_passant, totals, kind_sums, stride);
        add_to_kind(first_root, root, CASTLES, (uint) castling, totals, kind_sums, stride);
        add_to_kind(first_root, root, PROMOTIONS, (uint) (pawn && code_of(packed_move) != PAWN), totals, kind_sums,
            stride);
        const Position child = patched(parent, packed_move);
        const ulong checkers = checkers_of(frame_of(child), lines);
        if (nonempty(checkers)) {
            const bool one = !nonempty(without_lowest(checkers));
            const bool by_mover = castling || nonempty(checkers & to);
            const bool mate = count_moves_of(fast_flipped(child), FAST_REVERSE, lines) == 0u;
            add_to_kind(first_root, root, CHECKS, 1u, totals, kind_sums, stride);
            add_to_kind(first_root, root, DISCOVERED, (uint) (one && !by_mover), totals, kind_sums, stride);
            add_to_kind(first_root, root, DOUBLE, (uint) !one, totals, kind_sums, stride);
            add_to_kind(first_root, root, MATES, (uint) mate, totals, kind_sums, stride);
        }
    }
    add_kind_sums(first_root, id.lane, totals, kind_sums, stride);
}
