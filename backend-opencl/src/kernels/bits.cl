// Bitboards: one bit per square, a1 = bit 0, b1 = bit 1, h8 = bit 63.

#define INLINE static inline __attribute__((always_inline))

#define FILE_A 0x0101010101010101UL
#define NOT_FILE_A 0xfefefefefefefefeUL
#define NOT_FILE_H 0x7f7f7f7f7f7f7f7fUL
#define RANK_8 0xff00000000000000UL
#define THIRD_RANK 0x0000000000ff0000UL
#define PAWN_RANKS 0x00ffffffffffff00UL
#define RANK_1 0x00000000000000ffUL
#define THEIR_SECOND_RANK 0x00ff000000000000UL
#define THEIR_THIRD_RANK 0x0000ff0000000000UL
#define THEIR_SEVENTH_RANK 0x000000000000ff00UL

// Returns the four bytes of half a board in reverse order.
INLINE uint flip_half(uint half_board) {
#ifdef NVIDIA
    // One instruction, which the compiler does not find.
    uint flipped;
    __asm__("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(flipped) : "r"(half_board));
    return flipped;
#else
    return (rotate(half_board, 8u) & 0x00ff00ffu) | (rotate(half_board, 24u) & 0xff00ff00u);
#endif
}

// Returns the board upside down, as the other side sees it: rank 1 becomes rank 8, files stay.
INLINE ulong flip(ulong board) {
    return (ulong) flip_half((uint) board) << 32 | flip_half((uint) (board >> 32));
}

// Returns the board rotated by half a turn: a1 becomes h8.
INLINE ulong reverse(ulong board) {
#ifdef NVIDIA
    // Two instructions, on a pipe that is less busy than others.
    uint low, high;
    __asm__("brev.b32 %0, %1;" : "=r"(low) : "r"((uint) (board >> 32)));
    __asm__("brev.b32 %0, %1;" : "=r"(high) : "r"((uint) board));
    return (ulong) high << 32 | low;
#else
    ulong flipped = flip(board);
    flipped = (flipped >> 4 & 0x0f0f0f0f0f0f0f0fUL) | (flipped & 0x0f0f0f0f0f0f0f0fUL) << 4;
    flipped = (flipped >> 2 & 0x3333333333333333UL) | (flipped & 0x3333333333333333UL) << 2;
    return (flipped >> 1 & 0x5555555555555555UL) | (flipped & 0x5555555555555555UL) << 1;
#endif
}

// The fastest way to flip a board where mirrored files do no harm.
#if defined(NVIDIA) || defined(FAST_FLIP_BY_REVERSE)
#define FAST_FLIP reverse
#define FAST_FLIP_MIRRORS true
#else
#define FAST_FLIP flip
#define FAST_FLIP_MIRRORS false
#endif

// These ways to find attacks handle one slider after another.
#if defined(SLIDERS_SUBTRACT) || defined(SLIDERS_MAGIC)
#define SLIDER_BY_SLIDER
#endif

// Returns the number of squares.
INLINE uint count_ones(ulong board) {
    return (uint) popcount(board);
}

// Returns the lowest square, alone.
INLINE ulong lowest(ulong board) {
    return board & -board;
}

// Returns the index of the lowest square; 64 for the empty board.
INLINE uint lowest_index(ulong board) {
    return count_ones((board - 1) & ~board);
}
