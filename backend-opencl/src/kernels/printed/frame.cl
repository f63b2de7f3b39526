// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// Squares of rank 1.
#define B1 2u
#define C1 4u
#define D1 8u
#define E1 16u
#define F1 32u
#define G1 64u

typedef struct {
    // Pieces of the side to move, of the other side, and empty squares.
    ulong own;
    ulong their;
    ulong empty;
    // Pieces of both sides by kind.
    ulong pawns;
    ulong knights;
    ulong bishops_queens;
    ulong rooks_queens;
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

// The lines through a square and the leaps from it, without the square itself.
typedef struct {
    ulong file;
    ulong rank;
    ulong diagonal;
    ulong antidiagonal;
    ulong king;
    ulong knight;
} Lines;

// The squares that a piece sees along each axis: empty ones and the first occupied one, both ways.
typedef struct {
    ulong file;
    ulong rank;
    ulong diagonal;
    ulong antidiagonal;
} Sight;

typedef struct {
    // Squares where the king cannot go.
    ulong danger;
    // Own pieces pinned on each axis, and all of them.
    ulong pinned_on_file;
    ulong pinned_on_rank;
    ulong pinned_on_diagonal;
    ulong pinned_on_antidiagonal;
    ulong pinned;
    // The squares where pieces other than the king may go: all, or in check, the squares where they end the check.
    ulong evasion;
    bool check;
} Limits;

// The own pawns that can legally capture en passant: from the east moving north-west, and from the west moving
// north-east. Each is one square or none.
typedef struct {
    ulong from_east;
    ulong from_west;
} Captors;

// Sorts the pieces by kind.
INLINE Frame frame_of(Position position) {
    const ulong bit1 = position.bit1;
    const ulong bit2 = position.bit2;
    const ulong bit4 = position.bit4;
    const ulong occupied = occupied_of(position);
    const ulong kings = ~bit1 & bit2 & bit4;
    const ulong king = kings & position.own;
    return (Frame){position.own, occupied & ~position.own, ~occupied, bit1 & ~bit2 & ~bit4, ~bit1 & bit2 & ~bit4,
        bit1 & (bit2 ^ bit4), bit4 & ~(~bit1 & bit2), king, lowest_index(king) & 63u, kings & ~position.own,
        position.en_passant, low(bit1 & bit2 & bit4 & position.own) & 255u};
}

// Returns the bishops, rooks or queens of both sides, by their code.
INLINE ulong sliders_of_kind(Frame frame, uint code) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    const ulong others = (code == BISHOP ? frame.bishops_queens : frame.rooks_queens) & ~queens;
    return code == QUEEN ? queens : others;
}

// Returns the pieces of both sides with a code, except kings.
INLINE ulong kind_of_piece(Frame frame, uint code) {
    return code >= BISHOP ? sliders_of_kind(frame, code) : (code == KNIGHT ? frame.knights : frame.pawns);
}

INLINE Lines lines_of(uint square, __global const uint4 *restrict lines) {
    const uint4 first = lines[3u * square];
    const uint4 second = lines[3u * square + 1u];
    const uint4 third = lines[3u * square + 2u];
    return (Lines){join(first.x, first.y), join(first.z, first.w), join(second.x, second.y), join(second.z, second.w),
        join(third.x, third.y), join(third.z, third.w)};
}

// Returns the squares that a piece sees along a line, by subtraction: o ^ (o - 2r) are the squares above a slider r up to
// the first occupied one. For the squares below, the board is flipped; along a rank, files must be mirrored.
INLINE ulong line_sight(ulong line, ulong occupied, ulong piece, ulong flipped_piece) {
    const ulong blockers = occupied & line;
    const ulong above = minus(blockers, up(piece, 1u));
    const ulong beneath = minus(fast_flip(blockers), up(flipped_piece, 1u));
    return (above ^ fast_flip(beneath)) & line;
}

// Returns the squares that a piece sees along its rank, without flipping. Counting zeros finds the first blocker towards
// file a.
INLINE ulong rank_sight(ulong occupied, uint square) {
    const uint half_ = square >= 32u ? high(occupied) : low(occupied);
    const uint shift = square & 24u;
    const uint row = (half_ >> shift) & 255u;
    const uint piece = 1u << (square & 7u);
    const uint east = (row ^ (row - 2u * piece)) & 255u;
    const uint west = piece - (0x80000000u >> clz((row & (piece - 1u)) | 1u));
    const uint sight = (east | west) << shift;
    return join(square >= 32u ? 0u : sight, square >= 32u ? sight : 0u);
}

// Returns the squares that a piece sees.
INLINE Sight sight_of(Lines axes, ulong occupied, ulong piece) {
    const ulong flipped_piece = fast_flip(piece);
    Sight sight = {0};
    sight.file = line_sight(axes.file, occupied, piece, flipped_piece);
    if (FAST_REVERSE) {
        sight.rank = line_sight(axes.rank, occupied, piece, flipped_piece);
    } else {
        sight.rank = rank_sight(occupied, lowest_index(piece) & 63u);
    }
    sight.diagonal = line_sight(axes.diagonal, occupied, piece, flipped_piece);
    sight.antidiagonal = line_sight(axes.antidiagonal, occupied, piece, flipped_piece);
    return sight;
}

// Returns the squares that sliders attack along each axis, all sliders at once.
INLINE Sight sights_of(ulong orthogonal, ulong diagonal, ulong empty) {
    return (Sight){north_attacks(orthogonal, empty) | south_attacks(orthogonal, empty),
        east_attacks(orthogonal, empty) | west_attacks(orthogonal, empty),
        north_east_attacks(diagonal, empty) | south_west_attacks(diagonal, empty),
        north_west_attacks(diagonal, empty) | south_east_attacks(diagonal, empty)};
}

// Limits the evasions of a check along one axis. If a slider stands among the squares that the king sees up the axis
// (towards higher squares) or down, the check can be met on these squares, and the king cannot flee to the square behind,
// one step the other way.
INLINE void meet_check(
    Limits *limits,
    ulong king,
    ulong attacked,
    ulong sight,
    ulong sliders,
    ulong step_up,
    ulong step_down
) {
    if (nonempty(attacked & king)) {
        const ulong above = sight & ~(king | below(king));
        const ulong beneath = sight & below(king);
        if (nonempty(above & sliders)) {
            limits->evasion &= above;
            limits->danger |= step_down;
        }
        if (nonempty(beneath & sliders)) {
            limits->evasion &= beneath;
            limits->danger |= step_up;
        }
    }
}

// Finds pins and checks from the hostile sliders' attacks. A piece is pinned on an axis if the king sees it along the
// axis and a hostile slider attacks it along the axis. The slider is on the other side of the piece, since otherwise
// the king would see the slider.
INLINE Limits limits_against(Frame frame, Lines axes, Sight attacked, __global const uint4 *restrict lines) {
    const ulong king = frame.king;
    const ulong own = frame.own;
    const ulong their = frame.their;
    const ulong orthogonal = frame.rooks_queens & their;
    const ulong diagonal = frame.bishops_queens & their;
    const Sight sight = sight_of(axes, ~frame.empty, king);
    Limits limits = {0};
    limits.pinned_on_file = attacked.file & sight.file & own;
    limits.pinned_on_rank = attacked.rank & sight.rank & own;
    limits.pinned_on_diagonal = attacked.diagonal & sight.diagonal & own;
    limits.pinned_on_antidiagonal = attacked.antidiagonal & sight.antidiagonal & own;
    limits.pinned = limits.pinned_on_file | limits.pinned_on_rank | limits.pinned_on_diagonal
        | limits.pinned_on_antidiagonal;
    limits.danger = attacked.file | attacked.rank | attacked.diagonal | attacked.antidiagonal
        | knight_attacks(frame.knights & their) | pawn_attacks_down(frame.pawns & their)
        | lines_of(lowest_index(frame.their_king) & 63u, lines).king;
    limits.evasion = ALL;
    limits.check = nonempty(limits.danger & king);
    if (limits.check) {
        const ulong leapers = ((axes.knight & frame.knights) | (pawn_attacks_up(king) & frame.pawns)) & their;
        if (nonempty(leapers)) {
            limits.evasion = nonempty(without_lowest(leapers)) ? NONE : leapers;
        }
        const ulong file = attacked.file;
        const ulong rank = attacked.rank;
        meet_check(&limits, king, file, sight.file, orthogonal, north_step(king), south_step(king));
        meet_check(&limits, king, rank, sight.rank, orthogonal, east_step(king), west_step(king));
        meet_check(&limits, king, attacked.diagonal, sight.diagonal, diagonal, north_east_step(king),
            south_west_step(king));
        meet_check(&limits, king, attacked.antidiagonal, sight.antidiagonal, diagonal, north_west_step(king),
            south_east_step(king));
    }
    return limits;
}

// Finds attacks, pins and checks.
INLINE Limits limits_of(Frame frame, Lines axes, __global const uint4 *restrict lines) {
    const ulong orthogonal = frame.rooks_queens & frame.their;
    const ulong diagonal = frame.bishops_queens & frame.their;
    return limits_against(frame, axes, sights_of(orthogonal, diagonal, frame.empty), lines);
}

// Returns the pieces that may move along an axis: the unpinned pieces and the pieces pinned on the axis.
INLINE ulong free_to_move(ulong pieces, Limits limits, ulong pinned_on_axis) {
    return pieces & (~limits.pinned | pinned_on_axis);
}

// Returns the squares of rank 1 from one square to a higher one, both included.
INLINE uint span(uint lower, uint higher) {
    return 2u * higher - lower;
}

// Whether castling with this rook is legal. All squares that the king and the rook pass or land on must be empty except
// for them; these squares leave no gap. No square that the king passes or lands on may be attacked. A rook pinned on
// the rank shields the king from behind; castling would take the rook away.
INLINE bool may_castle(Frame frame, Limits limits, uint rook, uint king_to, uint rook_to) {
    const uint king = low(frame.king);
    const uint way = span(min(min(king, rook), min(king_to, rook_to)), max(max(king, rook), max(king_to, rook_to)));
    const uint king_way = span(min(king, king_to), max(king, king_to));
    const uint obstacles = way & ~(low(frame.empty) | king | rook);
    return rook != 0u && (obstacles | (king_way & low(limits.danger)) | (rook & low(limits.pinned_on_rank))) == 0u;
}

// Whether castling with the rook above the king is legal.
INLINE bool may_castle_up(Frame frame, Limits limits, bool mirrored) {
    const uint rook = frame.castling_rooks & ~(low(frame.king) - 1u);
    return may_castle(frame, limits, rook, mirrored ? F1 : G1, mirrored ? E1 : F1);
}

// Whether castling with the rook below the king is legal.
INLINE bool may_castle_down(Frame frame, Limits limits, bool mirrored) {
    const uint rook = frame.castling_rooks & (low(frame.king) - 1u);
    return may_castle(frame, limits, rook, mirrored ? B1 : C1, mirrored ? C1 : D1);
}

// Whether castling may be legal: the king is not in check, and is beside an empty square or the rook. A cheap test.
INLINE bool may_castle_perhaps(Frame frame, Limits limits) {
    const uint king = low(frame.king);
    const uint beside = ((king << 1u) | (king >> 1u)) & (low(frame.empty) | frame.castling_rooks);
    return frame.castling_rooks != 0u && !limits.check && beside != 0u;
}

// Whether the king is safe once this pawn has captured en passant.
INLINE bool may_capture_en_passant(Frame frame, Lines axes, ulong captor) {
    const ulong victim = south_step(frame.en_passant);
    const ulong occupied = (~frame.empty & ~(captor | victim)) | frame.en_passant;
    const Sight sight = sight_of(axes, occupied, frame.king);
    const ulong attackers = ((sight.file | sight.rank) & frame.rooks_queens)
        | ((sight.diagonal | sight.antidiagonal) & frame.bishops_queens) | (axes.knight & frame.knights)
        | (pawn_attacks_up(frame.king) & frame.pawns);
    return !nonempty(attackers & frame.their & ~victim);
}

// Returns the own pawns that can legally capture en passant.
INLINE Captors en_passant_captors(Frame frame, Lines axes) {
    const ulong own_pawns = frame.pawns & frame.own;
    Captors captors = {south_east_step(frame.en_passant) & own_pawns, south_west_step(frame.en_passant) & own_pawns};
    if (nonempty(captors.from_east) && !may_capture_en_passant(frame, axes, captors.from_east)) {
        captors.from_east = NONE;
    }
    if (nonempty(captors.from_west) && !may_capture_en_passant(frame, axes, captors.from_west)) {
        captors.from_west = NONE;
    }
    return captors;
}
