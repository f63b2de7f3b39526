// Counts legal moves without making any.
//
// At most one slider reaches a square in each direction. At most one knight reaches it by each leap, and one pawn by
// each step. So the popcounts of set-wise attacks sum to the exact number of moves. A pinned piece may still move along
// its pin, so each direction counts the unpinned pieces and the pieces pinned on its axis.

/// Returns the number of moves of bishops, rooks and queens.
fn count_sliders(frame: Frame, limits: Limits, targets: Board) -> u32 {
    let empty = frame.empty;
    let orthogonal = frame.rooks_queens & frame.own;
    let diagonal = frame.bishops_queens & frame.own;
    let on_file = free_to_move(orthogonal, limits, limits.pinned_on_file);
    let on_rank = free_to_move(orthogonal, limits, limits.pinned_on_rank);
    let on_diagonal = free_to_move(diagonal, limits, limits.pinned_on_diagonal);
    let on_antidiagonal = free_to_move(diagonal, limits, limits.pinned_on_antidiagonal);
    // For the directions up and down, the targets are shifted instead of the attacks, because knights need the same
    // shifted targets.
    return count_ones(north_fill(on_file, empty) & down(targets, 8u)) +
        count_ones(south_fill(on_file, empty) & up(targets, 8u)) +
        count_ones(east_attacks(on_rank, empty) & targets) +
        count_ones(west_attacks(on_rank, empty) & targets) +
        count_ones(north_east_attacks(on_diagonal, empty) & targets) +
        count_ones(south_west_attacks(on_diagonal, empty) & targets) +
        count_ones(north_west_attacks(on_antidiagonal, empty) & targets) +
        count_ones(south_east_attacks(on_antidiagonal, empty) & targets);
}

fn count_knights(frame: Frame, limits: Limits, targets: Board) -> u32 {
    // A pinned knight never moves. The targets are shifted instead of the leaps, and each shift serves two leaps.
    let leaps = leaps_of(frame.knights & frame.own & ~limits.pinned);
    let up2 = down(targets, 16u);
    let down2 = up(targets, 16u);
    let up1 = down(targets, 8u);
    let down1 = up(targets, 8u);
    return count_ones(leaps.east1 & up2) + count_ones(leaps.west1 & up2) + count_ones(leaps.east2 & up1) +
        count_ones(leaps.west2 & up1) + count_ones(leaps.east2 & down1) + count_ones(leaps.west2 & down1) +
        count_ones(leaps.east1 & down2) + count_ones(leaps.west1 & down2);
}

/// Returns the number of moves of pawns, without en-passant captures.
fn count_pawns(frame: Frame, limits: Limits) -> u32 {
    let pawns = frame.pawns & frame.own;
    let steps = north_step(free_to_move(pawns, limits, limits.pinned_on_file)) & frame.empty;
    let twice = north_step(steps & THIRD_RANK) & frame.empty & limits.evasion;
    let single = steps & limits.evasion;
    let victims = frame.their & limits.evasion;
    let east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & victims;
    let west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & victims;
    var moves = count_ones(single) + count_ones(twice) + count_ones(east) + count_ones(west);
    if nonempty((single | east | west) & RANK_8) {
        // Every promotion is four moves; one of them is counted already.
        moves += 3u * (count_ones(single & RANK_8) + count_ones(east & RANK_8) + count_ones(west & RANK_8));
    }
    return moves;
}

/// Returns the number of legal moves. `mirrored` is true if the board's files are mirrored.
fn count_moves_of(position: Position, mirrored: bool) -> u32 {
    let frame = frame_of(position);
    let axes = lines_of(frame.king_square);
    let limits = limits_of(frame, axes);
    let targets = ~frame.own & limits.evasion;
    var moves = count_ones(axes.king & ~frame.own & ~limits.danger) + count_sliders(frame, limits, targets) +
        count_knights(frame, limits, targets) + count_pawns(frame, limits);
    if nonempty(frame.en_passant) {
        let captors = en_passant_captors(frame, axes);
        moves += select(0u, 1u, nonempty(captors.from_east)) + select(0u, 1u, nonempty(captors.from_west));
    }
    if may_castle_perhaps(frame, limits) {
        moves += select(0u, 1u, may_castle_up(frame, limits, mirrored));
        moves += select(0u, 1u, may_castle_down(frame, limits, mirrored));
    }
    return moves;
}

/// Adds to a root's total, which is two 32-bit words, the lower one first. Not every device has 64-bit atomics. The
/// totals begin with a header of two words.
fn add_to_total(root: u32, amount: u32) {
    let before = atomicAdd(&totals[2u * root + 2u], amount);
    if before + amount < before {
        atomicAdd(&totals[2u * root + 3u], 1u);
    }
}

/// A sum for each of the neighbouring roots whose leaves a work-group sums in local memory. No such sum exceeds 32 bits.
var<workgroup> root_sums: array<atomic<u32>, CLOSED_FORM_GROUP>;

/// Returns the first root with a sum, for a group whose first position has this root. Expansion mixes the roots within
/// a block.
fn first_group_root(root: u32) -> u32 {
    return root - root % GROUP;
}

fn clear_root_sums(lane: u32, group_size: u32) {
    for (var at = lane; at < CLOSED_FORM_GROUP; at += group_size) {
        atomicStore(&root_sums[at], 0u);
    }
    workgroupBarrier();
}

/// Adds to the sum of a root, or to its total if the group has no sum for it.
fn add_to_root(first_root: u32, root: u32, amount: u32) {
    let at = root - first_root;
    if at < CLOSED_FORM_GROUP {
        atomicAdd(&root_sums[at], amount);
    } else {
        add_to_total(root, amount);
    }
}

fn add_root_sums(first_root: u32, lane: u32, group_size: u32) {
    workgroupBarrier();
    for (var at = lane; at < CLOSED_FORM_GROUP; at += group_size) {
        let sum = atomicLoad(&root_sums[at]);
        if sum != 0u {
            add_to_total(first_root + at, sum);
        }
    }
}
