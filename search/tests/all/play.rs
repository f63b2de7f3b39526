//! The search plays against a random mover and against plain minimax, and finds draws.

use kogge_board::{Backend, Color, Leaves, Move, Quad48, Score, unwatched};
use kogge_movegen_cpu::{Cpu, Game, Status};
use kogge_search::{Limits, SearchResult, Searcher, Signals};

fn limits(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn search(searcher: &mut Searcher, game: &Game, limits: &Limits) -> SearchResult {
    searcher.search(game, limits, &Signals::default(), &mut |_| ())
}

/// Pseudorandom numbers, equal in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Plays a game from a random opening of four plies; returns the searcher's result: 1, 0 or -1.
fn game(
    searcher: &mut Searcher,
    limits: &Limits,
    color: Color,
    random: &mut Random,
    opponent: &mut dyn FnMut(&Game, &mut Random) -> Move,
) -> i32 {
    let mut game = Game::default();
    for _ in 0..4 {
        let moves: Vec<_> = game.legal_moves().collect();
        game.play(moves[random.below(moves.len())]).unwrap();
    }
    searcher.forget();
    loop {
        let turn = game.turn();
        match game.status() {
            Status::Checkmate => return if turn == color { -1 } else { 1 },
            end if end.is_over() => return 0,
            _ => {}
        }
        let played = match turn == color {
            true => search(searcher, &game, limits).line[0],
            false => opponent(&game, random),
        };
        game.play(played).unwrap();
    }
}

#[test]
fn a_random_mover_loses_every_game() {
    let mut searcher = Searcher::new().unwrap();
    let mut random = Random(1);
    for number in 0..100 {
        let color = Color::ALL[number % 2];
        let result = game(&mut searcher, &limits(400), color, &mut random, &mut |game, random| {
            let moves: Vec<_> = game.legal_moves().collect();
            moves[random.below(moves.len())]
        });
        assert_eq!(result, 1, "game {number}");
    }
}

#[test]
fn plain_minimax_loses_clearly() {
    let mut searcher = Searcher::new().unwrap();
    let mut cpu = Cpu::new(None).unwrap();
    let mut random = Random(2);
    let mut minimax = |game: &Game, _: &mut Random| {
        let moves: Vec<_> = game.legal_moves().collect();
        let after: Vec<_> =
            moves.iter().map(|&played| Quad48::from(&game.position().play(game.rules(), played))).collect();
        let values = cpu.minimax(game.rules(), &after, 1, Leaves::Quiescent, &mut unwatched).unwrap();
        let best = values.iter().rev().zip(moves.iter().rev()).max_by_key(|(value, _)| value.one_ply_up()).unwrap();
        *best.1
    };
    let mut points = 0;
    for number in 0..20 {
        points += game(&mut searcher, &limits(4_000), Color::ALL[number % 2], &mut random, &mut minimax);
    }
    assert!(points >= 15, "{points} points more than lost in 20 games");
}

fn score_of(fen: &str, limits: &Limits) -> Score {
    search(&mut Searcher::new().unwrap(), &fen.parse().unwrap(), limits).score
}

#[test]
fn perpetual_check_saves_a_lost_game() {
    // Black is a rook and a queen up, but cannot get out of check on e8 and h5.
    assert_eq!(score_of("6k1/6p1/8/7Q/8/1r6/q5PP/7K w - - 0 1", &limits(100_000)), Score::DRAW);
}

#[test]
fn the_fifty_move_rule_is_seen_coming() {
    let with_clock = |clock| format!("7k/8/8/8/8/8/R7/1R2K3 w - - {clock} 80");
    let depth = Limits { depth: Some(6), ..Limits::default() };
    assert_eq!(score_of(&with_clock(98), &depth), Score::DRAW);
    assert_eq!(score_of(&with_clock(97), &depth).to_string(), "mate in 2");
    assert_eq!(score_of(&with_clock(0), &depth).to_string(), "mate in 2");
}

#[test]
fn what_the_game_has_repeated_is_a_draw() {
    // White, a queen up, has been shuffling: the rook's return is a threefold repetition.
    let mut game: Game = "6k1/5ppp/8/8/8/8/5PPP/Q3R1K1 w - - 0 1".parse().unwrap();
    let line: Vec<_> = "e1d1 g8f8 d1e1 f8g8 e1d1 g8f8 d1e1 f8g8 e1c1 g8f8".split(' ').collect();
    game.play_line(&line).unwrap();
    let mut searcher = Searcher::new().unwrap();
    let back = game.parse_uci("c1e1");
    let only_back = Limits { depth: Some(6), moves: vec![back.unwrap()], ..Limits::default() };
    // Black returns to g8, where king and rook have stood twice before.
    assert_eq!(search(&mut searcher, &game, &only_back).score, Score::DRAW);
    assert!(search(&mut searcher, &game, &limits(50_000)).score > Score::centipawns(500));
}

#[test]
fn searches_end_within_their_limits() {
    let mut searcher = Searcher::new().unwrap();
    let game = Game::default();
    for nodes in [1, 2, 10, 1_000] {
        let found = search(&mut searcher, &game, &limits(nodes));
        assert!(found.nodes <= nodes && !found.line.is_empty(), "{found:?}");
    }
    let found = search(&mut searcher, &game, &Limits { depth: Some(3), ..Limits::default() });
    assert_eq!(found.depth, 3);
    let signals = Signals::default();
    signals.stop();
    assert!(!searcher.search(&game, &Limits::default(), &signals, &mut |_| ()).line.is_empty());
}

#[test]
fn threads_and_lines() {
    let mut searcher = Searcher::new().unwrap();
    searcher.set_threads(3);
    searcher.lines = 4;
    let game: Game = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1".parse().unwrap();
    let mut last = Vec::new();
    let limits = Limits { depth: Some(6), ..Limits::default() };
    let found = searcher.search(&game, &limits, &Signals::default(), &mut |info| {
        if info.depth == 6 {
            last.push(info.clone());
        }
    });
    assert_eq!((found.score.to_string().as_str(), format!("{:?}", found.line[0]).as_str()), ("mate in 1", "a1a8"));
    assert_eq!(last.iter().map(|info| info.rank).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(last.is_sorted_by(|a, b| a.score >= b.score), "{last:?}");
    let mut moves: Vec<_> = last.iter().map(|info| info.line[0].bits()).collect();
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves.len(), 4, "four different moves");
}
