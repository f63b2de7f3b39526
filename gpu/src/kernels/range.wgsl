// Ranges of positions with similar pawns. `merge/range.rs` of kogge-board describes keys and ranges.

/// Which successors are kept: all, the positions of a range, the positions from which a move may lead into the range, or the positions
/// with reversed keys in the range.
const FILTER_ALL: u32 = 0u;
const FILTER_WITHIN: u32 = 1u;
const FILTER_BEFORE: u32 = 2u;
const FILTER_WITHIN_REVERSED: u32 = 3u;

/// The place of a position in its ply: the pawns of the side to move, the pawns of the other side, and a hash. In a reversed key the
/// sides change places: its `own` pawns are the other side's.
struct Key {
    own: Board,
    theirs: Board,
    hash: u32,
}

/// All keys from one to another, both included.
struct KeyRange {
    first: Key,
    last: Key,
}

/// Returns the range that the scalars describe.
fn range_of_scalars() -> KeyRange {
    let first = Key(
        join(scalars.first_own_low, scalars.first_own_high),
        join(scalars.first_theirs_low, scalars.first_theirs_high),
        scalars.first_hash,
    );
    let last = Key(
        join(scalars.last_own_low, scalars.last_own_high),
        join(scalars.last_theirs_low, scalars.last_theirs_high),
        scalars.last_hash,
    );
    return KeyRange(first, last);
}

/// Returns the pawns of both sides.
fn pawns_of(position: Position) -> Board {
    return position.bit1 & ~(position.bit2 | position.bit4);
}

fn is_less(a: Key, b: Key) -> bool {
    if is_lower(a.own, b.own) {
        return true;
    }
    if is_lower(b.own, a.own) {
        return false;
    }
    if is_lower(a.theirs, b.theirs) {
        return true;
    }
    return !is_lower(b.theirs, a.theirs) && a.hash < b.hash;
}

/// Whether the range has the key, or the reversed key, of a position with this hash.
fn range_has(range: KeyRange, position: Position, hash: u32, is_reversed: bool) -> bool {
    let pawns = pawns_of(position);
    var key = Key(pawns & position.own, pawns & ~position.own, hash);
    if is_reversed {
        key = Key(key.theirs, key.own, hash);
    }
    return !is_less(key, range.first) && !is_less(range.last, key);
}

/// Whether pawns, flipped, lie from the least to the greatest, both included.
fn is_between(pawns: Board, least: Board, greatest: Board) -> bool {
    let flipped_pawns = flip(pawns);
    return !is_lower(flipped_pawns, least) && !is_lower(greatest, flipped_pawns);
}

/// Returns the squares of the pawn moves that lead to pawns from the least to the greatest. The moves come from this far below
/// their squares. A pawn on the last rank becomes another piece.
fn pawn_squares_into(pawns: Board, squares: Board, distance: u32, least: Board, greatest: Board) -> Board {
    var found = NONE;
    var rest = squares;
    while nonempty(rest) {
        let square = lowest(rest);
        if is_between(pawns ^ (down(square, distance) | (square & ~RANK_8)), least, greatest) {
            found |= square;
        }
        rest = without_lowest(rest);
    }
    return found;
}

/// Returns the squares of all pawn moves that lead to pawns from the least to the greatest. Captures land on the targets.
fn pawn_moves_into(pawns: Board, occupied: Board, targets: Board, least: Board, greatest: Board) -> Board {
    let pushed = up(pawns, 8u) & ~occupied;
    return pawn_squares_into(pawns, pushed, 8u, least, greatest) |
        pawn_squares_into(pawns, up(pushed & THIRD_RANK, 8u) & ~occupied, 16u, least, greatest) |
        pawn_squares_into(pawns, up(pawns & NOT_FILE_A, 7u) & targets, 7u, least, greatest) |
        pawn_squares_into(pawns, up(pawns & NOT_FILE_H, 9u) & targets, 9u, least, greatest);
}

/// Returns squares such that every move from the position into the range lands on one of them, except for en-passant captures.
/// Other moves land there, too: only pawns are looked at.
fn squares_into(range: KeyRange, parent: Position) -> Board {
    let occupied = occupied_of(parent);
    let pawns = pawns_of(parent);
    let mine = pawns & parent.own;
    let theirs = pawns & ~parent.own;
    // A move takes at most one pawn.
    var squares = NONE;
    var rest = theirs;
    while nonempty(rest) {
        let square = lowest(rest);
        if is_between(theirs ^ square, range.first.own, range.last.own) {
            squares |= square;
        }
        rest = without_lowest(rest);
    }
    if !is_between(theirs, range.first.own, range.last.own) {
        return squares;
    }
    let least = range.first.theirs;
    let greatest = range.last.theirs;
    if is_lower(range.first.own, range.last.own) || is_between(mine, least, greatest) {
        return squares | ~theirs;
    }
    return squares | pawn_moves_into(mine, occupied, occupied & ~parent.own & ~theirs, least, greatest);
}

/// Returns squares such that every move from the position into the range of reversed keys lands on one of them, except for en-passant
/// captures. Other moves land there, too.
fn squares_into_reversed(range: KeyRange, parent: Position) -> Board {
    let occupied = occupied_of(parent);
    let mine = pawns_of(parent) & parent.own;
    let least = range.first.own;
    let greatest = range.last.own;
    if is_between(mine, least, greatest) {
        return ALL;
    }
    return pawn_moves_into(mine, occupied, occupied & ~parent.own, least, greatest);
}

/// Whether these pawns, with or without one of them, lie from the least to the greatest.
fn is_near(pawns: Board, least: Board, greatest: Board) -> bool {
    var found = !is_lower(pawns, least) && !is_lower(greatest, pawns);
    var rest = pawns;
    while nonempty(rest) && !found {
        let others = pawns ^ lowest(rest);
        found = !is_lower(others, least) && !is_lower(greatest, others);
        rest = without_lowest(rest);
    }
    return found;
}

/// Returns the squares of the pawn moves that lead to pawns near these. The moves come from this far below their squares.
fn pawn_squares_near(pawns: Board, squares: Board, distance: u32, least: Board, greatest: Board) -> Board {
    var found = NONE;
    var rest = squares;
    while nonempty(rest) {
        let square = lowest(rest);
        if is_near(pawns ^ (square | down(square, distance)), least, greatest) {
            found |= square;
        }
        rest = without_lowest(rest);
    }
    return found;
}

/// Returns squares such that every move of the position that may be followed by a move into the range lands on one of them,
/// except for promotions and en-passant captures. Other moves land there, too.
fn squares_before(range: KeyRange, parent: Position) -> Board {
    // The board is flipped twice, so the pawns of the side to move are seen as in the range.
    let occupied = occupied_of(parent);
    let mine = pawns_of(parent) & parent.own;
    let least = range.first.own;
    let greatest = range.last.own;
    if is_near(mine, least, greatest) {
        return ALL;
    }
    let targets = occupied & ~parent.own;
    let pushed = up(mine, 8u) & ~occupied;
    return pawn_squares_near(mine, pushed, 8u, least, greatest) |
        pawn_squares_near(mine, up(pushed & THIRD_RANK, 8u) & ~occupied, 16u, least, greatest) |
        pawn_squares_near(mine, up(mine & NOT_FILE_A, 7u) & targets, 7u, least, greatest) |
        pawn_squares_near(mine, up(mine & NOT_FILE_H, 9u) & targets, 9u, least, greatest);
}

/// Returns the squares on which the position's pawns may capture.
fn pawn_targets(position: Position) -> Board {
    return (occupied_of(position) & ~position.own) | position.en_passant;
}

/// Whether a move may lead from the position into the range, judged by pawns alone.
fn may_follow(range: KeyRange, parent: Position) -> bool {
    let occupied = occupied_of(parent);
    let pawns = pawns_of(parent);
    let mine = pawns & parent.own;
    let theirs = pawns & ~parent.own;
    // A move takes at most one pawn.
    var follows = is_between(theirs, range.first.own, range.last.own);
    var rest = theirs;
    while nonempty(rest) && !follows {
        follows = is_between(theirs ^ lowest(rest), range.first.own, range.last.own);
        rest = without_lowest(rest);
    }
    if !follows || is_lower(range.first.own, range.last.own) {
        return follows;
    }
    let least = range.first.theirs;
    let greatest = range.last.theirs;
    return is_between(mine, least, greatest) ||
        nonempty(pawn_moves_into(mine, occupied, pawn_targets(parent), least, greatest));
}

/// Whether a move may lead from the position into the range of reversed keys, judged by pawns alone.
fn may_follow_reversed(range: KeyRange, parent: Position) -> bool {
    let mine = pawns_of(parent) & parent.own;
    let least = range.first.own;
    let greatest = range.last.own;
    return is_between(mine, least, greatest) ||
        nonempty(pawn_moves_into(mine, occupied_of(parent), pawn_targets(parent), least, greatest));
}

/// Whether the position may have a successor that is kept.
fn may_precede_kept(range: KeyRange, position: Position) -> bool {
    if scalars.filter_kind == FILTER_WITHIN_REVERSED {
        return may_follow_reversed(range, position);
    }
    return may_follow(range, position);
}

/// Returns squares such that every move of the position to a successor that is kept lands on one of them, except for promotions and
/// en-passant captures.
fn squares_to_kept(range: KeyRange, position: Position) -> Board {
    if scalars.filter_kind == FILTER_WITHIN {
        return squares_into(range, position);
    }
    if scalars.filter_kind == FILTER_BEFORE {
        return squares_before(range, position);
    }
    if scalars.filter_kind == FILTER_WITHIN_REVERSED {
        return squares_into_reversed(range, position);
    }
    return ALL;
}

/// Whether a successor with this hash is kept.
fn is_kept(range: KeyRange, position: Position, hash: u32) -> bool {
    if scalars.filter_kind == FILTER_ALL {
        return true;
    }
    if scalars.filter_kind == FILTER_BEFORE {
        return may_follow(range, position);
    }
    return range_has(range, position, hash, scalars.filter_kind == FILTER_WITHIN_REVERSED);
}
