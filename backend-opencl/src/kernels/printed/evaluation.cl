// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define PHASE 24u
#define TEMPO 9
#define MOST_CENTIPAWNS 30000
#define MATE 32000
#define QUIESCENCE_PLIES 6u

// The sets of squares that the evaluation counts, as `Feature` in kogge-board describes them.
typedef struct {
    ulong pawns;
    ulong knights;
    ulong bishops;
    ulong rooks;
    ulong queens;
    ulong king;
    ulong passed_pawns;
    ulong isolated_pawns;
    ulong doubled_pawns;
    ulong protected_pawns;
    ulong protected_minors;
    ulong bishop_pair;
    ulong rooks_on_half_open_files;
    ulong rooks_on_open_files;
    ulong king_shield;
    ulong knight_mobility;
    ulong diagonal_mobility;
    ulong orthogonal_mobility;
    ulong king_attack;
    ulong pawn_threats;
    ulong threats;
} Features;

// One side's men, on a board where that side moves up.
typedef struct {
    ulong pawns;
    ulong knights;
    ulong bishops;
    ulong rooks;
    ulong queens;
    ulong king;
    ulong all_;
} Men;

typedef struct {
    // The middlegame (x) and the endgame value (y) of a side's features.
    int2 sum;
    // The squares that its men other than the king attack.
    ulong attacks;
} WeightedFeatures;

typedef struct {
    // The value of the position to the side to move, without looking ahead.
    int value;
    // Whether the side to move is in check.
    bool check;
} Evaluation;

// Returns the sum of the middlegame (x) and the endgame weights (y) of a side's features.
INLINE int2 weighted_sum(Features features) {
    int2 sum = (int2)(0);
    sum += (int2)(95, 111) * (int) count_ones(features.pawns & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(6, -6) * (int) count_ones(features.pawns & join(0xff000000u, 0u));
    sum += (int2)(6, -1) * (int) count_ones(features.pawns & join(0u, 255u));
    sum += (int2)(0, 21) * (int) count_ones(features.pawns & join(0u, 0xff00u));
    sum += (int2)(34, 46) * (int) count_ones(features.pawns & join(0u, 0xff0000u));
    sum += (int2)(16, 1) * (int) count_ones(features.pawns & join(0x18000000u, 24u));
    sum += (int2)(-4, 8) * (int) count_ones(features.pawns & join(0x81818181u, 0x81818181u));
    sum += (int2)(333, 292) * (int) count_ones(features.knights & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(1, 19) * (int) count_ones(features.knights & join(0x3c3c0000u, 0x3c3cu));
    sum += (int2)(-32, -8) * (int) count_ones(features.knights & join(0x818181ffu, 0xff818181u));
    sum += (int2)(14, 7) * (int) count_ones(features.knights & join(0u, 0xffffu));
    sum += (int2)(343, 330) * (int) count_ones(features.bishops & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(0, 6) * (int) count_ones(features.bishops & join(0x3c3c0000u, 0x3c3cu));
    sum += (int2)(-24, -14) * (int) count_ones(features.bishops & join(255u, 0u));
    sum += (int2)(421, 565) * (int) count_ones(features.rooks & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(39, -4) * (int) count_ones(features.rooks & join(0u, 0xff0000u));
    sum += (int2)(15, 6) * (int) count_ones(features.rooks & join(60u, 0u));
    sum += (int2)(1038, 990) * (int) count_ones(features.queens & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(-13, 25) * (int) count_ones(features.queens & join(0x3c3c0000u, 0x3c3cu));
    sum += (int2)(-1, -28) * (int) count_ones(features.queens & join(255u, 0u));
    sum += (int2)(37, -18) * (int) count_ones(features.king & join(199u, 0u));
    sum += (int2)(-36, 32) * (int) count_ones(features.king & join(0xffff0000u, 0xffffffffu));
    sum += (int2)(-33, 8) * (int) count_ones(features.king & join(0x3c3c0000u, 0x3c3cu));
    sum += (int2)(-8, -20) * (int) count_ones(features.king & join(0x818181ffu, 0xff818181u));
    sum += (int2)(8, 15) * (int) count_ones(features.passed_pawns & join(0xff00u, 0u));
    sum += (int2)(-29, 22) * (int) count_ones(features.passed_pawns & join(0xff0000u, 0u));
    sum += (int2)(0, 46) * (int) count_ones(features.passed_pawns & join(0xff000000u, 0u));
    sum += (int2)(1, 71) * (int) count_ones(features.passed_pawns & join(0u, 255u));
    sum += (int2)(52, 96) * (int) count_ones(features.passed_pawns & join(0u, 0xff00u));
    sum += (int2)(74, 136) * (int) count_ones(features.passed_pawns & join(0u, 0xff0000u));
    sum += (int2)(-6, 1) * (int) count_ones(features.isolated_pawns & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(-16, -18) * (int) count_ones(features.isolated_pawns & join(0x18181818u, 0x18181818u));
    sum += (int2)(-20, -26) * (int) count_ones(features.doubled_pawns & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(6, 0) * (int) count_ones(features.protected_pawns & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(3, 16) * (int) count_ones(features.protected_pawns & join(0u, 0xffffu));
    sum += (int2)(2, -4) * (int) count_ones(features.protected_minors & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(13, 18) * (int) count_ones(features.protected_minors & join(0xff000000u, 0xffffu));
    sum += (int2)(32, 55) * (int) count_ones(features.bishop_pair & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(26, 6) * (int) count_ones(features.rooks_on_half_open_files & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(18, 2) * (int) count_ones(features.rooks_on_open_files & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(15, 1) * (int) count_ones(features.king_shield & join(0xff00u, 0u));
    sum += (int2)(13, -5) * (int) count_ones(features.king_shield & join(0xff0000u, 0u));
    sum += (int2)(4, 5) * (int) count_ones(features.knight_mobility & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(4, 4) * (int) count_ones(features.knight_mobility & join(0x3c3c0000u, 0x3c3cu));
    sum += (int2)(5, -1) * (int) count_ones(features.diagonal_mobility & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(2, 5) * (int) count_ones(features.diagonal_mobility & join(0xffff0000u, 0xffffffffu));
    sum += (int2)(4, 0) * (int) count_ones(features.orthogonal_mobility & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(1, 4) * (int) count_ones(features.orthogonal_mobility & join(0xffff0000u, 0xffffffffu));
    sum += (int2)(9, -4) * (int) count_ones(features.king_attack & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(51, 34) * (int) count_ones(features.pawn_threats & join(0xffffffffu, 0xffffffffu));
    sum += (int2)(1, 31) * (int) count_ones(features.threats & join(0xffffffffu, 0xffffffffu));
    return sum;
}

INLINE Men men_of(Position position, ulong squares) {
    const ulong bit1 = position.bit1 & squares;
    const ulong bit2 = position.bit2 & squares;
    const ulong bit4 = position.bit4 & squares;
    return (Men){bit1 & ~bit2 & ~bit4, ~bit1 & bit2 & ~bit4, bit1 & bit2 & ~bit4, bit4 & ~(bit1 ^ bit2),
        bit1 & ~bit2 & bit4, ~bit1 & bit2 & bit4, squares};
}

// Returns the men on the board upside down.
INLINE Men flipped_men(Men men) {
    return (Men){flip(men.pawns), flip(men.knights), flip(men.bishops), flip(men.rooks), flip(men.queens),
        flip(men.king), flip(men.all_)};
}

// Returns all squares from these to the upper ends of their files.
INLINE ulong up_files(ulong board) {
    const ulong two = board | up(board, 8u);
    const ulong four = two | up(two, 16u);
    return four | up(four, 32u);
}

// Returns all squares from these to the lower ends of their files.
INLINE ulong down_files(ulong board) {
    const ulong two = board | down(board, 8u);
    const ulong four = two | down(two, 16u);
    return four | down(four, 32u);
}

// Returns the neighbours on the same rank.
INLINE ulong beside(ulong board) {
    return east_step(board) | west_step(board);
}

// Returns the weighted sums of a side's features.
INLINE WeightedFeatures weighted_features(Men own, Men their) {
    const ulong empty = ~(own.all_ | their.all_);
    const ulong files = up_files(down_files(own.pawns));
    const ulong stoppers = down(down_files(their.pawns), 8u);
    const ulong guarded = pawn_attacks_up(own.pawns);
    const ulong half_open = own.rooks & ~files;
    const ulong before_king = up(own.king, 8u) | up(own.king, 16u);
    const ulong hostile = pawn_attacks_down(their.pawns);
    const ulong allowed = ~(own.all_ | hostile);
    const ulong diagonal = own.bishops | own.queens;
    const ulong orthogonal = own.rooks | own.queens;
    const ulong by_knights = knight_attacks(own.knights);
    const ulong by_diagonal = north_east_attacks(diagonal, empty) | north_west_attacks(diagonal, empty)
        | south_east_attacks(diagonal, empty) | south_west_attacks(diagonal, empty);
    const ulong by_orthogonal = north_attacks(orthogonal, empty) | south_attacks(orthogonal, empty)
        | east_attacks(orthogonal, empty) | west_attacks(orthogonal, empty);
    const ulong attacked = by_knights | by_diagonal | by_orthogonal;
    const Features features = {own.pawns, own.knights, own.bishops, own.rooks, own.queens, own.king,
        own.pawns & ~(stoppers | beside(stoppers)), own.pawns & ~beside(files), own.pawns & up(up_files(own.pawns), 8u),
        own.pawns & guarded, (own.knights | own.bishops) & guarded, without_lowest(own.bishops), half_open,
        half_open & ~up_files(down_files(their.pawns)), own.pawns & (before_king | beside(before_king)),
        by_knights & allowed, by_diagonal & allowed, by_orthogonal & allowed,
        attacked & king_attacks(their.king) & ~their.king, guarded & their.all_ & ~their.pawns & ~their.king,
        attacked & their.all_ & ~their.king & ~hostile};
    return (WeightedFeatures){weighted_sum(features), attacked | guarded};
}

INLINE Evaluation evaluated(Position position) {
    const Men own = men_of(position, position.own);
    const Men their = men_of(position, occupied_of(position) & ~position.own);
    Men us = own;
    Men them = their;
    int2 sum = (int2)(0);
    ulong attacks = NONE;
    for (uint side = 0u; side < 2u; side += 1u) {
        const WeightedFeatures features = weighted_features(us, them);
        sum = features.sum - sum;
        attacks = features.attacks;
        us = flipped_men(their);
        them = flipped_men(own);
    }
    const uint minors = count_ones(own.knights | own.bishops | their.knights | their.bishops);
    const uint majors = 2u * count_ones(own.rooks | their.rooks) + 4u * count_ones(own.queens | their.queens);
    const int phase = (int) min(minors + majors, PHASE);
    const int score = -(sum.x * phase + sum.y * (24 - phase)) / 24;
    const bool drawn = minors <= 1u && majors == 0u && !nonempty(own.pawns | their.pawns);
    const int value = clamp(score + TEMPO, -30000, MOST_CENTIPAWNS);
    return (Evaluation){drawn ? 0 : value, nonempty(attacks & them.king)};
}
