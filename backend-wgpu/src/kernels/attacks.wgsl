// A direction: what sliders attack is what their squares see.

fn DIRECTION_attacks(sliders: Board, empty: Board) -> Board {
    return any_DIRECTION_attacks(sliders, empty);
}
