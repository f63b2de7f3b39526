// The table-free generator: the moves of a position, in generation order.
//
// Moves are found set-wise: a capture set for each attacker and direction, and a wave front for quiet slides. Pins,
// checks and both en-passant traps are found beforehand, so no move is tried and taken back. The front page of
// kogge-movegen-cpu states the order.

/// Writes the leaps of knights to some squares, direction by direction.
fn knight_moves(out: ptr<function, Writer>, leaps: Leaps, targets: Board) {
    emit_moves(out, up(leaps.east1, 16u) & targets, 17, KNIGHT);
    emit_moves(out, up(leaps.west1, 16u) & targets, 15, KNIGHT);
    emit_moves(out, up(leaps.east2, 8u) & targets, 10, KNIGHT);
    emit_moves(out, up(leaps.west2, 8u) & targets, 6, KNIGHT);
    emit_moves(out, down(leaps.east2, 8u) & targets, -6, KNIGHT);
    emit_moves(out, down(leaps.west2, 8u) & targets, -10, KNIGHT);
    emit_moves(out, down(leaps.east1, 16u) & targets, -15, KNIGHT);
    emit_moves(out, down(leaps.west1, 16u) & targets, -17, KNIGHT);
}

/// Returns the squares that the sliders of the side to move reach.
fn rays_of(frame: Frame, limits: Limits) -> Rays {
    let orthogonal = frame.rooks_queens & frame.own;
    let diagonal = frame.bishops_queens & frame.own;
    return attack_rays(
        free_to_move(orthogonal, limits, limits.pinned_on_file),
        free_to_move(orthogonal, limits, limits.pinned_on_rank),
        free_to_move(diagonal, limits, limits.pinned_on_diagonal),
        free_to_move(diagonal, limits, limits.pinned_on_antidiagonal),
        frame.empty,
    );
}

/// Writes captures along files and ranks.
fn orthogonal_captures(out: ptr<function, Writer>, frame: Frame, rays: Rays, victims: Board, pieces: Board, code: u32) {
    north_captures(out, frame, rays.north & victims, pieces, code);
    south_captures(out, frame, rays.south & victims, pieces, code);
    east_captures(out, frame, rays.east & victims, pieces, code);
    west_captures(out, frame, rays.west & victims, pieces, code);
}

fn diagonal_captures(out: ptr<function, Writer>, frame: Frame, rays: Rays, victims: Board, pieces: Board, code: u32) {
    north_east_captures(out, frame, rays.north_east & victims, pieces, code);
    north_west_captures(out, frame, rays.north_west & victims, pieces, code);
    south_east_captures(out, frame, rays.south_east & victims, pieces, code);
    south_west_captures(out, frame, rays.south_west & victims, pieces, code);
}

/// Writes the king's steps to these squares, in the order of directions.
fn king_steps(out: ptr<function, Writer>, frame: Frame, targets: Board) {
    if nonempty(targets) {
        north_king_step(out, frame, targets);
        south_king_step(out, frame, targets);
        east_king_step(out, frame, targets);
        west_king_step(out, frame, targets);
        north_east_king_step(out, frame, targets);
        north_west_king_step(out, frame, targets);
        south_east_king_step(out, frame, targets);
        south_west_king_step(out, frame, targets);
    }
}

/// Writes the captures: victims from queen to pawn, and for each victim the attackers from pawn to king.
fn captures(out: ptr<function, Writer>, frame: Frame, axes: Lines, limits: Limits) {
    let own = frame.own;
    let their = frame.their;
    let targets = their & limits.evasion;
    let pawns = frame.pawns & own;
    let north_west = north_west_step(free_to_move(pawns, limits, limits.pinned_on_antidiagonal)) & targets;
    let north_east = north_east_step(free_to_move(pawns, limits, limits.pinned_on_diagonal)) & targets;
    // A pinned knight never moves.
    let knights = frame.knights & own & ~limits.pinned;
    let leaps = leaps_of(knights);
    let rays = rays_of(frame, limits);
    let by_king = axes.king & their & ~limits.danger;
    let by_sliders = rays.north | rays.south | rays.east | rays.west | rays.north_east | rays.north_west |
        rays.south_east | rays.south_west;
    let captured = ((knight_attacks(knights) | by_sliders) & targets) | north_west | north_east | by_king;
    let bishops = kind_of_piece(frame, BISHOP) & own;
    let rooks = kind_of_piece(frame, ROOK) & own;
    let queens = kind_of_piece(frame, QUEEN) & own;

    for (var victim = QUEEN; victim >= PAWN; victim--) {
        let all = kind_of_piece(frame, victim) & captured & their;
        let victims = all & targets;
        if nonempty(all) {
            pawn_captures(out, north_west & victims, 7);
            pawn_captures(out, north_east & victims, 9);
        }
        if victim == PAWN && nonempty(frame.en_passant) {
            let captors = en_passant_captors(frame, axes);
            let to = lowest_index(frame.en_passant);
            if nonempty(captors.from_east) {
                emit(out, origin_at(to, 7), to, PAWN, EN_PASSANT);
            }
            if nonempty(captors.from_west) {
                emit(out, origin_at(to, 9), to, PAWN, EN_PASSANT);
            }
        }
        if nonempty(all) {
            knight_moves(out, leaps, victims);
            if nonempty(bishops) {
                diagonal_captures(out, frame, rays, victims, bishops, BISHOP);
            }
            if nonempty(rooks) {
                orthogonal_captures(out, frame, rays, victims, rooks, ROOK);
            }
            if nonempty(queens) {
                orthogonal_captures(out, frame, rays, victims, queens, QUEEN);
                diagonal_captures(out, frame, rays, victims, queens, QUEEN);
            }
            king_steps(out, frame, by_king & all);
        }
    }
}

fn push_promotions(out: ptr<function, Writer>, frame: Frame, limits: Limits) {
    let pushed = north_step(free_to_move(frame.pawns & frame.own, limits, limits.pinned_on_file)) & frame.empty;
    var left = pushed & limits.evasion & RANK_8;
    while nonempty(left) {
        let to = lowest_index(left);
        emit_promotions(out, to - 8u, to);
        left = without_lowest(left);
    }
}

/// Writes pawn pushes: promotions, single pushes, double pushes.
fn pawn_pushes(out: ptr<function, Writer>, position: Position, frame: Frame, limits: Limits, targets: Board) {
    let pushed = north_step(free_to_move(frame.pawns & frame.own, limits, limits.pinned_on_file)) & frame.empty;
    let twice = north_step(pushed & THIRD_RANK) & targets;
    push_promotions(out, frame, limits);
    emit_moves(out, pushed & targets & ~RANK_8, 8, PAWN);
    let watchers = frame.pawns & frame.their;
    let watched = east_step(watchers) | west_step(watchers);
    var left = twice;
    while nonempty(left) {
        let to = lowest_index(left);
        var kind = 0u;
        if has(watched, to) && allows_en_passant(position, pack_move(to - 16u, to, PAWN, PASSING)) {
            kind = PASSING;
        }
        emit(out, to - 16u, to, PAWN, kind);
        left = without_lowest(left);
    }
}

/// Writes the quiet moves: promotions, pawn pushes, knights, sliders, king, castling.
fn quiets(out: ptr<function, Writer>, position: Position, frame: Frame, axes: Lines, limits: Limits) {
    let own = frame.own;
    let targets = frame.empty & limits.evasion;
    pawn_pushes(out, position, frame, limits, targets);
    knight_moves(out, leaps_of(frame.knights & own & ~limits.pinned), targets);

    let diagonal = frame.bishops_queens & own;
    let on_diagonal = free_to_move(diagonal, limits, limits.pinned_on_diagonal);
    let on_antidiagonal = free_to_move(diagonal, limits, limits.pinned_on_antidiagonal);
    north_east_slides(out, frame, on_diagonal, targets, BISHOP);
    north_west_slides(out, frame, on_antidiagonal, targets, BISHOP);
    south_east_slides(out, frame, on_antidiagonal, targets, BISHOP);
    south_west_slides(out, frame, on_diagonal, targets, BISHOP);
    let orthogonal = frame.rooks_queens & own;
    let on_file = free_to_move(orthogonal, limits, limits.pinned_on_file);
    let on_rank = free_to_move(orthogonal, limits, limits.pinned_on_rank);
    north_slides(out, frame, on_file, targets, ROOK);
    south_slides(out, frame, on_file, targets, ROOK);
    east_slides(out, frame, on_rank, targets, ROOK);
    west_slides(out, frame, on_rank, targets, ROOK);

    king_steps(out, frame, axes.king & frame.empty & ~limits.danger);
    if may_castle_perhaps(frame, limits) {
        if may_castle_up(frame, limits, false) {
            emit(out, frame.king_square, 6u, KING, CASTLING);
        }
        if may_castle_down(frame, limits, false) {
            emit(out, frame.king_square, 2u, KING, CASTLING);
        }
    }
}
