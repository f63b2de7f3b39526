//! The tables in `data/`, recomputed by the driver on kogge's own backends.

use std::collections::HashMap;

use crate::support::{KIWIPETE, fen, rows};
use kogge_board::{Categories, Fen};
use kogge_driver::epd::{self, Case};
use kogge_driver::{Caps, Driver, LineVerdict};
use kogge_movegen_cpu::Cpu;
use kogge_testkit::buggy::{buggy, no_black_queenside};

/// Runs a whole suite, checks that every line passes, and returns the number of recomputed counts.
fn pass(text: &[u8], nodes: u128) -> usize {
    let mut cpu = Cpu::new(None).unwrap();
    let mut driver = Driver::new(&mut cpu, &());
    let case = |(line, case): (usize, Result<Case, _>)| case.unwrap_or_else(|error| panic!("line {line}: {error}"));
    let cases: Vec<_> = epd::lines(text).map(case).collect();
    let verdicts = driver.check(&cases, Caps { nodes, ..Caps::NONE }).unwrap();
    assert_eq!(verdicts.len(), cases.len());
    let checked = cases.iter().zip(verdicts).map(|(case, verdict)| match verdict {
        LineVerdict::Pass { checked, capped, .. } => {
            assert_eq!(checked + capped, case.counts.len());
            checked
        }
        failed => panic!("{}: {failed:?}", case.root),
    });
    checked.sum()
}

#[test]
fn random_positions() {
    assert!(pass(include_bytes!("../../../board/data/random.epd"), 3_000_000) > 3900);
}

#[test]
fn chess960_positions() {
    assert!(pass(include_bytes!("../../../board/data/chess960.epd"), 3_000_000) > 600);
}

#[test]
fn a_wrong_backend_fails() {
    // The counts of a line are compared in its order. A line without black's castling rights passes.
    let text = format!("{} ;D1 48 ;D2 2039 ;D3 97862\n{} ;D2 400 ;D1 20\n", KIWIPETE, Fen::start());
    let cases: Vec<_> = epd::lines(text.as_bytes()).map(|(_, case)| case.unwrap()).collect();
    let mut buggy = buggy(Cpu::new(Some(1)).unwrap(), no_black_queenside);
    let mut driver = Driver::new(&mut buggy, &());
    let caps = |depth, nodes| Caps { depth, nodes };
    let shallow = driver.check(&cases, caps(1, u128::MAX)).unwrap();
    let [kiwipete, start] =
        [(1, 2, 48), (1, 1, 20)].map(|(checked, capped, leaves)| LineVerdict::Pass { checked, capped, leaves });
    assert_eq!(shallow, [kiwipete, start]);
    assert_eq!(driver.check(&cases[..1], caps(9, 2038)).unwrap(), shallow[..1]);
    let failed = driver.check(&cases, Caps::NONE).unwrap();
    assert!(matches!(failed[0], LineVerdict::Fail { depth: 2, expected: 2039, found: ..2039 }), "{failed:?}");
    assert_eq!(failed[1], LineVerdict::Pass { checked: 2, capped: 0, leaves: 420 });
    let swapped = Case { counts: vec![(3, 1), (1, 1)], ..cases[1].clone() };
    let failed = LineVerdict::Fail { depth: 3, expected: 1, found: 8902 };
    assert_eq!(driver.check(&[swapped], Caps::NONE), Ok(vec![failed]));
    assert_eq!(driver.check(&[], Caps::NONE), Ok(Vec::new()));
}

/// The maximum number of positions of a ply in these tests.
const MOST_DISTINCT: u64 = 10_000_000;

#[test]
fn distinct_positions() {
    let mut cpu = Cpu::new(None).unwrap();
    let mut driver = Driver::new(&mut cpu, &());
    let mut expected: HashMap<&str, Vec<[Option<u64>; 3]>> = HashMap::new();
    for row in rows(include_str!("../../../data/unique.tsv")) {
        let plies = expected.entry(row[0]).or_default();
        assert_eq!(row[1].parse(), Ok(plies.len()), "plies are in order");
        assert_eq!(row.len(), 5, "{row:?}");
        plies.push([2, 3, 4].map(|column| (row[column] != "-").then(|| row[column].parse().unwrap())));
    }
    let mut diagrams = 0;
    for (name, mut plies) in expected {
        plies.retain(|&[positions, ..]| positions.unwrap() <= MOST_DISTINCT);
        assert!(plies.len() > 4);
        let found = driver.unique(&fen(name), plies.len() as u32 - 1, 2 << 30, true).unwrap();
        assert_eq!(found.len(), plies.len());
        for (ply, (found, expected)) in found.into_iter().zip(plies).enumerate() {
            for (found, expected) in [Some(found.positions), Some(found.once), found.diagrams].into_iter().zip(expected)
            {
                assert!(expected.is_none() || found == expected, "{name} at ply {ply}: {found:?}, not {expected:?}");
            }
            diagrams += usize::from(expected[2].is_some());
        }
    }
    assert!(diagrams >= 7);
}

#[test]
fn categories() {
    let mut cpu = Cpu::new(None).unwrap();
    let mut driver = Driver::new(&mut cpu, &());
    let mut seen = 0;
    for row in rows(include_str!("../../../data/categories.tsv")) {
        let numbers: Vec<u128> = row[2..].iter().map(|number| number.parse().unwrap()).collect();
        let expected = Categories::from_array(numbers.try_into().unwrap());
        let found = driver.stats(&fen(row[0]), row[1].parse().unwrap());
        assert_eq!(found, Ok(expected), "{} at {}", row[0], row[1]);
        seen += 1;
    }
    assert_eq!(seen, 14);
}
