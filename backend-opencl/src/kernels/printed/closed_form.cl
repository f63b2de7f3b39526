// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// A queue in work-group memory collects moves on their way to the items. A queued move holds, from this bit on, the
// lane that found it. The host sets the number of moves that fit, QUEUE.
#define LANE 17u

// A number for each square, as bit planes of weights 1, 2, 4, 8 and 16.
typedef struct {
    ulong ones;
    ulong twos;
    ulong fours;
    ulong eights;
    ulong sixteens;
} Numbers;

// The replies before any move is chosen: their number, and the squares that moves must avoid to qualify. `Replies` in the
// closed form of kogge-movegen-cpu describes the fields.
typedef struct {
    uint base;
    ulong not_from;
    ulong not_to;
    ulong once;
    ulong not_to_knight;
    ulong not_to_orthogonal;
    ulong not_to_diagonal;
    ulong not_from_pawn;
    ulong not_to_pawn;
    ulong not_king;
    Sight not_along;
    ulong pawn_captures;
    // The other side's sliders' attacks along each axis, pinned or not.
    Sight attacked;
} Replies;

// The bits of a lane in a queued move, and the index of its position for items.
typedef struct {
    uint lane;
    uint parent;
} Sink;

// The moves that qualified so far: their number, and their total change of the number of replies, modulo 2^32, since it
// may be negative.
typedef struct {
    uint moves;
    uint change;
} Tally;

// The squares that a slider attacks, the squares it can move to, and the squares where its move may qualify.
typedef struct {
    ulong attacks;
    ulong targets;
    ulong simple;
} Reach;

INLINE uint sum_of(Numbers numbers, ulong squares) {
    return count_ones(numbers.ones & squares) + 2u * count_ones(numbers.twos & squares)
        + 4u * count_ones(numbers.fours & squares) + 8u * count_ones(numbers.eights & squares)
        + 16u * count_ones(numbers.sixteens & squares);
}

INLINE uint number_at(Numbers numbers, uint square) {
    return (has(numbers.ones, square) ? 1u : 0u) + (has(numbers.twos, square) ? 2u : 0u)
        + (has(numbers.fours, square) ? 4u : 0u) + (has(numbers.eights, square) ? 8u : 0u)
        + (has(numbers.sixteens, square) ? 16u : 0u);
}

// Reserves room in the queue for some moves, and returns the start of the room.
INLINE uint reserve(uint count, __local uint *queued, uint *lane_moves) {
    *lane_moves += count;
    return atomic_add(queued, count);
}

// Writes an item, if there is room. The number of items tells whether there was.
INLINE void put_item(uint at, uint packed_move, uint parent, __global uint2 *restrict new_items, uint item_capacity) {
    if (at < item_capacity) {
        new_items[at] = (uint2)(packed_move, parent);
    }
}

// Queues a move; one that does not fit in the queue becomes an item at once.
INLINE void put(
    Sink sink,
    uint at,
    uint packed_move,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __local uint *queue,
    uint item_capacity
) {
    if (at < QUEUE) {
        queue[at] = packed_move | sink.lane;
    } else {
        const uint result = atomic_add(&new_item_count[0], 1u);
        put_item(result, packed_move, sink.parent, new_items, item_capacity);
    }
}

// Queues the moves of one piece to some squares.
INLINE void put_piece(
    Sink sink,
    uint origin,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint item_capacity
) {
    if (nonempty(targets)) {
        uint at = reserve(count_ones(targets), queued, lane_moves);
        ulong left = targets;
        while (nonempty(left)) {
            put(sink, at, pack_move(origin, lowest_index(left), code, 0u), new_items, new_item_count, queue,
                item_capacity);
            at += 1u;
            left = without_lowest(left);
        }
    }
}

// Queues moves over the same distance.
INLINE void put_shifted(
    Sink sink,
    ulong targets,
    uint distance,
    uint code,
    uint kind,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint item_capacity
) {
    if (nonempty(targets)) {
        uint at = reserve(count_ones(targets), queued, lane_moves);
        ulong left = targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            put(sink, at, pack_move(to - distance, to, code, kind), new_items, new_item_count, queue, item_capacity);
            at += 1u;
            left = without_lowest(left);
        }
    }
}

INLINE void tally_piece(Tally *tally, Numbers value, uint origin, ulong targets, ulong their) {
    const uint count = count_ones(targets);
    if (count != 0u) {
        tally->moves += count;
        tally->change += count * number_at(value, origin)
            + CAPTURE_CHANGE * count_ones(targets & their) - sum_of(value, targets);
    }
}

// Tallies the qualifying pawn moves of one distance, and returns the other moves.
INLINE ulong tally_pawn_direction(
    Tally *tally,
    Numbers value,
    Frame frame,
    ulong targets,
    uint distance,
    ulong not_from,
    ulong not_to
) {
    const ulong simple = targets & ~(not_to | up(not_from, distance));
    if (nonempty(simple)) {
        tally->moves += count_ones(simple);
        tally->change += sum_of(value, down(simple, distance)) - sum_of(value, simple);
        const ulong captured = simple & frame.their;
        tally->change += CAPTURE_CHANGE * count_ones(captured)
            + PAWN_BY_PAWN_CHANGE * count_ones(captured & frame.pawns);
    }
    return targets ^ simple;
}

INLINE void add_axis(
    Reach *reach,
    ulong piece,
    ulong sight,
    ulong allowed,
    Limits limits,
    ulong pinned_on_axis,
    ulong not_along
) {
    const ulong reached = nonempty(free_to_move(piece, limits, pinned_on_axis)) ? sight & allowed : NONE;
    reach->attacks |= sight;
    reach->targets |= reached;
    reach->simple |= nonempty(not_along & piece) ? NONE : reached;
}

INLINE void tally_knights(
    Tally *tally,
    Sink sink,
    Frame frame,
    Limits limits,
    Replies replies,
    Numbers value,
    ulong allowed,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global const uint4 *restrict lines,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint item_capacity
) {
    ulong left = frame.knights & frame.own & ~limits.pinned;
    while (nonempty(left)) {
        const uint origin = lowest_index(left);
        const ulong attacks = lines_of(origin, lines).knight;
        const ulong targets = attacks & allowed;
        const bool stays = nonempty((replies.not_from & lowest(left)) | (attacks & replies.once));
        const ulong simple = stays ? NONE : targets & ~(replies.not_to | replies.not_to_knight);
        tally_piece(tally, value, origin, simple, frame.their);
        put_piece(sink, origin, targets ^ simple, KNIGHT, new_items, new_item_count, queue, queued, lane_moves,
            item_capacity);
        left = without_lowest(left);
    }
}

// Tallies or queues the moves of bishops, rooks and queens.
INLINE void tally_sliders(
    Tally *tally,
    Sink sink,
    Frame frame,
    Limits limits,
    Replies replies,
    Numbers value,
    ulong allowed,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global const uint4 *restrict lines,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint item_capacity
) {
    for (uint code = BISHOP; code <= QUEEN; code += 1u) {
        ulong left = sliders_of_kind(frame, code) & frame.own;
        while (nonempty(left)) {
            const uint origin = lowest_index(left);
            const ulong piece = lowest(left);
            const Sight sight = sight_of(lines_of(origin, lines), ~frame.empty, piece);
            const Sight not_along = replies.not_along;
            Reach reach = {0ul, 0ul, 0ul};
            ulong not_to = replies.not_to;
            if (code != BISHOP) {
                add_axis(&reach, piece, sight.file, allowed, limits, limits.pinned_on_file, not_along.file);
                add_axis(&reach, piece, sight.rank, allowed, limits, limits.pinned_on_rank, not_along.rank);
                not_to |= replies.not_to_orthogonal;
            }
            if (code != ROOK) {
                const ulong diagonal = limits.pinned_on_diagonal;
                const ulong antidiagonal = limits.pinned_on_antidiagonal;
                add_axis(&reach, piece, sight.diagonal, allowed, limits, diagonal, not_along.diagonal);
                add_axis(&reach, piece, sight.antidiagonal, allowed, limits, antidiagonal, not_along.antidiagonal);
                not_to |= replies.not_to_diagonal;
            }
            const bool stays = nonempty((replies.not_from & piece) | (reach.attacks & replies.once));
            const ulong simple = stays ? NONE : reach.simple & ~not_to;
            tally_piece(tally, value, origin, simple, frame.their);
            if (code != ROOK && nonempty(replies.pawn_captures & piece)) {
                tally->change += count_ones(simple & frame.pawns & frame.their & pawn_attacks_up(piece));
            }
            put_piece(sink, origin, reach.targets ^ simple, code, new_items, new_item_count, queue, queued, lane_moves,
                item_capacity);
            left = without_lowest(left);
        }
    }
}

// Tallies or queues the moves of pawns, without en-passant captures. A double push is marked if a pawn stands where it
// could capture en passant, legally or not.
INLINE void tally_pawns(
    Tally *tally,
    Sink sink,
    Frame frame,
    Limits limits,
    Replies replies,
    Numbers value,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint item_capacity
) {
    const ulong pawns = frame.pawns & frame.own;
    const ulong watchers = frame.pawns & frame.their;
    const ulong pushed = north_step(free_to_move(pawns, limits, limits.pinned_on_file)) & frame.empty;
    ulong twice = north_step(pushed & THIRD_RANK) & frame.empty & limits.evasion;
    ulong single = pushed & limits.evasion;
    const ulong captured = frame.their & limits.evasion;
    ulong east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & captured;
    ulong west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & captured;
    const ulong passing = twice & (east_step(watchers) | west_step(watchers));
    put_shifted(sink, passing, 16u, PAWN, PASSING, new_items, new_item_count, queue, queued, lane_moves, item_capacity);
    twice ^= passing;
    if (nonempty((single | east | west) & RANK_8)) {
        for (uint code = KNIGHT; code <= QUEEN; code += 1u) {
            put_shifted(sink, single & RANK_8, 8u, code, 0u, new_items, new_item_count, queue, queued, lane_moves,
                item_capacity);
            put_shifted(sink, east & RANK_8, 9u, code, 0u, new_items, new_item_count, queue, queued, lane_moves,
                item_capacity);
            put_shifted(sink, west & RANK_8, 7u, code, 0u, new_items, new_item_count, queue, queued, lane_moves,
                item_capacity);
        }
        single &= 0xfffffffffffffful;
        east &= 0xfffffffffffffful;
        west &= 0xfffffffffffffful;
    }
    const ulong not_from = replies.not_from | replies.not_from_pawn;
    const ulong not_to = replies.not_to | replies.not_to_pawn;
    const Sight along = replies.not_along;
    single = tally_pawn_direction(tally, value, frame, single, 8u, not_from | along.file, not_to);
    twice = tally_pawn_direction(tally, value, frame, twice, 16u, not_from | along.file, not_to);
    east = tally_pawn_direction(tally, value, frame, east, 9u, not_from | along.diagonal, not_to);
    west = tally_pawn_direction(tally, value, frame, west, 7u, not_from | along.antidiagonal, not_to);
    put_shifted(sink, single, 8u, PAWN, 0u, new_items, new_item_count, queue, queued, lane_moves, item_capacity);
    put_shifted(sink, twice, 16u, PAWN, 0u, new_items, new_item_count, queue, queued, lane_moves, item_capacity);
    put_shifted(sink, east, 9u, PAWN, 0u, new_items, new_item_count, queue, queued, lane_moves, item_capacity);
    put_shifted(sink, west, 7u, PAWN, 0u, new_items, new_item_count, queue, queued, lane_moves, item_capacity);
}

INLINE void tally_king(
    Tally *tally,
    Sink sink,
    Frame frame,
    Lines axes,
    Limits limits,
    Replies replies,
    Numbers value,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint item_capacity
) {
    const ulong targets = nonempty(frame.king) ? axes.king & ~frame.own & ~limits.danger : NONE;
    const ulong kept = frame.king & (replies.not_from | replies.not_king | replies.not_along.file);
    const ulong simple = limits.check || nonempty(kept) ? NONE : targets & ~(replies.not_to | replies.not_king);
    tally_piece(tally, value, frame.king_square, simple, frame.their);
    put_piece(sink, frame.king_square, targets ^ simple, KING, new_items, new_item_count, queue, queued, lane_moves,
        item_capacity);
    if (may_castle_perhaps(frame, limits)) {
        if (may_castle_up(frame, limits, false)) {
            const uint result = reserve(1u, queued, lane_moves);
            put(sink, result, pack_move(frame.king_square, 6u, KING, CASTLING), new_items, new_item_count, queue,
                item_capacity);
        }
        if (may_castle_down(frame, limits, false)) {
            const uint result = reserve(1u, queued, lane_moves);
            put(sink, result, pack_move(frame.king_square, 2u, KING, CASTLING), new_items, new_item_count, queue,
                item_capacity);
        }
    }
}

// Returns the number of replies to the moves that qualify; the others go to the sink.
INLINE uint closed_form_replies(
    Frame frame,
    Lines axes,
    Limits limits,
    Replies replies,
    Numbers value,
    Sink sink,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global const uint4 *restrict lines,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint item_capacity
) {
    const ulong allowed = limits.evasion & ~frame.own;
    Tally tally = {0u, 0u};
    tally_knights(&tally, sink, frame, limits, replies, value, allowed, new_items, new_item_count, lines, queue, queued,
        lane_moves, item_capacity);
    tally_sliders(&tally, sink, frame, limits, replies, value, allowed, new_items, new_item_count, lines, queue, queued,
        lane_moves, item_capacity);
    tally_pawns(&tally, sink, frame, limits, replies, value, new_items, new_item_count, queue, queued, lane_moves,
        item_capacity);
    if (nonempty(frame.en_passant)) {
        const Captors captors = en_passant_captors(frame, axes);
        put_shifted(sink, north_west_step(captors.from_east), 7u, PAWN, EN_PASSANT, new_items, new_item_count, queue,
            queued, lane_moves, item_capacity);
        put_shifted(sink, north_east_step(captors.from_west), 9u, PAWN, EN_PASSANT, new_items, new_item_count, queue,
            queued, lane_moves, item_capacity);
    }
    tally_king(&tally, sink, frame, axes, limits, replies, value, new_items, new_item_count, queue, queued, lane_moves,
        item_capacity);
    return tally.moves * replies.base + tally.change;
}

// Reads a position. Lanes without one get an empty board, which has no moves: a kernel whose lanes all do the same measured faster.
INLINE Position load_position_or_none(uint index, __global const uint4 *restrict positions, uint end) {
    Position position = {0};
    if (index < end) {
        position = load_position(index, positions);
    }
    return position;
}
