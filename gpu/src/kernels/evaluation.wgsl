// The evaluation of kogge-board: the same sets of squares, the same table of weights, the same integers. The host writes the
// table as the function `weighted_sum`.

/// One side's men, on a board where that side moves up.
struct Men {
    pawns: Board,
    knights: Board,
    bishops: Board,
    rooks: Board,
    queens: Board,
    king: Board,
    all: Board,
}

fn men_of(position: Position, squares: Board) -> Men {
    let bit1 = position.bit1 & squares;
    let bit2 = position.bit2 & squares;
    let bit4 = position.bit4 & squares;
    return Men(
        bit1 & ~bit2 & ~bit4,
        ~bit1 & bit2 & ~bit4,
        bit1 & bit2 & ~bit4,
        // A rook that may castle has all bits.
        bit4 & ~(bit1 ^ bit2),
        bit1 & ~bit2 & bit4,
        ~bit1 & bit2 & bit4,
        squares,
    );
}

/// Returns the men on the flipped board.
fn flipped_men(men: Men) -> Men {
    return Men(
        flip(men.pawns),
        flip(men.knights),
        flip(men.bishops),
        flip(men.rooks),
        flip(men.queens),
        flip(men.king),
        flip(men.all),
    );
}

/// Returns all squares from these squares to the upper ends of their files.
fn up_files(board: Board) -> Board {
    let two = board | up(board, 8u);
    let four = two | up(two, 16u);
    return four | up(four, 32u);
}

/// Returns all squares from these squares to the lower ends of their files.
fn down_files(board: Board) -> Board {
    let two = board | down(board, 8u);
    let four = two | down(two, 16u);
    return four | down(four, 32u);
}

/// Returns the neighbours on the same rank.
fn beside(board: Board) -> Board {
    return east_step(board) | west_step(board);
}

/// The sets of squares that the evaluation counts, as `Feature` in kogge-board describes them.
struct Features {
    pawns: Board,
    knights: Board,
    bishops: Board,
    rooks: Board,
    queens: Board,
    king: Board,
    passed_pawns: Board,
    isolated_pawns: Board,
    doubled_pawns: Board,
    protected_pawns: Board,
    protected_minors: Board,
    bishop_pair: Board,
    rooks_on_half_open_files: Board,
    rooks_on_open_files: Board,
    king_shield: Board,
    knight_mobility: Board,
    diagonal_mobility: Board,
    orthogonal_mobility: Board,
    king_attack: Board,
    pawn_threats: Board,
    threats: Board,
}

struct WeightedFeatures {
    /// The middlegame value (x) and the endgame value (y) of a side's features.
    sum: vec2<i32>,
    /// The squares that its men other than the king attack.
    attacks: Board,
}

/// Returns the weighted sums of a side's features.
fn weighted_features(own: Men, their: Men) -> WeightedFeatures {
    let empty = ~(own.all | their.all);
    let files = up_files(down_files(own.pawns));
    let stoppers = down(down_files(their.pawns), 8u);
    let guarded = pawn_attacks_up(own.pawns);
    let half_open = own.rooks & ~files;
    let before_king = up(own.king, 8u) | up(own.king, 16u);

    let hostile = pawn_attacks_down(their.pawns);
    let allowed = ~(own.all | hostile);
    let diagonal = own.bishops | own.queens;
    let orthogonal = own.rooks | own.queens;
    let by_knights = knight_attacks(own.knights);
    let by_diagonal = north_east_attacks(diagonal, empty) | north_west_attacks(diagonal, empty) |
        south_east_attacks(diagonal, empty) | south_west_attacks(diagonal, empty);
    let by_orthogonal = north_attacks(orthogonal, empty) | south_attacks(orthogonal, empty) |
        east_attacks(orthogonal, empty) | west_attacks(orthogonal, empty);
    let attacked = by_knights | by_diagonal | by_orthogonal;
    let features = Features(
        own.pawns,
        own.knights,
        own.bishops,
        own.rooks,
        own.queens,
        own.king,
        own.pawns & ~(stoppers | beside(stoppers)),
        own.pawns & ~beside(files),
        own.pawns & up(up_files(own.pawns), 8u),
        own.pawns & guarded,
        (own.knights | own.bishops) & guarded,
        without_lowest(own.bishops),
        half_open,
        half_open & ~up_files(down_files(their.pawns)),
        own.pawns & (before_king | beside(before_king)),
        by_knights & allowed,
        by_diagonal & allowed,
        by_orthogonal & allowed,
        attacked & king_attacks(their.king) & ~their.king,
        guarded & their.all & ~their.pawns & ~their.king,
        attacked & their.all & ~their.king & ~hostile,
    );
    return WeightedFeatures(weighted_sum(features), attacked | guarded);
}

struct Evaluation {
    /// The value of the position to the side to move, without looking ahead.
    value: i32,
    /// Whether the side to move is in check.
    check: bool,
}

fn evaluated(position: Position) -> Evaluation {
    let own = men_of(position, position.own);
    let their = men_of(position, occupied_of(position) & ~position.own);
    var us = own;
    var them = their;
    var sum = vec2<i32>();
    var attacks = NONE;
    // A loop over both sides halves the length of the kernel.
    for (var side = 0u; side < 2u; side++) {
        let features = weighted_features(us, them);
        sum = features.sum - sum;
        attacks = features.attacks;
        us = flipped_men(their);
        them = flipped_men(own);
    }
    let minors = count_ones(own.knights | own.bishops | their.knights | their.bishops);
    let majors = 2u * count_ones(own.rooks | their.rooks) + 4u * count_ones(own.queens | their.queens);
    let phase = i32(min(minors + majors, PHASE));
    // The division rounds towards zero, so that both sides see the same value.
    let score = -(sum.x * phase + sum.y * (i32(PHASE) - phase)) / i32(PHASE);
    // Neither side can mate with a lone knight or bishop.
    let drawn = minors <= 1u && majors == 0u && !nonempty(own.pawns | their.pawns);
    let value = clamp(score + TEMPO, -MOST_CENTIPAWNS, MOST_CENTIPAWNS);
    return Evaluation(select(value, 0, drawn), nonempty(attacks & them.king));
}
