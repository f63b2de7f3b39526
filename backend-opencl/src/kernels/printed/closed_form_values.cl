// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// A number up to seven for each square.
typedef struct {
    ulong ones;
    ulong twos;
    ulong fours;
} Few;

// The number of the other side's moves so far, and the number of sliders and knights that defend each of its pieces, as bit
// planes.
typedef struct {
    uint moves;
    ulong defended1;
    ulong defended2;
    ulong defended4;
    ulong overdefended;
} Mobility;

// Squares that are attacked once, twice or more often.
typedef struct {
    ulong once;
    ulong twice;
    ulong thrice;
} AttackPlanes;

// The squares from the other side's king to the second piece, where an own slider is the second piece, and where it is the third.
typedef struct {
    ulong now;
    ulong soon;
} Pins;

// The other side's castlings, on its first rank: the squares that must not be attacked, the squares that must be empty,
// and the number of castlings that are legal now.
typedef struct {
    uint king_path;
    uint way;
    uint legal;
} Castlings;

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few north_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & ALL;
    const ulong see1 = down(not_their & ALL, 8u);
    const ulong see2 = down(enter & see1, 8u);
    const ulong see3 = down(enter & see2, 8u);
    const ulong see4 = down(enter & see3, 8u);
    const ulong see5 = down(enter & see4, 8u);
    const ulong see6 = down(enter & see5, 8u);
    const ulong see7 = down(enter & see6, 8u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void north_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_south_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few south_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & ALL;
    const ulong see1 = up(not_their & ALL, 8u);
    const ulong see2 = up(enter & see1, 8u);
    const ulong see3 = up(enter & see2, 8u);
    const ulong see4 = up(enter & see3, 8u);
    const ulong see5 = up(enter & see4, 8u);
    const ulong see6 = up(enter & see5, 8u);
    const ulong see7 = up(enter & see6, 8u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void south_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_north_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few east_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_A;
    const ulong see1 = down(not_their & NOT_FILE_A, 1u);
    const ulong see2 = down(enter & see1, 1u);
    const ulong see3 = down(enter & see2, 1u);
    const ulong see4 = down(enter & see3, 1u);
    const ulong see5 = down(enter & see4, 1u);
    const ulong see6 = down(enter & see5, 1u);
    const ulong see7 = down(enter & see6, 1u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void east_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_west_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few west_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_H;
    const ulong see1 = up(not_their & NOT_FILE_H, 1u);
    const ulong see2 = up(enter & see1, 1u);
    const ulong see3 = up(enter & see2, 1u);
    const ulong see4 = up(enter & see3, 1u);
    const ulong see5 = up(enter & see4, 1u);
    const ulong see6 = up(enter & see5, 1u);
    const ulong see7 = up(enter & see6, 1u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void west_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_east_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few north_east_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_A;
    const ulong see1 = down(not_their & NOT_FILE_A, 9u);
    const ulong see2 = down(enter & see1, 9u);
    const ulong see3 = down(enter & see2, 9u);
    const ulong see4 = down(enter & see3, 9u);
    const ulong see5 = down(enter & see4, 9u);
    const ulong see6 = down(enter & see5, 9u);
    const ulong see7 = down(enter & see6, 9u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void north_east_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_south_west_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few north_west_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_H;
    const ulong see1 = down(not_their & NOT_FILE_H, 7u);
    const ulong see2 = down(enter & see1, 7u);
    const ulong see3 = down(enter & see2, 7u);
    const ulong see4 = down(enter & see3, 7u);
    const ulong see5 = down(enter & see4, 7u);
    const ulong see6 = down(enter & see5, 7u);
    const ulong see7 = down(enter & see6, 7u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void north_west_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_south_east_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few south_east_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_A;
    const ulong see1 = up(not_their & NOT_FILE_A, 7u);
    const ulong see2 = up(enter & see1, 7u);
    const ulong see3 = up(enter & see2, 7u);
    const ulong see4 = up(enter & see3, 7u);
    const ulong see5 = up(enter & see4, 7u);
    const ulong see6 = up(enter & see5, 7u);
    const ulong see7 = up(enter & see6, 7u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void south_east_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_north_west_attacks(attacked, empty) & empty;
    }
}

// Returns the number of squares that a slider on one of these squares, or passing there, sees beyond it.
INLINE Few south_west_beyond(ulong squares, ulong empty, ulong not_their) {
    const ulong enter = empty & NOT_FILE_H;
    const ulong see1 = up(not_their & NOT_FILE_H, 9u);
    const ulong see2 = up(enter & see1, 9u);
    const ulong see3 = up(enter & see2, 9u);
    const ulong see4 = up(enter & see3, 9u);
    const ulong see5 = up(enter & see4, 9u);
    const ulong see6 = up(enter & see5, 9u);
    const ulong see7 = up(enter & see6, 9u);
    const ulong odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return (Few){odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares};
}

// K1: adds the empty squares between each of these attacked squares and its attacker. To add them at once frees registers.
INLINE void south_west_blocks(ulong *blocks, ulong attacks, ulong squares, ulong empty) {
    const ulong attacked = attacks & squares;
    if (nonempty(attacked)) {
        *blocks |= any_north_east_attacks(attacked, empty) & empty;
    }
}

// One more slider or knight defends these squares.
INLINE void defended(Mobility *mobility, ulong squares) {
    const ulong carry1 = mobility->defended1 & squares;
    const ulong carry2 = mobility->defended2 & carry1;
    mobility->overdefended |= mobility->defended4 & carry2;
    mobility->defended4 ^= carry2;
    mobility->defended2 ^= carry1;
    mobility->defended1 ^= squares;
}

// Returns the squares in at least two of three boards.
INLINE ulong majority(ulong a, ulong b, ulong c) {
    return (a & b) | ((a | b) & c);
}

// Adds 1, 2 and 4 to the numbers of three sets of squares.
INLINE void add_numbers(Numbers *numbers, ulong ones, ulong twos, ulong fours) {
    const ulong carry1 = numbers->ones & ones;
    const ulong carry2 = majority(numbers->twos, twos, carry1);
    const ulong carry3 = majority(numbers->fours, fours, carry2);
    const ulong carry4 = numbers->eights & carry3;
    numbers->ones ^= ones;
    numbers->twos ^= twos ^ carry1;
    numbers->fours ^= fours ^ carry2;
    numbers->eights ^= carry3;
    numbers->sixteens ^= carry4;
}

// Adds the numbers of squares seen both ways along an axis, at most seven.
INLINE void add_both_ways(Numbers *numbers, Few ahead, Few behind) {
    const ulong carry1 = ahead.ones & behind.ones;
    const ulong carry2 = majority(ahead.twos, behind.twos, carry1);
    add_numbers(numbers, ahead.ones ^ behind.ones, ahead.twos ^ behind.twos ^ carry1,
        ahead.fours ^ behind.fours ^ carry2);
}

// Returns the squares that the other side's sliders reach both ways, and adds their moves, defended pieces and values.
INLINE ulong closed_form_north(Mobility *mobility, Numbers *value, ulong sliders, Frame frame) {
    const ulong above = north_attacks(sliders, frame.empty);
    const ulong beneath = south_attacks(sliders, frame.empty);
    const ulong moves_up = above & ~frame.their;
    const ulong moves_down = beneath & ~frame.their;
    mobility->moves += count_ones(moves_up) + count_ones(moves_down);
    defended(mobility, above & frame.their);
    defended(mobility, beneath & frame.their);
    add_both_ways(value, north_beyond(moves_up | sliders, frame.empty, ~frame.their),
        south_beyond(moves_down | sliders, frame.empty, ~frame.their));
    return above | beneath;
}

// Returns the squares that the other side's sliders reach both ways, and adds their moves, defended pieces and values.
INLINE ulong closed_form_east(Mobility *mobility, Numbers *value, ulong sliders, Frame frame) {
    const ulong above = east_attacks(sliders, frame.empty);
    const ulong beneath = west_attacks(sliders, frame.empty);
    const ulong moves_up = above & ~frame.their;
    const ulong moves_down = beneath & ~frame.their;
    mobility->moves += count_ones(moves_up) + count_ones(moves_down);
    defended(mobility, above & frame.their);
    defended(mobility, beneath & frame.their);
    add_both_ways(value, east_beyond(moves_up | sliders, frame.empty, ~frame.their),
        west_beyond(moves_down | sliders, frame.empty, ~frame.their));
    return above | beneath;
}

// Returns the squares that the other side's sliders reach both ways, and adds their moves, defended pieces and values.
INLINE ulong closed_form_north_east(Mobility *mobility, Numbers *value, ulong sliders, Frame frame) {
    const ulong above = north_east_attacks(sliders, frame.empty);
    const ulong beneath = south_west_attacks(sliders, frame.empty);
    const ulong moves_up = above & ~frame.their;
    const ulong moves_down = beneath & ~frame.their;
    mobility->moves += count_ones(moves_up) + count_ones(moves_down);
    defended(mobility, above & frame.their);
    defended(mobility, beneath & frame.their);
    add_both_ways(value, north_east_beyond(moves_up | sliders, frame.empty, ~frame.their),
        south_west_beyond(moves_down | sliders, frame.empty, ~frame.their));
    return above | beneath;
}

// Returns the squares that the other side's sliders reach both ways, and adds their moves, defended pieces and values.
INLINE ulong closed_form_north_west(Mobility *mobility, Numbers *value, ulong sliders, Frame frame) {
    const ulong above = north_west_attacks(sliders, frame.empty);
    const ulong beneath = south_east_attacks(sliders, frame.empty);
    const ulong moves_up = above & ~frame.their;
    const ulong moves_down = beneath & ~frame.their;
    mobility->moves += count_ones(moves_up) + count_ones(moves_down);
    defended(mobility, above & frame.their);
    defended(mobility, beneath & frame.their);
    add_both_ways(value, north_west_beyond(moves_up | sliders, frame.empty, ~frame.their),
        south_east_beyond(moves_down | sliders, frame.empty, ~frame.their));
    return above | beneath;
}

INLINE void increment_twice(Numbers *numbers, ulong a, ulong b) {
    const ulong carry1 = majority(numbers->ones, a, b);
    const ulong carry2 = numbers->twos & carry1;
    const ulong carry3 = numbers->fours & carry2;
    const ulong carry4 = numbers->eights & carry3;
    numbers->ones ^= a ^ b;
    numbers->twos ^= carry1;
    numbers->fours ^= carry2;
    numbers->eights ^= carry3;
    numbers->sixteens ^= carry4;
}

INLINE void attack(AttackPlanes *attacked, ulong squares) {
    attacked->thrice |= attacked->twice & squares;
    attacked->twice |= attacked->once & squares;
    attacked->once |= squares;
}

// K4 for the two directions of an axis: `way` leads to the second piece, and `further` to the third.
INLINE void add_pins(Pins *pins, ulong way, ulong further, ulong sliders, ulong king) {
    const ulong beneath = below(king);
    const ulong above = ~(king | beneath);
    const ulong way_up = way & above;
    const ulong way_down = way & beneath;
    const ulong second = way & sliders;
    const ulong third = further & sliders;
    pins->now |= (nonempty(above & second) ? way_up : NONE) | (nonempty(beneath & second) ? way_down : NONE);
    pins->soon |= (nonempty(above & third) ? way_up : NONE) | (nonempty(beneath & third) ? way_down : NONE);
}

// Returns the squares seen along any axis.
INLINE ulong seen(Sight sight) {
    return sight.file | sight.rank | sight.diagonal | sight.antidiagonal;
}

// Returns the squares that some squares see, which may be empty: along files and ranks if there are rooks or queens, along
// diagonals if there are bishops or queens.
INLINE Rays view_rays(ulong squares, ulong orthogonal, ulong diagonal, ulong empty) {
    Rays rays = {0};
    if (nonempty(orthogonal)) {
        rays.north = any_north_attacks(squares, empty);
        rays.south = any_south_attacks(squares, empty);
        rays.east = any_east_attacks(squares, empty);
        rays.west = any_west_attacks(squares, empty);
    }
    if (nonempty(diagonal)) {
        rays.north_east = any_north_east_attacks(squares, empty);
        rays.north_west = any_north_west_attacks(squares, empty);
        rays.south_east = any_south_east_attacks(squares, empty);
        rays.south_west = any_south_west_attacks(squares, empty);
    }
    return rays;
}

// Returns the squares between a slider that attacks in one direction and a square that looks in the opposite direction.
INLINE ulong meeting(Rays a, Rays b) {
    return (a.north & b.south) | (a.south & b.north) | (a.east & b.west) | (a.west & b.east)
        | (a.north_east & b.south_west) | (a.south_west & b.north_east) | (a.north_west & b.south_east)
        | (a.south_east & b.north_west);
}

// Returns the squares reached both ways along the file.
INLINE ulong rays_on_file(Rays rays) {
    return rays.north | rays.south;
}

// Returns the squares reached both ways along the rank.
INLINE ulong rays_on_rank(Rays rays) {
    return rays.east | rays.west;
}

// Returns the squares reached both ways along the diagonal.
INLINE ulong rays_on_diagonal(Rays rays) {
    return rays.north_east | rays.south_west;
}

// Returns the squares reached both ways along the antidiagonal.
INLINE ulong rays_on_antidiagonal(Rays rays) {
    return rays.north_west | rays.south_east;
}

// Adds one castling of the other side. `danger` are attacked squares.
INLINE void castling_zone(
    Castlings *castlings,
    uint rook,
    uint king,
    uint king_to,
    uint rook_to,
    uint occupied,
    uint danger,
    uint pinned_on_rank
) {
    if (rook != 0u) {
        const uint path = span(min(king, king_to), max(king, king_to));
        const uint way = (path | span(min(rook, rook_to), max(rook, rook_to))) & ~(king | rook);
        castlings->king_path |= path;
        castlings->way |= way;
        const uint hindered = (way & occupied) | (path & danger) | (rook & pinned_on_rank);
        castlings->legal += hindered == 0u ? 1u : 0u;
    }
}

// Returns rank 8, as rank 1.
INLINE uint rank8(ulong board) {
    return high(board) >> 24u;
}

// Returns the other side's castlings.
INLINE Castlings castlings_of(Position position, Frame frame, Lines axes, ulong danger, ulong attacked_on_rank) {
    Castlings castlings = {0u, 0u, 0u};
    const uint rooks = rank8(position.bit1 & position.bit2 & position.bit4 & frame.their);
    if (rooks != 0u) {
        const uint king = rank8(frame.their_king);
        const uint above = rooks & ~(king - 1u);
        const uint beneath = rooks & (king - 1u);
        const uint occupied = rank8(~frame.empty);
        const Sight sight = sight_of(axes, ~frame.empty, frame.their_king);
        const uint pinned = rank8(attacked_on_rank & sight.rank & frame.their);
        castling_zone(&castlings, above, king, G1, F1, occupied, rank8(danger), pinned);
        castling_zone(&castlings, beneath, king, C1, D1, occupied, rank8(danger), pinned);
    }
    return castlings;
}

// Returns the replies before any move is chosen. The values of squares go to `value`, which must be zero.
INLINE Replies replies_of(
    Position position,
    Frame frame,
    Lines own_king_lines,
    Numbers *value,
    __global const uint4 *restrict lines
) {
    const ulong own = frame.own;
    const ulong their = frame.their;
    const ulong empty = frame.empty;
    const ulong not_their = ~their;
    const ulong their_king = frame.their_king;
    const Lines axes = lines_of(lowest_index(their_king) & 63u, lines);
    const ulong their_pawns = frame.pawns & their;
    const ulong rooks_queens = frame.rooks_queens & own;
    const ulong bishops_queens = frame.bishops_queens & own;
    Replies replies = {0};
    const Rays by = attack_rays(rooks_queens, rooks_queens, bishops_queens, bishops_queens, empty);
    const ulong firmly = pawn_attacks_up(frame.pawns & own) | own_king_lines.king | frame.king;
    AttackPlanes attacked = {knight_attacks(frame.knights & own), NONE, NONE};
    attack(&attacked, by.north);
    attack(&attacked, by.south);
    attack(&attacked, by.east);
    attack(&attacked, by.west);
    attack(&attacked, by.north_east);
    attack(&attacked, by.north_west);
    attack(&attacked, by.south_east);
    attack(&attacked, by.south_west);
    const ulong danger = attacked.once | firmly;
    const ulong near_king = axes.king;
    const ulong castling_rooks = position.bit1 & position.bit2 & position.bit4 & their;
    const Castlings castlings = castlings_of(position, frame, axes, danger, rays_on_rank(by));
    const ulong way = join(0u, castlings.way << 24u);
    const ulong zone = (near_king & not_their) | join(0u, castlings.king_path << 24u) | their_king;
    const ulong loose = zone & ~firmly;
    replies.once = loose & attacked.once & ~attacked.twice;
    const ulong at_most_twice = loose & attacked.once & ~attacked.thrice;
    const ulong free = (loose & ~attacked.once) | their_king;
    ulong blocks = NONE;
    north_blocks(&blocks, by.north, at_most_twice, empty);
    south_blocks(&blocks, by.south, at_most_twice, empty);
    east_blocks(&blocks, by.east, at_most_twice, empty);
    west_blocks(&blocks, by.west, at_most_twice, empty);
    north_east_blocks(&blocks, by.north_east, at_most_twice, empty);
    north_west_blocks(&blocks, by.north_west, at_most_twice, empty);
    south_east_blocks(&blocks, by.south_east, at_most_twice, empty);
    south_west_blocks(&blocks, by.south_west, at_most_twice, empty);
    const Rays seen_from_free = view_rays(free, rooks_queens, bishops_queens, empty);
    const ulong discovers = meeting(by, seen_from_free);
    replies.not_to_orthogonal = rays_on_file(seen_from_free) | rays_on_rank(seen_from_free);
    replies.not_to_diagonal = rays_on_diagonal(seen_from_free) | rays_on_antidiagonal(seen_from_free);
    const Sight sight1 = sight_of(axes, ~empty, their_king);
    const ulong beyond1 = ~empty & ~seen(sight1);
    const Sight sight2 = sight_of(axes, beyond1, their_king);
    const Sight sight3 = sight_of(axes, beyond1 & ~seen(sight2), their_king);
    replies.not_to_orthogonal |= sight2.file | sight2.rank;
    replies.not_to_diagonal |= sight2.diagonal | sight2.antidiagonal;
    Pins pins = {0};
    add_pins(&pins, sight2.file, sight3.file, rooks_queens, their_king);
    add_pins(&pins, sight2.rank, sight3.rank, rooks_queens, their_king);
    add_pins(&pins, sight2.diagonal, sight3.diagonal, bishops_queens, their_king);
    add_pins(&pins, sight2.antidiagonal, sight3.antidiagonal, bishops_queens, their_king);
    const ulong pinned_on_file = rays_on_file(by) & sight1.file & their;
    const ulong pinned_on_rank = rays_on_rank(by) & sight1.rank & their;
    const ulong pinned_on_diagonal = rays_on_diagonal(by) & sight1.diagonal & their;
    const ulong pinned_on_antidiagonal = rays_on_antidiagonal(by) & sight1.antidiagonal & their;
    const ulong pinned = pinned_on_file | pinned_on_rank | pinned_on_diagonal | pinned_on_antidiagonal;
    const ulong orthogonal = frame.rooks_queens & their;
    const ulong diagonal = frame.bishops_queens & their;
    const uint by_king = count_ones(near_king & not_their & ~danger) + castlings.legal;
    Mobility mobility = {by_king, NONE, NONE, NONE, NONE};
    if (nonempty(orthogonal)) {
        replies.attacked.file = closed_form_north(&mobility, value, orthogonal & (~pinned | pinned_on_file), frame);
        replies.attacked.rank = closed_form_east(&mobility, value, orthogonal & (~pinned | pinned_on_rank), frame);
    }
    if (nonempty(diagonal)) {
        const ulong on_diagonal = diagonal & (~pinned | pinned_on_diagonal);
        const ulong on_antidiagonal = diagonal & (~pinned | pinned_on_antidiagonal);
        replies.attacked.diagonal = closed_form_north_east(&mobility, value, on_diagonal, frame);
        replies.attacked.antidiagonal = closed_form_north_west(&mobility, value, on_antidiagonal, frame);
    }
    ulong left = frame.knights & their & ~pinned;
    while (nonempty(left)) {
        const ulong knight = lowest(left);
        const ulong leaps = lines_of(lowest_index(left), lines).knight;
        const uint moves = count_ones(leaps & not_their);
        mobility.moves += moves;
        value->ones |= (moves & 1u) != 0u ? knight : NONE;
        value->twos |= (moves & 2u) != 0u ? knight : NONE;
        value->fours |= (moves & 4u) != 0u ? knight : NONE;
        value->eights |= (moves & 8u) != 0u ? knight : NONE;
        defended(&mobility, leaps & their);
        left = without_lowest(left);
    }
    const ulong crowded = value->sixteens & (value->eights | value->fours) & their;
    const ulong pushers = their_pawns & (~pinned | pinned_on_file);
    const ulong push = south_step(pushers) & empty;
    const ulong twostep = south_step(push & THEIR_THIRD_RANK) & empty;
    const ulong east_captors = their_pawns & (~pinned | pinned_on_antidiagonal);
    const ulong west_captors = their_pawns & (~pinned | pinned_on_diagonal);
    const ulong attacked_east = south_east_step(east_captors);
    const ulong attacked_west = south_west_step(west_captors);
    const ulong captured_east = attacked_east & own;
    const ulong captured_west = attacked_west & own;
    mobility.moves += count_ones(push) + count_ones(twostep) + count_ones(captured_east) + count_ones(captured_west);
    if (nonempty((push | captured_east | captured_west) & RANK_1)) {
        mobility.moves += 3u
            * (count_ones(push & RANK_1) + count_ones(captured_east & RANK_1) + count_ones(captured_west & RANK_1));
    }
    increment_twice(value, push | twostep, north_step(twostep));
    increment_twice(value, ~attacked_east, ~attacked_west);
    const ulong before_start = south_step(pushers & THEIR_SECOND_RANK);
    const ulong frees_push = south_step(pushers) & own;
    const ulong frees_double = (before_start & own & north_step(empty)) | (south_step(before_start & empty) & own);
    increment_twice(value, frees_push, frees_double);
    const ulong can_push = pushers & north_step(empty);
    increment_twice(value, can_push, can_push & THEIR_SECOND_RANK & up(empty, 16u));
    increment_twice(value, east_captors & north_west_step(own), west_captors & north_east_step(own));
    add_numbers(value, their & ~mobility.defended1, their & ~mobility.defended2, their & ~mobility.defended4);
    const ulong promotion_squares = (south_step(their_pawns) | attacked_east | attacked_west) & RANK_1;
    const ulong untouchable = way | pins.now | promotion_squares;
    const ulong guarded = (near_king & their) | castling_rooks;
    replies.base = mobility.moves;
    replies.not_to = untouchable | blocks | guarded | (their_pawns & THEIR_SEVENTH_RANK) | crowded
        | mobility.overdefended;
    replies.not_from = untouchable | pins.soon | discovers;
    replies.not_along = (Sight){(replies.attacked.file | frees_push | frees_double) & own, replies.attacked.rank & own,
        replies.attacked.diagonal & own, replies.attacked.antidiagonal & own};
    replies.not_to_knight = knight_attacks(free);
    replies.not_from_pawn = pawn_attacks_down(zone);
    replies.not_to_pawn = pawn_attacks_down(free);
    replies.not_king = king_attacks(zone);
    replies.pawn_captures = attacked_east | attacked_west;
    if (nonempty(pinned & (orthogonal | diagonal))) {
        replies.attacked = sights_of(orthogonal, diagonal, empty);
    }
    return replies;
}
