//! Counts that the devices of one process share through a ledger in memory.

use std::sync::Mutex;

use kogge_board::{Backend, BackendError, Fen, Quad48, unwatched};
use kogge_driver::{Error, MergeDevice, Observer};
use kogge_ledger::{Kind, Ledger, LedgerError, LedgerRequest, Snapshot, Sqlite, Total, Watcher, WorkOptions};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::Wrapped;
use kogge_testkit::buggy::{buggy, no_black_queenside};

use super::support::wrong_merge::{Fault, WrongMerge};
use super::support::{Erred, KIWIPETE, fen};
use super::{counted, cpu, device, options, rows};

/// The result of the devices: the kind and the ply of the entries, the total and the parts.
type Shared = (Kind, u32, Total, Snapshot);

/// Counts a tree of Kiwipete, by ranges of ply 3 or by every path.
fn count(
    devices: &mut [MergeDevice],
    depth: u32,
    (kind, entries): (Kind, Option<u32>),
    watcher: &dyn Watcher,
) -> Result<Shared, LedgerError> {
    share(devices, &fen(KIWIPETE), depth, (kind, entries), watcher)
}

fn share(
    devices: &mut [MergeDevice],
    root: &Fen,
    depth: u32,
    entries: (Kind, Option<u32>),
    watcher: &dyn Watcher,
) -> Result<Shared, LedgerError> {
    let (ledger, total, snapshot) = share_ledger(devices, root, depth, entries, watcher)?;
    Ok((ledger.header().kind, ledger.header().ply, total, snapshot))
}

fn share_ledger(
    devices: &mut [MergeDevice],
    root: &Fen,
    depth: u32,
    (kind, entries): (Kind, Option<u32>),
    watcher: &dyn Watcher,
) -> Result<(Ledger, Total, Snapshot), LedgerError> {
    let (every_path, ply) = (kind == Kind::Positions, kind.is_ranges().then_some(3));
    let request = LedgerRequest { root, depth, kind: Some(kind), counted: None, ply, entries, every_path };
    let (ledger, made) = Ledger::start(Box::new(Sqlite::in_memory()?), &request, devices, &())?;
    assert!(made);
    let (total, snapshot) = ledger.work(devices, &WorkOptions { alone: true, ..options("test") }, watcher)?;
    assert_eq!(
        snapshot.devices.iter().map(|device| device.leaves).sum::<u128>(),
        total.leaves,
        "{:?}",
        snapshot.devices
    );
    assert_eq!(snapshot.devices.iter().map(|device| device.entries).sum::<u64>(), snapshot.entries);
    Ok((ledger, total, snapshot))
}

#[test]
fn devices_share_the_ranges_of_a_ply() {
    let narrow = || MergeDevice::with_memory(cpu().backend, 300 << 10);
    for mut devices in [vec![cpu()], vec![cpu(), device(Mailbox::new())], vec![narrow(), cpu(), cpu()]] {
        let (kind, ply, total, snapshot) = count(&mut devices, 4, (Kind::Ranges, Some(50)), &()).unwrap();
        assert_eq!((kind, ply, total.leaves, total.positions), (Kind::Ranges, 3, 4_085_603, 57_548));
        assert!((40..=50).contains(&snapshot.entries));
    }
}

/// Devices that count in runs share ranges of reversed keys.
#[test]
fn devices_that_count_in_runs_share_ranges_of_reversed_keys() {
    let in_runs = |fault, fitting| {
        let mut backend = WrongMerge::new(fault, 3);
        (backend.in_ranges, backend.counts_in_runs, backend.fitting) = (true, true, fitting);
        backend
    };
    let right = || device(in_runs(None, u64::MAX).open());
    let count = |devices: &mut [MergeDevice], entries| {
        let (kind, _, total, snapshot) = count(devices, 5, (Kind::ReversedRanges, entries), &())?;
        assert_eq!((total.leaves, total.positions), (193_690_690, 57_548));
        Ok::<_, LedgerError>((kind, snapshot))
    };
    for entries in [Some(1), Some(50)] {
        assert_eq!(count(&mut [right(), right()], entries).unwrap().0, Kind::ReversedRanges);
    }
    // A slow device would hold up the other with a large range, so the ranges of devices that differ are of equal size.
    for (other, are_alike) in [(right(), true), (device(Mailbox::new()), false)] {
        let entries = (Kind::ReversedRanges, None);
        let (ledger, ..) = share_ledger(&mut [right(), other], &fen(KIWIPETE), 5, entries, &()).unwrap();
        let sizes: Vec<_> = rows(&ledger).unwrap().iter().map(|row| counted(row).1.positions).collect();
        assert_eq!((ledger.header().kind, sizes.len()), (Kind::ReversedRanges, 8));
        let (least, largest) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
        assert_eq!(*largest > 5 * least, are_alike, "{sizes:?}");
    }
    // This device errs in ranges of reversed keys only.
    let backend = in_runs(Some(Fault::LosesPosition), u64::MAX);
    let mut devices = [patient(in_runs(None, u64::MAX).open(), &backend.erred), device(backend.open())];
    answers_wrongly(count(&mut devices, Some(50)), "merged ply 3 into positions with");
    // The device that divides the tree decides, and this one does not count in runs.
    assert_eq!(count(&mut [device(Mailbox::new()), right()], Some(50)).unwrap().0, Kind::Ranges);
    // A device may have less memory than it reports.
    count(&mut [right(), device(in_runs(None, 2_000).open())], Some(50)).unwrap();
}

#[test]
fn devices_share_a_frontier() {
    for depth in [0, 1, 4] {
        let shared = count(&mut [cpu(), device(Mailbox::new())], depth, (Kind::Positions, None), &()).unwrap();
        let (kind, ply, total, snapshot) = shared;
        assert_eq!((kind, total.leaves), (Kind::Positions, [1, 48, 2039, 97_862, 4_085_603][depth as usize]));
        // Each of the 2,039 paths is an entry, although two of them lead to one position.
        assert_eq!((ply, snapshot.entries), if depth == 4 { (2, 2_039) } else { (0, 1) });
    }
    let ended = fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(share(&mut [cpu(), cpu()], &ended, 3, (Kind::Positions, None), &()).unwrap().2.leaves, 0);
}

/// Returns a device that divides a tree without delay, but starts its part of the count only after another device has erred.
/// Otherwise this device might do all the work before the other one begins.
fn patient(backend: impl Backend + 'static, erred: &Erred) -> MergeDevice {
    let (erred, mut merges) = ([erred.clone(), erred.clone()], 0);
    let [merging, counting] = erred;
    let backend = Wrapped::new(backend).merge(move |backend, rules, options| {
        merges += 1;
        // The plan of a division and the division itself take one each.
        if merges > 2 {
            merging.wait();
        }
        backend.merge(rules, options)
    });
    device(backend.perft(move |backend, rules, positions, depth| {
        if depth > 1 {
            counting.wait();
        }
        backend.perft(rules, positions, depth, &mut unwatched)
    }))
}

/// Checks that the count ended because a device answered wrongly, with this reason.
fn answers_wrongly<T>(counted: Result<T, LedgerError>, reason: &str) {
    match counted {
        Err(LedgerError::Driver(Error::Backend(BackendError::WrongAnswer { reason: found, .. }))) => {
            assert!(found.contains(reason), "{found}");
        }
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("The count did not end with an error."),
    }
}

/// The earlier answers of a device that answers wrongly cannot be verified, so there is no count.
#[test]
fn one_wrong_device_spoils_the_count() {
    let right = |erred: &Erred| patient(Cpu::new(Some(1)).unwrap(), erred);
    let erred = Erred::default();
    let told = erred.clone();
    let liar = Wrapped::new(buggy(Cpu::new(Some(1)).unwrap(), no_black_queenside)).before(move |_: &[Quad48]| {
        told.tell();
        Ok(())
    });
    let counted = count(&mut [right(&erred), device(liar)], 4, (Kind::Ranges, Some(50)), &());
    answers_wrongly(counted, "paths to ply 3, but the ledger has 97862");
    for fault in Fault::ALL {
        let backend = WrongMerge::new(Some(fault), 3);
        let mut devices = [right(&backend.erred), device(backend.open())];
        answers_wrongly(count(&mut devices, 4, (Kind::Ranges, Some(50)), &()), "merged ply 3 into positions with");
    }
}

#[test]
fn a_device_that_fails_leaves_its_part_to_the_others() {
    let erred = Erred::default();
    let told = erred.clone();
    let fails = Wrapped::new(Cpu::new(Some(1)).unwrap()).before(move |_: &[Quad48]| {
        told.tell();
        let [device, doing, reason] = ["The device", "in a test", "it was told to."].map(str::to_owned);
        Err(BackendError::Device { device, doing, reason })
    });
    let mut devices = [patient(Cpu::new(Some(1)).unwrap(), &erred), device(fails)];
    let (_, _, total, snapshot) = count(&mut devices, 4, (Kind::Positions, None), &()).unwrap();
    let failed = snapshot.devices[1].failed.as_deref();
    assert_eq!((total.leaves, failed), (4_085_603, Some("The device failed in a test: it was told to.")));
}

#[test]
fn shared_counts_can_be_stopped() {
    /// Stops after a number of questions.
    struct Stop(Mutex<usize>);

    impl Watcher for Stop {}

    impl Observer for Stop {
        fn is_cancelled(&self) -> bool {
            let mut left = self.0.lock().unwrap();
            *left = left.saturating_sub(1);
            *left == 0
        }
    }

    for questions in [1, 10, 30, 60] {
        for kind in [Kind::Ranges, Kind::Positions] {
            let stopped =
                count(&mut [cpu(), device(Mailbox::new())], 5, (kind, Some(50)), &Stop(Mutex::new(questions)));
            assert!(matches!(stopped, Err(LedgerError::Stopped { .. })), "{stopped:?}");
        }
    }
}
