//! Packing and unpacking of every format, in positions per second on one thread.
//!
//! A batch of 256 positions stays in the first-level cache and measures the work; a batch of a million also
//! measures the memory. "pieces" is `Circle32` without the state, "roundtrip" packs and unpacks, and
//! "unpack-checked" also checks that the position is legal.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kogge_board::{Circle32, Five42, Packed, Pieces38, Pieces64, Quad48, Rules, known};

/// Repeats the positions of the "marcel" suite until there are `count`.
fn positions(count: usize) -> Vec<Quad48> {
    let suite: Vec<_> = known::random().iter().map(|known| Quad48::from(&known.root.position)).collect();
    suite.into_iter().cycle().take(count).collect()
}

fn circle32(group: &mut BenchmarkGroup<WallTime>, quads: &[Quad48], suffix: &str) {
    group.throughput(Throughput::Elements(quads.len() as u64));
    let mut circles = vec![Circle32::default(); quads.len()];
    let mut back = quads.to_vec();
    type Pack = fn(&[Quad48], &mut [Circle32]);
    type Unpack = fn(&[Circle32], &mut [Quad48]);
    let forms: [(&str, Pack, Unpack); 2] = [
        ("circle32", Circle32::pack_all, Circle32::unpack_all),
        ("circle32 pieces", Circle32::pack_all_pieces, Circle32::unpack_all_pieces),
    ];
    for (name, pack, unpack) in forms {
        let name = format!("{name}{suffix}");
        group.bench_function(BenchmarkId::new("pack", &name), |b| b.iter(|| pack(black_box(quads), &mut circles)));
        group.bench_function(BenchmarkId::new("unpack", &name), |b| b.iter(|| unpack(black_box(&circles), &mut back)));
        group.bench_function(BenchmarkId::new("roundtrip", &name), |b| {
            b.iter(|| {
                pack(black_box(quads), &mut circles);
                unpack(black_box(&circles), &mut back);
            });
        });
    }
}

fn format<T: Packed>(group: &mut BenchmarkGroup<WallTime>, quads: &[Quad48]) {
    let positions: Vec<_> = quads.iter().map(Quad48::unpack_unchecked).collect();
    let mut packed: Vec<T> = positions.iter().map(T::pack).collect();
    let mut back = positions.clone();
    let name = T::FORMAT.name();
    group.throughput(Throughput::Elements(quads.len() as u64));
    group.bench_function(BenchmarkId::new("pack", name), |b| {
        b.iter(|| {
            black_box(&positions).iter().zip(&mut packed).for_each(|(position, packed)| *packed = T::pack(position))
        });
    });
    group.bench_function(BenchmarkId::new("unpack", name), |b| {
        b.iter(|| {
            black_box(&packed).iter().zip(&mut back).for_each(|(packed, back)| *back = packed.unpack_unchecked())
        });
    });
    group.bench_function(BenchmarkId::new("unpack-checked", name), |b| {
        b.iter(|| black_box(&packed).iter().all(|packed| Packed::unpack(packed, &Rules::STANDARD).is_ok()));
    });
}

fn packing(criterion: &mut Criterion) {
    let batch = positions(256);
    let mut group = criterion.benchmark_group("batch");
    circle32(&mut group, &batch, "");
    circle32(&mut group, &positions(1_000_000), " in memory");
    group.finish();
    let mut group = criterion.benchmark_group("one by one");
    format::<Quad48>(&mut group, &batch);
    format::<Circle32>(&mut group, &batch);
    format::<Five42>(&mut group, &batch);
    format::<Pieces38>(&mut group, &batch);
    format::<Pieces64>(&mut group, &batch);
    group.finish();
}

criterion_group!(benches, packing);
criterion_main!(benches);
