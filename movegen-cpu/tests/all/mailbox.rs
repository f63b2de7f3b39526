//! The mailbox against published counts and two suites. The suite for all backends compares its categories with published ones.

use kogge_board::known::{self, KnownCounts};
use kogge_board::{Backend, Categories, Fen, Quad48, unwatched};
use kogge_movegen_cpu::mailbox::Mailbox;

#[track_caller]
fn check_perft(root: &Fen, depth: u32, expected: u128) {
    let found = Mailbox::new().perft(&root.rules, &[Quad48::from(&root.position)], depth, &mut unwatched).unwrap();
    assert_eq!(found[0], expected, "{root} at depth {depth}");
}

/// The mailbox confirms the counts that every device must reproduce, which come from the bitboard code.
#[test]
fn what_devices_are_tested_with() {
    assert_eq!(kogge_board::self_test::counting(&mut Mailbox::new()), Ok(()));
}

#[test]
fn known_counts_to_20_million_nodes() {
    let mut seen = 0;
    for known in known::standard() {
        for (depth, leaves) in known.counts().filter(|&(_, leaves)| leaves < 20_000_000) {
            check_perft(&known.root, depth, leaves);
            seen += 1;
        }
    }
    assert_eq!(seen, 28);
}

/// Checks each position of a suite at the deepest depth of at most 200,000 leaves.
fn check_suite(suite: &[KnownCounts], positions: usize) {
    for known in suite {
        let (depth, leaves) = known.counts().take_while(|&(_, leaves)| leaves <= 200_000).last().unwrap();
        check_perft(&known.root, depth, leaves);
    }
    assert_eq!(suite.len(), positions);
}

#[test]
fn random_positions() {
    check_suite(&known::random(), 1000);
}

#[test]
fn chess960() {
    check_suite(&known::chess960(), 160);
}

#[test]
fn no_move_leads_to_the_root() {
    let Fen { position, rules, .. } = Fen::start();
    let root = [Quad48::from(&position)];
    assert_eq!(Mailbox::new().categories(&rules, &root, 0, &mut unwatched), Ok(vec![Categories::ROOT]));
    check_perft(&Fen::start(), 0, 1);
}
