// A position as the side to move sees it, and its form in memory.
//
// The board is flipped so that the side to move always moves up; all code is for one colour.

#define PAWN 1u
#define KNIGHT 2u
#define BISHOP 3u
#define ROOK 4u
#define QUEEN 5u
#define KING 6u
// The code of a rook that may castle is 7.

typedef struct {
    ulong bit1, bit2, bit4;
    // Pieces of the side to move.
    ulong own;
    // The square where an en-passant capture lands, or none.
    ulong en_passant;
} Position;

// Returns the occupied squares.
INLINE ulong occupied_of(Position position) {
    return position.bit1 | position.bit2 | position.bit4;
}

// A part of a position in memory, as large as one memory operation.
typedef ulong2 Packed;

#ifdef BOARDS48
// Defined in `variants/boards48.cl`.
INLINE Position load_position(__global const Packed *restrict positions, uint index);
INLINE void store_position(__global Packed *restrict positions, uint index, Position position);
#else
// Reads a position. `Planes32` in kogge-board describes the form in memory: the bits 1, 2 and 4 of the pieces' codes; the
// pieces of the side to move and, on an empty square, the square where an en-passant capture lands.
INLINE Position load_position(__global const Packed *restrict positions, uint index) {
    __global const Packed *restrict packed = positions + 2 * (size_t) index;
    const ulong2 first = packed[0], second = packed[1];
    const ulong occupied = first.x | first.y | second.x;
    return (Position){first.x, first.y, second.x, second.y & occupied, second.y & ~occupied};
}

// Writes a position.
INLINE void store_position(__global Packed *restrict positions, uint index, Position position) {
    __global Packed *restrict packed = positions + 2 * (size_t) index;
    packed[0] = (ulong2)(position.bit1, position.bit2);
    packed[1] = (ulong2)(position.bit4, position.own | position.en_passant);
}
#endif

#define FLIPPED(position, flip_board)                                                                                 \
    ((Position){                                                                                                      \
        flip_board((position).bit1),                                                                                  \
        flip_board((position).bit2),                                                                                  \
        flip_board((position).bit4),                                                                                  \
        flip_board(occupied_of(position) & ~(position).own),                                                          \
        flip_board((position).en_passant),                                                                            \
    })

// Returns the position as the other side sees it, with the other side to move.
INLINE Position flipped(Position position) {
    return FLIPPED(position, flip);
}

// Returns the flipped position, with files mirrored if that is faster.
INLINE Position fast_flipped(Position position) {
    return FLIPPED(position, FAST_FLIP);
}

// `Quad48`: white, pawns with the state on ranks 1 and 8, knights, bishops|queens, rooks|queens, kings.
typedef struct {
    ulong white, pawns, knights, bishops_queens, rooks_queens, kings;
    // The 16 bits of `State`.
    uint state;
} Quad;

#define STATE_BLACK 1u
#define STATE_CASTLING 0x1eu
#define STATE_EN_PASSANT 0x100u
#define STATE_EN_PASSANT_FILE 5u
#define STATE_HALFMOVE_CLOCK 9u

// Reads a `Quad48`.
INLINE Quad load_quad(__global const ulong2 *restrict quads, uint index) {
    const ulong2 first = quads[3 * index], second = quads[3 * index + 1], third = quads[3 * index + 2];
    const uint state = ((uint) first.y & 0xff) | ((uint) (first.y >> 48) & 0xff00);
    return (Quad){first.x, first.y & PAWN_RANKS, second.x, second.y, third.x, third.y, state};
}

// Writes a `Quad48`.
INLINE void store_quad(__global ulong2 *restrict quads, uint index, Quad quad) {
    const ulong state = (ulong) (quad.state & 0xff) | (ulong) (quad.state & 0xff00) << 48;
    quads[3 * index] = (ulong2)(quad.white, quad.pawns | state);
    quads[3 * index + 1] = (ulong2)(quad.knights, quad.bishops_queens);
    quads[3 * index + 2] = (ulong2)(quad.rooks_queens, quad.kings);
}

// Returns the square of the rook of a castling right, K Q k q as 0 to 3. The rules give the four files in four bytes.
INLINE ulong castling_rook(uint castling_files, uint right) {
    const uint file = castling_files >> (8 * right) & 7;
    return 1UL << (file + (right < 2 ? 0 : 56));
}

// Returns a position as the side to move sees it.
INLINE Position position_of(Quad quad, uint castling_files) {
    const ulong occupied = quad.pawns | quad.knights | quad.bishops_queens | quad.rooks_queens | quad.kings;
    const ulong white = quad.white & occupied;
    const ulong queens = quad.bishops_queens & quad.rooks_queens;
    const ulong rooks = quad.rooks_queens & ~queens;
    ulong may_castle = 0;
    for (uint right = 0; right < 4; ++right) {
        if (quad.state >> (1 + right) & 1) {
            may_castle |= castling_rook(castling_files, right) & rooks & (right < 2 ? white : ~white);
        }
    }
    const bool black = quad.state & STATE_BLACK;
    const ulong file = 1UL << (quad.state >> STATE_EN_PASSANT_FILE & 7);
    const Position position = {
        quad.pawns | quad.bishops_queens | may_castle,
        quad.knights | (quad.bishops_queens & ~queens) | quad.kings | may_castle,
        quad.rooks_queens | quad.kings,
        black ? occupied & ~white : white,
        quad.state & STATE_EN_PASSANT ? file << (black ? 16 : 40) & ~occupied : 0,
    };
    // Flipping also changes the side to move; this undoes the change.
    if (!black) {
        return position;
    }
    Position seen = flipped(position);
    seen.own ^= occupied_of(seen);
    return seen;
}

// Converts positions from the host, each its own root.
__kernel KERNEL void upload(
    __global const ulong2 *restrict quads,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    uint end,
    uint castling_files
) {
    const uint index = get_global_id(0);
    if (index < end) {
        store_position(successors, index, position_of(load_quad(quads, index), castling_files));
        successor_roots[index] = index;
    }
}
