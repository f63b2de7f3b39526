//! Perft and divide: totals, pieces of work, and stops.

use crate::support::tree::{Call, Tree};
use crate::support::{KIWIPETE, MATE, POSITION_3, Watch, fen};
use kogge_board::{Backend, BackendError, Fen, Position, Quad48, Rules, unwatched};
use kogge_driver::{Driver, Error, Frontier};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::placement;
use proptest::{prop_assert_eq, proptest};

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
        }
    }
}

#[test]
fn more_than_128_bits_is_an_error() {
    let entries = [(Fen::start().position, u128::MAX / 4)];
    let frontier = Frontier::from_entries(&Rules::STANDARD, 0, entries).unwrap();
    let mut tree = Tree::new(&[5], 1);
    let counts: Vec<u128> = Driver::new(&mut tree, &()).count_below(&frontier, 1).unwrap();
    assert_eq!(counts, [5]);
    assert_eq!(frontier.total(&counts), Err(Error::Overflow));
    assert_eq!(frontier.total(&[4]), Ok(u128::MAX / 4 * 4));
}

#[test]
fn a_tree_is_counted_in_one_call() {
    let mut tree = Tree::new(&[25], 1);
    assert_eq!(perft(&mut tree, 13), Ok(25_u128.pow(13)));
    assert_eq!(tree.calls, [Call::Perft { positions: 1, depth: 13 }]);
}

#[test]
fn trees_share_a_call() {
    for (trees, depth) in [(30, 5), (513, 5), (1, 2), (30, 0)] {
        let entries = (0..trees).map(|_| (Fen::start().position, 1));
        let frontier = Frontier::from_entries(&Rules::STANDARD, 0, entries).unwrap();
        let mut tree = Tree::new(&[5], 1);
        let counts: Vec<u128> = Driver::new(&mut tree, &()).count_below(&frontier, depth).unwrap();
        assert_eq!(counts, vec![5_u128.pow(depth); trees]);
        assert_eq!(tree.calls, [Call::Perft { positions: trees, depth }]);
    }
}

#[test]
fn a_count_reports_fails_and_stops() {
    let watch = Watch::default();
    let entries = vec![(Fen::start().position, 1); 25];
    let frontier = Frontier::from_entries(&Rules::STANDARD, 0, entries).unwrap();
    let count = |tree: &mut Tree, watch: &Watch| Driver::new(tree, watch).count_below::<u128>(&frontier, 12);
    assert_eq!(count(&mut Tree::new(&[25], 1), &watch), Ok(vec![25_u128.pow(12); 25]));
    let seen = watch.seen.into_inner().unwrap();
    assert!(seen.len() > 25);
    assert!(seen.is_sorted_by(|a, b| a.done <= b.done && a.counted <= b.counted && a.fraction <= b.fraction + 1e-9));
    let last = seen.last().unwrap();
    assert_eq!((last.done, last.total, last.counted, last.fraction), (25, 25, 25_u128.pow(13), 1.0));

    for stop_at in 1..20 {
        match count(&mut Tree::new(&[25], 1), &Watch::stopping_at(stop_at)) {
            Err(Error::Cancelled(progress)) => {
                assert!(progress.done < stop_at as u64 && progress.total == 25);
                assert!(progress.counted < 25_u128.pow(13));
                let expected = format!("Stopped on request: {} of 25 frontier entries were done (", progress.done);
                let text = Error::Cancelled(progress).to_string();
                assert!(text.starts_with(&expected), "{text}");
            }
            found => panic!("{found:?}"),
        }
    }
    let mut tree = Tree { fail_at: Some(1), ..Tree::new(&[25], 1) };
    assert_eq!(perft(&mut tree, 13).unwrap_err().to_string(), "tree failed in a test: it was told to.");
    let mut tree = Tree { memory: 29, ..Tree::new(&[30], 1) };
    assert!(matches!(perft(&mut tree, 5), Err(Error::Backend(BackendError::OutOfMemory { .. }))));
    let mut tree = Tree { forgetful: true, ..Tree::new(&[25], 1) };
    assert!(matches!(perft(&mut tree, 6), Err(Error::Backend(BackendError::WrongAnswer { .. }))));
}

#[test]
fn frontiers_expand_and_merge_exactly() {
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let mut frontier = Frontier::of(&Fen::start());
    // Paths to each ply and its distinct positions: OEIS A048987 and A083276.
    for (ply, paths, distinct) in [(1, 20, 20), (2, 400, 400), (3, 8902, 5362)] {
        frontier = frontier.expand(&mut cpu).unwrap();
        let merged = frontier.merge().unwrap();
        assert_eq!((frontier.ply(), frontier.len(), merged.len()), (ply, paths, distinct));
        assert_eq!(merged.multiplicities().iter().sum::<u128>(), paths as u128);
        let mut driver = Driver::new(&mut cpu, &());
        let all: Vec<u128> = driver.count_below(&frontier, 1).unwrap();
        let once: Vec<u128> = driver.count_below(&merged, 1).unwrap();
        assert_eq!(frontier.total(&all), merged.total(&once));
        frontier = merged;
    }
    let broken = Position { pawns: 1, ..Fen::start().position };
    assert!(Frontier::from_entries(&Rules::STANDARD, 0, [(broken, 1)]).is_err());
}

proptest! {
    /// Checks that the counts of pieces of any size sum to the count of a plain generator.
    #[test]
    fn agrees_with_the_mailbox((rules, position) in placement(), depth in 0..4u32) {
        let expected = Mailbox::new().perft(&rules, &[Quad48::from(&position)], depth, &mut unwatched).unwrap();
        let root = Fen::new(position, rules);
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let mut driver = Driver::new(&mut cpu, &());
        prop_assert_eq!(driver.perft(&root, depth), Ok(expected[0]));
        if depth > 0 {
            let divided = driver.divide(&root, depth).unwrap();
            prop_assert_eq!(divided.iter().map(|&(_, count)| count).sum::<u128>(), expected[0]);
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
