//! Both generators against shakmaty, an outside rules library, on random positions and along random playouts: the fast
//! generator must find equal moves and write equal successors, and the mailbox must also find equal features of moves.

use kogge_board::{Backend, Color, Fen, Move, Position, Quad48, Random, Rules, State, unwatched};
use kogge_movegen_cpu::mailbox::{self, Features, Mailbox, Outcome};
use kogge_movegen_cpu::{count, expand};
use kogge_testkit::placement;
use proptest::prelude::*;
use shakmaty::{CastlingMode, Chess, PositionError};

/// Converts a position to the outside library, which rejects more improbable positions than kogge.
fn outside(fen: Fen) -> Chess {
    let text = Fen { shredder: true, ..fen }.to_string();
    let setup: shakmaty::fen::Fen = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    setup
        .into_position(CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn inside(rules: &Rules, chess: &Chess) -> Position {
    use shakmaty::Position as _;
    let board = chess.board();
    let rooks = chess.castles().castling_rights().0;
    let rights = (0..4).filter(|&right| rules.castling_rooks()[right] & rooks != 0).map(|right| 1 << right).sum();
    let turn = if chess.turn().is_white() { Color::White } else { Color::Black };
    let clock = if rules.halfmove_clock { chess.halfmoves().min(127) as u8 } else { 0 };
    Position {
        white: board.white().0,
        pawns: board.pawns().0,
        knights: board.knights().0,
        bishops_queens: board.bishops_and_queens().0,
        rooks_queens: board.rooks_and_queens().0,
        kings: board.kings().0,
        state: State::default()
            .with_turn(turn)
            .with_castling(rights)
            .with_en_passant(chess.legal_ep_square().map(|square| square.file() as u8))
            .with_halfmove_clock(clock),
    }
}

/// Returns the successors and the features of moves by the outside library.
fn outside_answers(rules: &Rules, chess: &Chess) -> Vec<(Quad48, Features)> {
    use shakmaty::Position as _;
    let answer = |&played: &shakmaty::Move| {
        let mut after = chess.clone();
        after.play_unchecked(played);
        let checkers = after.checkers().0;
        let moved = match played.castling_side() {
            None => 1 << played.to() as u32,
            Some(side) => 1 << side.king_to(chess.turn()) as u32 | 1 << side.rook_to(chess.turn()) as u32,
        };
        let features = Features {
            capture: played.is_capture(),
            en_passant: played.is_en_passant(),
            castling: played.is_castle(),
            promotion: played.is_promotion(),
            check: checkers != 0,
            discovered_check: checkers.count_ones() == 1 && checkers & moved == 0,
            double_check: checkers.count_ones() == 2,
            mate: after.is_checkmate(),
        };
        (Quad48::from(&inside(rules, &after)), features)
    };
    chess.legal_moves().iter().map(answer).collect()
}

/// Compares the fast generator with the answers of the outside library, sorted by successor.
fn check_fast(rules: &Rules, position: &Position, chess: &Chess, expected: &[(Quad48, Features)]) {
    use shakmaty::Position as _;
    let fen = Fen::new(*position, *rules);
    let packed = Quad48::from(position);
    let mut successors = Vec::new();
    expand(rules, &packed, &mut successors);
    let mut moves: Vec<_> = successors
        .iter()
        .map(|successor| {
            let after = successor.unpack(rules).unwrap_or_else(|error| panic!("{fen}: {error}"));
            let played = Move::between(rules, position, &after);
            played.unwrap_or_else(|| panic!("{fen}: no move leads to {after:?}")).uci(rules, true)
        })
        .collect();
    let mut expected_moves: Vec<_> =
        chess.legal_moves().iter().map(|played| played.to_uci(CastlingMode::Chess960).to_string()).collect();
    moves.sort();
    expected_moves.sort();
    assert_eq!(moves, expected_moves, "{fen}");
    successors.sort();
    assert!(successors.iter().eq(expected.iter().map(|(successor, _)| successor)), "{fen}");
    assert_eq!(count(rules, &packed) as usize, expected.len(), "{fen}");
}

/// Returns the mailbox's outcomes, after comparing them with the outside library and the mailbox with itself.
fn checked_outcomes(rules: &Rules, position: &Position) -> Vec<Outcome> {
    let fen = Fen::new(*position, *rules);
    let outcomes = mailbox::outcomes(rules, position);
    let mut answers: Vec<_> =
        outcomes.iter().map(|outcome| (Quad48::from(&outcome.successor), outcome.features)).collect();
    let successors: Vec<_> = answers.iter().map(|answer| answer.0).collect();
    let chess = outside(fen);
    let mut expected = outside_answers(rules, &chess);
    answers.sort_by_key(|answer| answer.0);
    expected.sort_by_key(|answer| answer.0);
    assert_eq!(answers, expected, "{fen}");
    check_fast(rules, position, &chess, &expected);

    let packed = [Quad48::from(position)];
    let moves: Vec<_> = outcomes.iter().map(|outcome| outcome.played).collect();
    assert_eq!(mailbox::legal_moves(rules, position), moves, "{fen}");
    assert_eq!(Mailbox::new().expand(rules, &packed).unwrap().of(0), successors, "{fen}");
    assert_eq!(Mailbox::new().perft(rules, &packed, 1, &mut unwatched), Ok(vec![moves.len() as u128]), "{fen}");
    for outcome in &outcomes {
        assert_eq!(position.play(rules, outcome.played), outcome.successor, "{fen} {:?}", outcome.played);
    }
    outcomes
}

fn play_out(rules: &Rules, mut position: Position, plies: usize, random: &mut Random) {
    for _ in 0..plies {
        let outcomes = checked_outcomes(rules, &position);
        if outcomes.is_empty() {
            break;
        }
        position = outcomes[random.index(outcomes.len())].successor;
    }
}

#[test]
fn games_of_orthodox_chess() {
    let mut random = Random::new(1);
    let rules = Rules::STANDARD.with_halfmove_clock(true);
    for _ in 0..150 {
        play_out(&rules, Fen::start().position, 200, &mut random);
    }
}

#[test]
fn games_of_chess960() {
    let mut random = Random::new(2);
    for line in include_str!("../../../board/data/chess960.epd").lines() {
        let fen: Fen = line.split(';').next().unwrap().parse().unwrap();
        play_out(&fen.rules, fen.position, 100, &mut random);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn random_positions((rules, position) in placement(), seed in 1..u64::MAX) {
        play_out(&rules, position, 4, &mut Random::new(seed));
    }
}
