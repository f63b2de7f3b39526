//! The conformance suite for the host over the twin, with the smallest buffers.

use kogge_gpu::Parameter::{ClosedForm, ClosedFormGroupSize, CountGroupSize, GroupSize};
use kogge_gpu::{Gpu, GpuOptions, Unordered, Variants};
use kogge_movegen_cpu::Cpu;
use kogge_testkit::conformance;
use kogge_testkit::twin::{Queues, TwinDevice};

fn options(group_size: usize) -> GpuOptions {
    GpuOptions::of([(GroupSize, group_size), (ClosedFormGroupSize, 2 * group_size), (CountGroupSize, 3)])
}

/// Opens a twin with work-groups of this size.
fn open(device: TwinDevice, group_size: usize) -> Gpu<TwinDevice> {
    Gpu::untuned(&device, &options(group_size)).unwrap_or_else(|error| panic!("{error}"))
}

fn reference() -> Cpu {
    Cpu::new(None).unwrap_or_else(|error| panic!("{error}"))
}

kogge_testkit::conformance!(unordered, open(TwinDevice::default(), 2), reference(), leaves: 200_000);

kogge_testkit::conformance!(
    in_order,
    open(TwinDevice { unordered: Unordered::Never, queues: Queues::None, ..TwinDevice::default() }, 3),
    reference(),
    leaves: 200_000
);

#[test]
fn successors_in_any_order_in_merges_only() {
    let device = TwinDevice { unordered: Unordered::InMerges, ..TwinDevice::default() };
    conformance::merged_plies(&mut open(device, 2), &mut reference());
}

/// Checks counts and random placements on a variant of the host.
fn check_variant(queues: Queues, options: &GpuOptions) {
    let device = TwinDevice { queues, ..TwinDevice::default() };
    let mut gpu = Gpu::untuned(&device, options).unwrap_or_else(|error| panic!("{error}"));
    conformance::published_counts(&mut gpu, 50_000);
    conformance::random_placements(&mut gpu, &mut reference());
}

#[test]
fn every_reply_counted_and_positions_of_48_bytes() {
    let variants = Variants { boards48: true, ..Variants::default() };
    check_variant(Queues::default(), &GpuOptions { variants, ..options(8).with(ClosedForm, 0) });
}

#[test]
fn last_plies_depth_first_and_all_moves_queued() {
    let variants = Variants { depth_first: Some(3), ..Variants::default() };
    check_variant(Queues::All, &GpuOptions { variants, ..options(5) });
}
