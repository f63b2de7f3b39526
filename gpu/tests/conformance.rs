//! The conformance suite for the host over the twin, with the smallest buffers.

use kogge_gpu::{Gpu, HostOptions, LastPlies, PositionForm, Unordered};
use kogge_movegen_cpu::Cpu;
use kogge_testkit::conformance;
use kogge_testkit::twin::{Queues, TwinDevice};

/// Opens a twin with work-groups of this size.
fn open(device: TwinDevice, group_size: usize) -> Gpu<TwinDevice> {
    let options = HostOptions {
        group_size: Some(group_size),
        closed_form_group_size: Some(2 * group_size),
        count_group_size: Some(3),
        ..HostOptions::default()
    };
    Gpu::untuned(&device, &options).unwrap_or_else(|error| panic!("{error}"))
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
fn check_variant(device: TwinDevice, group_size: usize) {
    let mut gpu = open(device, group_size);
    conformance::published_counts(&mut gpu, 50_000);
    conformance::random_placements(&mut gpu, &mut reference());
}

#[test]
fn every_reply_counted_and_positions_of_48_bytes() {
    let device = TwinDevice { last_plies: LastPlies::Counted, form: PositionForm::Boards48, ..TwinDevice::default() };
    check_variant(device, 8);
}

#[test]
fn last_plies_depth_first_and_all_moves_queued() {
    let device = TwinDevice { last_plies: LastPlies::DepthFirst(3), queues: Queues::All, ..TwinDevice::default() };
    check_variant(device, 5);
}
