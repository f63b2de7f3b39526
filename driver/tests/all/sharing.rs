//! Counts of one tree on several devices at once.

use std::sync::Mutex;

use crate::support::wrong_merge::{Fault, WrongMerge};
use crate::support::{Erred, KIWIPETE, Watch, fen};
use kogge_board::{Backend, BackendError, Quad48};
use kogge_driver::{Error, MergeDevice, Observer, Part, Shared, perft_merged_shared, perft_shared};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::Wrapped;
use kogge_testkit::buggy::{buggy, no_black_queenside};

fn device(backend: impl Backend + 'static) -> MergeDevice {
    MergeDevice::with_memory(Box::new(backend), 1 << 26)
}

fn cpu() -> Cpu {
    Cpu::new(Some(1)).expect("there is a CPU")
}

/// Checks that the parts add up to the whole.
fn assert_adds_up(shared: &Shared) {
    assert_eq!(shared.parts.iter().map(|part| part.leaves).sum::<u128>(), shared.leaves);
}

#[test]
fn devices_share_the_ranges_of_a_ply() {
    let root = fen(KIWIPETE);
    let narrow = || MergeDevice::with_memory(Box::new(cpu()), 300 << 10);
    for mut devices in
        [vec![device(cpu())], vec![device(cpu()), device(Mailbox::new())], vec![narrow(), device(cpu()), device(cpu())]]
    {
        let watch = Watch::default();
        let shared = perft_merged_shared(&mut devices, &root, 4, (Some(3), Some(50)), &watch).unwrap();
        let ply = shared.merged.unwrap();
        assert_eq!((shared.leaves, ply.ply, ply.positions), (4_085_603, 3, 57_548));
        assert!((40..=50).contains(&ply.ranges));
        assert_eq!(shared.parts.iter().map(|part| part.pieces).sum::<u64>(), u64::from(ply.ranges));
        assert_adds_up(&shared);
        let last = watch.seen.lock().unwrap().iter().max_by_key(|progress| progress.done).copied().unwrap();
        let ranges = u64::from(ply.ranges);
        assert_eq!((last.done, last.total, last.counted), (ranges, ranges, 4_085_603));
    }
    // The plan of the first device decides.
    let shared = perft_merged_shared(&mut [device(cpu()), device(cpu())], &root, 5, (None, None), &()).unwrap();
    assert_eq!(shared.leaves, 193_690_690);
}

/// Above runs, devices share ranges of reversed keys, if all of them can.
#[test]
fn devices_that_count_in_runs_share_ranges_of_reversed_keys() {
    let root = fen(KIWIPETE);
    let in_runs = |fault, fitting| {
        let mut backend = WrongMerge::new(fault, 3);
        (backend.in_ranges, backend.counts_in_runs, backend.fitting) = (true, true, fitting);
        backend
    };
    let right = || device(in_runs(None, u64::MAX).open());
    let count = |devices: &mut [MergeDevice], ranges, observer: &dyn Observer| {
        let shared = perft_merged_shared(devices, &root, 5, (Some(3), ranges), observer)?;
        assert_eq!(shared.merged.unwrap().positions, 57_548);
        assert_adds_up(&shared);
        Ok(shared.leaves)
    };
    for ranges in [Some(1), Some(50), None] {
        assert_eq!(count(&mut [right(), right()], ranges, &()), Ok(193_690_690));
    }
    // This device errs in ranges of reversed keys only.
    let wrong = || in_runs(Some(Fault::LosesPosition), u64::MAX);
    let backend = wrong();
    let erred = backend.erred.clone();
    let error = count(&mut [right(), device(backend.open())], Some(50), &erred).unwrap_err();
    assert!(matches!(error, Error::Backend(BackendError::WrongAnswer { .. })), "{error}");
    // Beside a device without runs, or with little memory, it counts in the usual order.
    let narrow = MergeDevice::with_memory(Box::new(in_runs(None, u64::MAX).open()), 100 << 10);
    for other in [device(Mailbox::new()), narrow] {
        assert_eq!(count(&mut [device(wrong().open()), other], Some(50), &()), Ok(193_690_690));
    }
    // A device may have less memory than it says.
    assert_eq!(count(&mut [right(), device(in_runs(None, 2_000).open())], Some(50), &()), Ok(193_690_690));
}

#[test]
fn devices_share_a_frontier() {
    let root = fen(KIWIPETE);
    for depth in [0, 1, 4] {
        let shared = perft_shared(&mut [device(cpu()), device(Mailbox::new())], &root, depth, &()).unwrap();
        assert_eq!(shared.leaves, [1, 48, 2039, 97_862, 4_085_603][depth as usize]);
        assert_eq!(shared.merged, None);
        assert_adds_up(&shared);
    }
    let ended = fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let none = perft_shared(&mut [device(cpu()), device(cpu())], &ended, 3, &()).unwrap();
    assert_eq!((none.leaves, none.parts), (0, vec![Part::default(); 2]));
}

#[test]
fn one_wrong_device_spoils_the_count() {
    let root = fen(KIWIPETE);
    let mut devices = [device(cpu()), device(buggy(cpu(), no_black_queenside))];
    let liar = perft_merged_shared(&mut devices, &root, 4, (Some(3), Some(50)), &()).unwrap_err().to_string();
    assert!(liar.contains("paths to ply 3, but another device 97862"), "{liar}");
    for fault in Fault::ALL {
        let backend = WrongMerge::new(Some(fault), 3);
        let erred = backend.erred.clone();
        let mut devices = [device(cpu()), device(backend.open())];
        let wrong = perft_merged_shared(&mut devices, &root, 4, (Some(3), Some(50)), &erred).unwrap_err();
        assert!(matches!(wrong, Error::Backend(BackendError::WrongAnswer { .. })), "{wrong}");
    }
    let fails = || {
        let [device, doing, reason] = ["The device", "in a test", "it was told to."].map(str::to_owned);
        Err(BackendError::Device { device, doing, reason })
    };
    let panics = || panic!("as told");
    let told = [
        "The device failed in a test: it was told to.",
        "A device failed at work: it stopped because of a bug in kogge.",
    ];
    for (fate, message) in [fails, panics].into_iter().zip(told) {
        let erred = Erred::default();
        let observer = erred.clone();
        let wrong = Wrapped::new(cpu()).before(move |_: &[Quad48]| {
            erred.tell();
            fate()
        });
        let failed = perft_shared(&mut [device(cpu()), device(wrong)], &root, 4, &observer).unwrap_err().to_string();
        assert_eq!(failed, message);
    }
    assert!(perft_shared(&mut [], &root, 4, &()).is_err());
}

#[test]
fn shared_counts_can_be_stopped() {
    /// Stops from a number of questions on.
    struct Stop(Mutex<usize>);

    impl Observer for Stop {
        fn is_cancelled(&self) -> bool {
            let mut left = self.0.lock().unwrap();
            *left = left.saturating_sub(1);
            *left == 0
        }
    }

    let root = fen(KIWIPETE);
    for questions in [1, 10, 30, 60] {
        let stop = Stop(Mutex::new(questions));
        let mut devices = [device(cpu()), device(Mailbox::new())];
        let stopped = perft_merged_shared(&mut devices, &root, 5, (Some(4), Some(50)), &stop);
        assert!(matches!(stopped, Err(Error::Cancelled(_))), "{stopped:?}");
        let stopped = perft_shared(&mut devices, &root, 5, &Stop(Mutex::new(questions)));
        assert!(matches!(stopped, Err(Error::Cancelled(_))), "{stopped:?}");
    }
}
