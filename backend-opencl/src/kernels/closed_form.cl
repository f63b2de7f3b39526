// The last two plies: counts the replies to moves that qualify in closed form, and queues the other moves.

// A queue in local memory collects a work-group's moves on their way to the items. A queued move holds, from this bit
// on, the lane that found it.
#define LANE 17

// The destination of a lane's moves.
typedef struct {
    __local uint *queue;
    // The number of moves that need room in the queue, and the number that fit.
    __local uint *queued;
    uint room;
    __global ulong *restrict items;
    // The number of items, and the number that fit.
    volatile __global uint *item_count;
    uint capacity;
    // The bits of the lane in a queued move, and of its position in an item.
    uint lane;
    ulong parent;
    // The number of moves of the lane.
    uint *moves;
} Sink;

// Reserves room in the queue for some moves, and returns the start of the room.
INLINE uint reserve(Sink sink, uint count) {
    *sink.moves += count;
    return atomic_add(sink.queued, count);
}

// Writes an item, if there is room. The number of items tells whether there was.
INLINE void put_item(Sink sink, uint at, ulong item) {
    if (at < sink.capacity) {
        sink.items[at] = item;
    }
}

// Queues a move; one that does not fit in the queue becomes an item at once.
INLINE void put(Sink sink, uint at, uint packed_move) {
    if (at < sink.room) {
        sink.queue[at] = packed_move | sink.lane;
    } else {
        put_item(sink, atomic_inc(sink.item_count), sink.parent | packed_move);
    }
}

// Queues the moves of one piece to some squares.
INLINE void put_piece(Sink sink, uint from, ulong targets, uint code) {
    if (targets) {
        uint at = reserve(sink, count_ones(targets));
        FOR_EACH(to, targets) {
            put(sink, at++, pack_move(from, to, code, 0));
        }
    }
}

// Queues moves over the same distance.
INLINE void put_shifted(Sink sink, ulong targets, uint distance, uint code, uint kind) {
    if (targets) {
        uint at = reserve(sink, count_ones(targets));
        FOR_EACH(to, targets) {
            put(sink, at++, pack_move(to - distance, to, code, kind));
        }
    }
}

// The moves that qualified so far: their number, and their total change of the number of replies.
typedef struct {
    uint moves;
    int change;
} Tally;

// Tallies moves of one piece that qualify.
INLINE void tally_piece(Tally *tally, Replies replies, uint from, ulong targets, ulong their) {
    const uint count = count_ones(targets);
    if (count) {
        tally->moves += count;
        tally->change += count * number_at(replies.value, from) + CAPTURE_CHANGE * count_ones(targets & their) -
                         sum_of(replies.value, targets);
    }
}

// Tallies the qualifying pawn moves of one distance, and leaves the other moves in the set.
#define TALLY_PAWN_DIRECTION(set, distance, not_from)                                                                          \
    {                                                                                                                 \
        const ulong simple = (set) & ~(not_to | (not_from) << (distance));                                            \
        if (simple) {                                                                                                 \
            tally.moves += count_ones(simple);                                                                        \
            tally.change += sum_of(replies.value, simple >> (distance)) - sum_of(replies.value, simple);              \
            /* Captures give back seven; a pawn that could have captured the captor was counted out twice. */         \
            tally.change += CAPTURE_CHANGE * count_ones(simple & their);                                              \
            tally.change += PAWN_BY_PAWN_CHANGE * count_ones(simple & their_pawns);                                   \
            (set) ^= simple;                                                                                          \
        }                                                                                                             \
    }

// Returns the number of replies to the moves that qualify; the others go to the sink. A double push to the sink is
// marked if a pawn stands where it could capture en passant, legally or not.
INLINE uint closed_form_replies(
    Frame frame,
    Lines king_lines,
    Limits limits,
    Replies replies,
    Sink sink,
    __global const ulong2 *restrict lines_table
) {
    const ulong own = frame.own, their = frame.their, empty = frame.empty;
    const ulong allowed = limits.evasion & ~own;
    Tally tally = {0, 0};

    // A pinned knight never moves.
    for (ulong left = frame.knights & own & ~limits.pinned; left; left &= left - 1) {
        const uint from = lowest_index(left);
        const ulong attacks = lines_of(lines_table, from).knight, targets = attacks & allowed;
        const bool stays = (replies.not_from >> from & 1) || (attacks & replies.once);
        const ulong simple = stays ? 0 : targets & ~(replies.not_to | replies.not_to_knight);
        tally_piece(&tally, replies, from, simple, their);
        put_piece(sink, from, targets ^ simple, KNIGHT);
    }

    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    for (uint code = BISHOP; code <= QUEEN; ++code) {
        ulong left = own & (code == BISHOP  ? frame.bishops_queens & ~queens
                            : code == ROOK ? frame.rooks_queens & ~queens
                                           : queens);
        for (; left; left &= left - 1) {
            const uint from = lowest_index(left);
            const ulong piece = 1UL << from;
            const Sight sight = sight_of(lines_of(lines_table, from), ~empty, piece, from);
            ulong attacks = 0, targets = 0, simple = 0, not_to = replies.not_to;
#define AXIS(axis)                                                                                                    \
    {                                                                                                                 \
        const ulong reached = sight.axis & allowed;                                                                   \
        const bool moves = (~limits.pinned | limits.pinned_on_##axis) & piece;                                        \
        attacks |= sight.axis;                                                                                        \
        targets |= moves ? reached : 0;                                                                               \
        simple |= moves && !(replies.not_along_##axis & piece) ? reached : 0;                                         \
    }
            if (code != BISHOP) {
                AXIS(file)
                AXIS(rank)
                not_to |= replies.not_to_orthogonal;
            }
            if (code != ROOK) {
                AXIS(diagonal)
                AXIS(antidiagonal)
                not_to |= replies.not_to_diagonal;
            }
            const bool stays = (replies.not_from & piece) || (attacks & replies.once);
            simple = stays ? 0 : simple & ~not_to;
            tally_piece(&tally, replies, from, simple, their);
            if (code != ROOK && (replies.pawn_captures & piece)) {
                // A pawn that could capture the mover on its from-square was subtracted twice.
                tally.change += count_ones(simple & frame.pawns & their & pawn_attacks_up(piece));
            }
            put_piece(sink, from, targets ^ simple, code);
        }
    }

    const ulong own_pawns = frame.pawns & own, their_pawns = frame.pawns & their;
    const ulong steps = north_step(free_to_move(own_pawns, limits, limits.pinned_on_file)) & empty;
    ulong twice = north_step(steps & THIRD_RANK) & empty & limits.evasion;
    ulong single = steps & limits.evasion;
    const ulong captured = their & limits.evasion;
    ulong east = north_east_step(free_to_move(own_pawns, limits, limits.pinned_on_diagonal)) & captured;
    ulong west = north_west_step(free_to_move(own_pawns, limits, limits.pinned_on_antidiagonal)) & captured;
    const ulong passing = twice & (east_step(their_pawns) | west_step(their_pawns));
    put_shifted(sink, passing, 16, PAWN, PASSING);
    twice ^= passing;
    if ((single | east | west) & RANK_8) {
        for (uint code = KNIGHT; code <= QUEEN; ++code) {
            put_shifted(sink, single & RANK_8, 8, code, 0);
            put_shifted(sink, east & RANK_8, 9, code, 0);
            put_shifted(sink, west & RANK_8, 7, code, 0);
        }
        single &= ~RANK_8;
        east &= ~RANK_8;
        west &= ~RANK_8;
    }
    {
        const ulong not_from = replies.not_from | replies.not_from_pawn, not_to = replies.not_to | replies.not_to_pawn;
        TALLY_PAWN_DIRECTION(single, 8, not_from | replies.not_along_file)
        TALLY_PAWN_DIRECTION(twice, 16, not_from | replies.not_along_file)
        TALLY_PAWN_DIRECTION(east, 9, not_from | replies.not_along_diagonal)
        TALLY_PAWN_DIRECTION(west, 7, not_from | replies.not_along_antidiagonal)
    }
    put_shifted(sink, single, 8, PAWN, 0);
    put_shifted(sink, twice, 16, PAWN, 0);
    put_shifted(sink, east, 9, PAWN, 0);
    put_shifted(sink, west, 7, PAWN, 0);
    if (frame.en_passant) {
        const ulong2 captors = en_passant_captors(frame, king_lines);
        put_shifted(sink, captors.x << 7, 7, PAWN, EN_PASSANT);
        put_shifted(sink, captors.y << 9, 9, PAWN, EN_PASSANT);
    }

    {
        const ulong king = frame.king;
        const ulong targets = king ? king_lines.king & ~own & ~limits.danger : 0;
        const bool stays = limits.check || (king & (replies.not_from | replies.not_king | replies.not_along_file));
        const ulong simple = stays ? 0 : targets & ~(replies.not_to | replies.not_king);
        tally_piece(&tally, replies, frame.king_square, simple, their);
        put_piece(sink, frame.king_square, targets ^ simple, KING);
        if (may_castle_perhaps(frame, limits)) {
            if (may_castle_up(frame, limits, false)) {
                put(sink, reserve(sink, 1), pack_move(frame.king_square, 6u, KING, CASTLING));
            }
            if (may_castle_down(frame, limits, false)) {
                put(sink, reserve(sink, 1), pack_move(frame.king_square, 2u, KING, CASTLING));
            }
        }
    }
    return tally.moves * replies.base + tally.change;
}

#ifndef CLASSIFYING
// Counts two plies: adds the replies to all moves that qualify to their roots' totals, and writes the other moves as items,
// in no particular order. If their number exceeds the capacity, the queue overflowed and some items are missing.
__kernel CLOSED_FORM_KERNEL void closed_form(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong2 *restrict lines,
    __global ulong *restrict new_items,
    __global uint *restrict new_item_count,
    __global uint *restrict totals,
    uint first,
    uint end,
    uint capacity
) {
    __local uint queue[CLOSED_FORM_GROUP * QUEUED_PER_LANE];
    __local uint queued, base;
    __local uint root_sums[GROUP_ROOTS];
    const uint local_index = get_local_id(0);
    const uint group_first = first + (uint) get_group_id(0) * CLOSED_FORM_GROUP;
    const uint index = group_first + local_index;
    const uint first_root = first_group_root(roots[group_first]);
    if (local_index == 0) {
        queued = 0;
    }
    clear_root_sums(root_sums);
    const uint room = CLOSED_FORM_GROUP * QUEUED_PER_LANE;
    uint queued_moves = 0;
    const Sink sink = {queue, &queued, room, new_items, new_item_count, capacity, local_index << LANE, (ulong) index << 32, &queued_moves};
    // All lanes must reach the barriers. Lanes without a position get an empty board, which has no moves.
    const bool live = index < end;
    const Position none = {0, 0, 0, 0, 0};
    const Position position = live ? load_position(positions, index) : none;
    const Frame frame = frame_of(position);
    const Lines king_lines = lines_of(lines, frame.king_square);
    const Replies known = replies_of(position, frame, king_lines, lines);
    const Limits limits = limits_against(frame, king_lines, known.attacked, lines);
    const uint leaves = closed_form_replies(frame, king_lines, limits, known, sink, lines);
    if (live) {
        add_to_root(root_sums, first_root, totals, roots[index], leaves);
    }
    add_root_sums(root_sums, first_root, totals);
    const uint len = min(queued, room);
    if (local_index == 0) {
        base = atomic_add(new_item_count, len);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = local_index; at < len; at += CLOSED_FORM_GROUP) {
        const uint packed_move = queue[at];
        put_item(sink, base + at, (ulong) (group_first + (packed_move >> LANE)) << 32 | (packed_move & ((1u << LANE) - 1)));
    }
}
#endif
