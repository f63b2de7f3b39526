//! Failures at every call of a device, and settings that only tests change.

use kogge_board::merge::{Filter, MergeError, MergeOptions, WeightedPosition};
use kogge_board::{Backend, BackendError, Fen, Leaves, Quad48, Rules, unwatched};
use kogge_gpu::Parameter::{GroupSize, Moves, Positions};
use kogge_gpu::{Failure, Gpu, GpuOptions, GpuSettings};

use super::{Faulty, TestDevice, cpu, first_device};
use crate::conformance::merged_plies;

fn failures() -> [Failure; 3] {
    [Failure::OutOfMemory, Failure::Other("It was told to.".into()), Failure::Lost("unplugged".into())]
}

/// Returns options with the smallest buffers, which cannot be halved further.
fn smallest() -> GpuOptions {
    GpuOptions::of([(GroupSize, 8), (Positions, 1), (Moves, 1)])
}

fn faulty<D: TestDevice>(change: fn(&mut GpuSettings)) -> Option<Faulty<D>> {
    first_device().map(|device| Faulty::new(device, change))
}

fn open<D: TestDevice>(device: &Faulty<D>, options: &GpuOptions) -> Gpu<Faulty<D>> {
    Gpu::untested(device, options).unwrap_or_else(|error| panic!("{error}"))
}

fn start() -> Quad48 {
    Quad48::from(&Fen::start().position)
}

fn leaves(backend: &mut dyn Backend, depth: u32) -> Result<Vec<u128>, BackendError> {
    backend.perft(&Rules::STANDARD, &[start()], depth, &mut unwatched)
}

/// Checks that an error reports this failure.
fn check_error(failure: &Failure, after: u64, error: &BackendError) {
    let fits = match (failure, error) {
        (Failure::OutOfMemory, BackendError::OutOfMemory { .. }) => true,
        (Failure::Other(told), BackendError::Device { reason, .. }) => reason == told,
        (Failure::Lost(_), BackendError::Device { reason, .. }) => reason.contains("lost (unplugged)"),
        _ => false,
    };
    assert!(fits, "{failure:?} after {after} calls: {error:?}");
}

/// Counts with too little memory at the first call: smaller buffers are made.
pub fn less_memory<D: TestDevice>() {
    let Some(device) = faulty::<D>(|_| {}) else { return };
    let mut backend = open(&device, &GpuOptions { memory: Some(256 << 20), ..GpuOptions::default() });
    assert_eq!(leaves(&mut backend, 4), Ok(vec![197_281]));
    // A real device chooses when to free its buffers, so this is the sum of all buffers made.
    let before = device.control.most_bytes();
    device.control.fail(0, Failure::OutOfMemory);
    assert_eq!(leaves(&mut backend, 4), Ok(vec![197_281]));
    let after = device.control.most_bytes() - before;
    assert!(0 < after && after < before, "{before} bytes, then {after}");
}

/// Counts with a failure at each call in turn: every answer is correct or an error, and the next answer is correct.
pub fn interrupted_totals<D: TestDevice>() {
    let Some(device) = faulty::<D>(|_| {}) else { return };
    for failure in failures() {
        for after in 0.. {
            // A new session makes new buffers.
            let mut backend = open(&device, &smallest());
            device.control.fail(after, failure.clone());
            let found = leaves(&mut backend, 4);
            if device.control.recover() {
                assert_eq!(found, Ok(vec![197_281]));
                assert!(after > 15, "only {after} calls");
                break;
            }
            check_error(&failure, after, &found.unwrap_err());
            assert_eq!(leaves(&mut backend, 3), Ok(vec![8902]), "{failure:?} after {after} calls");
        }
    }
}

/// Counts two plies below the merged successors of the start position.
fn merged_leaves(backend: &mut dyn Backend) -> Result<u128, MergeError> {
    let options = MergeOptions::with_memory(256 << 20);
    let mut merge = backend.merge(&Rules::STANDARD, &options)?;
    merge.reserve(1, Filter::All)?;
    merge.add(&[WeightedPosition { position: start(), multiplicity: 1 }])?;
    merge.descend(false)?;
    merge.reserve(20, Filter::All)?;
    merge.expand(0..1)?;
    merge.perft(0..20, 2)
}

/// Merges with a failure at each call in turn: every answer is correct or an error, and the next answer is correct.
pub fn interrupted_merges<D: TestDevice>() {
    let Some(device) = faulty::<D>(|_| {}) else { return };
    let mut backend = open(&device, &smallest());
    // The self-test of merging comes first.
    assert_eq!(merged_leaves(&mut backend), Ok(8902));
    for failure in failures() {
        for after in 0.. {
            device.control.fail(after, failure.clone());
            let found = merged_leaves(&mut backend);
            if device.control.recover() {
                assert_eq!(found, Ok(8902));
                assert!(after > 20, "only {after} calls");
                break;
            }
            match found {
                // A merge that finds no room for the buffers of later counts continues without them.
                Err(MergeError::Full) | Ok(8902) if failure == Failure::OutOfMemory => {}
                Err(MergeError::Backend(error)) => check_error(&failure, after, &error),
                found => panic!("{failure:?} after {after} calls: {found:?}"),
            }
            assert_eq!(leaves(&mut backend, 3), Ok(vec![8902]), "{failure:?} after {after} calls");
        }
    }
}

/// Counts with totals that can hold little more than the leaves below one position, so the host reads them often.
pub fn large_totals<D: TestDevice>() {
    let Some(device) = faulty::<D>(|settings| settings.most_total = 1 << 20) else { return };
    let mut backend = open(&device, &GpuOptions::default());
    assert_eq!(leaves(&mut backend, 5), Ok(vec![4_865_609]));
}

/// Merges with shards of at most 200 entries, so that candidates are sorted by more shards than a work-group has work-items.
pub fn small_shards<D: TestDevice>() {
    let Some(device) = faulty::<D>(|settings| settings.shard_entries = 200) else { return };
    let mut backend = open(&device, &smallest());
    merged_plies(&mut backend, &mut cpu());
    // All candidates belong to one shard, so its work-items take many turns.
    let mut merge = backend.merge(&Rules::STANDARD, &MergeOptions::with_memory(1 << 28)).unwrap();
    let entry = WeightedPosition { position: start(), multiplicity: 1 };
    merge.reserve(1000, Filter::All).unwrap();
    merge.add(&[entry; 3000]).unwrap();
    assert_eq!(
        (merge.successors(), merge.entries(0..1)),
        (1, Ok(vec![WeightedPosition { multiplicity: 3000, ..entry }]))
    );
}

/// Searches with room for only a few moves, so that the search is repeated with more room.
pub fn quiescence_without_room<D: TestDevice>() {
    let Some(device) = faulty::<D>(|settings| settings.quiescence_capacity = 3) else { return };
    let mut backend = open(&device, &GpuOptions::default());
    for fen in [
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ] {
        let fen: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
        let root = [Quad48::from(&fen.position)];
        let expected = cpu().minimax(&fen.rules, &root, 1, Leaves::Quiescent, &mut unwatched);
        for _ in 0..2 {
            assert_eq!(backend.minimax(&fen.rules, &root, 1, Leaves::Quiescent, &mut unwatched), expected, "{fen}");
        }
    }
}
