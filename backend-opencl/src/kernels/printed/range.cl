// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// Which successors are kept: all, the positions of a range, the positions from which a move may lead into the range, or the positions
// with reversed keys in the range.
#define FILTER_ALL 0u
#define FILTER_WITHIN 1u
#define FILTER_BEFORE 2u
#define FILTER_WITHIN_REVERSED 3u

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

INLINE bool is_less(Key a, Key b) {
    if (is_lower(a.own, b.own)) {
        return true;
    }
    if (is_lower(b.own, a.own)) {
        return false;
    }
    if (is_lower(a.theirs, b.theirs)) {
        return true;
    }
    return !is_lower(b.theirs, a.theirs) && a.hash < b.hash;
}

// Whether the range has the key, or the reversed key, of a position with this hash.
INLINE bool range_has(KeyRange range, Position position, uint hash, bool is_reversed) {
    const ulong pawns = pawns_of(position);
    Key key = {pawns & position.own, pawns & ~position.own, hash};
    if (is_reversed) {
        key = (Key){key.theirs, key.own, hash};
    }
    return !is_less(key, range.first) && !is_less(range.last, key);
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

// Returns the squares on which the position's pawns may capture.
INLINE ulong pawn_targets(Position position) {
    return (occupied_of(position) & ~position.own) | position.en_passant;
}

// Whether a move may lead from the position into the range, judged by pawns alone.
INLINE bool may_follow(KeyRange range, Position parent) {
    const ulong occupied = occupied_of(parent);
    const ulong pawns = pawns_of(parent);
    const ulong mine = pawns & parent.own;
    const ulong theirs = pawns & ~parent.own;
    bool follows = is_between(theirs, range.first.own, range.last.own);
    ulong rest = theirs;
    while (nonempty(rest) && !follows) {
        follows = is_between(theirs ^ lowest(rest), range.first.own, range.last.own);
        rest = without_lowest(rest);
    }
    if (!follows || is_lower(range.first.own, range.last.own)) {
        return follows;
    }
    const ulong least = range.first.theirs;
    const ulong greatest = range.last.theirs;
    return is_between(mine, least, greatest)
        || nonempty(pawn_moves_into(mine, occupied, pawn_targets(parent), least, greatest));
}

// Whether a move may lead from the position into the range of reversed keys, judged by pawns alone.
INLINE bool may_follow_reversed(KeyRange range, Position parent) {
    const ulong mine = pawns_of(parent) & parent.own;
    const ulong least = range.first.own;
    const ulong greatest = range.last.own;
    return is_between(mine, least, greatest)
        || nonempty(pawn_moves_into(mine, occupied_of(parent), pawn_targets(parent), least, greatest));
}

// Whether the position may have a successor that is kept.
INLINE bool may_precede_kept(KeyRange range, Position position, uint filter_kind) {
    if (filter_kind == FILTER_WITHIN_REVERSED) {
        return may_follow_reversed(range, position);
    }
    return may_follow(range, position);
}

// Returns squares such that every move of the position to a successor that is kept lands on one of them, except for promotions and
// en-passant captures.
INLINE ulong squares_to_kept(KeyRange range, Position position, uint filter_kind) {
    if (filter_kind == FILTER_WITHIN) {
        return squares_into(range, position);
    }
    if (filter_kind == FILTER_BEFORE) {
        return squares_before(range, position);
    }
    if (filter_kind == FILTER_WITHIN_REVERSED) {
        return squares_into_reversed(range, position);
    }
    return ALL;
}

// Whether a successor with this hash is kept.
INLINE bool is_kept(KeyRange range, Position position, uint hash, uint filter_kind) {
    if (filter_kind == FILTER_ALL) {
        return true;
    }
    if (filter_kind == FILTER_BEFORE) {
        return may_follow(range, position);
    }
    return range_has(range, position, hash, filter_kind == FILTER_WITHIN_REVERSED);
}
