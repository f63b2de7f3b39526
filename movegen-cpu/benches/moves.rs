//! Compares the use of one position at a time with two Rust libraries: trees whose moves are all made one by one, and the legal moves,
//! the names of moves and the FENs of 10,000 positions of random games.
//!
//! `cargo bench -p kogge-movegen-cpu --bench moves`

use std::hint::black_box;
use std::str::FromStr;

use cozy_chess::util::{display_san_move, parse_san_move};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use kogge_board::{Fen, Position, Random, Rules, known};
use kogge_movegen_cpu::{Game, LegalMoves};
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

const DEPTH: u32 = 4;
const POSITIONS: usize = 10_000;

fn kogge_tree(rules: &Rules, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    LegalMoves::of(rules, position).map(|played| kogge_tree(rules, &position.play(rules, played), depth - 1)).sum()
}

/// The same with the move number and a history.
fn game_tree(game: &mut Game, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let Fen { rules, position, .. } = *game.fen();
    let mut nodes = 0;
    for played in LegalMoves::of(&rules, &position) {
        game.play_unchecked(played);
        nodes += game_tree(game, depth - 1);
        game.undo();
    }
    nodes
}

fn cozy_tree(board: &cozy_chess::Board, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut nodes = 0;
    board.generate_moves(|moves| {
        for played in moves {
            let mut next = board.clone();
            next.play_unchecked(played);
            nodes += cozy_tree(&next, depth - 1);
        }
        false
    });
    nodes
}

fn shakmaty_tree(chess: &Chess, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let next = |&played: &shakmaty::Move| {
        let mut next = chess.clone();
        next.play_unchecked(played);
        shakmaty_tree(&next, depth - 1)
    };
    chess.legal_moves().iter().map(next).sum()
}

fn shakmaty_position(fen: &str) -> Chess {
    fen.parse::<shakmaty::fen::Fen>().unwrap().into_position(CastlingMode::Standard).unwrap()
}

fn trees(c: &mut Criterion) {
    for known in known::standard() {
        let fen = &known.root.to_string();
        let leaves = u64::try_from(known.leaves(DEPTH).unwrap()).unwrap();
        let mut group = c.benchmark_group(format!("one-by-one/{}", known.name));
        group.throughput(Throughput::Elements(leaves)).sample_size(10);
        let (rules, position) = (known.root.rules.with_halfmove_clock(true), known.root.position);
        group.bench_function("kogge", |b| {
            b.iter(|| assert_eq!(kogge_tree(&rules, black_box(&position), DEPTH), leaves));
        });
        let mut game = Game::new(known.root);
        group.bench_function("kogge's Game", |b| b.iter(|| assert_eq!(game_tree(black_box(&mut game), DEPTH), leaves)));
        let board = cozy_chess::Board::from_str(fen).unwrap();
        group.bench_function("cozy-chess", |b| b.iter(|| assert_eq!(cozy_tree(black_box(&board), DEPTH), leaves)));
        let chess = shakmaty_position(fen);
        group.bench_function("shakmaty", |b| b.iter(|| assert_eq!(shakmaty_tree(black_box(&chess), DEPTH), leaves)));
        group.finish();
    }
}

/// Positions of random games, in each library's form.
struct Positions {
    fens: Vec<String>,
    games: Vec<Game>,
    boards: Vec<cozy_chess::Board>,
    chess: Vec<Chess>,
}

impl Positions {
    fn new(count: usize) -> Self {
        let (mut random, mut game) = (Random::new(1), Game::default());
        let mut games = Vec::with_capacity(count);
        while games.len() < count {
            let moves: Vec<_> = game.legal_moves().collect();
            if moves.is_empty() || game.history().len() > 150 {
                game = Game::default();
                continue;
            }
            game.play_unchecked(moves[random.index(moves.len())]);
            games.push(Game::new(*game.fen()));
        }
        let fens: Vec<_> = games.iter().map(Game::to_string).collect();
        let boards = fens.iter().map(|fen| cozy_chess::Board::from_str(fen).unwrap()).collect();
        let chess = fens.iter().map(|fen| shakmaty_position(fen)).collect();
        Self { fens, games, boards, chess }
    }
}

/// Measures a function of each position; it returns something that the compiler must compute.
fn each<T>(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, positions: &[T], of: impl Fn(&T) -> usize) {
    group.bench_function(name, |b| b.iter(|| black_box(positions).iter().map(&of).sum::<usize>()));
}

fn moves(c: &mut Criterion) {
    let Positions { games, boards, chess, .. } = Positions::new(POSITIONS);
    let count: usize = games.iter().map(|game| game.legal_moves().count()).sum();
    let mut group = c.benchmark_group("legal-moves");
    group.throughput(Throughput::Elements(count as u64));
    each(&mut group, "kogge", &games, |game| {
        game.legal_moves().fold(0, |sum, played| sum + usize::from(played.bits() & 63))
    });
    each(&mut group, "cozy-chess", &boards, |board| {
        let mut sum = 0;
        board.generate_moves(|moves| {
            for played in moves {
                sum += played.from as usize;
            }
            false
        });
        sum
    });
    each(&mut group, "shakmaty", &chess, |chess| {
        chess.legal_moves().iter().fold(0, |sum, played| sum + played.from().map_or(0, |from| from as usize))
    });
    group.finish();
}

fn names(c: &mut Criterion) {
    let Positions { games, boards, chess, .. } = Positions::new(POSITIONS / 20);
    let count: usize = games.iter().map(|game| game.legal_moves().count()).sum();
    let mut group = c.benchmark_group("san");
    group.throughput(Throughput::Elements(count as u64));
    each(&mut group, "kogge", &games, |game| {
        let moves = game.legal_moves();
        moves.clone().map(|played| moves.san(played).len()).sum()
    });
    each(&mut group, "cozy-chess", &boards, |board| {
        let mut sum = 0;
        board.generate_moves(|moves| {
            for played in moves {
                sum += display_san_move(board, played).to_string().len();
            }
            false
        });
        sum
    });
    each(&mut group, "shakmaty", &chess, |chess| {
        let name = |&played: &shakmaty::Move| SanPlus::from_move(chess.clone(), played).to_string().len();
        chess.legal_moves().iter().map(name).sum()
    });
    group.finish();

    let mut group = c.benchmark_group("parse-san");
    group.throughput(Throughput::Elements(count as u64));
    let texts: Vec<Vec<String>> =
        games.iter().map(|game| game.legal_moves().map(|played| game.san(played)).collect()).collect();
    fn pairs<'a, T>(positions: &'a [T], texts: &'a [Vec<String>]) -> Vec<(&'a T, &'a Vec<String>)> {
        positions.iter().zip(texts).collect()
    }
    each(&mut group, "kogge", &pairs(&games, &texts), |(game, texts)| {
        let moves = game.legal_moves();
        texts.iter().map(|text| usize::from(moves.parse_san(text).unwrap().bits() & 63)).sum()
    });
    each(&mut group, "cozy-chess", &pairs(&boards, &texts), |(board, texts)| {
        texts.iter().map(|text| parse_san_move(board, text).unwrap().from as usize).sum()
    });
    each(&mut group, "shakmaty", &pairs(&chess, &texts), |(chess, texts)| {
        let read = |text: &String| text.parse::<SanPlus>().unwrap().san.to_move(*chess).unwrap();
        texts.iter().map(|text| read(text).from().map_or(0, |from| from as usize)).sum()
    });
    group.finish();
}

fn fens(c: &mut Criterion) {
    let Positions { fens, games, boards, chess } = Positions::new(POSITIONS);
    let mut group = c.benchmark_group("parse-fen");
    group.throughput(Throughput::Elements(fens.len() as u64));
    each(&mut group, "kogge", &fens, |fen| fen.parse::<Game>().unwrap().fen().fullmove.into());
    each(&mut group, "cozy-chess", &fens, |fen| cozy_chess::Board::from_str(fen).unwrap().fullmove_number().into());
    each(&mut group, "shakmaty", &fens, |fen| shakmaty_position(fen).fullmoves().get() as usize);
    group.finish();
    let mut group = c.benchmark_group("print-fen");
    group.throughput(Throughput::Elements(fens.len() as u64));
    each(&mut group, "kogge", &games, |game| game.to_string().len());
    each(&mut group, "cozy-chess", &boards, |board| board.to_string().len());
    each(&mut group, "shakmaty", &chess, |chess| {
        shakmaty::fen::Fen::from_position(chess, EnPassantMode::Legal).to_string().len()
    });
    group.finish();
}

criterion_group!(benches, trees, moves, names, fens);
criterion_main!(benches);
