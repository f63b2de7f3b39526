//! `kogge-search`: searching for the best move.

use kogge_board::Fen;
use kogge_search::{Game, Limits, Searcher, Signals};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start: Fen = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4".parse()?;
    let limits = Limits { depth: Some(6), ..Limits::default() };
    let found = Searcher::new()?.search(&Game::new(&start)?, &limits, &Signals::default(), &mut |_| ());
    println!("{}: {}", found.line[0].uci(&start.rules, false), found.score);
    Ok(())
}
