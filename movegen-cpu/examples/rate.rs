//! Measures how fast each compilation of the CPU code counts and expands on one thread, and merges on all threads. Prints
//! name, position, and leaves/s or successors/s.
//!
//! `KOGGE_CPU=avx2 cargo run --release -p kogge-movegen-cpu --example rate`, and after `--` the parts to measure: `count`,
//! `expand`, `hash`, `mailbox`, `merge`.

use std::hint::black_box;
use std::time::Instant;

use kogge_board::merge::{Entry, Kept, Key, KeyRange, MergeError, MergeOptions};
use kogge_board::{Backend, Fen, Quad48, unwatched};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

/// The cases: FEN, depth, leaves.
const CASES: [(&str, u32, u64); 6] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 6, 119_060_324),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 5, 193_690_690),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 7, 178_633_661),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 6, 706_045_033),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 5, 89_941_194),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 5, 164_075_551),
];

fn main() {
    let parts: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    let mut cpu = Cpu::new(Some(1)).unwrap_or_else(|error| panic!("{error}"));
    if wanted("count") {
        count(&mut cpu);
    }
    if wanted("expand") {
        expand(&mut cpu);
    }
    if wanted("hash") {
        hash(&mut cpu);
    }
    if wanted("mailbox") {
        mailbox();
    }
    if wanted("merge") {
        let mut cpu = Cpu::new(None).unwrap_or_else(|error| panic!("{error}"));
        merge(&mut cpu).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Measures leaves/s without hash table.
fn count(cpu: &mut Cpu) {
    for (fen, depth, leaves) in CASES {
        let parsed: Fen = fen.parse().unwrap_or_else(|error| panic!("{error}"));
        let root = [Quad48::from(&parsed.position)];
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = Instant::now();
            let counted =
                cpu.perft(&parsed.rules, &root, depth, &mut unwatched).unwrap_or_else(|error| panic!("{error}"))[0];
            best = best.min(start.elapsed().as_secs_f64());
            assert_eq!(counted, leaves, "{fen} at depth {depth}");
        }
        println!("{:16} {:8.1} M leaves/s  {fen}", cpu.info().variant, leaves as f64 / best / 1e6);
    }
}

/// Measures how many moves the mailbox makes in a second: every legal move of the tree, and more that are not legal.
fn mailbox() {
    let mut mailbox = Mailbox::new();
    for (fen, depth, leaves) in CASES {
        let parsed: Fen = fen.parse().unwrap_or_else(|error| panic!("{error}"));
        let root = [Quad48::from(&parsed.position)];
        let mut perft = |depth| {
            mailbox.perft(&parsed.rules, &root, depth, &mut unwatched).unwrap_or_else(|error| panic!("{error}"))[0]
        };
        let depth = depth - 1;
        let above: u64 = (1..depth).map(&mut perft).sum();
        let mut best = f64::INFINITY;
        let mut counted = 0;
        for _ in 0..3 {
            let start = Instant::now();
            counted = perft(depth);
            best = best.min(start.elapsed().as_secs_f64());
        }
        assert!(counted < leaves);
        println!("{:16} {:8.1} M moves/s   {fen}", "mailbox", (above + counted) as f64 / best / 1e6);
    }
}

/// Measures successors/s of the positions three plies below each root.
fn expand(cpu: &mut Cpu) {
    for (fen, ..) in CASES {
        let parsed: Fen = fen.parse().unwrap_or_else(|error| panic!("{error}"));
        let mut positions = vec![Quad48::from(&parsed.position)];
        let mut expand = |positions: &[Quad48]| {
            cpu.expand(&parsed.rules, positions).unwrap_or_else(|error| panic!("{error}")).positions
        };
        for _ in 0..3 {
            positions = expand(&positions);
        }
        positions.truncate(8192);
        let mut best = f64::INFINITY;
        let mut written = 0;
        for _ in 0..50 {
            let start = Instant::now();
            written = black_box(expand(black_box(&positions))).len();
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("{:16} {:8.1} M successors/s  {fen}", cpu.info().variant, written as f64 / best / 1e6);
    }
}

/// Measures leaves/s with a hash table.
fn hash(cpu: &mut Cpu) {
    let start = Fen::start();
    cpu.set_hash(1 << 30).unwrap_or_else(|error| panic!("{error}"));
    let begin = Instant::now();
    let counted = cpu
        .perft(&start.rules, &[Quad48::from(&start.position)], 8, &mut unwatched)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(counted, [84_998_978_956]);
    println!("{}: start position 8 in {:.2} s", cpu.info().variant, begin.elapsed().as_secs_f64());
}

/// Measures the merging of the start position's plies, in less than 2 GiB.
fn merge(cpu: &mut Cpu) -> Result<(), MergeError> {
    let info = cpu.info().clone();
    let start = Fen::start();
    let mut merge = cpu.merge(&start.rules, &MergeOptions::with_memory(2 << 30))?;
    // No position has pawns like these.
    let nothing = Kept::Before(KeyRange { first: Key::MAX, last: Key::MAX });
    merge.reserve(1, Kept::All)?;
    merge.add(&[Entry { position: Quad48::from(&start.position), multiplicity: 1 }])?;
    for ply in 1..=6 {
        // With multiplicities of 1, the leaves one ply below are the successors to be made.
        let entries: Vec<_> =
            merge.entries(0..u64::MAX)?.into_iter().map(|entry| Entry { multiplicity: 1, ..entry }).collect();
        merge.reserve(entries.len() as u64, Kept::All)?;
        merge.add(&entries)?;
        let made = merge.perft(0..u64::MAX, 1)?;
        merge.descend()?;
        let room = merge.most_successors().min(22 * entries.len() as u64);
        // The first reservation also puts the parents in order.
        merge.reserve(room, Kept::All)?;
        for (what, kept) in [("made only", nothing), ("made and merged", Kept::All)] {
            merge.reserve(room, kept)?;
            let begin = Instant::now();
            merge.expand(0..u64::MAX)?;
            let rate = made as f64 / begin.elapsed().as_secs_f64() / 1e6;
            let successors = merge.successors();
            println!("{}, {:16} {rate:8.1} M successors/s {what}, {successors} at ply {ply}", info.name, info.variant);
        }
    }
    Ok(())
}
