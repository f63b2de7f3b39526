// A board in two 32-bit words, for devices and browsers without 64-bit integers. Logic works on both halves at once.

alias Board = vec2<u32>;

const NONE: Board = vec2<u32>(0u, 0u);
const ALL: Board = vec2<u32>(0xffffffffu, 0xffffffffu);
const NOT_FILE_A: Board = vec2<u32>(0xfefefefeu, 0xfefefefeu);
const NOT_FILES_AB: Board = vec2<u32>(0xfcfcfcfcu, 0xfcfcfcfcu);
const NOT_FILE_H: Board = vec2<u32>(0x7f7f7f7fu, 0x7f7f7f7fu);
const NOT_FILES_GH: Board = vec2<u32>(0x3f3f3f3fu, 0x3f3f3f3fu);
const RANK_8: Board = vec2<u32>(0u, 0xff000000u);
const THIRD_RANK: Board = vec2<u32>(0x00ff0000u, 0u);
const PAWN_RANKS: Board = vec2<u32>(0xffffff00u, 0x00ffffffu);
const RANK_1: Board = vec2<u32>(0x000000ffu, 0u);
const THEIR_SECOND_RANK: Board = vec2<u32>(0u, 0x00ff0000u);
const THEIR_THIRD_RANK: Board = vec2<u32>(0u, 0x0000ff00u);
const THEIR_SEVENTH_RANK: Board = vec2<u32>(0x0000ff00u, 0u);

/// Returns the board with these halves: ranks 1 to 4, and ranks 5 to 8.
fn join(lower: u32, upper: u32) -> Board {
    return vec2<u32>(lower, upper);
}

/// Returns ranks 1 to 4.
fn low(board: Board) -> u32 {
    return board.x;
}

/// Returns ranks 5 to 8.
fn high(board: Board) -> u32 {
    return board.y;
}

/// Returns all squares moved towards h8, by 1 to 63. The distance is a constant, so that the compiler removes the branch.
fn up(board: Board, distance: u32) -> Board {
    if distance >= 32u {
        return vec2<u32>(0u, board.x << (distance - 32u));
    }
    return vec2<u32>(board.x << distance, (board.y << distance) | (board.x >> (32u - distance)));
}

/// Returns all squares moved towards a1, by 1 to 63.
fn down(board: Board, distance: u32) -> Board {
    if distance >= 32u {
        return vec2<u32>(board.y >> (distance - 32u), 0u);
    }
    return vec2<u32>((board.x >> distance) | (board.y << (32u - distance)), board.y >> distance);
}

fn bit(square: u32) -> Board {
    let half = 1u << (square & 31u);
    return select(vec2<u32>(half, 0u), vec2<u32>(0u, half), square >= 32u);
}

fn has(board: Board, square: u32) -> bool {
    return ((select(board.x, board.y, square >= 32u) >> (square & 31u)) & 1u) != 0u;
}

/// Whether any square is set.
fn nonempty(board: Board) -> bool {
    return (board.x | board.y) != 0u;
}

/// Returns the sum of two numbers, modulo 2^64.
fn plus(a: Board, b: Board) -> Board {
    let lower = a.x + b.x;
    return vec2<u32>(lower, a.y + b.y + u32(lower < a.x));
}

/// Returns the difference of two numbers, modulo 2^64.
fn minus(a: Board, b: Board) -> Board {
    return vec2<u32>(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

/// Returns the product of two words.
fn product(a: u32, b: u32) -> Board {
    let low_half = (a & 0xffffu) * (b & 0xffffu);
    let middle = (a >> 16u) * (b & 0xffffu) + (low_half >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (middle & 0xffffu);
    return vec2<u32>(a * b, (a >> 16u) * (b >> 16u) + (middle >> 16u) + (other >> 16u));
}

/// Whether one board, as a number, is less than another.
fn is_lower(a: Board, b: Board) -> bool {
    return a.y < b.y || (a.y == b.y && a.x < b.x);
}

/// Returns the squares below a square; all squares for the empty board.
fn below(square: Board) -> Board {
    return minus(square, vec2<u32>(1u, 0u));
}

/// Returns the board with only the lowest square.
fn lowest(board: Board) -> Board {
    return vec2<u32>(board.x & (0u - board.x), select(board.y & (0u - board.y), 0u, board.x != 0u));
}

/// Returns all squares except the lowest.
fn without_lowest(board: Board) -> Board {
    return vec2<u32>(board.x & (board.x - 1u), select(board.y & (board.y - 1u), board.y, board.x != 0u));
}
