// A position as the side to move sees it, and its two forms in memory.
//
// The board is turned so that the side to move always moves up; there is one colour path. In memory a position takes 32
// bytes or 48, as the host chooses.

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

INLINE ulong occupied_of(Position position) {
    return position.bit1 | position.bit2 | position.bit4;
}

// A part of a position in memory, as much as is read or written at once.
typedef ulong2 Packed;

#ifdef BOARDS48
// Six boards, as in `Quad48` but seen by the side to move: its own pieces and, on an empty square, the one where an
// en-passant capture lands; pawns and, on ranks 1 and 8, the rooks that may castle; knights; bishops|queens;
// rooks|queens; kings.
INLINE Position load_position(__global const Packed *restrict positions, uint index) {
    __global const Packed *restrict packed = positions + 3 * (size_t) index;
    const ulong2 first = packed[0], second = packed[1], third = packed[2];
    const ulong bishops_queens = second.y, rooks_queens = third.x, kings = third.y;
    const ulong may_castle = first.y & ~PAWN_RANKS;
    const ulong bit1 = first.y | bishops_queens;
    const ulong bit2 = second.x | (bishops_queens & ~rooks_queens) | kings | may_castle;
    const ulong bit4 = rooks_queens | kings;
    const ulong occupied = bit1 | bit2 | bit4;
    return (Position){bit1, bit2, bit4, first.x & occupied, first.x & ~occupied};
}

INLINE void store_position(__global Packed *restrict positions, uint index, Position position) {
    __global Packed *restrict packed = positions + 3 * (size_t) index;
    const ulong bit1 = position.bit1, bit2 = position.bit2, bit4 = position.bit4;
    const ulong kings = ~bit1 & bit2 & bit4;
    packed[0] = (ulong2)(position.own | position.en_passant, bit1 & ~(bit2 ^ bit4));
    packed[1] = (ulong2)(~bit1 & bit2 & ~bit4, bit1 & (bit2 ^ bit4));
    packed[2] = (ulong2)(bit4 & ~kings, kings);
}
#else
// `Planes32` in kogge-board: the bits 1, 2 and 4 of the pieces' codes; the pieces of the side to move and, on an empty
// square, the one where an en-passant capture lands.
INLINE Position load_position(__global const Packed *restrict positions, uint index) {
    __global const Packed *restrict packed = positions + 2 * (size_t) index;
    const ulong2 first = packed[0], second = packed[1];
    const ulong occupied = first.x | first.y | second.x;
    return (Position){first.x, first.y, second.x, second.y & occupied, second.y & ~occupied};
}

INLINE void store_position(__global Packed *restrict positions, uint index, Position position) {
    __global Packed *restrict packed = positions + 2 * (size_t) index;
    packed[0] = (ulong2)(position.bit1, position.bit2);
    packed[1] = (ulong2)(position.bit4, position.own | position.en_passant);
}
#endif

// The same position as the other side sees it, for that side to move.
#define TURNED(position, turn)                                                                                        \
    ((Position){                                                                                                      \
        turn((position).bit1),                                                                                        \
        turn((position).bit2),                                                                                        \
        turn((position).bit4),                                                                                        \
        turn(occupied_of(position) & ~(position).own),                                                                \
        turn((position).en_passant),                                                                                  \
    })

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

INLINE Quad load_quad(__global const ulong2 *restrict quads, uint index) {
    const ulong2 first = quads[3 * index], second = quads[3 * index + 1], third = quads[3 * index + 2];
    const uint state = ((uint) first.y & 0xff) | ((uint) (first.y >> 48) & 0xff00);
    return (Quad){first.x, first.y & PAWN_RANKS, second.x, second.y, third.x, third.y, state};
}

INLINE void store_quad(__global ulong2 *restrict quads, uint index, Quad quad) {
    const ulong state = (ulong) (quad.state & 0xff) | (ulong) (quad.state & 0xff00) << 48;
    quads[3 * index] = (ulong2)(quad.white, quad.pawns | state);
    quads[3 * index + 1] = (ulong2)(quad.knights, quad.bishops_queens);
    quads[3 * index + 2] = (ulong2)(quad.rooks_queens, quad.kings);
}

// The square of the rook that castling right `right` (K Q k q as 0 to 3) speaks of, given the four files in four bytes.
INLINE ulong castling_rook(uint castling_files, uint right) {
    const uint file = castling_files >> (8 * right) & 7;
    return 1UL << (file + (right < 2 ? 0 : 56));
}

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
    // Turning changes the side to move as well; for black that is undone.
    if (!black) {
        return position;
    }
    Position seen = TURNED(position, flip);
    seen.own ^= occupied_of(seen);
    return seen;
}

// Positions as they come from the host, each the root of its own tree.
__kernel KERNEL void upload(
    __global const ulong2 *restrict quads,
    uint len,
    uint castling_files,
    __global Packed *restrict positions,
    __global uint *restrict roots
) {
    const uint index = get_global_id(0);
    if (index < len) {
        store_position(positions, index, position_of(load_quad(quads, index), castling_files));
        roots[index] = index;
    }
}
