//! Raw counts on a device. [`kogge_testkit::bench`] explains the measurement.
//!
//! `cargo bench -p kogge-backend-wgpu --bench perft`

use criterion::{Criterion, criterion_group, criterion_main};
use kogge_backend_wgpu::Device;
use kogge_testkit::bench;

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = bench::perft::<Device>, bench::batches::<Device>
}
criterion_main!(benches);
