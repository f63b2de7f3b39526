//! The search as a UCI engine without GPUs: like `kogge uci`, but faster to build.
//!
//!     cargo run --release -p kogge-search --example uci

use std::io::{self, BufReader};

use kogge_board::{Backend, Fen, Move, unwatched};
use kogge_movegen_cpu::Cpu;
use kogge_search::uci::{Host, serve};
use kogge_search::{Game, Signals};

/// A host that counts with the CPU backend.
struct Counter;

impl Host for Counter {
    fn divide(&mut self, root: &Fen, depth: u32, _: &Signals) -> Result<Vec<(Move, u128)>, String> {
        let count = || {
            let (moves, after): (Vec<_>, Vec<_>) = Game::new(root)?.moves().into_iter().unzip();
            let counts = Cpu::new(None)?.perft(&root.rules, &after, depth.saturating_sub(1), &mut unwatched)?;
            Ok(moves.into_iter().zip(counts).collect())
        };
        count().map_err(|error: kogge_board::BackendError| error.to_string())
    }
}

fn main() -> io::Result<()> {
    serve(BufReader::new(io::stdin()), io::stdout(), Box::new(Counter))
}
