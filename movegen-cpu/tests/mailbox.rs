//! The mailbox oracle against published numbers: leaf counts, categories, and two suites.

use kogge_board::{Backend, Fen, Quad48};
use kogge_movegen_cpu::mailbox::{self, Categories, Mailbox};

const KNOWN: &str = include_str!("../../data/known-counts.tsv");

fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

#[track_caller]
fn check_perft(fen: &str, depth: u32, expected: u64) {
    let Fen { position, rules, .. } = fen.parse().unwrap();
    let found = Mailbox::new().perft(&rules, &[Quad48::from(&position)], depth);
    assert_eq!(found, Ok(vec![expected]), "{fen} depth {depth}");
}

/// The counts that every device must reproduce were found by the bitboard code.
#[test]
fn what_devices_are_tested_with() {
    assert_eq!(kogge_board::self_test(&mut Mailbox::new()), Ok(()));
}

#[test]
fn known_counts_to_20_million_nodes() {
    let mut seen = 0;
    for row in rows(KNOWN) {
        let [_, fen, depth, nodes, _] = row[..] else { panic!("{row:?}") };
        // The longest numbers do not fit in 64 bits.
        if let Ok(nodes @ ..20_000_000) = nodes.parse() {
            check_perft(fen, depth.parse().unwrap(), nodes);
            seen += 1;
        }
    }
    assert_eq!(seen, 28);
}

#[test]
fn categories_to_5_million_nodes() {
    let mut seen = 0;
    for row in rows(include_str!("../../data/categories.tsv")) {
        let numbers: Vec<u64> = row[1..].iter().map(|number| number.parse().unwrap()).collect();
        let [depth, nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates] = numbers[..]
        else {
            panic!("{row:?}")
        };
        if nodes > 5_000_000 {
            continue;
        }
        let expected =
            Categories { nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates };
        let fen = rows(KNOWN).find(|known| known[0] == row[0]).unwrap()[1];
        let Fen { position, rules, .. } = fen.parse().unwrap();
        assert_eq!(mailbox::categories(&rules, &position, depth as u32), expected, "{} depth {depth}", row[0]);
        seen += 1;
    }
    assert_eq!(seen, 8);
}

/// Checks every line `FEN ;D1 n ;D2 n ...` as deep as it stays below so many leaves.
fn check_suite(text: &str, lines: usize, most: u64) {
    let mut seen = 0;
    for line in text.lines().filter(|line| !line.is_empty()) {
        let mut fields = line.split(';');
        let fen = fields.next().unwrap();
        let counts = fields.map(|field| {
            let (depth, nodes) = field.trim().split_once(' ').unwrap();
            (depth.strip_prefix('D').unwrap().parse().unwrap(), nodes.trim().parse().unwrap())
        });
        let (depth, nodes) = counts.take_while(|&(_, nodes)| nodes <= most).last().unwrap();
        check_perft(fen, depth, nodes);
        seen += 1;
    }
    assert_eq!(seen, lines);
}

#[test]
fn random_positions() {
    check_suite(include_str!("../../data/random.epd"), 1000, 200_000);
}

#[test]
fn chess960() {
    check_suite(include_str!("../../data/chess960.epd"), 160, 200_000);
}

#[test]
fn no_move_leads_to_the_root() {
    let Fen { position, rules, .. } = Fen::start();
    assert_eq!(mailbox::categories(&rules, &position, 0), Categories { nodes: 1, ..Categories::default() });
    check_perft(kogge_board::START, 0, 1);
}
