//! Categories of leaf moves, compared with published ones.

use crate::support::tree::Tree;
use crate::support::{KIWIPETE, MATE, POSITION_3, fen, merged};
use kogge_board::{Categories, Fen};
use kogge_driver::{Driver, MergeSettings, Quantity};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::placement;
use proptest::{prop_assert_eq, proptest};

#[test]
fn shallow_trees_have_the_published_categories() {
    // Leaves, captures, en passant, castling, promotions, checks, discovered and double checks, mates.
    for (root, depth, expected) in [
        (Fen::start(), 0, [1, 0, 0, 0, 0, 0, 0, 0, 0]),
        (Fen::start(), 3, [8902, 34, 0, 0, 0, 12, 0, 0, 0]),
        (fen(KIWIPETE), 1, [48, 8, 0, 2, 0, 0, 0, 0, 0]),
        (fen(KIWIPETE), 2, [2039, 351, 1, 91, 0, 3, 0, 0, 0]),
        (fen(KIWIPETE), 3, [97862, 17102, 45, 3162, 0, 993, 0, 0, 1]),
        (fen(POSITION_3), 4, [43238, 3348, 123, 0, 0, 1680, 106, 0, 17]),
        (fen("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"), 2, [264, 87, 0, 6, 48, 10, 0, 0, 0]),
        (fen("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"), 1, [44, 6, 0, 1, 4, 0, 0, 0, 0]),
        (fen(MATE), 1, [0; 9]),
        // Castling with check by the rook. The rook has moved, so the check is not discovered.
        (fen("5k2/8/8/8/8/8/8/4K2R w K - 0 1"), 1, [15, 0, 0, 1, 0, 3, 0, 0, 0]),
        // Chess960: the other rook bars one castling; the king stays in place; king and rook exchange squares.
        (fen("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"), 1, [25, 2, 0, 1, 0, 2, 0, 0, 0]),
        (fen("4k3/8/8/8/8/8/8/6KR w H - 0 1"), 1, [12, 0, 0, 1, 0, 1, 0, 0, 0]),
        (fen("3k4/8/8/8/8/8/8/R1K5 w A - 0 1"), 1, [14, 0, 0, 1, 0, 2, 0, 0, 0]),
        (fen("5k2/8/8/8/8/8/8/5KR1 w G - 0 1"), 1, [13, 0, 0, 1, 0, 2, 0, 0, 0]),
    ] {
        let found = Driver::new(&mut Cpu::new(Some(1)).unwrap(), &()).stats(&root, depth).unwrap();
        assert_eq!(found.to_array(), expected, "{root} at {depth}");
    }
}

proptest! {
    /// Merged plies, also in ranges, have the same leaves by kind as the mailbox generator, which makes every leaf.
    #[test]
    fn merged_or_not_agrees_with_the_mailbox((rules, position) in placement(), depth in 0..4_u32, ranges in 1..4_u32) {
        let root = Fen::new(position, rules);
        let expected = Driver::new(&mut Mailbox::new(), &()).stats(&root, depth);
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let mut driver = Driver::new(&mut cpu, &());
        prop_assert_eq!(driver.stats(&root, depth), expected.clone());
        let settings = MergeSettings { ranges: Some(ranges), ..MergeSettings::with_memory(1 << 24) };
        let merged = driver.perft_merged(&root, depth, &settings.counting(Quantity::Categories)).unwrap();
        prop_assert_eq!((Some(merged.leaves), merged.categories), (expected.as_ref().ok().map(|sum| sum.nodes), expected.ok()));
    }
}

#[test]
fn merged_trees_have_the_published_categories() {
    let expected = [4_865_609, 82_719, 258, 0, 0, 27_351, 6, 0, 347];
    for (plies, memory) in [(None, 1 << 26), (Some(4), 1 << 26), (Some(3), 300 << 10)] {
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let settings = MergeSettings { plies, ..MergeSettings::with_memory(memory) };
        let merged = Driver::new(&mut cpu, &())
            .perft_merged(&Fen::start(), 5, &settings.counting(Quantity::Categories))
            .unwrap();
        assert_eq!(merged.categories, Some(Categories::from_array(expected)), "{plies:?} plies");
        assert_eq!(merged.leaves, expected[0]);
    }
    // If kinds are not requested, there are no categories.
    let mut cpu = Cpu::new(Some(1)).unwrap();
    let merged = merged(&mut cpu, &Fen::start(), 4, &MergeSettings::with_memory(1 << 26));
    assert_eq!((merged.leaves, merged.categories), (197_281, None));
}

#[test]
fn calls_of_all_sizes_add_up() {
    for batch in [1, 64, 1 << 20] {
        let mut tree = Tree::new(&[20], batch);
        let found = Driver::new(&mut tree, &()).stats(&Fen::start(), 6).unwrap();
        assert_eq!((found.nodes, found.captures, found.checks), (64_000_000, 64_000_000, 0), "batches of {batch}");
    }
    // A backend that fails, lacks memory, or answers for too few positions causes an error, not a number.
    let tree = || Tree::new(&[20], 100);
    for mut tree in
        [Tree { fail_at: Some(1), ..tree() }, Tree { memory: 50_000, ..tree() }, Tree { forgetful: true, ..tree() }]
    {
        assert!(Driver::new(&mut tree, &()).stats(&Fen::start(), 5).is_err());
    }
}
