//! Games of kogge against itself.

use std::error::Error;
use std::io::{Write, stdout};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use kogge_board::{BackendError, Color, Fen};
use kogge_movegen_cpu::{Game, Status};
use kogge_search::{Limits, Searcher, Signals};

/// The number of random plies before a game.
const OPENING: usize = 8;
/// The greatest score of a fair opening, in hundredths of a pawn.
const FAIR: i32 = 150;
/// The score that ends a game, in hundredths of a pawn, and the number of plies that a side must have it.
const DECIDED: i32 = 1_000;
const PATIENCE: u32 = 6;
/// The greatest length of a game in plies; longer games are draws.
const LONGEST: usize = 400;

/// Pseudorandom numbers by SplitMix64 (Steele, Lea and Flood).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % limit.max(1) as u64) as usize
    }
}

/// Plays games on all cores and prints their quiet positions.
pub(crate) fn play(count: u64, nodes: u64, seed: u64) -> Result<(), Box<dyn Error>> {
    let next = AtomicU64::new(0);
    let work = || -> Result<(), BackendError> {
        let mut searcher = Searcher::new()?;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(());
            }
            // A game depends only on its number, not on the thread that plays it.
            let mut random = Random(seed << 32 ^ number);
            searcher.forget();
            let lines = game(&mut searcher, nodes, &mut random)?;
            // The reader may close the pipe at any time.
            if stdout().write_all(lines.as_bytes()).is_err() {
                return Ok(());
            }
        }
    };
    let threads = thread::available_parallelism()?.get();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Ok(())))
    })?;
    Ok(())
}

/// Plays a game and returns its quiet positions; none if the opening was not fair.
fn game(searcher: &mut Searcher, nodes: u64, random: &mut Random) -> Result<String, BackendError> {
    let mut game = Game::default();
    for _ in 0..OPENING {
        let moves: Vec<_> = game.legal_moves().collect();
        let Some(&chosen) = moves.get(random.below(moves.len())) else { return Ok(String::new()) };
        game.play_unchecked(chosen);
    }
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let (mut quiet, mut decided, mut winner) = (Vec::new(), 0, 0);
    let result = loop {
        let is_white = game.turn() == Color::White;
        match game.status() {
            Status::Checkmate => break if is_white { "0" } else { "1" },
            end if end.is_over() || quiet.len() > LONGEST => break "0.5",
            _ => {}
        }
        let found = searcher.search(&game, &limits, &Signals::default(), &mut |_| ());
        let score = if is_white { found.score } else { -found.score }.value();
        if quiet.is_empty() && score.abs() > FAIR {
            return Ok(String::new());
        }
        decided = if score.abs() >= DECIDED && score.signum() == winner { decided + 1 } else { 0 };
        winner = score.signum();
        if decided >= PATIENCE {
            break if winner > 0 { "1" } else { "0" };
        }
        quiet.push(is_quiet(&game, &found).then(|| (*game.fen(), score)));
        let Some(&best) = found.line.first() else { break "0.5" };
        game.play_unchecked(best);
    };
    let line = |(fen, score): (Fen, i32)| format!("{fen};{score};{result}\n");
    Ok(quiet.into_iter().flatten().map(line).collect())
}

/// Returns whether the position is quiet: no check, and no capture that wins material.
fn is_quiet(game: &Game, found: &kogge_search::SearchResult) -> bool {
    let is_loud = found.line.first().is_none_or(|best| best.is_capture() || best.promotion().is_some());
    !is_loud && game.checkers() == 0 && found.score.mate_plies().is_none()
}
