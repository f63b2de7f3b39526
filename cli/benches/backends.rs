//! All backends in one run: the six standard positions, leaf by leaf and by merged plies, through the driver as in
//! `kogge perft`. Every answer is checked.
//!
//! `cargo bench -p kogge-cli`
//!
//! OpenCL and wgpu are measured on their first GPU, or on their first device if there is no GPU. A backend without device is
//! left out, with the reason. Each backend counts to the first depth whose count takes a tenth of a second, so compare rates and
//! not times. `KOGGE_BENCH_SECONDS` sets another time. `-- perft/startpos` measures one position, and `-- raw/cpu` one backend
//! on all positions.

use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kogge::{
    BACKENDS, Backend, BackendKind, Driver, Error, MergeSettings, Opened, Request,
    known::{self, KnownCounts},
};

/// The memory for merged counts: 2 GiB, which every device should have.
const MEMORY: u64 = 2 << 30;

/// A way to count: leaf by leaf, or by merged plies.
type Count = fn(&mut Driver<'_>, &KnownCounts, u32) -> Result<u128, Error>;

const WAYS: [(&str, Count); 2] = [
    ("raw", |driver, known, depth| driver.perft(&known.root, depth)),
    ("merged", |driver, known, depth| {
        Ok(driver.perft_merged(&known.root, depth, &MergeSettings::with_memory(MEMORY))?.leaves)
    }),
];

/// Opens the best device of each backend.
fn backends() -> Vec<Box<dyn Backend>> {
    let open = |entry: &BackendKind| match entry.open(&Request::default().of(entry.name, None)) {
        Ok(Opened { backend, .. }) => {
            let info = backend.info();
            println!("{}: {}, {}", info.backend, info.name, info.variant);
            Some(backend)
        }
        Err(error) => {
            println!("Left out: {error}");
            None
        }
    };
    BACKENDS.iter().filter_map(open).collect()
}

/// Returns the first depth at which a count takes long enough, or the deepest published depth.
fn depth(known: &KnownCounts, enough: f64, mut count: impl FnMut(u32)) -> u32 {
    // The first count of a way compiles and tests its kernels.
    count(1);
    let deepest = known.depth_within(u128::MAX).max(1);
    for depth in 1..deepest {
        let start = Instant::now();
        count(depth);
        if start.elapsed().as_secs_f64() >= enough {
            return depth;
        }
    }
    deepest
}

fn perft(criterion: &mut Criterion) {
    let seconds = std::env::var("KOGGE_BENCH_SECONDS").ok();
    let enough = seconds.map_or(0.1, |seconds| seconds.parse().expect("KOGGE_BENCH_SECONDS is a number"));
    let mut backends = backends();
    for known in known::standard() {
        let mut group = criterion.benchmark_group(format!("perft/{}", known.name));
        for (way, count_leaves) in WAYS {
            for backend in &mut backends {
                let name = backend.info().backend;
                let mut driver = Driver::new(&mut **backend, &());
                let mut count = |depth| {
                    let leaves = count_leaves(&mut driver, &known, depth).unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(Some(leaves), known.leaves(depth), "{} at {depth} by {name}", known.name);
                };
                let depth = depth(&known, enough, &mut count);
                let leaves = known.leaves(depth).and_then(|leaves| u64::try_from(leaves).ok()).unwrap_or(u64::MAX);
                group.throughput(Throughput::Elements(leaves));
                group.bench_function(BenchmarkId::new(format!("{way}/{name}"), depth), |b| b.iter(|| count(depth)));
            }
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = perft
}
criterion_main!(benches);
