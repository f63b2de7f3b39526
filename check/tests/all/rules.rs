//! Generators with one planted fault: the built-in positions show it soon, and the rule that it breaks is named.

use kogge_board::bits::Bits;
use kogge_board::{Color, Fen, Move, MoveKind, Piece, Position, Square};
use kogge_check::{Rule, RuleSet, corpus, rules_of};
use kogge_movegen_cpu::LegalMoves;

/// The position one ply earlier, and the move that was played there.
type Before<'f> = Option<(&'f Fen, Move)>;

/// Changes the legal moves of a position.
type Fault = fn(&Fen, Before<'_>, &mut Vec<Move>);

fn legal(fen: &Fen) -> Vec<Move> {
    LegalMoves::of(&fen.rules, &fen.position).collect()
}

fn squares(board: u64) -> impl Iterator<Item = Square> {
    Bits(board).filter_map(Square::of)
}

/// Returns the attackers of the own king after a move of the side to move.
fn attackers_after(fen: &Fen, played: Move) -> u64 {
    let turn = fen.position.turn();
    let after = fen.position.play(&fen.rules, played);
    after.king(turn).map_or(0, |king| after.attackers(king, turn.opposite(), after.occupied()))
}

/// Returns the moves that are illegal only because the king would be in check, without castling.
fn exposing(fen: &Fen) -> Vec<Move> {
    let (position, turn) = (&fen.position, fen.position.turn());
    let (own, occupied) = (position.of(turn), position.occupied());
    let mut moves = Vec::new();
    for to in squares(!own) {
        for from in squares(position.attackers(to, turn, occupied | own)) {
            let is_pawn = position.pawns & from.bit() != 0;
            let kind = match occupied & to.bit() != 0 {
                true => MoveKind::Capture,
                false if !is_pawn => MoveKind::Quiet,
                false if fen.passed == Some(to) => MoveKind::EnPassant,
                false => continue,
            };
            moves.push(Move::new(from, to, kind));
        }
        if let Some(from) = to.offset((0, if turn == Color::White { -1 } else { 1 }))
            && position.pawns & own & from.bit() != 0
            && occupied & to.bit() == 0
        {
            moves.push(Move::new(from, to, MoveKind::Quiet));
        }
    }
    moves.retain(|&played| attackers_after(fen, played) != 0 && !matches!(played.to().rank(), 0 | 7));
    moves
}

fn is_king(fen: &Fen, played: Move) -> bool {
    fen.position.kings & played.from().bit() != 0
}

/// Returns the line from the king to the one attacker that a move of another piece leaves: file, rank or diagonal.
fn line(fen: &Fen, played: Move) -> Option<char> {
    let king = fen.position.king(fen.position.turn())?;
    let attacker = Square::of(attackers_after(fen, played)).filter(|_| !is_king(fen, played))?;
    Some(match (king.file() == attacker.file(), king.rank() == attacker.rank()) {
        (true, _) => 'f',
        (_, true) => 'r',
        _ => 'd',
    })
}

fn add(fen: &Fen, moves: &mut Vec<Move>, is_forgotten: impl Fn(Move) -> bool) {
    moves.extend(exposing(fen).into_iter().filter(|&played| is_forgotten(played)));
}

fn add_pins(fen: &Fen, moves: &mut Vec<Move>, on: char) {
    let is_pin = |played: Move| played.kind() != MoveKind::EnPassant && line(fen, played) == Some(on);
    add(fen, moves, |played| fen.position.checkers() == 0 && is_pin(played));
}

fn add_en_passant(fen: &Fen, moves: &mut Vec<Move>, on: char) {
    add(fen, moves, |played| played.kind() == MoveKind::EnPassant && line(fen, played) == Some(on));
}

/// Adds the castling moves of a changed position.
fn add_castling(fen: &Fen, moves: &mut Vec<Move>, change: impl FnOnce(&mut Position)) {
    let mut changed = *fen;
    change(&mut changed.position);
    let castling = legal(&changed).into_iter().filter(|played| played.is_castling());
    moves.extend(castling.collect::<Vec<_>>());
}

fn is_attacked(fen: &Fen, square: Square) -> bool {
    fen.position.attackers(square, fen.position.turn().opposite(), fen.position.occupied()) != 0
}

/// Returns the right that the last move took by a capture.
fn captured_right(before: Before<'_>) -> Option<u8> {
    let (parent, played) = before?;
    let rights = if parent.position.turn() == Color::White { 0b1100 } else { 0b0011 };
    let lost = parent.position.state.castling() & !parent.play(played).position.state.castling() & rights;
    (lost != 0).then_some(lost)
}

/// The faults, and the rules that name them.
const FAULTS: &[(&str, Fault, &[Rule])] = &[
    ("pins on files", |fen, _, moves| add_pins(fen, moves, 'f'), &[Rule::PinOnFile]),
    ("pins on ranks", |fen, _, moves| add_pins(fen, moves, 'r'), &[Rule::PinOnRank]),
    ("pins on diagonals", |fen, _, moves| add_pins(fen, moves, 'd'), &[Rule::PinOnDiagonal]),
    ("en passant on a file", |fen, _, moves| add_en_passant(fen, moves, 'f'), &[Rule::EnPassantUncoversFile]),
    ("en passant on a rank", |fen, _, moves| add_en_passant(fen, moves, 'r'), &[Rule::EnPassantUncoversRank]),
    (
        "en passant on a diagonal",
        |fen, _, moves| add_en_passant(fen, moves, 'd'),
        &[Rule::EnPassantUncoversDiagonal, Rule::EnPassantInCheck],
    ),
    (
        "no en passant",
        |_, _, moves| moves.retain(|played| played.kind() != MoveKind::EnPassant),
        &[Rule::EnPassant, Rule::EnPassantByEither, Rule::EnPassantInCheck, Rule::EnPassantUncoversDiagonal],
    ),
    (
        "en passant by one pawn only",
        |_, _, moves| {
            let mut captures = 0;
            moves.retain(|played| {
                captures += u32::from(played.kind() == MoveKind::EnPassant);
                played.kind() != MoveKind::EnPassant || captures == 1
            });
        },
        &[Rule::EnPassantByEither, Rule::EnPassantInCheck, Rule::EnPassantUncoversDiagonal],
    ),
    (
        "double checks",
        |fen, _, moves| {
            let checkers = fen.position.checkers();
            let is_answer = |played: Move| checkers & played.to().bit() != 0 && !is_king(fen, played);
            add(fen, moves, |played| checkers.count_ones() == 2 && is_answer(played));
        },
        &[Rule::DoubleCheck],
    ),
    (
        "checks of knights",
        |fen, _, moves| {
            let is_by_knight = fen.position.checkers() & !fen.position.knights == 0 && fen.position.checkers() != 0;
            add(fen, moves, |played| is_by_knight && !is_king(fen, played));
        },
        &[Rule::CheckIgnored, Rule::EnPassantInCheck, Rule::DiscoveredCheck],
    ),
    (
        "discovered checks",
        |fen, before, moves| {
            let Some((_, played)) = before else { return };
            let checkers = fen.position.checkers();
            let is_discovered = checkers.count_ones() == 1 && checkers & played.to().bit() == 0;
            add(fen, moves, |played| {
                is_discovered && !is_king(fen, played) && checkers & attackers_after(fen, played) != 0
            });
        },
        &[Rule::DiscoveredCheck, Rule::DiscoveredCheckByKing, Rule::EnPassantGivesCheck, Rule::CastlingGivesCheck],
    ),
    (
        "the other king",
        |fen, _, moves| {
            add(fen, moves, |played| is_king(fen, played) && attackers_after(fen, played) & !fen.position.kings == 0);
        },
        &[Rule::KingsTouch, Rule::KingTakesProtected],
    ),
    (
        "the king as a shield",
        |fen, _, moves| {
            let is_behind = |played: Move| is_king(fen, played) && !is_attacked(fen, played.to());
            add(fen, moves, |played| is_behind(played) && !played.is_capture());
        },
        &[Rule::KingStaysOnLine],
    ),
    (
        "protected pieces",
        |fen, _, moves| add(fen, moves, |played| is_king(fen, played) && played.is_capture()),
        &[Rule::KingTakesProtected, Rule::KingStaysOnLine],
    ),
    (
        "under-promotions",
        |_, _, moves| moves.retain(|played| played.promotion().is_none_or(|piece| piece == Piece::Queen)),
        &[Rule::UnderPromotion, Rule::PromotionToFileA, Rule::PromotionToFileH],
    ),
    (
        "promotions towards file h",
        |_, _, moves| moves.retain(|played| played.promotion().is_none() || played.to().file() <= played.from().file()),
        &[Rule::PromotionToFileH],
    ),
    (
        "castling through an attack",
        |fen, _, moves| {
            let turn = fen.position.turn();
            if fen.position.checkers() != 0 || fen.is_chess960() {
                return;
            }
            let mut more = Vec::new();
            let home = if turn == Color::White { 0xff } else { 0xff << 56 };
            let theirs = fen.position.of(turn.opposite()) & !fen.position.kings & !home;
            add_castling(fen, &mut more, |position| position.clear(theirs));
            moves.extend(
                more.into_iter()
                    .filter(|played| !is_attacked(fen, played.to()) && !moves.contains(played))
                    .collect::<Vec<_>>(),
            );
        },
        &[Rule::CastlingThroughCheck],
    ),
    (
        "a piece on file b",
        |fen, _, moves| {
            let turn = fen.position.turn();
            let beside = Square::at(1, turn.home_rank()).bit();
            if !fen.is_chess960() && fen.position.checkers() == 0 && !is_attacked(fen, Square::at(2, turn.home_rank()))
            {
                add_castling(fen, moves, |position| position.clear(beside & !position.kings));
            }
        },
        &[Rule::CastlingBlocked],
    ),
    (
        "castling rights of captured rooks",
        |fen, before, moves| {
            let Some(lost) = captured_right(before) else { return };
            let rights = fen.position.state.castling() | lost;
            add_castling(fen, moves, |position| position.state = position.state.with_castling(rights));
        },
        &[Rule::KingsideRookCaptured, Rule::QueensideRookCaptured, Rule::PromotionTakesRight],
    ),
    (
        "castling rights",
        |fen, _, moves| {
            let all = (0..4_u8).filter(|&right| {
                let (color, file) = (Color::ALL[usize::from(right / 2)], [7, 0][usize::from(right & 1)]);
                let has =
                    |piece, file| fen.position.piece_at(Square::at(file, color.home_rank())) == Some((color, piece));
                has(Piece::King, 4) && has(Piece::Rook, file)
            });
            let rights = all.fold(0, |rights, right| rights | 1 << right);
            if !fen.is_chess960() {
                add_castling(fen, moves, |position| position.state = position.state.with_castling(rights));
            }
        },
        &[
            Rule::CastlingWithoutRight,
            Rule::RightLostByKing,
            Rule::RightLostByKingsideRook,
            Rule::RightLostByQueensideRook,
        ],
    ),
    (
        "castling where the king stays",
        |_, _, moves| moves.retain(|played| !played.is_castling() || played.from() != played.to()),
        &[Rule::Chess960KingStays, Rule::DoubleChess960],
    ),
    (
        "an attack on the queenside rook's way",
        |fen, _, moves| {
            let way = Square::at(1, fen.position.turn().home_rank());
            let is_queenside = |played: &Move| played.kind() == MoveKind::CastleQueenside;
            moves.retain(|played| !is_queenside(played) || fen.is_chess960() || !is_attacked(fen, way));
        },
        &[Rule::CastlingRookAttacked, Rule::DoubleChess960],
    ),
    (
        "double pushes over a piece",
        |fen, _, moves| {
            let (position, turn) = (&fen.position, fen.position.turn());
            let (start, step) = if turn == Color::White { (1, 1) } else { (6, -1) };
            for from in squares(position.pawns & position.of(turn)).filter(|from| from.rank() == start) {
                let ahead = [step, 2 * step].map(|ranks| from.offset((0, ranks)));
                if let [Some(over), Some(to)] = ahead
                    && position.occupied() & over.bit() != 0
                    && position.occupied() & to.bit() == 0
                {
                    moves.push(Move::new(from, to, MoveKind::DoublePush));
                }
            }
        },
        &[Rule::DoublePush],
    ),
    (
        "pawns over the edge",
        |fen, _, moves| {
            let (position, turn) = (&fen.position, fen.position.turn());
            for from in squares(position.pawns & position.of(turn)) {
                let steps = match (turn, from.file()) {
                    (Color::White, 0) => 7,
                    (Color::White, 7) => 9,
                    (Color::Black, 0) => -9,
                    (Color::Black, 7) => -7,
                    _ => continue,
                };
                let to = from.index().checked_add_signed(steps).and_then(Square::new);
                if let Some(to) = to.filter(|to| position.of(turn.opposite()) & to.bit() != 0) {
                    moves.push(Move::new(from, to, MoveKind::Capture));
                }
            }
        },
        &[Rule::PawnAtEdge],
    ),
    ("a list of 100 moves", |_, _, moves| moves.truncate(99), &[Rule::ManyMoves]),
    ("an end after fifty moves", |fen, _, moves| moves.retain(|_| fen.halfmove_clock < 100), &[Rule::FiftyMoves]),
];

/// Returns the rule of the first wrong move of a faulty generator, if it is wrong in this position.
fn wrong(fen: &Fen, before: Before<'_>, fault: Fault) -> Option<Rule> {
    let right = legal(fen);
    let mut found = right.clone();
    fault(fen, before, &mut found);
    let missing = right.iter().find(|played| !found.contains(played));
    let played = missing.or_else(|| found.iter().find(|played| !right.contains(played)))?;
    Some(Rule::of_move(fen, &played.uci(&fen.rules, fen.is_chess960()), before))
}

#[test]
fn planted_faults_are_shown_soon_and_named() {
    let positions = corpus();
    for &(name, fault, rules) in FAULTS {
        let expected: RuleSet = rules.iter().copied().collect();
        let (mut first, mut named, mut others) = (None, 0, Vec::new());
        for (index, position) in positions.iter().enumerate() {
            let here = &position.fen;
            let below = || {
                let moves = legal(here).into_iter();
                moves.take(40).find_map(|played| wrong(&here.play(played), Some((here, played)), fault))
            };
            let at_root = wrong(here, None, fault);
            if let Some(rule) = at_root {
                assert!(position.rules.contains(rule), "{name}: {here}: {} not among {}", rule.name(), rules_of(here));
            }
            if let Some(rule) = at_root.or_else(below) {
                first = first.or(Some(index));
                if expected.contains(rule) { named += 1 } else { others.push(format!("{}: {here}", rule.name())) }
            }
        }
        assert!(first.is_some_and(|first| first < 150), "{name}: first shown by position {first:?}");
        assert!(named >= 8 && others.len() * 20 <= named, "{name}: {named} named, but {others:#?}");
    }
}
