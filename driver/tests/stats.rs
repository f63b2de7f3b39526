//! Categories of leaf moves, compared with published ones.

mod support;

use kogge_board::Fen;
use kogge_driver::{Driver, Stats};
use kogge_movegen_cpu::{Cpu, mailbox};
use kogge_testkit::placement;
use proptest::{prop_assert_eq, proptest};
use support::tree::Tree;
use support::{KIWIPETE, MATE, POSITION_3, fen};

#[test]
fn shallow_trees_have_the_published_categories() {
    for (root, depth, [nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates]) in [
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
        // Chess960: one castling barred by the other rook; the king stays; king and rook swap.
        (fen("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1"), 1, [25, 2, 0, 1, 0, 2, 0, 0, 0]),
        (fen("4k3/8/8/8/8/8/8/6KR w H - 0 1"), 1, [12, 0, 0, 1, 0, 1, 0, 0, 0]),
        (fen("3k4/8/8/8/8/8/8/R1K5 w A - 0 1"), 1, [14, 0, 0, 1, 0, 2, 0, 0, 0]),
        (fen("5k2/8/8/8/8/8/8/5KR1 w G - 0 1"), 1, [13, 0, 0, 1, 0, 2, 0, 0, 0]),
    ] {
        let expected = Stats { nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates };
        let found = Driver::new(&mut Cpu::new(Some(1)).unwrap(), &()).stats(&root, depth).unwrap();
        assert_eq!(found, expected, "{root} at {depth}");
    }
}

proptest! {
    /// The mailbox generator classifies moves while making them; the driver compares two positions.
    #[test]
    fn agrees_with_the_mailbox((rules, position) in placement(), depth in 0..3u32) {
        let oracle = mailbox::categories(&rules, &position, depth);
        let mut cpu = Cpu::new(Some(1)).unwrap();
        let found = Driver::new(&mut cpu, &()).stats(&Fen::new(position, rules), depth);
        let expected = Stats {
            nodes: oracle.nodes.into(),
            captures: oracle.captures.into(),
            en_passant: oracle.en_passant.into(),
            castles: oracle.castles.into(),
            promotions: oracle.promotions.into(),
            checks: oracle.checks.into(),
            discovered: oracle.discovered.into(),
            double: oracle.double.into(),
            mates: oracle.mates.into(),
        };
        prop_assert_eq!(found, Ok(expected));
    }
}

#[test]
fn a_failure_is_no_number() {
    for fail_at in [1, 4, 6] {
        let mut tree = Tree::new(&[20], 100);
        tree.fail_at = Some(fail_at);
        assert!(Driver::new(&mut tree, &()).stats(&Fen::start(), 5).is_err());
    }
}
