// Kogge-Stone fills: all sliding attacks of a side with shifts and masks alone. Written out for each direction, too.

// The squares that sliders pass over, their own included. An occluded fill doubles its reach in every step (1, 2, 4
// squares).
fn DIRECTION_fill(sliders: Board, empty: Board) -> Board {
    let through1 = empty & LANDING;
    let through2 = through1 & TOWARDS(through1, DISTANCE);
    let through4 = through2 & TOWARDS(through2, 2u * DISTANCE);
    var fill = sliders;
    fill |= through1 & TOWARDS(fill, DISTANCE);
    fill |= through2 & TOWARDS(fill, 2u * DISTANCE);
    return fill | (through4 & TOWARDS(fill, 4u * DISTANCE));
}

// The squares seen from these, whatever they are: empty ones and the first occupied one.
fn any_DIRECTION_attacks(squares: Board, empty: Board) -> Board {
    return DIRECTION_step(DIRECTION_fill(squares, empty));
}
