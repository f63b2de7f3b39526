// The closed form's functions for a direction. The host instantiates this file for each of the eight directions, with
// the words in capitals replaced: BACKWARDS shifts in the opposite direction, and OPPOSITE is that direction.

/// Returns the number of squares that a slider on one of these squares, or passing over it, sees beyond it.
fn DIRECTION_beyond(squares: Board, empty: Board, not_their: Board) -> Few {
    let enter = empty & LANDING;
    let see1 = BACKWARDS(not_their & LANDING, DISTANCE);
    let see2 = BACKWARDS(enter & see1, DISTANCE);
    let see3 = BACKWARDS(enter & see2, DISTANCE);
    let see4 = BACKWARDS(enter & see3, DISTANCE);
    let see5 = BACKWARDS(enter & see4, DISTANCE);
    let see6 = BACKWARDS(enter & see5, DISTANCE);
    let see7 = BACKWARDS(enter & see6, DISTANCE);
    let odd = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
    return Few(odd & squares, (see2 ^ see4 ^ see6) & squares, see4 & squares);
}

/// K1: adds the empty squares between each of these attacked squares and its attacker. Adding them at once frees registers.
fn DIRECTION_blocks(blocks: ptr<function, Board>, attacks: Board, squares: Board, empty: Board) {
    let attacked = attacks & squares;
    if nonempty(attacked) {
        *blocks |= any_OPPOSITE_attacks(attacked, empty) & empty;
    }
}
