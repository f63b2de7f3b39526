//! Plies in ranges, made beside a whole ply or below a ply in ranges: the same counts, in little memory.

use std::ops::ControlFlow;

use crate::support::wrong_merge::{Fault, WrongMerge};
use crate::support::{self, KIWIPETE, Watch, assert_not_trusted, fen};
use kogge_board::merge::KeyRange;
use kogge_board::{Backend, START};
use kogge_driver::{
    Distinct, Division, DivisionRequest, Driver, Error, MergeDevice, MergeSettings, MergedCount, Quantity, RangeCount,
    RangeCounter, RangePlies,
};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

const POSITION_4: &str = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1";
const POSITION_5: &str = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8";
const ROOK: &str = "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1";
const AMPLE: MergeSettings = MergeSettings::with_memory(1 << 28);

/// A CPU with one thread, so that its plans are always the same. With more threads, the order of positions in memory depends
/// on chance.
fn cpu() -> Cpu {
    Cpu::new(Some(1)).unwrap_or_else(|error| panic!("{error}"))
}

fn merged(backend: &mut dyn Backend, root: &str, depth: u32, settings: &MergeSettings) -> MergedCount {
    support::merged(backend, &fen(root), depth, settings)
}

/// Counts the leaves below ranges of a ply.
fn counter<'a>(
    driver: &'a mut Driver<'_>,
    root: &str,
    plies: RangePlies,
    memory: u64,
) -> Result<RangeCounter<'a>, Error> {
    RangeCounter::new(driver, &fen(root), plies, &MergeSettings::with_memory(memory))
}

/// Settings to merge this number of plies in this number of KiB.
fn small(plies: u32, kib: u64) -> MergeSettings {
    MergeSettings { plies: Some(plies), ..MergeSettings::with_memory(kib << 10) }
}

/// Whatever the number of plies between, all positions are made, and each ply takes the memory that is left.
#[test]
fn several_plies_may_lie_between() {
    let mut cpu = cpu();
    let mut reversed = WrongMerge::in_runs().open();
    for (root, whole, last, leaves, positions, kib) in [
        (START, 2, 5, 119_060_324, 822_518, 2 << 10),
        (START, 0, 4, 4_865_609, 72_078, 200),
        (START, 0, 5, 119_060_324, 822_518, 3 << 10),
        (KIWIPETE, 1, 4, 193_690_690, 1_374_152, 8 << 10),
        (POSITION_5, 0, 4, 89_941_194, 713_253, 8 << 10),
    ] {
        for backend in [&mut cpu as &mut dyn Backend, &mut reversed] {
            let is_reversed = backend.info().name == WrongMerge::DEVICE;
            let plies = RangePlies { whole, last, depth: last + 1, is_reversed };
            let mut driver = Driver::new(backend, &());
            let mut counter = counter(&mut driver, root, plies, kib << 10).unwrap();
            let ranges = counter.borders(20).unwrap();
            let found = sums(&count(&mut counter, &ranges).unwrap());
            assert_eq!(found, (leaves, positions, counter.paths()), "{root}: {plies:?}");
        }
    }
}

#[test]
fn a_plan_has_as_many_plies_between_as_it_needs() {
    let mut cpu = cpu();
    for (kib, between) in [(1 << 10, 1), (700, 1), (350, 2)] {
        let MergedCount { leaves, plan, .. } = merged(&mut cpu, START, 6, &small(5, kib));
        assert_eq!(leaves, 119_060_324);
        let (whole, ranges) = plan.plies.split_at(5 - between);
        assert!(whole.iter().all(|ply| ply.ranges == 1) && ranges.is_sorted_by_key(|ply| ply.ranges), "{plan}");
        assert!(ranges[0].ranges > 1 && plan.plies.iter().all(|ply| ply.bytes <= kib << 10), "{plan}");
        assert_eq!((plan.plies[5].positions, plan.plies[5].measured, ranges[0].measured), (822_518, true, false));
    }
}

#[test]
fn other_positions_are_counted_in_ranges() {
    // The last number is the minimum number of plies that are made in ranges.
    let cases = [
        (POSITION_4, 5, 15_833_292, small(4, 500), 2),
        (POSITION_5, 5, 89_941_194, small(4, 3 << 9), 2),
        // Even a single range may need too much of the ply in between. Then fewer plies are merged.
        (POSITION_5, 5, 89_941_194, small(4, 700), 0),
        (KIWIPETE, 5, 193_690_690, small(4, 3 << 10), 2),
        (KIWIPETE, 5, 193_690_690, small(3, 1 << 10), 1),
        (KIWIPETE, 5, 193_690_690, MergeSettings::with_memory(1 << 19), 0),
    ];
    let mut cpu = cpu();
    let mut reversed = WrongMerge::in_runs().open();
    for (root, depth, leaves, settings, in_ranges) in cases {
        for backend in [&mut cpu as &mut dyn Backend, &mut reversed] {
            let MergedCount { leaves: found, plan, .. } = merged(backend, root, depth, &settings);
            assert_eq!(found, leaves, "{root}");
            assert!(plan.plies.iter().filter(|ply| ply.ranges > 1).count() >= in_ranges, "{root}: {plan}");
        }
    }
}

#[test]
fn many_ranges_of_reversed_keys_have_all_positions_once() {
    let mut reversed = WrongMerge::in_runs().open();
    for (root, depth, leaves, positions) in
        [(START, 6, 119_060_324, 72_078), (KIWIPETE, 5, 193_690_690, 1_374_152), (ROOK, 6, 1_298_366, 2_536)]
    {
        for ranges in [1, 2, 7, 100] {
            let settings = MergeSettings { plies: Some(4), ranges: Some(ranges), ..AMPLE };
            let MergedCount { leaves: found, plan, .. } = merged(&mut reversed, root, depth, &settings);
            assert_eq!((found, plan.plies[4].positions), (leaves, positions), "{root} in {ranges}");
        }
    }
}

/// Without pawns, ranges differ only by hash, and every range needs all positions of the previous ply.
#[test]
fn endgames_without_pawns_are_counted_in_ranges() {
    let mut cpu = cpu();
    let expected = merged(&mut cpu, ROOK, 8, &AMPLE).leaves;
    let mut in_ranges = 0;
    for (plies, kib) in [(4, 128), (5, 256), (6, 512), (7, 1024)] {
        let MergedCount { leaves, plan, .. } = merged(&mut cpu, ROOK, 8, &small(plies, kib));
        assert_eq!(leaves, expected, "{plan}");
        in_ranges += u32::from(plan.ranges() > 1);
    }
    // On a busy machine, measured times may rule out the last plies of a plan.
    assert!(in_ranges > 0);
}

#[test]
fn merging_in_the_hosts_memory_knows_ranges() {
    let mut mailbox = Mailbox::new();
    let MergedCount { leaves, plan, .. } = merged(&mut mailbox, START, 5, &small(4, 1 << 10));
    assert_eq!(leaves, 4_865_609);
    assert!(plan.plies[3].ranges > 1 && plan.ranges() > 1, "{plan}");
}

#[test]
fn distinct_positions_are_counted_in_ranges() {
    let positions = [1, 20, 400, 5362, 72_078, 822_518, 9_417_681];
    let once = [1, 20, 400, 1862, 9825, 53_516, 311_642];
    let diagrams = [1, 20, 400, 5362, 71_852, 815_677, 9_260_610];
    let mut cpu = cpu();
    for (plies, memory) in [(4, 1 << 20), (5, 1 << 20), (6, 16 << 20)] {
        // A quarter of the memory is for diagrams.
        let found = Driver::new(&mut cpu, &()).unique(&fen(START), plies, memory * 4 / 3, true).unwrap();
        let ply = |ply| Distinct { positions: positions[ply], once: once[ply], diagrams: Some(diagrams[ply]) };
        assert_eq!(found, (0..=plies as usize).map(ply).collect::<Vec<_>>(), "{memory} bytes");
    }
}

/// Positions with equal diagrams have equal pawns, so they lie in one range. Their number is the same with any memory.
#[test]
fn diagrams_are_counted_in_ranges() {
    const PAWNS: &str = "4k2r/1ppp4/8/8/8/8/PPP5/R3K3 w Qk - 0 1";
    let (mut cpu, mut mailbox) = (cpu(), Mailbox::new());
    let mut threads = Cpu::new(Some(2)).unwrap();
    // The last number is the minimum number of bytes for a position.
    let backends: [(&mut dyn Backend, _, _, _, _); 3] = [
        (&mut cpu, KIWIPETE, 4, 40 << 20, 32),
        (&mut threads, PAWNS, 5, 5 << 20, 32),
        (&mut mailbox, PAWNS, 4, 3 << 20, 192),
    ];
    for (backend, root, plies, memory, bytes) in backends {
        let mut driver = Driver::new(backend, &());
        let all = driver.unique(&fen(root), plies, 1 << 29, true).unwrap();
        let last = all[plies as usize];
        assert!(last.positions * bytes > memory, "{} positions fit whole", last.positions);
        assert!(last.diagrams.is_some_and(|diagrams| diagrams < last.positions), "{last:?}");
        assert_eq!(driver.unique(&fen(root), plies, memory, true), Ok(all), "{root}");
    }
}

/// If positions with the same pawns do not fit together, they are divided by hash, and diagrams are not counted.
#[test]
fn diagrams_with_the_same_pawns_must_fit_together() {
    let mut cpu = cpu();
    for (root, plies, memory) in [(KIWIPETE, 4, 20 << 20), (ROOK, 5, 1 << 19)] {
        let mut driver = Driver::new(&mut cpu, &());
        let mut all = driver.unique(&fen(root), plies, 1 << 29, true).unwrap();
        all[plies as usize].diagrams = None;
        assert_eq!(driver.unique(&fen(root), plies, memory, true), Ok(all), "{root}");
    }
}

fn count(counter: &mut RangeCounter<'_>, ranges: &[KeyRange]) -> Result<Vec<RangeCount>, Error> {
    let mut counts = Vec::new();
    counter.count(ranges, &mut |found| {
        counts.push(*found);
        ControlFlow::Continue(())
    })?;
    assert_eq!(counts.iter().map(|found| found.range).collect::<Vec<_>>(), ranges);
    Ok(counts)
}

fn sums(counts: &[RangeCount]) -> (u128, u64, u128) {
    let [leaves, paths] = [|found: &RangeCount| found.leaves, |found: &RangeCount| found.paths]
        .map(|field| counts.iter().map(field).sum());
    (leaves, counts.iter().map(|found| found.positions).sum(), paths)
}

#[test]
fn single_ranges_are_counted() {
    let mut cpu = cpu();
    let mut known = Vec::new();
    for (whole, memory) in [(3, 1 << 28), (2, 1 << 28), (3, 1 << 19), (2, 1 << 19)] {
        let mut driver = Driver::new(&mut cpu, &());
        let plies = RangePlies { whole, last: 4, depth: 6, is_reversed: false };
        let mut counter = counter(&mut driver, START, plies, memory).unwrap();
        assert_eq!(counter.paths(), 197_281);
        let ranges = counter.borders(30).unwrap();
        assert!((20..=30).contains(&ranges.len()));
        let counts = count(&mut counter, &ranges).unwrap();
        assert_eq!(sums(&counts), (119_060_324, 72_078, 197_281));
        let largest = counts.iter().map(|found| found.positions).max();
        assert!(largest < Some(3 * 72_078 / 30), "{largest:?}");
        // A range has the same count with other plies, other memory and other ranges beside it.
        let first = count(&mut counter, &ranges[7..12]).unwrap();
        assert_eq!(first, counts[7..12]);
        assert_eq!(count(&mut counter, &ranges[3..4]).unwrap(), counts[3..4]);
        // A range that does not fit is made in pieces, and is reported as one.
        let whole = count(&mut counter, &[KeyRange::WHOLE]).unwrap();
        assert_eq!(sums(&whole), (119_060_324, 72_078, 197_281));
        known.push(ranges);
        let others = count(&mut counter, &known[0]).unwrap();
        assert_eq!(sums(&others), sums(&counts));
        assert_eq!(count(&mut counter, &[]).unwrap(), []);
    }
}

/// The device that divides a tree goes on from the last ply of its plan, or begins again.
#[test]
fn divisions_cover_the_tree_wherever_the_plan_ended() {
    const LEAVES: [u128; 7] = [1, 20, 400, 8_902, 197_281, 4_865_609, 119_060_324];
    for in_runs in [false, true] {
        for (ply, depth) in [(None, 5), (Some(1), 4), (Some(2), 5), (Some(4), 5), (Some(5), 6)] {
            for memory in [1 << 28, 1 << 20, 400 << 10] {
                let backend: Box<dyn Backend> =
                    if in_runs { Box::new(WrongMerge::in_runs().open()) } else { Box::new(cpu()) };
                let mut device = MergeDevice::with_memory(backend, memory);
                let request =
                    DivisionRequest { ply, ranges: None, counted: Quantity::Leaves, devices: Some(2), are_alike: true };
                let division = Division::of(&mut device, &fen(START), depth, &request, &()).unwrap();
                let last = division.ply;
                assert!(ply.is_none_or(|ply| ply == last) && division.ranges.len() > 1, "{division:?}");
                assert_eq!(division.paths, LEAVES[last as usize]);
                let plies = RangePlies { whole: last - 1, last, depth, is_reversed: division.is_reversed };
                let mut driver = Driver::new(&mut *device.backend, &());
                let mut counter = RangeCounter::fitting(&mut driver, &fen(START), plies, &device.settings).unwrap();
                let (leaves, _, paths) = sums(&count(&mut counter, &division.ranges).unwrap());
                assert_eq!((leaves, paths), (LEAVES[depth as usize], division.paths), "{plies:?} {memory}");
            }
        }
    }
}

#[test]
fn plies_of_ranges_must_go_together() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let mut driver = Driver::new(&mut cpu, &());
    for (whole, last, depth) in [(3, 3, 5), (4, 3, 5), (1, 2, 10), (3, 4, 3)] {
        let error =
            counter(&mut driver, START, RangePlies { whole, last, depth, is_reversed: false }, AMPLE.memory).err();
        assert_eq!(error, Some(Error::RangePlies { whole, last, depth }));
    }
    let mut device = MergeDevice::with_memory(Box::new(Cpu::new(Some(1)).unwrap()), AMPLE.memory);
    for (ply, depth) in [(1, 10), (6, 5)] {
        let request =
            DivisionRequest { ply: Some(ply), ranges: None, counted: Quantity::Leaves, devices: None, are_alike: true };
        let error = Division::of(&mut device, &fen(START), depth, &request, &()).err();
        assert_eq!(error, Some(Error::RangePlies { whole: ply.saturating_sub(2), last: ply, depth }));
    }
    let error =
        counter(&mut driver, START, RangePlies { whole: 4, last: 5, depth: 6, is_reversed: false }, 1 << 20).err();
    assert_eq!(error, Some(Error::Memory { memory: 1 << 20, ply: 4 }));
}

#[test]
fn a_stopped_count_leaves_a_usable_counter() {
    let plies = RangePlies { whole: 2, last: 4, depth: 5, is_reversed: false };
    let mut finished = 0;
    for stop_at in (1..1200).step_by(37) {
        let watch = Watch::stopping_at(stop_at);
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let mut driver = Driver::new(&mut cpu, &watch);
        let Ok(mut counter) = counter(&mut driver, START, plies, 1 << 20) else { continue };
        let ranges = KeyRange::divide(&mut [], 1);
        match count(&mut counter, &ranges) {
            Err(Error::Cancelled(progress)) => assert!(progress.fraction < 1.0 && progress.done == 0),
            result => {
                assert_eq!(result.unwrap()[0].leaves, 4_865_609);
                finished += 1;
                continue;
            }
        }
        // The watch stops only once.
        assert_eq!(count(&mut counter, &ranges).unwrap()[0].leaves, 4_865_609);
    }
    assert!(finished > 0);
    // The function that receives the counts can also stop the work.
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let mut driver = Driver::new(&mut cpu, &());
    let mut counter = counter(&mut driver, START, plies, AMPLE.memory).unwrap();
    let ranges = counter.borders(5).unwrap();
    let mut reported = 0;
    let stopped = counter.count(&ranges, &mut |_| {
        reported += 1;
        if reported == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(stopped, Err(Error::Cancelled(_))) && reported == 2, "{stopped:?}");
}

#[test]
fn counts_in_ranges_can_be_stopped() {
    let mut stopped = 0;
    for stop_at in (1..600).step_by(23) {
        let watch = Watch::stopping_at(stop_at);
        let mut cpu = Cpu::new(Some(1)).unwrap();
        match Driver::new(&mut cpu, &watch).perft_merged(&fen(START), 5, &small(4, 300)) {
            Err(Error::Cancelled(progress)) => {
                assert!(progress.fraction < 1.0 && progress.done == 0);
                stopped += 1;
            }
            result => assert_eq!(result.unwrap().leaves, 4_865_609),
        }
    }
    assert!(stopped > 10, "{stopped}");
}

#[test]
fn wrong_ranges_are_an_error_that_names_the_device() {
    let count = |fault, at, settings: &MergeSettings, counts_in_runs| {
        let backend = WrongMerge { in_ranges: true, counts_in_runs, ..WrongMerge::new(fault, at) };
        Driver::new(&mut backend.open(), &()).perft_merged(&fen(START), 5, settings).map(|merged| merged.leaves)
    };
    // Ply 4 in ranges made beside ply 3, and below ply 3 in ranges.
    for (settings, has_between, runs) in
        [(small(4, 1 << 10), false, false), (small(4, 300), true, false), (small(4, 1 << 10), false, true)]
    {
        let count = |fault, at| count(fault, at, &settings, runs);
        assert_eq!(count(None, 4), Ok(4_865_609));
        for fault in Fault::ALL {
            assert_not_trusted(count(Some(fault), 4), 4);
            if has_between {
                assert_not_trusted(count(Some(fault), 3), 3);
            }
        }
        // Only the total shows that paths are missing in all ranges.
        assert_not_trusted(count(Some(Fault::SkipsParent), 4), 4);
        if has_between {
            assert_not_trusted(count(Some(Fault::SkipsParent), 3), 4);
        }
    }
}
