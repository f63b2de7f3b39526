// A function by hand, for all devices but NVIDIA's. On a CPU, raw counts take 4 to 15 % longer with the printed one, which adds the bits of two
// halves; on an H100 this one takes 1 % longer.

// Returns the number of squares.
INLINE uint count_ones(ulong board) {
    return (uint) popcount(board);
}
