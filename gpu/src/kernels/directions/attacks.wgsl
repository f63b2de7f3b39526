// Attacks by fills, for a direction.

/// Returns the squares that sliders attack.
fn DIRECTION_attacks(sliders: Board, empty: Board) -> Board {
    return any_DIRECTION_attacks(sliders, empty);
}
