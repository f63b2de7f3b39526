// Attacks along a rank by arithmetic: an addition does what a fill does. From the square beside each slider a carry runs
// over empty squares, clears them, and sets the first that is not. Squares on file h count as occupied, so that no carry
// leaves its rank, and halves of a board can be added by themselves. Two carries must not run over the same squares, so
// this is for sliders only, each of which stands in the way of the one behind it.

fn east_attacks(sliders: Board, empty: Board) -> Board {
    let through = empty & NOT_FILE_H;
    return through ^ (through + east_step(sliders));
}

fn west_attacks(sliders: Board, empty: Board) -> Board {
    return reverse(east_attacks(reverse(sliders), reverse(empty)));
}
