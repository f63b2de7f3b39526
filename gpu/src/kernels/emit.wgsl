// Writes moves as items, for the generator.

/// The room for a position's items: from `at` up to `end`, never beyond.
struct Writer {
    at: u32,
    end: u32,
    parent: u32,
}

/// Writes a move, if there is room.
fn emit(out: ptr<function, Writer>, origin: u32, to: u32, code: u32, kind: u32) {
    if (*out).at < (*out).end {
        new_items[(*out).at] = vec2<u32>(pack_move(origin, to, code, kind), (*out).parent);
        (*out).at += 1u;
    }
}

fn emit_promotions(out: ptr<function, Writer>, origin: u32, to: u32) {
    for (var code = QUEEN; code >= KNIGHT; code--) {
        emit(out, origin, to, code, 0u);
    }
}

/// Returns the square from which a move of this distance reaches a square.
fn origin_at(to: u32, distance: i32) -> u32 {
    return u32(i32(to) - distance);
}

/// Writes moves of the same distance, lowest square first.
fn emit_moves(out: ptr<function, Writer>, reached: Board, distance: i32, code: u32) {
    var left = reached;
    while nonempty(left) {
        let to = lowest_index(left);
        emit(out, origin_at(to, distance), to, code, 0u);
        left = without_lowest(left);
    }
}

fn pawn_captures(out: ptr<function, Writer>, reached: Board, distance: i32) {
    var left = reached;
    while nonempty(left) {
        let to = lowest_index(left);
        if to < 56u {
            emit(out, origin_at(to, distance), to, PAWN, 0u);
        } else {
            emit_promotions(out, origin_at(to, distance), to);
        }
        left = without_lowest(left);
    }
}
