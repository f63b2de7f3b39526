// The fills of a direction. The host instantiates this file for each of the eight directions, with the words in
// capitals replaced: TOWARDS shifts by DISTANCE, and LANDING is the set of squares that a step can reach without
// leaving the board.

/// Returns the squares one step away.
fn DIRECTION_step(board: Board) -> Board {
    return TOWARDS(board, DISTANCE) & LANDING;
}

/// Returns the squares that sliders pass over, including the squares that they start from. An occluded fill doubles its
/// reach in every step (1, 2, 4 squares).
fn DIRECTION_fill(sliders: Board, empty: Board) -> Board {
    let through1 = empty & LANDING;
    let through2 = through1 & TOWARDS(through1, DISTANCE);
    let through4 = through2 & TOWARDS(through2, 2u * DISTANCE);
    var fill = sliders;
    fill |= through1 & TOWARDS(fill, DISTANCE);
    fill |= through2 & TOWARDS(fill, 2u * DISTANCE);
    return fill | (through4 & TOWARDS(fill, 4u * DISTANCE));
}

/// Returns the squares seen from some squares, occupied or not: the empty ones and the first occupied one.
fn any_DIRECTION_attacks(squares: Board, empty: Board) -> Board {
    return DIRECTION_step(DIRECTION_fill(squares, empty));
}
