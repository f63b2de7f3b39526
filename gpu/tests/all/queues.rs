//! Overflowing queues, limited totals, and the choice of kernels.

use kogge_board::merge::MergeOptions;
use kogge_board::{Backend, Fen, Quad48, unwatched};
use kogge_gpu::Parameter::{ClosedForm, GroupSize};
use kogge_gpu::kernels::Kernel;
use kogge_gpu::{Gpu, GpuOptions, Unordered, Variants};
use kogge_testkit::twin::{Queues, TwinDevice};

use crate::{begin, entry, fen, next_ply};

fn open(device: &TwinDevice) -> Gpu<TwinDevice> {
    open_with(device, None, GpuOptions::default())
}

fn open_with(device: &TwinDevice, depth_first: Option<u32>, options: GpuOptions) -> Gpu<TwinDevice> {
    let variants = Variants { depth_first, ..Variants::default() };
    crate::open(device, &GpuOptions { profile: true, variants, ..options.with(GroupSize, 2) })
}

/// Returns the number of launches of two kernels since the last call.
fn launches(gpu: &mut Gpu<TwinDevice>, names: [&str; 2]) -> [u64; 2] {
    let profile = gpu.profile();
    names.map(|name| profile.iter().filter(|time| time.name == name).map(|time| time.launches).sum())
}

/// An overflow disables the closed form for the rest of the call only.
#[test]
fn an_overflow_is_counted_another_way_in_this_call_only() {
    let kiwipete = fen("kiwipete");
    let positions = vec![Quad48::from(&kiwipete.position); 100];
    for unordered in [Unordered::Never, Unordered::Always] {
        let device = TwinDevice { queues: Queues::All, unordered, ..TwinDevice::default() };
        let mut gpu = open(&device);
        for _ in 0..2 {
            assert_eq!(gpu.perft(&kiwipete.rules, &positions[..1], 2, &mut unwatched), Ok(vec![2039]));
            let [closed_form, write_moves] = launches(&mut gpu, ["closed_form", "write_moves"]);
            assert!(closed_form > 0 && write_moves == 0, "few moves fit: {closed_form}, {write_moves}");

            assert_eq!(gpu.perft(&kiwipete.rules, &positions, 2, &mut unwatched), Ok(vec![2039; 100]));
            let [closed_form, write_moves] = launches(&mut gpu, ["closed_form", "write_moves"]);
            assert!(closed_form > 0 && write_moves > 0, "many do not: {closed_form}, {write_moves}");
        }
        // In a batch that overflows, the last kernel is the one after the closed form.
        assert_eq!(gpu.perft(&kiwipete.rules, &positions[..2], 3, &mut unwatched), Ok(vec![97_862; 2]));
    }
}

/// A merged count treats an overflow in the same way.
#[test]
fn an_overflow_in_a_merged_count_ends_with_it() {
    let kiwipete = fen("kiwipete");
    let device = TwinDevice { queues: Queues::All, ..TwinDevice::default() };
    let mut gpu = open(&device);
    let mut merge = gpu.merge(&kiwipete.rules, &MergeOptions::with_memory(1 << 26)).unwrap();
    begin(&mut *merge, entry(&kiwipete, 1)).unwrap();
    for capacity in [48, 2039] {
        next_ply(&mut *merge, capacity).unwrap();
    }
    let len = merge.successors();
    for _ in 0..2 {
        device.control.launches();
        assert_eq!(merge.perft(0..len, 2), Ok(4_085_603));
        let launches = device.control.launches();
        assert!(launches.contains(&Kernel::ClosedForm) && launches.contains(&Kernel::WriteMoves));
    }
    device.control.launches();
    assert!(merge.perft(0..1, 2).is_ok());
    assert!(!device.control.launches().contains(&Kernel::WriteMoves));
}

/// The twin panics if a total exceeds the limit.
#[test]
fn totals_are_taken_before_they_overflow() {
    let kiwipete = fen("kiwipete");
    let positions = [Quad48::from(&kiwipete.position)];
    for (closed_form, depth_first, unordered) in
        [(1, None, Unordered::Always), (0, None, Unordered::Never), (1, Some(2), Unordered::Never)]
    {
        let device = TwinDevice { unordered, most_total: 1 << 19, ..TwinDevice::default() };
        let mut gpu = open_with(&device, depth_first, GpuOptions::of([(ClosedForm, closed_form)]));
        let found = gpu.perft(&kiwipete.rules, &positions, 4, &mut unwatched);
        assert_eq!(found, Ok(vec![4_085_603]), "{closed_form}, {depth_first:?}");
    }
}

/// The depth-first kernel counts correctly for each number of last plies, at the depths around this number.
#[test]
fn a_device_may_walk_its_last_plies_by_itself() {
    let start = Fen::start();
    for plies in 2..=6 {
        let mut gpu = open_with(&TwinDevice::default(), Some(plies), GpuOptions::default());
        for (depth, leaves) in (0..).zip([1, 20, 400, 8902, 197_281]) {
            let found = gpu.perft(&start.rules, &[Quad48::from(&start.position)], depth, &mut unwatched);
            assert_eq!(found, Ok(vec![leaves]));
        }
    }
}
