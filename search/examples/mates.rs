//! Reads FENs from standard input and prints the positions where the side to move can force mate in two or in three
//! moves and no sooner, by exhaustive search: `FEN ;mate 2`. The output is `data/mates.epd`, which another engine has to
//! confirm.
//!
//!     cargo run --release -p kogge-search --example mates < positions.txt

#[path = "../tests/plain/mod.rs"]
mod plain;

use std::error::Error;
use std::io;

use kogge_board::{Fen, Leaves, Quad48};

use plain::alpha_beta;

fn main() -> Result<(), Box<dyn Error>> {
    for line in io::stdin().lines() {
        let line = line?;
        let root: Fen = line.split(';').next().unwrap_or_default().parse()?;
        let position = Quad48::from(&root.position);
        for moves in 1..=3 {
            let (score, _) = alpha_beta(&root.rules, &position, 2 * moves - 1, Leaves::Static)?;
            if score.mate_moves() == Some(moves as i32) {
                if moves > 1 {
                    println!("{root} ;mate {moves}");
                }
                break;
            }
        }
    }
    Ok(())
}
