// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define TO 6u
#define CODE 12u
#define KIND 15u
#define EN_PASSANT 1u
#define CASTLING 2u

// A double push after which an en-passant capture is legal.
#define PASSING 3u

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
