//! Measures how counting scales with 1, 2, 4 and more threads. It counts Kiwipete, so deep that every thread counts for a
//! second or more.
//!
//! `cargo run --release -p kogge-movegen-cpu --example scaling`, and after `--` the most threads (default: one per core).

use std::time::Instant;

use kogge_board::{Backend, Fen, Quad48, unwatched};
use kogge_movegen_cpu::Cpu;

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Depths of Kiwipete and their leaves.
const DEPTHS: [(u32, u64); 3] = [(6, 8_031_647_685), (7, 374_190_009_323), (8, 15_493_944_087_984)];

/// Returns the best of up to three times, in seconds; a long count runs only once.
fn time(threads: usize, depth: u32, leaves: u64) -> f64 {
    let mut cpu = Cpu::new(Some(threads)).unwrap_or_else(|error| panic!("{error}"));
    let start: Fen = KIWIPETE.parse().unwrap_or_else(|error| panic!("{error}"));
    let root = [Quad48::from(&start.position)];
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let begin = Instant::now();
        let counted = cpu.perft(&start.rules, &root, depth, &mut unwatched).unwrap_or_else(|error| panic!("{error}"));
        best = best.min(begin.elapsed().as_secs_f64());
        assert_eq!(counted, [u128::from(leaves)], "depth {depth}");
        if best > 5.0 {
            break;
        }
    }
    best
}

fn main() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let most = std::env::args().nth(1).and_then(|most| most.parse().ok()).unwrap_or(cores);
    // One thread's time determines the depth: each of all threads must count for a second.
    let (first_depth, first_leaves) = DEPTHS[0];
    let rate = first_leaves as f64 / time(1, first_depth, first_leaves);
    let enough = |&&(_, leaves): &&(u32, u64)| leaves as f64 / rate >= most as f64;
    let &(depth, leaves) = DEPTHS.iter().find(enough).unwrap_or(&DEPTHS[2]);
    println!("Kiwipete, depth {depth}, {leaves} leaves; {cores} cores");
    println!("threads  seconds  G leaves/s  times one thread  of ideal");
    let counts = std::iter::successors(Some(1), |threads| Some(threads * 2)).take_while(|&threads| threads < most);
    let mut one = None;
    for threads in counts.chain([most]) {
        let seconds = time(threads, depth, leaves);
        let times = *one.get_or_insert(seconds) / seconds;
        let rate = leaves as f64 / seconds / 1e9;
        println!("{threads:7} {seconds:8.3} {rate:11.2} {times:17.2} {:8.1} %", 100.0 * times / threads as f64);
    }
}
