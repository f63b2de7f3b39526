// Attacks along ranks, and of knights, kings and pawns. `directions/fill.wgsl` has the Kogge-Stone fills of sliders.

/// Returns the squares that sliders attack towards file h; an addition replaces the fill. A carry runs from the square beside
/// each slider over empty squares, clears them, and sets the first occupied one. Squares on file h count as occupied, so that
/// no carry leaves its rank, and the halves of a board can be added separately. Two carries must not run over the same squares,
/// so the argument must be sliders: each slider blocks the one behind it.
fn carried_attacks(sliders: Board, empty: Board) -> Board {
    let through = empty & NOT_FILE_H;
    return through ^ (through + east_step(sliders));
}

/// Returns the squares that sliders attack towards file h.
fn east_attacks(sliders: Board, empty: Board) -> Board {
    if FAST_REVERSE {
        return carried_attacks(sliders, empty);
    }
    return any_east_attacks(sliders, empty);
}

/// Returns the squares that sliders attack towards file a.
fn west_attacks(sliders: Board, empty: Board) -> Board {
    if FAST_REVERSE {
        return reverse(carried_attacks(reverse(sliders), reverse(empty)));
    }
    return any_west_attacks(sliders, empty);
}

/// The squares of knights, moved by one or two files towards file a or h. A leap also shifts by two ranks after a step
/// of one file, and by one rank after a step of two files.
struct Leaps {
    west1: Board,
    east1: Board,
    west2: Board,
    east2: Board,
}

/// Returns the squares of knights, moved sideways by one and by two files.
fn leaps_of(knights: Board) -> Leaps {
    return Leaps(
        down(knights, 1u) & NOT_FILE_H,
        up(knights, 1u) & NOT_FILE_A,
        down(knights, 2u) & NOT_FILES_GH,
        up(knights, 2u) & NOT_FILES_AB,
    );
}

fn knight_attacks(knights: Board) -> Board {
    let leaps = leaps_of(knights);
    let near = leaps.west1 | leaps.east1;
    let far = leaps.west2 | leaps.east2;
    return up(near, 16u) | down(near, 16u) | up(far, 8u) | down(far, 8u);
}

/// Returns the kings' own squares and their neighbours.
fn king_attacks(kings: Board) -> Board {
    let row = kings | east_step(kings) | west_step(kings);
    return row | up(row, 8u) | down(row, 8u);
}

fn pawn_attacks_up(pawns: Board) -> Board {
    return north_east_step(pawns) | north_west_step(pawns);
}

fn pawn_attacks_down(pawns: Board) -> Board {
    return south_east_step(pawns) | south_west_step(pawns);
}

/// The squares that sliders reach in each direction.
struct Rays {
    north: Board,
    south: Board,
    east: Board,
    west: Board,
    north_east: Board,
    north_west: Board,
    south_east: Board,
    south_west: Board,
}

/// Returns the squares that sliders reach, given the sliders that move along each axis. If an axis has no sliders, a
/// branch skips its directions, which frees registers.
fn attack_rays(on_file: Board, on_rank: Board, on_diagonal: Board, on_antidiagonal: Board, empty: Board) -> Rays {
    var rays = Rays();
    if nonempty(on_file | on_rank) {
        rays.north = north_attacks(on_file, empty);
        rays.south = south_attacks(on_file, empty);
        rays.east = east_attacks(on_rank, empty);
        rays.west = west_attacks(on_rank, empty);
    }
    if nonempty(on_diagonal | on_antidiagonal) {
        rays.north_east = north_east_attacks(on_diagonal, empty);
        rays.north_west = north_west_attacks(on_antidiagonal, empty);
        rays.south_east = south_east_attacks(on_antidiagonal, empty);
        rays.south_west = south_west_attacks(on_diagonal, empty);
    }
    return rays;
}
