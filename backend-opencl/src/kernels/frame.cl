// The pieces by kind, and the limits of the side to move's moves: attacked squares, pins and checks.

typedef struct {
    // Pieces of the side to move, of the other side, and empty squares.
    ulong own, their, empty;
    // Pieces of both sides by kind.
    ulong pawns, knights, bishops_queens, rooks_queens;
    // The king of the side to move, and its square.
    ulong king;
    uint king_square;
    // The other side's king.
    ulong their_king;
    // The square where an en-passant capture lands, or none.
    ulong en_passant;
    // The own rooks that may castle, on rank 1.
    uint castling_rooks;
} Frame;

// Sorts the pieces by kind.
INLINE Frame frame_of(Position position) {
    const ulong bit1 = position.bit1, bit2 = position.bit2, bit4 = position.bit4;
    const ulong occupied = occupied_of(position);
    const ulong kings = ~bit1 & bit2 & bit4;
    const ulong king = kings & position.own;
    return (Frame){
        position.own,
        occupied & ~position.own,
        ~occupied,
        bit1 & ~bit2 & ~bit4,
        ~bit1 & bit2 & ~bit4,
        bit1 & (bit2 ^ bit4),
        bit4 & ~(~bit1 & bit2),
        king,
        lowest_index(king) & 63,
        kings & ~position.own,
        position.en_passant,
        (uint) (bit1 & bit2 & bit4 & position.own) & 0xff,
    };
}

// The lines through a square and the leaps from it, without the square itself.
typedef struct {
    ulong file, rank, diagonal, antidiagonal, king, knight;
    // The table of all lines. The variant with lookups keeps attacks there too.
    __global const ulong2 *table;
} Lines;

// Reads the lines of a square.
INLINE Lines lines_of(__global const ulong2 *restrict lines, uint square) {
    const ulong2 first = lines[3 * square], second = lines[3 * square + 1], third = lines[3 * square + 2];
    return (Lines){first.x, first.y, second.x, second.y, third.x, third.y, lines};
}

// The squares that a piece sees along each axis: empty ones and the first occupied one, both ways.
typedef struct {
    ulong file, rank, diagonal, antidiagonal;
} Sight;

// Returns the squares that a piece sees along a line, by subtraction: o ^ (o - 2r) are the squares above a slider r up to
// the first occupied one. For the squares below, the board is flipped; along a rank, files must be mirrored.
INLINE ulong line_sight(ulong line, ulong occupied, ulong piece, ulong flipped_piece) {
    const ulong blockers = occupied & line;
    return ((blockers - 2 * piece) ^ FAST_FLIP(FAST_FLIP(blockers) - 2 * flipped_piece)) & line;
}

// Returns the squares that a piece sees along its rank, without flipping. Counting zeros finds the first blocker towards
// file a.
INLINE ulong rank_sight(ulong occupied, uint square) {
    const uint shift = square & 56;
    const uint row = (uint) (occupied >> shift) & 0xff;
    const uint piece = 1u << (square & 7);
    const uint east = (row ^ (row - 2 * piece)) & 0xff;
    const uint west = piece - (0x80000000u >> clz((row & (piece - 1)) | 1));
    return (ulong) (east | west) << shift;
}

#ifdef SLIDERS_MAGIC
// Defined in `variants/magic.cl`.
INLINE Sight sight_of(Lines lines, ulong occupied, ulong piece, uint square);
#else
// Returns the squares that a piece sees.
INLINE Sight sight_of(Lines lines, ulong occupied, ulong piece, uint square) {
    const ulong flipped_piece = FAST_FLIP(piece);
    return (Sight){
        line_sight(lines.file, occupied, piece, flipped_piece),
        FAST_FLIP_MIRRORS ? line_sight(lines.rank, occupied, piece, flipped_piece) : rank_sight(occupied, square),
        line_sight(lines.diagonal, occupied, piece, flipped_piece),
        line_sight(lines.antidiagonal, occupied, piece, flipped_piece),
    };
}
#endif

#ifdef SLIDER_BY_SLIDER
// Returns the squares that sliders attack along each axis, slider by slider.
INLINE Sight sights_of(ulong orthogonal, ulong diagonal, ulong empty, __global const ulong2 *restrict lines_table) {
    Sight sights = {0, 0, 0, 0};
    for (ulong left = orthogonal; left; left &= left - 1) {
        const uint square = lowest_index(left);
        const Sight sight = sight_of(lines_of(lines_table, square), ~empty, lowest(left), square);
        sights.file |= sight.file;
        sights.rank |= sight.rank;
    }
    for (ulong left = diagonal; left; left &= left - 1) {
        const uint square = lowest_index(left);
        const Sight sight = sight_of(lines_of(lines_table, square), ~empty, lowest(left), square);
        sights.diagonal |= sight.diagonal;
        sights.antidiagonal |= sight.antidiagonal;
    }
    return sights;
}
#else
// Returns the squares that sliders attack along each axis, all sliders at once.
INLINE Sight sights_of(ulong orthogonal, ulong diagonal, ulong empty, __global const ulong2 *restrict lines_table) {
    return (Sight){
        north_attacks(orthogonal, empty) | south_attacks(orthogonal, empty),
        east_attacks(orthogonal, empty) | west_attacks(orthogonal, empty),
        north_east_attacks(diagonal, empty) | south_west_attacks(diagonal, empty),
        north_west_attacks(diagonal, empty) | south_east_attacks(diagonal, empty),
    };
}
#endif

typedef struct {
    // Squares where the king cannot go.
    ulong danger;
    // Own pieces pinned on each axis, and all of them.
    ulong pinned_on_file, pinned_on_rank, pinned_on_diagonal, pinned_on_antidiagonal, pinned;
    // The squares where pieces other than the king may go: all, or in check, the squares where they end the check.
    ulong evasion;
    bool check;
} Limits;

// Limits the evasions of a check along one axis. If a slider stands among the squares that the king sees up the axis
// (towards higher squares) or down, the check can be met on these squares, and the king cannot flee to the square behind.
#define MEET_CHECK(attacked, sight, sliders, step_up, step_down)                                                      \
    if (attacked & king) {                                                                                            \
        const ulong up = sight & ~(king | (king - 1)), down = sight & (king - 1);                                     \
        if (up & sliders) {                                                                                           \
            limits.evasion &= up;                                                                                     \
            limits.danger |= step_down(king);                                                                         \
        }                                                                                                             \
        if (down & sliders) {                                                                                         \
            limits.evasion &= down;                                                                                   \
            limits.danger |= step_up(king);                                                                           \
        }                                                                                                             \
    }

// Finds pins and checks from the hostile sliders' attacks. A piece is pinned on an axis if the king sees it along the
// axis and a hostile slider attacks it along the axis. The slider is on the other side of the piece, since otherwise
// the king would see the slider.
INLINE Limits limits_against(Frame frame, Lines lines, Sight attacked, __global const ulong2 *restrict lines_table) {
    const ulong king = frame.king, own = frame.own, their = frame.their, empty = frame.empty;
    const ulong orthogonal = frame.rooks_queens & their, diagonal = frame.bishops_queens & their;
    const Sight sight = sight_of(lines, ~empty, king, frame.king_square);

    Limits limits;
    limits.pinned_on_file = attacked.file & sight.file & own;
    limits.pinned_on_rank = attacked.rank & sight.rank & own;
    limits.pinned_on_diagonal = attacked.diagonal & sight.diagonal & own;
    limits.pinned_on_antidiagonal = attacked.antidiagonal & sight.antidiagonal & own;
    limits.pinned = limits.pinned_on_file | limits.pinned_on_rank | limits.pinned_on_diagonal |
                    limits.pinned_on_antidiagonal;
    limits.danger = attacked.file | attacked.rank | attacked.diagonal | attacked.antidiagonal |
                    knight_attacks(frame.knights & their) | pawn_attacks_down(frame.pawns & their) |
                    lines_of(lines_table, lowest_index(frame.their_king) & 63).king;
    limits.evasion = ~0UL;
    limits.check = limits.danger & king;
    if (limits.check) {
        const ulong leapers =
            ((lines.knight & frame.knights) | (pawn_attacks_up(king) & frame.pawns)) & their;
        if (leapers) {
            // Two leapers cannot both be captured.
            limits.evasion = lowest(leapers) == leapers ? leapers : 0;
        }
        MEET_CHECK(attacked.file, sight.file, orthogonal, north_step, south_step)
        MEET_CHECK(attacked.rank, sight.rank, orthogonal, east_step, west_step)
        MEET_CHECK(attacked.diagonal, sight.diagonal, diagonal, north_east_step, south_west_step)
        MEET_CHECK(attacked.antidiagonal, sight.antidiagonal, diagonal, north_west_step, south_east_step)
    }
    return limits;
}

// Finds attacks, pins and checks.
INLINE Limits limits_of(Frame frame, Lines lines, __global const ulong2 *restrict lines_table) {
    const ulong orthogonal = frame.rooks_queens & frame.their, diagonal = frame.bishops_queens & frame.their;
    const Sight attacked = sights_of(orthogonal, diagonal, frame.empty, lines_table);
    return limits_against(frame, lines, attacked, lines_table);
}

// Returns the pieces that may move along an axis: the unpinned pieces and the pieces pinned on the axis.
INLINE ulong free_to_move(ulong pieces, Limits limits, ulong pinned_on_axis) {
    return pieces & (~limits.pinned | pinned_on_axis);
}

// Returns the squares of rank 1 from one square to a higher one, both included.
INLINE uint span(uint low, uint high) {
    return 2 * high - low;
}

// Whether castling with this rook is legal. All squares that the king and the rook pass or land on must be empty except
// for them; these squares leave no gap. No square that the king passes or lands on may be attacked. A rook pinned on
// the rank shields the king from behind; castling would take the rook away.
INLINE bool may_castle(Frame frame, Limits limits, uint rook, uint king_to, uint rook_to) {
    const uint king = (uint) frame.king;
    const uint way = span(min(min(king, rook), min(king_to, rook_to)), max(max(king, rook), max(king_to, rook_to)));
    const uint king_way = span(min(king, king_to), max(king, king_to));
    const uint obstacles = way & ~((uint) frame.empty | king | rook);
    return rook != 0 && (obstacles | (king_way & (uint) limits.danger) | (rook & (uint) limits.pinned_on_rank)) == 0;
}

// Squares of rank 1.
#define B1 2u
#define C1 4u
#define D1 8u
#define E1 16u
#define F1 32u
#define G1 64u

// Castling goes up, if the rook is on a higher square than the king, or down. Mirrored files change the squares where
// king and rook land.
#define ROOK_ABOVE(frame) ((frame).castling_rooks & ~((uint) (frame).king - 1))
#define ROOK_BELOW(frame) ((frame).castling_rooks & ((uint) (frame).king - 1))

// Whether castling with the rook above the king is legal.
INLINE bool may_castle_up(Frame frame, Limits limits, bool mirrored) {
    return may_castle(frame, limits, ROOK_ABOVE(frame), mirrored ? F1 : G1, mirrored ? E1 : F1);
}

// Whether castling with the rook below the king is legal.
INLINE bool may_castle_down(Frame frame, Limits limits, bool mirrored) {
    return may_castle(frame, limits, ROOK_BELOW(frame), mirrored ? B1 : C1, mirrored ? C1 : D1);
}

// Whether castling may be legal: the king is not in check, and is beside an empty square or the rook. A cheap test.
INLINE bool may_castle_perhaps(Frame frame, Limits limits) {
    const uint king = (uint) frame.king;
    return frame.castling_rooks != 0 && !limits.check &&
           ((king << 1 | king >> 1) & ((uint) frame.empty | frame.castling_rooks)) != 0;
}

// Whether the king is safe once this pawn has captured en passant.
INLINE bool may_capture_en_passant(Frame frame, Lines lines, ulong from) {
    const ulong victim = frame.en_passant >> 8;
    const ulong occupied = (~frame.empty & ~(from | victim)) | frame.en_passant;
    const ulong their = frame.their & ~victim;
    const Sight sight = sight_of(lines, occupied, frame.king, frame.king_square);
    const ulong attackers = ((sight.file | sight.rank) & frame.rooks_queens) |
                            ((sight.diagonal | sight.antidiagonal) & frame.bishops_queens) |
                            (lines.knight & frame.knights) | (pawn_attacks_up(frame.king) & frame.pawns);
    return (attackers & their) == 0;
}

// Returns the own pawns that can legally capture en passant: from the east moving north-west (x), from the west moving
// north-east (y). Each is one square or none.
INLINE ulong2 en_passant_captors(Frame frame, Lines lines) {
    const ulong own_pawns = frame.pawns & frame.own;
    const ulong east = south_east_step(frame.en_passant), west = south_west_step(frame.en_passant);
    ulong2 from = (ulong2)(east, west) & own_pawns;
    if (from.x && !may_capture_en_passant(frame, lines, from.x)) {
        from.x = 0;
    }
    if (from.y && !may_capture_en_passant(frame, lines, from.y)) {
        from.y = 0;
    }
    return from;
}
