// A variant that measured slower: positions of 48 bytes in memory. Six boards, as in `Quad48` but seen by the side to
// move: its own pieces and, on an empty square, the square where an en-passant capture lands; pawns and, on ranks 1 and
// 8, the rooks that may castle; knights; bishops|queens; rooks|queens; kings.

// Reads a position.
INLINE Position load_position(uint index, __global const uint4 *restrict positions) {
    __global const ulong2 *restrict packed = (__global const ulong2 *) (positions + 3 * (size_t) index);
    const ulong2 first = packed[0], second = packed[1], third = packed[2];
    const ulong bishops_queens = second.y, rooks_queens = third.x, kings = third.y;
    const ulong may_castle = first.y & 0xff000000000000ffUL;
    const ulong bit1 = first.y | bishops_queens;
    const ulong bit2 = second.x | (bishops_queens & ~rooks_queens) | kings | may_castle;
    const ulong bit4 = rooks_queens | kings;
    const ulong occupied = bit1 | bit2 | bit4;
    return (Position){bit1, bit2, bit4, first.x & occupied, first.x & ~occupied};
}

// Writes a position.
INLINE void store_position(uint index, Position position, __global uint4 *restrict successors) {
    __global ulong2 *restrict packed = (__global ulong2 *) (successors + 3 * (size_t) index);
    const ulong bit1 = position.bit1, bit2 = position.bit2, bit4 = position.bit4;
    const ulong kings = ~bit1 & bit2 & bit4;
    packed[0] = (ulong2)(position.own | position.en_passant, bit1 & ~(bit2 ^ bit4));
    packed[1] = (ulong2)(~bit1 & bit2 & ~bit4, bit1 & (bit2 ^ bit4));
    packed[2] = (ulong2)(bit4 & ~kings, kings);
}
