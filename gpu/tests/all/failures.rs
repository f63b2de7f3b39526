//! Failures of the interface, at every call: the host gives the right answer or the right error, and its next answer is
//! right.

use kogge_board::merge::{Filter, MergeError, MergeOptions, WeightedPosition};
use kogge_board::{Backend, BackendError, Fen, Leaves, Quad48, Score, host, unwatched};
use kogge_gpu::Parameter::{GroupSize, Moves, Positions};
use kogge_gpu::{Failure, Gpu, GpuOptions, Runs, Unordered};
use kogge_movegen_cpu::Cpu;
use kogge_testkit::twin::TwinDevice;

use crate::{begin, entry, fen, next_ply, open};

fn root(fen: &Fen) -> Quad48 {
    Quad48::from(&fen.position)
}

/// Returns options with buffers for this number of positions, either the smallest possible or large enough to be
/// halved.
fn options(positions: usize) -> GpuOptions {
    // Leaves two plies below 20 merged positions are counted in runs.
    let runs = Some(Runs { from: 20, depth: 2, entries: 2_000 });
    GpuOptions { runs, ..GpuOptions::of([(GroupSize, 2), (Positions, positions), (Moves, positions)]) }
}

fn successors(root: &Fen, multiplicity: u128) -> Vec<WeightedPosition> {
    let positions = Cpu::new(None).unwrap().expand(&root.rules, &[Quad48::from(&root.position)]).unwrap().positions;
    positions.into_iter().map(|position| WeightedPosition { position, multiplicity }).collect()
}

fn backend_error(error: MergeError) -> BackendError {
    match error {
        MergeError::Backend(error) => error,
        // A list is full if there is no memory for it.
        MergeError::Full => BackendError::OutOfMemory { device: String::new(), doing: String::new() },
        error => panic!("{error}"),
    }
}

/// Requests an answer repeatedly and lets one call after another fail, until an answer comes without a failure. A new
/// backend has buffers that were never halved.
fn fail_everywhere<T: PartialEq + std::fmt::Debug>(
    is_fresh: bool,
    least_calls: u64,
    ask: impl Fn(&mut Gpu<TwinDevice>) -> Result<T, BackendError>,
    expected: &T,
) {
    for unordered in [Unordered::Never, Unordered::Always] {
        for (halvings, failure) in [
            (true, Failure::OutOfMemory),
            (false, Failure::OutOfMemory),
            (false, Failure::Other("The twin was told to fail.".to_owned())),
            (false, Failure::Lost("unplugged".to_owned())),
        ] {
            let mut after = 0;
            // The longest list of a merge has several shards.
            let device = TwinDevice { unordered, shard_entries: 100, ..TwinDevice::default() };
            let options = options(if halvings { 5000 } else { 1 });
            let mut gpu = open(&device, &options);
            // The first merge and the first minimax begin with a self-test, which this test skips.
            assert_eq!(ask(&mut gpu).as_ref(), Ok(expected));
            loop {
                if is_fresh {
                    gpu = open(&device, &options);
                }
                device.control.fail(after, failure.clone());
                let found = ask(&mut gpu);
                let is_done = device.control.recover();
                let context = format!("{failure:?} after {after} calls, {unordered:?}: {found:?}");
                match (&failure, &found) {
                    (_, Ok(found)) => assert_eq!(found, expected, "{context}"),
                    (Failure::OutOfMemory, Err(BackendError::OutOfMemory { .. })) => {}
                    (Failure::Other(_), Err(BackendError::Device { reason, .. })) => {
                        assert_eq!(reason, "The twin was told to fail.");
                    }
                    (Failure::Lost(_), Err(BackendError::Device { reason, .. })) => {
                        assert!(reason.contains("lost (unplugged)"), "{context}");
                    }
                    _ => panic!("{context}"),
                }
                if failure != Failure::OutOfMemory && !is_done {
                    assert!(found.is_err(), "{context}");
                }
                assert_eq!(ask(&mut gpu).as_ref(), Ok(expected), "after {context}");
                if is_done {
                    break;
                }
                after += 1;
            }
            assert!(after >= least_calls, "only {after} calls");
        }
    }
}

#[test]
fn counting() {
    let start = Fen::start();
    fail_everywhere(true, 20, |gpu| gpu.perft(&start.rules, &[root(&start)], 3, &mut unwatched), &vec![8902]);
    let kiwipete = fen("kiwipete");
    fail_everywhere(true, 8, |gpu| gpu.perft(&kiwipete.rules, &[root(&kiwipete); 3], 1, &mut unwatched), &vec![48; 3]);
}

#[test]
fn expanding() {
    let kiwipete = fen("kiwipete");
    let positions = vec![root(&kiwipete); 50];
    let expected = Cpu::new(None).unwrap().expand(&kiwipete.rules, &positions).unwrap();
    fail_everywhere(true, 10, |gpu| gpu.expand(&kiwipete.rules, &positions), &expected);
}

#[test]
fn minimax() {
    let kiwipete = fen("kiwipete");
    let positions =
        ["8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1"].map(|text| root(&fen(text)));
    let mut cpu = Cpu::new(None).unwrap();
    for (leaves, depth) in [(Leaves::Static, 2), (Leaves::Quiescent, 1)] {
        let expected: Vec<Score> =
            host::minimax(&mut cpu, &kiwipete.rules, &positions, depth, leaves, &mut unwatched).unwrap();
        let ask = |gpu: &mut Gpu<TwinDevice>| gpu.minimax(&kiwipete.rules, &positions, depth, leaves, &mut unwatched);
        fail_everywhere(false, 15, ask, &expected);
    }
}

#[test]
fn merging() {
    let start = Fen::start();
    let ask = |gpu: &mut Gpu<TwinDevice>| {
        let mut count = || {
            let mut merge = gpu.merge(&start.rules, &MergeOptions::with_memory(1 << 24))?;
            begin(&mut *merge, entry(&start, 3))?;
            next_ply(&mut *merge, 20)?;
            let mut entries = merge.entries(0..20)?;
            entries.sort_unstable();
            let in_runs = merge.perft(0..7, 2)? + merge.perft(7..20, 2)?;
            next_ply(&mut *merge, 400)?;
            assert_eq!(merge.successors(), 400);
            let leaves = [in_runs, merge.perft(0..400, 0)?, merge.perft(0..400, 1)?];
            Ok((entries, leaves))
        };
        count().map_err(backend_error)
    };
    let mut entries = successors(&start, 3);
    entries.sort_unstable();
    fail_everywhere(false, 30, ask, &(entries, [3 * 8902, 3 * 400, 3 * 8902]));
}

/// Runs share buffers with the list of their positions. After a failure in runs, the list can still be extended.
#[test]
fn a_list_can_be_extended_after_a_failure_in_runs() {
    let start = Fen::start();
    let entries = successors(&start, 1);
    for shard_entries in [u64::MAX, 7] {
        let device = TwinDevice { shard_entries, ..TwinDevice::default() };
        let mut gpu = open(&device, &options(1 << 14));
        drop(gpu.merge(&start.rules, &MergeOptions::with_memory(1 << 26)).unwrap());
        // Other programs leave enough memory for the order of the list, but little for runs.
        let mut merge = gpu.merge(&start.rules, &MergeOptions::with_memory(1 << 26)).unwrap();
        merge.reserve(20, Filter::All).unwrap();
        merge.add(&entries).unwrap();
        device.control.most_bytes();
        device.control.occupy(device.memory - device.control.most_bytes() - (8 << 10));
        assert_eq!(merge.perft(0..20, 2), Ok(8_902));
        device.control.occupy(0);
        merge.add(&entries).unwrap();
        assert_eq!((merge.successors(), merge.perft(0..20, 0)), (20, Ok(40)));
        drop(merge);
        let other = Failure::Other("The twin was told to fail.".to_owned());
        for (failure, expands) in [(Failure::OutOfMemory, false), (other.clone(), false), (other, true)] {
            let mut failed = 0;
            for after in 0.. {
                let mut merge = gpu.merge(&start.rules, &MergeOptions::with_memory(1 << 26)).unwrap();
                begin(&mut *merge, entry(&start, 1)).unwrap();
                assert_eq!(next_ply(&mut *merge, 20), Ok(20));
                device.control.fail(after, failure.clone());
                let counted = merge.perft(0..20, 2);
                if device.control.recover() {
                    break;
                }
                assert!(counted == Ok(8_902) || matches!(counted, Err(MergeError::Backend(_))), "{after}: {counted:?}");
                failed += 1;
                if expands {
                    assert_eq!(merge.expand(0..1), Ok(20));
                } else {
                    merge.add(&entries).unwrap();
                }
                assert_eq!((merge.successors(), merge.perft(0..20, 0)), (20, Ok(40)), "{after}");
            }
            assert!(failed > 20, "only {failed} calls");
        }
    }
}

/// Halving the buffers is enough when a device has less memory than it reports.
#[test]
fn what_ran_out_of_memory_is_done_again_with_less() {
    let start = Fen::start();
    let device = TwinDevice::default();
    let mut gpu = open(&device, &options(1 << 14));
    assert_eq!(gpu.perft(&start.rules, &[root(&start)], 3, &mut unwatched), Ok(vec![8902]));
    let before = device.control.most_bytes();
    device.control.fail(0, Failure::OutOfMemory);
    assert_eq!(gpu.perft(&start.rules, &[root(&start)], 4, &mut unwatched), Ok(vec![197_281]));
    device.control.most_bytes();
    assert_eq!(gpu.perft(&start.rules, &[root(&start)], 3, &mut unwatched), Ok(vec![8902]));
    assert!(device.control.most_bytes() < before);
}

/// The buffers take no more memory than the options allow, at any depth.
#[test]
fn memory_is_kept_to() {
    let kiwipete = fen("kiwipete");
    for memory in [1 << 19, 1 << 20, 1 << 22] {
        let device = TwinDevice::default();
        let options = GpuOptions { memory: Some(memory), ..options(1 << 20) };
        let mut gpu = open(&device, &options);
        for depth in 1..5 {
            let found = gpu.perft(&kiwipete.rules, &[root(&kiwipete)], depth, &mut unwatched);
            let most = device.control.most_bytes();
            assert!(most <= memory, "{most} of {memory} bytes at depth {depth}");
            match found {
                Ok(found) => assert_eq!(found, [[48, 2039, 97_862, 4_085_603][depth as usize - 1]]),
                Err(error) => assert!(matches!(error, BackendError::OutOfMemory { .. }), "{error}"),
            }
        }
    }
}

/// Merging stays within its memory, even if little remains for the levels.
#[test]
fn memory_of_merging_is_kept_to() {
    let kiwipete = fen("kiwipete");
    for (memory, max_buffer) in [(1_u64 << 19, None), (1 << 20, None), (1 << 22, None), (1 << 22, Some(1 << 17))] {
        let device = TwinDevice { max_buffer, ..TwinDevice::default() };
        let mut gpu = open(&device, &options(1 << 20));
        // The first merge begins with a self-test, which has its own memory.
        drop(gpu.merge(&kiwipete.rules, &MergeOptions::with_memory(memory)).unwrap());
        device.control.most_bytes();
        let mut merge = gpu.merge(&kiwipete.rules, &MergeOptions::with_memory(memory)).unwrap();
        device.control.most_bytes();
        let most = merge.sizes().capacity;
        let done = (|| {
            merge.reserve(most, Filter::All)?;
            merge.add(&[entry(&kiwipete, 1)])?;
            merge.descend(false)?;
            merge.reserve(merge.sizes().capacity, Filter::All)?;
            merge.expand(0..1)?;
            merge.perft(0..48, 2)
        })();
        let taken = device.control.most_bytes();
        assert!(taken <= memory, "{taken} of {memory} bytes");
        match done {
            Ok(found) => assert_eq!(found, 97_862),
            Err(error) => assert_eq!(error, MergeError::Full),
        }
    }
}

/// A merge asks for more memory if its memory has no room for the levels of a depth. The merge still counts at lower
/// depths.
#[test]
fn a_depth_whose_levels_do_not_fit_is_too_much_for_a_merge() {
    let stalemate = fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let mut gpu = open(&TwinDevice::default(), &options(1 << 14));
    let mut found = Vec::new();
    for memory in (17..26).map(|bits| 1 << bits) {
        let options = MergeOptions::with_memory(memory).counting_categories(true);
        let mut merge = gpu.merge(&stalemate.rules, &options).unwrap();
        if let Err(error) = begin(&mut *merge, entry(&stalemate, 1)) {
            assert_eq!(error, MergeError::Full, "{memory} bytes");
            continue;
        }
        let deep = merge.perft(0..1, 20);
        // Counting by kind takes one more level.
        assert_eq!(merge.categories(0..1, 19).map(|sums| sums.nodes), deep, "{memory} bytes");
        assert_eq!((merge.perft(0..1, 0), merge.perft(0..1, 1)), (Ok(1), Ok(0)), "{memory} bytes");
        found.push(deep);
    }
    assert!(found.contains(&Err(MergeError::Full)) && found.contains(&Ok(0)), "{found:?}");
}

/// If other programs use the device's memory and a list does not fit, the answer is that it is full, and the next list
/// is smaller.
#[test]
fn memory_of_other_programs_is_left_to_them() {
    let device = TwinDevice { memory: 1 << 24, ..TwinDevice::default() };
    let start = Fen::start();
    let mut gpu = open(&device, &options(1 << 10));
    drop(gpu.merge(&start.rules, &MergeOptions::with_memory(device.memory)).unwrap());
    let mut merge = gpu.merge(&start.rules, &MergeOptions::with_memory(device.memory)).unwrap();
    let all = merge.sizes().capacity;
    device.control.occupy(device.memory / 2);
    assert_eq!(merge.reserve(all, Filter::All), Err(MergeError::Full));
    let mut most = merge.sizes().capacity;
    assert!(most <= all - all.div_ceil(8));
    while merge.reserve(most, Filter::All) == Err(MergeError::Full) {
        let fewer = merge.sizes().capacity;
        assert!(fewer < most, "{fewer} after {most}");
        most = fewer;
    }
    assert!(most > all / 4, "{most} of {all} entries fit");
    merge.add(&[entry(&start, 1)]).unwrap();
    assert_eq!(merge.perft(0..1, 3), Ok(8_902));
}

/// The levels of an earlier count are freed when a merge needs their memory.
#[test]
fn a_merge_may_follow_a_deep_count() {
    let stalemate = fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let device = TwinDevice { memory: 1 << 23, ..TwinDevice::default() };
    let options = GpuOptions { memory: Some(device.memory / 4 * 3), ..options(20_000) };
    let mut gpu = open(&device, &options);
    drop(gpu.merge(&stalemate.rules, &MergeOptions::with_memory(device.memory)).unwrap());
    assert_eq!(gpu.perft(&stalemate.rules, &[root(&stalemate)], 12, &mut unwatched), Ok(vec![0]));
    let counting = device.control.most_bytes();
    assert!(counting > device.memory / 2, "the count took only {counting} bytes");
    let mut merge = gpu.merge(&stalemate.rules, &MergeOptions::with_memory(device.memory)).unwrap();
    let most = merge.sizes().capacity;
    assert_eq!(merge.reserve(most, Filter::All), Ok(()));
    assert_eq!(merge.add(&[entry(&stalemate, 1)]), Ok(()));
}
