// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// Returns the four bytes of half a board in reverse order.
INLINE uint flip_half(uint half_board) {
    const uint swapped = (half_board << 16u) | (half_board >> 16u);
    return ((swapped & 0xff00ffu) << 8u) | ((swapped >> 8u) & 0xff00ffu);
}

// Returns the board upside down, as the other side sees it: rank 1 becomes rank 8, files stay.
INLINE ulong flip(ulong board) {
    return join(flip_half(high(board)), flip_half(low(board)));
}

// Returns the board rotated by half a turn: a1 becomes h8.
INLINE ulong reverse(ulong board) {
    return join(reverse_bits(high(board)), reverse_bits(low(board)));
}

// Flips a board in the fastest way, where mirrored files do no harm. Most GPUs reverse a word in one instruction.
INLINE ulong fast_flip(ulong board) {
    if (FAST_REVERSE) {
        return reverse(board);
    }
    return flip(board);
}

// Returns the number of squares.
INLINE uint count_ones(ulong board) {
    return popcount(low(board)) + popcount(high(board));
}

// Returns the index of the lowest square; 64 for the empty board.
INLINE uint lowest_index(ulong board) {
    return count_ones(~board & below(board));
}
