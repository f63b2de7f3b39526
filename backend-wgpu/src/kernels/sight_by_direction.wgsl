// The closed form's share of a direction. The host writes this out for each of the eight, with the words in capitals
// replaced: BACKWARDS shifts the other way.

// To the number of each square in `on`, adds how many squares a slider there (or passing there) sees beyond it, up to
// seven.
fn DIRECTION_add_sight(numbers: ptr<function, Numbers>, on: Board, empty: Board, not_their: Board) {
    if nonempty(on) {
        let enter = empty & LANDING;
        let see1 = BACKWARDS(not_their & LANDING, DISTANCE);
        let see2 = BACKWARDS(enter & see1, DISTANCE);
        let see3 = BACKWARDS(enter & see2, DISTANCE);
        let see4 = BACKWARDS(enter & see3, DISTANCE);
        let see5 = BACKWARDS(enter & see4, DISTANCE);
        let see6 = BACKWARDS(enter & see5, DISTANCE);
        let see7 = BACKWARDS(enter & see6, DISTANCE);
        let ones = see1 ^ see2 ^ see3 ^ see4 ^ see5 ^ see6 ^ see7;
        add_numbers(numbers, ones & on, (see2 ^ see4 ^ see6) & on, see4 & on);
    }
}

// What their sliders reach, with all that it means for the number of their moves.
fn DIRECTION_reached(mobility: ptr<function, Mobility>, value: ptr<function, Numbers>, sliders: Board, frame: Frame) -> Board {
    let reached = DIRECTION_attacks(sliders, frame.empty);
    let moves = reached & ~frame.their;
    (*mobility).moves += count_ones(moves);
    defended(mobility, reached & frame.their);
    DIRECTION_add_sight(value, moves | sliders, frame.empty, ~frame.their);
    return reached;
}
