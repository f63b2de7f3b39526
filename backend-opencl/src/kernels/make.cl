// Making moves. An item is a move of a position: the position's index in the upper half, the move in the lower.
//
// | bits | meaning |
// |---|---|
// | 0 to 5, 6 to 11 | from, to; in castling, the king's |
// | 12 to 14 | code of the piece that stands on `to` afterwards |
// | 15, 16 | kind of move |

#define TO 6
#define CODE 12
#define KIND 15

#define EN_PASSANT 1u
#define CASTLING 2u
// A double push after which an en-passant capture is legal.
#define PASSING 3u

#define WORD(from, to, code, kind) ((from) | (to) << TO | (code) << CODE | (kind) << KIND)

// Takes castling apart: the rook leaves its square and lands beside the king.
INLINE void castle(Position *position, Position parent, uint to) {
    const ulong king = parent.own & ~parent.bit1 & parent.bit2 & parent.bit4;
    const ulong rooks = parent.own & parent.bit1 & parent.bit2 & parent.bit4;
    const bool kingside = to == 6;
    const ulong rook = kingside ? rooks & ~(king - 1) : rooks & (king - 1);
    const ulong king_to = FILE(kingside ? 'g' : 'c'), rook_to = FILE(kingside ? 'f' : 'd');
    const ulong cleared = ~(king | rook);
    position->bit1 = parent.bit1 & cleared;
    position->bit2 = (parent.bit2 & cleared) | king_to;
    position->bit4 = (parent.bit4 & cleared) | king_to | rook_to;
    position->own = (parent.own & cleared) | king_to | rook_to;
}

// The position after a move, as its mover sees it. The mover's castling rooks stay marked after a king's move.
INLINE Position patched(Position parent, uint word) {
    const ulong from = 1UL << (word & 63), to = 1UL << (word >> TO & 63);
    const ulong kept = ~(from | to);
    Position child = {
        (parent.bit1 & kept) | (word >> CODE & 1 ? to : 0),
        (parent.bit2 & kept) | (word >> CODE & 2 ? to : 0),
        (parent.bit4 & kept) | (word >> CODE & 4 ? to : 0),
        (parent.own & kept) | to,
        0,
    };
    const uint kind = word >> KIND & 3;
    if (kind) {
        if (kind == EN_PASSANT) {
            const ulong victim = to >> 8;
            child.bit1 &= ~victim;
            child.bit2 &= ~victim;
            child.bit4 &= ~victim;
        } else if (kind == CASTLING) {
            castle(&child, parent, word >> TO & 63);
        } else {
            child.en_passant = to >> 8;
        }
    }
    return child;
}

// The position after a move, as the other side sees it.
INLINE Position made(Position parent, uint word) {
    Position child = patched(parent, word);
    if ((word >> CODE & 7) == KING) {
        const ulong marked = child.bit1 & child.bit2 & child.bit4 & child.own;
        child.bit1 &= ~marked;
        child.bit2 &= ~marked;
    }
    return TURNED(child, flip);
}

// The successors, and whose root's tree they belong to.
__kernel KERNEL void make(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong *restrict items,
    uint len,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots
) {
    const uint index = get_global_id(0);
    if (index < len) {
        const ulong item = items[index];
        const uint parent = item >> 32;
        store_position(successors, index, made(load_position(positions, parent), (uint) item));
        successor_roots[index] = roots[parent];
    }
}

// A square of the side to move's view as it is on the real board.
INLINE ulong real(ulong board, bool black) {
    return black ? flip(board) : board;
}

// The successors in the form that leaves the device.
__kernel KERNEL void make_quads(
    __global const ulong2 *restrict quads,
    __global const ulong *restrict items,
    uint len,
    uint castling_files,
    uint halfmove_clock,
    __global ulong2 *restrict successors
) {
    const uint index = get_global_id(0);
    if (index >= len) {
        return;
    }
    const ulong item = items[index];
    const Quad parent = load_quad(quads, item >> 32);
    const uint word = (uint) item, code = word >> CODE & 7, kind = word >> KIND & 3;
    const bool black = parent.state & STATE_BLACK;
    const ulong from = real(1UL << (word & 63), black), to = real(1UL << (word >> TO & 63), black);
    const ulong occupied = parent.pawns | parent.knights | parent.bishops_queens | parent.rooks_queens | parent.kings;
    const ulong own = black ? ~parent.white : parent.white;

    ulong changed = from | to, rook_to = 0, victim = 0;
    if (kind == CASTLING) {
        // What stands on `to` may be the castling rook, and the king may stay where it is.
        const bool kingside = (word >> TO & 63) == 6;
        const ulong rook = castling_rook(castling_files, (black ? 2 : 0) + (kingside ? 0 : 1));
        rook_to = real(FILE(kingside ? 'f' : 'd'), black);
        changed = from | rook;
    } else if (kind == EN_PASSANT) {
        victim = black ? to << 8 : to >> 8;
        changed |= victim;
    }
    const ulong added = to | rook_to, kept = ~changed;
    Quad child = {
        (parent.white & kept) | (black ? 0 : added),
        (parent.pawns & kept) | (code == PAWN ? to : 0),
        (parent.knights & kept) | (code == KNIGHT ? to : 0),
        (parent.bishops_queens & kept) | (code == BISHOP || code == QUEEN ? to : 0),
        (parent.rooks_queens & kept) | (code == ROOK || code == QUEEN ? to : 0) | rook_to,
        (parent.kings & kept) | (code == KING ? to : 0),
        (parent.state & STATE_CASTLING) | (black ? 0 : STATE_BLACK),
    };
    // A castling right ends when its king or rook leaves its square, or is captured there.
    const ulong left = kind == CASTLING ? from : from | to;
    for (uint right = 0; right < 4; ++right) {
        const ulong king = parent.kings & (right < 2 ? parent.white : ~parent.white);
        if (left & (castling_rook(castling_files, right) | king)) {
            child.state &= ~(2u << right);
        }
    }
    if (kind == PASSING) {
        child.state |= STATE_EN_PASSANT | (word & 7) << STATE_EN_PASSANT_FILE;
    }
    const bool resets = (parent.pawns & from) != 0 || (to & occupied & ~own) != 0;
    if (halfmove_clock && !resets) {
        child.state |= min((parent.state >> STATE_HALFMOVE_CLOCK) + 1, 127u) << STATE_HALFMOVE_CLOCK;
    }
    store_quad(successors, index, child);
}
