// Counts legal moves without making any.
//
// At most one slider reaches a square in each direction. At most one knight reaches it by each leap, and one pawn by
// each step. So the popcounts of set-wise attacks add up to the exact number of moves. A pinned piece may still move
// along its pin, so each direction counts the unpinned pieces and the pieces pinned on its axis.

// Returns the number of moves of bishops, rooks and queens.
INLINE uint count_sliders(Frame frame, Limits limits, ulong targets, __global const ulong2 *restrict lines_table) {
    const ulong empty = frame.empty;
    const ulong orthogonal = frame.rooks_queens & frame.own, diagonal = frame.bishops_queens & frame.own;
    const ulong on_file = free_to_move(orthogonal, limits, limits.pinned_on_file);
    const ulong on_rank = free_to_move(orthogonal, limits, limits.pinned_on_rank);
    const ulong on_diagonal = free_to_move(diagonal, limits, limits.pinned_on_diagonal);
    const ulong on_antidiagonal = free_to_move(diagonal, limits, limits.pinned_on_antidiagonal);
#ifdef SLIDER_BY_SLIDER
    uint moves = 0;
    for (ulong left = on_file | on_rank; left; left &= left - 1) {
        const ulong piece = lowest(left);
        const uint square = lowest_index(left);
        const Sight sight = sight_of(lines_of(lines_table, square), ~empty, piece, square);
        moves += count_ones(((piece & on_file ? sight.file : 0) | (piece & on_rank ? sight.rank : 0)) & targets);
    }
    for (ulong left = on_diagonal | on_antidiagonal; left; left &= left - 1) {
        const ulong piece = lowest(left);
        const uint square = lowest_index(left);
        const Sight sight = sight_of(lines_of(lines_table, square), ~empty, piece, square);
        const ulong reached =
            (piece & on_diagonal ? sight.diagonal : 0) | (piece & on_antidiagonal ? sight.antidiagonal : 0);
        moves += count_ones(reached & targets);
    }
    return moves;
#else
    // For the directions up and down, the targets are shifted instead of the attacks, because knights need the same
    // shifted targets.
    return count_ones(north_fill(on_file, empty) & targets >> 8) +
           count_ones(south_fill(on_file, empty) & targets << 8) +
           count_ones(east_attacks(on_rank, empty) & targets) +
           count_ones(west_attacks(on_rank, empty) & targets) +
           count_ones(north_east_attacks(on_diagonal, empty) & targets) +
           count_ones(south_west_attacks(on_diagonal, empty) & targets) +
           count_ones(north_west_attacks(on_antidiagonal, empty) & targets) +
           count_ones(south_east_attacks(on_antidiagonal, empty) & targets);
#endif
}

// Returns the number of moves of knights.
INLINE uint count_knights(Frame frame, Limits limits, ulong targets) {
    // A pinned knight never moves. The targets are shifted instead of the leaps, each shift serving two leaps.
    const Leaps leaps = leaps_of(frame.knights & frame.own & ~limits.pinned);
    const ulong up2 = targets >> 16, down2 = targets << 16, up1 = targets >> 8, down1 = targets << 8;
    return count_ones(leaps.east1 & up2) + count_ones(leaps.west1 & up2) +
           count_ones(leaps.east2 & up1) + count_ones(leaps.west2 & up1) +
           count_ones(leaps.east2 & down1) + count_ones(leaps.west2 & down1) +
           count_ones(leaps.east1 & down2) + count_ones(leaps.west1 & down2);
}

// Returns the number of moves of pawns, without en-passant captures.
INLINE uint count_pawns(Frame frame, Limits limits) {
    const ulong pawns = frame.pawns & frame.own;
    const ulong steps = north_step(free_to_move(pawns, limits, limits.pinned_on_file)) & frame.empty;
    const ulong twice = north_step(steps & THIRD_RANK) & frame.empty & limits.evasion;
    const ulong single = steps & limits.evasion;
    const ulong captures = frame.their & limits.evasion;
    const ulong east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & captures;
    const ulong west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & captures;
    uint moves = count_ones(single) + count_ones(twice) + count_ones(east) + count_ones(west);
    if ((single | east | west) & RANK_8) {
        // Every promotion is four moves; one of them is counted already.
        moves += 3 * (count_ones(single & RANK_8) + count_ones(east & RANK_8) + count_ones(west & RANK_8));
    }
    return moves;
}

// Returns the number of legal moves. `mirrored` tells whether the board's files are mirrored.
INLINE uint count_moves_of(Position position, __global const ulong2 *restrict lines_table, bool mirrored) {
    const Frame frame = frame_of(position);
    const Lines lines = lines_of(lines_table, frame.king_square);
    const Limits limits = limits_of(frame, lines, lines_table);
    const ulong targets = ~frame.own & limits.evasion;
    uint moves = count_ones(lines.king & ~frame.own & ~limits.danger) + count_sliders(frame, limits, targets, lines_table) +
                 count_knights(frame, limits, targets) + count_pawns(frame, limits);
    if (frame.en_passant) {
        const ulong2 captors = en_passant_captors(frame, lines);
        moves += (captors.x != 0) + (captors.y != 0);
    }
    if (may_castle_perhaps(frame, limits)) {
        moves += may_castle_up(frame, limits, mirrored) + may_castle_down(frame, limits, mirrored);
    }
    return moves;
}

// Adds to a root's total, two 32-bit words, the lower first. Not every device has 64-bit atomics. The totals begin with
// a header of two words.
INLINE void add_to_total(__global uint *totals, uint root, uint amount) {
    const uint before = atomic_add(&totals[2 * root + 2], amount);
    if (before + amount < before) {
        atomic_inc(&totals[2 * root + 3]);
    }
}

// The number of neighbouring roots whose leaves a work-group sums in local memory. No such sum exceeds 32 bits.
#define GROUP_ROOTS CLOSED_FORM_GROUP

// Returns the first of these roots for a group that begins with this root. Expansion mixes the roots of a block.
INLINE uint first_group_root(uint root) {
    return root - root % GROUP;
}

// Sets the sums of a work-group to zero.
INLINE void clear_root_sums(__local uint *root_sums) {
    for (uint at = get_local_id(0); at < GROUP_ROOTS; at += get_local_size(0)) {
        root_sums[at] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Adds to the sum of a root, or to its total if the group has no sum for it.
INLINE void add_to_root(__local uint *root_sums, uint first_root, __global uint *totals, uint root, uint amount) {
    const uint at = root - first_root;
    if (at < GROUP_ROOTS) {
        atomic_add(&root_sums[at], amount);
    } else {
        add_to_total(totals, root, amount);
    }
}

// Adds the sums of a work-group to the totals.
INLINE void add_root_sums(__local uint *root_sums, uint first_root, __global uint *totals) {
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = get_local_id(0); at < GROUP_ROOTS; at += get_local_size(0)) {
        if (root_sums[at] != 0) {
            add_to_total(totals, first_root + at, root_sums[at]);
        }
    }
}

// Counts the legal moves of each position.
__kernel KERNEL void count(
    __global const Packed *restrict positions,
    __global const ulong2 *restrict lines,
    __global uint *restrict new_counts,
    uint end
) {
    const uint index = get_global_id(0);
    if (index < end) {
        // No legal position has more moves, and the count of an illegal position must not exceed this either.
        new_counts[index] = min(count_moves_of(load_position(positions, index), lines, false), MOST_MOVES);
    }
}
