// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// Writes the leaps of knights to some squares, direction by direction.
INLINE void knight_moves(Writer *out, Leaps leaps, ulong targets, __global uint2 *restrict new_items) {
    emit_moves(out, up(leaps.east1, 16u) & targets, 17, KNIGHT, new_items);
    emit_moves(out, up(leaps.west1, 16u) & targets, 15, KNIGHT, new_items);
    emit_moves(out, up(leaps.east2, 8u) & targets, 10, KNIGHT, new_items);
    emit_moves(out, up(leaps.west2, 8u) & targets, 6, KNIGHT, new_items);
    emit_moves(out, down(leaps.east2, 8u) & targets, -6, KNIGHT, new_items);
    emit_moves(out, down(leaps.west2, 8u) & targets, -10, KNIGHT, new_items);
    emit_moves(out, down(leaps.east1, 16u) & targets, -15, KNIGHT, new_items);
    emit_moves(out, down(leaps.west1, 16u) & targets, -17, KNIGHT, new_items);
}

// Returns the squares that the sliders of the side to move reach.
INLINE Rays rays_of(Frame frame, Limits limits) {
    const ulong orthogonal = frame.rooks_queens & frame.own;
    const ulong diagonal = frame.bishops_queens & frame.own;
    return attack_rays(free_to_move(orthogonal, limits, limits.pinned_on_file),
        free_to_move(orthogonal, limits, limits.pinned_on_rank),
        free_to_move(diagonal, limits, limits.pinned_on_diagonal),
        free_to_move(diagonal, limits, limits.pinned_on_antidiagonal), frame.empty);
}

// Writes captures along files and ranks.
INLINE void orthogonal_captures(
    Writer *out,
    Frame frame,
    Rays rays,
    ulong victims,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    north_captures(out, frame, rays.north & victims, pieces, code, new_items);
    south_captures(out, frame, rays.south & victims, pieces, code, new_items);
    east_captures(out, frame, rays.east & victims, pieces, code, new_items);
    west_captures(out, frame, rays.west & victims, pieces, code, new_items);
}

INLINE void diagonal_captures(
    Writer *out,
    Frame frame,
    Rays rays,
    ulong victims,
    ulong pieces,
    uint code,
    __global uint2 *restrict new_items
) {
    north_east_captures(out, frame, rays.north_east & victims, pieces, code, new_items);
    north_west_captures(out, frame, rays.north_west & victims, pieces, code, new_items);
    south_east_captures(out, frame, rays.south_east & victims, pieces, code, new_items);
    south_west_captures(out, frame, rays.south_west & victims, pieces, code, new_items);
}

// Writes the king's steps to these squares, in the order of directions.
INLINE void king_steps(Writer *out, Frame frame, ulong targets, __global uint2 *restrict new_items) {
    if (nonempty(targets)) {
        north_king_step(out, frame, targets, new_items);
        south_king_step(out, frame, targets, new_items);
        east_king_step(out, frame, targets, new_items);
        west_king_step(out, frame, targets, new_items);
        north_east_king_step(out, frame, targets, new_items);
        north_west_king_step(out, frame, targets, new_items);
        south_east_king_step(out, frame, targets, new_items);
        south_west_king_step(out, frame, targets, new_items);
    }
}

// Writes the captures: victims from queen to pawn, and for each victim the attackers from pawn to king.
INLINE void captures(Writer *out, Frame frame, Lines axes, Limits limits, __global uint2 *restrict new_items) {
    const ulong own = frame.own;
    const ulong their = frame.their;
    const ulong targets = their & limits.evasion;
    const ulong pawns = frame.pawns & own;
    const ulong north_west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & targets;
    const ulong north_east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & targets;
    const ulong knights = frame.knights & own & ~limits.pinned;
    const Leaps leaps = leaps_of(knights);
    const Rays rays = rays_of(frame, limits);
    const ulong by_king = axes.king & their & ~limits.danger;
    const ulong by_sliders = rays.north | rays.south | rays.east | rays.west | rays.north_east | rays.north_west
        | rays.south_east | rays.south_west;
    const ulong captured = ((knight_attacks(knights) | by_sliders) & targets) | north_west | north_east | by_king;
    const ulong bishops = kind_of_piece(frame, BISHOP) & own;
    const ulong rooks = kind_of_piece(frame, ROOK) & own;
    const ulong queens = kind_of_piece(frame, QUEEN) & own;
    for (uint victim = QUEEN; victim >= PAWN; victim -= 1u) {
        const ulong all_ = kind_of_piece(frame, victim) & captured & their;
        const ulong victims = all_ & targets;
        if (nonempty(all_)) {
            pawn_captures(out, north_west & victims, 7, new_items);
            pawn_captures(out, north_east & victims, 9, new_items);
        }
        if (victim == PAWN && nonempty(frame.en_passant)) {
            const Captors captors = en_passant_captors(frame, axes);
            const uint to = lowest_index(frame.en_passant);
            if (nonempty(captors.from_east)) {
                emit(out, origin_at(to, 7), to, PAWN, EN_PASSANT, new_items);
            }
            if (nonempty(captors.from_west)) {
                emit(out, origin_at(to, 9), to, PAWN, EN_PASSANT, new_items);
            }
        }
        if (nonempty(all_)) {
            knight_moves(out, leaps, victims, new_items);
            if (nonempty(bishops)) {
                diagonal_captures(out, frame, rays, victims, bishops, BISHOP, new_items);
            }
            if (nonempty(rooks)) {
                orthogonal_captures(out, frame, rays, victims, rooks, ROOK, new_items);
            }
            if (nonempty(queens)) {
                orthogonal_captures(out, frame, rays, victims, queens, QUEEN, new_items);
                diagonal_captures(out, frame, rays, victims, queens, QUEEN, new_items);
            }
            king_steps(out, frame, by_king & all_, new_items);
        }
    }
}

INLINE void push_promotions(Writer *out, Frame frame, Limits limits, __global uint2 *restrict new_items) {
    const ulong pushed = north_step(free_to_move(frame.pawns & frame.own, limits, limits.pinned_on_file)) & frame.empty;
    ulong left = pushed & limits.evasion & RANK_8;
    while (nonempty(left)) {
        const uint to = lowest_index(left);
        emit_promotions(out, to - 8u, to, new_items);
        left = without_lowest(left);
    }
}

// Writes pawn pushes: promotions, single pushes, double pushes.
INLINE void pawn_pushes(
    Writer *out,
    Position position,
    Frame frame,
    Limits limits,
    ulong targets,
    __global uint2 *restrict new_items,
    __global const uint4 *restrict lines
) {
    const ulong pushed = north_step(free_to_move(frame.pawns & frame.own, limits, limits.pinned_on_file)) & frame.empty;
    const ulong twice = north_step(pushed & THIRD_RANK) & targets;
    push_promotions(out, frame, limits, new_items);
    emit_moves(out, pushed & targets & 0xfffffffffffffful, 8, PAWN, new_items);
    const ulong watchers = frame.pawns & frame.their;
    const ulong watched = east_step(watchers) | west_step(watchers);
    ulong left = twice;
    while (nonempty(left)) {
        const uint to = lowest_index(left);
        uint kind = 0u;
        if (has(watched, to) && allows_en_passant(position, pack_move(to - 16u, to, PAWN, PASSING), lines)) {
            kind = PASSING;
        }
        emit(out, to - 16u, to, PAWN, kind, new_items);
        left = without_lowest(left);
    }
}

// Writes the quiet moves: promotions, pawn pushes, knights, sliders, king, castling.
INLINE void quiets(
    Writer *out,
    Position position,
    Frame frame,
    Lines axes,
    Limits limits,
    __global uint2 *restrict new_items,
    __global const uint4 *restrict lines
) {
    const ulong own = frame.own;
    const ulong targets = frame.empty & limits.evasion;
    pawn_pushes(out, position, frame, limits, targets, new_items, lines);
    knight_moves(out, leaps_of(frame.knights & own & ~limits.pinned), targets, new_items);
    const ulong diagonal = frame.bishops_queens & own;
    const ulong on_diagonal = free_to_move(diagonal, limits, limits.pinned_on_diagonal);
    const ulong on_antidiagonal = free_to_move(diagonal, limits, limits.pinned_on_antidiagonal);
    north_east_slides(out, frame, on_diagonal, targets, BISHOP, new_items);
    north_west_slides(out, frame, on_antidiagonal, targets, BISHOP, new_items);
    south_east_slides(out, frame, on_antidiagonal, targets, BISHOP, new_items);
    south_west_slides(out, frame, on_diagonal, targets, BISHOP, new_items);
    const ulong orthogonal = frame.rooks_queens & own;
    const ulong on_file = free_to_move(orthogonal, limits, limits.pinned_on_file);
    const ulong on_rank = free_to_move(orthogonal, limits, limits.pinned_on_rank);
    north_slides(out, frame, on_file, targets, ROOK, new_items);
    south_slides(out, frame, on_file, targets, ROOK, new_items);
    east_slides(out, frame, on_rank, targets, ROOK, new_items);
    west_slides(out, frame, on_rank, targets, ROOK, new_items);
    king_steps(out, frame, axes.king & frame.empty & ~limits.danger, new_items);
    if (may_castle_perhaps(frame, limits)) {
        if (may_castle_up(frame, limits, false)) {
            emit(out, frame.king_square, 6u, KING, CASTLING, new_items);
        }
        if (may_castle_down(frame, limits, false)) {
            emit(out, frame.king_square, 2u, KING, CASTLING, new_items);
        }
    }
}
