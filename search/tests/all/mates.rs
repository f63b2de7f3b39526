//! Minimax finds mates in two and in three moves exactly at their depth; the playing search also finds them.

use kogge_board::{Fen, Leaves, Quad48};
use kogge_search::{Game, Limits, Searcher, Signals};

use super::plain::alpha_beta;

/// Returns positions in which the side to move can force mate, with the number of moves.
fn mates() -> impl Iterator<Item = (Fen, u32)> {
    include_str!("../../../data/mates.epd").lines().map(|line| {
        let (fen, moves) = line.split_once(" ;mate ").unwrap();
        (fen.parse().unwrap(), moves.parse().unwrap())
    })
}

#[test]
fn exhaustive_search_finds_them_at_their_depth() {
    let mut found = [0; 2];
    for (root, moves) in mates() {
        let position = Quad48::from(&root.position);
        let at = |depth| alpha_beta(&root.rules, &position, depth, Leaves::Static).unwrap().0;
        assert_eq!(at(2 * moves - 1).mate_moves(), Some(moves as i32), "{root}");
        assert_eq!(at(2 * moves - 2).mate_plies(), None, "{root}");
        found[moves as usize - 2] += 1;
    }
    assert!(found.iter().all(|&found| found >= 30), "{found:?}");
}

#[test]
fn the_search_that_plays_finds_them_too() {
    let mut searcher = Searcher::new().unwrap();
    for (root, moves) in mates() {
        searcher.forget();
        let limits = Limits { mate: Some(moves), nodes: Some(2_000_000), ..Limits::default() };
        let game = Game::new(root);
        let found = searcher.search(&game, &limits, &Signals::default(), &mut |_| ());
        assert_eq!(found.score.mate_moves(), Some(moves as i32), "{root}: {}", found.score);
    }
}
