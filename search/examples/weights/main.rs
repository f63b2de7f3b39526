//! Where the weights of the evaluation come from: games of kogge against itself, and a logistic regression on them.
//!
//!     cargo run --release -p kogge-search --example weights -- games COUNT NODES [SEED] > games.txt
//!     cargo run --release -p kogge-search --example weights -- fit < games.txt
//!
//! The first plays so many games on all cores, with so many nodes a move, and prints quiet positions of them: a FEN, the
//! search's score for white in hundredths of a pawn, and how the game ended for white (1, 0.5 or 0). The second prints
//! the weights that explain these best, as they stand in `board/src/evaluation/weights.rs`, whose terms and regions it uses.

mod fit;
mod games;

use std::error::Error;

const USAGE: &str = "Say \"games\", how many, and how many nodes a move, or \"fit\".";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["games", count, nodes] => games::play(count.parse()?, nodes.parse()?, 1),
        ["games", count, nodes, seed] => games::play(count.parse()?, nodes.parse()?, seed.parse()?),
        ["fit"] => fit::fit(std::io::stdin().lock()),
        _ => Err(USAGE.into()),
    }
}
