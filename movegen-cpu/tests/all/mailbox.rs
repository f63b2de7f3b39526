//! The mailbox oracle against published numbers: leaf counts, categories, and two suites.

use kogge_board::known::{self, KnownCounts};
use kogge_board::{Backend, Categories, Fen, Quad48, unwatched};
use kogge_movegen_cpu::mailbox::Mailbox;

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

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

#[test]
fn categories_to_5_million_nodes() {
    let standard = known::standard();
    let mut seen = 0;
    for row in rows(include_str!("../../../data/categories.tsv")) {
        let numbers: Vec<u128> = row[1..].iter().map(|number| number.parse().unwrap()).collect();
        let [depth, nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates] = numbers[..]
        else {
            panic!("{row:?}")
        };
        if nodes > 5_000_000 {
            continue;
        }
        let expected =
            Categories { nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates };
        let Fen { position, rules, .. } = standard.iter().find(|known| known.name == row[0]).unwrap().root;
        let root = [Quad48::from(&position)];
        assert_eq!(
            Mailbox::new().categories(&rules, &root, depth as u32, &mut unwatched),
            Ok(vec![expected]),
            "{} depth {depth}",
            row[0]
        );
        seen += 1;
    }
    assert_eq!(seen, 8);
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
