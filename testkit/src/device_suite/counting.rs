//! Comparisons with published counts and with the CPU.

use std::collections::BTreeMap;

use kogge_board::known::{self, KnownCounts};
use kogge_board::merge::{Filter, MergeError, MergeOptions, WeightedPosition};
use kogge_board::{Backend, Fen, Leaves, Quad48, Rules, unwatched};
use kogge_movegen_cpu::Cpu;
use proptest::collection::vec;
use proptest::prelude::*;

use kogge_gpu::Parameter::{ClosedFormGroupSize, CountGroupSize, CountGroups, GroupSize, Moves, Positions};
use kogge_gpu::{Gpu, GpuOptions};

use super::{TestDevice, every_reply_counted, with_backend};
use crate::conformance::{self, by_rules};
use crate::placements::placement;

/// Opens the reference: the CPU backend with one thread.
///
/// # Panics
/// If it cannot be opened.
pub fn cpu() -> Cpu {
    Cpu::new(Some(1)).unwrap_or_else(|error| panic!("{error}"))
}

/// Counts the leaves of all roots with equal rules and depth in one batch, and checks each root's total.
fn check_batches<D: TestDevice>(options: &GpuOptions, roots: &[(Fen, u32, u64)]) {
    let mut batches: BTreeMap<_, Vec<&(Fen, u32, u64)>> = BTreeMap::new();
    for root in roots {
        let (fen, depth, _) = root;
        batches.entry((fen.rules.castling_files, fen.rules.halfmove_clock, depth)).or_default().push(root);
    }
    with_backend::<D>(options, |backend| {
        for batch in batches.values() {
            let (rules, depth) = (batch[0].0.rules, batch[0].1);
            let positions: Vec<_> = batch.iter().map(|(fen, ..)| Quad48::from(&fen.position)).collect();
            let expected: Vec<_> = batch.iter().map(|&&(.., leaves)| u128::from(leaves)).collect();
            assert_eq!(
                backend.perft(&rules, &positions, depth, &mut unwatched),
                Ok(expected),
                "{rules:?}, depth {depth}, {options:?}"
            );
        }
    });
}

fn small_counts(known: &KnownCounts, most: u64) -> impl Iterator<Item = (Fen, u32, u64)> {
    let counts = known.counts().filter_map(|(depth, leaves)| Some((depth, u64::try_from(leaves).ok()?)));
    counts.filter(move |&(_, leaves)| leaves <= most).map(|(depth, leaves)| (known.root, depth, leaves))
}

/// Counts the six standard positions, with the default options and with each form, with and without the closed form.
pub fn standard_positions<D: TestDevice>(forms: &[GpuOptions]) {
    let standard = known::standard();
    let roots: Vec<_> = standard.iter().flat_map(|known| small_counts(known, 5_000_000)).collect();
    assert!(roots.len() >= 20);
    check_batches::<D>(&GpuOptions::default(), &roots);
    for form in forms {
        check_batches::<D>(form, &roots);
        check_batches::<D>(&every_reply_counted(form.clone()), &roots);
    }
}

/// Counts each position of a suite to its greatest depth with at most `most` leaves.
fn suite<D: TestDevice>(suite: &[KnownCounts], most: u64, at_least: usize) {
    let deepest: Vec<_> = suite.iter().filter_map(|known| small_counts(known, most).last()).collect();
    assert!(deepest.len() >= at_least);
    check_batches::<D>(&GpuOptions::default(), &deepest);
}

/// Counts the random positions with published counts.
pub fn random_suite<D: TestDevice>() {
    suite::<D>(&known::random(), 10_000, 1000);
}

/// Counts the start positions of Chess960 with published counts.
pub fn chess960_suite<D: TestDevice>() {
    suite::<D>(&known::chess960(), 40_000, 160);
}

/// Returns the forms with and without the closed form, and the tiny variants.
fn variants(forms: &[GpuOptions], split: &[GpuOptions]) -> Vec<GpuOptions> {
    let counted = forms.iter().cloned().map(every_reply_counted);
    forms.iter().cloned().chain(counted).chain(split.iter().cloned()).collect()
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Compares successors (byte for byte) and counts with the CPU's.
pub fn successors<D: TestDevice>(forms: &[GpuOptions], split: &[GpuOptions]) {
    let variants = variants(forms, split);
    proptest!(config(16), |(placements in vec(placement(), 1..40), keep_clock in any::<bool>())| {
        let mut cpu = cpu();
        for (rules, positions) in by_rules(placements) {
            let rules = rules.with_halfmove_clock(keep_clock);
            let (expanded, counted) = (cpu.expand(&rules, &positions), cpu.perft(&rules, &positions, 1, &mut unwatched));
            for options in &variants {
                with_backend::<D>(options, |backend| {
                    assert_eq!(backend.expand(&rules, &positions), expanded, "{options:?}");
                    assert_eq!(backend.perft(&rules, &positions, 1, &mut unwatched), counted, "{options:?}");
                });
            }
        }
    });
}

/// Compares leaves with the CPU's, with much memory and with little.
pub fn leaves<D: TestDevice>(forms: &[GpuOptions], split: &[GpuOptions]) {
    let mut variants = variants(forms, split);
    variants.push(GpuOptions { memory: Some(40 << 20), ..GpuOptions::default() });
    proptest!(config(64), |(placements in vec(placement(), 1..10), depth in 2..4_u32)| {
        let mut cpu = cpu();
        for (rules, positions) in by_rules(placements) {
            let expected = cpu.perft(&rules, &positions, depth, &mut unwatched);
            for options in &variants {
                with_backend::<D>(options, |backend| {
                    assert_eq!(backend.perft(&rules, &positions, depth, &mut unwatched), expected, "{options:?}");
                });
            }
        }
    });
}

/// Counts words that are not positions: any count is correct, but the device must keep working and other counts must not
/// change.
pub fn nonsense<D: TestDevice>(variants: &[GpuOptions]) {
    let quad = |[white, pawns, knights, bishops_queens, rooks_queens, kings]: [u64; 6]| Quad48 {
        white,
        pawns,
        knights,
        bishops_queens,
        rooks_queens,
        kings,
    };
    let rules = Rules::STANDARD;
    let start = Quad48::from(&Fen::start().position);
    proptest!(config(64), |(words in vec(any::<[u64; 6]>(), 1..50), sparse in any::<[u64; 6]>())| {
        let mut positions: Vec<_> = words.into_iter().map(quad).collect();
        positions.extend([quad(sparse.map(|word| word & word << 7 & word >> 9)), Quad48::default(), start]);
        for options in variants {
            with_backend::<D>(options, |backend| {
                let counts = backend.perft(&rules, &positions, 1, &mut unwatched).unwrap();
                assert_eq!(counts.last(), Some(&20));
                let successors = backend.expand(&rules, &positions).unwrap();
                assert_eq!(successors.ends.len(), positions.len());
                assert_eq!(successors.of(positions.len() - 1).len(), 20);
                assert_eq!(backend.perft(&rules, &positions, 2, &mut unwatched).unwrap().last(), Some(&400));
                let scores = backend.minimax(&rules, &positions, 1, Leaves::Static, &mut unwatched).unwrap();
                let alone = backend.minimax(&rules, &[start], 1, Leaves::Static, &mut unwatched).unwrap();
                assert_eq!(scores.last(), alone.last());
            });
        }
    });
}

/// Runs a test with each form and with the first tiny variant. Merging depends on the representation of boards and
/// positions and on the size of batches, but not on the way of finding moves.
fn for_merging<D: TestDevice>(forms: &[GpuOptions], split: &[GpuOptions], mut test: impl FnMut(&mut Gpu<D>)) {
    for options in forms.iter().chain(split.first()) {
        with_backend::<D>(options, &mut test);
    }
}

/// Compares merged plies with a plain merge by the CPU.
pub fn merged_plies<D: TestDevice>(forms: &[GpuOptions], split: &[GpuOptions]) {
    let mut cpu = cpu();
    for_merging::<D>(forms, split, |backend| conformance::merged_plies(backend, &mut cpu));
}

/// Merges with tables that are too small and sums that are too large.
pub fn merging_without_room<D: TestDevice>(forms: &[GpuOptions], split: &[GpuOptions]) {
    for_merging::<D>(forms, split, |backend| conformance::merging_without_room(backend));
}

/// Checks that batches queued behind a full list end at once. One expansion of the positions four plies below the start
/// position makes 822,518 successors in many batches, and the list has room for a part of the first batch.
pub fn list_far_too_short<D: TestDevice>() {
    with_backend::<D>(&GpuOptions::default(), |backend| {
        let start = Fen::start();
        let mut merge = backend.merge(&start.rules, &MergeOptions::with_memory(1 << 28)).unwrap();
        merge.reserve(1, Filter::All).unwrap();
        merge.add(&[WeightedPosition { position: Quad48::from(&start.position), multiplicity: 1 }]).unwrap();
        for positions in [20, 400, 5362, 72_078] {
            merge.descend(false).unwrap();
            merge.reserve(positions, Filter::All).unwrap();
            merge.expand(0..merge.parents()).unwrap();
            assert_eq!(merge.successors(), positions);
        }
        merge.descend(false).unwrap();
        for room in [300_000, 1] {
            merge.reserve(room, Filter::All).unwrap();
            assert_eq!(merge.expand(0..72_078), Err(MergeError::Full));
        }
    });
}

/// Compares minimax scores with the CPU's, with the first form and with the last tiny variant.
pub fn minimax_scores<D: TestDevice>(forms: &[GpuOptions], split: &[GpuOptions]) {
    let mut cpu = cpu();
    for options in forms.first().into_iter().chain(split.last()) {
        with_backend::<D>(options, |backend| conformance::minimax_scores(backend, &mut cpu));
    }
}

/// Launches more work-groups than interfaces such as Vulkan permit along one dimension.
pub fn more_groups_than_a_row_holds<D: TestDevice>() {
    let options = GpuOptions::of([
        (GroupSize, 2),
        (ClosedFormGroupSize, 2),
        (CountGroupSize, 2),
        (CountGroups, 1 << 20),
        (Positions, 1 << 18),
        (Moves, 1 << 20),
    ]);
    with_backend::<D>(&options, |backend| {
        let start = Quad48::from(&Fen::start().position);
        let count = (1 << 17) + 4321;
        assert_eq!(backend.perft(&Rules::STANDARD, &vec![start; count], 1, &mut unwatched), Ok(vec![20; count]));
        assert_eq!(backend.perft(&Rules::STANDARD, &[start], 4, &mut unwatched), Ok(vec![197_281]));
    });
}
