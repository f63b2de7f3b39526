// The last two plies: counts the replies to moves that qualify in closed form, and queues the other moves.

/// A number for each square, as bit planes of weights 1, 2, 4, 8 and 16.
struct Numbers {
    ones: Board,
    twos: Board,
    fours: Board,
    eights: Board,
    sixteens: Board,
}

fn sum_of(numbers: Numbers, squares: Board) -> u32 {
    return count_ones(numbers.ones & squares) + 2u * count_ones(numbers.twos & squares) +
        4u * count_ones(numbers.fours & squares) + 8u * count_ones(numbers.eights & squares) +
        16u * count_ones(numbers.sixteens & squares);
}

fn number_at(numbers: Numbers, square: u32) -> u32 {
    return select(0u, 1u, has(numbers.ones, square)) + select(0u, 2u, has(numbers.twos, square)) +
        select(0u, 4u, has(numbers.fours, square)) + select(0u, 8u, has(numbers.eights, square)) +
        select(0u, 16u, has(numbers.sixteens, square));
}

/// The replies before a move is chosen: their number, and the squares that moves must avoid to qualify. `Replies` in the
/// closed form of kogge-movegen-cpu describes the fields.
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
    /// The attacks of the other side's sliders along each axis, whether pinned or not.
    attacked: Sight,
}

/// A queue in work-group memory collects moves on their way to the items. The lowest bit of a queued move that holds
/// the lane that found it. The host sets QUEUE, the number of moves that fit.
const LANE: u32 = 17u;

var<workgroup> queue: array<u32, QUEUE>;
/// The number of moves that need room in the queue, and the index of the queue's first item.
var<workgroup> queued: atomic<u32>;
var<workgroup> item_base: u32;

/// The number of the lane's moves that went to the sink.
var<private> lane_moves: u32;

/// The bits for the lane in a queued move, and for items the index of its position.
struct Sink {
    lane: u32,
    parent: u32,
}

/// Reserves room in the queue for some moves, and returns where the room begins.
fn reserve(count: u32) -> u32 {
    lane_moves += count;
    return atomicAdd(&queued, count);
}

/// Writes an item, if there is room. The number of items shows whether there was room.
fn put_item(at: u32, packed_move: u32, parent: u32) {
    if at < scalars.item_capacity {
        new_items[at] = vec2<u32>(packed_move, parent);
    }
}

/// Queues a move; if it does not fit in the queue, it becomes an item at once.
fn put(sink: Sink, at: u32, packed_move: u32) {
    if at < QUEUE {
        queue[at] = packed_move | sink.lane;
    } else {
        put_item(atomicAdd(&new_item_count[0], 1u), packed_move, sink.parent);
    }
}

/// Queues the moves of one piece to some squares.
fn put_piece(sink: Sink, origin: u32, targets: Board, code: u32) {
    if nonempty(targets) {
        var at = reserve(count_ones(targets));
        var left = targets;
        while nonempty(left) {
            put(sink, at, pack_move(origin, lowest_index(left), code, 0u));
            at += 1u;
            left = without_lowest(left);
        }
    }
}

/// Queues moves of the same distance.
fn put_shifted(sink: Sink, targets: Board, distance: u32, code: u32, kind: u32) {
    if nonempty(targets) {
        var at = reserve(count_ones(targets));
        var left = targets;
        while nonempty(left) {
            let to = lowest_index(left);
            put(sink, at, pack_move(to - distance, to, code, kind));
            at += 1u;
            left = without_lowest(left);
        }
    }
}

/// The moves that have qualified so far: their number, and the total change in the number of replies, modulo 2^32,
/// because it may be negative.
struct Tally {
    moves: u32,
    change: u32,
}

fn tally_piece(tally: ptr<function, Tally>, value: Numbers, origin: u32, targets: Board, their: Board) {
    let count = count_ones(targets);
    if count != 0u {
        (*tally).moves += count;
        (*tally).change += count * number_at(value, origin) + CAPTURE_CHANGE * count_ones(targets & their) - sum_of(value, targets);
    }
}

/// Tallies the qualifying pawn moves of one distance, and returns the other moves.
fn tally_pawn_direction(
    tally: ptr<function, Tally>,
    value: Numbers,
    frame: Frame,
    targets: Board,
    distance: u32,
    not_from: Board,
    not_to: Board,
) -> Board {
    let simple = targets & ~(not_to | up(not_from, distance));
    if nonempty(simple) {
        (*tally).moves += count_ones(simple);
        (*tally).change += sum_of(value, down(simple, distance)) - sum_of(value, simple);
        // Each capture adds seven back; a pawn that could have captured the captor was subtracted twice.
        let captured = simple & frame.their;
        (*tally).change += CAPTURE_CHANGE * count_ones(captured) + PAWN_BY_PAWN_CHANGE * count_ones(captured & frame.pawns);
    }
    return targets ^ simple;
}

/// The squares that a slider attacks, the squares it can move to, and the squares where its move may qualify.
struct Reach {
    attacks: Board,
    targets: Board,
    simple: Board,
}

fn add_axis(
    reach: ptr<function, Reach>,
    piece: Board,
    sight: Board,
    allowed: Board,
    limits: Limits,
    pinned_on_axis: Board,
    not_along: Board,
) {
    let reached = select(NONE, sight & allowed, nonempty(free_to_move(piece, limits, pinned_on_axis)));
    (*reach).attacks |= sight;
    (*reach).targets |= reached;
    (*reach).simple |= select(reached, NONE, nonempty(not_along & piece));
}

fn tally_knights(
    tally: ptr<function, Tally>,
    sink: Sink,
    frame: Frame,
    limits: Limits,
    replies: Replies,
    value: Numbers,
    allowed: Board,
) {
    // A pinned knight never moves.
    var left = frame.knights & frame.own & ~limits.pinned;
    while nonempty(left) {
        let origin = lowest_index(left);
        let attacks = lines_of(origin).knight;
        let targets = attacks & allowed;
        let stays = nonempty((replies.not_from & lowest(left)) | (attacks & replies.once));
        let simple = select(targets & ~(replies.not_to | replies.not_to_knight), NONE, stays);
        tally_piece(tally, value, origin, simple, frame.their);
        put_piece(sink, origin, targets ^ simple, KNIGHT);
        left = without_lowest(left);
    }
}

/// Tallies or queues the moves of bishops, rooks and queens.
fn tally_sliders(
    tally: ptr<function, Tally>,
    sink: Sink,
    frame: Frame,
    limits: Limits,
    replies: Replies,
    value: Numbers,
    allowed: Board,
) {
    for (var code = BISHOP; code <= QUEEN; code++) {
        var left = sliders_of_kind(frame, code) & frame.own;
        while nonempty(left) {
            let origin = lowest_index(left);
            let piece = lowest(left);
            let sight = sight_of(lines_of(origin), ~frame.empty, piece);
            let not_along = replies.not_along;
            var reach = Reach(NONE, NONE, NONE);
            var not_to = replies.not_to;
            if code != BISHOP {
                add_axis(&reach, piece, sight.file, allowed, limits, limits.pinned_on_file, not_along.file);
                add_axis(&reach, piece, sight.rank, allowed, limits, limits.pinned_on_rank, not_along.rank);
                not_to |= replies.not_to_orthogonal;
            }
            if code != ROOK {
                let diagonal = limits.pinned_on_diagonal;
                let antidiagonal = limits.pinned_on_antidiagonal;
                add_axis(&reach, piece, sight.diagonal, allowed, limits, diagonal, not_along.diagonal);
                add_axis(&reach, piece, sight.antidiagonal, allowed, limits, antidiagonal, not_along.antidiagonal);
                not_to |= replies.not_to_diagonal;
            }
            let stays = nonempty((replies.not_from & piece) | (reach.attacks & replies.once));
            let simple = select(reach.simple & ~not_to, NONE, stays);
            tally_piece(tally, value, origin, simple, frame.their);
            if code != ROOK && nonempty(replies.pawn_captures & piece) {
                // A pawn that could capture the mover on its from-square was subtracted twice.
                (*tally).change += count_ones(simple & frame.pawns & frame.their & pawn_attacks_up(piece));
            }
            put_piece(sink, origin, reach.targets ^ simple, code);
            left = without_lowest(left);
        }
    }
}

/// Tallies or queues the moves of pawns, without en-passant captures. A double push is marked if a pawn stands where it
/// could capture en passant, even if illegally.
fn tally_pawns(
    tally: ptr<function, Tally>,
    sink: Sink,
    frame: Frame,
    limits: Limits,
    replies: Replies,
    value: Numbers,
) {
    let pawns = frame.pawns & frame.own;
    let watchers = frame.pawns & frame.their;
    let pushed = north_step(free_to_move(pawns, limits, limits.pinned_on_file)) & frame.empty;
    var twice = north_step(pushed & THIRD_RANK) & frame.empty & limits.evasion;
    var single = pushed & limits.evasion;
    let captured = frame.their & limits.evasion;
    var east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & captured;
    var west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & captured;
    let passing = twice & (east_step(watchers) | west_step(watchers));
    put_shifted(sink, passing, 16u, PAWN, PASSING);
    twice ^= passing;
    if nonempty((single | east | west) & RANK_8) {
        for (var code = KNIGHT; code <= QUEEN; code++) {
            put_shifted(sink, single & RANK_8, 8u, code, 0u);
            put_shifted(sink, east & RANK_8, 9u, code, 0u);
            put_shifted(sink, west & RANK_8, 7u, code, 0u);
        }
        single &= ~RANK_8;
        east &= ~RANK_8;
        west &= ~RANK_8;
    }
    let not_from = replies.not_from | replies.not_from_pawn;
    let not_to = replies.not_to | replies.not_to_pawn;
    let along = replies.not_along;
    single = tally_pawn_direction(tally, value, frame, single, 8u, not_from | along.file, not_to);
    twice = tally_pawn_direction(tally, value, frame, twice, 16u, not_from | along.file, not_to);
    east = tally_pawn_direction(tally, value, frame, east, 9u, not_from | along.diagonal, not_to);
    west = tally_pawn_direction(tally, value, frame, west, 7u, not_from | along.antidiagonal, not_to);
    put_shifted(sink, single, 8u, PAWN, 0u);
    put_shifted(sink, twice, 16u, PAWN, 0u);
    put_shifted(sink, east, 9u, PAWN, 0u);
    put_shifted(sink, west, 7u, PAWN, 0u);
}

fn tally_king(
    tally: ptr<function, Tally>,
    sink: Sink,
    frame: Frame,
    axes: Lines,
    limits: Limits,
    replies: Replies,
    value: Numbers,
) {
    // An empty board has no king.
    let targets = select(NONE, axes.king & ~frame.own & ~limits.danger, nonempty(frame.king));
    let kept = frame.king & (replies.not_from | replies.not_king | replies.not_along.file);
    let simple = select(targets & ~(replies.not_to | replies.not_king), NONE, limits.check || nonempty(kept));
    tally_piece(tally, value, frame.king_square, simple, frame.their);
    put_piece(sink, frame.king_square, targets ^ simple, KING);
    if may_castle_perhaps(frame, limits) {
        if may_castle_up(frame, limits, false) {
            put(sink, reserve(1u), pack_move(frame.king_square, 6u, KING, CASTLING));
        }
        if may_castle_down(frame, limits, false) {
            put(sink, reserve(1u), pack_move(frame.king_square, 2u, KING, CASTLING));
        }
    }
}

/// Returns the number of replies to the moves that qualify; the others go to the sink.
fn closed_form_replies(
    frame: Frame,
    axes: Lines,
    limits: Limits,
    replies: Replies,
    value: Numbers,
    sink: Sink,
) -> u32 {
    let allowed = limits.evasion & ~frame.own;
    var tally = Tally(0u, 0u);
    tally_knights(&tally, sink, frame, limits, replies, value, allowed);
    tally_sliders(&tally, sink, frame, limits, replies, value, allowed);
    tally_pawns(&tally, sink, frame, limits, replies, value);
    if nonempty(frame.en_passant) {
        let captors = en_passant_captors(frame, axes);
        put_shifted(sink, north_west_step(captors.from_east), 7u, PAWN, EN_PASSANT);
        put_shifted(sink, north_east_step(captors.from_west), 9u, PAWN, EN_PASSANT);
    }
    tally_king(&tally, sink, frame, axes, limits, replies, value);
    return tally.moves * replies.base + tally.change;
}

/// Reads a position. Lanes without a position get an empty board, which has no moves: the kernel is faster if all its lanes do
/// the same.
fn load_position_or_none(index: u32) -> Position {
    var position = Position();
    if index < scalars.end {
        position = load_position(index);
    }
    return position;
}
