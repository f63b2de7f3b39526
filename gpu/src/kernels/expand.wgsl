// The kernels that load positions from the host, and expand them in generation order.

/// `Quad48`: white, pawns with the state on ranks 1 and 8, knights, bishops|queens, rooks|queens, kings.
struct Quad {
    white: Board,
    pawns: Board,
    knights: Board,
    bishops_queens: Board,
    rooks_queens: Board,
    kings: Board,
    /// The 16 bits of `State`.
    state: u32,
}

const STATE_BLACK: u32 = 1u;
const STATE_CASTLING: u32 = 0x1eu;
const STATE_EN_PASSANT: u32 = 0x100u;
const STATE_EN_PASSANT_FILE: u32 = 5u;
const STATE_HALFMOVE_CLOCK: u32 = 9u;

fn load_quad(index: u32) -> Quad {
    let first = quads[3u * index];
    let second = quads[3u * index + 1u];
    let third = quads[3u * index + 2u];
    return Quad(
        join(first.x, first.y),
        join(first.z, first.w) & PAWN_RANKS,
        join(second.x, second.y),
        join(second.z, second.w),
        join(third.x, third.y),
        join(third.z, third.w),
        (first.z & 0xffu) | ((first.w >> 16u) & 0xff00u),
    );
}

fn store_quad(index: u32, quad: Quad) {
    successor_quads[3u * index] = vec4<u32>(
        low(quad.white),
        high(quad.white),
        low(quad.pawns) | (quad.state & 0xffu),
        high(quad.pawns) | ((quad.state & 0xff00u) << 16u),
    );
    successor_quads[3u * index + 1u] =
        vec4<u32>(low(quad.knights), high(quad.knights), low(quad.bishops_queens), high(quad.bishops_queens));
    successor_quads[3u * index + 2u] =
        vec4<u32>(low(quad.rooks_queens), high(quad.rooks_queens), low(quad.kings), high(quad.kings));
}

/// Returns the square of the rook of a castling right, K Q k q as 0 to 3. The rules hold the four files in four bytes.
fn castling_rook(right: u32) -> Board {
    let file = (scalars.castling_files >> (8u * right)) & 7u;
    return bit(select(file + 56u, file, right < 2u));
}

/// Returns a position as the side to move sees it.
fn position_of(quad: Quad) -> Position {
    let occupied = quad.pawns | quad.knights | quad.bishops_queens | quad.rooks_queens | quad.kings;
    let white = quad.white & occupied;
    let queens = quad.bishops_queens & quad.rooks_queens;
    let rooks = quad.rooks_queens & ~queens;
    var castling_rooks = NONE;
    for (var right = 0u; right < 4u; right++) {
        if ((quad.state >> (1u + right)) & 1u) != 0u {
            castling_rooks |= castling_rook(right) & rooks & select(~white, white, right < 2u);
        }
    }
    let black = (quad.state & STATE_BLACK) != 0u;
    let file = (quad.state >> STATE_EN_PASSANT_FILE) & 7u;
    let en_passant = bit(file + select(40u, 16u, black)) & ~occupied;
    let position = Position(
        quad.pawns | quad.bishops_queens | castling_rooks,
        quad.knights | (quad.bishops_queens & ~queens) | quad.kings | castling_rooks,
        quad.rooks_queens | quad.kings,
        white,
        select(NONE, en_passant, (quad.state & STATE_EN_PASSANT) != 0u),
    );
    if black {
        return flipped(position);
    }
    return position;
}

/// Converts positions from the host; each becomes a root.
@compute @workgroup_size(GROUP)
fn upload(id: Invocation) {
    let index = group_index(id) * GROUP + id.lane;
    if index < scalars.end {
        store_position(index, position_of(load_quad(index)));
        successor_roots[index] = index;
    }
}

/// Counts the legal moves of each position.
@compute @workgroup_size(GROUP)
fn count(id: Invocation) {
    let index = group_index(id) * GROUP + id.lane;
    if index < scalars.end {
        // No legal position has more moves, and the count of an illegal position must not exceed this either.
        new_counts[index] = min(count_moves_of(load_position(index), false), MOST_MOVES);
    }
}

/// Writes the legal moves of each position of some blocks of work-group size. A position's moves begin at its block's base
/// (relative to the first block's base) plus the position's offset in the block.
@compute @workgroup_size(GROUP)
fn write_moves(id: Invocation) {
    let index = scalars.first + group_index(id) * GROUP + id.lane;
    if index >= scalars.end {
        return;
    }
    let at = bases[index / GROUP] - bases[scalars.first / GROUP] + offsets[index];
    var out = Writer(at, at + counts[index], index);
    let position = load_position(index);
    let frame = frame_of(position);
    let axes = lines_of(frame.king_square);
    let limits = limits_of(frame, axes);
    captures(&out, frame, axes, limits);
    quiets(&out, position, frame, axes, limits);
    // Only an illegal position has fewer moves than were counted. The rest of its room must not keep items of other
    // positions.
    while out.at < out.end {
        emit(&out, 0u, 0u, KNIGHT, 0u);
    }
}

/// Makes the successors, each with its parent's root.
@compute @workgroup_size(GROUP)
fn make(id: Invocation) {
    let index = group_index(id) * GROUP + id.lane;
    if index < scalars.end {
        let item = items[index];
        store_position(index, made(load_position(item.y), item.x));
        successor_roots[index] = roots[item.y];
    }
}

/// Converts squares from the side to move's view to white's view.
fn real(board: Board, black: bool) -> Board {
    if black {
        return flip(board);
    }
    return board;
}

/// Returns the position after a move, in the form that leaves the device.
fn made_quad(parent: Quad, packed_move: u32) -> Quad {
    let code = code_of(packed_move);
    let kind = kind_of(packed_move);
    let black = (parent.state & STATE_BLACK) != 0u;
    let origin = real(bit(from_of(packed_move)), black);
    let to = real(bit(to_of(packed_move)), black);
    let occupied = parent.pawns | parent.knights | parent.bishops_queens | parent.rooks_queens | parent.kings;
    let own = select(parent.white, ~parent.white, black);

    var changed = origin | to;
    var rook_to = NONE;
    if kind == CASTLING {
        // In Chess960 the castling rook may stand on `to`, and the king may stay where it is.
        let kingside = to_of(packed_move) == 6u;
        let rook = castling_rook(select(0u, 2u, black) + select(1u, 0u, kingside));
        rook_to = real(join(select(D1, F1, kingside), 0u), black);
        changed = origin | rook;
    } else if kind == EN_PASSANT {
        changed |= select(south_step(to), north_step(to), black);
    }
    let added = to | rook_to;
    let kept = ~changed;
    var child = Quad(
        (parent.white & kept) | select(added, NONE, black),
        (parent.pawns & kept) | select(NONE, to, code == PAWN),
        (parent.knights & kept) | select(NONE, to, code == KNIGHT),
        (parent.bishops_queens & kept) | select(NONE, to, code == BISHOP || code == QUEEN),
        (parent.rooks_queens & kept) | select(NONE, to, code == ROOK || code == QUEEN) | rook_to,
        (parent.kings & kept) | select(NONE, to, code == KING),
        (parent.state & STATE_CASTLING) | select(STATE_BLACK, 0u, black),
    );
    // A castling right ends when its king or rook leaves its square, or is captured there.
    let left = select(origin | to, origin, kind == CASTLING);
    for (var right = 0u; right < 4u; right++) {
        let king = parent.kings & select(~parent.white, parent.white, right < 2u);
        if nonempty(left & (castling_rook(right) | king)) {
            child.state &= ~(2u << right);
        }
    }
    if kind == PASSING {
        child.state |= STATE_EN_PASSANT | ((packed_move & 7u) << STATE_EN_PASSANT_FILE);
    }
    let resets = nonempty(parent.pawns & origin) || nonempty(to & occupied & ~own);
    if scalars.halfmove_clock != 0u && !resets {
        child.state |= min((parent.state >> STATE_HALFMOVE_CLOCK) + 1u, 127u) << STATE_HALFMOVE_CLOCK;
    }
    return child;
}

/// Makes the successors in the form that leaves the device.
@compute @workgroup_size(GROUP)
fn make_quads(id: Invocation) {
    let index = group_index(id) * GROUP + id.lane;
    if index < scalars.end {
        let item = items[index];
        store_quad(index, made_quad(load_quad(item.y), item.x));
    }
}
