//! Raw counts on an OpenCL device, which is named: perft of the six standard positions, every leaf counted and none
//! remembered; then moves counted and successors written, batch by batch. Every answer is checked.
//!
//! `cargo bench -p kogge-backend-opencl --bench perft`
//!
//! It takes the first GPU, or the first device if there is none; `KOGGE_DEVICE` is the index of another. Each position is
//! searched as deep as the device needs a tenth of a second for; `KOGGE_BENCH_LEAVES` sets the most leaves instead.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kogge_backend_opencl::{OpenCl, Options, devices};
use kogge_board::known::{self, Known};
use kogge_board::{Backend, DeviceKind, Quad48};
use kogge_movegen_cpu::Cpu;

/// A depth is deep enough if it takes as many seconds.
const ENOUGH: f64 = 0.1;

/// The value of an environment variable that is a number.
fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable} must be a number, and is \"{value}\".")))
}

fn is_gpu(kind: DeviceKind) -> bool {
    matches!(kind, DeviceKind::DiscreteGpu | DeviceKind::IntegratedGpu)
}

/// The device to measure, or `None` where there is no OpenCL.
fn open() -> Option<OpenCl> {
    let devices = devices().map_err(|error| eprintln!("Nothing to measure: {error}")).ok()?;
    let gpu = devices.iter().position(|device| is_gpu(device.kind) && device.unusable().is_none());
    let index = number("KOGGE_DEVICE").map_or(gpu.unwrap_or(0), |index| index as usize);
    let backend = OpenCl::open(index, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    println!("Device {index}: {}, {}", backend.info().name, backend.info().variant);
    Some(backend)
}

fn perft(c: &mut Criterion) {
    let Some(mut backend) = open() else { return };
    let device = backend.info().name.clone();
    let most = number("KOGGE_BENCH_LEAVES");
    for known in known::standard() {
        let (name, fen) = (known.name, &known.root);
        let root = [Quad48::from(&fen.position)];
        // What does not fit into 64 bits is no depth for a benchmark.
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

/// Positions three plies below each root: their moves counted, and their successors written and brought to the host.
fn batches(c: &mut Criterion) {
    let Some(mut backend) = open() else { return };
    let device = backend.info().name.clone();
    let size = if is_gpu(backend.info().kind) { 1 << 16 } else { 1 << 12 };
    let mut cpu = Cpu::new(None).unwrap();
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

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = perft, batches
}
criterion_main!(benches);
