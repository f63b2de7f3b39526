// The closed form's function for an axis. The host instantiates this file for each of the four directions up, with the
// words in capitals replaced: OPPOSITE is the direction down.

/// Returns the squares that the other side's sliders reach both ways, and adds their moves, defended pieces and values.
fn closed_form_DIRECTION(mobility: ptr<function, Mobility>, value: ptr<function, Numbers>, sliders: Board, frame: Frame) -> Board {
    let above = DIRECTION_attacks(sliders, frame.empty);
    let beneath = OPPOSITE_attacks(sliders, frame.empty);
    let moves_up = above & ~frame.their;
    let moves_down = beneath & ~frame.their;
    (*mobility).moves += count_ones(moves_up) + count_ones(moves_down);
    defended(mobility, above & frame.their);
    defended(mobility, beneath & frame.their);
    add_both_ways(
        value,
        DIRECTION_beyond(moves_up | sliders, frame.empty, ~frame.their),
        OPPOSITE_beyond(moves_down | sliders, frame.empty, ~frame.their),
    );
    return above | beneath;
}
