//! Devices that fail, give wrong answers, or end while they work.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kogge_board::{Backend, BackendError, DeviceInfo, Quad48};
use kogge_driver::Observer;
use kogge_ledger::{Event, LedgerError, LedgerStore, Sqlite, Watcher};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::Wrapped;
use kogge_testkit::buggy::{buggy, no_black_queenside};

use super::support::Erred;
use super::{KIWIPETE_3, KIWIPETE_4, cpu, device, fresh, in_file, kiwipete, options, rows, small, total, work};

/// The fate of a device after some calls.
#[derive(Clone, Copy)]
enum Fate {
    Fails,
    Panics,
}

/// Returns a device that works for a number of calls only, and then suffers this fate.
fn mortal(mut calls_left: usize, fate: Fate, erred: Erred) -> impl Backend {
    Wrapped::new(Cpu::new(Some(1)).unwrap()).before(move |_: &[Quad48]| {
        if calls_left > 0 {
            calls_left -= 1;
            return Ok(());
        }
        erred.tell();
        match fate {
            Fate::Panics => panic!("as told"),
            Fate::Fails => {
                let (device, doing) = ("The device".to_owned(), "in a test".to_owned());
                Err(BackendError::Device { device, doing, reason: "it was told to.".to_owned() })
            }
        }
    })
}

/// Records events, and stops after this number of questions.
#[derive(Default)]
struct Witness {
    failed: Mutex<Vec<String>>,
    disputed: AtomicUsize,
    asked: AtomicUsize,
    stop_at: usize,
}

impl Watcher for Witness {
    fn event(&self, event: &Event<'_>) {
        match event {
            Event::Progress(snapshot) => assert!(snapshot.done <= snapshot.entries),
            Event::Waiting { .. } | Event::StillCounting { .. } => {}
            Event::DeviceFailed { reason, .. } => self.failed.lock().unwrap().push((*reason).to_owned()),
            Event::Disputed { answer, had, .. } => {
                assert_ne!(answer.count, **had);
                self.disputed.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

impl Observer for Witness {
    fn is_cancelled(&self) -> bool {
        self.stop_at > 0 && self.asked.fetch_add(1, Ordering::Relaxed) >= self.stop_at
    }
}

#[test]
fn a_device_that_fails_drops_out_and_the_others_redo_its_entries() {
    for (index, fate) in [Fate::Fails, Fate::Panics].into_iter().enumerate() {
        for calls in [0, 1, 3] {
            let ledger = in_file(&format!("fails-{index}-{calls}"));
            let witness = Witness::default();
            let erred = Erred::default();
            let mortal = mortal(calls, fate, erred.clone());
            // Otherwise the right device might do all the work first.
            let patient = Wrapped::new(Mailbox::new()).before(move |_: &[Quad48]| {
                erred.wait();
                Ok(())
            });
            let mut devices = [device(mortal), device(patient)];
            let (total, snapshot) = ledger.work(&mut devices, &options("test"), &witness).unwrap();
            assert_eq!(total.leaves, KIWIPETE_4);
            let failed = witness.failed.into_inner().unwrap();
            assert_eq!(failed.len(), 1, "{failed:?}");
            let reason =
                ["The device failed in a test: it was told to.", "It stopped because of a bug in kogge."][index];
            assert_eq!(failed[0], reason);
            assert_eq!(snapshot.devices[0].failed.as_deref(), Some(reason));
            assert_eq!(snapshot.devices[1].failed, None);
            assert_eq!(snapshot.devices.iter().map(|device| device.entries).sum::<u64>(), 2038);
        }
    }
}

#[test]
fn if_all_devices_fail_the_ledger_keeps_what_they_did() {
    let ledger = in_file("all-fail");
    let mut devices = [2, 3].map(|calls| device(mortal(calls, Fate::Fails, Erred::default())));
    let error = ledger.work(&mut devices, &options("test"), &()).unwrap_err();
    assert!(matches!(&error, LedgerError::NoDevice(_)), "{error}");
    assert!(error.to_string().contains("it was told to"), "{error}");
    let tally = ledger.tally().unwrap();
    assert!(tally.done > 0 && tally.done < tally.entries && tally.leased == 0, "{tally:?}");
    assert_eq!(work(&ledger), Ok(KIWIPETE_4));
}

#[test]
fn without_devices_only_a_finished_ledger_has_a_total() {
    let ledger = small("no-devices");
    let without = || ledger.work(&mut [], &options("nobody"), &());
    assert_eq!(without().map(drop), Err(LedgerError::NoDevices));
    work(&ledger).unwrap();
    assert_eq!(without().unwrap().0.leaves, KIWIPETE_3);
}

#[test]
fn stopped_anywhere_it_goes_on_from_there() {
    let ledger = in_file("stopped");
    let mut before = 0;
    let mut stops = 0;
    let total = loop {
        let witness = Witness { stop_at: 5 + stops, ..Witness::default() };
        match ledger.work(&mut [cpu(), device(Mailbox::new())], &options("test"), &witness) {
            Ok((total, _)) => break total.leaves,
            Err(LedgerError::Stopped { done, entries }) => {
                assert!(done >= before && done < entries);
                assert_eq!(ledger.tally().unwrap().leased, 0, "leases are given back");
                (before, stops) = (done, stops + 1);
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(total, KIWIPETE_4);
    assert!(stops > 2, "it was not stopped");
}

#[test]
fn a_device_that_lies_is_caught_by_another_and_outvoted_by_a_third() {
    let ledger = small("lies");
    let mut devices = [device(buggy(Cpu::new(Some(1)).unwrap(), no_black_queenside))];
    let (wrong, _) = ledger.work(&mut devices, &options("liar"), &()).unwrap();
    assert_ne!(wrong.leaves, KIWIPETE_3);
    let sample = ledger.sample(1.0, 0).unwrap();
    let verified = ledger.verify(&sample, &mut device(Mailbox::new()), &()).unwrap();
    assert_eq!(verified.checked, 48);
    assert!(!verified.contradictions.is_empty() && verified.contradictions.len() < 48);
    let disputes = ledger.disputes().unwrap();
    assert_eq!(disputes.len(), verified.contradictions.len());
    assert!(matches!(ledger.total(), Err(LedgerError::Disputed { .. })));
    // A second answer by the wrong device is not independent.
    let same = ledger.settle(&disputes, &mut devices[0], &()).unwrap();
    assert!(same.iter().all(|settled| settled.count.is_none()));
    let info = DeviceInfo { backend: "another", ..Mailbox::new().info().clone() };
    let mut third = device(Wrapped::new(Mailbox::new()).described(info));
    let settled = ledger.settle(&disputes, &mut third, &()).unwrap();
    assert!(settled.iter().all(|settled| settled.count.is_some()));
    assert_eq!(total(&ledger), Ok(Some(KIWIPETE_3)));
}

#[test]
fn two_workers_with_the_same_entries_count_them_once_or_dispute_them() {
    // One worker does not notice that its leases have ended, so both workers count everything.
    for (name, lies) in [("both-right", false), ("one-wrong", true)] {
        let ledger = small(name);
        let slow = rows(&ledger).unwrap();
        assert_eq!(work(&ledger), Ok(KIWIPETE_3));
        let mut checker = match lies {
            true => device(buggy(Mailbox::new(), no_black_queenside)),
            false => device(Mailbox::new()),
        };
        let found = ledger.verify(&slow, &mut checker, &()).unwrap();
        assert_eq!(found.contradictions.is_empty(), !lies);
        assert_eq!(ledger.sum().unwrap().leaves, KIWIPETE_3, "nothing is counted twice, nothing is averaged");
        assert_eq!(ledger.total().is_ok(), !lies);
    }
}

/// Stops when this many positions have been given to a device.
struct Until {
    given: Arc<AtomicUsize>,
    most: usize,
}

impl Observer for Until {
    fn is_cancelled(&self) -> bool {
        self.given.load(Ordering::Relaxed) >= self.most
    }
}

impl Watcher for Until {}

/// Seven workers of other processes have an entry each, so eight workers share the other entries.
#[test]
fn batches_leave_enough_for_other_processes() {
    let file = fresh("others");
    let ledger = kiwipete(Box::new(Sqlite::open_or_create(&file).expect("the file can be made")));
    let mut store = Sqlite::open(&file).expect("it was made");
    for other in 0..7 {
        store.lease(&format!("other/{other} 100s"), 1, Duration::from_secs(100)).unwrap();
    }
    let entries = ledger.header().entries as usize;
    let until = Until { given: Arc::default(), most: entries - 7 };
    let (given, largest) = (Arc::clone(&until.given), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&largest);
    let mut devices = [device(Wrapped::new(Cpu::new(Some(1)).unwrap()).before(move |batch: &[Quad48]| {
        given.fetch_add(batch.len(), Ordering::Relaxed);
        seen.fetch_max(batch.len(), Ordering::Relaxed);
        Ok(())
    }))];
    let stopped = ledger.work(&mut devices, &options("one"), &until);
    assert!(matches!(stopped, Err(LedgerError::Stopped { .. })), "{stopped:?}");
    let largest = largest.load(Ordering::Relaxed);
    assert!((entries / 64..=entries / 32).contains(&largest), "{largest} of {entries}");
}
