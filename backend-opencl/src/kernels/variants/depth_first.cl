// A variant that measured slower: the last plies depth first. Each work-item walks the tree below one position by
// making and unmaking moves.
//
// The position stays in registers. An undo move takes four bytes; each work-item keeps a stack of them in local memory.
// There is no list of moves: the sets of targets determine the move that follows a given move, in the order of from, to
// and promotion.

// An undo move: the packed move (`make.wgsl`), then
//
// | bits | meaning |
// |---|---|
// | 17 to 19 | code of the piece captured on `to`, or 0 |
// | 20 to 22 | code of the mover before the move |
// | 23, 24 | whether a king's move took the mark from the castling rook above it, below it |
// | 25 to 27, 28 | file of the square where an en-passant capture could land, and whether there was one |
#define CAPTURED 17
#define BEFORE 20
#define UNMARKED 23
#define PASSED_FILE 25
#define PASSED 28

// Returns the code of the piece on a square.
INLINE uint code_at(Position position, uint square) {
    return (uint) (position.bit1 >> square & 1) | (uint) (position.bit2 >> square & 1) << 1 |
           (uint) (position.bit4 >> square & 1) << 2;
}

// Puts a piece on an empty square.
INLINE void put_code(Position *position, ulong square, uint code) {
    position->bit1 |= code & 1 ? square : 0;
    position->bit2 |= code & 2 ? square : 0;
    position->bit4 |= code & 4 ? square : 0;
}

// Returns the undo move of a move.
INLINE uint undo_of(Position position, uint packed_move) {
    const uint before = code_at(position, packed_move & 63);
    uint undo = packed_move | before << BEFORE;
    if ((packed_move >> KIND & 3) != CASTLING) {
        // Castling in Chess960 may end on the castling rook's square, which captures nothing.
        undo |= code_at(position, packed_move >> TO & 63) << CAPTURED;
    }
    if (before == KING) {
        const uint rooks = (uint) (position.bit1 & position.bit2 & position.bit4 & position.own) & 0xff;
        const uint king = 1u << (packed_move & 63 & 31);
        undo |= ((rooks & ~(king - 1)) != 0) << UNMARKED | ((rooks & (king - 1)) != 0) << (UNMARKED + 1);
    }
    if (position.en_passant) {
        undo |= (lowest_index(position.en_passant) & 7) << PASSED_FILE | 1u << PASSED;
    }
    return undo;
}

// Returns the position before a move, given the position after it as the other side sees it, and the rooks that the mover
// could castle with at the root of the tree. While a rook is marked, the king has not moved, so that the king's square tells
// the two rooks apart.
INLINE Position unmade(Position child, uint undo, uint root_rooks) {
    Position parent = flipped(child);
    const ulong from = 1UL << (undo & 63), to = 1UL << (undo >> TO & 63);
    const uint kind = undo >> KIND & 3, king = (uint) from;
    const ulong above = root_rooks & ~(king - 1), below = root_rooks & (king - 1);
    ulong cleared = to, marked = 0;
    if (kind == CASTLING) {
        cleared = (undo >> TO & 63) == 6 ? G1 | F1 : C1 | D1;
    }
    marked |= undo >> UNMARKED & 1 ? above : 0;
    marked |= undo >> UNMARKED & 2 ? below : 0;
    cleared |= marked | from;
    parent.bit1 &= ~cleared;
    parent.bit2 &= ~cleared;
    parent.bit4 &= ~cleared;
    parent.own = (parent.own & ~cleared) | from | marked;
    put_code(&parent, from, undo >> BEFORE & 7);
    put_code(&parent, marked, 7);
    put_code(&parent, to, undo >> CAPTURED & 7);
    if (kind == EN_PASSANT) {
        put_code(&parent, to >> 8, PAWN);
    }
    parent.en_passant = undo >> PASSED & 1 ? 1UL << (40 + (undo >> PASSED_FILE & 7)) : 0;
    return parent;
}

// Returns the squares where the own piece on a square may go, except by castling.
INLINE ulong targets_of(Frame frame, Limits limits, uint from, __global const uint4 *restrict lines) {
    const ulong piece = 1UL << from, allowed = ~frame.own & limits.evasion;
    const Lines axes = lines_of(from, lines);
    if (piece & frame.king) {
        return axes.king & ~frame.own & ~limits.danger;
    }
    if (piece & frame.knights) {
        // A pinned knight never moves.
        return piece & limits.pinned ? 0 : axes.knight & allowed;
    }
    if (piece & frame.pawns) {
        const ulong step = north_step(free_to_move(piece, limits, limits.pinned_on_file)) & frame.empty;
        const ulong captures = north_east_step(free_to_move(piece, limits, limits.pinned_on_diagonal)) |
                               north_west_step(free_to_move(piece, limits, limits.pinned_on_antidiagonal));
        ulong targets = step | (north_step(step & THIRD_RANK) & frame.empty) | (captures & frame.their);
        targets &= limits.evasion;
        if ((pawn_attacks_up(piece) & frame.en_passant) &&
            may_capture_en_passant(frame, lines_of(frame.king_square, lines), piece)) {
            targets |= frame.en_passant;
        }
        return targets;
    }
    const Sight sight = sight_of(axes, ~frame.empty, piece);
    const ulong orthogonal = frame.rooks_queens & piece, diagonal = frame.bishops_queens & piece;
    return ((free_to_move(orthogonal, limits, limits.pinned_on_file) ? sight.file : 0) |
            (free_to_move(orthogonal, limits, limits.pinned_on_rank) ? sight.rank : 0) |
            (free_to_move(diagonal, limits, limits.pinned_on_diagonal) ? sight.diagonal : 0) |
            (free_to_move(diagonal, limits, limits.pinned_on_antidiagonal) ? sight.antidiagonal : 0)) &
           allowed;
}

// The moves left to make in a position.
typedef struct {
    // Pieces that have not moved yet.
    ulong pieces;
    // The square and code of the piece that moves, and the targets where it has not gone yet.
    uint from, code;
    ulong targets;
    // The piece that a pawn moving to the lowest target becomes next, if it promotes.
    uint promotion;
    // The ways to castle: up (1), down (2).
    uint castlings;
} Cursor;

#define NO_MOVE 0xffffffffu

// Continues with a piece.
INLINE void next_piece(
    Cursor *cursor,
    Position position,
    Frame frame,
    Limits limits,
    uint from,
    __global const uint4 *restrict lines
) {
    const uint code = code_at(position, from);
    cursor->from = from;
    cursor->code = code == 7 ? ROOK : code;
    cursor->targets = targets_of(frame, limits, from, lines);
    cursor->promotion = KNIGHT;
}

// Returns the moves left to make after a move; all moves after `NO_MOVE`.
INLINE Cursor cursor_after(
    uint packed_move,
    Position position,
    Frame frame,
    Limits limits,
    __global const uint4 *restrict lines
) {
    Cursor cursor = {frame.own, 0, 0, 0, KNIGHT, 0};
    if (may_castle_perhaps(frame, limits)) {
        cursor.castlings = may_castle_up(frame, limits, false) | may_castle_down(frame, limits, false) << 1;
    }
    if (packed_move != NO_MOVE) {
        const uint from = packed_move & 63, to = packed_move >> TO & 63, code = packed_move >> CODE & 7;
        if ((packed_move >> KIND & 3) == CASTLING) {
            cursor.pieces = 0;
            cursor.castlings &= to == 6 ? 2 : 0;
        } else {
            cursor.pieces &= ~1UL << from;
            next_piece(&cursor, position, frame, limits, from, lines);
            const bool promotes_again = cursor.code == PAWN && to >= 56 && code < QUEEN;
            cursor.promotion = promotes_again ? code + 1 : KNIGHT;
            cursor.targets &= promotes_again ? ~0UL << to : ~1UL << to;
        }
    }
    return cursor;
}

// Returns the next move, or `NO_MOVE`.
INLINE uint next_move(
    Cursor *cursor,
    Position position,
    Frame frame,
    Limits limits,
    __global const uint4 *restrict lines
) {
    while (!cursor->targets && cursor->pieces) {
        next_piece(cursor, position, frame, limits, lowest_index(cursor->pieces), lines);
        cursor->pieces &= cursor->pieces - 1;
    }
    const uint from = cursor->from;
    if (cursor->targets) {
        const uint to = lowest_index(cursor->targets);
        uint code = cursor->code, kind = 0;
        bool done = true;
        if (code == PAWN) {
            if (to >= 56) {
                code = cursor->promotion;
                done = code == QUEEN;
                cursor->promotion = done ? KNIGHT : code + 1;
            } else if (to - from == 16) {
                const ulong watchers = frame.pawns & frame.their;
                kind = (east_step(watchers) | west_step(watchers)) >> to & 1 ? PASSING : 0;
            } else if (to - from != 8 && (frame.en_passant >> to & 1)) {
                kind = EN_PASSANT;
            }
        }
        cursor->targets &= done ? cursor->targets - 1 : ~0UL;
        return pack_move(from, to, code, kind);
    }
    if (cursor->castlings) {
        const bool up = cursor->castlings & 1;
        cursor->castlings &= up ? 2 : 0;
        return pack_move(frame.king_square, up ? 6u : 2u, KING, CASTLING);
    }
    return NO_MOVE;
}

// Adds the leaves `depth` plies below some positions, one for each work-item, to their roots' totals. The depth is at
// least two. Moves of the last two plies need no undo moves.
__kernel void depth_first(
    __global const uint4 *restrict positions,
    __global const uint *restrict roots,
    __global uint *restrict totals,
    __global const uint4 *restrict lines,
    uint first,
    uint end,
    uint depth
) {
    __local uint stacks[STACKED * GROUP];
    const uint index = first + (uint) get_global_id(0);
    if (index >= end) {
        return;
    }
    __local uint *stack = stacks + get_local_id(0);
    Position position = load_position(index, positions);
    // The rooks that may castle, on their owner's first rank: the side to move's, then the other side's.
    const ulong marked = position.bit1 & position.bit2 & position.bit4;
    const uint own_rooks = (uint) (marked & position.own) & 0xff;
    const uint their_rooks = (uint) ((marked & ~position.own) >> 56);

    ulong leaves = 0;
    uint ply = 0, packed_move = NO_MOVE;
    for (;;) {
        const Frame frame = frame_of(position);
        const Limits limits = limits_of(frame, lines_of(frame.king_square, lines), lines);
        Cursor cursor = cursor_after(packed_move, position, frame, limits, lines);
        packed_move = next_move(&cursor, position, frame, limits, lines);
        if (ply + 2 == depth) {
            while (packed_move != NO_MOVE) {
                const Position child = patched(position, packed_move);
                leaves += count_moves_of(fast_flipped(child), FAST_REVERSE, lines);
                packed_move = next_move(&cursor, position, frame, limits, lines);
            }
        }
        if (packed_move != NO_MOVE) {
            stack[ply * GROUP] = undo_of(position, packed_move);
            position = made(position, packed_move);
            ply += 1;
            packed_move = NO_MOVE;
        } else if (ply == 0) {
            break;
        } else {
            ply -= 1;
            packed_move = stack[ply * GROUP];
            position = unmade(position, packed_move, ply & 1 ? their_rooks : own_rooks);
        }
    }

    const uint high = (uint) (leaves >> 32);
    add_to_total(roots[index], (uint) leaves, totals);
    if (high) {
        atomic_add(&totals[2 * roots[index] + 3], high);
    }
}
