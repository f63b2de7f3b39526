//! Solves a suite of positions in EPD with `bm` (moves to find) and `am` (moves to avoid) under one limit, and prints the
//! unsolved positions and the share of solved positions.
//!
//!     cargo run --release -p kogge-search --example tactics -- movetime 1000 [THREADS] < data/wac.epd
//!     cargo run --release -p kogge-search --example tactics -- nodes 100000 < data/wac.epd

mod suite;

use std::error::Error;
use std::io;
use std::time::{Duration, Instant};

use kogge_search::{Limits, Searcher};
use suite::Problem;

const USAGE: &str = "Say \"movetime\" and milliseconds or \"nodes\" and a number, and perhaps how many threads.";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (kind, number, threads) = match &arguments[..] {
        [kind, number] => (kind, number.parse()?, 1),
        [kind, number, threads] => (kind, number.parse()?, threads.parse()?),
        _ => return Err(USAGE.into()),
    };
    let limits = match &kind[..] {
        "movetime" => Limits { move_time: Some(Duration::from_millis(number)), ..Limits::default() },
        "nodes" => Limits { nodes: Some(number), ..Limits::default() },
        _ => return Err(USAGE.into()),
    };
    let mut searcher = Searcher::new()?;
    searcher.set_threads(threads);
    searcher.set_table(64 << 20)?;
    let (start, mut solved, mut all, mut nodes) = (Instant::now(), 0, 0, 0);
    for line in io::stdin().lines() {
        let problem = Problem::parse(&line?)?;
        let (found, is_solved) = problem.search(&mut searcher, &limits);
        if !is_solved {
            println!("{}: {:?}, {}, depth {}", problem.name, found.line.first(), found.score, found.depth);
        }
        (solved, all, nodes) = (solved + usize::from(is_solved), all + 1, nodes + found.nodes);
    }
    let time = start.elapsed().as_secs_f64();
    println!("{solved} of {all} solved with {kind} {number} on {threads} thread(s): {nodes} nodes in {time:.1} s");
    Ok(())
}
