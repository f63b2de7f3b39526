// Two plies in closed form: how many replies the other side has after a move, without making it.
//
// What is claimed, and why, is said in kogge-movegen-cpu, in `replies.rs`: a move from f to t that leaves alone what
// limits the other side's moves changes their number by value(f) - value(t). The conditions K1 to K9 are numbered there.

// What is known of the replies before any move is chosen; see `Replies` in `replies.rs`.
struct Replies {
    base: u32,
    not_from: Board,
    not_to: Board,
    once: Board,
    not_to_knight: Board,
    not_to_orthogonal: Board,
    not_to_diagonal: Board,
    not_from_pawn: Board,
    not_to_pawn: Board,
    not_king: Board,
    not_along: Sight,
    pawn_captures: Board,
    // The other side's sliders' attacks along each axis, pinned or not.
    attacked: Sight,
}

// Squares that are attacked once, twice or more often.
struct Attacked {
    once: Board,
    twice: Board,
    thrice: Board,
}

// One more attacker of some squares.
fn attack(attacked: ptr<function, Attacked>, squares: Board) {
    (*attacked).thrice |= (*attacked).twice & squares;
    (*attacked).twice |= (*attacked).once & squares;
    (*attacked).once |= squares;
}

// Their moves so far: how many, and by how many sliders and knights each of their pieces is defended, as bit planes.
struct Mobility {
    moves: u32,
    defended1: Board,
    defended2: Board,
    defended4: Board,
    overdefended: Board,
}

// One more slider or knight defends these squares.
fn defended(mobility: ptr<function, Mobility>, squares: Board) {
    let carry1 = (*mobility).defended1 & squares;
    let carry2 = (*mobility).defended2 & carry1;
    (*mobility).overdefended |= (*mobility).defended4 & carry2;
    (*mobility).defended4 ^= carry2;
    (*mobility).defended2 ^= carry1;
    (*mobility).defended1 ^= squares;
}

// K4 for the two directions of an axis: the way from the king to the second piece, where an own slider is seen.
fn pins_on(way: Board, seen: Board, sliders: Board, king: Board) -> Board {
    let beneath = below(king);
    let above = ~(king | beneath);
    return select(NONE, way & above, nonempty(seen & above & sliders)) |
        select(NONE, way & beneath, nonempty(seen & beneath & sliders));
}

// K4 for all axes.
fn pin_lines_of(way: Sight, seen: Sight, rooks_queens: Board, bishops_queens: Board, king: Board) -> Board {
    return pins_on(way.file, seen.file, rooks_queens, king) | pins_on(way.rank, seen.rank, rooks_queens, king) |
        pins_on(way.diagonal, seen.diagonal, bishops_queens, king) |
        pins_on(way.antidiagonal, seen.antidiagonal, bishops_queens, king);
}

// Everything seen along any axis.
fn seen(sight: Sight) -> Board {
    return sight.file | sight.rank | sight.diagonal | sight.antidiagonal;
}

// Their castlings, on rank 8 as the side to move sees it: what must not be attacked, what must be empty, and how many
// are legal now.
struct Castlings {
    king_path: u32,
    way: u32,
    legal: u32,
}

// One castling. `obstacles` are occupied squares, `danger` attacked ones.
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

// Rank 8 as rank 1.
fn rank8(board: Board) -> u32 {
    return high(board) >> 24u;
}

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

// What is known of the replies; their values, square by square, go to `value`, which must be zero.
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
    var replies: Replies;

    // Own attacks. Each direction and the knights together count as one attacker of a square.
    let by = rays_of(rooks_queens, rooks_queens, bishops_queens, bishops_queens, empty);
    let firmly = pawn_attacks_up(frame.pawns & own) | own_king_lines.king | frame.king;
    var attacked = Attacked(knight_attacks(frame.knights & own), NONE, NONE);
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
    let castlings = castlings_of(position, frame, axes, danger, along_rank(by));
    let way = join(0u, castlings.way << 24u);
    let zone = (near_king & not_their) | join(0u, castlings.king_path << 24u) | their_king;
    let loose = zone & ~firmly;
    replies.once = loose & attacked.once & ~attacked.twice;
    let at_most_twice = loose & attacked.once & ~attacked.thrice;
    let free = (loose & ~attacked.once) | their_king;

    // K1, for each direction.
    let blocks = north_blocks(by.north, at_most_twice, empty) | south_blocks(by.south, at_most_twice, empty) |
        east_blocks(by.east, at_most_twice, empty) | west_blocks(by.west, at_most_twice, empty) |
        north_east_blocks(by.north_east, at_most_twice, empty) |
        north_west_blocks(by.north_west, at_most_twice, empty) |
        south_east_blocks(by.south_east, at_most_twice, empty) |
        south_west_blocks(by.south_west, at_most_twice, empty);

    // K2, K3.
    let seen_from_free = views_of(free, rooks_queens, bishops_queens, empty);
    let discovers = meeting(by, seen_from_free);
    replies.not_to_orthogonal = along_file(seen_from_free) | along_rank(seen_from_free);
    replies.not_to_diagonal = along_diagonal(seen_from_free) | along_antidiagonal(seen_from_free);

    // K4. What the king sees, then through the first pieces, then through the second. If the second piece is an own
    // slider, it pins the first. If the third is one, it may soon.
    let sight1 = sight_of(axes, ~empty, their_king);
    let beyond1 = ~empty & ~seen(sight1);
    let sight2 = sight_of(axes, beyond1, their_king);
    let sight3 = sight_of(axes, beyond1 & ~seen(sight2), their_king);
    replies.not_to_orthogonal |= sight2.file | sight2.rank;
    replies.not_to_diagonal |= sight2.diagonal | sight2.antidiagonal;
    let pins = pin_lines_of(sight2, sight2, rooks_queens, bishops_queens, their_king);
    let pins_soon = pin_lines_of(sight2, sight3, rooks_queens, bishops_queens, their_king);

    // Their moves if own passes.
    let pinned_on_file = along_file(by) & sight1.file & their;
    let pinned_on_rank = along_rank(by) & sight1.rank & their;
    let pinned_on_diagonal = along_diagonal(by) & sight1.diagonal & their;
    let pinned_on_antidiagonal = along_antidiagonal(by) & sight1.antidiagonal & their;
    let pinned = pinned_on_file | pinned_on_rank | pinned_on_diagonal | pinned_on_antidiagonal;
    let orthogonal = frame.rooks_queens & their;
    let diagonal = frame.bishops_queens & their;
    let by_king = count_ones(near_king & not_their & ~danger) + castlings.legal;
    var mobility = Mobility(by_king, NONE, NONE, NONE, NONE);
    if nonempty(orthogonal) {
        replies.attacked.file = along_north(&mobility, value, orthogonal & (~pinned | pinned_on_file), frame);
        replies.attacked.rank = along_east(&mobility, value, orthogonal & (~pinned | pinned_on_rank), frame);
    }
    if nonempty(diagonal) {
        let on_diagonal = diagonal & (~pinned | pinned_on_diagonal);
        let on_antidiagonal = diagonal & (~pinned | pinned_on_antidiagonal);
        replies.attacked.diagonal = along_north_east(&mobility, value, on_diagonal, frame);
        replies.attacked.antidiagonal = along_north_west(&mobility, value, on_antidiagonal, frame);
    }

    // Knights: each one's leaps are the value of its square, where nothing has been added so far.
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

    // Pawns. They move down: a push from x lands on x - 8.
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
    let untouchable = way | pins | promotion_squares;
    let guarded = (near_king & their) | castling_rooks;
    replies.base = mobility.moves;
    replies.not_to = untouchable | blocks | guarded | (their_pawns & THEIR_SEVENTH_RANK) | crowded |
        mobility.overdefended;
    replies.not_from = untouchable | pins_soon | discovers;
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
    // Pinned sliders give check all the same.
    if nonempty(pinned & (orthogonal | diagonal)) {
        replies.attacked = sights_of(orthogonal, diagonal, empty);
    }
    return replies;
}
