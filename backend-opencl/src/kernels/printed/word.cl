// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define NONE 0ul
#define ALL 0xfffffffffffffffful
#define NOT_FILE_A 0xfefefefefefefefeul
#define NOT_FILES_AB 0xfcfcfcfcfcfcfcfcul
#define NOT_FILE_H 0x7f7f7f7f7f7f7f7ful
#define NOT_FILES_GH 0x3f3f3f3f3f3f3f3ful
#define RANK_8 0xff00000000000000ul
#define THIRD_RANK 0xff0000ul
#define PAWN_RANKS 0xffffffffffff00ul
#define RANK_1 0xfful
#define THEIR_SECOND_RANK 0xff000000000000ul
#define THEIR_THIRD_RANK 0xff0000000000ul
#define THEIR_SEVENTH_RANK 0xff00ul

// Returns the board of two halves: ranks 1 to 4, and ranks 5 to 8.
INLINE ulong join(uint lower, uint upper) {
    return ((ulong) upper << 32u) | (ulong) lower;
}

// Returns ranks 1 to 4.
INLINE uint low(ulong board) {
    return (uint) board;
}

// Returns ranks 5 to 8.
INLINE uint high(ulong board) {
    return (uint) (board >> 32u);
}

// Returns all squares moved towards h8, by less than 64.
INLINE ulong up(ulong board, uint distance) {
    return board << distance;
}

// Returns all squares moved towards a1, by less than 64.
INLINE ulong down(ulong board, uint distance) {
    return board >> distance;
}

INLINE ulong bit(uint square) {
    return 1ul << square;
}

INLINE bool has(ulong board, uint square) {
    return ((board >> square) & 1ul) != 0ul;
}

// Whether any square is set.
INLINE bool nonempty(ulong board) {
    return board != 0ul;
}

// Returns the sum of two numbers, modulo 2^64.
INLINE ulong plus(ulong a, ulong b) {
    return a + b;
}

// Returns the difference of two numbers, modulo 2^64.
INLINE ulong minus(ulong a, ulong b) {
    return a - b;
}

// Returns the product of two words.
INLINE ulong product(uint a, uint b) {
    return (ulong) a * (ulong) b;
}

// Whether one board, as a number, is less than another.
INLINE bool is_lower(ulong a, ulong b) {
    return a < b;
}

// Returns the squares below a square; all squares for the empty board.
INLINE ulong below(ulong square) {
    return square - 1ul;
}

// Returns the lowest square, alone.
INLINE ulong lowest(ulong board) {
    return board & (0ul - board);
}

// Returns all squares but the lowest.
INLINE ulong without_lowest(ulong board) {
    return board & (board - 1ul);
}
