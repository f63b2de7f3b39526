// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define CAPTURE_CHANGE 7u
#define PAWN_BY_PAWN_CHANGE 1u
#define MOST_MOVES 512u
#define NONE 0ul
#define ALL 0xfffffffffffffffful
#define NOT_FILE_A 0xfefefefefefefefeul
#define NOT_FILES_AB 0xfcfcfcfcfcfcfcfcul
#define NOT_FILE_H 0x7f7f7f7f7f7f7f7ful
#define NOT_FILES_GH 0x3f3f3f3f3f3f3f3ful
#define RANK_8 0xff00000000000000ul
#define THIRD_RANK 0xff0000ul
#define PAWN_RANKS 0xffffffffffff00ul
#define RANK_1 0xfful
#define THEIR_SECOND_RANK 0xff000000000000ul
#define THEIR_THIRD_RANK 0xff0000000000ul
#define THEIR_SEVENTH_RANK 0xff00ul
#define PAWN 1u
#define KNIGHT 2u
#define BISHOP 3u
#define ROOK 4u
#define QUEEN 5u
#define KING 6u
#define STATE_BLACK 1u
#define STATE_CASTLING 30u
#define STATE_EN_PASSANT 256u
#define STATE_EN_PASSANT_FILE 5u
#define STATE_HALFMOVE_CLOCK 9u

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

// A queue in work-group memory collects moves on their way to the items. A queued move holds, from this bit on, the
// lane that found it. The host sets the number of moves that fit, QUEUE.
#define LANE 17u

typedef struct {
    ulong bit1;
    ulong bit2;
    ulong bit4;
    // Pieces of the side to move.
    ulong own;
    // The square where an en-passant capture lands, or none.
    ulong en_passant;
} Position;

// `Quad48`: white, pawns with the state on ranks 1 and 8, knights, bishops|queens, rooks|queens, kings.
typedef struct {
    ulong white;
    ulong pawns;
    ulong knights;
    ulong bishops_queens;
    ulong rooks_queens;
    ulong kings;
    // The 16 bits of `State`.
    uint state;
} Quad;

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

// A number up to seven for each square.
typedef struct {
    ulong ones;
    ulong twos;
    ulong fours;
} Few;

// The number of the other side's moves so far, and the number of sliders and knights that defend each of its pieces, as bit
// planes.
typedef struct {
    uint moves;
    ulong defended1;
    ulong defended2;
    ulong defended4;
    ulong overdefended;
} Mobility;

// A number for each square, as bit planes of weights 1, 2, 4, 8 and 16.
typedef struct {
    ulong ones;
    ulong twos;
    ulong fours;
    ulong eights;
    ulong sixteens;
} Numbers;

// The replies before any move is chosen: their number, and the squares that moves must avoid to qualify. `Replies` in the
// closed form of kogge-movegen-cpu describes the fields.
typedef struct {
    uint base;
    ulong not_from;
    ulong not_to;
    ulong once;
    ulong not_to_knight;
    ulong not_to_orthogonal;
    ulong not_to_diagonal;
    ulong not_from_pawn;
    ulong not_to_pawn;
    ulong not_king;
    Sight not_along;
    ulong pawn_captures;
    // The other side's sliders' attacks along each axis, pinned or not.
    Sight attacked;
} Replies;

// Squares that are attacked once, twice or more often.
typedef struct {
    ulong once;
    ulong twice;
    ulong thrice;
} Attacked;

// The squares from the other side's king to the second piece, where an own slider is the second piece, and where it is the third.
typedef struct {
    ulong now;
    ulong soon;
} Pins;

// The other side's castlings, on its first rank: the squares that must not be attacked, the squares that must be empty,
// and the number of castlings that are legal now.
typedef struct {
    uint king_path;
    uint way;
    uint legal;
} Castlings;

// The bits of a lane in a queued move, and the index of its position for items.
typedef struct {
    uint lane;
    uint parent;
} Sink;

// The moves that qualified so far: their number, and their total change of the number of replies, modulo 2^32, since it
// may be negative.
typedef struct {
    uint moves;
    uint change;
} Tally;

// The squares that a slider attacks, the squares it can move to, and the squares where its move may qualify.
typedef struct {
    ulong attacks;
    ulong targets;
    ulong simple;
} Reach;

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

// Writes a position.
INLINE void store_position(uint index, Position position, __global uint4 *restrict successors) {
    const ulong own = position.own | position.en_passant;
    successors[2u * index] = (uint4)(low(position.bit1), high(position.bit1), low(position.bit2), high(position.bit2));
    successors[2u * index + 1u] = (uint4)(low(position.bit4), high(position.bit4), low(own), high(own));
}

// Returns the position as the other side sees it, with the other side to move.
INLINE Position flipped(Position position) {
    const ulong their = occupied_of(position) & ~position.own;
    return (Position){flip(position.bit1), flip(position.bit2), flip(position.bit4), flip(their),
        flip(position.en_passant)};
}

// Returns the flipped position, with files mirrored if that is faster.
INLINE Position fast_flipped(Position position) {
    const ulong their = occupied_of(position) & ~position.own;
    return (Position){fast_flip(position.bit1), fast_flip(position.bit2), fast_flip(position.bit4), fast_flip(their),
        fast_flip(position.en_passant)};
}

// Reads a `Quad48`.
INLINE Quad load_quad(uint index, __global const uint4 *restrict quads) {
    const uint4 first = quads[3u * index];
    const uint4 second = quads[3u * index + 1u];
    const uint4 third = quads[3u * index + 2u];
    return (Quad){join(first.x, first.y), join(first.z, first.w) & PAWN_RANKS, join(second.x, second.y),
        join(second.z, second.w), join(third.x, third.y), join(third.z, third.w),
        (first.z & 255u) | ((first.w >> 16u) & 0xff00u)};
}

// Writes a `Quad48`.
INLINE void store_quad(uint index, Quad quad, __global uint4 *restrict successor_quads) {
    successor_quads[3u * index] = (uint4)(low(quad.white), high(quad.white), low(quad.pawns) | (quad.state & 255u),
        high(quad.pawns) | ((quad.state & 0xff00u) << 16u));
    successor_quads[3u * index + 1u] = (uint4)(low(quad.knights), high(quad.knights), low(quad.bishops_queens),
        high(quad.bishops_queens));
    successor_quads[3u * index + 2u] = (uint4)(low(quad.rooks_queens), high(quad.rooks_queens), low(quad.kings),
        high(quad.kings));
}

// Returns the square of the rook of a castling right, K Q k q as 0 to 3. The rules give the four files in four bytes.
INLINE ulong castling_rook(uint right, uint castling_files) {
    const uint file = (castling_files >> (8u * right)) & 7u;
    return bit(right < 2u ? file : file + 56u);
}

// Returns a position as the side to move sees it.
INLINE Position position_of(Quad quad, uint castling_files) {
    const ulong occupied = quad.pawns | quad.knights | quad.bishops_queens | quad.rooks_queens | quad.kings;
    const ulong white = quad.white & occupied;
    const ulong queens = quad.bishops_queens & quad.rooks_queens;
    const ulong rooks = quad.rooks_queens & ~queens;
    ulong castling_rooks = NONE;
    for (uint right = 0u; right < 4u; right += 1u) {
        if (((quad.state >> (1u + right)) & 1u) != 0u) {
            castling_rooks |= castling_rook(right, castling_files) & rooks & (right < 2u ? white : ~white);
        }
    }
    const bool black = (quad.state & STATE_BLACK) != 0u;
    const uint file = (quad.state >> STATE_EN_PASSANT_FILE) & 7u;
    const ulong en_passant = bit(file + (black ? 16u : 40u)) & ~occupied;
    const Position position = {quad.pawns | quad.bishops_queens | castling_rooks,
        quad.knights | (quad.bishops_queens & ~queens) | quad.kings | castling_rooks, quad.rooks_queens | quad.kings,
        white, (quad.state & STATE_EN_PASSANT) != 0u ? en_passant : NONE};
    if (black) {
        return flipped(position);
    }
    return position;
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

// Adds to a root's total, two 32-bit words, the lower first. Not every device has 64-bit atomics. The totals begin with
// a header of two words.
INLINE void add_to_total(uint root, uint amount, __global uint *restrict totals) {
    const uint before = atomic_add(&totals[2u * root + 2u], amount);
    if (before + amount < before) {
        atomic_add(&totals[2u * root + 3u], 1u);
    }
}

// Returns the first of these roots for a group that begins with this root. Expansion mixes the roots of a block.
INLINE uint first_group_root(uint root) {
    return root - root % GROUP;
}

// Sets the sums of a work-group of this size to zero.
INLINE void clear_root_sums(uint lane, uint group_size, __local uint *root_sums) {
    for (uint at = lane; at < CLOSED_FORM_GROUP; at += group_size) {
        root_sums[at] = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Adds to the sum of a root, or to its total if the group has no sum for it.
INLINE void add_to_root(
    uint first_root,
    uint root,
    uint amount,
    __global uint *restrict totals,
    __local uint *root_sums
) {
    const uint at = root - first_root;
    if (at < CLOSED_FORM_GROUP) {
        atomic_add(&root_sums[at], amount);
    } else {
        add_to_total(root, amount, totals);
    }
}

// Adds the sums of a work-group of this size to the totals.
INLINE void add_root_sums(
    uint first_root,
    uint lane,
    uint group_size,
    __global uint *restrict totals,
    __local uint *root_sums
) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = lane; at < CLOSED_FORM_GROUP; at += group_size) {
        const uint sum = root_sums[at];
        if (sum != 0u) {
            add_to_total(first_root + at, sum, totals);
        }
    }
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

// Converts squares from the side to move's view to White's view.
INLINE ulong real(ulong board, bool black) {
    if (black) {
        return flip(board);
    }
    return board;
}

// Returns the position after a move, in the form that leaves the device.
INLINE Quad made_quad(Quad parent, uint packed_move, uint castling_files, uint halfmove_clock) {
    const uint code = code_of(packed_move);
    const uint kind = kind_of(packed_move);
    const bool black = (parent.state & STATE_BLACK) != 0u;
    const ulong origin = real(bit(from_of(packed_move)), black);
    const ulong to = real(bit(to_of(packed_move)), black);
    const ulong occupied = parent.pawns | parent.knights | parent.bishops_queens | parent.rooks_queens | parent.kings;
    const ulong own = black ? ~parent.white : parent.white;
    ulong changed = origin | to;
    ulong rook_to = NONE;
    if (kind == CASTLING) {
        const bool kingside = to_of(packed_move) == 6u;
        const ulong rook = castling_rook((black ? 2u : 0u) + (kingside ? 0u : 1u), castling_files);
        rook_to = real(join(kingside ? F1 : D1, 0u), black);
        changed = origin | rook;
    } else if (kind == EN_PASSANT) {
        changed |= black ? north_step(to) : south_step(to);
    }
    const ulong added = to | rook_to;
    const ulong kept = ~changed;
    Quad child = {(parent.white & kept) | (black ? NONE : added), (parent.pawns & kept) | (code == PAWN ? to : NONE),
        (parent.knights & kept) | (code == KNIGHT ? to : NONE),
        (parent.bishops_queens & kept) | (code == BISHOP || code == QUEEN ? to : NONE),
        (parent.rooks_queens & kept) | (code == ROOK || code == QUEEN ? to : NONE) | rook_to,
        (parent.kings & kept) | (code == KING ? to : NONE),
        (parent.state & STATE_CASTLING) | (black ? 0u : STATE_BLACK)};
    const ulong left = kind == CASTLING ? origin : origin | to;
    for (uint right = 0u; right < 4u; right += 1u) {
        const ulong king = parent.kings & (right < 2u ? parent.white : ~parent.white);
        if (nonempty(left & (castling_rook(right, castling_files) | king))) {
            child.state &= ~(2u << right);
        }
    }
    if (kind == PASSING) {
        child.state |= STATE_EN_PASSANT | ((packed_move & 7u) << STATE_EN_PASSANT_FILE);
    }
    const bool resets = nonempty(parent.pawns & origin) || nonempty(to & occupied & ~own);
    if (halfmove_clock != 0u && !resets) {
        child.state |= min((parent.state >> STATE_HALFMOVE_CLOCK) + 1u, 127u) << STATE_HALFMOVE_CLOCK;
    }
    return child;
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

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few north_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & ALL;
    const ulong see1 = down(not_their & ALL, 8u);
    const ulong see2 = down(enter & see1, 8u);
    const ulong see3 = down(enter & see2, 8u);
    const ulong see4 = down(enter & see3, 8u);
    const ulong see5 = down(enter & see4, 8u);
    const ulong see6 = down(enter & see5, 8u);
    const ulong see7 = down(enter & see6, 8u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void north_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_south_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few south_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & ALL;
    const ulong see1 = up(not_their & ALL, 8u);
    const ulong see2 = up(enter & see1, 8u);
    const ulong see3 = up(enter & see2, 8u);
    const ulong see4 = up(enter & see3, 8u);
    const ulong see5 = up(enter & see4, 8u);
    const ulong see6 = up(enter & see5, 8u);
    const ulong see7 = up(enter & see6, 8u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void south_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_north_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few east_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_A;
    const ulong see1 = down(not_their & NOT_FILE_A, 1u);
    const ulong see2 = down(enter & see1, 1u);
    const ulong see3 = down(enter & see2, 1u);
    const ulong see4 = down(enter & see3, 1u);
    const ulong see5 = down(enter & see4, 1u);
    const ulong see6 = down(enter & see5, 1u);
    const ulong see7 = down(enter & see6, 1u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void east_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_west_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few west_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_H;
    const ulong see1 = up(not_their & NOT_FILE_H, 1u);
    const ulong see2 = up(enter & see1, 1u);
    const ulong see3 = up(enter & see2, 1u);
    const ulong see4 = up(enter & see3, 1u);
    const ulong see5 = up(enter & see4, 1u);
    const ulong see6 = up(enter & see5, 1u);
    const ulong see7 = up(enter & see6, 1u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void west_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_east_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few north_east_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_A;
    const ulong see1 = down(not_their & NOT_FILE_A, 9u);
    const ulong see2 = down(enter & see1, 9u);
    const ulong see3 = down(enter & see2, 9u);
    const ulong see4 = down(enter & see3, 9u);
    const ulong see5 = down(enter & see4, 9u);
    const ulong see6 = down(enter & see5, 9u);
    const ulong see7 = down(enter & see6, 9u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void north_east_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_south_west_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few north_west_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_H;
    const ulong see1 = down(not_their & NOT_FILE_H, 7u);
    const ulong see2 = down(enter & see1, 7u);
    const ulong see3 = down(enter & see2, 7u);
    const ulong see4 = down(enter & see3, 7u);
    const ulong see5 = down(enter & see4, 7u);
    const ulong see6 = down(enter & see5, 7u);
    const ulong see7 = down(enter & see6, 7u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void north_west_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_south_east_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few south_east_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_A;
    const ulong see1 = up(not_their & NOT_FILE_A, 7u);
    const ulong see2 = up(enter & see1, 7u);
    const ulong see3 = up(enter & see2, 7u);
    const ulong see4 = up(enter & see3, 7u);
    const ulong see5 = up(enter & see4, 7u);
    const ulong see6 = up(enter & see5, 7u);
    const ulong see7 = up(enter & see6, 7u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void south_east_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_north_west_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few south_west_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_H;
    const ulong see1 = up(not_their & NOT_FILE_H, 9u);
    const ulong see2 = up(enter & see1, 9u);
    const ulong see3 = up(enter & see2, 9u);
    const ulong see4 = up(enter & see3, 9u);
    const ulong see5 = up(enter & see4, 9u);
    const ulong see6 = up(enter & see5, 9u);
    const ulong see7 = up(enter & see6, 9u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void south_west_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_north_east_attacks(attacked, empty) & empty;
    }
}

// One more slider or knight defends these squares.
INLINE void defended(Mobility *mobility, ulong squares) {
    const ulong carry1 = mobility->defended1 & squares;
    const ulong carry2 = mobility->defended2 & carry1;
    mobility->overdefended |= mobility->defended4 & carry2;
    mobility->defended4 ^= carry2;
    mobility->defended2 ^= carry1;
    mobility->defended1 ^= squares;
}

// Returns the squares in at least two of three boards.
INLINE ulong majority(ulong a, ulong b, ulong c) {
    return (a & b) | ((a | b) & c);
}

// Adds 1, 2 and 4 to the numbers of three sets of squares.
INLINE void add_numbers(Numbers *numbers, ulong ones, ulong twos, ulong fours) {
    const ulong carry1 = numbers->ones & ones;
    const ulong carry2 = majority(numbers->twos, twos, carry1);
    const ulong carry3 = majority(numbers->fours, fours, carry2);
    const ulong carry4 = numbers->eights & carry3;
    numbers->ones ^= ones;
    numbers->twos ^= twos ^ carry1;
    numbers->fours ^= fours ^ carry2;
    numbers->eights ^= carry3;
    numbers->sixteens ^= carry4;
}

// Adds the numbers of squares seen both ways along an axis, at most seven.
INLINE void add_both_ways(Numbers *numbers, Few ahead, Few behind) {
    const ulong carry1 = ahead.ones & behind.ones;
    const ulong carry2 = majority(ahead.twos, behind.twos, carry1);
    add_numbers(numbers, ahead.ones ^ behind.ones, ahead.twos ^ behind.twos ^ carry1,
        ahead.fours ^ behind.fours ^ carry2);
}

// Returns the squares that the other side's sliders reach both ways, and adds their moves, defended pieces and values.
INLINE ulong closed_form_north(Mobility *mobility, Numbers *value, ulong sliders, Frame frame) {
    const ulong above = north_attacks(sliders, frame.empty);
    const ulong beneath = south_attacks(sliders, frame.empty);
    const ulong moves_up = above & ~frame.their;
    const ulong moves_down = beneath & ~frame.their;
    mobility->moves += count_ones(moves_up) + count_ones(moves_down);
    defended(mobility, above & frame.their);
    defended(mobility, beneath & frame.their);
    add_both_ways(value, north_beyond(moves_up | sliders, frame.empty, ~frame.their),
        south_beyond(moves_down | sliders, frame.empty, ~frame.their));
    return above | beneath;
}

// Returns the squares that the other side's sliders reach both ways, and adds their moves, defended pieces and values.
INLINE ulong closed_form_east(Mobility *mobility, Numbers *value, ulong sliders, Frame frame) {
    const ulong above = east_attacks(sliders, frame.empty);
    const ulong beneath = west_attacks(sliders, frame.empty);
    const ulong moves_up = above & ~frame.their;
    const ulong moves_down = beneath & ~frame.their;
    mobility->moves += count_ones(moves_up) + count_ones(moves_down);
    defended(mobility, above & frame.their);
    defended(mobility, beneath & frame.their);
    add_both_ways(value, east_beyond(moves_up | sliders, frame.empty, ~frame.their),
        west_beyond(moves_down | sliders, frame.empty, ~frame.their));
    return above | beneath;
}

// Returns the squares that the other side's sliders reach both ways, and adds their moves, defended pieces and values.
INLINE ulong closed_form_north_east(Mobility *mobility, Numbers *value, ulong sliders, Frame frame) {
    const ulong above = north_east_attacks(sliders, frame.empty);
    const ulong beneath = south_west_attacks(sliders, frame.empty);
    const ulong moves_up = above & ~frame.their;
    const ulong moves_down = beneath & ~frame.their;
    mobility->moves += count_ones(moves_up) + count_ones(moves_down);
    defended(mobility, above & frame.their);
    defended(mobility, beneath & frame.their);
    add_both_ways(value, north_east_beyond(moves_up | sliders, frame.empty, ~frame.their),
        south_west_beyond(moves_down | sliders, frame.empty, ~frame.their));
    return above | beneath;
}

// Returns the squares that the other side's sliders reach both ways, and adds their moves, defended pieces and values.
INLINE ulong closed_form_north_west(Mobility *mobility, Numbers *value, ulong sliders, Frame frame) {
    const ulong above = north_west_attacks(sliders, frame.empty);
    const ulong beneath = south_east_attacks(sliders, frame.empty);
    const ulong moves_up = above & ~frame.their;
    const ulong moves_down = beneath & ~frame.their;
    mobility->moves += count_ones(moves_up) + count_ones(moves_down);
    defended(mobility, above & frame.their);
    defended(mobility, beneath & frame.their);
    add_both_ways(value, north_west_beyond(moves_up | sliders, frame.empty, ~frame.their),
        south_east_beyond(moves_down | sliders, frame.empty, ~frame.their));
    return above | beneath;
}

// Adds two boards to the numbers.
INLINE void increment_twice(Numbers *numbers, ulong a, ulong b) {
    const ulong carry1 = majority(numbers->ones, a, b);
    const ulong carry2 = numbers->twos & carry1;
    const ulong carry3 = numbers->fours & carry2;
    const ulong carry4 = numbers->eights & carry3;
    numbers->ones ^= a ^ b;
    numbers->twos ^= carry1;
    numbers->fours ^= carry2;
    numbers->eights ^= carry3;
    numbers->sixteens ^= carry4;
}

// Returns the sum of the numbers of some squares.
INLINE uint sum_of(Numbers numbers, ulong squares) {
    return count_ones(numbers.ones & squares) + 2u * count_ones(numbers.twos & squares)
        + 4u * count_ones(numbers.fours & squares) + 8u * count_ones(numbers.eights & squares)
        + 16u * count_ones(numbers.sixteens & squares);
}

// Returns the number of a single square.
INLINE uint number_at(Numbers numbers, uint square) {
    return (has(numbers.ones, square) ? 1u : 0u) + (has(numbers.twos, square) ? 2u : 0u)
        + (has(numbers.fours, square) ? 4u : 0u) + (has(numbers.eights, square) ? 8u : 0u)
        + (has(numbers.sixteens, square) ? 16u : 0u);
}

// One more attacker of some squares.
INLINE void attack(Attacked *attacked, ulong squares) {
    attacked->thrice |= attacked->twice & squares;
    attacked->twice |= attacked->once & squares;
    attacked->once |= squares;
}

// K4 for the two directions of an axis: `way` leads to the second piece, and `further` to the third.
INLINE void add_pins(Pins *pins, ulong way, ulong further, ulong sliders, ulong king) {
    const ulong beneath = below(king);
    const ulong above = ~(king | beneath);
    const ulong way_up = way & above;
    const ulong way_down = way & beneath;
    const ulong second = way & sliders;
    const ulong third = further & sliders;
    pins->now |= (nonempty(above & second) ? way_up : NONE) | (nonempty(beneath & second) ? way_down : NONE);
    pins->soon |= (nonempty(above & third) ? way_up : NONE) | (nonempty(beneath & third) ? way_down : NONE);
}

// Returns the squares seen along any axis.
INLINE ulong seen(Sight sight) {
    return sight.file | sight.rank | sight.diagonal | sight.antidiagonal;
}

// Returns the squares that some squares see, which may be empty: along files and ranks if there are rooks or queens, along
// diagonals if there are bishops or queens.
INLINE Rays view_rays(ulong squares, ulong orthogonal, ulong diagonal, ulong empty) {
    Rays rays = {0};
    if (nonempty(orthogonal)) {
        rays.north = any_north_attacks(squares, empty);
        rays.south = any_south_attacks(squares, empty);
        rays.east = any_east_attacks(squares, empty);
        rays.west = any_west_attacks(squares, empty);
    }
    if (nonempty(diagonal)) {
        rays.north_east = any_north_east_attacks(squares, empty);
        rays.north_west = any_north_west_attacks(squares, empty);
        rays.south_east = any_south_east_attacks(squares, empty);
        rays.south_west = any_south_west_attacks(squares, empty);
    }
    return rays;
}

// Returns the squares between a slider that attacks in one direction and a square that looks in the opposite direction.
INLINE ulong meeting(Rays a, Rays b) {
    return (a.north & b.south) | (a.south & b.north) | (a.east & b.west) | (a.west & b.east)
        | (a.north_east & b.south_west) | (a.south_west & b.north_east) | (a.north_west & b.south_east)
        | (a.south_east & b.north_west);
}

// Returns the squares reached both ways along the file.
INLINE ulong rays_on_file(Rays rays) {
    return rays.north | rays.south;
}

// Returns the squares reached both ways along the rank.
INLINE ulong rays_on_rank(Rays rays) {
    return rays.east | rays.west;
}

// Returns the squares reached both ways along the diagonal.
INLINE ulong rays_on_diagonal(Rays rays) {
    return rays.north_east | rays.south_west;
}

// Returns the squares reached both ways along the antidiagonal.
INLINE ulong rays_on_antidiagonal(Rays rays) {
    return rays.north_west | rays.south_east;
}

// Adds one castling of the other side. `danger` are attacked squares.
INLINE void castling_zone(
    Castlings *castlings,
    uint rook,
    uint king,
    uint king_to,
    uint rook_to,
    uint occupied,
    uint danger,
    uint pinned_on_rank
) {
    if (rook != 0u) {
        const uint path = span(min(king, king_to), max(king, king_to));
        const uint way = (path | span(min(rook, rook_to), max(rook, rook_to))) & ~(king | rook);
        castlings->king_path |= path;
        castlings->way |= way;
        const uint hindered = (way & occupied) | (path & danger) | (rook & pinned_on_rank);
        castlings->legal += hindered == 0u ? 1u : 0u;
    }
}

// Returns rank 8, as rank 1.
INLINE uint rank8(ulong board) {
    return high(board) >> 24u;
}

// Returns the other side's castlings.
INLINE Castlings castlings_of(Position position, Frame frame, Lines axes, ulong danger, ulong attacked_on_rank) {
    Castlings castlings = {0u, 0u, 0u};
    const uint rooks = rank8(position.bit1 & position.bit2 & position.bit4 & frame.their);
    if (rooks != 0u) {
        const uint king = rank8(frame.their_king);
        const uint above = rooks & ~(king - 1u);
        const uint beneath = rooks & (king - 1u);
        const uint occupied = rank8(~frame.empty);
        const Sight sight = sight_of(axes, ~frame.empty, frame.their_king);
        const uint pinned = rank8(attacked_on_rank & sight.rank & frame.their);
        castling_zone(&castlings, above, king, G1, F1, occupied, rank8(danger), pinned);
        castling_zone(&castlings, beneath, king, C1, D1, occupied, rank8(danger), pinned);
    }
    return castlings;
}

// Returns the replies before any move is chosen. The values of squares go to `value`, which must be zero.
INLINE Replies replies_of(
    Position position,
    Frame frame,
    Lines own_king_lines,
    Numbers *value,
    __global const uint4 *restrict lines
) {
    const ulong own = frame.own;
    const ulong their = frame.their;
    const ulong empty = frame.empty;
    const ulong not_their = ~their;
    const ulong their_king = frame.their_king;
    const Lines axes = lines_of(lowest_index(their_king) & 63u, lines);
    const ulong their_pawns = frame.pawns & their;
    const ulong rooks_queens = frame.rooks_queens & own;
    const ulong bishops_queens = frame.bishops_queens & own;
    Replies replies = {0};
    const Rays by = attack_rays(rooks_queens, rooks_queens, bishops_queens, bishops_queens, empty);
    const ulong firmly = pawn_attacks_up(frame.pawns & own) | own_king_lines.king | frame.king;
    Attacked attacked = {knight_attacks(frame.knights & own), NONE, NONE};
    attack(&attacked, by.north);
    attack(&attacked, by.south);
    attack(&attacked, by.east);
    attack(&attacked, by.west);
    attack(&attacked, by.north_east);
    attack(&attacked, by.north_west);
    attack(&attacked, by.south_east);
    attack(&attacked, by.south_west);
    const ulong danger = attacked.once | firmly;
    const ulong near_king = axes.king;
    const ulong castling_rooks = position.bit1 & position.bit2 & position.bit4 & their;
    const Castlings castlings = castlings_of(position, frame, axes, danger, rays_on_rank(by));
    const ulong way = join(0u, castlings.way << 24u);
    const ulong zone = (near_king & not_their) | join(0u, castlings.king_path << 24u) | their_king;
    const ulong loose = zone & ~firmly;
    replies.once = loose & attacked.once & ~attacked.twice;
    const ulong at_most_twice = loose & attacked.once & ~attacked.thrice;
    const ulong free = (loose & ~attacked.once) | their_king;
    ulong blocks = NONE;
    north_blocks(&blocks, by.north, at_most_twice, empty);
    south_blocks(&blocks, by.south, at_most_twice, empty);
    east_blocks(&blocks, by.east, at_most_twice, empty);
    west_blocks(&blocks, by.west, at_most_twice, empty);
    north_east_blocks(&blocks, by.north_east, at_most_twice, empty);
    north_west_blocks(&blocks, by.north_west, at_most_twice, empty);
    south_east_blocks(&blocks, by.south_east, at_most_twice, empty);
    south_west_blocks(&blocks, by.south_west, at_most_twice, empty);
    const Rays seen_from_free = view_rays(free, rooks_queens, bishops_queens, empty);
    const ulong discovers = meeting(by, seen_from_free);
    replies.not_to_orthogonal = rays_on_file(seen_from_free) | rays_on_rank(seen_from_free);
    replies.not_to_diagonal = rays_on_diagonal(seen_from_free) | rays_on_antidiagonal(seen_from_free);
    const Sight sight1 = sight_of(axes, ~empty, their_king);
    const ulong beyond1 = ~empty & ~seen(sight1);
    const Sight sight2 = sight_of(axes, beyond1, their_king);
    const Sight sight3 = sight_of(axes, beyond1 & ~seen(sight2), their_king);
    replies.not_to_orthogonal |= sight2.file | sight2.rank;
    replies.not_to_diagonal |= sight2.diagonal | sight2.antidiagonal;
    Pins pins = {0};
    add_pins(&pins, sight2.file, sight3.file, rooks_queens, their_king);
    add_pins(&pins, sight2.rank, sight3.rank, rooks_queens, their_king);
    add_pins(&pins, sight2.diagonal, sight3.diagonal, bishops_queens, their_king);
    add_pins(&pins, sight2.antidiagonal, sight3.antidiagonal, bishops_queens, their_king);
    const ulong pinned_on_file = rays_on_file(by) & sight1.file & their;
    const ulong pinned_on_rank = rays_on_rank(by) & sight1.rank & their;
    const ulong pinned_on_diagonal = rays_on_diagonal(by) & sight1.diagonal & their;
    const ulong pinned_on_antidiagonal = rays_on_antidiagonal(by) & sight1.antidiagonal & their;
    const ulong pinned = pinned_on_file | pinned_on_rank | pinned_on_diagonal | pinned_on_antidiagonal;
    const ulong orthogonal = frame.rooks_queens & their;
    const ulong diagonal = frame.bishops_queens & their;
    const uint by_king = count_ones(near_king & not_their & ~danger) + castlings.legal;
    Mobility mobility = {by_king, NONE, NONE, NONE, NONE};
    if (nonempty(orthogonal)) {
        replies.attacked.file = closed_form_north(&mobility, value, orthogonal & (~pinned | pinned_on_file), frame);
        replies.attacked.rank = closed_form_east(&mobility, value, orthogonal & (~pinned | pinned_on_rank), frame);
    }
    if (nonempty(diagonal)) {
        const ulong on_diagonal = diagonal & (~pinned | pinned_on_diagonal);
        const ulong on_antidiagonal = diagonal & (~pinned | pinned_on_antidiagonal);
        replies.attacked.diagonal = closed_form_north_east(&mobility, value, on_diagonal, frame);
        replies.attacked.antidiagonal = closed_form_north_west(&mobility, value, on_antidiagonal, frame);
    }
    ulong left = frame.knights & their & ~pinned;
    while (nonempty(left)) {
        const ulong knight = lowest(left);
        const ulong leaps = lines_of(lowest_index(left), lines).knight;
        const uint moves = count_ones(leaps & not_their);
        mobility.moves += moves;
        value->ones |= (moves & 1u) != 0u ? knight : NONE;
        value->twos |= (moves & 2u) != 0u ? knight : NONE;
        value->fours |= (moves & 4u) != 0u ? knight : NONE;
        value->eights |= (moves & 8u) != 0u ? knight : NONE;
        defended(&mobility, leaps & their);
        left = without_lowest(left);
    }
    const ulong crowded = value->sixteens & (value->eights | value->fours) & their;
    const ulong pushers = their_pawns & (~pinned | pinned_on_file);
    const ulong push = south_step(pushers) & empty;
    const ulong twostep = south_step(push & THEIR_THIRD_RANK) & empty;
    const ulong east_captors = their_pawns & (~pinned | pinned_on_antidiagonal);
    const ulong west_captors = their_pawns & (~pinned | pinned_on_diagonal);
    const ulong attacked_east = south_east_step(east_captors);
    const ulong attacked_west = south_west_step(west_captors);
    const ulong captured_east = attacked_east & own;
    const ulong captured_west = attacked_west & own;
    mobility.moves += count_ones(push) + count_ones(twostep) + count_ones(captured_east) + count_ones(captured_west);
    if (nonempty((push | captured_east | captured_west) & RANK_1)) {
        mobility.moves += 3u
            * (count_ones(push & RANK_1) + count_ones(captured_east & RANK_1) + count_ones(captured_west & RANK_1));
    }
    increment_twice(value, push | twostep, north_step(twostep));
    increment_twice(value, ~attacked_east, ~attacked_west);
    const ulong before_start = south_step(pushers & THEIR_SECOND_RANK);
    const ulong frees_push = south_step(pushers) & own;
    const ulong frees_double = (before_start & own & north_step(empty)) | (south_step(before_start & empty) & own);
    increment_twice(value, frees_push, frees_double);
    const ulong can_push = pushers & north_step(empty);
    increment_twice(value, can_push, can_push & THEIR_SECOND_RANK & up(empty, 16u));
    increment_twice(value, east_captors & north_west_step(own), west_captors & north_east_step(own));
    add_numbers(value, their & ~mobility.defended1, their & ~mobility.defended2, their & ~mobility.defended4);
    const ulong promotion_squares = (south_step(their_pawns) | attacked_east | attacked_west) & RANK_1;
    const ulong untouchable = way | pins.now | promotion_squares;
    const ulong guarded = (near_king & their) | castling_rooks;
    replies.base = mobility.moves;
    replies.not_to = untouchable | blocks | guarded | (their_pawns & THEIR_SEVENTH_RANK) | crowded
        | mobility.overdefended;
    replies.not_from = untouchable | pins.soon | discovers;
    replies.not_along = (Sight){(replies.attacked.file | frees_push | frees_double) & own, replies.attacked.rank & own,
        replies.attacked.diagonal & own, replies.attacked.antidiagonal & own};
    replies.not_to_knight = knight_attacks(free);
    replies.not_from_pawn = pawn_attacks_down(zone);
    replies.not_to_pawn = pawn_attacks_down(free);
    replies.not_king = king_attacks(zone);
    replies.pawn_captures = attacked_east | attacked_west;
    if (nonempty(pinned & (orthogonal | diagonal))) {
        replies.attacked = sights_of(orthogonal, diagonal, empty);
    }
    return replies;
}

// Reserves room in the queue for some moves, and returns the start of the room.
INLINE uint reserve(uint count, __local uint *queued, uint *lane_moves) {
    *lane_moves += count;
    return atomic_add(queued, count);
}

// Writes an item, if there is room. The number of items tells whether there was.
INLINE void put_item(uint at, uint packed_move, uint parent, __global uint2 *restrict new_items, uint capacity) {
    if (at < capacity) {
        new_items[at] = (uint2)(packed_move, parent);
    }
}

// Queues a move; one that does not fit in the queue becomes an item at once.
INLINE void put(
    Sink sink,
    uint at,
    uint packed_move,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __local uint *queue,
    uint capacity
) {
    if (at < QUEUE) {
        queue[at] = packed_move | sink.lane;
    } else {
        const uint result = atomic_add(&new_item_count[0], 1u);
        put_item(result, packed_move, sink.parent, new_items, capacity);
    }
}

// Queues the moves of one piece to some squares.
INLINE void put_piece(
    Sink sink,
    uint origin,
    ulong targets,
    uint code,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint capacity
) {
    if (nonempty(targets)) {
        uint at = reserve(count_ones(targets), queued, lane_moves);
        ulong left = targets;
        while (nonempty(left)) {
            put(sink, at, pack_move(origin, lowest_index(left), code, 0u), new_items, new_item_count, queue, capacity);
            at += 1u;
            left = without_lowest(left);
        }
    }
}

// Queues moves over the same distance.
INLINE void put_shifted(
    Sink sink,
    ulong targets,
    uint distance,
    uint code,
    uint kind,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint capacity
) {
    if (nonempty(targets)) {
        uint at = reserve(count_ones(targets), queued, lane_moves);
        ulong left = targets;
        while (nonempty(left)) {
            const uint to = lowest_index(left);
            put(sink, at, pack_move(to - distance, to, code, kind), new_items, new_item_count, queue, capacity);
            at += 1u;
            left = without_lowest(left);
        }
    }
}

// Tallies moves of one piece that qualify.
INLINE void tally_piece(Tally *tally, Numbers value, uint origin, ulong targets, ulong their) {
    const uint count = count_ones(targets);
    if (count != 0u) {
        tally->moves += count;
        tally->change += count * number_at(value, origin)
            + CAPTURE_CHANGE * count_ones(targets & their) - sum_of(value, targets);
    }
}

// Tallies the qualifying pawn moves of one distance, and returns the other moves.
INLINE ulong tally_pawn_direction(
    Tally *tally,
    Numbers value,
    Frame frame,
    ulong targets,
    uint distance,
    ulong not_from,
    ulong not_to
) {
    const ulong simple = targets & ~(not_to | up(not_from, distance));
    if (nonempty(simple)) {
        tally->moves += count_ones(simple);
        tally->change += sum_of(value, down(simple, distance)) - sum_of(value, simple);
        const ulong captured = simple & frame.their;
        tally->change += CAPTURE_CHANGE * count_ones(captured)
            + PAWN_BY_PAWN_CHANGE * count_ones(captured & frame.pawns);
    }
    return targets ^ simple;
}

// Adds the squares along an axis.
INLINE void add_axis(
    Reach *reach,
    ulong piece,
    ulong sight,
    ulong allowed,
    Limits limits,
    ulong pinned_on_axis,
    ulong not_along
) {
    const ulong reached = nonempty(free_to_move(piece, limits, pinned_on_axis)) ? sight & allowed : NONE;
    reach->attacks |= sight;
    reach->targets |= reached;
    reach->simple |= nonempty(not_along & piece) ? NONE : reached;
}

// Tallies or queues the moves of knights.
INLINE void tally_knights(
    Tally *tally,
    Sink sink,
    Frame frame,
    Limits limits,
    Replies replies,
    Numbers value,
    ulong allowed,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global const uint4 *restrict lines,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint capacity
) {
    ulong left = frame.knights & frame.own & ~limits.pinned;
    while (nonempty(left)) {
        const uint origin = lowest_index(left);
        const ulong attacks = lines_of(origin, lines).knight;
        const ulong targets = attacks & allowed;
        const bool stays = nonempty((replies.not_from & lowest(left)) | (attacks & replies.once));
        const ulong simple = stays ? NONE : targets & ~(replies.not_to | replies.not_to_knight);
        tally_piece(tally, value, origin, simple, frame.their);
        put_piece(sink, origin, targets ^ simple, KNIGHT, new_items, new_item_count, queue, queued, lane_moves,
            capacity);
        left = without_lowest(left);
    }
}

// Tallies or queues the moves of bishops, rooks and queens.
INLINE void tally_sliders(
    Tally *tally,
    Sink sink,
    Frame frame,
    Limits limits,
    Replies replies,
    Numbers value,
    ulong allowed,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global const uint4 *restrict lines,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint capacity
) {
    for (uint code = BISHOP; code <= QUEEN; code += 1u) {
        ulong left = sliders_of_kind(frame, code) & frame.own;
        while (nonempty(left)) {
            const uint origin = lowest_index(left);
            const ulong piece = lowest(left);
            const Sight sight = sight_of(lines_of(origin, lines), ~frame.empty, piece);
            const Sight not_along = replies.not_along;
            Reach reach = {0ul, 0ul, 0ul};
            ulong not_to = replies.not_to;
            if (code != BISHOP) {
                add_axis(&reach, piece, sight.file, allowed, limits, limits.pinned_on_file, not_along.file);
                add_axis(&reach, piece, sight.rank, allowed, limits, limits.pinned_on_rank, not_along.rank);
                not_to |= replies.not_to_orthogonal;
            }
            if (code != ROOK) {
                const ulong diagonal = limits.pinned_on_diagonal;
                const ulong antidiagonal = limits.pinned_on_antidiagonal;
                add_axis(&reach, piece, sight.diagonal, allowed, limits, diagonal, not_along.diagonal);
                add_axis(&reach, piece, sight.antidiagonal, allowed, limits, antidiagonal, not_along.antidiagonal);
                not_to |= replies.not_to_diagonal;
            }
            const bool stays = nonempty((replies.not_from & piece) | (reach.attacks & replies.once));
            const ulong simple = stays ? NONE : reach.simple & ~not_to;
            tally_piece(tally, value, origin, simple, frame.their);
            if (code != ROOK && nonempty(replies.pawn_captures & piece)) {
                tally->change += count_ones(simple & frame.pawns & frame.their & pawn_attacks_up(piece));
            }
            put_piece(sink, origin, reach.targets ^ simple, code, new_items, new_item_count, queue, queued, lane_moves,
                capacity);
            left = without_lowest(left);
        }
    }
}

// Tallies or queues the moves of pawns, without en-passant captures. A double push is marked if a pawn stands where it
// could capture en passant, legally or not.
INLINE void tally_pawns(
    Tally *tally,
    Sink sink,
    Frame frame,
    Limits limits,
    Replies replies,
    Numbers value,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint capacity
) {
    const ulong pawns = frame.pawns & frame.own;
    const ulong watchers = frame.pawns & frame.their;
    const ulong pushed = north_step(free_to_move(pawns, limits, limits.pinned_on_file)) & frame.empty;
    ulong twice = north_step(pushed & THIRD_RANK) & frame.empty & limits.evasion;
    ulong single = pushed & limits.evasion;
    const ulong captured = frame.their & limits.evasion;
    ulong east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & captured;
    ulong west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & captured;
    const ulong passing = twice & (east_step(watchers) | west_step(watchers));
    put_shifted(sink, passing, 16u, PAWN, PASSING, new_items, new_item_count, queue, queued, lane_moves, capacity);
    twice ^= passing;
    if (nonempty((single | east | west) & RANK_8)) {
        for (uint code = KNIGHT; code <= QUEEN; code += 1u) {
            put_shifted(sink, single & RANK_8, 8u, code, 0u, new_items, new_item_count, queue, queued, lane_moves,
                capacity);
            put_shifted(sink, east & RANK_8, 9u, code, 0u, new_items, new_item_count, queue, queued, lane_moves,
                capacity);
            put_shifted(sink, west & RANK_8, 7u, code, 0u, new_items, new_item_count, queue, queued, lane_moves,
                capacity);
        }
        single &= 0xfffffffffffffful;
        east &= 0xfffffffffffffful;
        west &= 0xfffffffffffffful;
    }
    const ulong not_from = replies.not_from | replies.not_from_pawn;
    const ulong not_to = replies.not_to | replies.not_to_pawn;
    const Sight along = replies.not_along;
    single = tally_pawn_direction(tally, value, frame, single, 8u, not_from | along.file, not_to);
    twice = tally_pawn_direction(tally, value, frame, twice, 16u, not_from | along.file, not_to);
    east = tally_pawn_direction(tally, value, frame, east, 9u, not_from | along.diagonal, not_to);
    west = tally_pawn_direction(tally, value, frame, west, 7u, not_from | along.antidiagonal, not_to);
    put_shifted(sink, single, 8u, PAWN, 0u, new_items, new_item_count, queue, queued, lane_moves, capacity);
    put_shifted(sink, twice, 16u, PAWN, 0u, new_items, new_item_count, queue, queued, lane_moves, capacity);
    put_shifted(sink, east, 9u, PAWN, 0u, new_items, new_item_count, queue, queued, lane_moves, capacity);
    put_shifted(sink, west, 7u, PAWN, 0u, new_items, new_item_count, queue, queued, lane_moves, capacity);
}

// Tallies or queues the moves of the king.
INLINE void tally_king(
    Tally *tally,
    Sink sink,
    Frame frame,
    Lines axes,
    Limits limits,
    Replies replies,
    Numbers value,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint capacity
) {
    const ulong targets = nonempty(frame.king) ? axes.king & ~frame.own & ~limits.danger : NONE;
    const ulong kept = frame.king & (replies.not_from | replies.not_king | replies.not_along.file);
    const ulong simple = limits.check || nonempty(kept) ? NONE : targets & ~(replies.not_to | replies.not_king);
    tally_piece(tally, value, frame.king_square, simple, frame.their);
    put_piece(sink, frame.king_square, targets ^ simple, KING, new_items, new_item_count, queue, queued, lane_moves,
        capacity);
    if (may_castle_perhaps(frame, limits)) {
        if (may_castle_up(frame, limits, false)) {
            const uint result = reserve(1u, queued, lane_moves);
            put(sink, result, pack_move(frame.king_square, 6u, KING, CASTLING), new_items, new_item_count, queue,
                capacity);
        }
        if (may_castle_down(frame, limits, false)) {
            const uint result = reserve(1u, queued, lane_moves);
            put(sink, result, pack_move(frame.king_square, 2u, KING, CASTLING), new_items, new_item_count, queue,
                capacity);
        }
    }
}

// Returns the number of replies to the moves that qualify; the others go to the sink.
INLINE uint closed_form_replies(
    Frame frame,
    Lines axes,
    Limits limits,
    Replies replies,
    Numbers value,
    Sink sink,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global const uint4 *restrict lines,
    __local uint *queue,
    __local uint *queued,
    uint *lane_moves,
    uint capacity
) {
    const ulong allowed = limits.evasion & ~frame.own;
    Tally tally = {0u, 0u};
    tally_knights(&tally, sink, frame, limits, replies, value, allowed, new_items, new_item_count, lines, queue, queued,
        lane_moves, capacity);
    tally_sliders(&tally, sink, frame, limits, replies, value, allowed, new_items, new_item_count, lines, queue, queued,
        lane_moves, capacity);
    tally_pawns(&tally, sink, frame, limits, replies, value, new_items, new_item_count, queue, queued, lane_moves,
        capacity);
    if (nonempty(frame.en_passant)) {
        const Captors captors = en_passant_captors(frame, axes);
        put_shifted(sink, north_west_step(captors.from_east), 7u, PAWN, EN_PASSANT, new_items, new_item_count, queue,
            queued, lane_moves, capacity);
        put_shifted(sink, north_east_step(captors.from_west), 9u, PAWN, EN_PASSANT, new_items, new_item_count, queue,
            queued, lane_moves, capacity);
    }
    tally_king(&tally, sink, frame, axes, limits, replies, value, new_items, new_item_count, queue, queued, lane_moves,
        capacity);
    return tally.moves * replies.base + tally.change;
}

// Returns the number of replies to a move.
INLINE uint replies_to(Position parent, uint packed_move, __global const uint4 *restrict lines) {
    return count_moves_of(fast_flipped(patched(parent, packed_move)), FAST_REVERSE, lines);
}

// Converts positions from the host, each its own root.
__kernel KERNEL void upload(
    __global uint4 *restrict successors,
    __global uint *restrict successor_roots,
    __global const uint4 *restrict quads,
    uint end,
    uint castling_files
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = group_index(workgroup, workgroups) * GROUP + lane;
    if (index < end) {
        store_position(index, position_of(load_quad(index, quads), castling_files), successors);
        successor_roots[index] = index;
    }
}

// Counts the legal moves of each position.
__kernel KERNEL void count(
    __global const uint4 *restrict positions,
    __global uint *restrict new_counts,
    __global const uint4 *restrict lines,
    uint end
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = group_index(workgroup, workgroups) * GROUP + lane;
    if (index < end) {
        new_counts[index] = min(count_moves_of(load_position(index, positions), false, lines), MOST_MOVES);
    }
}

// Finds the offsets within each block of work-group size, and each block's sum.
__kernel KERNEL void scan(
    __global const uint *restrict counts,
    __global uint *restrict new_offsets,
    __global uint *restrict block_sums,
    uint end
) {
    __local uint partial_sums[GROUP];
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint block = group_index(workgroup, workgroups);
    const uint index = block * GROUP + lane;
    uint count = 0u;
    if (index < end) {
        count = counts[index];
    }
    uint sum = count;
    for (uint distance = 1u; distance < GROUP; distance *= 2u) {
        partial_sums[lane] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane >= distance) {
            sum += partial_sums[lane - distance];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (index < end) {
        new_offsets[index] = sum - count;
    }
    if (lane == GROUP - 1u && block * GROUP < end) {
        block_sums[block] = sum;
    }
}

// Makes the successors, each with its parent's root.
__kernel KERNEL void make(
    __global const uint4 *restrict positions,
    __global uint4 *restrict successors,
    __global const uint *restrict roots,
    __global uint *restrict successor_roots,
    __global const uint2 *restrict items,
    uint end
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = group_index(workgroup, workgroups) * GROUP + lane;
    if (index < end) {
        const uint2 item = items[index];
        store_position(index, made(load_position(item.y, positions), item.x), successors);
        successor_roots[index] = roots[item.y];
    }
}

// Makes the successors in the form that leaves the device.
__kernel KERNEL void make_quads(
    __global const uint2 *restrict items,
    __global const uint4 *restrict quads,
    __global uint4 *restrict successor_quads,
    uint end,
    uint castling_files,
    uint halfmove_clock
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint index = group_index(workgroup, workgroups) * GROUP + lane;
    if (index < end) {
        const uint2 item = items[index];
        store_quad(index, made_quad(load_quad(item.y, quads), item.x, castling_files, halfmove_clock), successor_quads);
    }
}

// Writes the legal moves of each position of some blocks of work-group size. A position's moves begin at its block's base,
// counted from the first block's, plus the position's offset in the block.
__kernel KERNEL void write_moves(
    __global const uint4 *restrict positions,
    __global const uint *restrict counts,
    __global const uint *restrict offsets,
    __global const uint *restrict bases,
    __global uint2 *restrict new_items,
    __global const uint4 *restrict lines,
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
    const uint at = bases[index / GROUP] - bases[first / GROUP] + offsets[index];
    Writer out = {at, at + counts[index], index};
    const Position position = load_position(index, positions);
    const Frame frame = frame_of(position);
    const Lines axes = lines_of(frame.king_square, lines);
    const Limits limits = limits_of(frame, axes, lines);
    captures(&out, frame, axes, limits, new_items);
    quiets(&out, position, frame, axes, limits, new_items, lines);
    while (out.at < out.end) {
        emit(&out, 0u, 0u, KNIGHT, 0u, new_items);
    }
}

// Counts two plies: adds the replies to all moves that qualify to their roots' totals, and writes the other moves as items,
// in no particular order. If their number exceeds the capacity, the queue overflowed and some items are missing.
//
// A lane counts CLOSED_FORM_TURNS positions, so that the lanes of a group rarely wait for each other. If the queue is half full, the
// lanes empty it together before they go on.
__kernel CLOSED_FORM_KERNEL void closed_form(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global uint *restrict totals,
    __global const uint4 *restrict lines,
    uint first,
    uint end,
    uint capacity
) {
    __local uint root_sums[CLOSED_FORM_GROUP];
    __local uint queue[QUEUE];
    __local uint queued[1];
    __local uint item_base[1];
    uint lane_moves[1] = {0};
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint size = CLOSED_FORM_GROUP * CLOSED_FORM_TURNS;
    const uint group_first = first + group_index(workgroup, workgroups) * size;
    const uint group_end = min(group_first + size, end);
    const uint first_root = first_group_root(roots[min(group_first, end - 1u)]);
    clear_root_sums(lane, CLOSED_FORM_GROUP, root_sums);
    uint index = group_first + lane;
    for (uint turn = 1u; turn <= CLOSED_FORM_TURNS; turn += 1u) {
        if (lane == 0u) {
            *queued = 0u;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        while (index < group_end && (turn == CLOSED_FORM_TURNS || *queued <= QUEUE / 2u)) {
            const Position position = load_position(index, positions);
            const Frame frame = frame_of(position);
            const Lines axes = lines_of(frame.king_square, lines);
            Numbers value = {0};
            const Replies replies = replies_of(position, frame, axes, &value, lines);
            const Limits limits = limits_against(frame, axes, replies.attacked, lines);
            const Sink sink = {(index - group_first) << LANE, index};
            const uint value_1 = index;
            const uint result = closed_form_replies(frame, axes, limits, replies, value, sink, new_items,
                new_item_count, lines, queue, queued, lane_moves, capacity);
            add_to_root(first_root, roots[value_1], result, totals, root_sums);
            index += CLOSED_FORM_GROUP;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint len = min(*queued, QUEUE);
        if (lane == 0u) {
            *item_base = atomic_add(&new_item_count[0], len);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint at = lane; at < len; at += CLOSED_FORM_GROUP) {
            const uint packed_move = queue[at];
            put_item(*item_base + at, packed_move & 0x1ffffu, group_first + (packed_move >> LANE), new_items, capacity);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    add_root_sums(first_root, lane, CLOSED_FORM_GROUP, totals, root_sums);
}

// Adds the number of replies to each item to its root's total. If the queue overflowed, sets the totals' header, and
// all totals are invalid.
//
// There are at most as many work-groups as the device can run. Each takes neighbouring items, in turns, because these mostly
// have the same root. A lane adds up replies while the root stays the same. An item is loaded two turns before it is counted,
// and its position one turn before.
__kernel COUNT_KERNEL void count_replies(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global const uint2 *restrict items,
    __global const uint *restrict item_count,
    __global uint *restrict totals,
    __global const uint4 *restrict lines,
    uint capacity
) {
    __local uint root_sums[CLOSED_FORM_GROUP];
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint len = min(item_count[0], capacity);
    const uint lanes = workgroups.x * workgroups.y * COUNT_GROUP;
    const uint group_items = (len + lanes - 1u) / lanes * COUNT_GROUP;
    const uint group_first = min(group_index(workgroup, workgroups) * group_items, len);
    const uint end = min(group_first + group_items, len);
    const uint last = max(end, 1u) - 1u;
    if (lane == 0u && group_first == 0u && item_count[0] > capacity) {
        totals[0] = 1u;
    }
    clear_root_sums(lane, COUNT_GROUP, root_sums);
    uint index = group_first + lane;
    uint sum = 0u;
    uint2 item = (uint2)(0);
    uint2 next = (uint2)(0);
    uint first_root = 0u;
    if (group_first < end) {
        item = items[min(index, last)];
        next = items[min(index + COUNT_GROUP, last)];
        first_root = first_group_root(roots[items[group_first].y]);
    }
    Position parent = load_position(item.y, positions);
    uint item_root = roots[item.y];
    uint root = item_root;
    while (index < end) {
        const Position counted = parent;
        const uint packed_move = item.x;
        const uint counted_root = item_root;
        item = next;
        parent = load_position(item.y, positions);
        item_root = roots[item.y];
        index += COUNT_GROUP;
        next = items[min(index + COUNT_GROUP, last)];
        if (counted_root != root) {
            add_to_root(first_root, root, sum, totals, root_sums);
            root = counted_root;
            sum = 0u;
        }
        sum += replies_to(counted, packed_move, lines);
    }
    add_to_root(first_root, root, sum, totals, root_sums);
    add_root_sums(first_root, lane, COUNT_GROUP, totals, root_sums);
}
