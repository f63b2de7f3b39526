//! The standard measurement on real and on broken backends.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::Watch;
use kogge_board::{Backend, BackendError, Format, Quad48, known, unwatched};
use kogge_driver::bench::{BenchSettings, BenchTask, Measured, Subject, Times, measure, monotonic, packing};
use kogge_driver::{Error, Observer, Progress};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::Wrapped;
use kogge_testkit::buggy::{buggy, no_black_queenside};

const FREE: BenchSettings<'_> = BenchSettings { seconds: 0.2, repetitions: 3, depth: &|_| None, clock: &monotonic };

fn run(backends: &mut [Box<dyn Backend>], settings: &BenchSettings<'_>) -> Measured {
    let mut subjects: Vec<_> =
        backends.iter_mut().map(|backend| Subject { backend: &mut **backend, memory: 64 << 20 }).collect();
    measure(&mut subjects, &known::standard(), settings, &()).unwrap()
}

#[test]
fn every_position_is_counted_in_both_ways_by_all() {
    let mut backends: Vec<Box<dyn Backend>> = vec![Box::new(Cpu::new(Some(1)).unwrap()), Box::new(Mailbox::new())];
    let Measured { rows, failed } = run(&mut backends, &FREE);
    assert_eq!((rows.len(), failed), (24, vec![]));
    let positions = known::standard();
    for (index, row) in rows.iter().enumerate() {
        // Subjects are measured in turn.
        let task = BenchTask { subject: index % 2, position: index / 4, deduplicated: index % 4 > 1 };
        assert_eq!(row.task, task);
        assert_eq!(Some(row.leaves), positions[index / 4].leaves(row.depth));
        assert!(row.climb.len() >= row.depth as usize, "{row:?}");
        assert!((3..=30).contains(&row.times.all.len()) && row.times.typical() > 0.0, "{row:?}");
    }
}

#[test]
fn a_faster_backend_is_measured_on_deeper_trees() {
    // On this clock, time passes only during counts by one call.
    let microseconds = AtomicU64::new(0);
    let passed = &microseconds;
    let timed = |call, leaf| {
        Wrapped::new(Cpu::new(Some(1)).unwrap()).perft(move |cpu, rules, positions, depth| {
            let counts = cpu.perft(rules, positions, depth, &mut unwatched)?;
            passed.fetch_add(call + leaf * counts.iter().sum::<u128>() as u64, Ordering::Relaxed);
            Ok(counts)
        })
    };
    let (mut fast, mut slow) = (timed(10, 1), timed(60_000, 1));
    let mut subjects = [&mut fast as &mut dyn Backend, &mut slow].map(|backend| Subject { backend, memory: 64 << 20 });
    let clock = || Duration::from_micros(microseconds.load(Ordering::Relaxed));
    let settings = BenchSettings { seconds: 6.0, repetitions: 1, clock: &clock, ..FREE };
    // A count may take up to 48 ms. The position has 6, 264, 9467 and 422333 leaves.
    let rows = measure(&mut subjects, &known::standard()[3..4], &settings, &()).unwrap().rows;
    assert_eq!((rows[0].depth, rows[0].times.all.as_slice()), (3, &[0.009_477][..]), "{rows:?}");
    assert_eq!((rows[1].depth, rows[1].times.all.as_slice()), (1, &[0.060_006][..]), "{rows:?}");
}

#[test]
fn depths_that_are_given_are_kept() {
    let mut backends: Vec<Box<dyn Backend>> = vec![Box::new(Cpu::new(Some(1)).unwrap())];
    let depth = |task: BenchTask| Some(if task.deduplicated { 4 } else { 2 });
    let Measured { rows, .. } =
        run(&mut backends, &BenchSettings { seconds: 1e-6, repetitions: 1, depth: &depth, ..FREE });
    assert_eq!(rows.len(), 12);
    assert!(rows.iter().all(|row| Some(row.depth) == depth(row.task)), "{rows:?}");
}

#[test]
fn without_time_the_shallowest_trees_are_counted() {
    let mut backends: Vec<Box<dyn Backend>> = vec![Box::new(Mailbox::new())];
    let Measured { rows, .. } = run(&mut backends, &BenchSettings { seconds: 0.0, repetitions: 1, ..FREE });
    assert!(rows.len() == 12 && rows.iter().all(|row| row.depth == 1), "{rows:?}");
}

#[test]
fn who_miscounts_is_named_and_has_no_rows() {
    let buggy = buggy(Cpu::new(Some(1)).unwrap(), no_black_queenside);
    let mut backends: Vec<Box<dyn Backend>> = vec![Box::new(buggy), Box::new(Mailbox::new())];
    let depth = |_| Some(3);
    let Measured { rows, failed } = run(&mut backends, &BenchSettings { depth: &depth, ..FREE });
    assert_eq!(rows.len(), 12);
    assert!(rows.iter().all(|row| row.task.subject == 1));
    let [(0, error)] = &failed[..] else { panic!("{failed:?}") };
    let error = error.to_string();
    assert!(error.contains("cannot be trusted") && error.contains("leaves 2 plies below r3k2r"), "{error}");
}

#[test]
fn who_fails_while_it_is_timed_has_no_rows() {
    /// Watches for the end of the climb, a fifth of the whole.
    #[derive(Default)]
    struct Timing(AtomicBool);
    impl Observer for Timing {
        fn progress(&self, progress: &Progress) {
            self.0.fetch_or(progress.fraction >= 0.2, Ordering::Relaxed);
        }
    }
    let (timing, calls) = (Timing::default(), AtomicUsize::new(0));
    let error = || BackendError::Device {
        device: "A device".to_owned(),
        doing: "counting".to_owned(),
        reason: "it is tired.".to_owned(),
    };
    let fail = |_: &[Quad48]| {
        let fails = timing.0.load(Ordering::Relaxed) && calls.fetch_add(1, Ordering::Relaxed) == 20;
        if fails { Err(error()) } else { Ok(()) }
    };
    let (mut failing, mut cpu, mut mailbox) =
        (Wrapped::new(Mailbox::new()).before(fail), Cpu::new(Some(1)).unwrap(), Mailbox::new());
    let mut subjects =
        [&mut cpu as &mut dyn Backend, &mut failing, &mut mailbox].map(|backend| Subject { backend, memory: 64 << 20 });
    let settings = BenchSettings { depth: &|_| Some(2), ..FREE };
    let Measured { rows, failed } = measure(&mut subjects, &known::standard(), &settings, &timing).unwrap();
    assert_eq!(failed, [(1, Error::Backend(error()))]);
    assert_eq!(calls.load(Ordering::Relaxed), 21, "it is asked no more");
    assert_eq!(rows.len(), 24);
    for (index, row) in rows.iter().enumerate() {
        assert!(row.task.subject == 2 * (index % 2) && (3..=30).contains(&row.times.all.len()), "{row:?}");
    }
}

#[test]
fn a_measurement_can_be_stopped() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let mut subjects = [Subject { backend: &mut cpu, memory: 64 << 20 }];
    // Some requests to stop come before a count, and others during a count by merged plies, which has a progress of its
    // own.
    for question in 1..=100 {
        let settings = BenchSettings { depth: &|_| Some(2), ..FREE };
        let stopped = measure(&mut subjects, &known::standard(), &settings, &Watch::stopping_at(question));
        let Err(Error::Cancelled(progress)) = stopped else { panic!("{stopped:?}") };
        assert_eq!(progress.total, 12, "{progress:?} at question {question}");
    }
}

#[test]
fn who_is_stopped_counts_no_more() {
    struct Stop(AtomicUsize);
    impl Observer for Stop {
        fn is_cancelled(&self) -> bool {
            self.0.load(Ordering::Relaxed) > 0
        }
    }
    let stop = Stop(AtomicUsize::new(0));
    let mut backend = Wrapped::new(Mailbox::new()).before(|_: &[Quad48]| {
        stop.0.fetch_add(1, Ordering::Relaxed);
        Ok::<(), BackendError>(())
    });
    let mut subjects = [Subject { backend: &mut backend, memory: 64 << 20 }];
    let stopped = measure(&mut subjects, &known::standard(), &FREE, &stop);
    assert!(matches!(stopped, Err(Error::Cancelled(_))), "{stopped:?}");
    assert_eq!(stop.0.load(Ordering::Relaxed), 1);
}

#[test]
fn the_three_least_times_count() {
    for (times, typical, spread) in [
        (&[][..], 0.0, 0.0),
        (&[2.0], 2.0, 0.0),
        (&[3.0, 1.0, 2.0], 2.0, 1.0),
        (&[4.0, 1.0], 2.5, 1.2),
        (&[9.0, 4.0, 7.0, 3.0, 5.0, 8.0], 4.0, 0.5),
    ] {
        let times = Times { all: times.to_vec() };
        assert_eq!((times.typical(), times.spread()), (typical, spread), "{times:?}");
    }
}

#[test]
fn rows_whose_times_differ_are_timed_again() {
    // Each count takes a little less time than the previous one.
    let (microseconds, counts) = (AtomicU64::new(0), AtomicU64::new(0));
    let busy = |_: &[Quad48]| {
        let count = counts.fetch_add(1, Ordering::Relaxed) + 1;
        microseconds.fetch_add(10_000 + 100_000 / count, Ordering::Relaxed);
        Ok::<(), BackendError>(())
    };
    let mut backend = Wrapped::new(Mailbox::new()).before(busy);
    let clock = || Duration::from_micros(microseconds.load(Ordering::Relaxed));
    let [patient, hasty] = [1e3, 0.2].map(|seconds| {
        counts.store(0, Ordering::Relaxed);
        let settings = BenchSettings { seconds, clock: &clock, depth: &|_| Some(1), ..FREE };
        let mut subjects = [Subject { backend: &mut backend, memory: 64 << 20 }];
        let rows = measure(&mut subjects, &known::standard()[..1], &settings, &()).unwrap().rows;
        let [raw, merged] = &rows[..] else { panic!("{rows:?}") };
        assert!(merged.times.all.len() >= 3, "{rows:?}");
        raw.times.clone()
    });
    assert!((4..12).contains(&patient.all.len()) && patient.spread() <= 0.05, "{patient:?}");
    assert!((3..patient.all.len()).contains(&hasty.all.len()), "{hasty:?} and {patient:?}");
}

#[test]
fn every_format_costs_something() {
    let costs = packing::measure(2);
    assert_eq!(costs.iter().map(|cost| cost.format).collect::<Vec<_>>(), Format::ALL);
    for cost in costs {
        for times in [&cost.pack, &cost.unpack] {
            assert!(times.all.len() == 2 && (0.1..1e9).contains(&times.typical()), "{cost:?}");
        }
    }
}
