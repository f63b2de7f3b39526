//! Counts by merged plies: with any plan, memory and hashes, the totals equal the totals of counting every leaf.

use crate::support::wrong_merge::{Fault, WrongMerge};
use crate::support::{KIWIPETE, MATE, Watch, assert_not_trusted, fen, merged};
use kogge_board::{Backend, BackendError, Fen, known, unwatched};
use kogge_driver::{Distinct, Driver, Error, Frontier, MergeCosts, MergeSettings, MergedCount, Quantity};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::Wrapped;

const AMPLE: MergeSettings = MergeSettings::with_memory(1 << 28);
const KINGS: &str = "8/8/8/4k3/8/8/8/4K3 w - - 0 1";
const PAWN: &str = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1";

/// Counts every fourth position of two suites, to the deepest count of at most `most` leaves, each with different
/// settings.
fn suites(backend: &mut dyn Backend, most: u128) {
    let mut counted = 0;
    for (number, known) in known::random().into_iter().chain(known::chess960()).step_by(4).enumerate() {
        let Some((depth, leaves)) = known.counts().filter(|&(_, leaves)| leaves <= most).last() else { continue };
        // If all hashes collide, tables become lists.
        let hash_bits = if leaves < 30_000 { [0, 1, 2, 3, 4, 32][number % 6] } else { 32 };
        let ranges = [None, Some(1), Some(2), Some(7)][number % 4];
        let plies = [None, Some(depth), Some(depth - 1), Some(1)][number / 4 % 4];
        let settings = MergeSettings { hash_bits, ranges, plies, ..AMPLE };
        assert_eq!(merged(backend, &known.root, depth, &settings).leaves, leaves, "{}, {settings:?}", known.root);
        counted += 1;
    }
    assert!(counted > 250, "{counted} positions");
}

#[test]
fn suites_on_the_cpu() {
    suites(&mut Cpu::new(Some(2)).unwrap(), 200_000);
}

#[test]
fn suites_by_the_plain_way() {
    suites(&mut Mailbox::new(), 10_000);
}

#[test]
fn what_is_asked_for_is_done_and_told() {
    let mut cpu = Cpu::new(None).unwrap();
    for (plies, ranges) in [(0, 1), (1, 1), (2, 2), (3, 7), (4, 3)] {
        let settings = MergeSettings { plies: Some(plies), ranges: Some(ranges), ..AMPLE };
        let MergedCount { leaves, plan, .. } = merged(&mut cpu, &Fen::start(), 5, &settings);
        assert_eq!(leaves, 4_865_609);
        let told: Vec<_> = plan.plies.iter().map(|ply| (ply.ply, ply.positions, ply.measured)).collect();
        let sizes = [(0, 1, true), (1, 20, true), (2, 400, true), (3, 5362, true), (4, 72_078, true)];
        assert_eq!(told, sizes[..=plies as usize]);
        assert_eq!((plan.ranges(), plan.below), (ranges, 5 - plies));
        assert!(plan.plies[..plies as usize].iter().all(|ply| ply.ranges == 1));
    }
    // A call never starts more than seven plies above the leaves.
    let settings = MergeSettings { plies: Some(0), ..AMPLE };
    let MergedCount { leaves, plan, .. } = merged(&mut cpu, &fen(KINGS), 9, &settings);
    assert_eq!((plan.last_ply(), plan.below), (2, 7));
    assert_eq!(leaves, merged(&mut cpu, &fen(KINGS), 9, &AMPLE).leaves);
}

#[test]
fn what_does_not_fit_is_done_in_ranges() {
    let mut cpu = Cpu::new(None).unwrap();
    let settings = MergeSettings { plies: Some(4), ..MergeSettings::with_memory(2 << 20) };
    let MergedCount { leaves, plan, .. } = merged(&mut cpu, &Fen::start(), 6, &settings);
    assert_eq!(leaves, 119_060_324);
    assert_eq!((plan.last_ply(), plan.plies[4].positions), (4, 72_078));
    assert!(plan.ranges() >= 2 && plan.plies[4].bytes <= 2 << 20, "{plan:?}");
}

/// Other programs use the device's memory, so fewer positions fit than the device reported.
#[test]
fn less_memory_than_expected_makes_ranges() {
    for (fitting, plies) in [(40_000, Some(4)), (40_000, Some(5)), (40_000, None), (3_000, Some(4)), (100, Some(3))] {
        let backend = WrongMerge { fitting, ..WrongMerge::new(None, 0) };
        let settings = MergeSettings { plies, ..AMPLE };
        let MergedCount { leaves, plan, .. } = merged(&mut backend.open(), &Fen::start(), 6, &settings);
        assert_eq!(leaves, 119_060_324, "{plan}");
        assert!(plies.is_none() || plan.ranges() > 1, "{plan}");
    }
}

/// A device may lack the memory for the levels of a count.
#[test]
fn too_little_memory_to_count_is_no_wrong_answer() {
    for (deepest, plies) in [(0, None), (1, None), (0, Some(4)), (1, Some(2))] {
        let mut backend = WrongMerge { deepest, ..WrongMerge::new(None, 0) }.open();
        let settings = MergeSettings { plies, ..AMPLE };
        let mut driver = Driver::new(&mut backend, &());
        let leaves = driver.perft_merged(&Fen::start(), 5, &settings);
        let categories = driver.perft_merged(&Fen::start(), 5, &settings.counting(Quantity::Categories));
        for counted in [leaves, categories] {
            assert!(matches!(counted, Err(Error::Memory { .. })), "{deepest}, {plies:?}: {counted:?}");
        }
    }
}

/// A ply that takes much longer than a small ply shows the cost of a successor, and later plans use it.
#[test]
fn costs_of_merging_are_told_and_used() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let settings = MergeSettings { plies: Some(5), ..AMPLE };
    let costs = merged(&mut cpu, &Fen::start(), 6, &settings).costs.unwrap();
    assert!(costs.ply > 0.0 && costs.ply < 0.01, "{costs:?}");
    assert!(costs.successor > 1e-10 && costs.successor < 1e-5, "{costs:?}");
    assert_eq!(merged(&mut cpu, &fen(MATE), 6, &AMPLE).costs, None, "no ply is large");
    // If merging seems to take an hour, no plies are merged, except small plies, whose measured time decides.
    let dear = MergeSettings { costs: Some(MergeCosts { ply: 100.0, successor: 1e3, room: 1.0 }), ..AMPLE };
    let MergedCount { leaves, plan, costs, .. } = merged(&mut cpu, &Fen::start(), 6, &dear);
    assert_eq!((leaves, costs), (119_060_324, None));
    assert!(plan.last_ply() <= 3, "{plan}");
}

#[test]
fn a_plan_says_what_will_be_done() {
    let mut cpu = Cpu::new(None).unwrap();
    let plan = Driver::new(&mut cpu, &()).plan_merged(&Fen::start(), 11, &AMPLE).unwrap();
    assert!(plan.plies.len() > 4 && plan.below + plan.last_ply() == 11, "{plan:?}");
    assert_eq!(plan.plies[3].positions, 5362);
    assert!(plan.plies[3].measured && !plan.plies.last().unwrap().measured);
    assert!(plan.plies.iter().all(|ply| ply.bytes <= AMPLE.memory));
    // Counting 2 * 10^15 leaves takes more than a minute, and merging is faster.
    assert!(plan.raw_seconds > Some(60.0) && plan.raw_seconds > Some(plan.seconds()), "{plan}");
    assert!(plan.to_string().contains("every leaf without merging"), "{plan}");
    // A plan with a given number of plies is complete, even if its plies take long.
    let plies = MergeSettings { plies: Some(9), ..MergeSettings::with_memory(1 << 50) };
    let plan = Driver::new(&mut cpu, &()).plan_merged(&Fen::start(), 11, &plies).unwrap();
    assert!(plan.last_ply() == 9 && plan.below == 2 && plan.seconds().is_finite(), "{plan}");
}

fn sorted(root: &Fen, depth: u32) -> Result<u128, Error> {
    let mut cpu = Cpu::new(None).unwrap();
    let mut frontier = Frontier::of(root);
    for _ in 0..depth {
        frontier = frontier.expand(&mut cpu)?.merge()?;
    }
    frontier.total(&vec![1; frontier.len()])
}

#[test]
fn endgames_far_beyond_64_bits() {
    let mut cpu = Cpu::new(None).unwrap();
    for (root, depth) in [(KINGS, 40), (PAWN, 16)] {
        let leaves = merged(&mut cpu, &fen(root), depth, &AMPLE).leaves;
        assert!(leaves > 1 << 64 || root == PAWN);
        assert_eq!(sorted(&fen(root), depth), Ok(leaves), "{root}");
    }
    assert_eq!(sorted(&fen(KINGS), 60), Err(Error::Overflow));
    assert_eq!(Driver::new(&mut cpu, &()).perft_merged(&fen(KINGS), 60, &AMPLE), Err(Error::Overflow));
    // Numbers of distinct positions do not overflow.
    let counts = Driver::new(&mut cpu, &()).unique(&fen(KINGS), 128, AMPLE.memory, false).unwrap();
    let [before, last] = [126, 128].map(|ply| counts[ply].positions);
    assert_eq!((counts.len(), before, last), (129, last, 3612), "two kings have 3612 places");
    assert_eq!((counts[1].once, counts[128].once), (5, 0));
}

#[test]
fn trees_that_end() {
    let mut cpu = Cpu::new(None).unwrap();
    for (depth, leaves) in [(0, 1), (1, 0), (2, 0), (30, 0)] {
        assert_eq!(merged(&mut cpu, &fen(MATE), depth, &AMPLE).leaves, leaves);
    }
    assert_eq!(merged(&mut cpu, &fen(KIWIPETE), 0, &AMPLE).leaves, 1);
    let mate = [1, 0, 0].map(|ply| Distinct { positions: ply, once: ply, diagrams: Some(ply) }).to_vec();
    assert_eq!(Driver::new(&mut cpu, &()).unique(&fen(MATE), 2, AMPLE.memory, true), Ok(mate));
}

#[test]
fn memory_may_be_small_but_not_absurdly_so() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let root = fen(KINGS);
    let expected = merged(&mut cpu, &root, 10, &AMPLE);
    assert!(expected.plan.below <= 7);
    // About 30 positions fit in memory, and ply 2 has 40, so ply 1 is counted in parts.
    let parts = merged(&mut cpu, &root, 10, &MergeSettings::with_memory(1700));
    assert_eq!(parts.leaves, expected.leaves);
    assert!(parts.plan.below > 7, "{}", parts.plan);
    let settings = MergeSettings::with_memory(100);
    let error = Driver::new(&mut cpu, &()).perft_merged(&root, 15, &settings).unwrap_err();
    assert_eq!(error, Error::Memory { memory: 100, ply: 0 });
    assert!(error.to_string().contains("do not fit in 100 bytes"), "{error}");
    let error = Driver::new(&mut cpu, &()).unique(&Fen::start(), 4, 1 << 12, false).unwrap_err();
    assert!(matches!(error, Error::Memory { memory: 4096, .. }), "{error}");
}

#[test]
fn stopping_is_no_number() {
    for stop_at in 1..40 {
        let watch = Watch::stopping_at(stop_at);
        let mut cpu = Cpu::new(Some(1)).unwrap();
        match Driver::new(&mut cpu, &watch).perft_merged(&Fen::start(), 5, &AMPLE) {
            Err(Error::Cancelled(progress)) => assert!(progress.fraction < 1.0 && progress.done == 0),
            result => assert_eq!((result.unwrap().leaves, stop_at > 1), (4_865_609, true)),
        }
    }
    let watch = Watch::default();
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let settings = MergeSettings { plies: Some(3), ranges: Some(3), ..AMPLE };
    Driver::new(&mut cpu, &watch).perft_merged(&Fen::start(), 5, &settings).unwrap();
    let seen = watch.seen.into_inner().unwrap();
    assert!(seen.len() > 5 && seen.is_sorted_by(|a, b| a.fraction <= b.fraction && a.counted <= b.counted));
    assert_eq!(seen[0].fraction, 0.0, "nobody knows how long the rest takes");
    let last = seen.last().unwrap();
    assert_eq!((last.done, last.total, last.fraction, last.counted), (1, 1, 1.0, 4_865_609));
}

/// Counts with a fault at ply `at`, merged to ply `plies`, whose positions are divided into `ranges` ranges.
fn with_fault(fault: Option<Fault>, at: u32, plies: u32, ranges: u32) -> Result<u128, Error> {
    let mut backend = WrongMerge::new(fault, at).open();
    let settings = MergeSettings { plies: Some(plies), ranges: Some(ranges), ..AMPLE };
    Driver::new(&mut backend, &()).perft_merged(&Fen::start(), 5, &settings).map(|merged| merged.leaves)
}

#[test]
fn wrong_multiplicities_are_an_error_that_names_the_device() {
    for (plies, ranges) in [(3, 1), (4, 1), (3, 2), (4, 3)] {
        assert_eq!(with_fault(None, 3, plies, ranges), Ok(4_865_609));
        for fault in Fault::ALL {
            for at in [0, 1, 3, plies] {
                // At plies 0 and 1, all multiplicities are one.
                if at > 1 || fault != Fault::ForgetsMultiplicity {
                    assert_not_trusted(with_fault(Some(fault), at, plies, ranges), at);
                }
            }
        }
    }
}

#[test]
fn wrong_multiplicities_are_found_by_distinct_positions_and_plans() {
    for fault in Fault::ALL {
        // Transpositions begin at ply 3.
        let open = || WrongMerge::new(Some(fault), 3).open();
        assert_not_trusted(Driver::new(&mut open(), &()).unique(&Fen::start(), 4, AMPLE.memory, false), 3);
        assert_not_trusted(Driver::new(&mut open(), &()).plan_merged(&Fen::start(), 5, &AMPLE), 3);
    }
}

/// If answers for some positions were missing, their sum would be too small.
#[test]
fn missing_answers_end_a_merge_by_the_host() {
    let settings = MergeSettings { plies: Some(2), ..MergeSettings::with_memory(1 << 24) };
    let forgets_counts = Wrapped::new(Cpu::new(Some(1)).unwrap()).perft(|cpu, rules, positions, depth| {
        let mut counts = cpu.perft(rules, positions, depth, &mut unwatched)?;
        counts.truncate(100);
        Ok(counts)
    });
    let forgets_successors = Wrapped::new(Cpu::new(Some(1)).unwrap()).expand(|cpu, rules, positions| {
        let mut successors = cpu.expand(rules, positions)?;
        successors.ends.truncate(10);
        Ok(successors)
    });
    for mut backend in [Box::new(forgets_counts) as Box<dyn Backend>, Box::new(forgets_successors)] {
        let error = Driver::new(&mut *backend, &()).perft_merged(&Fen::start(), 4, &settings).unwrap_err();
        assert!(matches!(&error, Error::Backend(BackendError::WrongAnswer { .. })), "{error}");
        assert!(error.to_string().contains("it answered for 10"), "{error}");
    }
}
