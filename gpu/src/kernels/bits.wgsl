// Bitboards: one bit per square, a1 = bit 0, b1 = bit 1, h8 = bit 63. `word_native.wgsl` or `word_emulated.wgsl` defines
// `Board`.

/// Returns the four bytes of half a board in reverse order.
fn flip_half(half_board: u32) -> u32 {
    let swapped = (half_board << 16u) | (half_board >> 16u);
    return ((swapped & 0x00ff00ffu) << 8u) | ((swapped >> 8u) & 0x00ff00ffu);
}

/// Returns the board upside down, as the other side sees it: rank 1 becomes rank 8, files stay.
fn flip(board: Board) -> Board {
    return join(flip_half(high(board)), flip_half(low(board)));
}

/// Returns the board rotated by half a turn: a1 becomes h8.
fn reverse(board: Board) -> Board {
    return join(reverseBits(high(board)), reverseBits(low(board)));
}

/// Flips a board in the fastest way, for code that tolerates mirrored files. Most GPUs reverse a word in one
/// instruction.
fn fast_flip(board: Board) -> Board {
    if FAST_REVERSE {
        return reverse(board);
    }
    return flip(board);
}

/// Returns the number of squares.
fn count_ones(board: Board) -> u32 {
    return countOneBits(low(board)) + countOneBits(high(board));
}

/// Returns the index of the lowest square; 64 for the empty board.
fn lowest_index(board: Board) -> u32 {
    return count_ones(~board & below(board));
}

/// Returns the highest square, alone.
fn highest(board: Board) -> Board {
    if high(board) != 0u {
        return join(0u, 0x80000000u >> countLeadingZeros(high(board)));
    }
    if low(board) != 0u {
        return join(0x80000000u >> countLeadingZeros(low(board)), 0u);
    }
    return NONE;
}
