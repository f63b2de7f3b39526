//! Perft and divide: totals, pieces of work, and stops.

mod support;

use kogge_board::{Backend, BackendError, Fen, Position, Quad48, Rules};
use kogge_driver::{Driver, Error, Frontier};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::placement;
use proptest::{prop_assert_eq, proptest};
use support::tree::{Call, Tree};
use support::{KIWIPETE, MATE, POSITION_3, Watch, fen};

/// Returns a tree whose calls are watched.
fn watched(branching: &[u64]) -> Tree {
    Tree { watched: true, ..Tree::new(branching, 1) }
}

fn perft(tree: &mut Tree, depth: u32) -> Result<u128, Error> {
    Driver::new(tree, &()).perft(&Fen::start(), depth)
}

#[test]
fn trees_known_on_paper() {
    for batch in [1, 100, 10_000] {
        for (branching, depth, leaves) in [
            (&[7][..], 0, 1),
            (&[7], 1, 7),
            (&[7], 2, 49),
            (&[7], 10, 282_475_249),
            (&[0], 1, 0),
            (&[3, 0], 30, 0),
            (&[1], 128, 1),
            (&[2], 26, 1 << 26),
            (&[20, 20, 22, 22, 25, 24], 6, 116_160_000),
            // Beyond 64 bits.
            (&[3, 3, 3, 512], 10, 27 << 63),
            (&[1, 1, 1, 1, 8, 512], 12, 1 << 66),
        ] {
            let found = perft(&mut Tree::new(branching, batch), depth);
            assert_eq!(found, Ok(leaves), "{branching:?} at {depth} in batches of {batch}");
            assert_eq!(perft(&mut watched(branching), depth), Ok(leaves), "{branching:?} at {depth}, watched");
        }
    }
}

#[test]
fn more_than_128_bits_is_an_error() {
    let entries = [(Fen::start().position, u128::MAX / 4)];
    let frontier = Frontier::from_entries(&Rules::STANDARD, 0, entries).unwrap();
    let mut tree = Tree::new(&[5], 1);
    let counts = Driver::new(&mut tree, &()).count_below(&frontier, 1).unwrap();
    assert_eq!(counts, [5]);
    assert_eq!(frontier.total(&counts), Err(Error::Overflow));
    assert_eq!(frontier.total(&[4]), Ok(u128::MAX / 4 * 4));
}

#[test]
fn one_call_never_counts_deeper_than_64_bits_allow() {
    let mut tree = Tree::new(&[1], 1);
    assert_eq!(perft(&mut tree, 60), Ok(1));
    let depths = tree.calls.iter().filter_map(|call| match call {
        Call::Perft { depth, .. } => Some(*depth),
        _ => None,
    });
    assert!(depths.max().unwrap() <= 7);
}

#[test]
fn a_count_too_large_for_a_call_is_cut() {
    let mut tree = Tree::new(&[10], 1);
    tree.largest = 99;
    assert_eq!(perft(&mut tree, 7), Ok(10_000_000));
    tree.largest = 9;
    assert_eq!(perft(&mut tree, 7), Err(BackendError::Overflow.into()), "one ply cannot be cut");
}

#[test]
fn what_does_not_fit_in_memory_is_cut() {
    let mut tree = Tree::new(&[30], 1000);
    tree.memory = 5000;
    assert_eq!(perft(&mut tree, 5), Ok(24_300_000));
    tree.memory = 800;
    assert_eq!(perft(&mut tree, 5), Ok(24_300_000), "not even one position's two plies fit");
    tree.memory = 29;
    assert!(matches!(perft(&mut tree, 5), Err(Error::Backend(BackendError::OutOfMemory { .. }))));
}

#[test]
fn the_device_gets_as_much_as_it_wants_but_memory_is_bounded() {
    let mut tree = Tree::new(&[30], 100_000);
    perft(&mut tree, 7).unwrap();
    assert!(tree.most_positions() >= 100_000);
    // Dense and deep: neither the frontier nor a slice exceeds its bound.
    let mut tree = Tree::new(&[218, 218, 218, 1], 1 << 24);
    assert_eq!(perft(&mut tree, 6), Ok(218 * 218 * 218));
    assert!(tree.most_positions() <= 1 << 22);
}

#[test]
fn a_failure_anywhere_is_no_number() {
    for fail_at in 1.. {
        let mut tree = Tree::new(&[25], 100);
        tree.fail_at = Some(fail_at);
        match perft(&mut tree, 6) {
            Err(error) => {
                assert_eq!(error.to_string(), "tree failed in a test: it was told to.");
                assert_eq!(tree.calls.len(), fail_at, "no call after the failure");
            }
            // The number of calls depends on their times.
            Ok(leaves) => {
                assert_eq!(leaves, 244_140_625);
                assert!(tree.calls.len() < fail_at && fail_at > 5);
                break;
            }
        }
    }
    let mut tree = Tree::new(&[25], 100);
    tree.forgetful = true;
    assert!(matches!(perft(&mut tree, 6), Err(Error::Backend(BackendError::WrongAnswer { .. }))));
}

#[test]
fn progress_grows_to_all_and_stopping_says_how_far() {
    let watch = Watch::default();
    let mut tree = Tree::new(&[25], 100);
    assert_eq!(Driver::new(&mut tree, &watch).perft(&Fen::start(), 6), Ok(244_140_625));
    let seen = watch.seen.into_inner().unwrap();
    assert!(seen.is_sorted_by(|a, b| a.done <= b.done && a.counted <= b.counted && a.fraction <= b.fraction + 1e-9));
    let last = seen.last().unwrap();
    assert_eq!((last.done, last.total, last.counted), (15_625, 15_625, 244_140_625));
    assert!((last.fraction - 1.0).abs() < 1e-9);

    for stop_at in 1..20 {
        let watch = Watch::stopping_at(stop_at);
        match Driver::new(&mut Tree::new(&[25], 100), &watch).perft(&Fen::start(), 6) {
            Err(Error::Cancelled(progress)) => {
                assert!(progress.done <= progress.total && progress.counted < 244_140_625);
                let expected = match progress.total {
                    0 => "Stopped on request: no part of the work was done; there is no result.".to_owned(),
                    total => format!("Stopped on request: {} of {total} frontier entries were done (", progress.done),
                };
                let text = Error::Cancelled(progress).to_string();
                assert!(text.starts_with(&expected), "{text}");
            }
            Ok(leaves) => assert_eq!(leaves, 244_140_625),
            Err(error) => panic!("{error}"),
        }
    }
    let watch = Watch::stopping_at(1);
    let stopped = Driver::new(&mut Tree::new(&[25], 100), &watch).perft(&Fen::start(), 6);
    assert!(matches!(stopped, Err(Error::Cancelled(_))));
}

#[test]
fn a_watched_backend_counts_a_tree_in_one_call() {
    let mut tree = watched(&[25]);
    assert_eq!(perft(&mut tree, 12), Ok(25_u128.pow(12)));
    assert_eq!(tree.calls, [Call::Perft { positions: 1, depth: 12 }]);
    // Deeper trees are expanded first, and their successors counted in one call.
    let mut tree = watched(&[25]);
    assert_eq!(perft(&mut tree, 13), Ok(25_u128.pow(13)));
    assert_eq!(tree.calls[2..], [Call::Perft { positions: 25, depth: 12 }]);
    let mut tree = watched(&[1]);
    assert_eq!(perft(&mut tree, 60), Ok(1));
}

#[test]
fn watched_trees_share_a_call() {
    for (trees, depth) in [(30, 5), (513, 5), (1, 2), (30, 0)] {
        let entries = (0..trees).map(|_| (Fen::start().position, 1));
        let frontier = Frontier::from_entries(&Rules::STANDARD, 0, entries).unwrap();
        let mut tree = watched(&[5]);
        let counts = Driver::new(&mut tree, &()).count_below(&frontier, depth).unwrap();
        assert_eq!(counts, vec![5_u128.pow(depth); trees]);
        assert_eq!(tree.calls, [Call::Perft { positions: trees, depth }]);
    }
}

#[test]
fn a_watched_count_that_is_too_large_is_cut() {
    let mut tree = watched(&[10]);
    tree.largest = 99;
    assert_eq!(perft(&mut tree, 7), Ok(10_000_000));
    tree.largest = 9;
    assert_eq!(perft(&mut tree, 7), Err(BackendError::Overflow.into()), "one ply cannot be cut");
    let mut tree = watched(&[30]);
    tree.memory = 29;
    assert!(matches!(perft(&mut tree, 5), Err(Error::Backend(BackendError::OutOfMemory { .. }))));
    tree.memory = 30 * 900;
    assert_eq!(perft(&mut tree, 5), Ok(24_300_000));
}

#[test]
fn a_watched_count_reports_fails_and_stops() {
    let watch = Watch::default();
    assert_eq!(Driver::new(&mut watched(&[25]), &watch).perft(&Fen::start(), 13), Ok(25_u128.pow(13)));
    let seen = watch.seen.into_inner().unwrap();
    assert!(seen.len() > 25);
    assert!(seen.is_sorted_by(|a, b| a.done <= b.done && a.counted <= b.counted && a.fraction <= b.fraction + 1e-9));
    let last = seen.last().unwrap();
    assert_eq!((last.done, last.total, last.counted, last.fraction), (25, 25, 25_u128.pow(13), 1.0));

    let watch = Watch::stopping_at(20);
    match Driver::new(&mut watched(&[25]), &watch).perft(&Fen::start(), 13) {
        Err(Error::Cancelled(progress)) => {
            assert!((1..20).contains(&progress.done) && progress.total == 25);
            assert!((1..25_u128.pow(13)).contains(&progress.counted));
        }
        found => panic!("{found:?}"),
    }
    for fail_at in 1..=3 {
        let mut tree = Tree { fail_at: Some(fail_at), ..watched(&[25]) };
        let error = perft(&mut tree, 13).unwrap_err();
        assert_eq!(error.to_string(), "tree failed in a test: it was told to.");
        assert_eq!(tree.calls.len(), fail_at, "no call after the failure");
    }
    let mut tree = Tree { forgetful: true, ..watched(&[25]) };
    assert!(matches!(perft(&mut tree, 6), Err(Error::Backend(BackendError::WrongAnswer { .. }))));
}

#[test]
fn frontiers_expand_and_merge_exactly() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let mut frontier = Frontier::of(&Fen::start());
    // Paths and distinct positions after each ply: OEIS A048987 and A083276.
    for (ply, paths, distinct) in [(1, 20, 20), (2, 400, 400), (3, 8902, 5362)] {
        frontier = frontier.expand(&mut cpu).unwrap();
        let merged = frontier.merge().unwrap();
        assert_eq!((frontier.ply(), frontier.len(), merged.len()), (ply, paths, distinct));
        assert_eq!(merged.multiplicities().iter().sum::<u128>(), paths as u128);
        let mut driver = Driver::new(&mut cpu, &());
        let all = driver.count_below(&frontier, 1).unwrap();
        let once = driver.count_below(&merged, 1).unwrap();
        assert_eq!(frontier.total(&all), merged.total(&once));
        frontier = merged;
    }
    let broken = Position { pawns: 1, ..Fen::start().position };
    assert!(Frontier::from_entries(&Rules::STANDARD, 0, [(broken, 1)]).is_err());
}

proptest! {
    /// Checks that pieces of any size add up to the count of a plain generator.
    #[test]
    fn agrees_with_the_mailbox((rules, position) in placement(), depth in 0..4u32) {
        let expected = Mailbox::new().perft(&rules, &[Quad48::from(&position)], depth).unwrap();
        let root = Fen::new(position, rules);
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let mut driver = Driver::new(&mut cpu, &());
        prop_assert_eq!(driver.perft(&root, depth), Ok(expected[0].into()));
        if depth > 0 {
            let divided = driver.divide(&root, depth).unwrap();
            prop_assert_eq!(divided.iter().map(|&(_, count)| count).sum::<u128>(), u128::from(expected[0]));
        }
    }
}

#[test]
fn divide_adds_up_and_names_every_move() {
    for (root, depth, moves, leaves) in [
        (Fen::start(), 3, 20, 8902),
        (fen(KIWIPETE), 2, 48, 2039),
        (fen(POSITION_3), 4, 14, 43238),
        (fen(MATE), 3, 0, 0),
        (Fen::start(), 0, 0, 0),
    ] {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let divided = Driver::new(&mut cpu, &()).divide(&root, depth).unwrap();
        assert_eq!(divided.len(), moves, "{root}");
        assert_eq!(divided.iter().map(|&(_, count)| count).sum::<u128>(), leaves, "{root}");
        let mut names: Vec<_> = divided.iter().map(|(played, _)| played.bits()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), moves, "a move is named twice in {root}");
    }
}
