// A position as the side to move sees it, and its form in memory.
//
// The board is flipped so that the side to move always moves up; all code is for one colour.

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

/// Returns the occupied squares.
fn occupied_of(position: Position) -> Board {
    return position.bit1 | position.bit2 | position.bit4;
}

/// Returns a position of which these are the quarters in memory. `Planes32` in kogge-board describes the form: the bits 1, 2 and
/// 4 of the pieces' codes; the pieces of the side to move and, on an empty square, the square where an en-passant capture lands.
fn position_in(first: vec4<u32>, second: vec4<u32>) -> Position {
    let bit1 = join(first.x, first.y);
    let bit2 = join(first.z, first.w);
    let bit4 = join(second.x, second.y);
    let own = join(second.z, second.w);
    let occupied = bit1 | bit2 | bit4;
    return Position(bit1, bit2, bit4, own & occupied, own & ~occupied);
}

/// Reads a position.
fn load_position(index: u32) -> Position {
    return position_in(positions[2u * index], positions[2u * index + 1u]);
}

/// Writes a position.
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

/// `Quad48`: white, pawns with the state on ranks 1 and 8, knights, bishops|queens, rooks|queens, kings.
struct Quad {
    white: Board,
    pawns: Board,
    knights: Board,
    bishops_queens: Board,
    rooks_queens: Board,
    kings: Board,
    /// The 16 bits of `State`.
    state: u32,
}

const STATE_BLACK: u32 = 1u;
const STATE_CASTLING: u32 = 0x1eu;
const STATE_EN_PASSANT: u32 = 0x100u;
const STATE_EN_PASSANT_FILE: u32 = 5u;
const STATE_HALFMOVE_CLOCK: u32 = 9u;

/// Reads a `Quad48`.
fn load_quad(index: u32) -> Quad {
    let first = quads[3u * index];
    let second = quads[3u * index + 1u];
    let third = quads[3u * index + 2u];
    return Quad(
        join(first.x, first.y),
        join(first.z, first.w) & PAWN_RANKS,
        join(second.x, second.y),
        join(second.z, second.w),
        join(third.x, third.y),
        join(third.z, third.w),
        (first.z & 0xffu) | ((first.w >> 16u) & 0xff00u),
    );
}

/// Writes a `Quad48`.
fn store_quad(index: u32, quad: Quad) {
    successor_quads[3u * index] = vec4<u32>(
        low(quad.white),
        high(quad.white),
        low(quad.pawns) | (quad.state & 0xffu),
        high(quad.pawns) | ((quad.state & 0xff00u) << 16u),
    );
    successor_quads[3u * index + 1u] =
        vec4<u32>(low(quad.knights), high(quad.knights), low(quad.bishops_queens), high(quad.bishops_queens));
    successor_quads[3u * index + 2u] =
        vec4<u32>(low(quad.rooks_queens), high(quad.rooks_queens), low(quad.kings), high(quad.kings));
}

/// Returns the square of the rook of a castling right, K Q k q as 0 to 3. The rules give the four files in four bytes.
fn castling_rook(right: u32) -> Board {
    let file = (scalars.castling_files >> (8u * right)) & 7u;
    return bit(select(file + 56u, file, right < 2u));
}

/// Returns a position as the side to move sees it.
fn position_of(quad: Quad) -> Position {
    let occupied = quad.pawns | quad.knights | quad.bishops_queens | quad.rooks_queens | quad.kings;
    let white = quad.white & occupied;
    let queens = quad.bishops_queens & quad.rooks_queens;
    let rooks = quad.rooks_queens & ~queens;
    var castling_rooks = NONE;
    for (var right = 0u; right < 4u; right++) {
        if ((quad.state >> (1u + right)) & 1u) != 0u {
            castling_rooks |= castling_rook(right) & rooks & select(~white, white, right < 2u);
        }
    }
    let black = (quad.state & STATE_BLACK) != 0u;
    let file = (quad.state >> STATE_EN_PASSANT_FILE) & 7u;
    let en_passant = bit(file + select(40u, 16u, black)) & ~occupied;
    let position = Position(
        quad.pawns | quad.bishops_queens | castling_rooks,
        quad.knights | (quad.bishops_queens & ~queens) | quad.kings | castling_rooks,
        quad.rooks_queens | quad.kings,
        white,
        select(NONE, en_passant, (quad.state & STATE_EN_PASSANT) != 0u),
    );
    if black {
        return flipped(position);
    }
    return position;
}

/// Converts positions from the host, each its own root.
@compute @workgroup_size(GROUP)
fn upload(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    let index = group_index(workgroup, workgroups) * GROUP + lane;
    if index < scalars.end {
        store_position(index, position_of(load_quad(index)));
        successor_roots[index] = index;
    }
}
