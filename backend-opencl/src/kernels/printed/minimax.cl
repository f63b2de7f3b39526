// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define NONE 0ul
#define ALL 0xfffffffffffffffful
#define NOT_FILE_A 0xfefefefefefefefeul
#define NOT_FILES_AB 0xfcfcfcfcfcfcfcfcul
#define NOT_FILE_H 0x7f7f7f7f7f7f7f7ful
#define NOT_FILES_GH 0x3f3f3f3f3f3f3f3ful
#define RANK_8 0xff00000000000000ul
#define THIRD_RANK 0xff0000ul
#define PAWN 1u
#define KNIGHT 2u
#define BISHOP 3u
#define ROOK 4u
#define QUEEN 5u
#define KING 6u

// Squares of rank 1.
#define B1 2u
#define C1 4u
#define D1 8u
#define E1 16u
#define F1 32u
#define G1 64u
#define TO 6u
#define CODE 12u
#define KIND 15u
#define EN_PASSANT 1u
#define CASTLING 2u

// A double push after which an en-passant capture is legal.
#define PASSING 3u
#define PHASE 24u
#define TEMPO 9
#define MOST_CENTIPAWNS 30000
#define MATE 32000
#define QUIESCENCE_PLIES 6u

typedef struct {
    ulong bit1;
    ulong bit2;
    ulong bit4;
    // Pieces of the side to move.
    ulong own;
    // The square where an en-passant capture lands, or none.
    ulong en_passant;
} Position;

// The squares of knights, moved by one file or by two towards a or h. A leap also shifts by two ranks after one file,
// and by one rank after two files.
typedef struct {
    ulong west1;
    ulong east1;
    ulong west2;
    ulong east2;
} Leaps;

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

// The room for a position's items: from `at` up to `end`, never beyond.
typedef struct {
    uint at;
    uint end;
    uint parent;
} Writer;

// The squares that sliders reach in each direction.
typedef struct {
    ulong north;
    ulong south;
    ulong east;
    ulong west;
    ulong north_east;
    ulong north_west;
    ulong south_east;
    ulong south_west;
} Rays;

// The sets of squares that the evaluation counts, as `Feature` in kogge-board describes them.
typedef struct {
    ulong pawns;
    ulong knights;
    ulong bishops;
    ulong rooks;
    ulong queens;
    ulong king;
    ulong passed_pawns;
    ulong isolated_pawns;
    ulong doubled_pawns;
    ulong protected_pawns;
    ulong protected_minors;
    ulong bishop_pair;
    ulong rooks_on_half_open_files;
    ulong rooks_on_open_files;
    ulong king_shield;
    ulong knight_mobility;
    ulong diagonal_mobility;
    ulong orthogonal_mobility;
    ulong king_attack;
    ulong pawn_threats;
    ulong threats;
} Features;

// One side's men, on a board where that side moves up.
typedef struct {
    ulong pawns;
    ulong knights;
    ulong bishops;
    ulong rooks;
    ulong queens;
    ulong king;
    ulong all_;
} Men;

typedef struct {
    // The middlegame (x) and the endgame value (y) of a side's features.
    int2 sum;
    // The squares that its men other than the king attack.
    ulong attacks;
} WeightedFeatures;

typedef struct {
    // The value of the position to the side to move, without looking ahead.
    int value;
    // Whether the side to move is in check.
    bool check;
} Evaluated;

// A position on the path from the root to the position that a lane searches.
typedef struct {
    Position position;
    // The moves still to come.
    uint at;
    uint end;
    int best;
    int alpha;
    int beta;
} Node;

// Returns the board of two halves: ranks 1 to 4, and ranks 5 to 8.
INLINE ulong join(uint lower, uint upper) {
    return ((ulong) upper << 32u) | (ulong) lower;
}

// Returns ranks 1 to 4.
INLINE uint low(ulong board) {
    return (uint) board;
}

// Returns ranks 5 to 8.
INLINE uint high(ulong board) {
    return (uint) (board >> 32u);
}

// Returns all squares moved towards h8, by less than 64.
INLINE ulong up(ulong board, uint distance) {
    return board << distance;
}

// Returns all squares moved towards a1, by less than 64.
INLINE ulong down(ulong board, uint distance) {
    return board >> distance;
}

// Returns one square.
INLINE ulong bit(uint square) {
    return 1ul << square;
}

// Whether a square is set.
INLINE bool has(ulong board, uint square) {
    return ((board >> square) & 1ul) != 0ul;
}

// Whether any square is set.
INLINE bool nonempty(ulong board) {
    return board != 0ul;
}

// Returns the difference of two numbers, modulo 2^64.
INLINE ulong minus(ulong a, ulong b) {
    return a - b;
}

// Returns the squares below a square; all squares for the empty board.
INLINE ulong below(ulong square) {
    return square - 1ul;
}

// Returns the lowest square, alone.
INLINE ulong lowest(ulong board) {
    return board & (0ul - board);
}

// Returns all squares but the lowest.
INLINE ulong without_lowest(ulong board) {
    return board & (board - 1ul);
}

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

// Returns the work-group's number. There may be more work-groups than are needed.
INLINE uint group_index(uint3 workgroup, uint3 workgroups) {
    return workgroup.y * workgroups.x + workgroup.x;
}

// Returns the occupied squares.
INLINE ulong occupied_of(Position position) {
    return position.bit1 | position.bit2 | position.bit4;
}

// Returns a position of which these are the quarters in memory. `Planes32` in kogge-board describes the form: the bits 1, 2 and
// 4 of the pieces' codes; the pieces of the side to move and, on an empty square, the square where an en-passant capture lands.
INLINE Position position_in(uint4 first, uint4 second) {
    const ulong bit1 = join(first.x, first.y);
    const ulong bit2 = join(first.z, first.w);
    const ulong bit4 = join(second.x, second.y);
    const ulong own = join(second.z, second.w);
    const ulong occupied = bit1 | bit2 | bit4;
    return (Position){bit1, bit2, bit4, own & occupied, own & ~occupied};
}

// Reads a position.
INLINE Position load_position(uint index, __global const uint4 *restrict positions) {
    return position_in(positions[2u * index], positions[2u * index + 1u]);
}

// Returns the position as the other side sees it, with the other side to move.
INLINE Position flipped(Position position) {
    const ulong their = occupied_of(position) & ~position.own;
    return (Position){flip(position.bit1), flip(position.bit2), flip(position.bit4), flip(their),
        flip(position.en_passant)};
}

// Returns the squares one step away.
INLINE ulong north_step(ulong board) {
    return up(board, 8u) & ALL;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong north_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & ALL;
    const ulong through2 = through1 & up(through1, 8u);
    const ulong through4 = through2 & up(through2, 16u);
    ulong fill = sliders;
    fill |= through1 & up(fill, 8u);
    fill |= through2 & up(fill, 16u);
    return fill | (through4 & up(fill, 32u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_north_attacks(ulong squares, ulong empty) {
    return north_step(north_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong south_step(ulong board) {
    return down(board, 8u) & ALL;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong south_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & ALL;
    const ulong through2 = through1 & down(through1, 8u);
    const ulong through4 = through2 & down(through2, 16u);
    ulong fill = sliders;
    fill |= through1 & down(fill, 8u);
    fill |= through2 & down(fill, 16u);
    return fill | (through4 & down(fill, 32u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_south_attacks(ulong squares, ulong empty) {
    return south_step(south_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong east_step(ulong board) {
    return up(board, 1u) & NOT_FILE_A;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong east_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_A;
    const ulong through2 = through1 & up(through1, 1u);
    const ulong through4 = through2 & up(through2, 2u);
    ulong fill = sliders;
    fill |= through1 & up(fill, 1u);
    fill |= through2 & up(fill, 2u);
    return fill | (through4 & up(fill, 4u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_east_attacks(ulong squares, ulong empty) {
    return east_step(east_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong west_step(ulong board) {
    return down(board, 1u) & NOT_FILE_H;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong west_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_H;
    const ulong through2 = through1 & down(through1, 1u);
    const ulong through4 = through2 & down(through2, 2u);
    ulong fill = sliders;
    fill |= through1 & down(fill, 1u);
    fill |= through2 & down(fill, 2u);
    return fill | (through4 & down(fill, 4u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_west_attacks(ulong squares, ulong empty) {
    return west_step(west_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong north_east_step(ulong board) {
    return up(board, 9u) & NOT_FILE_A;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong north_east_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_A;
    const ulong through2 = through1 & up(through1, 9u);
    const ulong through4 = through2 & up(through2, 18u);
    ulong fill = sliders;
    fill |= through1 & up(fill, 9u);
    fill |= through2 & up(fill, 18u);
    return fill | (through4 & up(fill, 36u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_north_east_attacks(ulong squares, ulong empty) {
    return north_east_step(north_east_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong north_west_step(ulong board) {
    return up(board, 7u) & NOT_FILE_H;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong north_west_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_H;
    const ulong through2 = through1 & up(through1, 7u);
    const ulong through4 = through2 & up(through2, 14u);
    ulong fill = sliders;
    fill |= through1 & up(fill, 7u);
    fill |= through2 & up(fill, 14u);
    return fill | (through4 & up(fill, 28u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_north_west_attacks(ulong squares, ulong empty) {
    return north_west_step(north_west_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong south_east_step(ulong board) {
    return down(board, 7u) & NOT_FILE_A;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong south_east_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_A;
    const ulong through2 = through1 & down(through1, 7u);
    const ulong through4 = through2 & down(through2, 14u);
    ulong fill = sliders;
    fill |= through1 & down(fill, 7u);
    fill |= through2 & down(fill, 14u);
    return fill | (through4 & down(fill, 28u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_south_east_attacks(ulong squares, ulong empty) {
    return south_east_step(south_east_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong south_west_step(ulong board) {
    return down(board, 9u) & NOT_FILE_H;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong south_west_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_H;
    const ulong through2 = through1 & down(through1, 9u);
    const ulong through4 = through2 & down(through2, 18u);
    ulong fill = sliders;
    fill |= through1 & down(fill, 9u);
    fill |= through2 & down(fill, 18u);
    return fill | (through4 & down(fill, 36u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_south_west_attacks(ulong squares, ulong empty) {
    return south_west_step(south_west_fill(squares, empty));
}

// Returns the squares that sliders attack.
INLINE ulong north_attacks(ulong sliders, ulong empty) {
    return any_north_attacks(sliders, empty);
}

// Returns the squares that sliders attack.
INLINE ulong south_attacks(ulong sliders, ulong empty) {
    return any_south_attacks(sliders, empty);
}

// Returns the squares that sliders attack.
INLINE ulong north_east_attacks(ulong sliders, ulong empty) {
    return any_north_east_attacks(sliders, empty);
}

// Returns the squares that sliders attack.
INLINE ulong north_west_attacks(ulong sliders, ulong empty) {
    return any_north_west_attacks(sliders, empty);
}

// Returns the squares that sliders attack.
INLINE ulong south_east_attacks(ulong sliders, ulong empty) {
    return any_south_east_attacks(sliders, empty);
}

// Returns the squares that sliders attack.
INLINE ulong south_west_attacks(ulong sliders, ulong empty) {
    return any_south_west_attacks(sliders, empty);
}

// Returns the squares that sliders attack towards file h, by arithmetic: an addition replaces a fill. From the square beside each
// slider a carry runs over empty squares, clears them, and sets the first occupied one. Squares on file h count as occupied, so that
// no carry leaves its rank, and the halves of a board can be added separately. Two carries must not run over the same squares, so this
// takes only sliders: each blocks the slider behind it.
INLINE ulong carried_attacks(ulong sliders, ulong empty) {
    const ulong through = empty & NOT_FILE_H;
    return through ^ (through + east_step(sliders));
}

// Returns the squares that sliders attack towards file h.
INLINE ulong east_attacks(ulong sliders, ulong empty) {
    if (FAST_REVERSE) {
        return carried_attacks(sliders, empty);
    }
    return any_east_attacks(sliders, empty);
}

// Returns the squares that sliders attack towards file a.
INLINE ulong west_attacks(ulong sliders, ulong empty) {
    if (FAST_REVERSE) {
        return reverse(carried_attacks(reverse(sliders), reverse(empty)));
    }
    return any_west_attacks(sliders, empty);
}

// Returns the squares of knights, moved by files.
INLINE Leaps leaps_of(ulong knights) {
    return (Leaps){down(knights, 1u) & NOT_FILE_H, up(knights, 1u) & NOT_FILE_A, down(knights, 2u) & NOT_FILES_GH,
        up(knights, 2u) & NOT_FILES_AB};
}

// Returns the squares that knights attack.
INLINE ulong knight_attacks(ulong knights) {
    const Leaps leaps = leaps_of(knights);
    const ulong near = leaps.west1 | leaps.east1;
    const ulong far = leaps.west2 | leaps.east2;
    return up(near, 16u) | down(near, 16u) | up(far, 8u) | down(far, 8u);
}

// Returns the neighbours of kings, and their own squares.
INLINE ulong king_attacks(ulong kings) {
    const ulong row = kings | east_step(kings) | west_step(kings);
    return row | up(row, 8u) | down(row, 8u);
}

// Returns the squares attacked by pawns that move up.
INLINE ulong pawn_attacks_up(ulong pawns) {
    return north_east_step(pawns) | north_west_step(pawns);
}

// Returns the squares attacked by pawns that move down.
INLINE ulong pawn_attacks_down(ulong pawns) {
    return south_east_step(pawns) | south_west_step(pawns);
}

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

// Reads the lines of a square.
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

// Returns the number of moves of bishops, rooks and queens.
INLINE uint count_sliders(Frame frame, Limits limits, ulong targets) {
    const ulong empty = frame.empty;
    const ulong orthogonal = frame.rooks_queens & frame.own;
    const ulong diagonal = frame.bishops_queens & frame.own;
    const ulong on_file = free_to_move(orthogonal, limits, limits.pinned_on_file);
    const ulong on_rank = free_to_move(orthogonal, limits, limits.pinned_on_rank);
    const ulong on_diagonal = free_to_move(diagonal, limits, limits.pinned_on_diagonal);
    const ulong on_antidiagonal = free_to_move(diagonal, limits, limits.pinned_on_antidiagonal);
    return count_ones(north_fill(on_file, empty) & down(targets, 8u))
        + count_ones(south_fill(on_file, empty) & up(targets, 8u)) + count_ones(east_attacks(on_rank, empty) & targets)
        + count_ones(west_attacks(on_rank, empty) & targets)
        + count_ones(north_east_attacks(on_diagonal, empty) & targets)
        + count_ones(south_west_attacks(on_diagonal, empty) & targets)
        + count_ones(north_west_attacks(on_antidiagonal, empty) & targets)
        + count_ones(south_east_attacks(on_antidiagonal, empty) & targets);
}

// Returns the number of moves of knights.
INLINE uint count_knights(Frame frame, Limits limits, ulong targets) {
    const Leaps leaps = leaps_of(frame.knights & frame.own & ~limits.pinned);
    const ulong up2 = down(targets, 16u);
    const ulong down2 = up(targets, 16u);
    const ulong up1 = down(targets, 8u);
    const ulong down1 = up(targets, 8u);
    return count_ones(leaps.east1 & up2) + count_ones(leaps.west1 & up2) + count_ones(leaps.east2 & up1)
        + count_ones(leaps.west2 & up1) + count_ones(leaps.east2 & down1) + count_ones(leaps.west2 & down1)
        + count_ones(leaps.east1 & down2) + count_ones(leaps.west1 & down2);
}

// Returns the number of moves of pawns, without en-passant captures.
INLINE uint count_pawns(Frame frame, Limits limits) {
    const ulong pawns = frame.pawns & frame.own;
    const ulong steps = north_step(free_to_move(pawns, limits, limits.pinned_on_file)) & frame.empty;
    const ulong twice = north_step(steps & THIRD_RANK) & frame.empty & limits.evasion;
    const ulong single = steps & limits.evasion;
    const ulong victims = frame.their & limits.evasion;
    const ulong east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & victims;
    const ulong west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & victims;
    uint moves = count_ones(single) + count_ones(twice) + count_ones(east) + count_ones(west);
    if (nonempty((single | east | west) & RANK_8)) {
        moves += 3u * (count_ones(single & RANK_8) + count_ones(east & RANK_8) + count_ones(west & RANK_8));
    }
    return moves;
}

// Returns the number of legal moves. `mirrored` tells whether the board's files are mirrored.
INLINE uint count_moves_of(Position position, bool mirrored, __global const uint4 *restrict lines) {
    const Frame frame = frame_of(position);
    const Lines axes = lines_of(frame.king_square, lines);
    const Limits limits = limits_of(frame, axes, lines);
    const ulong targets = ~frame.own & limits.evasion;
    uint moves = count_ones(axes.king & ~frame.own & ~limits.danger) + count_sliders(frame, limits, targets)
        + count_knights(frame, limits, targets) + count_pawns(frame, limits);
    if (nonempty(frame.en_passant)) {
        const Captors captors = en_passant_captors(frame, axes);
        moves += (nonempty(captors.from_east) ? 1u : 0u) + (nonempty(captors.from_west) ? 1u : 0u);
    }
    if (may_castle_perhaps(frame, limits)) {
        moves += may_castle_up(frame, limits, mirrored) ? 1u : 0u;
        moves += may_castle_down(frame, limits, mirrored) ? 1u : 0u;
    }
    return moves;
}

// Packs a move.
INLINE uint pack_move(uint origin, uint to, uint code, uint kind) {
    return origin | (to << TO) | (code << CODE) | (kind << KIND);
}

// Returns the square that a move leaves.
INLINE uint from_of(uint packed_move) {
    return packed_move & 63u;
}

// Returns the square where a move ends.
INLINE uint to_of(uint packed_move) {
    return (packed_move >> TO) & 63u;
}

// Returns the code of the piece on the to-square after the move.
INLINE uint code_of(uint packed_move) {
    return (packed_move >> CODE) & 7u;
}

// Returns the kind of a move.
INLINE uint kind_of(uint packed_move) {
    return (packed_move >> KIND) & 3u;
}

// Returns the position after castling, as its mover sees it.
INLINE Position castled(Position parent, uint to) {
    const ulong king = parent.own & ~parent.bit1 & parent.bit2 & parent.bit4;
    const ulong rooks = parent.own & parent.bit1 & parent.bit2 & parent.bit4;
    const bool kingside = to == 6u;
    const ulong rook = rooks & (kingside ? ~below(king) : below(king));
    const ulong king_to = join(kingside ? G1 : C1, 0u);
    const ulong rook_to = join(kingside ? F1 : D1, 0u);
    const ulong cleared = ~(king | rook);
    return (Position){parent.bit1 & cleared, (parent.bit2 & cleared) | king_to,
        (parent.bit4 & cleared) | king_to | rook_to, (parent.own & cleared) | king_to | rook_to, NONE};
}

// Returns the position after a move, as its mover sees it. After a king's move, the mover's castling rooks are still
// marked.
INLINE Position patched(Position parent, uint packed_move) {
    const ulong to = bit(to_of(packed_move));
    const ulong kept = ~(bit(from_of(packed_move)) | to);
    const uint code = code_of(packed_move);
    Position child = {(parent.bit1 & kept) | ((code & 1u) != 0u ? to : NONE),
        (parent.bit2 & kept) | ((code & 2u) != 0u ? to : NONE), (parent.bit4 & kept) | ((code & 4u) != 0u ? to : NONE),
        (parent.own & kept) | to, NONE};
    const uint kind = kind_of(packed_move);
    if (kind != 0u) {
        if (kind == EN_PASSANT) {
            const ulong victim = south_step(to);
            child.bit1 &= ~victim;
            child.bit2 &= ~victim;
            child.bit4 &= ~victim;
        } else if (kind == CASTLING) {
            child = castled(parent, to_of(packed_move));
        } else {
            child.en_passant = south_step(to);
        }
    }
    return child;
}

// Returns the position after a move, as the other side sees it.
INLINE Position made(Position parent, uint packed_move) {
    Position child = patched(parent, packed_move);
    if (code_of(packed_move) == KING) {
        const ulong marked = child.bit1 & child.bit2 & child.bit4 & child.own;
        child.bit1 &= ~marked;
        child.bit2 &= ~marked;
    }
    return flipped(child);
}

// Writes a move, if there is room.
INLINE void emit(Writer *out, uint origin, uint to, uint code, uint kind, __global uint2 *restrict new_items) {
    if (out->at < out->end) {
        new_items[out->at] = (uint2)(pack_move(origin, to, code, kind), out->parent);
        out->at += 1u;
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void north_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = south_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Returns the square from which a move of a distance reaches a square.
INLINE uint origin_at(uint to, int distance) {
    return (uint) ((int) to - distance);
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void north_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = north_step(sliders) & frame.empty;
    int way = 8;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = north_step(front) & frame.empty;
        way += 8;
    }
}

// Writes the king's step, if its square is among these.
INLINE void north_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(north_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, -8), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void south_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = north_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void south_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = south_step(sliders) & frame.empty;
    int way = -8;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = south_step(front) & frame.empty;
        way += -8;
    }
}

// Writes the king's step, if its square is among these.
INLINE void south_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(south_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, 8), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void east_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = west_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void east_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = east_step(sliders) & frame.empty;
    int way = 1;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = east_step(front) & frame.empty;
        way += 1;
    }
}

// Writes the king's step, if its square is among these.
INLINE void east_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(east_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, -1), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void west_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = east_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void west_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = west_step(sliders) & frame.empty;
    int way = -1;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = west_step(front) & frame.empty;
        way += -1;
    }
}

// Writes the king's step, if its square is among these.
INLINE void west_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(west_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, 1), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void north_east_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = south_west_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void north_east_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = north_east_step(sliders) & frame.empty;
    int way = 9;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = north_east_step(front) & frame.empty;
        way += 9;
    }
}

// Writes the king's step, if its square is among these.
INLINE void north_east_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(north_east_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, -9), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void north_west_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = south_east_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void north_west_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = north_west_step(sliders) & frame.empty;
    int way = 7;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = north_west_step(front) & frame.empty;
        way += 7;
    }
}

// Writes the king's step, if its square is among these.
INLINE void north_west_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(north_west_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, -7), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void south_east_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = north_west_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void south_east_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = south_east_step(sliders) & frame.empty;
    int way = -7;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = south_east_step(front) & frame.empty;
        way += -7;
    }
}

// Writes the king's step, if its square is among these.
INLINE void south_east_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(south_east_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, 7), KING, 0u, new_items);
    }
}

// Writes captures of sliders. One slider reaches a square in each direction. Seen from the square, it is the first
// piece in the opposite direction.
INLINE void south_west_captures(
    Writer *out,
    Frame frame,
    ulong captured,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    ulong left = captured;
    while (nonempty(left)) {
        const ulong captor = north_east_attacks(lowest(left), frame.empty) & pieces;
        if (nonempty(captor)) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance tells
// where each slider came from. A bishop or rook may be a queen.
INLINE void south_west_slides(
    Writer *out,
    Frame frame,
    ulong sliders,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items
) {
    const ulong queens = frame.bishops_queens & frame.rooks_queens;
    ulong front = south_west_step(sliders) & frame.empty;
    int way = -9;
    while (nonempty(front)) {
        ulong left = front & targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            const uint origin = origin_at(to, way);
            emit(out, origin, to, has(queens, origin) ? QUEEN : code, 0u, new_items);
            left = without_lowest(left);
        }
        front = south_west_step(front) & frame.empty;
        way += -9;
    }
}

// Writes the king's step, if its square is among these.
INLINE void south_west_king_step(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(south_west_step(frame.king) & targets)) {
        emit(out, frame.king_square, origin_at(frame.king_square, 9), KING, 0u, new_items);
    }
}

// Writes the four promotions of a pawn.
INLINE void emit_promotions(Writer *out, uint origin, uint to, __global uint2 *restrict new_items) {
    for (uint code = QUEEN; code >= KNIGHT; code -= 1u) {
        emit(out, origin, to, code, 0u, new_items);
    }
}

// Writes moves over the same distance, lowest square first.
INLINE void emit_moves(Writer *out, ulong reached, int distance, uint code, __global uint2 *restrict new_items) {
    ulong left = reached;
    while (nonempty(left)) {
        const uint to = lowest_index(left);
        emit(out, origin_at(to, distance), to, code, 0u, new_items);
        left = without_lowest(left);
    }
}

// Writes captures of pawns over the same distance, with promotions.
INLINE void pawn_captures(Writer *out, ulong reached, int distance, __global uint2 *restrict new_items) {
    ulong left = reached;
    while (nonempty(left)) {
        const uint to = lowest_index(left);
        if (to < 56u) {
            emit(out, origin_at(to, distance), to, PAWN, 0u, new_items);
        } else {
            emit_promotions(out, origin_at(to, distance), to, new_items);
        }
        left = without_lowest(left);
    }
}

// Writes the leaps of knights to some squares, direction by direction.
INLINE void knight_moves(Writer *out, Leaps leaps, ulong targets, __global uint2 *restrict new_items) {
    emit_moves(out, up(leaps.east1, 16u) & targets, 17, KNIGHT, new_items);
    emit_moves(out, up(leaps.west1, 16u) & targets, 15, KNIGHT, new_items);
    emit_moves(out, up(leaps.east2, 8u) & targets, 10, KNIGHT, new_items);
    emit_moves(out, up(leaps.west2, 8u) & targets, 6, KNIGHT, new_items);
    emit_moves(out, down(leaps.east2, 8u) & targets, -6, KNIGHT, new_items);
    emit_moves(out, down(leaps.west2, 8u) & targets, -10, KNIGHT, new_items);
    emit_moves(out, down(leaps.east1, 16u) & targets, -15, KNIGHT, new_items);
    emit_moves(out, down(leaps.west1, 16u) & targets, -17, KNIGHT, new_items);
}

// Returns the squares that sliders reach, given the sliders that move along each axis. If there are none, a branch
// skips their directions, which frees registers.
INLINE Rays attack_rays(ulong on_file, ulong on_rank, ulong on_diagonal, ulong on_antidiagonal, ulong empty) {
    Rays rays = {0};
    if (nonempty(on_file | on_rank)) {
        rays.north = north_attacks(on_file, empty);
        rays.south = south_attacks(on_file, empty);
        rays.east = east_attacks(on_rank, empty);
        rays.west = west_attacks(on_rank, empty);
    }
    if (nonempty(on_diagonal | on_antidiagonal)) {
        rays.north_east = north_east_attacks(on_diagonal, empty);
        rays.north_west = north_west_attacks(on_antidiagonal, empty);
        rays.south_east = south_east_attacks(on_antidiagonal, empty);
        rays.south_west = south_west_attacks(on_diagonal, empty);
    }
    return rays;
}

// Returns the squares that the sliders of the side to move reach.
INLINE Rays rays_of(Frame frame, Limits limits) {
    const ulong orthogonal = frame.rooks_queens & frame.own;
    const ulong diagonal = frame.bishops_queens & frame.own;
    return attack_rays(free_to_move(orthogonal, limits, limits.pinned_on_file),
        free_to_move(orthogonal, limits, limits.pinned_on_rank),
        free_to_move(diagonal, limits, limits.pinned_on_diagonal),
        free_to_move(diagonal, limits, limits.pinned_on_antidiagonal), frame.empty);
}

// Writes captures along files and ranks.
INLINE void orthogonal_captures(
    Writer *out,
    Frame frame,
    Rays rays,
    ulong victims,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    north_captures(out, frame, rays.north & victims, pieces, code, new_items);
    south_captures(out, frame, rays.south & victims, pieces, code, new_items);
    east_captures(out, frame, rays.east & victims, pieces, code, new_items);
    west_captures(out, frame, rays.west & victims, pieces, code, new_items);
}

// Writes captures along diagonals.
INLINE void diagonal_captures(
    Writer *out,
    Frame frame,
    Rays rays,
    ulong victims,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    north_east_captures(out, frame, rays.north_east & victims, pieces, code, new_items);
    north_west_captures(out, frame, rays.north_west & victims, pieces, code, new_items);
    south_east_captures(out, frame, rays.south_east & victims, pieces, code, new_items);
    south_west_captures(out, frame, rays.south_west & victims, pieces, code, new_items);
}

// Writes the king's steps to these squares, in the order of directions.
INLINE void king_steps(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(targets)) {
        north_king_step(out, frame, targets, new_items);
        south_king_step(out, frame, targets, new_items);
        east_king_step(out, frame, targets, new_items);
        west_king_step(out, frame, targets, new_items);
        north_east_king_step(out, frame, targets, new_items);
        north_west_king_step(out, frame, targets, new_items);
        south_east_king_step(out, frame, targets, new_items);
        south_west_king_step(out, frame, targets, new_items);
    }
}

// Writes the captures: victims from queen to pawn, and for each victim the attackers from pawn to king.
INLINE void captures(Writer *out, Frame frame, Lines axes, Limits limits, __global uint2 *restrict new_items) {
    const ulong own = frame.own;
    const ulong their = frame.their;
    const ulong targets = their & limits.evasion;
    const ulong pawns = frame.pawns & own;
    const ulong north_west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & targets;
    const ulong north_east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & targets;
    const ulong knights = frame.knights & own & ~limits.pinned;
    const Leaps leaps = leaps_of(knights);
    const Rays rays = rays_of(frame, limits);
    const ulong by_king = axes.king & their & ~limits.danger;
    const ulong by_sliders = rays.north | rays.south | rays.east | rays.west | rays.north_east | rays.north_west
        | rays.south_east | rays.south_west;
    const ulong captured = ((knight_attacks(knights) | by_sliders) & targets) | north_west | north_east | by_king;
    const ulong bishops = kind_of_piece(frame, BISHOP) & own;
    const ulong rooks = kind_of_piece(frame, ROOK) & own;
    const ulong queens = kind_of_piece(frame, QUEEN) & own;
    for (uint victim = QUEEN; victim >= PAWN; victim -= 1u) {
        const ulong all_ = kind_of_piece(frame, victim) & captured & their;
        const ulong victims = all_ & targets;
        if (nonempty(all_)) {
            pawn_captures(out, north_west & victims, 7, new_items);
            pawn_captures(out, north_east & victims, 9, new_items);
        }
        if (victim == PAWN && nonempty(frame.en_passant)) {
            const Captors captors = en_passant_captors(frame, axes);
            const uint to = lowest_index(frame.en_passant);
            if (nonempty(captors.from_east)) {
                emit(out, origin_at(to, 7), to, PAWN, EN_PASSANT, new_items);
            }
            if (nonempty(captors.from_west)) {
                emit(out, origin_at(to, 9), to, PAWN, EN_PASSANT, new_items);
            }
        }
        if (nonempty(all_)) {
            knight_moves(out, leaps, victims, new_items);
            if (nonempty(bishops)) {
                diagonal_captures(out, frame, rays, victims, bishops, BISHOP, new_items);
            }
            if (nonempty(rooks)) {
                orthogonal_captures(out, frame, rays, victims, rooks, ROOK, new_items);
            }
            if (nonempty(queens)) {
                orthogonal_captures(out, frame, rays, victims, queens, QUEEN, new_items);
                diagonal_captures(out, frame, rays, victims, queens, QUEEN, new_items);
            }
            king_steps(out, frame, by_king & all_, new_items);
        }
    }
}

// Whether the other side can legally capture en passant after this double push.
INLINE bool allows_en_passant(Position position, uint packed_move, __global const uint4 *restrict lines) {
    const Frame pushed = frame_of(flipped(patched(position, packed_move)));
    const Captors captors = en_passant_captors(pushed, lines_of(pushed.king_square, lines));
    return nonempty(captors.from_east | captors.from_west);
}

// Writes the promotions that capture nothing.
INLINE void push_promotions(Writer *out, Frame frame, Limits limits, __global uint2 *restrict new_items) {
    const ulong pushed = north_step(free_to_move(frame.pawns & frame.own, limits, limits.pinned_on_file)) & frame.empty;
    ulong left = pushed & limits.evasion & RANK_8;
    while (nonempty(left)) {
        const uint to = lowest_index(left);
        emit_promotions(out, to - 8u, to, new_items);
        left = without_lowest(left);
    }
}

// Writes pawn pushes: promotions, single pushes, double pushes.
INLINE void pawn_pushes(
    Writer *out,
    Position position,
    Frame frame,
    Limits limits,
    ulong targets,
    __global uint2 *restrict new_items,
    __global const uint4 *restrict lines
) {
    const ulong pushed = north_step(free_to_move(frame.pawns & frame.own, limits, limits.pinned_on_file)) & frame.empty;
    const ulong twice = north_step(pushed & THIRD_RANK) & targets;
    push_promotions(out, frame, limits, new_items);
    emit_moves(out, pushed & targets & 0xfffffffffffffful, 8, PAWN, new_items);
    const ulong watchers = frame.pawns & frame.their;
    const ulong watched = east_step(watchers) | west_step(watchers);
    ulong left = twice;
    while (nonempty(left)) {
        const uint to = lowest_index(left);
        uint kind = 0u;
        if (has(watched, to) && allows_en_passant(position, pack_move(to - 16u, to, PAWN, PASSING), lines)) {
            kind = PASSING;
        }
        emit(out, to - 16u, to, PAWN, kind, new_items);
        left = without_lowest(left);
    }
}

// Writes the quiet moves: promotions, pawn pushes, knights, sliders, king, castling.
INLINE void quiets(
    Writer *out,
    Position position,
    Frame frame,
    Lines axes,
    Limits limits,
    __global uint2 *restrict new_items,
    __global const uint4 *restrict lines
) {
    const ulong own = frame.own;
    const ulong targets = frame.empty & limits.evasion;
    pawn_pushes(out, position, frame, limits, targets, new_items, lines);
    knight_moves(out, leaps_of(frame.knights & own & ~limits.pinned), targets, new_items);
    const ulong diagonal = frame.bishops_queens & own;
    const ulong on_diagonal = free_to_move(diagonal, limits, limits.pinned_on_diagonal);
    const ulong on_antidiagonal = free_to_move(diagonal, limits, limits.pinned_on_antidiagonal);
    north_east_slides(out, frame, on_diagonal, targets, BISHOP, new_items);
    north_west_slides(out, frame, on_antidiagonal, targets, BISHOP, new_items);
    south_east_slides(out, frame, on_antidiagonal, targets, BISHOP, new_items);
    south_west_slides(out, frame, on_diagonal, targets, BISHOP, new_items);
    const ulong orthogonal = frame.rooks_queens & own;
    const ulong on_file = free_to_move(orthogonal, limits, limits.pinned_on_file);
    const ulong on_rank = free_to_move(orthogonal, limits, limits.pinned_on_rank);
    north_slides(out, frame, on_file, targets, ROOK, new_items);
    south_slides(out, frame, on_file, targets, ROOK, new_items);
    east_slides(out, frame, on_rank, targets, ROOK, new_items);
    west_slides(out, frame, on_rank, targets, ROOK, new_items);
    king_steps(out, frame, axes.king & frame.empty & ~limits.danger, new_items);
    if (may_castle_perhaps(frame, limits)) {
        if (may_castle_up(frame, limits, false)) {
            emit(out, frame.king_square, 6u, KING, CASTLING, new_items);
        }
        if (may_castle_down(frame, limits, false)) {
            emit(out, frame.king_square, 2u, KING, CASTLING, new_items);
        }
    }
}

// Returns the sum of the middlegame (x) and the endgame weights (y) of a side's features.
INLINE int2 weighted_sum(Features features) {
    int2 sum = (int2)(0);
    sum += (int2)(95, 111) * (int) count_ones(features.pawns & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(6, -6) * (int) count_ones(features.pawns & join(0xff000000u, 0u));
    sum += (int2)(6, -1) * (int) count_ones(features.pawns & join(0u, 255u));
    sum += (int2)(0, 21) * (int) count_ones(features.pawns & join(0u, 0xff00u));
    sum += (int2)(34, 46) * (int) count_ones(features.pawns & join(0u, 0xff0000u));
    sum += (int2)(16, 1) * (int) count_ones(features.pawns & join(0x18000000u, 24u));
    sum += (int2)(-4, 8) * (int) count_ones(features.pawns & join(0x81818181u, 0x81818181u));
    sum += (int2)(333, 292) * (int) count_ones(features.knights & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(1, 19) * (int) count_ones(features.knights & join(0x3c3c0000u, 0x3c3cu));
    sum += (int2)(-32, -8) * (int) count_ones(features.knights & join(0x818181ffu, 0xff818181u));
    sum += (int2)(14, 7) * (int) count_ones(features.knights & join(0u, 0xffffu));
    sum += (int2)(343, 330) * (int) count_ones(features.bishops & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(0, 6) * (int) count_ones(features.bishops & join(0x3c3c0000u, 0x3c3cu));
    sum += (int2)(-24, -14) * (int) count_ones(features.bishops & join(255u, 0u));
    sum += (int2)(421, 565) * (int) count_ones(features.rooks & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(39, -4) * (int) count_ones(features.rooks & join(0u, 0xff0000u));
    sum += (int2)(15, 6) * (int) count_ones(features.rooks & join(60u, 0u));
    sum += (int2)(1038, 990) * (int) count_ones(features.queens & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(-13, 25) * (int) count_ones(features.queens & join(0x3c3c0000u, 0x3c3cu));
    sum += (int2)(-1, -28) * (int) count_ones(features.queens & join(255u, 0u));
    sum += (int2)(37, -18) * (int) count_ones(features.king & join(199u, 0u));
    sum += (int2)(-36, 32) * (int) count_ones(features.king & join(0xffff0000u, 0xffffffffu));
    sum += (int2)(-33, 8) * (int) count_ones(features.king & join(0x3c3c0000u, 0x3c3cu));
    sum += (int2)(-8, -20) * (int) count_ones(features.king & join(0x818181ffu, 0xff818181u));
    sum += (int2)(8, 15) * (int) count_ones(features.passed_pawns & join(0xff00u, 0u));
    sum += (int2)(-29, 22) * (int) count_ones(features.passed_pawns & join(0xff0000u, 0u));
    sum += (int2)(0, 46) * (int) count_ones(features.passed_pawns & join(0xff000000u, 0u));
    sum += (int2)(1, 71) * (int) count_ones(features.passed_pawns & join(0u, 255u));
    sum += (int2)(52, 96) * (int) count_ones(features.passed_pawns & join(0u, 0xff00u));
    sum += (int2)(74, 136) * (int) count_ones(features.passed_pawns & join(0u, 0xff0000u));
    sum += (int2)(-6, 1) * (int) count_ones(features.isolated_pawns & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(-16, -18) * (int) count_ones(features.isolated_pawns & join(0x18181818u, 0x18181818u));
    sum += (int2)(-20, -26) * (int) count_ones(features.doubled_pawns & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(6, 0) * (int) count_ones(features.protected_pawns & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(3, 16) * (int) count_ones(features.protected_pawns & join(0u, 0xffffu));
    sum += (int2)(2, -4) * (int) count_ones(features.protected_minors & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(13, 18) * (int) count_ones(features.protected_minors & join(0xff000000u, 0xffffu));
    sum += (int2)(32, 55) * (int) count_ones(features.bishop_pair & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(26, 6) * (int) count_ones(features.rooks_on_half_open_files & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(18, 2) * (int) count_ones(features.rooks_on_open_files & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(15, 1) * (int) count_ones(features.king_shield & join(0xff00u, 0u));
    sum += (int2)(13, -5) * (int) count_ones(features.king_shield & join(0xff0000u, 0u));
    sum += (int2)(4, 5) * (int) count_ones(features.knight_mobility & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(4, 4) * (int) count_ones(features.knight_mobility & join(0x3c3c0000u, 0x3c3cu));
    sum += (int2)(5, -1) * (int) count_ones(features.diagonal_mobility & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(2, 5) * (int) count_ones(features.diagonal_mobility & join(0xffff0000u, 0xffffffffu));
    sum += (int2)(4, 0) * (int) count_ones(features.orthogonal_mobility & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(1, 4) * (int) count_ones(features.orthogonal_mobility & join(0xffff0000u, 0xffffffffu));
    sum += (int2)(9, -4) * (int) count_ones(features.king_attack & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(51, 34) * (int) count_ones(features.pawn_threats & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(1, 31) * (int) count_ones(features.threats & join(0xffffffffu, 0xffffffffu));
    return sum;
}

// Returns the men on these squares.
INLINE Men men_of(Position position, ulong squares) {
    const ulong bit1 = position.bit1 & squares;
    const ulong bit2 = position.bit2 & squares;
    const ulong bit4 = position.bit4 & squares;
    return (Men){bit1 & ~bit2 & ~bit4, ~bit1 & bit2 & ~bit4, bit1 & bit2 & ~bit4, bit4 & ~(bit1 ^ bit2),
        bit1 & ~bit2 & bit4, ~bit1 & bit2 & bit4, squares};
}

// Returns the men on the board upside down.
INLINE Men flipped_men(Men men) {
    return (Men){flip(men.pawns), flip(men.knights), flip(men.bishops), flip(men.rooks), flip(men.queens),
        flip(men.king), flip(men.all_)};
}

// Returns all squares from these to the upper ends of their files.
INLINE ulong up_files(ulong board) {
    const ulong two = board | up(board, 8u);
    const ulong four = two | up(two, 16u);
    return four | up(four, 32u);
}

// Returns all squares from these to the lower ends of their files.
INLINE ulong down_files(ulong board) {
    const ulong two = board | down(board, 8u);
    const ulong four = two | down(two, 16u);
    return four | down(four, 32u);
}

// Returns the neighbours on the same rank.
INLINE ulong beside(ulong board) {
    return east_step(board) | west_step(board);
}

// Returns the weighted sums of a side's features.
INLINE WeightedFeatures weighted_features(Men own, Men their) {
    const ulong empty = ~(own.all_ | their.all_);
    const ulong files = up_files(down_files(own.pawns));
    const ulong stoppers = down(down_files(their.pawns), 8u);
    const ulong guarded = pawn_attacks_up(own.pawns);
    const ulong half_open = own.rooks & ~files;
    const ulong before_king = up(own.king, 8u) | up(own.king, 16u);
    const ulong hostile = pawn_attacks_down(their.pawns);
    const ulong allowed = ~(own.all_ | hostile);
    const ulong diagonal = own.bishops | own.queens;
    const ulong orthogonal = own.rooks | own.queens;
    const ulong by_knights = knight_attacks(own.knights);
    const ulong by_diagonal = north_east_attacks(diagonal, empty) | north_west_attacks(diagonal, empty)
        | south_east_attacks(diagonal, empty) | south_west_attacks(diagonal, empty);
    const ulong by_orthogonal = north_attacks(orthogonal, empty) | south_attacks(orthogonal, empty)
        | east_attacks(orthogonal, empty) | west_attacks(orthogonal, empty);
    const ulong attacked = by_knights | by_diagonal | by_orthogonal;
    const Features features = {own.pawns, own.knights, own.bishops, own.rooks, own.queens, own.king,
        own.pawns & ~(stoppers | beside(stoppers)), own.pawns & ~beside(files), own.pawns & up(up_files(own.pawns), 8u),
        own.pawns & guarded, (own.knights | own.bishops) & guarded, without_lowest(own.bishops), half_open,
        half_open & ~up_files(down_files(their.pawns)), own.pawns & (before_king | beside(before_king)),
        by_knights & allowed, by_diagonal & allowed, by_orthogonal & allowed,
        attacked & king_attacks(their.king) & ~their.king, guarded & their.all_ & ~their.pawns & ~their.king,
        attacked & their.all_ & ~their.king & ~hostile};
    return (WeightedFeatures){weighted_sum(features), attacked | guarded};
}

// Evaluates a position.
INLINE Evaluated evaluated(Position position) {
    const Men own = men_of(position, position.own);
    const Men their = men_of(position, occupied_of(position) & ~position.own);
    Men us = own;
    Men them = their;
    int2 sum = (int2)(0);
    ulong attacks = NONE;
    for (uint side = 0u; side < 2u; side += 1u) {
        const WeightedFeatures features = weighted_features(us, them);
        sum = features.sum - sum;
        attacks = features.attacks;
        us = flipped_men(their);
        them = flipped_men(own);
    }
    const uint minors = count_ones(own.knights | own.bishops | their.knights | their.bishops);
    const uint majors = 2u * count_ones(own.rooks | their.rooks) + 4u * count_ones(own.queens | their.queens);
    const int phase = (int) min(minors + majors, PHASE);
    const int score = -(sum.x * phase + sum.y * (24 - phase)) / 24;
    const bool drawn = minors <= 1u && majors == 0u && !nonempty(own.pawns | their.pawns);
    const int value = clamp(score + TEMPO, -30000, MOST_CENTIPAWNS);
    return (Evaluated){drawn ? 0 : value, nonempty(attacks & them.king)};
}

// Returns a value one ply earlier, from the other side's view: mates are a ply further away.
INLINE int value_one_ply_up(int value) {
    if (value > 31000) {
        return 1 - value;
    }
    if (value < -31000) {
        return -1 - value;
    }
    return -value;
}

// Whether a side that is not in check has a legal move of a pawn or knight that is on no line with the king and so
// cannot be pinned. A fast test that misses other moves.
INLINE bool moves_certainly(Position position, __global const uint4 *restrict lines) {
    const Men own = men_of(position, position.own);
    const Lines axes = lines_of(lowest_index(own.king) & 63u, lines);
    const ulong free = ~(axes.file | axes.rank | axes.diagonal | axes.antidiagonal);
    return nonempty((north_step(own.pawns & free) & ~occupied_of(position))
        | (knight_attacks(own.knights & free) & ~position.own));
}

// Whether the side to move is stalemated.
INLINE bool is_stalemate(Position position, bool check, __global const uint4 *restrict lines) {
    if (check || moves_certainly(position, lines)) {
        return false;
    }
    return count_moves_of(position, false, lines) == 0u;
}

// Returns the value of a position without legal moves.
INLINE int value_without_moves(bool check) {
    return check ? -32000 : 0;
}

// Reads a node.
INLINE Node load_node(uint index, __global uint4 *restrict nodes) {
    const uint4 first = nodes[4u * index];
    const uint4 second = nodes[4u * index + 1u];
    const uint4 third = nodes[4u * index + 2u];
    const int4 fourth = as_int4(nodes[4u * index + 3u]);
    const Position position = {join(first.x, first.y), join(first.z, first.w), join(second.x, second.y),
        join(second.z, second.w), join(third.x, third.y)};
    return (Node){position, third.z, third.w, fourth.x, fourth.y, fourth.z};
}

// Writes a node.
INLINE void store_node(uint index, Node node, __global uint4 *restrict nodes) {
    const Position position = node.position;
    nodes[4u * index] = (uint4)(low(position.bit1), high(position.bit1), low(position.bit2), high(position.bit2));
    nodes[4u * index + 1u] = (uint4)(low(position.bit4), high(position.bit4), low(position.own), high(position.own));
    nodes[4u * index + 2u] = (uint4)(low(position.en_passant), high(position.en_passant), node.at, node.end);
    nodes[4u * index + 3u] = as_uint4((int4)(node.best, node.alpha, node.beta, 0));
}

// Evaluates positions. Positions without legal moves are mate or stalemate.
__kernel KERNEL void evaluate(
    __global const uint4 *restrict positions,
    __global const uint4 *restrict lines,
    __global int *restrict values,
    uint first,
    uint end
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = first + group_index(workgroup, workgroups) * GROUP + lane;
    if (index >= end) {
        return;
    }
    const Position position = load_position(index, positions);
    const Evaluated evaluation = evaluated(position);
    int value = evaluation.value;
    if (evaluation.check) {
        if (count_moves_of(position, false, lines) == 0u) {
            value = -32000;
        }
    } else if (is_stalemate(position, false, lines)) {
        value = 0;
    }
    values[index] = value;
}

// Finds the values of positions `depth` plies (none or one) above their leaves, which a quiescence search evaluates.
// Each lane does alpha-beta, depth first, below one position after another, so that the best leaf is a bound for its
// siblings. No leaf is left out, but most leaves need only the evaluation.
//
// Every step handles one position of any ply, so that the lanes of a group stay together although their trees differ. A
// lane that has finished takes the next position. After a number of steps the kernel ends, and sets the second item
// count if a search is still running. `states` (the index of the lane's position, beyond the end if none is left, and
// the ply) and `nodes` store the state of each lane.
//
// Each lane has room for some moves; if the room is too small, the kernel sets the totals' header, and all values are
// invalid. The distance to mate is counted from the positions that the lanes begin with.
__kernel KERNEL void quiesce(
    __global const uint4 *restrict positions,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global uint *restrict totals,
    __global const uint4 *restrict lines,
    __global int *restrict values,
    __global uint4 *restrict nodes,
    __global uint2 *restrict states,
    uint end,
    uint room,
    uint depth,
    uint lanes,
    uint steps
) {
    const uint local_lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint lane = group_index(workgroup, workgroups) * GROUP + local_lane;
    if (lane >= lanes) {
        return;
    }
    const uint depth_1 = depth;
    const uint first_node = lane * 7u;
    uint index = states[lane].x;
    uint ply = states[lane].y;
    if (index >= end) {
        return;
    }
    for (uint step = 0u; step < steps; step += 1u) {
        Position here = {0};
        int alpha = -32001;
        int beta = 32001;
        uint top = lane * room;
        if (ply > 0u) {
            const Node parent = load_node(first_node + ply - 1u, nodes);
            nodes[4u * (first_node + ply - 1u) + 2u].z = parent.at + 1u;
            alpha = -parent.beta;
            beta = -parent.alpha;
            top = parent.end;
            here = made(parent.position, new_items[parent.at].x);
        } else {
            index = atomic_add(&new_item_count[0], 1u);
            if (index >= end) {
                states[lane].x = index;
                return;
            }
            here = load_position(index, positions);
        }
        const Evaluated evaluation = evaluated(here);
        const bool all_moves = ply < depth_1;
        const bool is_last = ply == depth_1 + QUIESCENCE_PLIES;
        int found = evaluation.value;
        if (evaluation.check && !is_last) {
            found = (int) ply - MATE;
        }
        bool drawn = false;
        if (ply == depth_1) {
            drawn = is_stalemate(here, evaluation.check, lines);
        }
        bool opened = false;
        if (all_moves || (!drawn && !is_last && (evaluation.check || found < beta))) {
            Writer out = {top, (lane + 1u) * room, 0u};
            const Frame frame = frame_of(here);
            const Lines axes = lines_of(frame.king_square, lines);
            const Limits limits = limits_of(frame, axes, lines);
            captures(&out, frame, axes, limits, new_items);
            if (all_moves || evaluation.check) {
                quiets(&out, here, frame, axes, limits, new_items, lines);
            } else {
                push_promotions(&out, frame, limits, new_items);
            }
            if (out.at == out.end) {
                totals[0] = 1u;
            }
            opened = out.at > top;
            if (opened) {
                const int best = all_moves ? -32001 : found;
                store_node(first_node + ply, (Node){here, top, out.at, best, max(alpha, best), beta}, nodes);
                ply += 1u;
            }
        }
        if (drawn || (all_moves && !opened && !evaluation.check)) {
            found = 0;
        }
        while (!opened && ply > 0u) {
            const uint parent = first_node + ply - 1u;
            const uint2 moves = nodes[4u * parent + 2u].zw;
            int4 bounds = as_int4(nodes[4u * parent + 3u]);
            bounds.x = max(bounds.x, -found);
            bounds.y = max(bounds.y, bounds.x);
            nodes[4u * parent + 3u] = as_uint4(bounds);
            opened = bounds.y < bounds.z && moves.x < moves.y;
            if (!opened) {
                found = bounds.x;
                ply -= 1u;
            }
        }
        if (!opened) {
            values[index] = found;
        }
    }
    states[lane] = (uint2)(index, ply);
    new_item_count[1] = 1u;
}

// Finds the value of each position of some blocks: the maximum of its successors' values one ply earlier.
__kernel KERNEL void back_up(
    __global const uint4 *restrict positions,
    __global const uint *restrict counts,
    __global const uint *restrict offsets,
    __global const uint *restrict bases,
    __global int *restrict values,
    __global const int *restrict successor_values,
    uint first,
    uint end
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = first + group_index(workgroup, workgroups) * GROUP + lane;
    if (index >= end) {
        return;
    }
    const uint len = counts[index];
    if (len == 0u) {
        values[index] = value_without_moves(evaluated(load_position(index, positions)).check);
        return;
    }
    const uint at = bases[index / GROUP] - bases[first / GROUP] + offsets[index];
    int best = -32001;
    for (uint successor = 0u; successor < len; successor += 1u) {
        best = max(best, value_one_ply_up(successor_values[at + successor]));
    }
    values[index] = best;
}
