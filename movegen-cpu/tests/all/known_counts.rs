//! The CPU backend against published counts.

use kogge_board::known::{self, KnownCounts};
use kogge_board::{Backend, Quad48, unwatched};
use kogge_movegen_cpu::Cpu;

/// Checks published counts of a position, and returns their number.
fn check(cpu: &mut Cpu, known: &KnownCounts, counts: impl Iterator<Item = (u32, u128)>) -> usize {
    let KnownCounts { root, .. } = known;
    let mut checked = 0;
    for (depth, leaves) in counts {
        let found = cpu.perft(&root.rules, &[Quad48::from(&root.position)], depth, &mut unwatched).unwrap()[0];
        assert_eq!(found, leaves, "{root} at depth {depth}");
        checked += 1;
    }
    checked
}

/// Returns the published counts of at most `most` leaves.
fn up_to(known: &KnownCounts, most: u128) -> impl Iterator<Item = (u32, u128)> {
    known.counts().filter(move |&(_, leaves)| leaves <= most)
}

#[test]
fn the_six_standard_positions() {
    let mut cpu = Cpu::new(None).unwrap();
    let standard = known::standard();
    let checked: usize = standard.iter().map(|known| check(&mut cpu, known, up_to(known, 1_000_000_000))).sum();
    assert_eq!(checked, 34);
}

/// Counts each position of a suite at the deepest depth of at most 3 million leaves.
fn check_suite(suite: &[KnownCounts]) {
    let mut cpu = Cpu::new(None).unwrap();
    for known in suite {
        check(&mut cpu, known, up_to(known, 3_000_000).last().into_iter());
    }
}

#[test]
fn random_positions() {
    check_suite(&known::random());
}

#[test]
fn chess960_positions() {
    check_suite(&known::chess960());
}

/// Tables of one entry, of a few and of many forget different positions, but give equal answers.
#[test]
fn hash_tables_keep_counts_exact() {
    for bytes in [64, 4096, 1 << 24] {
        let mut cpu = Cpu::new(None).unwrap();
        cpu.set_hash(bytes).unwrap();
        let standard = known::standard();
        let checked: usize = standard.iter().map(|known| check(&mut cpu, known, up_to(known, 20_000_000))).sum();
        assert!(checked > 20);
    }
    assert!(Cpu::new(None).unwrap().set_hash(1).is_err());
}
