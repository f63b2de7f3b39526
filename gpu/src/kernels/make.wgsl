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

/// Returns the code of the piece that is on the to-square after the move.
fn code_of(packed_move: u32) -> u32 {
    return (packed_move >> CODE) & 7u;
}

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

/// Whether the other side can legally capture en passant after this double push.
fn allows_en_passant(position: Position, packed_move: u32) -> bool {
    let pushed = frame_of(flipped(patched(position, packed_move)));
    let captors = en_passant_captors(pushed, lines_of(pushed.king_square));
    return nonempty(captors.from_east | captors.from_west);
}
