//! The backend against the CPU reference and against published counts, on the first device, with both forms of a board.

mod support;

use std::collections::HashMap;

use kogge_backend_wgpu::{Options, Sliders, Word};
use kogge_board::testing::{Placement, placement};
use kogge_board::{Backend, Fen, Quad48, Rules, conformance};
use kogge_movegen_cpu::Cpu;
use proptest::collection::vec;
use proptest::prelude::*;
use support::with_backend;

fn options(word: Word, sliders: Sliders) -> Options {
    Options { word: Some(word), sliders: Some(sliders), ..Options::default() }
}

fn native() -> Options {
    options(Word::Native, Sliders::Carry)
}

/// Without sub-groups, which the others use if the device has them.
fn emulated() -> Options {
    Options { subgroups: Some(false), ..options(Word::Emulated, Sliders::Carry) }
}

/// Buffers so small that everything is cut into parts.
fn tiny(word: Word, sliders: Sliders) -> Options {
    Options {
        work_group_size: Some(8),
        replies_group_size: Some(6),
        count_group_size: Some(3),
        count_groups: Some(5),
        queued_per_lane: Some(1),
        positions: Some(1),
        moves: Some(1),
        ..options(word, sliders)
    }
}

/// Every reply's position looked at.
fn one_by_one(word: Word) -> Options {
    Options { closed_form: Some(false), ..options(word, Sliders::Carry) }
}

/// All forms of the source but for sub-groups, which every other one does without; those that find sliders' attacks by fills alone are cut into parts, too.
fn variants() -> [Options; 6] {
    [
        native(),
        emulated(),
        one_by_one(Word::Native),
        Options { subgroups: Some(false), ..one_by_one(Word::Emulated) },
        tiny(Word::Native, Sliders::Fill),
        Options { subgroups: Some(false), ..tiny(Word::Emulated, Sliders::Fill) },
    ]
}

/// The suite that every backend must pass, for one form of the source.
macro_rules! conformance {
    ($variant:ident) => {
        mod $variant {
            use super::*;

            #[test]
            fn published_counts() {
                with_backend(&$variant(), |backend| conformance::published_counts(backend, 200_000));
            }

            #[test]
            fn trivial_batches() {
                with_backend(&$variant(), |backend| conformance::trivial_batches(backend));
            }

            #[test]
            fn random_placements() {
                let mut cpu = Cpu::new(Some(1)).unwrap();
                with_backend(&$variant(), |backend| conformance::random_placements(backend, &mut cpu));
            }

            #[test]
            fn random_playouts() {
                let mut cpu = Cpu::new(Some(1)).unwrap();
                with_backend(&$variant(), |backend| conformance::random_playouts(backend, &mut cpu));
            }
        }
    };
}

conformance!(native);
conformance!(emulated);

/// Merging does not depend on how moves are found, but on what boards are made of and on how much fits at once.
#[test]
fn merged_plies() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    for options in [native(), emulated(), tiny(Word::Native, Sliders::Fill)] {
        with_backend(&options, |backend| conformance::merged_plies(backend, &mut cpu));
    }
}

#[test]
fn merging_without_room() {
    for options in [native(), emulated(), tiny(Word::Native, Sliders::Fill)] {
        with_backend(&options, |backend| conformance::merging_without_room(backend));
    }
}

#[test]
fn minimax_scores() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    for options in [native(), tiny(Word::Emulated, Sliders::Fill)] {
        with_backend(&options, |backend| conformance::minimax_scores(backend, &mut cpu));
    }
}

/// More moves than there is room for when successors are made in any order: fewer positions are taken at once.
#[test]
fn more_moves_than_there_is_room_for() {
    let options = Options { positions: Some(1 << 14), ..tiny(Word::Native, Sliders::Fill) };
    with_backend(&options, |backend| {
        let start = Quad48::from(&Fen::start().position);
        assert_eq!(backend.perft(&Rules::STANDARD, &[start], 5), Ok(vec![4_865_609]));
    });
}

/// Placements by rules, since a batch has one set of rules.
fn by_rules(placements: Vec<Placement>) -> HashMap<Rules, Vec<Quad48>> {
    let mut groups: HashMap<Rules, Vec<Quad48>> = HashMap::new();
    for (rules, position) in placements {
        groups.entry(rules).or_default().push(Quad48::from(&position));
    }
    groups
}

/// All roots of a depth in one batch: totals are kept apart.
#[test]
fn the_six_standard_positions() {
    let mut known: HashMap<&str, Vec<(Fen, u64)>> = HashMap::new();
    for line in include_str!("../../data/known-counts.tsv").lines().filter(|line| !line.starts_with('#')) {
        let [_, fen, depth, nodes, _] = *line.split('\t').collect::<Vec<_>>() else { panic!("{line}") };
        if let Ok(nodes) = nodes.parse()
            && nodes <= 5_000_000
        {
            known.entry(depth).or_default().push((fen.parse().unwrap(), nodes));
        }
    }
    assert!(known.values().map(Vec::len).sum::<usize>() >= 20);
    for options in [native(), emulated(), one_by_one(Word::Native), one_by_one(Word::Emulated)] {
        with_backend(&options, |backend| {
            for (depth, roots) in &known {
                let positions: Vec<_> = roots.iter().map(|(fen, _)| Quad48::from(&fen.position)).collect();
                let expected: Vec<_> = roots.iter().map(|&(_, nodes)| nodes).collect();
                let depth = depth.parse().unwrap();
                assert_eq!(backend.perft(&Rules::STANDARD, &positions, depth), Ok(expected), "depth {depth}");
            }
        });
    }
}

/// More work-groups than fit along one dimension of a launch.
#[test]
fn more_groups_than_a_row_holds() {
    let options = Options {
        work_group_size: Some(2),
        replies_group_size: Some(2),
        count_group_size: Some(2),
        count_groups: Some(1 << 20),
        positions: Some(1 << 18),
        moves: Some(1 << 20),
        ..native()
    };
    with_backend(&options, |backend| {
        let start = Quad48::from(&Fen::start().position);
        let count = (1 << 17) + 4321;
        assert_eq!(backend.count(&Rules::STANDARD, &vec![start; count]), Ok(vec![20; count]));
        assert_eq!(backend.perft(&Rules::STANDARD, &[start], 4), Ok(vec![197_281]));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Byte for byte: what is right here is right in every stage but the last.
    #[test]
    fn successors_are_those_of_the_reference(placements in vec(placement(), 1..40), keep_clock in any::<bool>()) {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        for options in variants() {
            with_backend(&options, |backend| {
                for (rules, positions) in by_rules(placements.clone()) {
                    let rules = rules.with_halfmove_clock(keep_clock);
                    assert_eq!(backend.expand(&rules, &positions), cpu.expand(&rules, &positions));
                    assert_eq!(backend.count(&rules, &positions), cpu.count(&rules, &positions));
                }
            });
        }
    }

    #[test]
    fn leaves_are_those_of_the_reference(placements in vec(placement(), 1..10), depth in 2..4_u32) {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        for options in variants() {
            with_backend(&options, |backend| {
                for (rules, positions) in by_rules(placements.clone()) {
                    assert_eq!(backend.perft(&rules, &positions, depth), cpu.perft(&rules, &positions, depth));
                }
            });
        }
    }

    /// What is no position has some count or other, but neither breaks the device nor changes another's count.
    #[test]
    fn nonsense_is_harmless(words in vec(any::<[u64; 6]>(), 1..50), sparse in any::<[u64; 6]>()) {
        let nonsense = |words: [u64; 6]| {
            let [white, pawns, knights, bishops_queens, rooks_queens, kings] = words;
            Quad48 { white, pawns, knights, bishops_queens, rooks_queens, kings }
        };
        let mut positions: Vec<_> = words.into_iter().map(nonsense).collect();
        positions.extend([nonsense(sparse.map(|word| word & word << 7 & word >> 9)), Quad48::default()]);
        let start = Quad48::from(&Fen::start().position);
        positions.push(start);
        for options in [native(), emulated()] {
            with_backend(&options, |backend| {
                let counts = backend.count(&Rules::STANDARD, &positions).unwrap();
                assert_eq!(counts.last(), Some(&20));
                let successors = backend.expand(&Rules::STANDARD, &positions).unwrap();
                assert_eq!(successors.ends.len(), positions.len());
                assert_eq!(successors.of(positions.len() - 1).len(), 20);
                assert_eq!(backend.perft(&Rules::STANDARD, &positions, 2).unwrap().last(), Some(&400));
            });
        }
    }
}
