//! Measures how fast one thread counts natively, the way that the page counts: `web/tests/browser/rates.mjs` compares both.
//!
//! `cargo run --release -p kogge-web --example rate -- portable` prints, for each line `DEPTH FEN` of its input, the leaves and the
//! seconds.

use std::io::{BufRead, stdin};
use std::time::Instant;

use kogge_movegen_cpu::Cpu;
use kogge_web::tree::Walk;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let variant = std::env::args().nth(1).ok_or("The variant of the code is missing, such as portable.")?;
    let mut cpu = Cpu::with_variant(Some(1), &variant)?;
    for line in stdin().lock().lines() {
        let line = line?;
        let (depth, fen) = line.split_once(' ').ok_or("A line must have a depth and a FEN.")?;
        let start = Instant::now();
        let mut walk = Walk::new(&[fen.to_owned()], depth.parse()?)?;
        let mut leaves = 0;
        while !walk.is_done() {
            leaves += walk.step(&mut cpu)?;
        }
        println!("{leaves} {}", start.elapsed().as_secs_f64());
    }
    Ok(())
}
