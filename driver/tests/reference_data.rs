//! The tables in `data/`, recomputed by the driver on kogge's own backends.

use std::collections::HashMap;

use kogge_board::Fen;
use kogge_driver::{Driver, Stats};
use kogge_movegen_cpu::Cpu;

fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

/// The six positions of `known-counts.tsv` by name.
fn positions() -> HashMap<&'static str, Fen> {
    rows(include_str!("../../data/known-counts.tsv")).map(|row| (row[0], row[1].parse().unwrap())).collect()
}

/// Most positions of a ply that are collected here.
const MOST_DISTINCT: u64 = 10_000_000;

#[test]
fn distinct_positions() {
    let positions = positions();
    let mut cpu = Cpu::new(None).unwrap();
    let mut driver = Driver::new(&mut cpu, &());
    let mut expected: HashMap<&str, Vec<u64>> = HashMap::new();
    for row in rows(include_str!("../../data/unique.tsv")) {
        let counts = expected.entry(row[0]).or_default();
        assert_eq!(row[1].parse(), Ok(counts.len()), "plies are in order");
        counts.push(row[2].parse().unwrap());
    }
    for (name, mut counts) in expected {
        counts.retain(|&count| count <= MOST_DISTINCT);
        assert!(counts.len() > 4);
        assert_eq!(driver.unique(&positions[name], counts.len() as u32 - 1), Ok(counts), "{name}");
    }
}

#[test]
fn categories() {
    let positions = positions();
    let mut cpu = Cpu::new(None).unwrap();
    let mut driver = Driver::new(&mut cpu, &());
    let mut seen = 0;
    for row in rows(include_str!("../../data/categories.tsv")) {
        let numbers: Vec<u128> = row[2..].iter().map(|number| number.parse().unwrap()).collect();
        let [nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates] = numbers[..] else {
            panic!("{row:?}");
        };
        let expected = Stats { nodes, captures, en_passant, castles, promotions, checks, discovered, double, mates };
        let found = driver.stats(&positions[row[0]], row[1].parse().unwrap());
        assert_eq!(found, Ok(expected), "{} at {}", row[0], row[1]);
        seen += 1;
    }
    assert_eq!(seen, 14);
}
