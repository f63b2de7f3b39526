// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define PAWN 1u
#define KNIGHT 2u
#define BISHOP 3u
#define ROOK 4u
#define QUEEN 5u
#define KING 6u

typedef struct {
    ulong bit1;
    ulong bit2;
    ulong bit4;
    // Pieces of the side to move.
    ulong own;
    // The square where an en-passant capture lands, or none.
    ulong en_passant;
} Position;

INLINE ulong occupied_of(Position position) {
    return position.bit1 | position.bit2 | position.bit4;
}

// Returns a position of which these are the quarters in memory. `Planes32` in kogge-board describes the form: the bits 1, 2 and
// 4 of the pieces' codes; the pieces of the side to move and, on an empty square, the square where an en-passant capture lands.
INLINE Position position_in(uint4 first, uint4 second) {
    const ulong bit1 = join(first.x, first.y);
    const ulong bit2 = join(first.z, first.w);
    const ulong bit4 = join(second.x, second.y);
    const ulong own = join(second.z, second.w);
    const ulong occupied = bit1 | bit2 | bit4;
    return (Position){bit1, bit2, bit4, own & occupied, own & ~occupied};
}

INLINE Position load_position(uint index, __global const uint4 *restrict positions) {
    return position_in(positions[2u * index], positions[2u * index + 1u]);
}

INLINE void store_position(uint index, Position position, __global uint4 *restrict successors) {
    const ulong own = position.own | position.en_passant;
    successors[2u * index] = (uint4)(low(position.bit1), high(position.bit1), low(position.bit2), high(position.bit2));
    successors[2u * index + 1u] = (uint4)(low(position.bit4), high(position.bit4), low(own), high(own));
}

// Returns the position as the other side sees it, with the other side to move.
INLINE Position flipped(Position position) {
    const ulong their = occupied_of(position) & ~position.own;
    return (Position){flip(position.bit1), flip(position.bit2), flip(position.bit4), flip(their),
        flip(position.en_passant)};
}

// Returns the flipped position, with files mirrored if that is faster.
INLINE Position fast_flipped(Position position) {
    const ulong their = occupied_of(position) & ~position.own;
    return (Position){fast_flip(position.bit1), fast_flip(position.bit2), fast_flip(position.bit4), fast_flip(their),
        fast_flip(position.en_passant)};
}
