// Attacks along a rank by arithmetic: an addition replaces a fill. From the square beside each slider a carry runs over
// empty squares, clears them, and sets the first occupied one. Squares on file h count as occupied, so that no carry
// leaves its rank, and the halves of a board can be added separately. Two carries must not run over the same squares,
// so these functions take only sliders: each blocks the slider behind it.

// Returns the squares that sliders attack towards file h.
fn east_attacks(sliders: Board, empty: Board) -> Board {
    let through = empty & NOT_FILE_H;
    return through ^ (through + east_step(sliders));
}

// Returns the squares that sliders attack towards file a.
fn west_attacks(sliders: Board, empty: Board) -> Board {
    return reverse(east_attacks(reverse(sliders), reverse(empty)));
}
