//! `kogge-search`: searching for the best move.

use kogge::Game;
use kogge_search::{Limits, Searcher, Signals};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game: Game = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4".parse()?;
    let limits = Limits { depth: Some(6), ..Limits::default() };
    let found = Searcher::new()?.search(&game, &limits, &Signals::default(), &mut |_| ());
    println!("{}: {}", game.san(found.line[0]), found.score);
    Ok(())
}
