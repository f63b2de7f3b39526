// What sliders attack, direction by direction.

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

// Of the sliders that move along each axis. Without any, a branch leaves out their directions, and registers are free for
// other things.
fn rays_of(on_file: Board, on_rank: Board, on_diagonal: Board, on_antidiagonal: Board, empty: Board) -> Rays {
    var rays: Rays;
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

// Of squares that look for sliders, each kind in its directions if there are any, and need not be occupied themselves.
fn views_of(squares: Board, orthogonal: Board, diagonal: Board, empty: Board) -> Rays {
    var rays: Rays;
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

// Squares between a slider that attacks in one direction and a square that looks in the other.
fn meeting(a: Rays, b: Rays) -> Board {
    return (a.north & b.south) | (a.south & b.north) | (a.east & b.west) | (a.west & b.east) |
        (a.north_east & b.south_west) | (a.south_west & b.north_east) | (a.north_west & b.south_east) |
        (a.south_east & b.north_west);
}

fn along_file(rays: Rays) -> Board {
    return rays.north | rays.south;
}

fn along_rank(rays: Rays) -> Board {
    return rays.east | rays.west;
}

fn along_diagonal(rays: Rays) -> Board {
    return rays.north_east | rays.south_west;
}

fn along_antidiagonal(rays: Rays) -> Board {
    return rays.north_west | rays.south_east;
}
