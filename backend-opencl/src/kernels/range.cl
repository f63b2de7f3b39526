// Ranges of positions with similar pawns. `merge/range.rs` of kogge-board describes keys and ranges.

// Which successors are kept: all, the positions of a range, the positions from which a move may lead into the range, or the positions
// with reversed keys in the range.
#define KEPT_ALL 0u
#define KEPT_WITHIN 1u
#define KEPT_BEFORE 2u
#define KEPT_WITHIN_REVERSED 3u

// The place of a position in its ply: the pawns of the side to move, the pawns of the other side, and a hash. In a reversed key the
// sides change places: its `own` pawns are the other side's.
typedef struct {
    ulong own, theirs;
    uint hash;
} Key;

// All keys from one to another, both included.
typedef struct {
    Key first, last;
} KeyRange;

// The range that the scalars of a kernel describe.
#define RANGE_OF_SCALARS                                                                                              \
    {{(ulong) first_own_high << 32 | first_own_low, (ulong) first_theirs_high << 32 | first_theirs_low, first_hash},  \
     {(ulong) last_own_high << 32 | last_own_low, (ulong) last_theirs_high << 32 | last_theirs_low, last_hash}}

// Returns the pawns of both sides.
INLINE ulong pawns_of(Position position) {
    return position.bit1 & ~(position.bit2 | position.bit4);
}

// Whether one key is less than another.
INLINE bool is_less(Key a, Key b) {
    return a.own != b.own ? a.own < b.own : a.theirs != b.theirs ? a.theirs < b.theirs : a.hash < b.hash;
}

// Whether the range has the key, or the reversed key, of a position with this hash.
INLINE bool range_has(KeyRange range, Position position, uint hash, bool is_reversed) {
    const ulong pawns = pawns_of(position), own = pawns & position.own, theirs = pawns & ~position.own;
    const Key key = {is_reversed ? theirs : own, is_reversed ? own : theirs, hash};
    return !is_less(key, range.first) && !is_less(range.last, key);
}

// Whether pawns, flipped, lie from the least to the greatest, both included.
INLINE bool is_between(ulong pawns, ulong least, ulong greatest) {
    const ulong flipped_pawns = flip(pawns);
    return least <= flipped_pawns && flipped_pawns <= greatest;
}

// Returns the squares of the pawn moves that lead to pawns from the least to the greatest. The moves come from this far below
// their squares. A pawn on the last rank becomes another piece.
INLINE ulong pawn_squares_into(ulong pawns, ulong squares, uint distance, ulong least, ulong greatest) {
    ulong found = 0;
    for (; squares; squares &= squares - 1) {
        const ulong square = lowest(squares);
        if (is_between(pawns ^ (square >> distance | (square & ~RANK_8)), least, greatest)) {
            found |= square;
        }
    }
    return found;
}

// Returns the squares of all pawn moves that lead to pawns from the least to the greatest. Captures land on the targets.
INLINE ulong pawn_moves_into(ulong pawns, ulong occupied, ulong targets, ulong least, ulong greatest) {
    const ulong pushed = pawns << 8 & ~occupied;
    return pawn_squares_into(pawns, pushed, 8, least, greatest) |
           pawn_squares_into(pawns, (pushed & THIRD_RANK) << 8 & ~occupied, 16, least, greatest) |
           pawn_squares_into(pawns, (pawns & NOT_FILE_A) << 7 & targets, 7, least, greatest) |
           pawn_squares_into(pawns, (pawns & NOT_FILE_H) << 9 & targets, 9, least, greatest);
}

// Returns squares such that every move from the position into the range lands on one of them, except for en-passant captures.
// Other moves land there, too: only pawns are looked at.
INLINE ulong squares_into(KeyRange range, Position parent) {
    const ulong occupied = occupied_of(parent), pawns = pawns_of(parent);
    const ulong mine = pawns & parent.own, theirs = pawns & ~parent.own;
    // A move takes at most one pawn.
    ulong squares = 0;
    for (ulong rest = theirs; rest; rest &= rest - 1) {
        if (is_between(theirs ^ lowest(rest), range.first.own, range.last.own)) {
            squares |= lowest(rest);
        }
    }
    if (!is_between(theirs, range.first.own, range.last.own)) {
        return squares;
    }
    const ulong least = range.first.theirs, greatest = range.last.theirs;
    if (range.first.own < range.last.own || is_between(mine, least, greatest)) {
        return squares | ~theirs;
    }
    return squares | pawn_moves_into(mine, occupied, occupied & ~parent.own & ~theirs, least, greatest);
}

// Returns squares such that every move from the position into the range of reversed keys lands on one of them, except for en-passant
// captures. Other moves land there, too.
INLINE ulong squares_into_reversed(KeyRange range, Position parent) {
    const ulong occupied = occupied_of(parent), mine = pawns_of(parent) & parent.own;
    const ulong least = range.first.own, greatest = range.last.own;
    return is_between(mine, least, greatest) ? ~0UL : pawn_moves_into(mine, occupied, occupied & ~parent.own, least, greatest);
}

// Whether these pawns, with or without one of them, lie from the least to the greatest.
INLINE bool is_near(ulong pawns, ulong least, ulong greatest) {
    bool found = least <= pawns && pawns <= greatest;
    for (ulong rest = pawns; rest && !found; rest &= rest - 1) {
        const ulong others = pawns ^ lowest(rest);
        found = least <= others && others <= greatest;
    }
    return found;
}

// Returns squares such that every move of the position that may be followed by a move into the range lands on one of them,
// except for promotions and en-passant captures. Other moves land there, too.
INLINE ulong squares_before(KeyRange range, Position parent) {
    // The board is flipped twice, so the pawns of the side to move are seen as in the range.
    const ulong occupied = occupied_of(parent), mine = pawns_of(parent) & parent.own;
    const ulong least = range.first.own, greatest = range.last.own;
    if (is_near(mine, least, greatest)) {
        return ~0UL;
    }
    const ulong targets = occupied & ~parent.own, pushed = mine << 8 & ~occupied;
    const ulong by_distance[4] = {pushed, (pushed & THIRD_RANK) << 8 & ~occupied, (mine & NOT_FILE_A) << 7 & targets,
                                  (mine & NOT_FILE_H) << 9 & targets};
    const uint distances[4] = {8, 16, 7, 9};
    ulong squares = 0;
    for (uint index = 0; index < 4; ++index) {
        for (ulong rest = by_distance[index]; rest; rest &= rest - 1) {
            const ulong square = lowest(rest);
            if (is_near(mine ^ (square | square >> distances[index]), least, greatest)) {
                squares |= square;
            }
        }
    }
    return squares;
}

// Returns the squares on which the position's pawns may capture.
INLINE ulong pawn_targets(Position position) {
    return (occupied_of(position) & ~position.own) | position.en_passant;
}

// Whether a move may lead from the position into the range, judged by pawns alone.
INLINE bool may_follow(KeyRange range, Position parent) {
    const ulong occupied = occupied_of(parent), pawns = pawns_of(parent);
    const ulong mine = pawns & parent.own, theirs = pawns & ~parent.own;
    // A move takes at most one pawn.
    bool follows = is_between(theirs, range.first.own, range.last.own);
    for (ulong rest = theirs; rest && !follows; rest &= rest - 1) {
        follows = is_between(theirs ^ lowest(rest), range.first.own, range.last.own);
    }
    if (!follows || range.first.own < range.last.own) {
        return follows;
    }
    const ulong least = range.first.theirs, greatest = range.last.theirs;
    return is_between(mine, least, greatest) || pawn_moves_into(mine, occupied, pawn_targets(parent), least, greatest);
}

// Whether a move may lead from the position into the range of reversed keys, judged by pawns alone.
INLINE bool may_follow_reversed(KeyRange range, Position parent) {
    const ulong mine = pawns_of(parent) & parent.own, least = range.first.own, greatest = range.last.own;
    return is_between(mine, least, greatest) ||
           pawn_moves_into(mine, occupied_of(parent), pawn_targets(parent), least, greatest);
}

// Whether the position may have a successor that is kept.
INLINE bool may_precede_kept(uint kept, KeyRange range, Position position) {
    return kept == KEPT_WITHIN_REVERSED ? may_follow_reversed(range, position) : may_follow(range, position);
}

// Returns squares such that every move of the position to a successor that is kept lands on one of them, except for promotions and
// en-passant captures.
INLINE ulong squares_to_kept(uint kept, KeyRange range, Position position) {
    switch (kept) {
    case KEPT_WITHIN:
        return squares_into(range, position);
    case KEPT_BEFORE:
        return squares_before(range, position);
    case KEPT_WITHIN_REVERSED:
        return squares_into_reversed(range, position);
    default:
        return ~0UL;
    }
}

// Whether a successor with this hash is kept.
INLINE bool is_kept(uint kept, KeyRange range, Position position, uint hash) {
    switch (kept) {
    case KEPT_ALL:
        return true;
    case KEPT_BEFORE:
        return may_follow(range, position);
    default:
        return range_has(range, position, hash, kept == KEPT_WITHIN_REVERSED);
    }
}
