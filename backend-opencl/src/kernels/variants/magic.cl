// A variant that measured slower: the attacks of sliders are looked up in a table of magic bitboards, slider by slider.

// The lines through a square and the leaps from it, without the square itself; and the table of all lines and attacks.
typedef struct {
    ulong file;
    ulong rank;
    ulong diagonal;
    ulong antidiagonal;
    ulong king;
    ulong knight;
    uint square;
    __global const uint4 *table;
} Lines;

// Reads the lines of a square.
INLINE Lines lines_of(uint square, __global const uint4 *restrict lines) {
    __global const ulong2 *restrict line = (__global const ulong2 *) (lines + 3 * square);
    return (Lines){line[0].x, line[0].y, line[1].x, line[1].y, line[2].x, line[2].y, square, lines};
}

// Returns the attacks of a rook (0) or a bishop (1). `variants/magic.rs` of the host describes the layout of the table.
INLINE ulong look_up(__global const uint4 *table, uint square, uint slider, ulong in_the_way) {
    const ulong2 magic = ((__global const ulong2 *) table)[3 * 64 + 2 * square + slider];
    const uint index = (uint) magic.y + (uint) (in_the_way * magic.x >> (uint) (magic.y >> 32));
    return ((__global const ulong *) table)[index];
}

// Returns the squares that a piece sees. A piece at the end of a line hides nothing, so that the index leaves it out.
INLINE Sight sight_of(Lines axes, ulong occupied, ulong piece) {
    const ulong inside_files = NOT_FILE_A & NOT_FILE_H, inside_ranks = 0x00ffffffffffff00UL;
    const ulong in_rooks_way = (axes.file & inside_ranks) | (axes.rank & inside_files);
    const ulong in_bishops_way = (axes.diagonal | axes.antidiagonal) & inside_ranks & inside_files;
    const ulong by_rook = look_up(axes.table, axes.square, 0, occupied & in_rooks_way);
    const ulong by_bishop = look_up(axes.table, axes.square, 1, occupied & in_bishops_way);
    return (Sight){
        by_rook & axes.file,
        by_rook & axes.rank,
        by_bishop & axes.diagonal,
        by_bishop & axes.antidiagonal,
    };
}

// Returns the squares that sliders attack along each axis, slider by slider.
INLINE Sight looked_up_sights(ulong orthogonal, ulong diagonal, ulong empty, __global const uint4 *restrict lines) {
    Sight sights = {0, 0, 0, 0};
    for (ulong left = orthogonal; left != 0; left &= left - 1) {
        const Sight sight = sight_of(lines_of(lowest_index(left), lines), ~empty, left & -left);
        sights.file |= sight.file;
        sights.rank |= sight.rank;
    }
    for (ulong left = diagonal; left != 0; left &= left - 1) {
        const Sight sight = sight_of(lines_of(lowest_index(left), lines), ~empty, left & -left);
        sights.diagonal |= sight.diagonal;
        sights.antidiagonal |= sight.antidiagonal;
    }
    return sights;
}

// Finds attacks, pins and checks.
INLINE Limits limits_of(Frame frame, Lines axes, __global const uint4 *restrict lines) {
    const ulong orthogonal = frame.rooks_queens & frame.their, diagonal = frame.bishops_queens & frame.their;
    return limits_against(frame, axes, looked_up_sights(orthogonal, diagonal, frame.empty, lines), lines);
}

// Returns the number of moves of bishops, rooks and queens, slider by slider.
INLINE uint count_looked_up(Frame frame, Limits limits, ulong targets, __global const uint4 *restrict lines) {
    uint moves = 0;
    for (ulong left = (frame.rooks_queens | frame.bishops_queens) & frame.own; left != 0; left &= left - 1) {
        const ulong piece = left & -left;
        const ulong orthogonal = frame.rooks_queens & piece, diagonal = frame.bishops_queens & piece;
        const Sight sight = sight_of(lines_of(lowest_index(left), lines), ~frame.empty, piece);
        const ulong reached = (free_to_move(orthogonal, limits, limits.pinned_on_file) ? sight.file : 0) |
                              (free_to_move(orthogonal, limits, limits.pinned_on_rank) ? sight.rank : 0) |
                              (free_to_move(diagonal, limits, limits.pinned_on_diagonal) ? sight.diagonal : 0) |
                              (free_to_move(diagonal, limits, limits.pinned_on_antidiagonal) ? sight.antidiagonal : 0);
        moves += count_ones(reached & targets);
    }
    return moves;
}

// Returns the number of legal moves. `mirrored` tells whether the board's files are mirrored.
INLINE uint count_moves_of(Position position, bool mirrored, __global const uint4 *restrict lines) {
    const Frame frame = frame_of(position);
    const Lines axes = lines_of(frame.king_square, lines);
    const Limits limits = limits_of(frame, axes, lines);
    const ulong targets = ~frame.own & limits.evasion;
    uint moves = count_ones(axes.king & ~frame.own & ~limits.danger) + count_looked_up(frame, limits, targets, lines) +
                 count_knights(frame, limits, targets) + count_pawns(frame, limits);
    if (frame.en_passant != 0) {
        const Captors captors = en_passant_captors(frame, axes);
        moves += (captors.from_east != 0) + (captors.from_west != 0);
    }
    if (may_castle_perhaps(frame, limits)) {
        moves += may_castle_up(frame, limits, mirrored) + may_castle_down(frame, limits, mirrored);
    }
    return moves;
}
