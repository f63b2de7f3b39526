// The last ply by the kinds of moves. `Categories` in kogge-board defines the kinds.

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

// Sets the sums of a work-group to zero: for each kind, one for each of its roots.
INLINE void clear_kind_sums(__local uint *kind_sums) {
    for (uint at = get_local_id(0); at < KINDS * GROUP; at += GROUP) {
        kind_sums[at] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Adds to the sum of a root and a kind, or to their total if the group has no sum for the root. A kind has `stride` totals.
INLINE void add_to_kind(
    __local uint *kind_sums,
    uint first_root,
    __global uint *totals,
    uint stride,
    uint root,
    uint kind,
    uint amount
) {
    const uint at = root - first_root;
    if (amount == 0) {
        return;
    }
    if (at < GROUP) {
        atomic_add(&kind_sums[kind * GROUP + at], amount);
    } else {
        add_to_total(totals, kind * stride + root, amount);
    }
}

// Adds the sums of a work-group to the totals.
INLINE void add_kind_sums(__local uint *kind_sums, uint first_root, __global uint *totals, uint stride) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = get_local_id(0); at < KINDS * GROUP; at += GROUP) {
        if (kind_sums[at] != 0) {
            add_to_total(totals, at / GROUP * stride + first_root + at % GROUP, kind_sums[at]);
        }
    }
}

// Returns what the closed form needs to count ordinary moves and their captures. Moves that may check do not qualify: moves to a
// square from which the piece attacks the other king, and all moves of a piece between a slider and the king.
INLINE Replies ordinary_moves(Frame frame, __global const ulong2 *restrict lines_table) {
    const uint square = lowest_index(frame.their_king) & 63;
    const Lines lines = lines_of(lines_table, square);
    const Sight sight = sight_of(lines, ~frame.empty, frame.their_king, square);
    const ulong orthogonal = frame.rooks_queens & frame.own, diagonal = frame.bishops_queens & frame.own;
    const Sight attacks = sights_of(orthogonal, diagonal, frame.empty, lines_table);
    Replies ordinary = {0};
    ordinary.base = 1;
    ordinary.not_from = ((attacks.file & sight.file) | (attacks.rank & sight.rank) | (attacks.diagonal & sight.diagonal) |
                         (attacks.antidiagonal & sight.antidiagonal)) & frame.own;
    ordinary.not_to_knight = lines.knight;
    ordinary.not_to_orthogonal = sight.file | sight.rank;
    ordinary.not_to_diagonal = sight.diagonal | sight.antidiagonal;
    ordinary.not_to_pawn = pawn_attacks_down(frame.their_king);
    return ordinary;
}

// Counts the ordinary moves of positions, and those that capture, for their roots. All other moves become items, in no particular
// order. If their number exceeds the capacity, the queue overflowed and some items are missing.
__kernel KERNEL void classify_moves(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global ulong *restrict new_items,
    __global uint *restrict new_item_count,
    __global uint *restrict totals,
    uint first,
    uint end,
    uint capacity,
    uint stride
) {
    __local uint queue[GROUP * QUEUED_PER_LANE];
    __local uint queued, base;
    __local uint kind_sums[KINDS * GROUP];
    const uint local_index = get_local_id(0);
    const uint group_first = first + (uint) get_group_id(0) * GROUP;
    const uint index = group_first + local_index;
    const uint first_root = first_group_root(roots[group_first]);
    if (local_index == 0) {
        queued = 0;
    }
    clear_kind_sums(kind_sums);
    const uint room = GROUP * QUEUED_PER_LANE;
    uint queued_moves = 0;
    const Sink sink = {queue, &queued, room, new_items, new_item_count, capacity, local_index << LANE, (ulong) index << 32, &queued_moves};
    // All lanes must reach the barriers. Lanes without a position get an empty board, which has no moves.
    const bool live = index < end;
    const Position none = {0, 0, 0, 0, 0};
    const Frame frame = frame_of(live ? load_position(positions, index) : none);
    const Lines king_lines = lines_of(lines, frame.king_square);
    const Limits limits = limits_of(frame, king_lines, lines);
    const Replies ordinary = ordinary_moves(frame, lines);
    const uint counted = closed_form_replies(frame, king_lines, limits, ordinary, sink, lines);
    if (live) {
        const uint captures = counted / CAPTURE_CHANGE;
        add_to_kind(kind_sums, first_root, totals, stride, roots[index], NODES, counted % CAPTURE_CHANGE);
        add_to_kind(kind_sums, first_root, totals, stride, roots[index], CAPTURES, captures);
    }
    add_kind_sums(kind_sums, first_root, totals, stride);
    const uint len = min(queued, room);
    if (local_index == 0) {
        base = atomic_add(new_item_count, len);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = local_index; at < len; at += GROUP) {
        const uint packed_move = queue[at];
        put_item(sink, base + at, (ulong) (group_first + (packed_move >> LANE)) << 32 | (packed_move & ((1u << LANE) - 1)));
    }
}

// Returns the pieces of the side that has moved which attack the other side's king.
INLINE ulong checkers_of(Frame frame, __global const ulong2 *restrict lines_table) {
    const uint square = lowest_index(frame.their_king) & 63;
    const Lines lines = lines_of(lines_table, square);
    const Sight sight = sight_of(lines, ~frame.empty, frame.their_king, square);
    const ulong checkers = ((sight.file | sight.rank) & frame.rooks_queens) |
                           ((sight.diagonal | sight.antidiagonal) & frame.bishops_queens) |
                           (lines.knight & frame.knights) | (pawn_attacks_down(frame.their_king) & frame.pawns);
    return checkers & frame.own;
}

// Makes the moves of items, and counts them by kind for their roots. If the queue overflowed, sets the totals' header, and all
// totals are invalid. Each work-group takes neighbouring items, because these mostly have the same root.
__kernel KERNEL void classify_items(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global const ulong *restrict items,
    __global const uint *restrict item_count,
    __global uint *restrict totals,
    uint capacity,
    uint stride
) {
    __local uint kind_sums[KINDS * GROUP];
    const uint len = min(*item_count, capacity), lanes = get_global_size(0);
    const uint group_items = (len + lanes - 1) / lanes * GROUP;
    const uint group_first = min((uint) get_group_id(0) * group_items, len), end = min(group_first + group_items, len);
    // Without items the first element of the buffer is read: an earlier item, or zeros from the host.
    const uint last = max(end, 1u) - 1;
    const uint first_root = first_group_root(roots[items[min(group_first, last)] >> 32]);
    if (get_global_id(0) == 0 && *item_count > capacity) {
        totals[0] = 1;
    }
    clear_kind_sums(kind_sums);
    for (uint index = group_first + (uint) get_local_id(0); index < end; index += GROUP) {
        const uint packed_move = (uint) items[index], at = items[index] >> 32;
        const Position parent = load_position(positions, at);
        const uint root = roots[at], kind = kind_of(packed_move);
        const ulong from = 1UL << from_of(packed_move), to = 1UL << to_of(packed_move);
        const bool en_passant = kind == EN_PASSANT, castling = kind == CASTLING;
        const bool captures = en_passant || (!castling && (occupied_of(parent) & ~parent.own & to));
        const bool pawn = parent.bit1 & ~parent.bit2 & ~parent.bit4 & from;
        add_to_kind(kind_sums, first_root, totals, stride, root, NODES, 1);
        add_to_kind(kind_sums, first_root, totals, stride, root, CAPTURES, captures);
        add_to_kind(kind_sums, first_root, totals, stride, root, EN_PASSANTS, en_passant);
        add_to_kind(kind_sums, first_root, totals, stride, root, CASTLES, castling);
        add_to_kind(kind_sums, first_root, totals, stride, root, PROMOTIONS, pawn && code_of(packed_move) != PAWN);
        const Position child = patched(parent, packed_move);
        const ulong checkers = checkers_of(frame_of(child), lines);
        if (checkers) {
            const bool one = lowest(checkers) == checkers;
            // After castling, only the rook can give check, and the rook has moved.
            const bool by_mover = castling || (checkers & to);
            const bool mate = count_moves_of(fast_flipped(child), lines, FAST_FLIP_MIRRORS) == 0;
            add_to_kind(kind_sums, first_root, totals, stride, root, CHECKS, 1);
            add_to_kind(kind_sums, first_root, totals, stride, root, DISCOVERED, one && !by_mover);
            add_to_kind(kind_sums, first_root, totals, stride, root, DOUBLE, !one);
            add_to_kind(kind_sums, first_root, totals, stride, root, MATES, mate);
        }
    }
    add_kind_sums(kind_sums, first_root, totals, stride);
}
