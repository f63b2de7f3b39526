// A position as the side to move sees it, and its form in memory.
//
// The board is flipped so that the side to move always moves up; the code therefore handles one colour only.

const PAWN: u32 = 1u;
const KNIGHT: u32 = 2u;
const BISHOP: u32 = 3u;
const ROOK: u32 = 4u;
const QUEEN: u32 = 5u;
const KING: u32 = 6u;
// The code of a rook that may castle is 7.

struct Position {
    bit1: Board,
    bit2: Board,
    bit4: Board,
    /// Pieces of the side to move.
    own: Board,
    /// The square where an en-passant capture lands, or none.
    en_passant: Board,
}

fn occupied_of(position: Position) -> Board {
    return position.bit1 | position.bit2 | position.bit4;
}

/// Returns the position whose quarters in memory are these. `Planes32` in kogge-board describes the form: the bits 1, 2 and 4 of
/// the pieces' codes; then the pieces of the side to move and, as an empty square among them, the target of an en-passant
/// capture.
fn position_in(first: vec4<u32>, second: vec4<u32>) -> Position {
    let bit1 = join(first.x, first.y);
    let bit2 = join(first.z, first.w);
    let bit4 = join(second.x, second.y);
    let own = join(second.z, second.w);
    let occupied = bit1 | bit2 | bit4;
    return Position(bit1, bit2, bit4, own & occupied, own & ~occupied);
}

fn load_position(index: u32) -> Position {
    return position_in(positions[2u * index], positions[2u * index + 1u]);
}

fn store_position(index: u32, position: Position) {
    let own = position.own | position.en_passant;
    successors[2u * index] = vec4<u32>(low(position.bit1), high(position.bit1), low(position.bit2), high(position.bit2));
    successors[2u * index + 1u] = vec4<u32>(low(position.bit4), high(position.bit4), low(own), high(own));
}

/// Returns the position as the other side sees it, with the other side to move.
fn flipped(position: Position) -> Position {
    let their = occupied_of(position) & ~position.own;
    return Position(
        flip(position.bit1),
        flip(position.bit2),
        flip(position.bit4),
        flip(their),
        flip(position.en_passant),
    );
}

/// Returns the flipped position, with files mirrored if that is faster.
fn fast_flipped(position: Position) -> Position {
    let their = occupied_of(position) & ~position.own;
    return Position(
        fast_flip(position.bit1),
        fast_flip(position.bit2),
        fast_flip(position.bit4),
        fast_flip(their),
        fast_flip(position.en_passant),
    );
}
