// Bitboards: one bit per square, a1 = bit 0, b1 = bit 1, h8 = bit 63.

#define INLINE static inline __attribute__((always_inline))

#define FILE_A 0x0101010101010101UL
#define NOT_FILE_A 0xfefefefefefefefeUL
#define NOT_FILE_H 0x7f7f7f7f7f7f7f7fUL
#define RANK_8 0xff00000000000000UL
#define THIRD_RANK 0x0000000000ff0000UL
#define PAWN_RANKS 0x00ffffffffffff00UL

// The four bytes of half a board in opposite order.
INLINE uint flip_half(uint half_board) {
#ifdef NVIDIA
    // One instruction, which the compiler does not find by itself.
    uint flipped;
    __asm__("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(flipped) : "r"(half_board));
    return flipped;
#else
    return (rotate(half_board, 8u) & 0x00ff00ffu) | (rotate(half_board, 24u) & 0xff00ff00u);
#endif
}

// The board seen from the other side: rank 1 becomes rank 8, files stay.
INLINE ulong flip(ulong board) {
    return (ulong) flip_half((uint) board) << 32 | flip_half((uint) (board >> 32));
}

// The board turned by half a circle: a1 becomes h8.
INLINE ulong reverse(ulong board) {
#ifdef NVIDIA
    // Two instructions, and not of the busiest kind.
    uint low, high;
    __asm__("brev.b32 %0, %1;" : "=r"(low) : "r"((uint) (board >> 32)));
    __asm__("brev.b32 %0, %1;" : "=r"(high) : "r"((uint) board));
    return (ulong) high << 32 | low;
#else
    ulong turned = flip(board);
    turned = (turned >> 4 & 0x0f0f0f0f0f0f0f0fUL) | (turned & 0x0f0f0f0f0f0f0f0fUL) << 4;
    turned = (turned >> 2 & 0x3333333333333333UL) | (turned & 0x3333333333333333UL) << 2;
    return (turned >> 1 & 0x5555555555555555UL) | (turned & 0x5555555555555555UL) << 1;
#endif
}

// The cheapest way to see the board from the other side, where it does not matter whether files are mirrored too.
#if defined(NVIDIA) || defined(TURN_BY_REVERSE)
#define TURN reverse
#define TURN_MIRRORS true
#else
#define TURN flip
#define TURN_MIRRORS false
#endif

// How many squares.
INLINE uint count_ones(ulong board) {
    return (uint) popcount(board);
}

// The lowest square, alone.
INLINE ulong lowest(ulong board) {
    return board & -board;
}

// The index of the lowest square; 64 for the empty board.
INLINE uint lowest_index(ulong board) {
    return count_ones((board - 1) & ~board);
}
