// The table-free generator: the moves of a position, in generation order.
//
// Moves are found set-wise: a capture set for each attacker and direction, a wave front for quiet slides. Pins, checks
// and both en-passant traps are known beforehand, so no move is tried and taken back. The front page of
// kogge-movegen-cpu states the order.

// The room for a position's items: from `at` up to `end`, never beyond.
typedef struct {
    __global ulong *restrict items;
    uint at, end;
    ulong parent;
} Writer;

// Writes a move, if there is room.
INLINE void emit(Writer *out, uint from, uint to, uint code, uint kind) {
    if (out->at < out->end) {
        out->items[out->at++] = out->parent | pack_move(from, to, code, kind);
    }
}

// Writes the four promotions of a pawn.
INLINE void emit_promotions(Writer *out, uint from, uint to) {
    for (uint code = QUEEN; code >= KNIGHT; --code) {
        emit(out, from, to, code, 0);
    }
}

// Iterates over the squares of a set, lowest first.
#define FOR_EACH(to, set)                                                                                             \
    for (ulong left_ = (set); left_; left_ &= left_ - 1)                                                              \
        for (uint to = lowest_index(left_), once_ = 1; once_; once_ = 0)

#define STEPPER_CAPTURES(reached, distance, code)                                                                     \
    FOR_EACH(to, (reached) & victims) {                                                                               \
        emit(out, to - (distance), to, code, 0);                                                                      \
    }

#define PAWN_CAPTURES(reached, distance)                                                                              \
    FOR_EACH(to, (reached) & victims) {                                                                               \
        if (to < 56) {                                                                                                \
            emit(out, to - (distance), to, PAWN, 0);                                                                  \
        } else {                                                                                                      \
            emit_promotions(out, to - (distance), to);                                                                \
        }                                                                                                             \
    }

// One slider reaches a square in each direction. Seen from the square, it is the first piece in the opposite direction.
#define SLIDER_CAPTURES(reached, back, pieces, code)                                                                  \
    FOR_EACH(to, (reached) & victims) {                                                                               \
        const ulong from = back##_attacks(1UL << to, frame.empty) & (pieces);                                         \
        if (from) {                                                                                                   \
            emit(out, lowest_index(from), to, code, 0);                                                               \
        }                                                                                                             \
    }

// The squares that sliders reach in each direction.
typedef struct {
    ulong north, south, east, west, north_east, north_west, south_east, south_west;
} Rays;

// Returns the squares that the sliders of the side to move reach.
INLINE Rays rays_of(Frame frame, Limits limits) {
    const ulong orthogonal = frame.rooks_queens & frame.own, diagonal = frame.bishops_queens & frame.own;
    const ulong on_file = free_to_move(orthogonal, limits, limits.pinned_on_file);
    const ulong on_rank = free_to_move(orthogonal, limits, limits.pinned_on_rank);
    const ulong on_diagonal = free_to_move(diagonal, limits, limits.pinned_on_diagonal);
    const ulong on_antidiagonal = free_to_move(diagonal, limits, limits.pinned_on_antidiagonal);
    return (Rays){
        north_attacks(on_file, frame.empty),
        south_attacks(on_file, frame.empty),
        east_attacks(on_rank, frame.empty),
        west_attacks(on_rank, frame.empty),
        north_east_attacks(on_diagonal, frame.empty),
        north_west_attacks(on_antidiagonal, frame.empty),
        south_east_attacks(on_antidiagonal, frame.empty),
        south_west_attacks(on_diagonal, frame.empty),
    };
}

#define KING_STEP(direction, distance)                                                                                \
    if (direction##_step(frame.king) & targets) {                                                                     \
        emit(out, frame.king_square, frame.king_square + (distance), KING, 0);                                        \
    }

// Writes the king's steps to these squares, in the order of directions.
INLINE void king_steps(Writer *out, Frame frame, ulong targets) {
    if (targets) {
        KING_STEP(north, 8)
        KING_STEP(south, -8)
        KING_STEP(east, 1)
        KING_STEP(west, -1)
        KING_STEP(north_east, 9)
        KING_STEP(north_west, 7)
        KING_STEP(south_east, -7)
        KING_STEP(south_west, -9)
    }
}

// Writes the captures: victims from queen to pawn, and for each victim the attackers from pawn to king.
INLINE void captures(Writer *out, Frame frame, Lines lines, Limits limits) {
    const ulong own = frame.own, their = frame.their;
    const ulong targets = their & limits.evasion;
    const ulong pawns = frame.pawns & own;
    const ulong north_west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & targets;
    const ulong north_east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & targets;
    // A pinned knight never moves.
    const ulong knights = frame.knights & own & ~limits.pinned;
    const Leaps leaps = leaps_of(knights);
    const Rays rays = rays_of(frame, limits);
    const ulong by_king = lines.king & their & ~limits.danger;
    const ulong by_sliders = rays.north | rays.south | rays.east | rays.west | rays.north_east | rays.north_west |
                             rays.south_east | rays.south_west;
    const ulong captured =
        ((knight_attacks(knights) | by_sliders) & targets) | north_west | north_east | by_king;

    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    const ulong bishops = frame.bishops_queens & ~queens, rooks = frame.rooks_queens & ~queens;
    for (uint victim = QUEEN; victim >= PAWN; --victim) {
        const ulong kind = victim == QUEEN    ? queens
                           : victim == ROOK   ? rooks
                           : victim == BISHOP ? bishops
                           : victim == KNIGHT ? frame.knights
                                              : frame.pawns;
        const ulong all = kind & captured & their, victims = all & targets;
        if (all) {
            PAWN_CAPTURES(north_west, 7)
            PAWN_CAPTURES(north_east, 9)
        }
        if (victim == PAWN && frame.en_passant) {
            const ulong2 captors = en_passant_captors(frame, lines);
            const uint to = lowest_index(frame.en_passant);
            if (captors.x) {
                emit(out, to - 7, to, PAWN, EN_PASSANT);
            }
            if (captors.y) {
                emit(out, to - 9, to, PAWN, EN_PASSANT);
            }
        }
        if (!all) {
            continue;
        }
        STEPPER_CAPTURES(leaps.east1 << 16, 17, KNIGHT)
        STEPPER_CAPTURES(leaps.west1 << 16, 15, KNIGHT)
        STEPPER_CAPTURES(leaps.east2 << 8, 10, KNIGHT)
        STEPPER_CAPTURES(leaps.west2 << 8, 6, KNIGHT)
        STEPPER_CAPTURES(leaps.east2 >> 8, -6, KNIGHT)
        STEPPER_CAPTURES(leaps.west2 >> 8, -10, KNIGHT)
        STEPPER_CAPTURES(leaps.east1 >> 16, -15, KNIGHT)
        STEPPER_CAPTURES(leaps.west1 >> 16, -17, KNIGHT)
        if (bishops & own) {
            SLIDER_CAPTURES(rays.north_east, south_west, bishops & own, BISHOP)
            SLIDER_CAPTURES(rays.north_west, south_east, bishops & own, BISHOP)
            SLIDER_CAPTURES(rays.south_east, north_west, bishops & own, BISHOP)
            SLIDER_CAPTURES(rays.south_west, north_east, bishops & own, BISHOP)
        }
        if (rooks & own) {
            SLIDER_CAPTURES(rays.north, south, rooks & own, ROOK)
            SLIDER_CAPTURES(rays.south, north, rooks & own, ROOK)
            SLIDER_CAPTURES(rays.east, west, rooks & own, ROOK)
            SLIDER_CAPTURES(rays.west, east, rooks & own, ROOK)
        }
        if (queens & own) {
            SLIDER_CAPTURES(rays.north, south, queens & own, QUEEN)
            SLIDER_CAPTURES(rays.south, north, queens & own, QUEEN)
            SLIDER_CAPTURES(rays.east, west, queens & own, QUEEN)
            SLIDER_CAPTURES(rays.west, east, queens & own, QUEEN)
            SLIDER_CAPTURES(rays.north_east, south_west, queens & own, QUEEN)
            SLIDER_CAPTURES(rays.north_west, south_east, queens & own, QUEEN)
            SLIDER_CAPTURES(rays.south_east, north_west, queens & own, QUEEN)
            SLIDER_CAPTURES(rays.south_west, north_east, queens & own, QUEEN)
        }
        king_steps(out, frame, by_king & all);
    }
}

#define KNIGHT_QUIETS(reached, distance)                                                                              \
    FOR_EACH(to, (reached) & targets) {                                                                               \
        emit(out, to - (distance), to, KNIGHT, 0);                                                                    \
    }

// Quiet slides in one direction: all sliders advance together, one square at a time, until all are blocked. The
// distance tells where each slider came from. A bishop or rook may be a queen.
#define SLIDES(direction, distance, sliders, code)                                                                    \
    {                                                                                                                 \
        ulong front = (sliders);                                                                                      \
        uint way = 0;                                                                                                 \
        while ((front = direction##_step(front) & frame.empty)) {                                                     \
            way += (distance);                                                                                        \
            FOR_EACH(to, front & targets) {                                                                           \
                emit(out, to - way, to, queens >> (to - way) & 1 ? QUEEN : (code), 0);                                \
            }                                                                                                         \
        }                                                                                                             \
    }

// Whether the other side can legally capture en passant after this double push.
INLINE bool allows_en_passant(Position position, __global const ulong2 *restrict lines_table, uint packed_move) {
    const Frame pushed = frame_of(flipped(patched(position, packed_move)));
    const ulong2 captors = en_passant_captors(pushed, lines_of(lines_table, pushed.king_square));
    return captors.x || captors.y;
}

// Writes the promotions that capture nothing.
INLINE void push_promotions(Writer *out, Frame frame, Limits limits) {
    const ulong steps = north_step(free_to_move(frame.pawns & frame.own, limits, limits.pinned_on_file)) & frame.empty;
    FOR_EACH(to, steps & limits.evasion & RANK_8) {
        emit_promotions(out, to - 8, to);
    }
}

// Writes the quiet moves: promotions, pawn pushes, knights, sliders, king, castling.
INLINE void quiets(
    Writer *out,
    Position position,
    Frame frame,
    Lines lines,
    Limits limits,
    __global const ulong2 *restrict lines_table
) {
    const ulong own = frame.own, empty = frame.empty;
    const ulong targets = empty & limits.evasion;
    const ulong steps = north_step(free_to_move(frame.pawns & own, limits, limits.pinned_on_file)) & empty;
    const ulong twice = north_step(steps & THIRD_RANK) & targets;
    push_promotions(out, frame, limits);
    FOR_EACH(to, steps & targets & ~RANK_8) {
        emit(out, to - 8, to, PAWN, 0);
    }
    const ulong watchers = frame.pawns & frame.their;
    const ulong watched = east_step(watchers) | west_step(watchers);
    FOR_EACH(to, twice) {
        const bool passing =
            (watched >> to & 1) && allows_en_passant(position, lines_table, pack_move(to - 16, to, PAWN, PASSING));
        emit(out, to - 16, to, PAWN, passing ? PASSING : 0);
    }

    const Leaps leaps = leaps_of(frame.knights & own & ~limits.pinned);
    KNIGHT_QUIETS(leaps.east1 << 16, 17)
    KNIGHT_QUIETS(leaps.west1 << 16, 15)
    KNIGHT_QUIETS(leaps.east2 << 8, 10)
    KNIGHT_QUIETS(leaps.west2 << 8, 6)
    KNIGHT_QUIETS(leaps.east2 >> 8, -6)
    KNIGHT_QUIETS(leaps.west2 >> 8, -10)
    KNIGHT_QUIETS(leaps.east1 >> 16, -15)
    KNIGHT_QUIETS(leaps.west1 >> 16, -17)

    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    const ulong diagonal = frame.bishops_queens & own, orthogonal = frame.rooks_queens & own;
    SLIDES(north_east, 9, free_to_move(diagonal, limits, limits.pinned_on_diagonal), BISHOP)
    SLIDES(north_west, 7, free_to_move(diagonal, limits, limits.pinned_on_antidiagonal), BISHOP)
    SLIDES(south_east, -7, free_to_move(diagonal, limits, limits.pinned_on_antidiagonal), BISHOP)
    SLIDES(south_west, -9, free_to_move(diagonal, limits, limits.pinned_on_diagonal), BISHOP)
    SLIDES(north, 8, free_to_move(orthogonal, limits, limits.pinned_on_file), ROOK)
    SLIDES(south, -8, free_to_move(orthogonal, limits, limits.pinned_on_file), ROOK)
    SLIDES(east, 1, free_to_move(orthogonal, limits, limits.pinned_on_rank), ROOK)
    SLIDES(west, -1, free_to_move(orthogonal, limits, limits.pinned_on_rank), ROOK)

    king_steps(out, frame, lines.king & empty & ~limits.danger);
    if (may_castle_perhaps(frame, limits)) {
        if (may_castle_up(frame, limits, false)) {
            emit(out, frame.king_square, 6, KING, CASTLING);
        }
        if (may_castle_down(frame, limits, false)) {
            emit(out, frame.king_square, 2, KING, CASTLING);
        }
    }
}

// Writes the legal moves of each position of some blocks of work-group size. A position's moves begin at its block's base,
// counted from the first block's, plus the position's offset in the block.
__kernel KERNEL void write_moves(
    __global const Packed *restrict positions,
    __global const ulong2 *restrict lines,
    __global const uint *restrict counts,
    __global const uint *restrict offsets,
    __global const uint *restrict bases,
    __global ulong *restrict new_items,
    uint first,
    uint end
) {
    const uint index = first + (uint) get_global_id(0);
    if (index >= end) {
        return;
    }
    const uint at = bases[index / GROUP] - bases[first / GROUP] + offsets[index];
    Writer out = {new_items, at, at + counts[index], (ulong) index << 32};
    const Position position = load_position(positions, index);
    const Frame frame = frame_of(position);
    const Lines king_lines = lines_of(lines, frame.king_square);
    const Limits limits = limits_of(frame, king_lines, lines);
    captures(&out, frame, king_lines, limits);
    quiets(&out, position, frame, king_lines, limits, lines);
    // Only an illegal position has fewer moves than were counted. The rest of its room must not keep items of other
    // positions.
    while (out.at < out.end) {
        emit(&out, 0, 0, KNIGHT, 0);
    }
}
