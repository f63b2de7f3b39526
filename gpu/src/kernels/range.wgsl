// Ranges of positions with similar pawns. `merge/range.rs` of kogge-board describes keys and ranges, and `merge/filter.rs` which
// successors are kept.

/// The kind of a filter that keeps all successors.
const KEEPS_ALL: u32 = 0xffffffffu;

/// With more moves than these, every side may have any pawns.
const MOST_PAWN_MOVES: u32 = 2u;

/// The place of a position in its ply: the pawns of the side to move, the pawns of the other side, and a hash. In a reversed key the
/// sides change places: its `own` pawns are the other side's.
struct Key {
    own: Board,
    theirs: Board,
    hash: u32,
}

/// All keys from one to another, both included.
struct KeyRange {
    first: Key,
    last: Key,
}

/// Returns the range that the scalars describe.
fn range_of_scalars() -> KeyRange {
    let first = Key(
        join(scalars.first_own_low, scalars.first_own_high),
        join(scalars.first_theirs_low, scalars.first_theirs_high),
        scalars.first_hash,
    );
    let last = Key(
        join(scalars.last_own_low, scalars.last_own_high),
        join(scalars.last_theirs_low, scalars.last_theirs_high),
        scalars.last_hash,
    );
    return KeyRange(first, last);
}

/// Returns the pawns of both sides.
fn pawns_of(position: Position) -> Board {
    return position.bit1 & ~(position.bit2 | position.bit4);
}

fn is_less(a: Key, b: Key) -> bool {
    if is_lower(a.own, b.own) {
        return true;
    }
    if is_lower(b.own, a.own) {
        return false;
    }
    if is_lower(a.theirs, b.theirs) {
        return true;
    }
    return !is_lower(b.theirs, a.theirs) && a.hash < b.hash;
}

/// Returns the plies from a successor that is kept to the ply of the range.
fn filter_plies() -> u32 {
    return scalars.filter_kind / 2u;
}

fn keys_are_reversed() -> bool {
    return (scalars.filter_kind & 1u) != 0u;
}

/// Returns the key, or the reversed key, of a position with these pawns.
fn key_of(own: Board, theirs: Board, hash: u32) -> Key {
    if keys_are_reversed() {
        return Key(theirs, own, hash);
    }
    return Key(own, theirs, hash);
}

/// Whether the range has the key, or the reversed key, of a position with this hash.
fn range_has(range: KeyRange, position: Position, hash: u32) -> bool {
    let pawns = pawns_of(position);
    let key = key_of(pawns & position.own, pawns & ~position.own, hash);
    return !is_less(key, range.first) && !is_less(range.last, key);
}

/// Whether the range has some of the keys with these pawns.
fn range_may_have(range: KeyRange, own: Board, theirs: Board) -> bool {
    return !is_less(key_of(own, theirs, range.first.hash), range.first) &&
        !is_less(range.last, key_of(own, theirs, range.last.hash));
}

/// The pawns of a side, the moves that it has left, and the moves of the other side, each of which may capture one of its pawns.
struct Side {
    pawns: Board,
    moves_up: bool,
    moves: u32,
    losses: u32,
    /// The squares where the pawns may be captured.
    losable: Board,
    /// The squares where the pawns may capture, as this side sees the board.
    targets: Board,
    /// The squares that no pawn can enter by a push, as this side sees the board.
    blockers: Board,
}

/// With at most this number of plies, the pieces decide which pawns may be captured.
const PLIES_OF_PIECES: u32 = 2u;

/// The squares that matter for pawns if few plies are left.
struct PlySquares {
    /// The squares where the side to move may capture pawns.
    taken_now: Board,
    /// The squares where the other side may capture pawns one ply later.
    taken_next: Board,
    /// The squares where the pawns of the side to move may capture.
    targets: Board,
    occupied: Board,
}

/// The squares if nothing is known about the pieces.
fn any_squares() -> PlySquares {
    return PlySquares(ALL, ALL, ALL, NONE);
}

fn leaper_attacks(position: Position, side: Board) -> Board {
    return knight_attacks(position.bit2 & ~(position.bit1 | position.bit4) & side) |
        king_attacks(position.bit2 & position.bit4 & ~position.bit1 & side);
}

fn slider_attacks(position: Position, side: Board, empty: Board) -> Board {
    let orthogonal = position.bit4 & (position.bit1 | ~position.bit2) & side;
    let diagonal = position.bit1 & (position.bit2 ^ position.bit4) & side;
    let rays = attack_rays(orthogonal, orthogonal, diagonal, diagonal, empty);
    return rays.north | rays.south | rays.east | rays.west |
        rays.north_east | rays.north_west | rays.south_east | rays.south_west;
}

fn squares_of(position: Position, plies: u32) -> PlySquares {
    var squares = any_squares();
    if plies > PLIES_OF_PIECES {
        return squares;
    }
    let occupied = occupied_of(position);
    let theirs = occupied & ~position.own;
    squares.occupied = occupied;
    squares.targets = theirs | position.en_passant;
    squares.taken_now = pawn_attacks_up(pawns_of(position) & position.own) | leaper_attacks(position, position.own) |
        slider_attacks(position, position.own, ~occupied) | down(position.en_passant, 8u);
    let pawns = pawns_of(position) & theirs;
    if plies > 1u {
        // A pawn that captures on the square of a lost pawn leaves the pawns as if it were the lost one.
        squares.taken_now |= pawn_attacks_up(squares.taken_now & pawns);
    }
    // An en-passant capture removes two pieces from the lines of sliders.
    if plies > 1u && !nonempty(position.en_passant) {
        // The piece that moves now may open a line.
        let opened = ~occupied | (slider_attacks(position, theirs, ~occupied) & position.own);
        // A pawn that is pushed twice and captured en passant might as well be pushed once and captured there.
        squares.taken_next = pawn_attacks_down(pawns) | leaper_attacks(position, theirs) |
            slider_attacks(position, theirs, opened);
    }
    return squares;
}

/// Returns the board if the pawns move up, else the flipped board.
fn turned(board: Board, moves_up: bool) -> Board {
    if moves_up {
        return board;
    }
    return flip(board);
}

/// Whether losses alone may bring pawns between two, both included. The pawn to lose is always the highest that does not bring them
/// below the least.
fn may_fall_between(pawns: Board, losses: u32, losable: Board, least: Board, greatest: Board) -> bool {
    if is_lower(pawns, least) {
        return false;
    }
    var rest = pawns;
    for (var loss = 0u; loss < losses && is_lower(greatest, rest); loss++) {
        let may_go = rest & losable & below(up(highest(minus(rest, least)), 1u));
        if !nonempty(may_go) {
            return false;
        }
        rest ^= highest(may_go);
    }
    return !is_lower(greatest, rest);
}

/// The kinds of pawn moves: a push, two pushes, and captures towards file a and towards file h.
const PAWN_MOVES: u32 = 4u;

/// Returns how far up a pawn gets by a kind of move.
fn pawn_distance(move_kind: u32) -> u32 {
    return (0x09071008u >> (8u * move_kind)) & 0xffu;
}

/// Returns the squares that pawns may move to by a kind of move. Captures land on the targets.
fn pawn_squares(pawns: Board, occupied: Board, targets: Board, move_kind: u32) -> Board {
    let pushed = up(pawns, 8u) & ~occupied;
    if move_kind == 0u {
        return pushed;
    }
    if move_kind == 1u {
        return up(pushed & THIRD_RANK, 8u) & ~occupied;
    }
    if move_kind == 2u {
        return up(pawns & NOT_FILE_A, 7u) & targets;
    }
    return up(pawns & NOT_FILE_H, 9u) & targets;
}

/// Returns the change of the pawns by a move to a square. A pawn on the last rank becomes another piece.
fn pawn_change(square: Board, move_kind: u32) -> Board {
    return down(square, pawn_distance(move_kind)) | (square & ~RANK_8);
}

/// Whether the pawns may come to lie between two, both included. A move may need squares that are free only later, or captures that
/// nobody makes possible.
fn may_become(side: Side, least: Board, greatest: Board) -> bool {
    if side.moves > MOST_PAWN_MOVES {
        return true;
    }
    let start = turned(side.pawns, side.moves_up);
    // The pawns after all moves but the last, and the squares left for moves of a kind.
    var before = start;
    var before_squares = NONE;
    var before_kind = 0u;
    loop {
        // Pawns below the least come between the two only if they gain the highest square where they differ from it, or a higher one. Pawns
        // above the greatest have to lose such a square. Without losses, only the last move can do this.
        let seen = turned(before, side.moves_up);
        var movable = ALL;
        var reachable = ALL;
        if is_lower(seen, least) {
            reachable = turned(~below(highest(seen ^ least)), side.moves_up);
        }
        if is_lower(greatest, seen) && side.losses == 0u {
            movable = turned(~below(highest(seen ^ greatest)), side.moves_up);
        }
        // The pawns after the last move, or without it.
        var pawns = before;
        var squares = NONE;
        var move_kind = 0u;
        loop {
            if may_fall_between(turned(pawns, side.moves_up), side.losses, side.losable, least, greatest) {
                return true;
            }
            while !nonempty(squares) && side.moves > 0u && move_kind < PAWN_MOVES {
                squares = pawn_squares(before & movable, before | side.blockers, side.targets & ~before, move_kind) & reachable;
                move_kind++;
            }
            if !nonempty(squares) {
                break;
            }
            pawns = before ^ pawn_change(lowest(squares), move_kind - 1u);
            squares = without_lowest(squares);
        }
        while !nonempty(before_squares) && side.moves > 1u && before_kind < PAWN_MOVES {
            before_squares = pawn_squares(start, start, ~start, before_kind);
            before_kind++;
        }
        if !nonempty(before_squares) {
            return false;
        }
        before = start ^ pawn_change(lowest(before_squares), before_kind - 1u);
        before_squares = without_lowest(before_squares);
    }
    return false;
}

/// The steps of `may_reach`: the first side's pawns lie in the range at all, between its ends, at its beginning or at its end; and the second
/// side's pawns lie after its beginning or before its end.
const IN_RANGE: u32 = 0u;
const BETWEEN_ENDS: u32 = 1u;
const AT_BEGINNING: u32 = 2u;
const AFTER_BEGINNING: u32 = 3u;
const AT_END: u32 = 4u;
const BEFORE_END: u32 = 5u;

/// Whether this number of plies may lead from a position into the range, judged by pawns, and by the squares that matter for them. `mine`
/// are the pawns of the side to move.
fn may_reach(range: KeyRange, plies: u32, mine: Board, theirs: Board, squares: PlySquares) -> bool {
    let half = plies / 2u;
    let rest = plies - half;
    // As the side to move in the range's ply sees the board, its pawns move up.
    let is_even = half == rest;
    var first = Side(turned(mine, is_even), is_even, rest, half, squares.taken_next, squares.targets, squares.occupied);
    var second = Side(turned(theirs, is_even), !is_even, half, rest, turned(squares.taken_now, is_even), ALL, NONE);
    // The first side is the one to move in the range's ply, or the other one if keys are reversed.
    if is_even == keys_are_reversed() {
        let mover = first;
        first = second;
        second = mover;
    }
    // One call for all steps: a compiler would write out each call, with all its loops.
    var step = IN_RANGE;
    loop {
        var side = first;
        var least = range.first.own;
        var greatest = range.last.own;
        if step == BETWEEN_ENDS {
            least = plus(least, bit(0u));
            greatest = minus(greatest, bit(0u));
        }
        if step == AT_BEGINNING {
            greatest = least;
        }
        if step == AT_END {
            least = greatest;
        }
        if step == AFTER_BEGINNING || step == BEFORE_END {
            side = second;
            least = NONE;
            greatest = ALL;
            if step == AFTER_BEGINNING || !is_lower(range.first.own, range.last.own) {
                least = range.first.theirs;
            }
            if step == BEFORE_END {
                greatest = range.last.theirs;
            }
        }
        let may = !is_lower(greatest, least) && may_become(side, least, greatest);
        if step == IN_RANGE {
            if !may {
                return false;
            }
            step = select(BEFORE_END, BETWEEN_ENDS, is_lower(range.first.own, range.last.own));
        } else if step == BETWEEN_ENDS || step == AFTER_BEGINNING {
            if may {
                return true;
            }
            step++;
        } else if step == AT_BEGINNING {
            step = select(AT_END, AFTER_BEGINNING, may);
        } else if step == AT_END {
            if !may {
                return false;
            }
            step = BEFORE_END;
        } else {
            return may;
        }
    }
    return false;
}

/// More plies before a range, `drop_others` alone decides. To try two moves of each side for each square would take longer than to make
/// the moves, and llvmpipe ends all loops of a work-item after 65,535 turns.
const MOST_PLIES_OF_SQUARES: u32 = 2u;

/// Whether a successor that is kept may have these pawns. `mine` are the pawns of the side that has moved.
fn is_kept_with(range: KeyRange, mine: Board, theirs: Board) -> bool {
    if filter_plies() == 0u {
        return range_may_have(range, flip(theirs), flip(mine));
    }
    return may_reach(range, filter_plies(), flip(theirs), flip(mine), any_squares());
}

/// Whether the position may have a successor that is kept.
fn may_precede_kept(range: KeyRange, position: Position) -> bool {
    let pawns = pawns_of(position);
    let plies = filter_plies() + 1u;
    return may_reach(range, plies, pawns & position.own, pawns & ~position.own, squares_of(position, plies));
}

/// Returns squares such that every move of the position to a successor that is kept lands on one of them, except for promotions and
/// en-passant captures. Other moves land there, too: only pawns are looked at.
fn squares_to_kept(range: KeyRange, position: Position) -> Board {
    if scalars.filter_kind == KEEPS_ALL || filter_plies() > MOST_PLIES_OF_SQUARES {
        return ALL;
    }
    let occupied = occupied_of(position);
    let pawns = pawns_of(position);
    let mine = pawns & position.own;
    let theirs = pawns & ~position.own;
    var squares = NONE;
    // Moves of pieces to squares without pawns, captures of pawns by pieces, and moves of pawns.
    for (var step = 0u; step < 2u + PAWN_MOVES; step++) {
        var rest = theirs;
        if step == 0u {
            rest = bit(0u);
        }
        if step > 1u {
            rest = pawn_squares(mine, occupied, occupied & ~position.own, step - 2u) & ~squares;
        }
        while nonempty(rest) {
            let square = lowest(rest);
            var moved = mine;
            var left = theirs;
            if step > 0u {
                left &= ~square;
            }
            if step > 1u {
                moved ^= pawn_change(square, step - 2u);
            }
            if is_kept_with(range, moved, left) {
                squares |= select(square, ~theirs, step == 0u);
            }
            rest = without_lowest(rest);
        }
    }
    return squares;
}

/// The root of a candidate from which no moves may lead into the range.
const NO_ROOT: u32 = 0xffffffffu;

/// Whether a candidate with this hash and root is kept. `drop_others` has looked at candidates before the ply of the range.
fn is_kept(range: KeyRange, position: Position, hash: u32, root: u32) -> bool {
    if scalars.filter_kind == KEEPS_ALL {
        return true;
    }
    if filter_plies() == 0u {
        return range_has(range, position, hash);
    }
    return root != NO_ROOT;
}
