//! The backend against the CPU reference and against published counts, on the first OpenCL device.

mod support;

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use kogge_backend_opencl::{OpenCl, Options, Positions, Sliders, Traversal};
use kogge_board::testing::{Placement, placement};
use kogge_board::{Backend, Fen, Leaves, Quad48, Rules, conformance};
use kogge_movegen_cpu::Cpu;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use support::first_device;

/// Runs a test with a backend that all tests of the same options share, or not at all without a device.
fn with_backend(options: &Options, test: impl FnOnce(&mut OpenCl)) {
    static BACKENDS: OnceLock<Mutex<Vec<(Options, OpenCl)>>> = OnceLock::new();
    let Some(device) = first_device() else { return };
    let mut backends = BACKENDS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    let index = backends.iter().position(|(known, _)| known == options).unwrap_or_else(|| {
        let backend = OpenCl::on(&device, options).unwrap_or_else(|error| panic!("{error}"));
        backends.push((options.clone(), backend));
        backends.len() - 1
    });
    test(&mut backends[index].1);
}

fn fill() -> Options {
    Options { sliders: Some(Sliders::Fill), ..Options::default() }
}

fn carry() -> Options {
    Options { sliders: Some(Sliders::Carry), ..Options::default() }
}

fn subtract() -> Options {
    Options { sliders: Some(Sliders::Subtract), ..Options::default() }
}

fn magic() -> Options {
    Options { sliders: Some(Sliders::Magic), ..Options::default() }
}

fn boards48() -> Options {
    Options { position_form: Some(Positions::Boards48), ..Options::default() }
}

fn depth_first() -> Options {
    Options { traversal: Some(Traversal::DepthFirst(3)), ..Options::default() }
}

/// Boards turned as it is done on NVIDIA's GPUs.
fn reversed() -> Options {
    Options { compiler: "-D TURN_BY_REVERSE".into(), ..carry() }
}

/// The same for sliders one by one.
fn subtract_reversed() -> Options {
    Options { compiler: "-D TURN_BY_REVERSE".into(), ..subtract() }
}

/// Buffers so small that everything is cut into parts.
fn tiny() -> Options {
    Options {
        work_group_size: Some(8),
        replies_group_size: Some(4),
        count_group_size: Some(2),
        groups_per_unit: Some(1),
        positions: Some(1),
        moves: Some(1),
        ..Options::default()
    }
}

/// Placements by rules, since a batch has one set of rules.
fn by_rules(placements: Vec<Placement>) -> HashMap<Rules, Vec<Quad48>> {
    let mut groups: HashMap<Rules, Vec<Quad48>> = HashMap::new();
    for (rules, position) in placements {
        groups.entry(rules).or_default().push(Quad48::from(&position));
    }
    groups
}

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
    with_backend(&Options::default(), |backend| {
        // All roots of a depth in one batch: totals are kept apart.
        for (depth, roots) in &known {
            let positions: Vec<_> = roots.iter().map(|(fen, _)| Quad48::from(&fen.position)).collect();
            let expected: Vec<_> = roots.iter().map(|&(_, nodes)| nodes).collect();
            let depth = depth.parse().unwrap();
            assert_eq!(backend.perft(&Rules::STANDARD, &positions, depth), Ok(expected), "depth {depth}");
        }
    });
}

/// The suite that every backend must pass, for one variant.
macro_rules! conformance {
    ($variant:ident) => {
        mod $variant {
            use super::*;

            #[test]
            fn published_counts() {
                with_backend(&$variant(), |backend| conformance::published_counts(backend, 300_000));
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

conformance!(fill);
conformance!(carry);
conformance!(reversed);
conformance!(subtract);
conformance!(subtract_reversed);
conformance!(magic);
conformance!(boards48);
conformance!(depth_first);

/// Merging does not depend on how moves are found, but on how positions lie in memory and how much fits at once.
#[test]
fn merged_plies() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    for options in [fill(), boards48(), tiny()] {
        with_backend(&options, |backend| conformance::merged_plies(backend, &mut cpu));
    }
}

#[test]
fn merging_without_room() {
    for options in [fill(), boards48(), tiny()] {
        with_backend(&options, |backend| conformance::merging_without_room(backend));
    }
}

/// Nor do values depend on how sliders are found when leaves are counted.
#[test]
fn minimax_scores() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    for options in [carry(), Options { position_form: Some(Positions::Boards48), ..tiny() }] {
        with_backend(&options, |backend| conformance::minimax_scores(backend, &mut cpu));
    }
}

/// Deep enough that moves of every kind are taken back, by both sides.
#[test]
fn depth_first_below_random_placements() {
    let options = Options { traversal: Some(Traversal::DepthFirst(4)), ..Options::default() };
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let mut runner = TestRunner::deterministic();
    let strategy = placement();
    let placements = (0..3000).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect();
    let mut counted = 0;
    with_backend(&options, |backend| {
        for (rules, mut positions) in by_rules(placements) {
            let leaves = cpu.perft(&rules, &positions, 3).unwrap();
            assert_eq!(backend.perft(&rules, &positions, 3).unwrap(), leaves, "{rules:?}");
            let mut small = leaves.iter().map(|&leaves| leaves < 2000);
            positions.retain(|_| small.next() == Some(true));
            counted += positions.len();
            for depth in [4, 5] {
                assert_eq!(backend.perft(&rules, &positions, depth), cpu.perft(&rules, &positions, depth), "{rules:?}");
                positions.truncate(1);
            }
        }
        assert!(counted > 300, "only {counted} positions are that small");
    });
}

/// Every line of an EPD file to the deepest depth of at most `most` nodes, in batches of equal rules and depth.
fn epd(text: &str, most: u64, at_least: usize) {
    let mut batches: HashMap<(Rules, u32), Vec<(Quad48, u64)>> = HashMap::new();
    for line in text.lines() {
        let mut fields = line.split(" ;");
        let fen: Fen = fields.next().unwrap().parse().unwrap();
        let deepest = fields
            .map(|field| field.strip_prefix('D').and_then(|field| field.split_once(' ')).unwrap())
            .map(|(depth, nodes)| (depth.parse::<u32>().unwrap(), nodes.parse::<u64>().unwrap()))
            .filter(|&(_, nodes)| nodes <= most)
            .last();
        if let Some((depth, nodes)) = deepest {
            batches.entry((fen.rules, depth)).or_default().push((Quad48::from(&fen.position), nodes));
        }
    }
    assert!(batches.values().map(Vec::len).sum::<usize>() >= at_least);
    with_backend(&Options::default(), |backend| {
        for ((rules, depth), lines) in batches {
            let (positions, expected): (Vec<_>, Vec<_>) = lines.into_iter().unzip();
            assert_eq!(backend.perft(&rules, &positions, depth), Ok(expected), "{rules:?}, depth {depth}");
        }
    });
}

#[test]
fn random_positions() {
    epd(include_str!("../../data/random.epd"), 10_000, 1000);
}

#[test]
fn chess960_positions() {
    epd(include_str!("../../data/chess960.epd"), 40_000, 160);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// However little fits at once.
    #[test]
    fn leaves_are_those_of_the_reference(placements in vec(placement(), 1..10), depth in 2..4_u32) {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        for options in [tiny(), Options { memory: Some(40 << 20), ..fill() }] {
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
        for options in [fill(), reversed(), magic()] {
            with_backend(&options, |backend| {
                let counts = backend.count(&Rules::STANDARD, &positions).unwrap();
                assert_eq!(counts.last(), Some(&20));
                let successors = backend.expand(&Rules::STANDARD, &positions).unwrap();
                assert_eq!(successors.ends.len(), positions.len());
                assert_eq!(successors.of(positions.len() - 1).len(), 20);
                assert_eq!(backend.perft(&Rules::STANDARD, &positions, 2).unwrap().last(), Some(&400));
                let scores = backend.minimax(&Rules::STANDARD, &positions, 1, Leaves::Static).unwrap();
                let start = backend.minimax(&Rules::STANDARD, &[start], 1, Leaves::Static).unwrap();
                assert_eq!(scores.last(), start.last());
            });
        }
    }
}
