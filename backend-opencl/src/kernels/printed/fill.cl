// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// The squares of knights, moved by one file or by two towards a or h. A leap also shifts by two ranks after one file,
// and by one rank after two files.
typedef struct {
    ulong west1;
    ulong east1;
    ulong west2;
    ulong east2;
} Leaps;

// The squares that sliders reach in each direction.
typedef struct {
    ulong north;
    ulong south;
    ulong east;
    ulong west;
    ulong north_east;
    ulong north_west;
    ulong south_east;
    ulong south_west;
} Rays;

// Returns the squares one step away.
INLINE ulong north_step(ulong board) {
    return up(board, 8u) & ALL;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong north_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & ALL;
    const ulong through2 = through1 & up(through1, 8u);
    const ulong through4 = through2 & up(through2, 16u);
    ulong fill = sliders;
    fill |= through1 & up(fill, 8u);
    fill |= through2 & up(fill, 16u);
    return fill | (through4 & up(fill, 32u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_north_attacks(ulong squares, ulong empty) {
    return north_step(north_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong south_step(ulong board) {
    return down(board, 8u) & ALL;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong south_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & ALL;
    const ulong through2 = through1 & down(through1, 8u);
    const ulong through4 = through2 & down(through2, 16u);
    ulong fill = sliders;
    fill |= through1 & down(fill, 8u);
    fill |= through2 & down(fill, 16u);
    return fill | (through4 & down(fill, 32u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_south_attacks(ulong squares, ulong empty) {
    return south_step(south_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong east_step(ulong board) {
    return up(board, 1u) & NOT_FILE_A;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong east_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_A;
    const ulong through2 = through1 & up(through1, 1u);
    const ulong through4 = through2 & up(through2, 2u);
    ulong fill = sliders;
    fill |= through1 & up(fill, 1u);
    fill |= through2 & up(fill, 2u);
    return fill | (through4 & up(fill, 4u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_east_attacks(ulong squares, ulong empty) {
    return east_step(east_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong west_step(ulong board) {
    return down(board, 1u) & NOT_FILE_H;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong west_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_H;
    const ulong through2 = through1 & down(through1, 1u);
    const ulong through4 = through2 & down(through2, 2u);
    ulong fill = sliders;
    fill |= through1 & down(fill, 1u);
    fill |= through2 & down(fill, 2u);
    return fill | (through4 & down(fill, 4u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_west_attacks(ulong squares, ulong empty) {
    return west_step(west_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong north_east_step(ulong board) {
    return up(board, 9u) & NOT_FILE_A;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong north_east_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_A;
    const ulong through2 = through1 & up(through1, 9u);
    const ulong through4 = through2 & up(through2, 18u);
    ulong fill = sliders;
    fill |= through1 & up(fill, 9u);
    fill |= through2 & up(fill, 18u);
    return fill | (through4 & up(fill, 36u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_north_east_attacks(ulong squares, ulong empty) {
    return north_east_step(north_east_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong north_west_step(ulong board) {
    return up(board, 7u) & NOT_FILE_H;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong north_west_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_H;
    const ulong through2 = through1 & up(through1, 7u);
    const ulong through4 = through2 & up(through2, 14u);
    ulong fill = sliders;
    fill |= through1 & up(fill, 7u);
    fill |= through2 & up(fill, 14u);
    return fill | (through4 & up(fill, 28u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_north_west_attacks(ulong squares, ulong empty) {
    return north_west_step(north_west_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong south_east_step(ulong board) {
    return down(board, 7u) & NOT_FILE_A;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong south_east_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_A;
    const ulong through2 = through1 & down(through1, 7u);
    const ulong through4 = through2 & down(through2, 14u);
    ulong fill = sliders;
    fill |= through1 & down(fill, 7u);
    fill |= through2 & down(fill, 14u);
    return fill | (through4 & down(fill, 28u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_south_east_attacks(ulong squares, ulong empty) {
    return south_east_step(south_east_fill(squares, empty));
}

// Returns the squares one step away.
INLINE ulong south_west_step(ulong board) {
    return down(board, 9u) & NOT_FILE_H;
}

// Returns the squares that sliders pass over, including their own. An occluded fill doubles its reach in every step (1,
// 2, 4 squares).
INLINE ulong south_west_fill(ulong sliders, ulong empty) {
    const ulong through1 = empty & NOT_FILE_H;
    const ulong through2 = through1 & down(through1, 9u);
    const ulong through4 = through2 & down(through2, 18u);
    ulong fill = sliders;
    fill |= through1 & down(fill, 9u);
    fill |= through2 & down(fill, 18u);
    return fill | (through4 & down(fill, 36u));
}

// Returns the squares seen from any squares, occupied or not: empty ones and the first occupied one.
INLINE ulong any_south_west_attacks(ulong squares, ulong empty) {
    return south_west_step(south_west_fill(squares, empty));
}

INLINE ulong north_attacks(ulong sliders, ulong empty) {
    return any_north_attacks(sliders, empty);
}

INLINE ulong south_attacks(ulong sliders, ulong empty) {
    return any_south_attacks(sliders, empty);
}

INLINE ulong north_east_attacks(ulong sliders, ulong empty) {
    return any_north_east_attacks(sliders, empty);
}

INLINE ulong north_west_attacks(ulong sliders, ulong empty) {
    return any_north_west_attacks(sliders, empty);
}

INLINE ulong south_east_attacks(ulong sliders, ulong empty) {
    return any_south_east_attacks(sliders, empty);
}

INLINE ulong south_west_attacks(ulong sliders, ulong empty) {
    return any_south_west_attacks(sliders, empty);
}

// Returns the squares that sliders attack towards file h, by arithmetic: an addition replaces a fill. From the square beside each
// slider a carry runs over empty squares, clears them, and sets the first occupied one. Squares on file h count as occupied, so that
// no carry leaves its rank, and the halves of a board can be added separately. Two carries must not run over the same squares, so this
// takes only sliders: each blocks the slider behind it.
INLINE ulong carried_attacks(ulong sliders, ulong empty) {
    const ulong through = empty & NOT_FILE_H;
    return through ^ (through + east_step(sliders));
}

// Returns the squares that sliders attack towards file h.
INLINE ulong east_attacks(ulong sliders, ulong empty) {
    if (FAST_REVERSE) {
        return carried_attacks(sliders, empty);
    }
    return any_east_attacks(sliders, empty);
}

// Returns the squares that sliders attack towards file a.
INLINE ulong west_attacks(ulong sliders, ulong empty) {
    if (FAST_REVERSE) {
        return reverse(carried_attacks(reverse(sliders), reverse(empty)));
    }
    return any_west_attacks(sliders, empty);
}

// Returns the squares of knights, moved by files.
INLINE Leaps leaps_of(ulong knights) {
    return (Leaps){down(knights, 1u) & NOT_FILE_H, up(knights, 1u) & NOT_FILE_A, down(knights, 2u) & NOT_FILES_GH,
        up(knights, 2u) & NOT_FILES_AB};
}

INLINE ulong knight_attacks(ulong knights) {
    const Leaps leaps = leaps_of(knights);
    const ulong near = leaps.west1 | leaps.east1;
    const ulong far = leaps.west2 | leaps.east2;
    return up(near, 16u) | down(near, 16u) | up(far, 8u) | down(far, 8u);
}

// Returns the neighbours of kings, and their own squares.
INLINE ulong king_attacks(ulong kings) {
    const ulong row = kings | east_step(kings) | west_step(kings);
    return row | up(row, 8u) | down(row, 8u);
}

INLINE ulong pawn_attacks_up(ulong pawns) {
    return north_east_step(pawns) | north_west_step(pawns);
}

INLINE ulong pawn_attacks_down(ulong pawns) {
    return south_east_step(pawns) | south_west_step(pawns);
}

// Returns the squares that sliders reach, given the sliders that move along each axis. If there are none, a branch
// skips their directions, which frees registers.
INLINE Rays attack_rays(ulong on_file, ulong on_rank, ulong on_diagonal, ulong on_antidiagonal, ulong empty) {
    Rays rays = {0};
    if (nonempty(on_file | on_rank)) {
        rays.north = north_attacks(on_file, empty);
        rays.south = south_attacks(on_file, empty);
        rays.east = east_attacks(on_rank, empty);
        rays.west = west_attacks(on_rank, empty);
    }
    if (nonempty(on_diagonal | on_antidiagonal)) {
        rays.north_east = north_east_attacks(on_diagonal, empty);
        rays.north_west = north_west_attacks(on_antidiagonal, empty);
        rays.south_east = south_east_attacks(on_antidiagonal, empty);
        rays.south_west = south_west_attacks(on_diagonal, empty);
    }
    return rays;
}
