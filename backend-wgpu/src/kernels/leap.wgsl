// What leaps and steps: knights, kings and pawns.

// Where knights can land, by how many files and ranks they move: 1 file towards a or h, 2 files. A leap is one of these
// shifted by two ranks or by one.
struct Leaps {
    west1: Board,
    east1: Board,
    west2: Board,
    east2: Board,
}

fn leaps_of(knights: Board) -> Leaps {
    return Leaps(
        down(knights, 1u) & NOT_FILE_H,
        up(knights, 1u) & NOT_FILE_A,
        down(knights, 2u) & NOT_FILES_GH,
        up(knights, 2u) & NOT_FILES_AB,
    );
}

// All squares that knights attack.
fn knight_attacks(knights: Board) -> Board {
    let leaps = leaps_of(knights);
    let near = leaps.west1 | leaps.east1;
    let far = leaps.west2 | leaps.east2;
    return up(near, 16u) | down(near, 16u) | up(far, 8u) | down(far, 8u);
}

// The neighbours of kings, and their own squares.
fn king_attacks(kings: Board) -> Board {
    let row = kings | east_step(kings) | west_step(kings);
    return row | up(row, 8u) | down(row, 8u);
}

// The squares attacked by pawns that move up.
fn pawn_attacks_up(pawns: Board) -> Board {
    return north_east_step(pawns) | north_west_step(pawns);
}

// The squares attacked by pawns that move down.
fn pawn_attacks_down(pawns: Board) -> Board {
    return south_east_step(pawns) | south_west_step(pawns);
}
