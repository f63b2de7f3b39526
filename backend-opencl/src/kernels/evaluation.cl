// The evaluation of kogge-board: the same sets of squares, the same table of weights, the same integers.

// One side's men, on a board where that side moves up.
typedef struct {
    ulong pawns, knights, bishops, rooks, queens, king, all;
} Men;

// Returns the men on these squares.
INLINE Men men_of(Position position, ulong squares) {
    const ulong bit1 = position.bit1 & squares, bit2 = position.bit2 & squares, bit4 = position.bit4 & squares;
    return (Men){
        bit1 & ~bit2 & ~bit4,
        ~bit1 & bit2 & ~bit4,
        bit1 & bit2 & ~bit4,
        // A rook that may castle has all bits.
        bit4 & ~(bit1 ^ bit2),
        bit1 & ~bit2 & bit4,
        ~bit1 & bit2 & bit4,
        squares,
    };
}

// Returns the men on the board upside down.
INLINE Men flipped_men(Men men) {
    return (Men){
        flip(men.pawns),
        flip(men.knights),
        flip(men.bishops),
        flip(men.rooks),
        flip(men.queens),
        flip(men.king),
        flip(men.all),
    };
}

// Returns all squares from these to the upper ends of their files.
INLINE ulong up_files(ulong board) {
    board |= board << 8;
    board |= board << 16;
    return board | board << 32;
}

// Returns all squares from these to the lower ends of their files.
INLINE ulong down_files(ulong board) {
    board |= board >> 8;
    board |= board >> 16;
    return board | board >> 32;
}

// Returns the neighbours on the same rank.
INLINE ulong beside(ulong board) {
    return east_step(board) | west_step(board);
}

// Returns the middlegame (x) and the endgame value (y) of a side's features, and finds the squares that its men other than
// the king attack.
INLINE int2 weighted_features(Men own, Men their, ulong *attacks) {
    const ulong empty = ~(own.all | their.all);
    const ulong files = up_files(down_files(own.pawns));
    const ulong stoppers = down_files(their.pawns) >> 8;
    const ulong guarded = pawn_attacks_up(own.pawns);
    const ulong half_open = own.rooks & ~files;
    const ulong before_king = own.king << 8 | own.king << 16;

    const ulong hostile = pawn_attacks_down(their.pawns);
    const ulong allowed = ~(own.all | hostile);
    const ulong diagonal = own.bishops | own.queens, orthogonal = own.rooks | own.queens;
    const ulong by_knights = knight_attacks(own.knights);
    const ulong by_diagonal = north_east_attacks(diagonal, empty) | north_west_attacks(diagonal, empty) |
                              south_east_attacks(diagonal, empty) | south_west_attacks(diagonal, empty);
    const ulong by_orthogonal = north_attacks(orthogonal, empty) | south_attacks(orthogonal, empty) |
                                east_attacks(orthogonal, empty) | west_attacks(orthogonal, empty);
    const ulong attacked = by_knights | by_diagonal | by_orthogonal;
    *attacks = attacked | guarded;
    // In the order of `Feature`.
    const ulong features[FEATURES] = {
        own.pawns,
        own.knights,
        own.bishops,
        own.rooks,
        own.queens,
        own.king,
        own.pawns & ~(stoppers | beside(stoppers)),
        own.pawns & ~beside(files),
        own.pawns & up_files(own.pawns) << 8,
        own.pawns & guarded,
        (own.knights | own.bishops) & guarded,
        own.bishops & (own.bishops - 1),
        half_open,
        half_open & ~up_files(down_files(their.pawns)),
        own.pawns & (before_king | beside(before_king)),
        by_knights & allowed,
        by_diagonal & allowed,
        by_orthogonal & allowed,
        attacked & king_attacks(their.king) & ~their.king,
        guarded & their.all & ~their.pawns & ~their.king,
        attacked & their.all & ~their.king & ~hostile,
    };
    int middlegame = 0, endgame = 0;
#define TERM(feature, squares, by_middlegame, by_endgame)                                                             \
    {                                                                                                                 \
        const int count = count_ones(features[feature] & squares);                                                   \
        middlegame += count * (by_middlegame);                                                                       \
        endgame += count * (by_endgame);                                                                             \
    }
    TERMS
    return (int2)(middlegame, endgame);
}

typedef struct {
    // The value of the position to the side to move, without looking ahead.
    int value;
    // Whether the side to move is in check.
    bool check;
} Evaluated;

// Evaluates a position.
INLINE Evaluated evaluated(Position position) {
    const ulong occupied = occupied_of(position);
    const Men own = men_of(position, position.own), their = men_of(position, occupied & ~position.own);
    Men us = own, them = their;
    int2 sum = 0;
    ulong attacks = 0;
    // A loop over both sides halves the length of the kernel.
    for (uint side = 0; side < 2; ++side) {
        sum = weighted_features(us, them, &attacks) - sum;
        us = flipped_men(their);
        them = flipped_men(own);
    }
    const uint minors = count_ones(own.knights | own.bishops | their.knights | their.bishops);
    const uint majors = 2 * count_ones(own.rooks | their.rooks) + 4 * count_ones(own.queens | their.queens);
    const int phase = min(minors + majors, PHASE);
    // The division rounds towards zero, so that both sides see the same value.
    const int score = -(sum.x * phase + sum.y * ((int) PHASE - phase)) / (int) PHASE;
    // Neither side can ever mate with a lone knight or bishop.
    const bool drawn = minors <= 1 && majors == 0 && !(own.pawns | their.pawns);
    return (Evaluated){drawn ? 0 : clamp(score + TEMPO, -MOST_CENTIPAWNS, MOST_CENTIPAWNS), (attacks & them.king) != 0};
}
