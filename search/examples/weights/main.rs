//! The source of the evaluation's weights: games of kogge against itself, and a logistic regression on them.
//!
//!     cargo run --release -p kogge-search --example weights -- games COUNT NODES [SEED] > games.txt
//!     cargo run --release -p kogge-search --example weights -- fit < games.txt
//!
//! `games` plays COUNT games on all cores, with NODES nodes a move, and prints their quiet positions: a FEN, the search's
//! score for white in hundredths of a pawn, and the result of the game for white (1, 0.5 or 0). `fit` prints the weights
//! that best explain these results, in the form of `board/src/evaluation/weights.rs`, with the terms and regions of that
//! file.

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
