// The values of the closed form, which give the number of replies to a move without making it.
//
// The closed form of kogge-movegen-cpu states and proves the claim: a move from f to t that leaves the limits of the
// other side's moves alone changes their number by value(f) - value(t). It also numbers the conditions K1 to K9.

#define MAJORITY(a, b, c) (((a) & (b)) | (((a) | (b)) & (c)))

// A number for each square, as bit planes of weights 1, 2, 4, 8 and 16.
typedef struct {
    ulong ones, twos, fours, eights, sixteens;
} Numbers;

// Adds 1, 2 and 4 to the numbers of three sets of squares.
INLINE void add_numbers(Numbers *numbers, ulong ones, ulong twos, ulong fours) {
    const ulong carry1 = numbers->ones & ones;
    const ulong carry2 = MAJORITY(numbers->twos, twos, carry1);
    const ulong carry3 = MAJORITY(numbers->fours, fours, carry2);
    const ulong carry4 = numbers->eights & carry3;
    numbers->ones ^= ones;
    numbers->twos ^= twos ^ carry1;
    numbers->fours ^= fours ^ carry2;
    numbers->eights ^= carry3;
    numbers->sixteens ^= carry4;
}

// Adds two boards to the numbers.
INLINE void increment_twice(Numbers *numbers, ulong a, ulong b) {
    const ulong carry1 = MAJORITY(numbers->ones, a, b);
    const ulong carry2 = numbers->twos & carry1;
    const ulong carry3 = numbers->fours & carry2;
    const ulong carry4 = numbers->eights & carry3;
    numbers->ones ^= a ^ b;
    numbers->twos ^= carry1;
    numbers->fours ^= carry2;
    numbers->eights ^= carry3;
    numbers->sixteens ^= carry4;
}

// Returns the sum of the numbers of some squares.
INLINE uint sum_of(Numbers numbers, ulong squares) {
    return count_ones(numbers.ones & squares) + 2 * count_ones(numbers.twos & squares) +
           4 * count_ones(numbers.fours & squares) + 8 * count_ones(numbers.eights & squares) +
           16 * count_ones(numbers.sixteens & squares);
}

// Returns the number of a single square.
INLINE uint number_at(Numbers numbers, uint square) {
    return (uint) (numbers.ones >> square & 1) + 2 * (uint) (numbers.twos >> square & 1) +
           4 * (uint) (numbers.fours >> square & 1) + 8 * (uint) (numbers.eights >> square & 1) +
           16 * (uint) (numbers.sixteens >> square & 1);
}

// A number up to seven for each square.
typedef struct {
    ulong ones, twos, fours;
} Few;

// For each direction, NAME_beyond returns the number of squares that a slider on one of these squares, or passing there,
// sees beyond it. `back` shifts the other way.
#define BEYOND(direction, back, distance, landing)                                                                    \
    INLINE Few direction##_beyond(ulong squares, ulong empty, ulong not_their) {                                      \
        const ulong enter = empty & (landing);                                                                        \
        const ulong see1 = (not_their & (landing)) back distance;                                                     \
        const ulong see2 = (enter & see1) back distance, see3 = (enter & see2) back distance;                         \
        const ulong see4 = (enter & see3) back distance, see5 = (enter & see4) back distance;                         \
        const ulong see6 = (enter & see5) back distance, see7 = (enter & see6) back distance;                         \
        const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;                                             \
        return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};                                  \
    }

BEYOND(north, >>, 8, ~0UL)
BEYOND(south, <<, 8, ~0UL)
BEYOND(east, >>, 1, NOT_FILE_A)
BEYOND(west, <<, 1, NOT_FILE_H)
BEYOND(north_east, >>, 9, NOT_FILE_A)
BEYOND(south_west, <<, 9, NOT_FILE_H)
BEYOND(north_west, >>, 7, NOT_FILE_H)
BEYOND(south_east, <<, 7, NOT_FILE_A)

// Adds the numbers of squares seen both ways along an axis, at most seven.
INLINE void add_both_ways(Numbers *numbers, Few up, Few down) {
    const ulong carry1 = up.ones & down.ones;
    const ulong carry2 = MAJORITY(up.twos, down.twos, carry1);
    add_numbers(numbers, up.ones ^ down.ones, up.twos ^ down.twos ^ carry1, up.fours ^ down.fours ^ carry2);
}

// The replies before any move is chosen: their number, the values of squares, and the squares that moves must avoid to
// qualify. `Replies` in the closed form of kogge-movegen-cpu describes the fields.
typedef struct {
    uint base;
    Numbers value;
    ulong not_from, not_to, once;
    ulong not_to_knight, not_to_orthogonal, not_to_diagonal, not_from_pawn, not_to_pawn, not_king;
    ulong not_along_file, not_along_rank, not_along_diagonal, not_along_antidiagonal;
    ulong pawn_captures;
    // The other side's sliders' attacks along each axis, pinned or not.
    Sight attacked;
} Replies;

// One more attacker of these squares: squares are attacked once, twice or more often.
#define ATTACKED(set)                                                                                                 \
    thrice |= twice & (set);                                                                                          \
    twice |= once & (set);                                                                                            \
    once |= (set);

// One more slider or knight defends these squares.
#define DEFENDED(set)                                                                                                 \
    {                                                                                                                 \
        const ulong carry1 = defended1 & (set), carry2 = defended2 & carry1;                                          \
        overdefended |= defended4 & carry2;                                                                           \
        defended4 ^= carry2;                                                                                          \
        defended2 ^= carry1;                                                                                          \
        defended1 ^= (set);                                                                                           \
    }

// K4 for the two directions of an axis: the squares up to the second piece, if the second or third piece is an own
// slider.
#define PINS(axis, sliders)                                                                                           \
    {                                                                                                                 \
        const ulong up = sight2.axis & above, down = sight2.axis & below;                                             \
        const ulong second = sight2.axis & (sliders), third = sight3.axis & (sliders);                                \
        pins |= (up & second ? up : 0) | (down & second ? down : 0);                                                  \
        pins_soon |= (above & third ? up : 0) | (below & third ? down : 0);                                           \
    }

// The squares between a slider that attacks in one direction and a square that looks in the opposite direction.
#define MEETING(a, b)                                                                                                 \
    ((a##_north & b##_south) | (a##_south & b##_north) | (a##_east & b##_west) | (a##_west & b##_east) |              \
     (a##_north_east & b##_south_west) | (a##_south_west & b##_north_east) | (a##_north_west & b##_south_east) |      \
     (a##_south_east & b##_north_west))

// The squares that some squares see: along files and ranks if there are rooks or queens, along diagonals if there are
// bishops or queens. The prefix `any` of east and west is needed if the looking squares may be empty.
#define RAYS(name, any, orthogonal, diagonal)                                                                         \
    ulong name##_north = 0, name##_south = 0, name##_east = 0, name##_west = 0;                                       \
    ulong name##_north_east = 0, name##_north_west = 0, name##_south_east = 0, name##_south_west = 0;                 \
    if (rooks_queens) {                                                                                               \
        name##_north = north_attacks(orthogonal, empty);                                                              \
        name##_south = south_attacks(orthogonal, empty);                                                              \
        name##_east = any##east_attacks(orthogonal, empty);                                                           \
        name##_west = any##west_attacks(orthogonal, empty);                                                           \
    }                                                                                                                 \
    if (bishops_queens) {                                                                                             \
        name##_north_east = north_east_attacks(diagonal, empty);                                                      \
        name##_north_west = north_west_attacks(diagonal, empty);                                                      \
        name##_south_east = south_east_attacks(diagonal, empty);                                                      \
        name##_south_west = south_west_attacks(diagonal, empty);                                                      \
    }

// Adds one castling of the other side, on its first rank: the squares that must not be attacked, and the squares that
// must be empty.
INLINE void castling_zone(
    uint rook,
    uint king,
    uint king_to,
    uint rook_to,
    uint *king_path,
    uint *way
) {
    const uint path = span(min(king, king_to), max(king, king_to));
    *king_path |= path;
    *way |= (path | span(min(rook, rook_to), max(rook, rook_to))) & ~(king | rook);
}

// Returns the replies before any move is chosen.
INLINE Replies replies_of(Position position, Frame frame, Lines own_king_lines, __global const ulong2 *restrict lines_table) {
    const ulong own = frame.own, their = frame.their, empty = frame.empty, not_their = ~their;
    const ulong their_king = frame.their_king;
    const uint their_king_square = lowest_index(their_king) & 63;
    const Lines lines = lines_of(lines_table, their_king_square);
    const ulong their_pawns = frame.pawns & their;
    const ulong rooks_queens = frame.rooks_queens & own, bishops_queens = frame.bishops_queens & own;
    Replies replies;

    // Own attacks. Each direction counts as one attacker of a square, and so do all knights together.
    RAYS(by, , rooks_queens, bishops_queens)
    const ulong firmly = pawn_attacks_up(frame.pawns & own) | own_king_lines.king | frame.king;
    ulong once = knight_attacks(frame.knights & own), twice = 0, thrice = 0;
    ATTACKED(by_north)
    ATTACKED(by_south)
    ATTACKED(by_east)
    ATTACKED(by_west)
    ATTACKED(by_north_east)
    ATTACKED(by_north_west)
    ATTACKED(by_south_east)
    ATTACKED(by_south_west)
    const ulong danger = once | firmly;

    // The zone.
    const ulong castling_rooks = position.bit1 & position.bit2 & position.bit4 & their;
    const ulong near_king = lines.king;
    uint path8 = 0, way8 = 0;
    uint castlings = 0;
    if (castling_rooks) {
        const uint king = (uint) (their_king >> 56), rooks = (uint) (castling_rooks >> 56);
        const uint above = rooks & ~(king - 1), below = rooks & (king - 1);
        const uint occupied8 = (uint) (~empty >> 56), danger8 = (uint) (danger >> 56);
        const Sight sight = sight_of(lines, ~empty, their_king, their_king_square);
        const uint pinned_rank = (uint) (((by_east | by_west) & sight.rank & their) >> 56);
        if (above) {
            uint path = 0, way = 0;
            castling_zone(above, king, G1, F1, &path, &way);
            castlings += ((way & occupied8) | (path & danger8) | (above & pinned_rank)) == 0;
            path8 |= path;
            way8 |= way;
        }
        if (below) {
            uint path = 0, way = 0;
            castling_zone(below, king, C1, D1, &path, &way);
            castlings += ((way & occupied8) | (path & danger8) | (below & pinned_rank)) == 0;
            path8 |= path;
            way8 |= way;
        }
    }
    const ulong castling_path = (ulong) path8 << 56, way = (ulong) way8 << 56;
    const ulong zone = (near_king & not_their) | castling_path | their_king;
    const ulong loose = zone & ~firmly;
    replies.once = loose & once & ~twice;
    const ulong at_most_twice = loose & once & ~thrice;
    const ulong free = (loose & ~once) | their_king;

    // K1: in each direction, the empty squares between an attacked square and its attacker.
    ulong blocks = 0;
#define BLOCKS(direction, back)                                                                                       \
    {                                                                                                                 \
        const ulong attacked = by_##direction & at_most_twice;                                                        \
        if (attacked) {                                                                                               \
            blocks |= back##_attacks(attacked, empty) & empty;                                                        \
        }                                                                                                             \
    }
    BLOCKS(north, south)
    BLOCKS(south, north)
    BLOCKS(east, any_west)
    BLOCKS(west, any_east)
    BLOCKS(north_east, south_west)
    BLOCKS(south_west, north_east)
    BLOCKS(north_west, south_east)
    BLOCKS(south_east, north_west)

    // K2, K3.
    ulong discovers;
    {
        RAYS(seen, any_, free, free)
        discovers = MEETING(by, seen);
        replies.not_to_orthogonal = seen_north | seen_south | seen_east | seen_west;
        replies.not_to_diagonal = seen_north_east | seen_north_west | seen_south_east | seen_south_west;
    }

    // K4. The squares that the king sees, then the squares behind the first pieces, then behind the second pieces.
    const Sight sight1 = sight_of(lines, ~empty, their_king, their_king_square);
    const ulong beyond1 = ~empty & ~(sight1.file | sight1.rank | sight1.diagonal | sight1.antidiagonal);
    const Sight sight2 = sight_of(lines, beyond1, their_king, their_king_square);
    const ulong beyond2 = beyond1 & ~(sight2.file | sight2.rank | sight2.diagonal | sight2.antidiagonal);
    const Sight sight3 = sight_of(lines, beyond2, their_king, their_king_square);
    replies.not_to_orthogonal |= sight2.file | sight2.rank;
    replies.not_to_diagonal |= sight2.diagonal | sight2.antidiagonal;
    const ulong below = their_king - 1, above = ~(their_king | below);
    ulong pins = 0, pins_soon = 0;
    PINS(file, rooks_queens)
    PINS(rank, rooks_queens)
    PINS(diagonal, bishops_queens)
    PINS(antidiagonal, bishops_queens)

    // The moves of the other side if the side to move passes.
    const ulong pinned_file = (by_north | by_south) & sight1.file & their;
    const ulong pinned_rank = (by_east | by_west) & sight1.rank & their;
    const ulong pinned_diagonal = (by_north_east | by_south_west) & sight1.diagonal & their;
    const ulong pinned_antidiagonal = (by_north_west | by_south_east) & sight1.antidiagonal & their;
    const ulong pinned = pinned_file | pinned_rank | pinned_diagonal | pinned_antidiagonal;
    const ulong their_orthogonal = frame.rooks_queens & their, their_diagonal = frame.bishops_queens & their;
    const ulong on_file = their_orthogonal & (~pinned | pinned_file), on_rank = their_orthogonal & (~pinned | pinned_rank);
    const ulong on_diagonal = their_diagonal & (~pinned | pinned_diagonal);
    const ulong on_antidiagonal = their_diagonal & (~pinned | pinned_antidiagonal);
    uint base = count_ones(near_king & not_their & ~danger) + castlings;
    ulong defended1 = 0, defended2 = 0, defended4 = 0, overdefended = 0;
    Numbers value = {0, 0, 0, 0, 0};
    replies.attacked = (Sight){0, 0, 0, 0};
#define CLOSED_FORM_AXIS(axis, up, down)                                                                                         \
    {                                                                                                                 \
        const ulong above = up##_attacks(on_##axis, empty), below = down##_attacks(on_##axis, empty);                 \
        const ulong moves_up = above & not_their, moves_down = below & not_their;                                     \
        replies.attacked.axis = above | below;                                                                        \
        base += count_ones(moves_up) + count_ones(moves_down);                                                        \
        DEFENDED(above &their)                                                                                        \
        DEFENDED(below &their)                                                                                        \
        add_both_ways(                                                                                                     \
            &value, up##_beyond(moves_up | on_##axis, empty, not_their),                                              \
            down##_beyond(moves_down | on_##axis, empty, not_their)                                                   \
        );                                                                                                            \
    }
    if (their_orthogonal) {
        CLOSED_FORM_AXIS(file, north, south)
        CLOSED_FORM_AXIS(rank, east, west)
    }
    if (their_diagonal) {
        CLOSED_FORM_AXIS(diagonal, north_east, south_west)
        CLOSED_FORM_AXIS(antidiagonal, north_west, south_east)
    }
    // Knights: the number of leaps is the value of the square, which is still zero.
    for (ulong left = frame.knights & their & ~pinned; left; left &= left - 1) {
        const ulong from = lowest(left), leaps = lines_of(lines_table, lowest_index(left)).knight;
        const uint moves = count_ones(leaps & not_their);
        base += moves;
        value.ones |= moves & 1 ? from : 0;
        value.twos |= moves & 2 ? from : 0;
        value.fours |= moves & 4 ? from : 0;
        value.eights |= moves & 8 ? from : 0;
        DEFENDED(leaps &their)
    }
    const ulong crowded = value.sixteens & (value.eights | value.fours) & their;

    // Pawns. They move down: a push from x lands on x - 8.
    const ulong pushers = their_pawns & (~pinned | pinned_file);
    const ulong push = (pushers >> 8) & empty;
    const ulong twostep = ((push & THEIR_THIRD_RANK) >> 8) & empty;
    const ulong east_captors = their_pawns & (~pinned | pinned_antidiagonal);
    const ulong west_captors = their_pawns & (~pinned | pinned_diagonal);
    const ulong attacked_east = south_east_step(east_captors), attacked_west = south_west_step(west_captors);
    const ulong captured_east = attacked_east & own, captured_west = attacked_west & own;
    base += count_ones(push) + count_ones(twostep) + count_ones(captured_east) + count_ones(captured_west);
    if ((push | captured_east | captured_west) & RANK_1) {
        base += 3 * (count_ones(push & RANK_1) + count_ones(captured_east & RANK_1) + count_ones(captured_west & RANK_1));
    }
    increment_twice(&value, push | twostep, twostep << 8);
    increment_twice(&value, ~attacked_east, ~attacked_west);
    const ulong before = pushers >> 8, before_start = (pushers & THEIR_SECOND_RANK) >> 8;
    const ulong frees_push = before & own;
    const ulong frees_double = (before_start & own & empty << 8) | ((before_start & empty) >> 8 & own);
    increment_twice(&value, frees_push, frees_double);
    const ulong can_push = pushers & empty << 8;
    increment_twice(&value, can_push, can_push & THEIR_SECOND_RANK & empty << 16);
    increment_twice(&value, east_captors & (own & NOT_FILE_A) << 7, west_captors & (own & NOT_FILE_H) << 9);
    add_numbers(&value, their & ~defended1, their & ~defended2, their & ~defended4);

    // K5, K6.
    const ulong promotion_squares = (their_pawns >> 8 | attacked_east | attacked_west) & RANK_1;
    const ulong guarded = (near_king & their) | castling_rooks, about_to_promote = their_pawns & THEIR_SEVENTH_RANK;
    const ulong untouchable = way | pins | promotion_squares;
    replies.base = base;
    replies.value = value;
    replies.not_to = untouchable | blocks | guarded | about_to_promote | crowded | overdefended;
    replies.not_from = untouchable | pins_soon | discovers;
    // K9.
    replies.not_along_file = (replies.attacked.file | frees_push | frees_double) & own;
    replies.not_along_rank = replies.attacked.rank & own;
    replies.not_along_diagonal = replies.attacked.diagonal & own;
    replies.not_along_antidiagonal = replies.attacked.antidiagonal & own;
    replies.not_to_knight = knight_attacks(free);
    // K7, K8.
    replies.not_from_pawn = pawn_attacks_down(zone);
    replies.not_to_pawn = pawn_attacks_down(free);
    replies.not_king = king_attacks(zone);
    replies.pawn_captures = attacked_east | attacked_west;
    // Pinned sliders give check too.
    if (pinned & (their_orthogonal | their_diagonal)) {
        replies.attacked = sights_of(their_orthogonal, their_diagonal, empty, lines_table);
    }
    return replies;
}
