//! Compares one thread with two Rust libraries: perft of the six standard positions and of four endgames, without hash
//! table and with the last plies counted in bulk; then measures the generator in successors/s and the counter in
//! positions/s.
//!
//! `cargo bench -p kogge-movegen-cpu --bench perft`

use std::hint::black_box;
use std::str::FromStr;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kogge_board::{Backend, Fen, Quad48, known, unwatched};
use kogge_movegen_cpu::Cpu;

/// The maximum number of leaves below a standard position; it determines the depth.
const LEAVES: u128 = 20_000_000;

/// Endgames: name, FEN, depth, leaves. The mailbox confirms these counts.
const ENDGAMES: [(&str, &str, u32, u64); 4] = [
    ("rooks", "8/5k2/3R4/2p1p3/4r3/5P2/3K4/8 w - - 0 1", 6, 20_045_228),
    ("pawns", "8/8/1k1p4/1p4p1/1P1P2P1/2K5/8/8 w - - 0 1", 8, 2_341_978),
    ("queens", "8/3k4/8/2q5/8/4Q1P1/6K1/8 w - - 0 1", 5, 7_363_115),
    ("minors", "8/2k5/3n4/2p1p3/2P1P3/3B4/2K5/8 w - - 0 1", 6, 2_077_363),
];

/// Returns the name, root, depth and leaves of each case.
fn cases() -> Vec<(&'static str, Fen, u32, u64)> {
    let standard = known::standard().into_iter().map(|known| {
        let depth = known.depth_within(LEAVES);
        let leaves = known.leaves(depth).unwrap().try_into().unwrap();
        (known.name, known.root, depth, leaves)
    });
    standard.chain(ENDGAMES.map(|(name, fen, depth, leaves)| (name, fen.parse().unwrap(), depth, leaves))).collect()
}

fn cozy_perft(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            nodes += moves.len() as u64;
        } else {
            for played in moves {
                let mut next = board.clone();
                next.play_unchecked(played);
                nodes += cozy_perft(&next, depth - 1);
            }
        }
        false
    });
    nodes
}

fn perft(c: &mut Criterion) {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    for (name, parsed, depth, leaves) in cases() {
        let fen = &parsed.to_string();
        let mut group = c.benchmark_group(format!("perft/{name}"));
        group.throughput(Throughput::Elements(leaves));
        let root = [Quad48::from(&parsed.position)];
        group.bench_function(BenchmarkId::new("kogge", depth), |b| {
            b.iter(|| {
                assert_eq!(
                    cpu.perft(&parsed.rules, black_box(&root), depth, &mut unwatched).unwrap(),
                    [u128::from(leaves)]
                )
            });
        });
        let board = cozy_chess::Board::from_str(fen).unwrap();
        group.bench_function(BenchmarkId::new("cozy-chess", depth), |b| {
            b.iter(|| assert_eq!(cozy_perft(black_box(&board), depth), leaves));
        });
        let chess: shakmaty::Chess =
            shakmaty::fen::Fen::from_str(fen).unwrap().into_position(shakmaty::CastlingMode::Standard).unwrap();
        group.bench_function(BenchmarkId::new("shakmaty", depth), |b| {
            b.iter(|| assert_eq!(shakmaty::perft(black_box(&chess), depth), leaves));
        });
    }
}

/// Writes the successors and counts the moves of the positions three plies below each root.
fn batches(c: &mut Criterion) {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    for (name, parsed, ..) in cases() {
        let mut positions = vec![Quad48::from(&parsed.position)];
        for _ in 0..3 {
            positions = cpu.expand(&parsed.rules, &positions).unwrap().positions;
        }
        positions.truncate(8192);
        let successors = cpu.expand(&parsed.rules, &positions).unwrap().positions.len();
        let mut group = c.benchmark_group(format!("batch/{name}"));
        group.throughput(Throughput::Elements(successors as u64));
        group.bench_function("expand", |b| b.iter(|| cpu.expand(&parsed.rules, black_box(&positions)).unwrap()));
        group.throughput(Throughput::Elements(positions.len() as u64));
        group.bench_function("count", |b| {
            b.iter(|| cpu.perft(&parsed.rules, black_box(&positions), 1, &mut unwatched).unwrap())
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = perft, batches
}
criterion_main!(benches);
