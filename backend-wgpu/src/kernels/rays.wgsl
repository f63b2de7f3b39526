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

// Of the sliders that move along each axis.
fn rays_of(on_file: Board, on_rank: Board, on_diagonal: Board, on_antidiagonal: Board, empty: Board) -> Rays {
    return Rays(
        north_attacks(on_file, empty),
        south_attacks(on_file, empty),
        east_attacks(on_rank, empty),
        west_attacks(on_rank, empty),
        north_east_attacks(on_diagonal, empty),
        north_west_attacks(on_antidiagonal, empty),
        south_east_attacks(on_antidiagonal, empty),
        south_west_attacks(on_diagonal, empty),
    );
}

// Of squares that look in all directions, and need not be occupied.
fn views_of(squares: Board, empty: Board) -> Rays {
    return Rays(
        any_north_attacks(squares, empty),
        any_south_attacks(squares, empty),
        any_east_attacks(squares, empty),
        any_west_attacks(squares, empty),
        any_north_east_attacks(squares, empty),
        any_north_west_attacks(squares, empty),
        any_south_east_attacks(squares, empty),
        any_south_west_attacks(squares, empty),
    );
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
