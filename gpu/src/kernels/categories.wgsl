// The last ply by the kinds of moves. `Categories` in kogge-board defines the kinds.

const NODES: u32 = 0u;
const CAPTURES: u32 = 1u;
const EN_PASSANTS: u32 = 2u;
const CASTLES: u32 = 3u;
const PROMOTIONS: u32 = 4u;
const CHECKS: u32 = 5u;
const DISCOVERED: u32 = 6u;
const DOUBLE: u32 = 7u;
const MATES: u32 = 8u;
const KINDS: u32 = 9u;

/// For each kind, a sum for each of the work-group's roots.
var<workgroup> kind_sums: array<atomic<u32>, KINDS * GROUP>;

/// Sets the sums of a work-group to zero.
fn clear_kind_sums(lane: u32) {
    for (var at = lane; at < KINDS * GROUP; at += GROUP) {
        atomicStore(&kind_sums[at], 0u);
    }
    workgroupBarrier();
}

/// Adds to the sum for a root and a kind, or to their total if the group has no sum for the root. A kind has `stride` totals.
fn add_to_kind(first_root: u32, root: u32, kind: u32, amount: u32) {
    let at = root - first_root;
    if amount == 0u {
        return;
    }
    if at < GROUP {
        atomicAdd(&kind_sums[kind * GROUP + at], amount);
    } else {
        add_to_total(kind * scalars.stride + root, amount);
    }
}

/// Adds the sums of a work-group to the totals.
fn add_kind_sums(first_root: u32, lane: u32) {
    workgroupBarrier();
    for (var at = lane; at < KINDS * GROUP; at += GROUP) {
        let sum = atomicLoad(&kind_sums[at]);
        if sum != 0u {
            add_to_total(at / GROUP * scalars.stride + first_root + at % GROUP, sum);
        }
    }
}

/// Returns the replies that the closed form needs for counting ordinary moves and their captures. Moves that may check do not
/// qualify: moves to a square from which the piece attacks the other king, and all moves of a piece between a slider and the king.
fn ordinary_moves(frame: Frame) -> Replies {
    let axes = lines_of(lowest_index(frame.their_king) & 63u);
    let sight = sight_of(axes, ~frame.empty, frame.their_king);
    let attacks = sights_of(frame.rooks_queens & frame.own, frame.bishops_queens & frame.own, frame.empty);
    var ordinary = Replies();
    ordinary.base = 1u;
    ordinary.not_from = ((attacks.file & sight.file) | (attacks.rank & sight.rank) |
        (attacks.diagonal & sight.diagonal) | (attacks.antidiagonal & sight.antidiagonal)) & frame.own;
    ordinary.not_to_knight = axes.knight;
    ordinary.not_to_orthogonal = sight.file | sight.rank;
    ordinary.not_to_diagonal = sight.diagonal | sight.antidiagonal;
    ordinary.not_to_pawn = pawn_attacks_down(frame.their_king);
    return ordinary;
}

/// For their roots, counts the ordinary moves of positions, and the captures among them. All other moves become items, in no
/// particular order. If the number of items exceeds the capacity, the queue overflowed and some items are missing.
@compute @workgroup_size(GROUP)
fn classify_moves(id: Invocation) {
    let group_first = scalars.first + group_index(id) * GROUP;
    let index = group_first + id.lane;
    // A work-group without positions reads the last position's root.
    let first_root = first_group_root(roots[min(group_first, scalars.end - 1u)]);
    if id.lane == 0u {
        atomicStore(&queued, 0u);
    }
    clear_kind_sums(id.lane);
    let frame = frame_of(load_position_or_none(index));
    let axes = lines_of(frame.king_square);
    let limits = limits_of(frame, axes);
    let ordinary = ordinary_moves(frame);
    let counted = closed_form_replies(frame, axes, limits, ordinary, Numbers(), Sink(id.lane << LANE, index));
    if index < scalars.end {
        add_to_kind(first_root, roots[index], NODES, counted % CAPTURE_CHANGE);
        add_to_kind(first_root, roots[index], CAPTURES, counted / CAPTURE_CHANGE);
    }
    add_kind_sums(first_root, id.lane);
    let len = min(atomicLoad(&queued), QUEUE);
    if id.lane == 0u {
        item_base = atomicAdd(&new_item_count[0], len);
    }
    workgroupBarrier();
    for (var at = id.lane; at < len; at += GROUP) {
        let packed_move = queue[at];
        put_item(item_base + at, packed_move & ((1u << LANE) - 1u), group_first + (packed_move >> LANE));
    }
}

/// Returns the attackers of the other side's king, whose owner has just moved.
fn checkers_of(frame: Frame) -> Board {
    let axes = lines_of(lowest_index(frame.their_king) & 63u);
    let sight = sight_of(axes, ~frame.empty, frame.their_king);
    let checkers = ((sight.file | sight.rank) & frame.rooks_queens) |
        ((sight.diagonal | sight.antidiagonal) & frame.bishops_queens) |
        (axes.knight & frame.knights) | (pawn_attacks_down(frame.their_king) & frame.pawns);
    return checkers & frame.own;
}

/// Makes the moves of items, and counts them by kind for their roots. If the queue overflowed, sets the totals' header; then
/// all totals are invalid. Each work-group takes neighbouring items, because these mostly have the same root.
@compute @workgroup_size(GROUP)
fn classify_items(id: Invocation) {
    let len = min(item_count[0], scalars.item_capacity);
    let lanes = id.workgroups.x * id.workgroups.y * GROUP;
    let group_items = (len + lanes - 1u) / lanes * GROUP;
    let group_first = min(group_index(id) * group_items, len);
    let end = min(group_first + group_items, len);
    var first_root = 0u;
    if group_first < end {
        first_root = first_group_root(roots[items[group_first].y]);
    }
    if id.lane == 0u && group_first == 0u && item_count[0] > scalars.item_capacity {
        atomicStore(&totals[0], 1u);
    }
    clear_kind_sums(id.lane);
    for (var index = group_first + id.lane; index < end; index += GROUP) {
        let packed_move = items[index].x;
        let parent = load_position(items[index].y);
        let root = roots[items[index].y];
        let origin = bit(from_of(packed_move));
        let to = bit(to_of(packed_move));
        let en_passant = kind_of(packed_move) == EN_PASSANT;
        let castling = kind_of(packed_move) == CASTLING;
        let is_capture = en_passant || (!castling && nonempty(occupied_of(parent) & ~parent.own & to));
        let pawn = nonempty(parent.bit1 & ~(parent.bit2 | parent.bit4) & origin);
        add_to_kind(first_root, root, NODES, 1u);
        add_to_kind(first_root, root, CAPTURES, u32(is_capture));
        add_to_kind(first_root, root, EN_PASSANTS, u32(en_passant));
        add_to_kind(first_root, root, CASTLES, u32(castling));
        add_to_kind(first_root, root, PROMOTIONS, u32(pawn && code_of(packed_move) != PAWN));
        let child = patched(parent, packed_move);
        let checkers = checkers_of(frame_of(child));
        if nonempty(checkers) {
            let one = !nonempty(without_lowest(checkers));
            // After castling, only the rook can give check, and the rook has moved.
            let by_mover = castling || nonempty(checkers & to);
            let mate = count_moves_of(fast_flipped(child), FAST_REVERSE) == 0u;
            add_to_kind(first_root, root, CHECKS, 1u);
            add_to_kind(first_root, root, DISCOVERED, u32(one && !by_mover));
            add_to_kind(first_root, root, DOUBLE, u32(!one));
            add_to_kind(first_root, root, MATES, u32(mate));
        }
    }
    add_kind_sums(first_root, id.lane);
}
