// Makes moves. A packed move is one word:
//
// | bits | meaning |
// |---|---|
// | 0 to 5, 6 to 11 | from, to; in castling, the king's squares |
// | 12 to 14 | code of the piece that stands on `to` afterwards |
// | 15, 16 | kind of move |
//
// An item is a move of a position: the packed move in the lower half, the position's index in the upper.

#define TO 6
#define CODE 12
#define KIND 15

#define EN_PASSANT 1u
#define CASTLING 2u
// A double push after which an en-passant capture is legal.
#define PASSING 3u

// Packs a move.
INLINE uint pack_move(uint from, uint to, uint code, uint kind) {
    return from | to << TO | code << CODE | kind << KIND;
}

// Returns the square that a move leaves.
INLINE uint from_of(uint packed_move) {
    return packed_move & 63;
}

// Returns the square where a move ends.
INLINE uint to_of(uint packed_move) {
    return packed_move >> TO & 63;
}

// Returns the code of the piece on the to-square after the move.
INLINE uint code_of(uint packed_move) {
    return packed_move >> CODE & 7;
}

// Returns the kind of a move.
INLINE uint kind_of(uint packed_move) {
    return packed_move >> KIND & 3;
}

// Returns the position after castling, as its mover sees it.
INLINE Position castled(Position parent, uint to) {
    const ulong king = parent.own & ~parent.bit1 & parent.bit2 & parent.bit4;
    const ulong rooks = parent.own & parent.bit1 & parent.bit2 & parent.bit4;
    const bool kingside = to == 6;
    const ulong rook = kingside ? rooks & ~(king - 1) : rooks & (king - 1);
    const ulong king_to = kingside ? G1 : C1, rook_to = kingside ? F1 : D1;
    const ulong cleared = ~(king | rook);
    return (Position){
        parent.bit1 & cleared,
        (parent.bit2 & cleared) | king_to,
        (parent.bit4 & cleared) | king_to | rook_to,
        (parent.own & cleared) | king_to | rook_to,
        0,
    };
}

// Returns the position after a move, as its mover sees it. After a king's move, the mover's castling rooks are still
// marked.
INLINE Position patched(Position parent, uint packed_move) {
    const ulong from = 1UL << from_of(packed_move), to = 1UL << to_of(packed_move);
    const ulong kept = ~(from | to);
    Position child = {
        (parent.bit1 & kept) | (packed_move >> CODE & 1 ? to : 0),
        (parent.bit2 & kept) | (packed_move >> CODE & 2 ? to : 0),
        (parent.bit4 & kept) | (packed_move >> CODE & 4 ? to : 0),
        (parent.own & kept) | to,
        0,
    };
    const uint kind = kind_of(packed_move);
    if (kind) {
        if (kind == EN_PASSANT) {
            const ulong victim = to >> 8;
            child.bit1 &= ~victim;
            child.bit2 &= ~victim;
            child.bit4 &= ~victim;
        } else if (kind == CASTLING) {
            child = castled(parent, to_of(packed_move));
        } else {
            child.en_passant = to >> 8;
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

// Makes the successors, each with its parent's root.
__kernel KERNEL void make(
    __global const Packed *restrict positions,
    __global const uint *restrict roots,
    __global const ulong *restrict items,
    __global Packed *restrict successors,
    __global uint *restrict successor_roots,
    uint end
) {
    const uint index = get_global_id(0);
    if (index < end) {
        const ulong item = items[index];
        const uint parent = item >> 32;
        store_position(successors, index, made(load_position(positions, parent), (uint) item));
        successor_roots[index] = roots[parent];
    }
}

// Converts squares from the side to move's view to White's view.
INLINE ulong real(ulong board, bool black) {
    return black ? flip(board) : board;
}

// Returns the position after a move, in the form that leaves the device.
INLINE Quad made_quad(Quad parent, uint packed_move, uint castling_files, uint halfmove_clock) {
    const uint code = code_of(packed_move), kind = kind_of(packed_move);
    const bool black = parent.state & STATE_BLACK;
    const ulong from = real(1UL << from_of(packed_move), black), to = real(1UL << to_of(packed_move), black);
    const ulong occupied = parent.pawns | parent.knights | parent.bishops_queens | parent.rooks_queens | parent.kings;
    const ulong own = black ? ~parent.white : parent.white;

    ulong changed = from | to, rook_to = 0;
    if (kind == CASTLING) {
        // In Chess960 the castling rook may stand on `to`, and the king may stay where it is.
        const bool kingside = to_of(packed_move) == 6;
        const ulong rook = castling_rook(castling_files, (black ? 2 : 0) + (kingside ? 0 : 1));
        rook_to = real(kingside ? F1 : D1, black);
        changed = from | rook;
    } else if (kind == EN_PASSANT) {
        changed |= black ? to << 8 : to >> 8;
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
        child.state |= STATE_EN_PASSANT | (packed_move & 7) << STATE_EN_PASSANT_FILE;
    }
    const bool resets = (parent.pawns & from) != 0 || (to & occupied & ~own) != 0;
    if (halfmove_clock && !resets) {
        child.state |= min((parent.state >> STATE_HALFMOVE_CLOCK) + 1, 127u) << STATE_HALFMOVE_CLOCK;
    }
    return child;
}

// Makes the successors in the form that leaves the device.
__kernel KERNEL void make_quads(
    __global const ulong2 *restrict quads,
    __global const ulong *restrict items,
    __global ulong2 *restrict successor_quads,
    uint end,
    uint castling_files,
    uint halfmove_clock
) {
    const uint index = get_global_id(0);
    if (index < end) {
        const ulong item = items[index];
        const Quad parent = load_quad(quads, item >> 32);
        store_quad(successor_quads, index, made_quad(parent, (uint) item, castling_files, halfmove_clock));
    }
}
