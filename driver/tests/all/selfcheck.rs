//! Checks of devices: devices that are right, that are wrong, and that fail.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::support::Watch;
use kogge_board::{Backend, BackendError, Piece, Quad48, Score, unwatched};
use kogge_driver::selfcheck::{Checked, DeviceToCheck, SelfcheckSettings, Verdict, check};
use kogge_driver::{Error, Observer};
use kogge_movegen_cpu::Cpu;
use kogge_testkit::Wrapped;
use kogge_testkit::buggy::{buggy, no_black_queenside};

fn cpu() -> Cpu {
    Cpu::new(Some(2)).expect("the CPU can be used")
}

/// References. One thread of the CPU backend answers as the mailbox does, in less time; the tests of the program use mailboxes.
fn references() -> Vec<Box<dyn Backend>> {
    let reference = || Box::new(Cpu::new(Some(1)).expect("the CPU can be used"));
    vec![reference(), reference()]
}

/// Checks these backends on a clock that advances by a second each time it is read.
fn checked(backends: &mut [&mut dyn Backend], seconds: f64, observer: &dyn Observer) -> Result<Vec<Checked>, Error> {
    let time = AtomicU64::new(0);
    let clock = || Duration::from_secs(time.fetch_add(1, Ordering::Relaxed));
    let mut subjects: Vec<_> =
        backends.iter_mut().map(|backend| DeviceToCheck { backend: &mut **backend, compared: true }).collect();
    let settings = SelfcheckSettings { seconds, known_seconds: 20.0 * seconds, seed: 3, clock: &clock };
    check(&mut subjects, references(), &settings, observer)
}

/// A backend that counts as the CPU does until it has counted a number of positions, and then calls a function.
fn after(positions: usize, then: impl Fn() -> Result<(), BackendError> + Send + 'static) -> impl Backend {
    let mut left = positions;
    Wrapped::new(cpu()).before(move |batch: &[Quad48]| {
        left = left.saturating_sub(batch.len());
        if left == 0 { then() } else { Ok(()) }
    })
}

#[test]
fn right_devices_are_compared_on_the_same_positions() {
    let mut portable = Cpu::with_variant(Some(1), "portable").expect("every CPU can run it");
    let found = checked(&mut [&mut cpu(), &mut portable], 2.0, &()).expect("an answer");
    let [fast, slow] = &found[..] else { panic!("{found:?}") };
    for checked in [fast, slow] {
        assert_eq!((checked.verdict.clone(), checked.self_tests), (Verdict::Right, 4));
        assert!(checked.known > 2 && checked.known_leaves > 20, "{checked:?}");
    }
    assert_eq!(fast.random, slow.random);
    assert!(fast.random.two_plies > 3000 && fast.random.three_plies > 50, "{fast:?}");
    assert!(fast.random.leaves > 1_000_000, "{fast:?}");
}

#[test]
fn more_time_means_more_work() {
    let one = |seconds| checked(&mut [&mut cpu()], seconds, &()).expect("an answer").remove(0);
    let (short, long) = (one(1.0), one(3.0));
    assert!(short.random.two_plies > 0 && short.known < long.known, "{short:?} {long:?}");
    assert!(short.known_leaves < long.known_leaves && short.random.leaves < long.random.leaves, "{short:?} {long:?}");
}

#[test]
fn wrong_devices_are_found_and_others_are_checked_to_the_end() {
    // The self-tests find this error.
    let mut early = buggy(cpu(), no_black_queenside);
    let found = checked(&mut [&mut early, &mut cpu()], 1.0, &()).expect("an answer");
    let Verdict::Wrong(reason) = &found[0].verdict else { panic!("{found:?}") };
    assert!(reason.contains("cannot be trusted") && found[0].random.two_plies == 0, "{found:?}");
    assert!(found[1].verdict == Verdict::Right && found[1].random.two_plies > 0, "{found:?}");
}

#[test]
fn errors_that_self_tests_do_not_reach_are_found_on_random_positions() {
    // It miscounts boards with more queens than any board of the self-tests and the published counts.
    let mut crowded = Wrapped::new(cpu()).perft(|cpu, rules, positions, depth| {
        let mut counts = cpu.perft(rules, positions, depth, &mut unwatched)?;
        for (position, count) in positions.iter().zip(&mut counts) {
            let queens = position.unpack_unchecked().kind(Piece::Queen).count_ones();
            *count += u128::from(queens > 10 && *count > 0);
        }
        Ok(counts)
    });
    let found = checked(&mut [&mut crowded], 3.0, &()).expect("an answer");
    let Verdict::Wrong(reason) = &found[0].verdict else { panic!("{found:?}") };
    assert!(found[0].self_tests == 4 && reason.contains("cpu ("), "{found:?}");
    assert!(reason.contains(" counts ") && reason.contains(" plies below "), "{reason}");
}

#[test]
fn a_failing_device_is_no_wrong_one() {
    let lost = || {
        let (device, doing) = ("A GPU".to_owned(), "counting".to_owned());
        Err(BackendError::Device { device, doing, reason: "it was unplugged.".to_owned() })
    };
    let found = checked(&mut [&mut after(10_000, lost)], 1.0, &()).expect("an answer");
    let failed = Verdict::Failed("A GPU failed counting: it was unplugged.".to_owned());
    assert_eq!(found[0].verdict, failed);
}

#[test]
fn wrong_values_are_found_on_random_positions() {
    // It evaluates trees of four plies below boards with few men as draws.
    let mut drawn = Wrapped::new(cpu()).minimax(|cpu, rules, positions, depth, leaves| {
        let mut scores = cpu.minimax(rules, positions, depth, leaves, &mut unwatched)?;
        let men = |position: &Quad48| position.unpack_unchecked().occupied().count_ones();
        let drawn = positions.iter().zip(&mut scores).filter(|(position, _)| men(position) < 6 && depth > 3);
        drawn.for_each(|(_, score)| *score = Score::default());
        Ok(scores)
    });
    let found = checked(&mut [&mut drawn], 3.0, &()).expect("an answer");
    let Verdict::Wrong(reason) = &found[0].verdict else { panic!("{found:?}") };
    assert!(found[0].self_tests == 4 && reason.contains(" says ") && reason.contains("4 plies below"), "{found:?}");
}

#[test]
fn without_a_time_it_goes_on_until_it_is_stopped_or_finds_a_difference() {
    let found = checked(&mut [&mut cpu()], 0.0, &Watch::stopping_at(200)).expect("an answer");
    assert!(found[0].verdict == Verdict::Right && found[0].random.two_plies > 0, "{found:?}");
    let mut wrong = buggy(cpu(), no_black_queenside);
    let found = checked(&mut [&mut cpu(), &mut wrong], 0.0, &()).expect("an answer");
    assert!(found[0].verdict == Verdict::Right && matches!(found[1].verdict, Verdict::Wrong(_)), "{found:?}");
}

#[test]
fn it_stops_on_request() {
    for question in [1, 3, 10] {
        let stopped = checked(&mut [&mut cpu()], 1.0, &Watch::stopping_at(question));
        assert!(matches!(stopped, Err(Error::Cancelled(_))), "{question}: {stopped:?}");
    }
}
