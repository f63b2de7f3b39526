// Ranges of positions with similar pawns. `merge/range.rs` of kogge-board describes keys and ranges.

// Which successors are kept: all, the positions of a range, or the positions from which a move may lead into the range.
#define KEPT_ALL 0u
#define KEPT_WITHIN 1u
#define KEPT_BEFORE 2u

// The place of a position in its ply: the pawns of the side to move, the pawns of the other side, and a hash.
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

// Whether the range has the key of a position with this hash.
INLINE bool range_has(KeyRange range, Position position, uint hash) {
    const ulong pawns = pawns_of(position);
    const Key key = {pawns & position.own, pawns & ~position.own, hash};
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
    const ulong targets = occupied & ~parent.own & ~theirs, pushed = mine << 8 & ~occupied;
    return squares | pawn_squares_into(mine, pushed, 8, least, greatest) |
           pawn_squares_into(mine, (pushed & THIRD_RANK) << 8 & ~occupied, 16, least, greatest) |
           pawn_squares_into(mine, (mine & NOT_FILE_A) << 7 & targets, 7, least, greatest) |
           pawn_squares_into(mine, (mine & NOT_FILE_H) << 9 & targets, 9, least, greatest);
}

// Whether one of some pawn moves leads to pawns from the least to the greatest. The moves come from this far below their
// squares. A pawn on the last rank becomes another piece.
INLINE bool pawn_moves_lead(ulong pawns, ulong squares, uint distance, ulong least, ulong greatest) {
    for (; squares; squares &= squares - 1) {
        const ulong square = lowest(squares);
        if (is_between(pawns ^ (square >> distance | (square & ~RANK_8)), least, greatest)) {
            return true;
        }
    }
    return false;
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
    const ulong targets = (occupied & ~parent.own) | parent.en_passant;
    const ulong pushed = mine << 8 & ~occupied;
    return is_between(mine, least, greatest) || pawn_moves_lead(mine, pushed, 8, least, greatest) ||
           pawn_moves_lead(mine, (pushed & THIRD_RANK) << 8 & ~occupied, 16, least, greatest) ||
           pawn_moves_lead(mine, (mine & NOT_FILE_A) << 7 & targets, 7, least, greatest) ||
           pawn_moves_lead(mine, (mine & NOT_FILE_H) << 9 & targets, 9, least, greatest);
}

// Whether a position with this hash is kept.
INLINE bool is_kept(uint kept, KeyRange range, Position position, uint hash) {
    return kept == KEPT_ALL || (kept == KEPT_WITHIN ? range_has(range, position, hash) : may_follow(range, position));
}
