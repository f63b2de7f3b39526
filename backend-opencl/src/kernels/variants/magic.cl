// A variant that measured slower: the attacks of sliders are looked up in a table of magic bitboards.

// Returns the attacks of a rook (0) or a bishop (1). `variants/magic.rs` of the host describes the layout of the table.
INLINE ulong look_up(__global const ulong2 *table, uint square, uint slider, ulong in_the_way) {
    const ulong2 magic = table[3 * 64 + 2 * square + slider];
    const uint index = (uint) magic.y + (uint) (in_the_way * magic.x >> (uint) (magic.y >> 32));
    return ((__global const ulong *) table)[index];
}

// Returns the squares that a piece sees. A piece at the end of a line hides nothing, so that the index leaves it out.
INLINE Sight sight_of(Lines lines, ulong occupied, ulong piece, uint square) {
    const ulong inside = NOT_FILE_A & NOT_FILE_H;
    const ulong in_rooks_way = (lines.file & PAWN_RANKS) | (lines.rank & inside);
    const ulong in_bishops_way = (lines.diagonal | lines.antidiagonal) & PAWN_RANKS & inside;
    const ulong by_rook = look_up(lines.table, square, 0, occupied & in_rooks_way);
    const ulong by_bishop = look_up(lines.table, square, 1, occupied & in_bishops_way);
    return (Sight){
        by_rook & lines.file,
        by_rook & lines.rank,
        by_bishop & lines.diagonal,
        by_bishop & lines.antidiagonal,
    };
}
