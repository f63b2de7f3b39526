// A direction: a king's step. The host writes this out for each of the eight, with the words in capitals replaced.

fn DIRECTION_step(board: Board) -> Board {
    return TOWARDS(board, DISTANCE) & LANDING;
}
