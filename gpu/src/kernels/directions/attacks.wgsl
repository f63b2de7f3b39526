// Attacks by fills, for a direction.

fn DIRECTION_attacks(sliders: Board, empty: Board) -> Board {
    return any_DIRECTION_attacks(sliders, empty);
}
