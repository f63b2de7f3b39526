// Makes moves. A packed move is one word:
//
// | bits | meaning |
// |---|---|
// | 0 to 5, 6 to 11 | from, to; in castling, the king's squares |
// | 12 to 14 | code of the piece that stands on `to` afterwards |
// | 15, 16 | kind of move |
//
// An item is a move of a position: the packed move, and the position's index.

const TO: u32 = 6u;
const CODE: u32 = 12u;
const KIND: u32 = 15u;

const EN_PASSANT: u32 = 1u;
const CASTLING: u32 = 2u;
/// A double push after which an en-passant capture is legal.
const PASSING: u32 = 3u;

/// Packs a move.
fn pack_move(origin: u32, to: u32, code: u32, kind: u32) -> u32 {
    return origin | (to << TO) | (code << CODE) | (kind << KIND);
}

/// Returns the square that a move leaves.
fn from_of(packed_move: u32) -> u32 {
    return packed_move & 63u;
}

/// Returns the square where a move ends.
fn to_of(packed_move: u32) -> u32 {
    return (packed_move >> TO) & 63u;
}

/// Returns the code of the piece on the to-square after the move.
fn code_of(packed_move: u32) -> u32 {
    return (packed_move >> CODE) & 7u;
}

/// Returns the kind of a move.
fn kind_of(packed_move: u32) -> u32 {
    return (packed_move >> KIND) & 3u;
}

/// Returns the position after castling, as its mover sees it.
fn castled(parent: Position, to: u32) -> Position {
    let king = parent.own & ~parent.bit1 & parent.bit2 & parent.bit4;
    let rooks = parent.own & parent.bit1 & parent.bit2 & parent.bit4;
    let kingside = to == 6u;
    let rook = rooks & select(below(king), ~below(king), kingside);
    let king_to = join(select(C1, G1, kingside), 0u);
    let rook_to = join(select(D1, F1, kingside), 0u);
    let cleared = ~(king | rook);
    return Position(
        parent.bit1 & cleared,
        (parent.bit2 & cleared) | king_to,
        (parent.bit4 & cleared) | king_to | rook_to,
        (parent.own & cleared) | king_to | rook_to,
        NONE,
    );
}

/// Returns the position after a move, as its mover sees it. After a king's move, the mover's castling rooks are still
/// marked.
fn patched(parent: Position, packed_move: u32) -> Position {
    let to = bit(to_of(packed_move));
    let kept = ~(bit(from_of(packed_move)) | to);
    let code = code_of(packed_move);
    var child = Position(
        (parent.bit1 & kept) | select(NONE, to, (code & 1u) != 0u),
        (parent.bit2 & kept) | select(NONE, to, (code & 2u) != 0u),
        (parent.bit4 & kept) | select(NONE, to, (code & 4u) != 0u),
        (parent.own & kept) | to,
        NONE,
    );
    let kind = kind_of(packed_move);
    if kind != 0u {
        if kind == EN_PASSANT {
            let victim = south_step(to);
            child.bit1 &= ~victim;
            child.bit2 &= ~victim;
            child.bit4 &= ~victim;
        } else if kind == CASTLING {
            child = castled(parent, to_of(packed_move));
        } else {
            child.en_passant = south_step(to);
        }
    }
    return child;
}

/// Returns the position after a move, as the other side sees it.
fn made(parent: Position, packed_move: u32) -> Position {
    var child = patched(parent, packed_move);
    if code_of(packed_move) == KING {
        let marked = child.bit1 & child.bit2 & child.bit4 & child.own;
        child.bit1 &= ~marked;
        child.bit2 &= ~marked;
    }
    return flipped(child);
}

/// Makes the successors, each with its parent's root.
@compute @workgroup_size(GROUP)
fn make(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = group_index(workgroup, workgroups) * GROUP + lane;
    if index < scalars.end {
        let item = items[index];
        store_position(index, made(load_position(item.y), item.x));
        successor_roots[index] = roots[item.y];
    }
}

/// Converts squares from the side to move's view to White's view.
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
fn make_quads(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = group_index(workgroup, workgroups) * GROUP + lane;
    if index < scalars.end {
        let item = items[index];
        store_quad(index, made_quad(load_quad(item.y), item.x));
    }
}
