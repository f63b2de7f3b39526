//! A slow and plain generator of legal moves, for the tests of moves and notation.

use kogge_board::{Color, Move, MoveKind, Piece, Position, Rules, Square, bits};

fn squares() -> impl Iterator<Item = Square> {
    (0..64).filter_map(Square::new)
}

fn safe(position: &Position, squares: u64, by: Color, occupied: u64) -> bool {
    bits::Bits(squares).filter_map(Square::of).all(|square| position.attackers(square, by, occupied) == 0)
}

pub(crate) fn legal_moves(position: &Position, rules: &Rules) -> Vec<Move> {
    let turn = position.turn();
    let own = position.of(turn);
    let mut moves = Vec::new();
    for from in squares().filter(|from| own & from.bit() != 0) {
        let Some((_, piece)) = position.piece_at(from) else { continue };
        for to in squares().filter(|to| own & to.bit() == 0) {
            kinds_between(position, piece, from, to, |kind| moves.push(Move::new(from, to, kind)));
        }
    }
    moves.extend(castling(position, rules));
    moves.retain(|&found| {
        let after = position.play(rules, found);
        let king = after.king(turn).expect("no move takes a king");
        safe(&after, king.bit(), turn.opposite(), after.occupied())
    });
    moves
}

/// Reports the kinds of pseudo-legal move that take a piece from one square to another.
fn kinds_between(position: &Position, piece: Piece, from: Square, to: Square, mut report: impl FnMut(MoveKind)) {
    let turn = position.turn();
    let occupied = position.occupied();
    let capture = occupied & to.bit() != 0;
    let attacks = position.attackers(to, turn, occupied) & from.bit() != 0;
    if piece != Piece::Pawn {
        if attacks {
            report(if capture { MoveKind::Capture } else { MoveKind::Quiet });
        }
        return;
    }
    let [start, last] = if turn == Color::White { [1, 7] } else { [6, 0] };
    let ahead = |square: Square| {
        Square::at(square.file(), if turn == Color::White { square.rank() + 1 } else { square.rank().wrapping_sub(1) })
    };
    let pushes = !capture && to == ahead(from);
    if attacks && position.state.en_passant_square() == Some(to) {
        report(MoveKind::EnPassant);
    } else if (attacks && capture || pushes) && to.rank() == last {
        let promotion = if capture { MoveKind::CapturePromotion } else { MoveKind::Promotion };
        Piece::PROMOTIONS.into_iter().map(promotion).for_each(report);
    } else if attacks && capture {
        report(MoveKind::Capture);
    } else if pushes {
        report(MoveKind::Quiet);
    } else if from.rank() == start && to == ahead(ahead(from)) && !capture && occupied & ahead(from).bit() == 0 {
        report(MoveKind::DoublePush);
    }
}

/// Returns the castling moves with free paths and no attacked square on the king's path.
fn castling(position: &Position, rules: &Rules) -> Vec<Move> {
    let turn = position.turn();
    let king = position.king(turn).expect("a king");
    let home = turn.home_rank();
    let sides = [(MoveKind::CastleKingside, 0, 6, 5), (MoveKind::CastleQueenside, 1, 2, 3)];
    let mut moves = Vec::new();
    for (kind, side, king_file, rook_file) in sides {
        let right = side + if turn == Color::White { 0 } else { 2 };
        if position.state.castling() >> right & 1 == 0 {
            continue;
        }
        let rook = Square::at(rules.castling_files[right], home);
        let way = |one: Square, file: u8| -> u64 {
            let (low, high) = (one.file().min(file), one.file().max(file));
            (low..=high).map(|file| Square::at(file, home).bit()).sum()
        };
        let others = position.occupied() & !king.bit() & !rook.bit();
        let free = others & (way(king, king_file) | way(rook, rook_file)) == 0;
        if free && safe(position, way(king, king_file), turn.opposite(), position.occupied() & !king.bit()) {
            moves.push(Move::new(king, Square::at(king_file, home), kind));
        }
    }
    moves
}

pub(crate) fn perft(position: &Position, rules: &Rules, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => legal_moves(position, rules).len() as u64,
        _ => legal_moves(position, rules)
            .iter()
            .map(|&played| perft(&position.play(rules, played), rules, depth - 1))
            .sum(),
    }
}
