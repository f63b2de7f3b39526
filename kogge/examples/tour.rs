//! A tour of the library: a game, its moves and its end; packed positions; counts; devices.
//!
//! `cargo run --release -p kogge --example tour`

use kogge::{
    BackendName, Circle32, Color, Driver, Fen, Game, MergeSettings, Move, MoveKind, Position, Quad48, Request, Square,
    Status,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

pub(crate) fn main() -> Outcome {
    moves()?;
    ends()?;
    chess960()?;
    positions()?;
    counts()?;
    devices()
}

/// Legal moves, as an iterator and as sets, and their names.
fn moves() -> Outcome {
    let mut game = Game::default();
    game.play_line(&["e4", "c5", "g1f3"])?;
    assert_eq!(game.to_string(), "rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");

    let legal = game.legal_moves();
    assert_eq!(legal.clone().count(), 22);
    let knight = legal.pieces().find(|moves| moves.from == Square::at(6, 7)).expect("the knight on g8 can move");
    assert_eq!(knight.targets, Square::at(5, 5).bit() | Square::at(7, 5).bit());

    let played = game.parse_san("Nc6")?;
    assert_eq!((game.uci(played).as_str(), played.kind()), ("b8c6", MoveKind::Quiet));
    game.play(played)?;
    assert!(game.play(played).is_err(), "it is white's turn");
    assert_eq!(game.undo(), Some(played));
    println!("{} replies to {game}", legal_names(&game).len());
    Ok(())
}

fn legal_names(game: &Game) -> Vec<String> {
    let legal = game.legal_moves();
    legal.clone().map(|played| legal.san(played)).collect()
}

/// Mate, stalemate and draws.
fn ends() -> Outcome {
    let mut game = Game::default();
    game.play_line(&["f3", "e5", "g4", "Qh4"])?;
    assert_eq!(game.status(), Status::Checkmate);
    assert_eq!(game.checkers(), Square::at(7, 3).bit());
    assert!(game.is_attacked(Square::at(4, 0), Color::Black));

    let stalemate: Game = "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1".parse()?;
    assert_eq!(stalemate.status(), Status::Stalemate);

    let mut shuffle = Game::default();
    let before = shuffle.hash();
    for _ in 0..2 {
        shuffle.play_line(&["Nf3", "Nf6", "Ng1", "Ng8"])?;
    }
    assert_eq!((shuffle.status(), shuffle.occurrences()), (Status::ThreefoldRepetition, 3));
    assert!(shuffle.status().is_draw() && shuffle.status().must_be_claimed());
    assert_eq!(shuffle.hash(), before);
    Ok(())
}

/// Chess960: castling is the king's move to its rook.
fn chess960() -> Outcome {
    let game: Game = "4k3/8/8/8/8/8/8/1K4R1 w G - 0 1".parse()?;
    let castling = game.parse_uci("b1g1")?;
    assert_eq!((game.san(castling).as_str(), game.uci(castling).as_str()), ("O-O", "b1g1"));
    assert!(game.is_chess960());
    Ok(())
}

/// Positions without a game, and the packed forms.
fn positions() -> Outcome {
    let fen: Fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse()?;
    let castling = Move::new(Square::at(4, 0), Square::at(6, 0), MoveKind::CastleKingside);
    let after: Position = fen.position.play(&fen.rules, castling);
    let packed = Circle32::from(&Quad48::from(&after));
    assert_eq!(Quad48::from(&packed).unpack(&fen.rules)?, after);
    Ok(())
}

/// Counts of one line, on the best device.
fn counts() -> Outcome {
    let start = Game::default();
    assert_eq!(kogge::perft(&start, 6)?, 119_060_324);
    assert_eq!(kogge::divide(&start, 3)?.len(), 20);
    println!("{} of the leaves at ply 5 are mates", kogge::stats(&start, 5)?.mates);
    println!("best by exhaustive minimax: {}", start.san(kogge::best(&start, 3)?.line[0]));
    Ok(())
}

/// A device that is kept open, and a driver for longer work.
fn devices() -> Outcome {
    let mut opened = kogge::open(&Request { backend: BackendName::Cpu, ..Request::default() }, None)?;
    println!("{}", opened.backend.info().name);
    let mut driver = Driver::new(&mut *opened.backend, &());
    let merged = driver.perft_merged(&Fen::start(), 7, &MergeSettings::with_memory(1 << 28))?;
    assert_eq!(merged.leaves, 3_195_901_860);
    println!("{}", merged.plan.summary());
    Ok(())
}
