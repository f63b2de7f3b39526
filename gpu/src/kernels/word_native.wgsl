// A board in a 64-bit word. The halves are used to count and find bits, because the 64-bit functions cannot be trusted.

alias Board = u64;

const NONE: Board = 0lu;
const ALL: Board = 0xfffffffffffffffflu;
const NOT_FILE_A: Board = 0xfefefefefefefefelu;
const NOT_FILES_AB: Board = 0xfcfcfcfcfcfcfcfclu;
const NOT_FILE_H: Board = 0x7f7f7f7f7f7f7f7flu;
const NOT_FILES_GH: Board = 0x3f3f3f3f3f3f3f3flu;
const RANK_8: Board = 0xff00000000000000lu;
const THIRD_RANK: Board = 0x0000000000ff0000lu;
const PAWN_RANKS: Board = 0x00ffffffffffff00lu;
const RANK_1: Board = 0x00000000000000fflu;
const THEIR_SECOND_RANK: Board = 0x00ff000000000000lu;
const THEIR_THIRD_RANK: Board = 0x0000ff0000000000lu;
const THEIR_SEVENTH_RANK: Board = 0x000000000000ff00lu;

/// Returns the board with these halves: ranks 1 to 4, and ranks 5 to 8.
fn join(lower: u32, upper: u32) -> Board {
    return (u64(upper) << 32u) | u64(lower);
}

/// Returns ranks 1 to 4.
fn low(board: Board) -> u32 {
    return u32(board);
}

/// Returns ranks 5 to 8.
fn high(board: Board) -> u32 {
    return u32(board >> 32u);
}

/// Returns all squares moved towards h8, by less than 64.
fn up(board: Board, distance: u32) -> Board {
    return board << distance;
}

/// Returns all squares moved towards a1, by less than 64.
fn down(board: Board, distance: u32) -> Board {
    return board >> distance;
}

fn bit(square: u32) -> Board {
    return 1lu << square;
}

fn has(board: Board, square: u32) -> bool {
    return ((board >> square) & 1lu) != 0lu;
}

/// Whether any square is set.
fn nonempty(board: Board) -> bool {
    return board != 0lu;
}

/// Returns the sum of two numbers, modulo 2^64.
fn plus(a: Board, b: Board) -> Board {
    return a + b;
}

/// Returns the difference of two numbers, modulo 2^64.
fn minus(a: Board, b: Board) -> Board {
    return a - b;
}

/// Returns the product of two words.
fn product(a: u32, b: u32) -> Board {
    return u64(a) * u64(b);
}

/// Whether one board, as a number, is less than another.
fn is_lower(a: Board, b: Board) -> bool {
    return a < b;
}

/// Returns the squares below a square; all squares for the empty board.
fn below(square: Board) -> Board {
    return square - 1lu;
}

/// Returns the board with only the lowest square.
fn lowest(board: Board) -> Board {
    return board & (0lu - board);
}

/// Returns all squares except the lowest.
fn without_lowest(board: Board) -> Board {
    return board & (board - 1lu);
}
