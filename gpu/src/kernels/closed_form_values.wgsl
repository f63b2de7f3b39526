// The values of the closed form, which give the number of replies to a move without making it.
//
// The closed form of kogge-movegen-cpu states and proves the claim: if a move from f to t leaves the limits of the other side's
// moves unchanged, it changes their number by value(f) - value(t). It also numbers the conditions K1 to K9.

/// Returns the squares in at least two of three boards.
fn majority(a: Board, b: Board, c: Board) -> Board {
    return (a & b) | ((a | b) & c);
}

/// Adds 1, 2 and 4 to the numbers of three sets of squares.
fn add_numbers(numbers: ptr<function, Numbers>, ones: Board, twos: Board, fours: Board) {
    let carry1 = (*numbers).ones & ones;
    let carry2 = majority((*numbers).twos, twos, carry1);
    let carry3 = majority((*numbers).fours, fours, carry2);
    let carry4 = (*numbers).eights & carry3;
    (*numbers).ones ^= ones;
    (*numbers).twos ^= twos ^ carry1;
    (*numbers).fours ^= fours ^ carry2;
    (*numbers).eights ^= carry3;
    (*numbers).sixteens ^= carry4;
}

fn increment_twice(numbers: ptr<function, Numbers>, a: Board, b: Board) {
    let carry1 = majority((*numbers).ones, a, b);
    let carry2 = (*numbers).twos & carry1;
    let carry3 = (*numbers).fours & carry2;
    let carry4 = (*numbers).eights & carry3;
    (*numbers).ones ^= a ^ b;
    (*numbers).twos ^= carry1;
    (*numbers).fours ^= carry2;
    (*numbers).eights ^= carry3;
    (*numbers).sixteens ^= carry4;
}

/// A number up to seven for each square.
struct Few {
    ones: Board,
    twos: Board,
    fours: Board,
}

/// Adds the numbers of squares seen both ways along an axis, at most seven.
fn add_both_ways(numbers: ptr<function, Numbers>, ahead: Few, behind: Few) {
    let carry1 = ahead.ones & behind.ones;
    let carry2 = majority(ahead.twos, behind.twos, carry1);
    add_numbers(
        numbers,
        ahead.ones ^ behind.ones,
        ahead.twos ^ behind.twos ^ carry1,
        ahead.fours ^ behind.fours ^ carry2,
    );
}

/// Squares that are attacked once, twice or more often.
struct AttackPlanes {
    once: Board,
    twice: Board,
    thrice: Board,
}

fn attack(attacked: ptr<function, AttackPlanes>, squares: Board) {
    (*attacked).thrice |= (*attacked).twice & squares;
    (*attacked).twice |= (*attacked).once & squares;
    (*attacked).once |= squares;
}

/// The number of the other side's moves so far, and as bit planes, the number of sliders and knights that defend each of its
/// pieces.
struct Mobility {
    moves: u32,
    defended1: Board,
    defended2: Board,
    defended4: Board,
    overdefended: Board,
}

/// One more slider or knight defends these squares.
fn defended(mobility: ptr<function, Mobility>, squares: Board) {
    let carry1 = (*mobility).defended1 & squares;
    let carry2 = (*mobility).defended2 & carry1;
    (*mobility).overdefended |= (*mobility).defended4 & carry2;
    (*mobility).defended4 ^= carry2;
    (*mobility).defended2 ^= carry1;
    (*mobility).defended1 ^= squares;
}

/// The squares from the other side's king to the second piece: `now` if a slider of the side to move is the second piece, `soon`
/// if it is the third.
struct Pins {
    now: Board,
    soon: Board,
}

/// K4 for the two directions of an axis: `way` leads to the second piece, and `further` to the third.
fn add_pins(pins: ptr<function, Pins>, way: Board, further: Board, sliders: Board, king: Board) {
    let beneath = below(king);
    let above = ~(king | beneath);
    let way_up = way & above;
    let way_down = way & beneath;
    let second = way & sliders;
    let third = further & sliders;
    (*pins).now |= select(NONE, way_up, nonempty(above & second)) | select(NONE, way_down, nonempty(beneath & second));
    (*pins).soon |= select(NONE, way_up, nonempty(above & third)) | select(NONE, way_down, nonempty(beneath & third));
}

/// Returns the squares seen along any axis.
fn seen(sight: Sight) -> Board {
    return sight.file | sight.rank | sight.diagonal | sight.antidiagonal;
}

/// Returns the squares seen from some squares: along files and ranks if there are rooks or queens, along diagonals if there
/// are bishops or queens, else none.
fn view_rays(squares: Board, orthogonal: Board, diagonal: Board, empty: Board) -> Rays {
    var rays = Rays();
    if nonempty(orthogonal) {
        rays.north = any_north_attacks(squares, empty);
        rays.south = any_south_attacks(squares, empty);
        rays.east = any_east_attacks(squares, empty);
        rays.west = any_west_attacks(squares, empty);
    }
    if nonempty(diagonal) {
        rays.north_east = any_north_east_attacks(squares, empty);
        rays.north_west = any_north_west_attacks(squares, empty);
        rays.south_east = any_south_east_attacks(squares, empty);
        rays.south_west = any_south_west_attacks(squares, empty);
    }
    return rays;
}

/// Returns the squares between a slider that attacks in one direction and a square that looks in the opposite direction.
fn meeting(a: Rays, b: Rays) -> Board {
    return (a.north & b.south) | (a.south & b.north) | (a.east & b.west) | (a.west & b.east) |
        (a.north_east & b.south_west) | (a.south_west & b.north_east) | (a.north_west & b.south_east) |
        (a.south_east & b.north_west);
}

/// Returns the squares reached both ways along the file.
fn rays_on_file(rays: Rays) -> Board {
    return rays.north | rays.south;
}

/// Returns the squares reached both ways along the rank.
fn rays_on_rank(rays: Rays) -> Board {
    return rays.east | rays.west;
}

/// Returns the squares reached both ways along the diagonal.
fn rays_on_diagonal(rays: Rays) -> Board {
    return rays.north_east | rays.south_west;
}

/// Returns the squares reached both ways along the antidiagonal.
fn rays_on_antidiagonal(rays: Rays) -> Board {
    return rays.north_west | rays.south_east;
}

/// The other side's castlings, on its first rank: the squares that must not be attacked, the squares that must be empty,
/// and the number of castlings that are legal now.
struct Castlings {
    king_path: u32,
    way: u32,
    legal: u32,
}

/// Adds one castling of the other side. `danger` is the set of attacked squares.
fn castling_zone(
    castlings: ptr<function, Castlings>,
    rook: u32,
    king: u32,
    king_to: u32,
    rook_to: u32,
    occupied: u32,
    danger: u32,
    pinned_on_rank: u32,
) {
    if rook != 0u {
        let path = span(min(king, king_to), max(king, king_to));
        let way = (path | span(min(rook, rook_to), max(rook, rook_to))) & ~(king | rook);
        (*castlings).king_path |= path;
        (*castlings).way |= way;
        let hindered = (way & occupied) | (path & danger) | (rook & pinned_on_rank);
        (*castlings).legal += select(0u, 1u, hindered == 0u);
    }
}

/// Returns rank 8 as rank 1.
fn rank8(board: Board) -> u32 {
    return high(board) >> 24u;
}

/// Returns the other side's castlings.
fn castlings_of(position: Position, frame: Frame, axes: Lines, danger: Board, attacked_on_rank: Board) -> Castlings {
    var castlings = Castlings(0u, 0u, 0u);
    let rooks = rank8(position.bit1 & position.bit2 & position.bit4 & frame.their);
    if rooks != 0u {
        let king = rank8(frame.their_king);
        let above = rooks & ~(king - 1u);
        let beneath = rooks & (king - 1u);
        let occupied = rank8(~frame.empty);
        let sight = sight_of(axes, ~frame.empty, frame.their_king);
        let pinned = rank8(attacked_on_rank & sight.rank & frame.their);
        castling_zone(&castlings, above, king, G1, F1, occupied, rank8(danger), pinned);
        castling_zone(&castlings, beneath, king, C1, D1, occupied, rank8(danger), pinned);
    }
    return castlings;
}

/// Returns the replies before any move is chosen. `value`, which must be zero, receives the values of the squares.
fn replies_of(position: Position, frame: Frame, own_king_lines: Lines, value: ptr<function, Numbers>) -> Replies {
    let own = frame.own;
    let their = frame.their;
    let empty = frame.empty;
    let not_their = ~their;
    let their_king = frame.their_king;
    let axes = lines_of(lowest_index(their_king) & 63u);
    let their_pawns = frame.pawns & their;
    let rooks_queens = frame.rooks_queens & own;
    let bishops_queens = frame.bishops_queens & own;
    var replies = Replies();

    // Own attacks. Each direction counts as one attacker of a square, and so do all knights together.
    let by = attack_rays(rooks_queens, rooks_queens, bishops_queens, bishops_queens, empty);
    let firmly = pawn_attacks_up(frame.pawns & own) | own_king_lines.king | frame.king;
    var attacked = AttackPlanes(knight_attacks(frame.knights & own), NONE, NONE);
    attack(&attacked, by.north);
    attack(&attacked, by.south);
    attack(&attacked, by.east);
    attack(&attacked, by.west);
    attack(&attacked, by.north_east);
    attack(&attacked, by.north_west);
    attack(&attacked, by.south_east);
    attack(&attacked, by.south_west);
    let danger = attacked.once | firmly;

    // The zone.
    let near_king = axes.king;
    let castling_rooks = position.bit1 & position.bit2 & position.bit4 & their;
    let castlings = castlings_of(position, frame, axes, danger, rays_on_rank(by));
    let way = join(0u, castlings.way << 24u);
    let zone = (near_king & not_their) | join(0u, castlings.king_path << 24u) | their_king;
    let loose = zone & ~firmly;
    replies.once = loose & attacked.once & ~attacked.twice;
    let at_most_twice = loose & attacked.once & ~attacked.thrice;
    let free = (loose & ~attacked.once) | their_king;

    // K1: in each direction, the empty squares between an attacked square and its attacker.
    var blocks = NONE;
    north_blocks(&blocks, by.north, at_most_twice, empty);
    south_blocks(&blocks, by.south, at_most_twice, empty);
    east_blocks(&blocks, by.east, at_most_twice, empty);
    west_blocks(&blocks, by.west, at_most_twice, empty);
    north_east_blocks(&blocks, by.north_east, at_most_twice, empty);
    north_west_blocks(&blocks, by.north_west, at_most_twice, empty);
    south_east_blocks(&blocks, by.south_east, at_most_twice, empty);
    south_west_blocks(&blocks, by.south_west, at_most_twice, empty);

    // K2, K3.
    let seen_from_free = view_rays(free, rooks_queens, bishops_queens, empty);
    let discovers = meeting(by, seen_from_free);
    replies.not_to_orthogonal = rays_on_file(seen_from_free) | rays_on_rank(seen_from_free);
    replies.not_to_diagonal = rays_on_diagonal(seen_from_free) | rays_on_antidiagonal(seen_from_free);

    // K4. The squares that the king sees, then the squares behind the first pieces, then behind the second pieces. A slider of the
    // side to move pins the first piece if it is the second piece, and may pin it soon if it is the third.
    let sight1 = sight_of(axes, ~empty, their_king);
    let beyond1 = ~empty & ~seen(sight1);
    let sight2 = sight_of(axes, beyond1, their_king);
    let sight3 = sight_of(axes, beyond1 & ~seen(sight2), their_king);
    replies.not_to_orthogonal |= sight2.file | sight2.rank;
    replies.not_to_diagonal |= sight2.diagonal | sight2.antidiagonal;
    var pins = Pins();
    add_pins(&pins, sight2.file, sight3.file, rooks_queens, their_king);
    add_pins(&pins, sight2.rank, sight3.rank, rooks_queens, their_king);
    add_pins(&pins, sight2.diagonal, sight3.diagonal, bishops_queens, their_king);
    add_pins(&pins, sight2.antidiagonal, sight3.antidiagonal, bishops_queens, their_king);

    // The moves of the other side if the side to move passes.
    let pinned_on_file = rays_on_file(by) & sight1.file & their;
    let pinned_on_rank = rays_on_rank(by) & sight1.rank & their;
    let pinned_on_diagonal = rays_on_diagonal(by) & sight1.diagonal & their;
    let pinned_on_antidiagonal = rays_on_antidiagonal(by) & sight1.antidiagonal & their;
    let pinned = pinned_on_file | pinned_on_rank | pinned_on_diagonal | pinned_on_antidiagonal;
    let orthogonal = frame.rooks_queens & their;
    let diagonal = frame.bishops_queens & their;
    let by_king = count_ones(near_king & not_their & ~danger) + castlings.legal;
    var mobility = Mobility(by_king, NONE, NONE, NONE, NONE);
    if nonempty(orthogonal) {
        replies.attacked.file = closed_form_north(&mobility, value, orthogonal & (~pinned | pinned_on_file), frame);
        replies.attacked.rank = closed_form_east(&mobility, value, orthogonal & (~pinned | pinned_on_rank), frame);
    }
    if nonempty(diagonal) {
        let on_diagonal = diagonal & (~pinned | pinned_on_diagonal);
        let on_antidiagonal = diagonal & (~pinned | pinned_on_antidiagonal);
        replies.attacked.diagonal = closed_form_north_east(&mobility, value, on_diagonal, frame);
        replies.attacked.antidiagonal = closed_form_north_west(&mobility, value, on_antidiagonal, frame);
    }

    // Knights: the number of leaps is the value of the square, which is still zero.
    var left = frame.knights & their & ~pinned;
    while nonempty(left) {
        let knight = lowest(left);
        let leaps = lines_of(lowest_index(left)).knight;
        let moves = count_ones(leaps & not_their);
        mobility.moves += moves;
        (*value).ones |= select(NONE, knight, (moves & 1u) != 0u);
        (*value).twos |= select(NONE, knight, (moves & 2u) != 0u);
        (*value).fours |= select(NONE, knight, (moves & 4u) != 0u);
        (*value).eights |= select(NONE, knight, (moves & 8u) != 0u);
        defended(&mobility, leaps & their);
        left = without_lowest(left);
    }
    let crowded = (*value).sixteens & ((*value).eights | (*value).fours) & their;

    // Pawns. The other side's pawns move down: a push from x lands on x - 8.
    let pushers = their_pawns & (~pinned | pinned_on_file);
    let push = south_step(pushers) & empty;
    let twostep = south_step(push & THEIR_THIRD_RANK) & empty;
    let east_captors = their_pawns & (~pinned | pinned_on_antidiagonal);
    let west_captors = their_pawns & (~pinned | pinned_on_diagonal);
    let attacked_east = south_east_step(east_captors);
    let attacked_west = south_west_step(west_captors);
    let captured_east = attacked_east & own;
    let captured_west = attacked_west & own;
    mobility.moves += count_ones(push) + count_ones(twostep) + count_ones(captured_east) + count_ones(captured_west);
    if nonempty((push | captured_east | captured_west) & RANK_1) {
        mobility.moves += 3u *
            (count_ones(push & RANK_1) + count_ones(captured_east & RANK_1) + count_ones(captured_west & RANK_1));
    }
    increment_twice(value, push | twostep, north_step(twostep));
    increment_twice(value, ~attacked_east, ~attacked_west);
    let before_start = south_step(pushers & THEIR_SECOND_RANK);
    let frees_push = south_step(pushers) & own;
    let frees_double = (before_start & own & north_step(empty)) | (south_step(before_start & empty) & own);
    increment_twice(value, frees_push, frees_double);
    let can_push = pushers & north_step(empty);
    increment_twice(value, can_push, can_push & THEIR_SECOND_RANK & up(empty, 16u));
    increment_twice(value, east_captors & north_west_step(own), west_captors & north_east_step(own));
    add_numbers(value, their & ~mobility.defended1, their & ~mobility.defended2, their & ~mobility.defended4);

    // K5, K6.
    let promotion_squares = (south_step(their_pawns) | attacked_east | attacked_west) & RANK_1;
    let untouchable = way | pins.now | promotion_squares;
    let guarded = (near_king & their) | castling_rooks;
    replies.base = mobility.moves;
    replies.not_to = untouchable | blocks | guarded | (their_pawns & THEIR_SEVENTH_RANK) | crowded |
        mobility.overdefended;
    replies.not_from = untouchable | pins.soon | discovers;
    // K9.
    replies.not_along = Sight(
        (replies.attacked.file | frees_push | frees_double) & own,
        replies.attacked.rank & own,
        replies.attacked.diagonal & own,
        replies.attacked.antidiagonal & own,
    );
    replies.not_to_knight = knight_attacks(free);
    // K7, K8.
    replies.not_from_pawn = pawn_attacks_down(zone);
    replies.not_to_pawn = pawn_attacks_down(free);
    replies.not_king = king_attacks(zone);
    replies.pawn_captures = attacked_east | attacked_west;
    // Pinned sliders give check, too.
    if nonempty(pinned & (orthogonal | diagonal)) {
        replies.attacked = sights_of(orthogonal, diagonal, empty);
    }
    return replies;
}
