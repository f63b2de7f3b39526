// The generator's functions for a direction. The host instantiates this file for each of the eight directions, with the
// words in capitals replaced: OFFSET is the distance of a step, negative downwards, and OPPOSITE is the opposite direction.

/// Writes captures of sliders. At most one slider reaches a square in each direction. Seen from the square, this slider
/// is the first piece in the opposite direction.
fn DIRECTION_captures(out: ptr<function, Writer>, frame: Frame, captured: Board, pieces: Board, code: u32) {
    var left = captured;
    while nonempty(left) {
        let captor = OPPOSITE_attacks(lowest(left), frame.empty) & pieces;
        if nonempty(captor) {
            emit(out, lowest_index(captor), lowest_index(left), code, 0u);
        }
        left = without_lowest(left);
    }
}

/// Writes quiet slides: all sliders advance together, one square at a time, until all are blocked. The distance shows
/// where each slider came from. A bishop or rook may be a queen.
fn DIRECTION_slides(out: ptr<function, Writer>, frame: Frame, sliders: Board, targets: Board, code: u32) {
    let queens = frame.bishops_queens & frame.rooks_queens;
    var front = DIRECTION_step(sliders) & frame.empty;
    var way = OFFSET;
    while nonempty(front) {
        var left = front & targets;
        while nonempty(left) {
            let to = lowest_index(left);
            let origin = origin_at(to, way);
            emit(out, origin, to, select(code, QUEEN, has(queens, origin)), 0u);
            left = without_lowest(left);
        }
        front = DIRECTION_step(front) & frame.empty;
        way += OFFSET;
    }
}

/// Writes the king's step, if its square is among these.
fn DIRECTION_king_step(out: ptr<function, Writer>, frame: Frame, targets: Board) {
    if nonempty(DIRECTION_step(frame.king) & targets) {
        emit(out, frame.king_square, origin_at(frame.king_square, -(OFFSET)), KING, 0u);
    }
}
