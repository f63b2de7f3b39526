// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// Returns the number of moves of bishops, rooks and queens.
INLINE uint count_sliders(Frame frame, Limits limits, ulong targets) {
    const ulong empty = frame.empty;
    const ulong orthogonal = frame.rooks_queens & frame.own;
    const ulong diagonal = frame.bishops_queens & frame.own;
    const ulong on_file = free_to_move(orthogonal, limits, limits.pinned_on_file);
    const ulong on_rank = free_to_move(orthogonal, limits, limits.pinned_on_rank);
    const ulong on_diagonal = free_to_move(diagonal, limits, limits.pinned_on_diagonal);
    const ulong on_antidiagonal = free_to_move(diagonal, limits, limits.pinned_on_antidiagonal);
    return count_ones(north_fill(on_file, empty) & down(targets, 8u))
        + count_ones(south_fill(on_file, empty) & up(targets, 8u)) + count_ones(east_attacks(on_rank, empty) & targets)
        + count_ones(west_attacks(on_rank, empty) & targets)
        + count_ones(north_east_attacks(on_diagonal, empty) & targets)
        + count_ones(south_west_attacks(on_diagonal, empty) & targets)
        + count_ones(north_west_attacks(on_antidiagonal, empty) & targets)
        + count_ones(south_east_attacks(on_antidiagonal, empty) & targets);
}

INLINE uint count_knights(Frame frame, Limits limits, ulong targets) {
    const Leaps leaps = leaps_of(frame.knights & frame.own & ~limits.pinned);
    const ulong up2 = down(targets, 16u);
    const ulong down2 = up(targets, 16u);
    const ulong up1 = down(targets, 8u);
    const ulong down1 = up(targets, 8u);
    return count_ones(leaps.east1 & up2) + count_ones(leaps.west1 & up2) + count_ones(leaps.east2 & up1)
        + count_ones(leaps.west2 & up1) + count_ones(leaps.east2 & down1) + count_ones(leaps.west2 & down1)
        + count_ones(leaps.east1 & down2) + count_ones(leaps.west1 & down2);
}

// Returns the number of moves of pawns, without en-passant captures.
INLINE uint count_pawns(Frame frame, Limits limits) {
    const ulong pawns = frame.pawns & frame.own;
    const ulong steps = north_step(free_to_move(pawns, limits, limits.pinned_on_file)) & frame.empty;
    const ulong twice = north_step(steps & THIRD_RANK) & frame.empty & limits.evasion;
    const ulong single = steps & limits.evasion;
    const ulong victims = frame.their & limits.evasion;
    const ulong east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & victims;
    const ulong west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & victims;
    uint moves = count_ones(single) + count_ones(twice) + count_ones(east) + count_ones(west);
    if (nonempty((single | east | west) & RANK_8)) {
        moves += 3u * (count_ones(single & RANK_8) + count_ones(east & RANK_8) + count_ones(west & RANK_8));
    }
    return moves;
}

// Returns the number of legal moves. `mirrored` tells whether the board's files are mirrored.
INLINE uint count_moves_of(Position position, bool mirrored, __global const uint4 *restrict lines) {
    const Frame frame = frame_of(position);
    const Lines axes = lines_of(frame.king_square, lines);
    const Limits limits = limits_of(frame, axes, lines);
    const ulong targets = ~frame.own & limits.evasion;
    uint moves = count_ones(axes.king & ~frame.own & ~limits.danger) + count_sliders(frame, limits, targets)
        + count_knights(frame, limits, targets) + count_pawns(frame, limits);
    if (nonempty(frame.en_passant)) {
        const Captors captors = en_passant_captors(frame, axes);
        moves += (nonempty(captors.from_east) ? 1u : 0u) + (nonempty(captors.from_west) ? 1u : 0u);
    }
    if (may_castle_perhaps(frame, limits)) {
        moves += may_castle_up(frame, limits, mirrored) ? 1u : 0u;
        moves += may_castle_down(frame, limits, mirrored) ? 1u : 0u;
    }
    return moves;
}

// Adds to a root's total, two 32-bit words, the lower first. Not every device has 64-bit atomics. The totals begin with
// a header of two words.
INLINE void add_to_total(uint root, uint amount, __global uint *restrict totals) {
    const uint before = atomic_add(&totals[2u * root + 2u], amount);
    if (before + amount < before) {
        atomic_add(&totals[2u * root + 3u], 1u);
    }
}

// Returns the first of these roots for a group that begins with this root. Expansion mixes the roots of a block.
INLINE uint first_group_root(uint root) {
    return root - root % GROUP;
}

INLINE void clear_root_sums(uint lane, uint group_size, __local uint *root_sums) {
    for (uint at = lane; at < CLOSED_FORM_GROUP; at += group_size) {
        root_sums[at] = 0u;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Adds to the sum of a root, or to its total if the group has no sum for it.
INLINE void add_to_root(
    uint first_root,
    uint root,
    uint amount,
    __global uint *restrict totals,
    __local uint *root_sums
) {
    const uint at = root - first_root;
    if (at < CLOSED_FORM_GROUP) {
        atomic_add(&root_sums[at], amount);
    } else {
        add_to_total(root, amount, totals);
    }
}

INLINE void add_root_sums(
    uint first_root,
    uint lane,
    uint group_size,
    __global uint *restrict totals,
    __local uint *root_sums
) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = lane; at < CLOSED_FORM_GROUP; at += group_size) {
        const uint sum = root_sums[at];
        if (sum != 0u) {
            add_to_total(first_root + at, sum, totals);
        }
    }
}
