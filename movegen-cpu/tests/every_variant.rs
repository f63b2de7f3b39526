//! Counts, values, hashing and merging by each variant of the code, in little time, so that the tests can run in an emulator, too.
//!
//! `KOGGE_REQUIRE_VARIANTS` lists variants without which the tests fail, such as `avx2,avx512`.

use kogge_board::attacks::in_check;
use kogge_board::merge::{Filter, MergeOptions, WeightedPosition};
use kogge_board::placements::{ALL_MEN, placement, themes};
use kogge_board::{Backend, Leaves, Quad48, Rules, Score, evaluate, known, self_test, unwatched};
use kogge_movegen_cpu::{Cpu, count};
use kogge_testkit::conformance::by_rules;

/// The maximum number of leaves of a count.
const MOST: u128 = 2_000_000;

/// Opens each variant that this CPU can run.
fn each() -> impl Iterator<Item = Cpu> {
    Cpu::variants().into_iter().map(|name| Cpu::with_variant(Some(2), name).unwrap())
}

#[test]
fn required_variants_can_run() {
    let (required, variants) = (std::env::var("KOGGE_REQUIRE_VARIANTS").unwrap_or_default(), Cpu::variants());
    for name in required.split(',').filter(|name| !name.is_empty()) {
        assert!(
            variants.contains(&name),
            "KOGGE_REQUIRE_VARIANTS names {name}; this CPU can run {}",
            variants.join(", ")
        );
    }
}

#[test]
fn self_tests_pass() {
    for mut cpu in each() {
        self_test::counting(&mut cpu).unwrap();
        self_test::merging(&mut cpu).unwrap();
        self_test::categories(&mut cpu).unwrap();
    }
}

/// Returns the value of a position by the rules and the evaluation of one position alone.
fn value(rules: &Rules, position: &Quad48) -> Score {
    match (count(rules, position), in_check(position)) {
        (0, true) => Score::mated(0),
        (0, false) => Score::DRAW,
        _ => evaluate(position),
    }
}

#[test]
fn values_of_random_placements() {
    let mut without_moves = 0;
    for (rules, positions) in by_rules((0..4000).map(|seed| placement(seed, &themes::MIXED, ALL_MEN))) {
        let rules = rules.with_halfmove_clock(false);
        let expected: Vec<_> = positions.iter().map(|position| value(&rules, position)).collect();
        without_moves += positions.iter().filter(|position| count(&rules, position) == 0).count();
        for mut cpu in each() {
            let found = cpu.minimax(&rules, &positions, 0, Leaves::Static, &mut unwatched).unwrap();
            let wrong =
                positions.iter().zip(found.iter().zip(&expected)).find(|(_, (found, expected))| found != expected);
            assert_eq!(wrong, None, "{}", cpu.info().variant);
        }
    }
    assert!(without_moves > 30, "only {without_moves} positions without moves");
}

#[test]
fn published_counts_with_and_without_a_hash_table() {
    for mut cpu in each() {
        for hash in [0, 1 << 20] {
            cpu.set_hash(hash).unwrap();
            for known in known::standard() {
                let Some((depth, leaves)) = known.counts().filter(|&(_, leaves)| leaves <= MOST).last() else {
                    continue;
                };
                let found =
                    cpu.perft(&known.root.rules, &[Quad48::from(&known.root.position)], depth, &mut unwatched).unwrap();
                let variant = &cpu.info().variant;
                assert_eq!(found.iter().copied().sum::<u128>(), leaves, "{variant}, {}", known.root);
            }
        }
    }
}

#[test]
fn published_counts_by_merged_plies() {
    for mut cpu in each() {
        let variant = cpu.info().variant.clone();
        for known in known::standard() {
            let (rules, position) = (known.root.rules, Quad48::from(&known.root.position));
            let mut merge = cpu.merge(&rules, &MergeOptions::with_memory(1 << 28)).unwrap();
            merge.reserve(1, Filter::All).unwrap();
            merge.add(&[WeightedPosition { position, multiplicity: 1 }]).unwrap();
            for ply in 1..=3 {
                merge.descend(false).unwrap();
                merge.reserve(100_000, Filter::All).unwrap();
                let paths = merge.expand(0..merge.parents()).unwrap();
                assert_eq!(Some(paths), known.leaves(ply), "{variant}, {} at ply {ply}", known.root);
            }
            let leaves = merge.perft(0..merge.successors(), 2).unwrap();
            assert_eq!(Some(leaves), known.leaves(5), "{variant}, {}", known.root);
        }
    }
}
