// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define STATE_BLACK 1u
#define STATE_CASTLING 30u
#define STATE_EN_PASSANT 256u
#define STATE_EN_PASSANT_FILE 5u
#define STATE_HALFMOVE_CLOCK 9u

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

INLINE Quad load_quad(uint index, __global const uint4 *restrict quads) {
    const uint4 first = quads[3u * index];
    const uint4 second = quads[3u * index + 1u];
    const uint4 third = quads[3u * index + 2u];
    return (Quad){join(first.x, first.y), join(first.z, first.w) & PAWN_RANKS, join(second.x, second.y),
        join(second.z, second.w), join(third.x, third.y), join(third.z, third.w),
        (first.z & 255u) | ((first.w >> 16u) & 0xff00u)};
}

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

// Converts positions from the host, each its own root.
__kernel KERNEL void upload(
    __global uint4 *restrict successors,
    __global uint *restrict successor_roots,
    __global const uint4 *restrict quads,
    uint end,
    uint castling_files
) {
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = group_index(id) * GROUP + id.lane;
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
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = group_index(id) * GROUP + id.lane;
    if (index < end) {
        new_counts[index] = min(count_moves_of(load_position(index, positions), false, lines), MOST_MOVES);
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
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = group_index(id) * GROUP + id.lane;
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
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = group_index(id) * GROUP + id.lane;
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
    const Invocation id = {get_local_id(0), (uint3)(get_group_id(0), get_group_id(1), get_group_id(2)),
        (uint3)(get_num_groups(0), get_num_groups(1), get_num_groups(2))};
    const uint index = first + group_index(id) * GROUP + id.lane;
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
