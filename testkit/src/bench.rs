//! Benchmarks of a GPU, which prints its name: perft of the six standard positions without a hash table; then counting
//! moves and writing successors, batch by batch. Every answer is checked.
//!
//! The first GPU is measured, or the first device if there is no GPU; `KOGGE_DEVICE` selects another device by its
//! index. Each position is counted to the first depth that takes the device a tenth of a second; `KOGGE_BENCH_LEAVES`
//! sets the most leaves instead.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput};
use kogge_board::known::{self, Known};
use kogge_board::{Backend, DeviceKind, Quad48};
use kogge_gpu::{Device, Gpu, GpuOptions};

use crate::device_suite::{Tested, cpu};

/// The number of seconds that a deep enough count takes.
const ENOUGH: f64 = 0.1;

/// Returns the value of a numeric environment variable.
fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable} must be a number, and is \"{value}\".")))
}

fn is_gpu(kind: DeviceKind) -> bool {
    matches!(kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu)
}

/// Opens the device to measure; `None` without a device.
fn open<D: Tested>() -> Option<Gpu<D>> {
    let devices = D::list().map_err(|error| eprintln!("Nothing to measure: {error}")).ok()?;
    let gpu = devices.iter().position(|device| is_gpu(Device::info(device).kind) && device.unusable().is_none());
    let index = number("KOGGE_DEVICE").map_or(gpu.unwrap_or(0), |index| index as usize);
    let backend = Gpu::open(index, &GpuOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    println!("Device {index}: {}, {}", backend.info().name, backend.info().variant);
    Some(backend)
}

/// Counts the six standard positions.
pub fn perft<D: Tested>(c: &mut Criterion) {
    let Some(mut backend) = open::<D>() else { return };
    let device = backend.info().name.clone();
    let most = number("KOGGE_BENCH_LEAVES");
    for known in known::standard() {
        let (name, fen) = (known.name, &known.root);
        let root = [Quad48::from(&fen.position)];
        // Counts that do not fit in 64 bits are too large for a benchmark.
        let leaves = |depth| u64::try_from(known.leaves(depth).unwrap()).unwrap();
        let mut count = |depth| {
            assert_eq!(backend.perft(&fen.rules, black_box(&root), depth).unwrap(), [leaves(depth)]);
        };
        let deepest = known.depth_within(most.unwrap_or(u64::MAX).into()).max(1);
        let mut depth = 1;
        while depth < deepest {
            let start = Instant::now();
            count(depth);
            if most.is_none() && start.elapsed().as_secs_f64() > ENOUGH {
                break;
            }
            depth += 1;
        }
        let mut group = c.benchmark_group(format!("{device}/perft/{name}"));
        group.throughput(Throughput::Elements(leaves(depth)));
        group.bench_function(BenchmarkId::new("raw", depth), |b| b.iter(|| count(depth)));
    }
}

/// Counts the moves of positions three plies below each root, and copies their successors to the host.
pub fn batches<D: Tested>(c: &mut Criterion) {
    let Some(mut backend) = open::<D>() else { return };
    let device = backend.info().name.clone();
    let size = if is_gpu(backend.info().kind) { 1 << 16 } else { 1 << 12 };
    let mut cpu = cpu();
    for Known { name, root: fen, .. } in known::standard() {
        let rules = fen.rules;
        let mut positions = vec![Quad48::from(&fen.position)];
        for _ in 0..3 {
            positions = cpu.expand(&rules, &positions).unwrap().positions;
        }
        positions.truncate(size);
        let counts = cpu.count(&rules, &positions).unwrap();
        let successors = counts.iter().map(|&count| count as usize).sum::<usize>();
        assert!(backend.expand(&rules, &positions).unwrap() == cpu.expand(&rules, &positions).unwrap());
        let mut group = c.benchmark_group(format!("{device}/batch/{name}"));
        group.throughput(Throughput::Elements(positions.len() as u64));
        group.bench_function("count", |b| {
            b.iter(|| assert!(backend.count(&rules, black_box(&positions)).unwrap() == counts));
        });
        group.throughput(Throughput::Elements(successors as u64));
        group.bench_function("expand", |b| {
            b.iter(|| assert_eq!(backend.expand(&rules, black_box(&positions)).unwrap().positions.len(), successors));
        });
    }
}
