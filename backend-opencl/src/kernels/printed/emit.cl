// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// The room for a position's items: from `at` up to `end`, never beyond.
typedef struct {
    uint at;
    uint end;
    uint parent;
} Writer;

// Writes a move, if there is room.
INLINE void emit(Writer *out, uint origin, uint to, uint code, uint kind, __global uint2 *restrict new_items) {
    if (out->at < out->end) {
        new_items[out->at] = (uint2)(pack_move(origin, to, code, kind), out->parent);
        out->at += 1u;
    }
}

INLINE void emit_promotions(Writer *out, uint origin, uint to, __global uint2 *restrict new_items) {
    for (uint code = QUEEN; code >= KNIGHT; code -= 1u) {
        emit(out, origin, to, code, 0u, new_items);
    }
}

// Returns the square from which a move of a distance reaches a square.
INLINE uint origin_at(uint to, int distance) {
    return (uint) ((int) to - distance);
}

// Writes moves over the same distance, lowest square first.
INLINE void emit_moves(Writer *out, ulong reached, int distance, uint code, __global uint2 *restrict new_items) {
    ulong left = reached;
    while (nonempty(left)) {
        const uint to = lowest_index(left);
        emit(out, origin_at(to, distance), to, code, 0u, new_items);
        left = without_lowest(left);
    }
}

INLINE void pawn_captures(Writer *out, ulong reached, int distance, __global uint2 *restrict new_items) {
    ulong left = reached;
    while (nonempty(left)) {
        const uint to = lowest_index(left);
        if (to < 56u) {
            emit(out, origin_at(to, distance), to, PAWN, 0u, new_items);
        } else {
            emit_promotions(out, origin_at(to, distance), to, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void north_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = south_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void north_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = north_step(sliders) & frame.empty;
    int way = 8;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = north_step(front) & frame.empty;
        way += 8;
    }
}

// Writes the king's step, if its square is among these.
INLINE void north_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(north_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, -8), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void south_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = north_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void south_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = south_step(sliders) & frame.empty;
    int way = -8;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = south_step(front) & frame.empty;
        way += -8;
    }
}

// Writes the king's step, if its square is among these.
INLINE void south_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(south_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, 8), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void east_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = west_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void east_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = east_step(sliders) & frame.empty;
    int way = 1;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = east_step(front) & frame.empty;
        way += 1;
    }
}

// Writes the king's step, if its square is among these.
INLINE void east_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(east_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, -1), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void west_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = east_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void west_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = west_step(sliders) & frame.empty;
    int way = -1;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = west_step(front) & frame.empty;
        way += -1;
    }
}

// Writes the king's step, if its square is among these.
INLINE void west_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(west_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, 1), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void north_east_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = south_west_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void north_east_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = north_east_step(sliders) & frame.empty;
    int way = 9;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = north_east_step(front) & frame.empty;
        way += 9;
    }
}

// Writes the king's step, if its square is among these.
INLINE void north_east_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(north_east_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, -9), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void north_west_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = south_east_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void north_west_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = north_west_step(sliders) & frame.empty;
    int way = 7;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = north_west_step(front) & frame.empty;
        way += 7;
    }
}

// Writes the king's step, if its square is among these.
INLINE void north_west_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(north_west_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, -7), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void south_east_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = north_west_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void south_east_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = south_east_step(sliders) & frame.empty;
    int way = -7;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = south_east_step(front) & frame.empty;
        way += -7;
    }
}

// Writes the king's step, if its square is among these.
INLINE void south_east_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(south_east_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, 7), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void south_west_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = north_east_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void south_west_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = south_west_step(sliders) & frame.empty;
    int way = -9;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = south_west_step(front) & frame.empty;
        way += -9;
    }
}

// Writes the king's step, if its square is among these.
INLINE void south_west_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(south_west_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, 9), KING, 0u, new_items);
    }
}
