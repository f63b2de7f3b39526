//! The suite that every backend must pass.
//!
//! A backend's crate instantiates the suite in one line that names the backend and a reference:
//!
//! ```text
//! kogge_testkit::conformance!(opencl, OpenCl::open(0)?, Cpu::new(None)?, leaves: 300_000);
//! ```

use std::collections::BTreeMap;

use kogge_board::known::{self, KnownCounts};
use kogge_board::placements::{ALL_MEN, Placement, placement, themes};
use kogge_board::soak::Disagreement;
use kogge_board::{Backend, BackendError, Fen, Move, Quad48, Rules, Successors, unwatched};

/// Makes a module of tests for one backend: `name, backend, reference, leaves: most`.
///
/// `backend` and `reference` are expressions that open a backend; published counts up to `leaves` are recomputed.
#[macro_export]
macro_rules! conformance {
    ($name:ident, $backend:expr, $reference:expr, leaves: $leaves:expr) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn published_counts() {
                $crate::conformance::published_counts(&mut $backend, $leaves);
            }

            #[test]
            fn trivial_batches() {
                $crate::conformance::trivial_batches(&mut $backend);
            }

            #[test]
            fn random_placements() {
                $crate::conformance::random_placements(&mut $backend, &mut $reference);
            }

            #[test]
            fn random_playouts() {
                $crate::conformance::random_playouts(&mut $backend, &mut $reference);
            }

            #[test]
            fn merged_plies() {
                $crate::conformance::merged_plies(&mut $backend, &mut $reference);
            }

            #[test]
            fn merging_without_room() {
                $crate::conformance::merging_without_room(&mut $backend);
            }

            #[test]
            fn kinds_of_moves() {
                $crate::conformance::kinds_of_moves(&mut $backend);
            }

            #[test]
            fn minimax_scores() {
                $crate::conformance::minimax_scores(&mut $backend, &mut $reference);
            }
        }
    };
}

mod categories;
mod merging;
mod minimax;

pub use categories::kinds_of_moves;
pub use merging::{merged_plies, merging_without_room};
pub use minimax::minimax_scores;

/// Positions under common rules.
pub type Batches = Vec<(Rules, Vec<Quad48>)>;

/// Checks published counts of the standard positions and of some Chess960 positions, up to `most` leaves.
pub fn published_counts(backend: &mut dyn Backend, most: u64) {
    let mut checked = 0;
    for known in published() {
        for (depth, leaves) in known.counts() {
            if leaves <= most.into() {
                let counts =
                    backend.perft(&known.root.rules, &[Quad48::from(&known.root.position)], depth, &mut unwatched);
                assert_eq!(counts, Ok(vec![leaves]), "{} at depth {depth}", known.root);
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "only {checked} counts are that small");
}

fn published() -> impl Iterator<Item = KnownCounts> {
    known::standard().into_iter().chain(known::chess960().into_iter().step_by(8))
}

/// Checks empty batches, depth 0, and batches of many equal positions.
pub fn trivial_batches(backend: &mut dyn Backend) {
    let rules = Rules::STANDARD;
    let start = Quad48::from(&Fen::start().position);
    assert_eq!(backend.perft(&rules, &[], 1, &mut unwatched), Ok(vec![]));
    assert_eq!(backend.perft(&rules, &[], 3, &mut unwatched), Ok(vec![]));
    assert!(backend.expand(&rules, &[]).is_ok_and(|none| none.positions.is_empty() && none.ends.is_empty()));
    assert_eq!(backend.perft(&rules, &[start; 3], 0, &mut unwatched), Ok(vec![1; 3]));
    for size in [1, 2, 63, 64, 65, 255, 256, 257, 1000] {
        assert_eq!(backend.perft(&rules, &vec![start; size], 1, &mut unwatched), Ok(vec![20; size]));
        assert_eq!(backend.perft(&rules, &vec![start; size], 2, &mut unwatched), Ok(vec![400; size]));
        let successors = backend.expand(&rules, &vec![start; size]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(successors.positions.len(), 20 * size);
        assert!(successors.iter().all(|all| all == successors.of(0)), "equal positions have equal successors");
    }
    // Mate and stalemate have no moves and no leaves.
    for fen in ["R5k1/5ppp/8/8/8/8/8/4K3 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        let fen: Fen = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
        let position = Quad48::from(&fen.position);
        assert_eq!(backend.perft(&fen.rules, &[position, start], 1, &mut unwatched).map(|counts| counts[0]), Ok(0));
        for depth in 1..5 {
            assert_eq!(backend.perft(&fen.rules, &[position], depth, &mut unwatched), Ok(vec![0]));
        }
    }
}

/// Compares counts, successors (byte for byte) and leaves of random legal placements.
pub fn random_placements(backend: &mut dyn Backend, reference: &mut dyn Backend) {
    for (rules, positions) in placements() {
        compare(backend, reference, &rules, &positions, 2);
    }
}

/// Draws random legal placements, grouped by rules.
pub fn placements() -> Batches {
    by_rules((0..6000).map(|seed| placement(seed, &themes::MIXED, ALL_MEN)))
}

/// Groups placements by their rules, because a batch has one set of rules.
pub fn by_rules(placements: impl IntoIterator<Item = Placement>) -> Batches {
    let mut batches: BTreeMap<_, Vec<Quad48>> = BTreeMap::new();
    for (rules, position) in placements {
        batches.entry(rules).or_default().push(Quad48::from(&position));
    }
    batches.into_iter().collect()
}

/// Compares positions of random games from the standard positions and from Chess960.
pub fn random_playouts(backend: &mut dyn Backend, reference: &mut dyn Backend) {
    for (rules, positions) in playouts(reference) {
        compare(backend, reference, &rules, &positions, 2);
        compare(backend, reference, &rules.with_halfmove_clock(true), &positions, 1);
    }
}

/// Returns the positions of random games from the standard positions and from Chess960; the reference makes the moves.
pub fn playouts(reference: &mut dyn Backend) -> Batches {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut batches = Batches::new();
    for KnownCounts { root: fen, .. } in published() {
        let start = Quad48::from(&fen.position);
        let mut games = [start; 4];
        let mut seen = Vec::new();
        for _ in 0..40 {
            seen.extend(games);
            let successors = reference.expand(&fen.rules, &games).unwrap_or_else(|error| panic!("{error}"));
            for (game, all) in games.iter_mut().zip(successors.iter()) {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *game = match all.len() {
                    0 => start,
                    moves => all[(random >> 33) as usize % moves],
                };
            }
        }
        batches.push((fen.rules, seen));
    }
    batches
}

/// Compares two backends on one batch and names the first position on which they differ.
///
/// # Panics
/// If they differ, or if either fails.
pub fn compare(
    backend: &mut dyn Backend,
    reference: &mut dyn Backend,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
) {
    if let Some(difference) = difference(backend, reference, rules, positions, depth) {
        panic!("{difference}");
    }
}

/// All answers of a backend for a batch.
struct Answers {
    counts: Vec<u128>,
    successors: Successors,
    leaves: Vec<u128>,
}

impl Answers {
    fn of(backend: &mut dyn Backend, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Self, BackendError> {
        let answers = Self {
            counts: backend.perft(rules, positions, 1, &mut unwatched)?,
            successors: backend.expand(rules, positions)?,
            leaves: backend.perft(rules, positions, depth, &mut unwatched)?,
        };
        let lengths = [answers.counts.len(), answers.successors.ends.len(), answers.leaves.len()];
        let name = backend.info().backend;
        assert_eq!(lengths, [positions.len(); 3], "the {name} backend gives an answer for each position");
        Ok(answers)
    }
}

/// Compares two backends on one batch: their counts, successors (byte for byte) and leaves at this depth.
///
/// # Panics
/// If either fails.
pub fn difference(
    backend: &mut dyn Backend,
    reference: &mut dyn Backend,
    rules: &Rules,
    positions: &[Quad48],
    depth: u32,
) -> Option<Disagreement> {
    let ask = |backend: &mut dyn Backend| {
        let answers = Answers::of(backend, rules, positions, depth);
        answers.unwrap_or_else(|error| panic!("{error}"))
    };
    let (ours, theirs) = (ask(backend), ask(reference));
    let (us, them) = (backend.info().backend, reference.info().backend);
    for (index, position) in positions.iter().enumerate() {
        let found = |depth, what| {
            let position = Fen::new(position.unpack_unchecked(), *rules);
            Some(Disagreement { position, depth, what })
        };
        let [a, b] = [&ours, &theirs].map(|answers| answers.counts[index]);
        if a != b {
            return found(1, format!("{us} counts {a} moves, {them} {b}"));
        }
        let [a, b] = [&ours, &theirs].map(|answers| answers.successors.of(index));
        if a != b {
            let moves = |all: &[Quad48]| -> Vec<_> {
                let parent = position.unpack_unchecked();
                all.iter().map(|child| Move::between(rules, &parent, &child.unpack_unchecked())).collect()
            };
            let first = a.iter().zip(b).position(|(a, b)| a != b);
            let (a, b) = (moves(a), moves(b));
            return found(1, format!("{us} expands to\n{a:?}\n{them} to\n{b:?}\nfirst different at {first:?}"));
        }
        let [a, b] = [&ours, &theirs].map(|answers| answers.leaves[index]);
        if a != b {
            return found(depth, format!("{us} finds {a} leaves at depth {depth}, {them} {b}"));
        }
    }
    None
}
