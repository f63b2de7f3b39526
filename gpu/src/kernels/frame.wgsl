// The pieces by kind, and the limits of the moves of the side to move: attacked squares, pins and checks.

struct Frame {
    /// Pieces of the side to move, of the other side, and empty squares.
    own: Board,
    their: Board,
    empty: Board,
    /// Pieces of both sides by kind.
    pawns: Board,
    knights: Board,
    bishops_queens: Board,
    rooks_queens: Board,
    /// The king of the side to move, and its square.
    king: Board,
    king_square: u32,
    /// The other side's king.
    their_king: Board,
    /// The square where an en-passant capture lands, or none.
    en_passant: Board,
    /// The rooks of the side to move that may castle, on rank 1.
    castling_rooks: u32,
}

/// Sorts the pieces by kind.
fn frame_of(position: Position) -> Frame {
    let bit1 = position.bit1;
    let bit2 = position.bit2;
    let bit4 = position.bit4;
    let occupied = occupied_of(position);
    let kings = ~bit1 & bit2 & bit4;
    let king = kings & position.own;
    return Frame(
        position.own,
        occupied & ~position.own,
        ~occupied,
        bit1 & ~bit2 & ~bit4,
        ~bit1 & bit2 & ~bit4,
        bit1 & (bit2 ^ bit4),
        bit4 & ~(~bit1 & bit2),
        king,
        lowest_index(king) & 63u,
        kings & ~position.own,
        position.en_passant,
        low(bit1 & bit2 & bit4 & position.own) & 0xffu,
    );
}

/// Returns the bishops, rooks or queens of both sides, by their code.
fn sliders_of_kind(frame: Frame, code: u32) -> Board {
    let queens = frame.bishops_queens & frame.rooks_queens;
    let others = select(frame.rooks_queens, frame.bishops_queens, code == BISHOP) & ~queens;
    return select(others, queens, code == QUEEN);
}

/// Returns the pieces of both sides with a code, except kings.
fn kind_of_piece(frame: Frame, code: u32) -> Board {
    return select(select(frame.pawns, frame.knights, code == KNIGHT), sliders_of_kind(frame, code), code >= BISHOP);
}

/// The lines through a square and the leaps from it, without the square itself.
struct Lines {
    file: Board,
    rank: Board,
    diagonal: Board,
    antidiagonal: Board,
    king: Board,
    knight: Board,
}

fn lines_of(square: u32) -> Lines {
    let first = lines[3u * square];
    let second = lines[3u * square + 1u];
    let third = lines[3u * square + 2u];
    return Lines(
        join(first.x, first.y),
        join(first.z, first.w),
        join(second.x, second.y),
        join(second.z, second.w),
        join(third.x, third.y),
        join(third.z, third.w),
    );
}

/// The squares that a piece sees along each axis, in both directions: the empty squares and the first occupied one.
struct Sight {
    file: Board,
    rank: Board,
    diagonal: Board,
    antidiagonal: Board,
}

/// Returns the squares that a piece sees along a line, by subtraction: o ^ (o - 2r) gives the squares above a slider r up
/// to the first occupied one. For the squares below, the board is flipped; for a rank, the files must be mirrored.
fn line_sight(line: Board, occupied: Board, piece: Board, flipped_piece: Board) -> Board {
    let blockers = occupied & line;
    let above = minus(blockers, up(piece, 1u));
    let beneath = minus(fast_flip(blockers), up(flipped_piece, 1u));
    return (above ^ fast_flip(beneath)) & line;
}

/// Returns the squares that a piece sees along its rank, without flipping. Counting zeros finds the first blocker towards
/// file a.
fn rank_sight(occupied: Board, square: u32) -> Board {
    let half = select(low(occupied), high(occupied), square >= 32u);
    let shift = square & 24u;
    let row = (half >> shift) & 0xffu;
    let piece = 1u << (square & 7u);
    let east = (row ^ (row - 2u * piece)) & 0xffu;
    let west = piece - (0x80000000u >> countLeadingZeros((row & (piece - 1u)) | 1u));
    let sight = (east | west) << shift;
    return join(select(sight, 0u, square >= 32u), select(0u, sight, square >= 32u));
}

/// Returns the squares that a piece sees.
fn sight_of(axes: Lines, occupied: Board, piece: Board) -> Sight {
    let flipped_piece = fast_flip(piece);
    var sight = Sight();
    sight.file = line_sight(axes.file, occupied, piece, flipped_piece);
    if FAST_REVERSE {
        sight.rank = line_sight(axes.rank, occupied, piece, flipped_piece);
    } else {
        sight.rank = rank_sight(occupied, lowest_index(piece) & 63u);
    }
    sight.diagonal = line_sight(axes.diagonal, occupied, piece, flipped_piece);
    sight.antidiagonal = line_sight(axes.antidiagonal, occupied, piece, flipped_piece);
    return sight;
}

/// Returns the squares that sliders attack along each axis, all sliders at once.
fn sights_of(orthogonal: Board, diagonal: Board, empty: Board) -> Sight {
    return Sight(
        north_attacks(orthogonal, empty) | south_attacks(orthogonal, empty),
        east_attacks(orthogonal, empty) | west_attacks(orthogonal, empty),
        north_east_attacks(diagonal, empty) | south_west_attacks(diagonal, empty),
        north_west_attacks(diagonal, empty) | south_east_attacks(diagonal, empty),
    );
}

struct Limits {
    /// Squares where the king cannot go.
    danger: Board,
    /// Pieces of the side to move that are pinned on each axis, and all of them.
    pinned_on_file: Board,
    pinned_on_rank: Board,
    pinned_on_diagonal: Board,
    pinned_on_antidiagonal: Board,
    pinned: Board,
    /// The squares where pieces other than the king may go: all squares, or in check, the squares where they end the
    /// check.
    evasion: Board,
    check: bool,
}

/// Limits the evasions of a check along one axis. If a slider stands among the squares that the king sees up the axis
/// (towards higher squares) or down the axis, these squares are where other pieces can end the check, and the king cannot
/// flee to the square behind it, one step in the opposite direction.
fn meet_check(
    limits: ptr<function, Limits>,
    king: Board,
    attacked: Board,
    sight: Board,
    sliders: Board,
    step_up: Board,
    step_down: Board,
) {
    if nonempty(attacked & king) {
        let above = sight & ~(king | below(king));
        let beneath = sight & below(king);
        if nonempty(above & sliders) {
            (*limits).evasion &= above;
            (*limits).danger |= step_down;
        }
        if nonempty(beneath & sliders) {
            (*limits).evasion &= beneath;
            (*limits).danger |= step_up;
        }
    }
}

/// Finds pins and checks from the attacks of enemy sliders. A piece is pinned on an axis if the king sees it along the
/// axis and an enemy slider attacks it along the axis. The slider is on the other side of the piece, because otherwise
/// the king would see the slider.
fn limits_against(frame: Frame, axes: Lines, attacked: Sight) -> Limits {
    let king = frame.king;
    let own = frame.own;
    let their = frame.their;
    let orthogonal = frame.rooks_queens & their;
    let diagonal = frame.bishops_queens & their;
    let sight = sight_of(axes, ~frame.empty, king);

    var limits = Limits();
    limits.pinned_on_file = attacked.file & sight.file & own;
    limits.pinned_on_rank = attacked.rank & sight.rank & own;
    limits.pinned_on_diagonal = attacked.diagonal & sight.diagonal & own;
    limits.pinned_on_antidiagonal = attacked.antidiagonal & sight.antidiagonal & own;
    limits.pinned = limits.pinned_on_file | limits.pinned_on_rank | limits.pinned_on_diagonal |
        limits.pinned_on_antidiagonal;
    limits.danger = attacked.file | attacked.rank | attacked.diagonal | attacked.antidiagonal |
        knight_attacks(frame.knights & their) | pawn_attacks_down(frame.pawns & their) |
        lines_of(lowest_index(frame.their_king) & 63u).king;
    limits.evasion = ALL;
    limits.check = nonempty(limits.danger & king);
    if limits.check {
        let leapers = ((axes.knight & frame.knights) | (pawn_attacks_up(king) & frame.pawns)) & their;
        if nonempty(leapers) {
            // If two leapers give check, no move captures both.
            limits.evasion = select(leapers, NONE, nonempty(without_lowest(leapers)));
        }
        let file = attacked.file;
        let rank = attacked.rank;
        meet_check(&limits, king, file, sight.file, orthogonal, north_step(king), south_step(king));
        meet_check(&limits, king, rank, sight.rank, orthogonal, east_step(king), west_step(king));
        meet_check(
            &limits,
            king,
            attacked.diagonal,
            sight.diagonal,
            diagonal,
            north_east_step(king),
            south_west_step(king),
        );
        meet_check(
            &limits,
            king,
            attacked.antidiagonal,
            sight.antidiagonal,
            diagonal,
            north_west_step(king),
            south_east_step(king),
        );
    }
    return limits;
}

/// Finds attacks, pins and checks.
fn limits_of(frame: Frame, axes: Lines) -> Limits {
    let orthogonal = frame.rooks_queens & frame.their;
    let diagonal = frame.bishops_queens & frame.their;
    return limits_against(frame, axes, sights_of(orthogonal, diagonal, frame.empty));
}

/// Returns the pieces that may move along an axis: the unpinned pieces and the pieces pinned on the axis.
fn free_to_move(pieces: Board, limits: Limits, pinned_on_axis: Board) -> Board {
    return pieces & (~limits.pinned | pinned_on_axis);
}

/// Returns the squares of rank 1 from one square to a higher one, both included.
fn span(lower: u32, higher: u32) -> u32 {
    return 2u * higher - lower;
}

/// Whether castling with this rook is legal. All squares that the king and the rook pass or land on must be empty except
/// for these two pieces; the squares leave no gap. No square that the king passes or lands on may be attacked. A rook
/// pinned on the rank shields the king from behind; castling would take the rook away.
fn may_castle(frame: Frame, limits: Limits, rook: u32, king_to: u32, rook_to: u32) -> bool {
    let king = low(frame.king);
    let way = span(min(min(king, rook), min(king_to, rook_to)), max(max(king, rook), max(king_to, rook_to)));
    let king_way = span(min(king, king_to), max(king, king_to));
    let obstacles = way & ~(low(frame.empty) | king | rook);
    return rook != 0u && (obstacles | (king_way & low(limits.danger)) | (rook & low(limits.pinned_on_rank))) == 0u;
}

/// Squares of rank 1.
const B1: u32 = 2u;
const C1: u32 = 4u;
const D1: u32 = 8u;
const E1: u32 = 16u;
const F1: u32 = 32u;
const G1: u32 = 64u;

// The rook must be on a higher square than the king to castle up, and on a lower square to castle down. Mirrored files
// change the squares where king and rook land.

/// Whether castling with the rook above the king is legal.
fn may_castle_up(frame: Frame, limits: Limits, mirrored: bool) -> bool {
    let rook = frame.castling_rooks & ~(low(frame.king) - 1u);
    return may_castle(frame, limits, rook, select(G1, F1, mirrored), select(F1, E1, mirrored));
}

/// Whether castling with the rook below the king is legal.
fn may_castle_down(frame: Frame, limits: Limits, mirrored: bool) -> bool {
    let rook = frame.castling_rooks & (low(frame.king) - 1u);
    return may_castle(frame, limits, rook, select(C1, B1, mirrored), select(D1, C1, mirrored));
}

/// Whether castling may be legal: the king is not in check, and it is next to an empty square or to the rook. A cheap
/// test.
fn may_castle_perhaps(frame: Frame, limits: Limits) -> bool {
    let king = low(frame.king);
    let beside = ((king << 1u) | (king >> 1u)) & (low(frame.empty) | frame.castling_rooks);
    return frame.castling_rooks != 0u && !limits.check && beside != 0u;
}

/// Whether the king is safe after this pawn has captured en passant.
fn may_capture_en_passant(frame: Frame, axes: Lines, captor: Board) -> bool {
    let victim = south_step(frame.en_passant);
    let occupied = (~frame.empty & ~(captor | victim)) | frame.en_passant;
    let sight = sight_of(axes, occupied, frame.king);
    let attackers = ((sight.file | sight.rank) & frame.rooks_queens) |
        ((sight.diagonal | sight.antidiagonal) & frame.bishops_queens) | (axes.knight & frame.knights) |
        (pawn_attacks_up(frame.king) & frame.pawns);
    return !nonempty(attackers & frame.their & ~victim);
}

/// The pawns of the side to move that can legally capture en passant: from the east moving north-west, and from the
/// west moving north-east. Each is one square or none.
struct Captors {
    from_east: Board,
    from_west: Board,
}

/// Returns the pawns of the side to move that can legally capture en passant.
fn en_passant_captors(frame: Frame, axes: Lines) -> Captors {
    let own_pawns = frame.pawns & frame.own;
    var captors = Captors(south_east_step(frame.en_passant) & own_pawns, south_west_step(frame.en_passant) & own_pawns);
    if nonempty(captors.from_east) && !may_capture_en_passant(frame, axes, captors.from_east) {
        captors.from_east = NONE;
    }
    if nonempty(captors.from_west) && !may_capture_en_passant(frame, axes, captors.from_west) {
        captors.from_west = NONE;
    }
    return captors;
}
