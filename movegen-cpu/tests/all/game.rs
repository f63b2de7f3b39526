//! Games: their end, their clocks and names of moves, against an outside rules library.

use kogge_board::{Color, Fen, Move, Random, START, Square, known};
use kogge_movegen_cpu::{Game, Status};
use shakmaty::san::SanPlus;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Outcome, Position as _};

fn game(fen: &str, moves: &str) -> Game {
    let mut game: Game = fen.parse().unwrap();
    game.play_line(&moves.split_whitespace().collect::<Vec<_>>()).unwrap();
    game
}

#[test]
fn games_end() {
    let shuffle = "g1f3 g8f6 f3g1 f6g8";
    let twice = format!("{shuffle} {shuffle}");
    for (fen, moves, status) in [
        (START, "", Status::Ongoing),
        (START, "e2e4 f7f6 d1h5", Status::Check),
        (START, "f2f3 e7e5 g2g4 d8h4", Status::Checkmate),
        (START, shuffle, Status::Ongoing),
        (START, &twice, Status::ThreefoldRepetition),
        (START, &format!("e2e4 e7e5 {twice}"), Status::ThreefoldRepetition),
        (START, &format!("{twice} {shuffle}"), Status::ThreefoldRepetition),
        (START, &format!("{twice} {twice}"), Status::FivefoldRepetition),
        // A check by a position that occurred three times is a draw to claim.
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8 e8e7 a8a1 e7e8 a1a8 e8e7 a8a1 e7e8 a1a8", Status::ThreefoldRepetition),
        // The right to capture en passant makes the first position different.
        ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4 e8e7 e1d1 e7e8 d1e1 e8e7 e1d1 e7e8 d1e1", Status::Ongoing),
        // So does a castling right.
        ("4k2r/8/8/8/8/8/8/4K3 b k - 0 1", "e8e7 e1e2 e7e8 e2e1 e8e7 e1e2 e7e8 e2e1", Status::Ongoing),
        ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "g5g6", Status::Stalemate),
        ("7k/8/8/8/8/8/R7/1R2K3 w - - 98 80", "a2a3 h8g8", Status::FiftyMoves),
        ("7k/8/8/8/8/8/R7/1R2K3 w - - 97 80", "a2a3 h8g8", Status::Ongoing),
        ("7k/8/8/8/8/8/R7/1R2K3 w - - 148 80", "a2a3 h8g8", Status::SeventyFiveMoves),
        ("7k/8/8/8/8/8/R7/1R2K3 w - - 149 80", "a2a7 h8g8 b1b8", Status::Checkmate),
        ("4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1", "a2b1n", Status::InsufficientMaterial),
        ("4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1", "a2b1r", Status::Check),
        ("4k3/8/8/8/8/8/8/B3K1B1 w - - 0 1", "", Status::InsufficientMaterial),
        ("4k3/8/8/8/8/8/8/BB2K3 w - - 0 1", "", Status::Ongoing),
        ("4k3/8/8/8/8/8/8/NN2K3 w - - 0 1", "", Status::Ongoing),
    ] {
        let game = game(fen, moves);
        assert_eq!(game.status(), status, "{fen} {moves}");
        assert_eq!(status.is_draw(), status.is_over() && status != Status::Checkmate);
    }
    assert!(Status::FiftyMoves.must_be_claimed() && !Status::SeventyFiveMoves.must_be_claimed());
}

fn outside(fen: &Fen) -> Chess {
    let text = Fen { shredder: true, ..*fen }.to_string();
    let setup: shakmaty::fen::Fen = text.parse().unwrap();
    setup.into_position(CastlingMode::Chess960).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Compares everything that a game says of its position with the outside library.
fn check(game: &Game, chess: &Chess) -> Vec<Move> {
    let legal = game.legal_moves();
    let moves: Vec<_> = legal.clone().collect();
    let mut names: Vec<_> = moves.iter().map(|&played| (played.uci(game.rules(), true), legal.san(played))).collect();
    let name = |&played: &shakmaty::Move| {
        let san = SanPlus::from_move(chess.clone(), played).to_string();
        (played.to_uci(CastlingMode::Chess960).to_string(), san)
    };
    let mut expected: Vec<_> = chess.legal_moves().iter().map(name).collect();
    names.sort();
    expected.sort();
    assert_eq!(names, expected, "{game}");
    for (uci, san) in &names {
        assert_eq!(game.parse_uci(uci), game.parse_san(san), "{game}");
        assert_eq!(game.parse_uci(uci).map(|played| game.san(played)).as_ref(), Ok(san), "{game}");
    }
    let end = match game.status() {
        Status::Checkmate | Status::Stalemate | Status::InsufficientMaterial => chess.outcome(),
        _ => Outcome::Unknown,
    };
    assert_eq!(end, chess.outcome(), "{game} {:?}", game.status());
    assert_eq!(game.status() == Status::Checkmate, chess.is_checkmate(), "{game}");
    assert_eq!(game.checkers(), chess.checkers().0, "{game}");
    assert_eq!(game.hash(), chess.zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal).0, "{game}");
    let fen = game.fen();
    assert_eq!(u32::from(fen.halfmove_clock), chess.halfmoves(), "{game}");
    assert_eq!(u32::from(fen.fullmove), chess.fullmoves().get(), "{game}");
    for square in (0..64).filter_map(Square::new) {
        for (color, theirs) in [(Color::White, shakmaty::Color::White), (Color::Black, shakmaty::Color::Black)] {
            let at = shakmaty::Square::new(square.index().into());
            let attackers = chess.board().attacks_to(at, theirs, chess.board().occupied());
            assert_eq!(game.is_attacked(square, color), attackers.any(), "{game} {square}");
        }
    }
    moves
}

#[test]
fn games_agree_with_an_outside_library() {
    let mut random = Random::new(5);
    let (mut ended, mut hidden) = (0, 0);
    for known in known::standard().into_iter().cycle().take(180).chain(known::chess960().into_iter().step_by(4)) {
        let mut game = Game::new(known.root);
        let mut chess = outside(game.fen());
        for _ in 0..200 {
            let moves = check(&game, &chess);
            // A key may have an en-passant file although no capture is legal.
            hidden += usize::from(game.hash() != game.position().zobrist_key());
            let Some(&played) = moves.get(random.index(moves.len())) else { break };
            let text: shakmaty::uci::UciMove = played.uci(game.rules(), true).parse().unwrap();
            let theirs = text.to_move(&chess).unwrap();
            let before = game.clone();
            game.play(played).unwrap();
            chess.play_unchecked(theirs);
            let mut back = game.clone();
            assert_eq!(
                (back.undo(), back.fen(), back.occurrences()),
                (Some(played), before.fen(), before.occurrences())
            );
        }
        ended += usize::from(game.status().is_over());
    }
    assert!(ended > 20 && hidden > 10, "{ended} {hidden}");
}

#[test]
fn illegal_moves_are_refused() {
    let mut game = Game::default();
    for bits in 0..=u16::MAX {
        let Some(played) = Move::from_bits(bits) else { continue };
        if !game.legal_moves().any(|legal| legal == played) {
            assert!(game.play(played).is_err(), "{played:?}");
        }
    }
    assert_eq!((game.to_string().as_str(), game.history().len(), game.undo()), (START, 0, None));
}

#[test]
fn a_list_of_moves_names_its_mistake() {
    let mut game = Game::default();
    let error = game.play_line(&["e2e4", "e7e5", "Ke3"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Move number 3 of the list cannot be played on \"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\": The move \
         \"Ke3\" is not legal here."
    );
    assert_eq!(game.history().len(), 2);
}
