// Bitboards: one bit per square, a1 = bit 0, b1 = bit 1, h8 = bit 63. What a `Board` is, the prelude says.

// The four bytes of half a board in opposite order.
fn flip_half(half_board: u32) -> u32 {
    let turned = (half_board << 16u) | (half_board >> 16u);
    return ((turned & 0x00ff00ffu) << 8u) | ((turned >> 8u) & 0x00ff00ffu);
}

// The board seen from the other side: rank 1 becomes rank 8, files stay.
fn flip(board: Board) -> Board {
    return join(flip_half(high(board)), flip_half(low(board)));
}

// The board turned by half a circle: a1 becomes h8. GPUs do a half in one instruction, so that this is the cheapest way
// to see the board from the other side, where it does not matter that files are mirrored too.
fn reverse(board: Board) -> Board {
    return join(reverseBits(high(board)), reverseBits(low(board)));
}

// How many squares.
fn count_ones(board: Board) -> u32 {
    return countOneBits(low(board)) + countOneBits(high(board));
}

// The index of the lowest square; 64 for the empty board.
fn lowest_index(board: Board) -> u32 {
    let lower = low(board);
    return select(32u + countTrailingZeros(high(board)), countTrailingZeros(lower), lower != 0u);
}
