// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define CAPTURE_CHANGE 7u
#define PAWN_BY_PAWN_CHANGE 1u
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
#define KEPT_WITHIN 1u
#define KEPT_BEFORE 2u
#define KEPT_WITHIN_REVERSED 3u

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

// The place of a position in its ply: the pawns of the side to move, the pawns of the other side, and a hash. In a reversed key the
// sides change places: its `own` pawns are the other side's.
typedef struct {
    ulong own;
    ulong theirs;
    uint hash;
} Key;

// All keys from one to another, both included.
typedef struct {
    Key first;
    Key last;
} KeyRange;

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

// Whether one board, as a number, is less than another.
INLINE bool is_lower(ulong a, ulong b) {
    return a < b;
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

// Returns the range that the scalars describe.
INLINE KeyRange range_of_scalars(
    uint first_own_low,
    uint first_own_high,
    uint first_theirs_low,
    uint first_theirs_high,
    uint first_hash,
    uint last_own_low,
    uint last_own_high,
    uint last_theirs_low,
    uint last_theirs_high,
    uint last_hash
) {
    const Key first = {join(first_own_low, first_own_high), join(first_theirs_low, first_theirs_high), first_hash};
    const Key last = {join(last_own_low, last_own_high), join(last_theirs_low, last_theirs_high), last_hash};
    return (KeyRange){first, last};
}

// Returns the pawns of both sides.
INLINE ulong pawns_of(Position position) {
    return position.bit1 & ~(position.bit2 | position.bit4);
}

// Whether pawns, flipped, lie from the least to the greatest, both included.
INLINE bool is_between(ulong pawns, ulong least, ulong greatest) {
    const ulong flipped_pawns = flip(pawns);
    return !is_lower(flipped_pawns, least) && !is_lower(greatest, flipped_pawns);
}

// Returns the squares of the pawn moves that lead to pawns from the least to the greatest. The moves come from this far below
// their squares. A pawn on the last rank becomes another piece.
INLINE ulong pawn_squares_into(ulong pawns, ulong squares, uint distance, ulong least, ulong greatest) {
    ulong found = NONE;
    ulong rest = squares;
    while (nonempty(rest)) {
        const ulong square = lowest(rest);
        if (is_between(pawns ^ (down(square, distance) | (square & 0xfffffffffffffful)), least, greatest)) {
            found |= square;
        }
        rest = without_lowest(rest);
    }
    return found;
}

// Returns the squares of all pawn moves that lead to pawns from the least to the greatest. Captures land on the targets.
INLINE ulong pawn_moves_into(ulong pawns, ulong occupied, ulong targets, ulong least, ulong greatest) {
    const ulong pushed = up(pawns, 8u) & ~occupied;
    return pawn_squares_into(pawns, pushed, 8u, least, greatest)
        | pawn_squares_into(pawns, up(pushed & THIRD_RANK, 8u) & ~occupied, 16u, least, greatest)
        | pawn_squares_into(pawns, up(pawns & NOT_FILE_A, 7u) & targets, 7u, least, greatest)
        | pawn_squares_into(pawns, up(pawns & NOT_FILE_H, 9u) & targets, 9u, least, greatest);
}

// Returns squares such that every move from the position into the range lands on one of them, except for en-passant captures.
// Other moves land there, too: only pawns are looked at.
INLINE ulong squares_into(KeyRange range, Position parent) {
    const ulong occupied = occupied_of(parent);
    const ulong pawns = pawns_of(parent);
    const ulong mine = pawns & parent.own;
    const ulong theirs = pawns & ~parent.own;
    ulong squares = NONE;
    ulong rest = theirs;
    while (nonempty(rest)) {
        const ulong square = lowest(rest);
        if (is_between(theirs ^ square, range.first.own, range.last.own)) {
            squares |= square;
        }
        rest = without_lowest(rest);
    }
    if (!is_between(theirs, range.first.own, range.last.own)) {
        return squares;
    }
    const ulong least = range.first.theirs;
    const ulong greatest = range.last.theirs;
    if (is_lower(range.first.own, range.last.own) || is_between(mine, least, greatest)) {
        return squares | ~theirs;
    }
    return squares | pawn_moves_into(mine, occupied, occupied & ~parent.own & ~theirs, least, greatest);
}

// Returns squares such that every move from the position into the range of reversed keys lands on one of them, except for en-passant
// captures. Other moves land there, too.
INLINE ulong squares_into_reversed(KeyRange range, Position parent) {
    const ulong occupied = occupied_of(parent);
    const ulong mine = pawns_of(parent) & parent.own;
    const ulong least = range.first.own;
    const ulong greatest = range.last.own;
    if (is_between(mine, least, greatest)) {
        return ALL;
    }
    return pawn_moves_into(mine, occupied, occupied & ~parent.own, least, greatest);
}

// Whether these pawns, with or without one of them, lie from the least to the greatest.
INLINE bool is_near(ulong pawns, ulong least, ulong greatest) {
    bool found = !is_lower(pawns, least) && !is_lower(greatest, pawns);
    ulong rest = pawns;
    while (nonempty(rest) && !found) {
        const ulong others = pawns ^ lowest(rest);
        found = !is_lower(others, least) && !is_lower(greatest, others);
        rest = without_lowest(rest);
    }
    return found;
}

// Returns the squares of the pawn moves that lead to pawns near these. The moves come from this far below their squares.
INLINE ulong pawn_squares_near(ulong pawns, ulong squares, uint distance, ulong least, ulong greatest) {
    ulong found = NONE;
    ulong rest = squares;
    while (nonempty(rest)) {
        const ulong square = lowest(rest);
        if (is_near(pawns ^ (square | down(square, distance)), least, greatest)) {
            found |= square;
        }
        rest = without_lowest(rest);
    }
    return found;
}

// Returns squares such that every move of the position that may be followed by a move into the range lands on one of them,
// except for promotions and en-passant captures. Other moves land there, too.
INLINE ulong squares_before(KeyRange range, Position parent) {
    const ulong occupied = occupied_of(parent);
    const ulong mine = pawns_of(parent) & parent.own;
    const ulong least = range.first.own;
    const ulong greatest = range.last.own;
    if (is_near(mine, least, greatest)) {
        return ALL;
    }
    const ulong targets = occupied & ~parent.own;
    const ulong pushed = up(mine, 8u) & ~occupied;
    return pawn_squares_near(mine, pushed, 8u, least, greatest)
        | pawn_squares_near(mine, up(pushed & THIRD_RANK, 8u) & ~occupied, 16u, least, greatest)
        | pawn_squares_near(mine, up(mine & NOT_FILE_A, 7u) & targets, 7u, least, greatest)
        | pawn_squares_near(mine, up(mine & NOT_FILE_H, 9u) & targets, 9u, least, greatest);
}

// Returns squares such that every move of the position to a successor that is kept lands on one of them, except for promotions and
// en-passant captures.
INLINE ulong squares_to_kept(KeyRange range, Position position, uint kept) {
    if (kept == KEPT_WITHIN) {
        return squares_into(range, position);
    }
    if (kept == KEPT_BEFORE) {
        return squares_before(range, position);
    }
    if (kept == KEPT_WITHIN_REVERSED) {
        return squares_into_reversed(range, position);
    }
    return ALL;
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

// Whether the other side can legally capture en passant after this double push.
INLINE bool allows_en_passant(Position position, uint packed_move, __global const uint4 *restrict lines) {
    const Frame pushed = frame_of(flipped(patched(position, packed_move)));
    const Captors captors = en_passant_captors(pushed, lines_of(pushed.king_square, lines));
    return nonempty(captors.from_east | captors.from_west);
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

// Reads a position. Lanes without one get an empty board, which has no moves: a kernel whose lanes all do the same measured faster.
INLINE Position load_position_or_none(uint index, __global const uint4 *restrict positions, uint end) {
    Position position = {0};
    if (index < end) {
        position = load_position(index, positions);
    }
    return position;
}

// Returns the move, marked as a double push that allows an en-passant capture only if such a capture is legal.
INLINE uint marked_exactly(Position parent, uint packed_move, __global const uint4 *restrict lines) {
    if (kind_of(packed_move) == PASSING && !allows_en_passant(parent, packed_move, lines)) {
        return packed_move & 0x7fffu;
    }
    return packed_move;
}

// Makes a move and writes the successor, if there is room.
INLINE void store_successor(
    uint index,
    uint packed_move,
    uint at,
    __global const uint4 *restrict positions,
    __global uint4 *restrict successors,
    __global const uint *restrict roots,
    __global uint *restrict successor_roots,
    __global const uint4 *restrict lines,
    uint room
) {
    if (at < room) {
        const Position parent = load_position(index, positions);
        store_position(at, made(parent, marked_exactly(parent, packed_move, lines)), successors);
        successor_roots[at] = roots[index];
    }
}

// Makes the successors of some positions. Counts the moves of each position and all successors; if there are more successors
// than room, some are missing. If not all successors are kept, most others are not made, and moves are not counted. First each
// lane finds the moves of one position; then each lane makes one move at a time. Moves that do not fit in the queue become
// items.
__kernel KERNEL void expand_unordered(
    __global const uint4 *restrict positions,
    __global uint4 *restrict successors,
    __global const uint *restrict roots,
    __global uint *restrict successor_roots,
    __global uint *restrict new_counts,
    __global uint2 *restrict new_items,
    __global uint *restrict new_item_count,
    __global const uint4 *restrict lines,
    uint first,
    uint end,
    uint kept,
    uint room,
    uint capacity,
    uint first_own_low,
    uint first_own_high,
    uint first_theirs_low,
    uint first_theirs_high,
    uint first_hash,
    uint last_own_low,
    uint last_own_high,
    uint last_theirs_low,
    uint last_theirs_high,
    uint last_hash
) {
    __local uint queue[QUEUE];
    __local uint queued[1];
    uint lane_moves[1] = {0};
    __local uint successor_base[1];
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint group_first = first + group_index(workgroup, workgroups) * GROUP;
    const uint index = group_first + lane;
    if (lane == 0u) {
        *queued = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const Position position = load_position_or_none(index, positions, end);
    const Frame frame = frame_of(position);
    const Lines axes = lines_of(frame.king_square, lines);
    const Limits limits = limits_of(frame, axes, lines);
    Replies nothing_known = {0};
    nothing_known.not_to = squares_to_kept(range_of_scalars(first_own_low, first_own_high, first_theirs_low,
        first_theirs_high, first_hash, last_own_low, last_own_high, last_theirs_low, last_theirs_high, last_hash),
        position, kept);
    *lane_moves = 0u;
    closed_form_replies(frame, axes, limits, nothing_known, (Numbers){0}, (Sink){lane << LANE, index}, new_items,
        new_item_count, lines, queue, queued, lane_moves, capacity);
    if (index < end) {
        new_counts[index] = *lane_moves;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint len = min(*queued, QUEUE);
    if (lane == 0u) {
        *successor_base = atomic_add(&new_item_count[1], len);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = lane; at < len; at += GROUP) {
        const uint packed_move = queue[at];
        store_successor(group_first + (packed_move >> LANE), packed_move & 0x1ffffu, *successor_base + at, positions,
            successors, roots, successor_roots, lines, room);
    }
}

// Makes the successors of the items and appends them to the other successors.
__kernel KERNEL void expand_items(
    __global const uint4 *restrict positions,
    __global uint4 *restrict successors,
    __global const uint *restrict roots,
    __global uint *restrict successor_roots,
    __global const uint2 *restrict items,
    __global uint *restrict new_item_count,
    __global const uint4 *restrict lines,
    uint room,
    uint capacity
) {
    const uint lane = get_local_id(0);
    const uint3 workgroup = (uint3)(get_group_id(0), get_group_id(1), get_group_id(2));
    const uint3 workgroups = (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2));
    const uint count = load_atomic(&new_item_count[0]);
    const uint first = group_index(workgroup, workgroups) * GROUP + lane;
    if (first == 0u && count > capacity) {
        atomic_max(&new_item_count[1], room + 1u);
    }
    const uint len = min(count, capacity);
    for (uint index = first; index < len; index += workgroups.x * workgroups.y * GROUP) {
        const uint2 item = items[index];
        const uint result = atomic_add(&new_item_count[1], 1u);
        store_successor(item.y, item.x, result, positions, successors, roots, successor_roots, lines, room);
    }
}
